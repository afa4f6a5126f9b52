"""What a language model reached in its exam.

How often it was right, with its interval; by class and field; how sure it was and how often that was right; how often a
planted instruction turned a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from core.domain import HALF_WORDS
from core.stats import Proportion
from core.verdicts import exam
from gui_app.shared import theme
from gui_app.shared.charts import Bar, BarList
from gui_app.shared.formatting import when
from gui_app.shared.labels import plain
from gui_app.shared.layout import vbox


class Interval(QWidget):
    """A share with its interval on a line from 0 to 1, beside what chance gives and, if any, what is asked for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._share = Proportion(0.0, 0.0, 1.0, 0)
        self._is_pass = False
        self._marks: tuple[tuple[float, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)

    def show_share(self, share: Proportion, *, chance: float, required: float | None, is_pass: bool) -> None:
        self._share, self._is_pass = share, is_pass
        self._marks = ((chance, "chance"), *([] if required is None else [(required, "asked for")]))
        self.setAccessibleName(f"{share.value:.0%} right, {share.low:.0%} to {share.high:.0%}; chance is {chance:.0%}")
        self.update()

    def sizeHint(self) -> QSize:
        """Return a size with room for the words below the line."""
        return QSize(200, theme.px(44))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, theme.px(44))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = theme.tokens()
        width, y = self.width() - 16, theme.px(12)
        track = QRectF(8, y - 3, width, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ink.neutral_tint))
        painter.drawRoundedRect(track, 3, 3)
        colour = QColor(ink.supports if self._is_pass else ink.contradicts)
        painter.setBrush(colour)
        left, right = 8 + width * self._share.low, 8 + width * self._share.high
        painter.drawRoundedRect(QRectF(left, y - 3, max(2.0, right - left), 6), 3, 3)
        painter.setPen(QPen(QColor(ink.surface), 2))
        painter.drawEllipse(QPointF(8 + width * self._share.value, y), 6, 6)
        painter.setFont(theme.sans(theme.SMALL))
        for value, label in self._marks:
            x = 8 + width * value
            painter.setPen(QPen(QColor(ink.strong_line), 1))
            painter.drawLine(QPointF(x, y - 9), QPointF(x, y + 12))
            painter.setPen(QColor(ink.muted))
            long = painter.fontMetrics().horizontalAdvance(label)
            # What chance gives is left of its line, what is asked for right of it: they are near each other.
            start = x - long - 4 if label == "chance" else x + 4
            painter.drawText(QPointF(start, y + theme.px(24)), label)


