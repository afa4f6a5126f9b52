"""A document's own words with its quotes marked in them: each underlined, the hypotheses in small letters above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QTextLayout, QTextLine

from gui_app.review.quote_marks import QuoteMark
from gui_app.shared import mark_colours, theme
from gui_app.shared.flowing_text import FlowingText, units
from gui_app.shared.reading_direction import text_option

_STROKE = 2  # pixels of a line under a quote
_LANES = 3  # lines under the same words; more would reach the words below


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The part of a mark on one line: from ``left`` to ``right``, ``lane`` lines under the words."""

    mark: QuoteMark
    line: int
    left: float
    right: float
    lane: int
    is_first: bool


class _Setting:
    """A text broken into lines for one width. It lives as long as one painting or measuring does, never longer."""

    def __init__(self, text: str, marks: Sequence[QuoteMark], width: int, size: int) -> None:
        self.font = theme.serif(size)
        self.layout = QTextLayout(text, self.font)
        self.layout.setTextOption(text_option(text))
        self.above = QFontMetrics(_letters_font()).height() - 2
        starts = [units(text[: mark.start]) for mark in marks]
        self.high = 0.0
        below = _STROKE + 1 if marks else 0
        self.layout.beginLayout()
        while (line := self.layout.createLine()).isValid():
            line.setLineWidth(max(1, width))
            first, end_of_line = line.textStart(), line.textStart() + line.textLength()
            # Room for the letters only where a quote begins.
            self.high += self.above if any(first <= start < end_of_line for start in starts) else 0
            line.setPosition(QPointF(0, self.high))
            self.high += line.height() + below
        self.layout.endLayout()
        self.stretches = list(self._stretches(text, marks))

    def _stretches(self, text: str, marks: Sequence[QuoteMark]) -> Iterator[_Stretch]:
        lanes: list[tuple[int, int, int]] = []  # start, end, lane
        for mark in marks:
            start, end = units(text[: mark.start]), units(text[: mark.end])
            busy = {lane for a, b, lane in lanes if a < end and start < b}
            lane = next((lane for lane in range(_LANES) if lane not in busy), _LANES - 1)
            lanes.append((start, end, lane))
            for number in range(self.layout.lineCount()):
                line = self.layout.lineAt(number)
                first, end_of_line = line.textStart(), line.textStart() + line.textLength()
                if start < end_of_line and first < end:
                    left, right = _place(line, max(start, first)), _place(line, min(end, end_of_line))
                    left, right = min(left, right), max(left, right)  # words that run from right to left
                    yield _Stretch(mark, number, left, right, lane, first <= start)


class MarkedPassage(FlowingText):
    """Words with quotes marked in them."""

    def __init__(self, accessible_name: str, *, size: int = theme.LARGE) -> None:
        super().__init__(accessible_name, size)
        self.marks: list[QuoteMark] = []

    def set_text(self, text: str, marks: Sequence[QuoteMark]) -> None:
        """Show a text with these marks, whose offsets are those of the text."""
        self._text = text
        self.marks = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
        quotes = "; ".join(f"{mark.letters}: {self.words_of(mark)}" for mark in self.marks)
        self.setAccessibleName(f"{self._name}: {text}. Quotes: {quotes}" if quotes else f"{self._name}: {text}")
        self._dress()

    def words_of(self, mark: QuoteMark) -> str:
        """Return the words of a mark."""
        return self._text[mark.start : mark.end]

    def top_of(self, mark: QuoteMark) -> int:
        """Return how far down a mark begins."""
        return self.extent_of(mark)[0]

    def extent_of(self, mark: QuoteMark) -> tuple[int, int]:
        """Return how far down a mark begins and ends."""
        setting = _Setting(self._text, self.marks, self.width(), self._size)
        lines = [setting.layout.lineAt(stretch.line) for stretch in setting.stretches if stretch.mark == mark]
        return (round(lines[0].y()), round(lines[-1].y() + lines[-1].height())) if lines else (0, 0)

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines at that width."""
        return round(_Setting(self._text, self.marks, width, self._size).high + 0.5)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the words over what marks them."""
        painter = QPainter(self)
        setting = _Setting(self._text, self.marks, self.width(), self._size)
        for stretch in setting.stretches:
            line = setting.layout.lineAt(stretch.line)
            if stretch.mark.is_current:
                box = QRectF(stretch.left, line.y(), stretch.right - stretch.left, line.height())
                painter.fillRect(box, mark_colours.find())
            self._underline(painter, stretch, line)
        painter.setPen(QColor(theme.tokens().text))
        setting.layout.draw(painter, QPointF(0, 0))
        self._draw_letters(painter, setting)

    def _underline(self, painter: QPainter, stretch: _Stretch, line: QTextLine) -> None:
        """Draw a line in the tone of each label: halves where a quote supports one and contradicts another."""
        labels = stretch.mark.labels
        part = (stretch.right - stretch.left) / len(labels)
        top = line.y() + line.height() - 1 + stretch.lane * (_STROKE + 1)
        for index, label in enumerate(labels):
            box = QRectF(stretch.left + index * part, top, part, _STROKE)
            painter.fillRect(box, theme.tone(label))

    def _draw_letters(self, painter: QPainter, setting: _Setting) -> None:
        font = _letters_font()
        metrics = QFontMetrics(font)
        painter.setFont(font)
        free: dict[int, float] = {}  # of each line, from where on nothing is written above it
        for stretch in setting.stretches:
            if not stretch.is_first:
                continue
            line = setting.layout.lineAt(stretch.line)
            wide = metrics.horizontalAdvance(f"{stretch.mark.letters} ")
            left = max(free.get(stretch.line, 0.0), min(stretch.left, self.width() - wide))
            for hypothesis, label in stretch.mark.signs:
                painter.setPen(theme.tone(label))
                painter.drawText(QPointF(left, line.y() + 1 - metrics.descent() + 2), hypothesis)
                left += metrics.horizontalAdvance(f"{hypothesis} ")
            free[stretch.line] = left + 4


def _letters_font() -> QFont:
    return theme.sans(theme.SMALL - 1, bold=True)


def _place(line: QTextLine, unit: int) -> float:
    """Return where a character is on its line: PySide gives a place, or that and the unit it is of."""
    place = line.cursorToX(unit)
    return float(place[0]) if isinstance(place, tuple) else float(place)  # type: ignore[arg-type]