class ExamView(QWidget):
    """The figures of one result, in one or two columns as there is room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = vbox(self, spacing=8)
        self.headline = plain("", "heading", wrap=True)
        self.interval = Interval()
        self.clues_headline = plain("", "heading", wrap=True)
        self.clues_interval = Interval()
        self.clues_note = plain("", "muted", wrap=True)
        self.sat = plain("", "small", wrap=True, selectable=True)
        self._clues_parts = (self.clues_headline, self.clues_interval, self.clues_note)
        for part in (self.headline, self.interval, *self._clues_parts, self.sat):
            column.addWidget(part)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 8, 0, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(16)
        column.addLayout(self._grid)
        self.classes = self._part("By class")
        self.sureness = self._part("Calibration: how sure it was, and how often right")
        self.injection = self._part("Instructions planted in passages")
        self.fields = self._part("By field")
        self._wide: bool | None = None
        self._arrange()

    def _part(self, title: str) -> _Part:
        return _Part(title)

    def resizeEvent(self, _event: object) -> None:
        self._arrange()

    def _arrange(self) -> None:
        wide = self.width() >= theme.px(640)
        if wide == self._wide:
            return
        self._wide = wide
        parts = (self.classes, self.sureness, self.injection, self.fields)
        for index, part in enumerate(parts):
            row, side = divmod(index, 2) if wide else (index, 0)
            self._grid.addWidget(part, row, side, Qt.AlignmentFlag.AlignTop)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1 if wide else 0)

    def show_result(self, result: exam.Result) -> None:
        """Show what a model reached."""
        share, clues = result.statements, result.half("clues")
        self.headline.setText(("Direct statements: " if result.halves else "") + _right(share))
        self.interval.show_share(share, chance=exam.CHANCE, required=exam.MUST_REACH, is_pass=result.passed)
        for part in self._clues_parts:
            part.setVisible(clues is not None)
        if clues is not None:
            self.clues_headline.setText(f"Indirect evidence: {_right(clues.accuracy)}")
            self.clues_interval.show_share(
                clues.accuracy, chance=clues.chance, required=None, is_pass=clues.beats_chance
            )
            self.clues_note.setText(
                "Indirect evidence does not say that an explanation is so; it makes it more or less likely than its "
                "rivals."
                if clues.beats_chance
                else "On indirect evidence it is not clearly better than chance: where a passage does not say it "
                "outright, do not rely on its verdict."
            )
        f1 = ", ".join(f"{HALF_WORDS[half.name]} {_f1(half.macro_f1)}" for half in result.halves) or _f1(
            result.macro_f1
        )
        self.sat.setText(f"Macro-F1: {f1}. Taken {when(result.sat)} in {result.seconds:.0f} s.")
        self.classes.show_part(
            [
                Bar(
                    row.label,
                    row.f1,
                    f"F1 {row.f1:.2f}",
                    f"{row.label}: precision {row.precision:.2f}, recall {row.recall:.2f}, F1 {row.f1:.2f} "
                    f"on {row.n} pairs",
                    tone=row.label,
                )
                for row in result.classes
            ],
            "\n".join(
                f"{row.label.capitalize()}: precision {row.precision:.0%}, recall {row.recall:.0%}"
                for row in result.classes
            ),
        )
        self.sureness.show_part(
            [
                Bar(
                    f"{bucket.confidence:.0%} sure",
                    bucket.right,
                    f"{bucket.right:.0%} of {bucket.n}",
                    f"Where it was {bucket.confidence:.0%} sure it was right in {bucket.right:.0%} of {bucket.n}",
                    tone="neutral",
                    mark=bucket.confidence,
                )
                for bucket in result.bins
                if bucket.n
            ],
            f"The tick is how sure it was. They are {result.calibration_error:.2f} apart on average "
            "(calibration error)."
            + "".join("\n" + self._strict(strict) for strict in result.strict)
            + self._decided(result.decided),
        )
        injection = result.injected
        places = {"begin": "Beginning", "middle": "Middle", "end": "End"}
        self.injection.setVisible(injection is not None)
        if injection is not None:
            self.injection.show_part(
                [
                    Bar(
                        places[place.name],
                        place.right / max(1, place.n),
                        f"{place.right / max(1, place.n):.0%}",
                        f"{place.name}: {place.right} of {place.n}",
                        tone="ambiguous",
                    )
                    for place in injection.by_place
                ],
                (
                    f"{injection.success.value:.0%} ({injection.success.low:.0%} to {injection.success.high:.0%}) of "
                    f"{injection.success.n} verdicts were turned to what the instruction wanted. "
                    "Passages with such text are marked wherever they are shown."
                ),
            )
        self.fields.show_part(
            [
                Bar(
                    domain.name.replace("_", " "),
                    domain.right / max(1, domain.n),
                    f"{domain.right} of {domain.n}",
                    f"{domain.name.replace('_', ' ')}: {domain.right} of {domain.n} right",
                )
                for domain in result.domains
            ],
            "",
        )

    def _decided(self, decided: exam.Decided | None) -> str:
        if decided is None:
            return ""
        return "\n" + (
            f"Ambiguous where its two likeliest answers are closer than {decided.margin:.2f}: "
            f"coverage {decided.shown:.0%}, selective accuracy {decided.right:.0%}."
        )

    def _strict(self, strict: exam.Strict) -> str:
        if strict.threshold is None:
            return f"No probability makes “{strict.label}” right in {exam.PRECISION:.0%} of cases."
        return (
            f"“{strict.label}” is right in {exam.PRECISION:.0%} of cases above {strict.threshold:.2f}: "
            f"{strict.coverage:.0%} of these verdicts."
        )


def _right(share: Proportion) -> str:
    return f"{share.value:.0%} right ({share.low:.0%} to {share.high:.0%}) of {share.n} pairs"


def _f1(share: Proportion) -> str:
    return f"{share.value:.2f} ({share.low:.2f} to {share.high:.2f})"


class _Part(QWidget):
    """A title, bars, and what they say in words."""

    def __init__(self, title: str) -> None:
        super().__init__()
        column = vbox(self, spacing=4)
        column.addWidget(plain(title, "section"))
        self.bars = BarList(title)
        self.bars.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.bars.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column.addWidget(self.bars)
        self.words = plain("", "small", wrap=True, selectable=True)
        column.addWidget(self.words)
        theme.changed.connect(self._fit)

    def show_part(self, bars: Sequence[Bar], words: str) -> None:
        self.bars.show_bars(bars, most=1.0)
        self.words.setText(words)
        self.words.setVisible(bool(words))
        self._fit()

    def _fit(self) -> None:
        self.bars.setFixedHeight(self.bars.count() * (theme.px(18) + 8) + 4)
