"""The grid of the matrix, painted in one pass: visible cells only, from cached pictures, with a frozen header and a
frozen evidence column. It knows rows and codes, not the case: what the person wants is said by its signals."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from core.domain import Hypothesis, Level, Rating
from gui_app import look
from gui_app.models.grid import CODE, SUGGESTED, GridRow, is_decided, rating_of, spoken, with_cell
from gui_app.widgets.announce import announce
from gui_app.widgets.labels import tooltip
from gui_app.widgets.painted_text import draw_lines
from gui_app.words import LEVELS, RATING_WORDS

TYPING_MS = 700  # within this a second letter belongs to the first: C C is CC
KEPT_ROWS = 96  # pictures of evidence texts kept: some two screens of rows, 50 kB each
_DIGITS: dict[str, Rating] = {"1": "CC", "2": "C", "3": "N", "4": "I", "5": "II"}
_SECOND: dict[tuple[Rating, str], Rating] = {("C", "c"): "CC", ("I", "i"): "II", ("N", "a"): "NA"}
_FIRST: dict[str, Rating] = {"c": "C", "n": "N", "i": "I"}
_LEVELS: dict[str, Level] = {"l": "L", "m": "M", "h": "H"}

_CENTRE = int(Qt.AlignmentFlag.AlignCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

Kind = Literal["evidence", "source", "credibility", "relevance", "cell", "diagnosticity"]


class Column(NamedTuple):
    """A column: what it holds, from where to where in pixels of the whole grid, and which hypothesis it is for."""

    kind: Kind
    left: int
    width: int
    hypothesis: int = -1


class Standing(NamedTuple):
    """What stands under a hypothesis in the header: rank ('1=') and score of the default rule, '' without any."""

    rank: str
    score: str


class MatrixGrid(QAbstractScrollArea):
    """Evidence down, hypotheses across. Arrows move, letters rate, Enter confirms what the machine suggests."""

    rated = Signal(str, str, object)
    graded = Signal(str, str, object)
    row_changed = Signal(object)
    shown = Signal(object)
    opened = Signal(object)
    sorted_by = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Matrix of evidence and hypotheses"))
        self.viewport().setMouseTracking(True)
        self.rows: Sequence[GridRow] = ()
        self.hypotheses: Sequence[Hypothesis] = ()
        self.standings: Sequence[Standing] = ()
        self.read_only = False
        self.dims = True
        self.sort = "id"
        self._columns: list[Column] = []
        self._row = 0
        self._column = 0
        self._typed: tuple[str, str, Rating] | None = None
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._typing.timeout.connect(self.commit)
        self._glyphs: dict[tuple[int, int], QPixmap] = {}
        self._texts: OrderedDict[tuple[str, int, int], QPixmap] = OrderedDict()
        self._header = QPixmap()
        self._measure()
        look.changed.connect(self._dress)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_rows(
        self, rows: Sequence[GridRow], hypotheses: Sequence[Hypothesis], standings: Sequence[Standing]
    ) -> None:
        """Show these rows; the cursor stays on the same evidence where it is still there."""
        here = self.current_row()
        before = {row.id: row for row in self.rows}
        self.rows, self.standings = rows, standings
        if self.hypotheses != hypotheses:
            self.hypotheses = hypotheses
        self._forget_changed(before)
        self._header = QPixmap()
        if here is not None:
            self._row = next((at for at, row in enumerate(rows) if row.id == here.id), min(self._row, len(rows) - 1))
        self._row = max(0, min(self._row, len(rows) - 1))
        self._lay_out()
        self._column = max(0, min(self._column, len(self._columns) - 1))
        self.viewport().update()

    def _forget_changed(self, before: dict[str, GridRow]) -> None:
        now = {row.id: row for row in self.rows}
        for key in list(self._texts):
            old, new = before.get(key[0]), now.get(key[0])
            if key[0] and (old is None or new is None or (old.text, old.place) != (new.text, new.place)):
                del self._texts[key]

    def set_cell(self, evidence: str, column: int, rating: Rating | None) -> None:
        """Show one cell as a person rated it, ahead of everything that follows from it."""
        self.rows = [with_cell(row, column, rating) if row.id == evidence else row for row in self.rows]
        self.viewport().update()

    def current_row(self) -> GridRow | None:
        return self.rows[self._row] if 0 <= self._row < len(self.rows) else None

    def current_hypothesis(self) -> Hypothesis | None:
        """The hypothesis of the cell under the cursor; None on another column."""
        if not self._columns:
            return None
        at = self._columns[self._column].hypothesis
        return self.hypotheses[at] if at >= 0 else None

    def current_kind(self) -> Kind:
        return self._columns[self._column].kind if self._columns else "evidence"

    def go_to(self, evidence: str, hypothesis: str = "") -> bool:
        """Put the cursor on a row, and on a cell of it; False when the row is not shown."""
        row = next((at for at, shown in enumerate(self.rows) if shown.id == evidence), None)
        if row is None:
            return False
        column = self._column
        if hypothesis:
            known = [item.id for item in self.hypotheses]
            if hypothesis in known:
                column = next(at for at, c in enumerate(self._columns) if c.hypothesis == known.index(hypothesis))
        self._move_to(row, column)
        return True

    def cell_rect(self, row: int, column: int) -> QRect:
        """Where a cell lies in the viewport now."""
        place = self._columns[column]
        left = place.left if column == 0 else place.left - self.horizontalScrollBar().value()
        top = self._head + row * self._line - self.verticalScrollBar().value()
        return QRect(left, top, place.width, self._line)

    def column_of(self, hypothesis: str) -> int:
        known = [item.id for item in self.hypotheses]
        return next(at for at, column in enumerate(self._columns) if column.hypothesis == known.index(hypothesis))

    # --- sizes -------------------------------------------------------------------------------------------------------

    def _measure(self) -> None:
        small = QFontMetrics(look.sans(look.SMALL)).height()
        body = QFontMetrics(look.serif(look.BODY)).height()
        self._line = max(48, 2 * body + 16)
        self._head = 16 + QFontMetrics(look.sans(bold=True)).height() + 3 * small + 8

    def _lay_out(self) -> None:
        """Columns from the width there is: hypotheses share what the evidence leaves, within what can be read."""
        room = self.viewport().width()
        unit = look.px(8)
        grade, diagnosticity = round(unit * 4.5), unit * 10
        count = max(1, len(self.hypotheses))
        source = unit * 15 if room > unit * 90 else 0
        least = unit * 8
        evidence = max(unit * 18, min(unit * 52, room - source - 2 * grade - diagnosticity - count * least))
        evidence = min(evidence, max(unit * 18, room // 2))
        left = room - evidence - source - 2 * grade - diagnosticity
        each = max(least, min(unit * 18, left // count))
        made = [Column("evidence", 0, evidence)]
        at = evidence
        for kind, width in (("source", source), ("credibility", grade), ("relevance", grade)):
            if width:
                made.append(Column(kind, at, width))  # type: ignore[arg-type]
                at += width
        for index in range(len(self.hypotheses)):
            made.append(Column("cell", at, each, index))
            at += each
        made.append(Column("diagnosticity", at, diagnosticity))
        at += diagnosticity
        if [(c.kind, c.width) for c in made] != [(c.kind, c.width) for c in self._columns]:
            before = self._columns[self._column] if self._column < len(self._columns) else None
            self._columns = made
            self._texts.clear()
            self._header = QPixmap()
            if before is not None:
                self._column = next(
                    (i for i, c in enumerate(made) if (c.kind, c.hypothesis) == (before.kind, before.hypothesis)), 0
                )
        self._columns = made
        high = self.viewport().height()
        self.verticalScrollBar().setRange(0, max(0, self._head + len(self.rows) * self._line - high))
        self.verticalScrollBar().setPageStep(max(self._line, high - self._head))
        self.verticalScrollBar().setSingleStep(self._line)
        self.horizontalScrollBar().setRange(0, max(0, at - room))
        self.horizontalScrollBar().setPageStep(max(1, room - evidence))
        self.horizontalScrollBar().setSingleStep(each)

    def _dress(self) -> None:
        self._glyphs.clear()
        self._texts.clear()
        self._header = QPixmap()
        self._measure()
        self._lay_out()
        self.viewport().update()

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        ink = look.tokens()
        painter = QPainter(self.viewport())
        room = self.viewport().rect()
        surface = QColor(ink.surface)
        painter.fillRect(room, surface)
        if not self._columns:
            return
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        line, head = self._line, self._head
        first = down // line
        last = min(len(self.rows), (down + room.height() - head) // line + 1)
        frozen = self._columns[0].width
        shown = [
            column
            for column in self._columns[1:]
            if column.left - across < room.width() and column.left - across + column.width > frozen
        ]
        selection, separator, muted = QColor(ink.selection), QColor(ink.line), QColor(ink.muted)
        draw, glyph = painter.drawPixmap, self._glyph
        typed = self._typed
        for at in range(first, last):
            row = self.rows[at]
            top = head + at * line - down
            if at == self._row:
                painter.fillRect(0, top, room.width(), line, selection)
            faded = self.dims and row.dull
            if faded:
                painter.setOpacity(0.45)
            for column in shown:
                left = column.left - across
                if column.hypothesis >= 0:
                    code = row.cells[column.hypothesis]
                    if typed is not None and typed[0] == row.id and self.hypotheses[column.hypothesis].id == typed[1]:
                        code = CODE[typed[2]]
                    if code:
                        draw(left, top, glyph(code, column.width))
                elif column.kind == "diagnosticity":
                    self._paint_bar(painter, row, left, top, column.width)
                else:
                    draw(left, top, self._text(row, column))
            painter.setOpacity(1.0)
        # The frozen parts are painted last, over whatever was scrolled below them.
        for at in range(first, last):
            row = self.rows[at]
            top = head + at * line - down
            painter.fillRect(0, top, frozen, line, selection if at == self._row else surface)
            if self.dims and row.dull:
                painter.setOpacity(0.55)
            draw(0, top, self._text(row, self._columns[0]))
            painter.setOpacity(1.0)
            painter.fillRect(0, top + line - 1, room.width(), 1, separator)
        if across:
            painter.fillRect(frozen - 1, head, 1, room.height() - head, separator)
        self._paint_cursor(painter)
        if self._header.isNull():
            self._header = self._draw_header()
        ratio = self._header.devicePixelRatio()
        high = self._header.height()
        draw(
            QPoint(frozen, 0),
            self._header,
            QRect(round((frozen + across) * ratio), 0, round((room.width() - frozen) * ratio), high),
        )
        draw(QPoint(0, 0), self._header, QRect(0, 0, round(frozen * ratio), high))
        painter.fillRect(0, head - 1, room.width(), 1, separator)
        if not self.rows:
            painter.setPen(muted)
            painter.setFont(look.sans())
            painter.drawText(room.adjusted(0, head, 0, 0), _CENTRE, self.tr("No row passes the filter."))

    def _paint_cursor(self, painter: QPainter) -> None:
        if not self.rows:
            return
        box = self.cell_rect(self._row, self._column)
        if self._column and box.right() <= self._columns[0].width:
            return
        painter.save()
        painter.setClipRect(0 if self._column == 0 else self._columns[0].width, self._head, 1 << 20, 1 << 20)
        colour = QColor(look.tokens().focus if self.hasFocus() else look.tokens().strong_line)
        painter.setPen(QPen(colour, 2 if self.hasFocus() else 1))
        painter.drawRect(box.adjusted(1, 1, -2, -2))
        painter.restore()

    def _paint_bar(self, painter: QPainter, row: GridRow, left: int, top: int, width: int) -> None:
        """How far the row tells hypotheses apart: 2 is the most there is (half CC, half II)."""
        ink = look.tokens()
        if row.diagnosticity is None:
            return
        full = width - 24
        middle = top + self._line // 2
        painter.fillRect(left + 12, middle + 6, full, 3, QColor(ink.neutral_tint))
        painter.fillRect(left + 12, middle + 6, round(full * min(1.0, row.diagnosticity / 2)), 3, QColor(ink.text))
        painter.setFont(look.sans(look.SMALL))
        painter.setPen(QColor(ink.muted))
        painter.drawText(QRect(left + 12, middle - 16, full, 18), _RIGHT, f"{row.diagnosticity:.2f}")

    def _glyph(self, code: int, width: int) -> QPixmap:
        key = (code, width)
        found = self._glyphs.get(key)
        if found is None:
            found = self._glyphs[key] = self._draw_glyph(code, width)
        return found

    def _picture(self, width: int, height: int) -> QPixmap:
        ratio = self.devicePixelRatioF()
        made = QPixmap(QSize(round(width * ratio), round(height * ratio)))
        made.setDevicePixelRatio(ratio)
        made.fill(Qt.GlobalColor.transparent)
        return made

    def _draw_glyph(self, code: int, width: int) -> QPixmap:
        """A cell: letters, a shape for the direction, a tint. Decided is filled, suggested is outlined with dots."""
        rating = rating_of(code)
        assert rating is not None
        ink = look.tokens()
        label = look.rating_label(rating)
        tone = look.tone(label)
        strong = rating in ("CC", "II")
        decided = is_decided(code)
        made = self._picture(width, self._line)
        painter = QPainter(made)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(6.5, 7.5, width - 13, self._line - 16)
        if decided:
            edge = QColor(tone)
            edge.setAlpha(110)  # seen on a selected row too, whose blue is near that of C
            painter.setPen(QPen(edge, 1))
            painter.setBrush(tone if strong else QColor(ink.neutral_tint) if rating == "NA" else look.tint(label))
            painter.drawRoundedRect(box, 3, 3)
        elif not decided:
            pen = QPen(tone, 1, Qt.PenStyle.DotLine)
            painter.setPen(pen)
            painter.drawRoundedRect(box, 3, 3)
        colour = tone
        if decided:
            colour = QColor(ink.surface) if strong else (QColor(ink.muted) if rating == "NA" else tone)
        font = look.sans(look.LARGE, bold=decided)
        painter.setFont(font)
        painter.setPen(colour)
        letters = QFontMetrics(font).horizontalAdvance(rating)
        sign = 9.0
        both = letters + (8 + sign if rating != "NA" else 0)
        left = box.center().x() - both / 2
        painter.drawText(QRectF(left, box.top(), letters + 2, box.height()), _LEFT, rating)
        if rating != "NA":
            _draw_direction(
                painter,
                rating,
                QRectF(left + letters + 8, box.center().y() - sign / 2, sign, sign),
                colour,
                filled=decided,
            )
        painter.end()
        return made

    def _text(self, row: GridRow, column: Column) -> QPixmap:
        """The picture of a text cell, drawn once: breaking lines costs more than all the rest of a frame."""
        grade = 0
        if column.kind == "credibility":
            grade = 1 + "LMH".index(row.item.credibility) if row.item.credibility else 4
        elif column.kind == "relevance":
            grade = 5 + "LMH".index(row.item.relevance) if row.item.relevance else 4
        key = ("" if grade else row.id, column.left, grade)
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = self._draw_text(row, column)
            if len(self._texts) > 2 * KEPT_ROWS:
                self._texts.popitem(last=False)
        else:
            self._texts.move_to_end(key)
        return found

    def _draw_text(self, row: GridRow, column: Column) -> QPixmap:
        ink = look.tokens()
        made = self._picture(column.width, self._line)
        painter = QPainter(made)
        box = QRect(12, 4, column.width - 20, self._line - 9)
        if column.kind in ("credibility", "relevance"):
            level = row.item.credibility if column.kind == "credibility" else row.item.relevance
            painter.setFont(look.sans(bold=level is not None))
            painter.setPen(QColor(ink.text if level else ink.strong_line))
            painter.drawText(QRect(0, 0, column.width, self._line), _CENTRE, level or "·")
        elif column.kind == "source":
            painter.setPen(QColor(ink.muted))
            painter.setFont(look.sans(look.SMALL))
            draw_lines(painter, row.place or self.tr("your own words"), box, lines=2, middle=True)
        else:
            painter.setPen(QColor(ink.muted))
            painter.setFont(look.sans(look.SMALL, bold=True))
            wide = max(look.px(28), QFontMetrics(painter.font()).horizontalAdvance(row.id) + 8)
            painter.drawText(QRect(box.left(), box.top() + 1, wide, box.height() // 2), _LEFT, row.id)
            painter.setPen(QColor(ink.text))
            painter.setFont(look.serif(look.BODY) if row.item.quote else look.sans())
            draw_lines(painter, row.text, box.adjusted(wide, 0, 0, 0), lines=2)
        painter.end()
        return made

    def _draw_header(self) -> QPixmap:
        ink = look.tokens()
        last = self._columns[-1]
        made = self._picture(max(last.left + last.width, self.viewport().width()), self._head)
        painter = QPainter(made)
        painter.fillRect(QRect(0, 0, made.width(), self._head), QColor(ink.surface))
        small, strong = look.sans(look.SMALL), look.sans(bold=True)
        names = {
            "evidence": self.tr("Evidence"),
            "source": self.tr("Source"),
            "credibility": self.tr("Cred."),
            "relevance": self.tr("Rel."),
            "diagnosticity": self.tr("Tells apart"),
        }
        for column in self._columns:
            box = QRect(column.left, 0, column.width, self._head)
            if column.hypothesis < 0:
                painter.setFont(look.sans(look.SMALL, bold=True))
                painter.setPen(QColor(ink.muted))
                name = names[column.kind]
                if self.sort == ("id" if column.kind == "evidence" else column.kind):
                    name += " ▾" if column.kind in ("evidence", "diagnosticity") else ""
                centred = column.kind in ("credibility", "relevance", "diagnosticity")
                painter.drawText(
                    box.adjusted(0 if centred else 12, 0, 0, -8),
                    int(
                        (Qt.AlignmentFlag.AlignHCenter if centred else Qt.AlignmentFlag.AlignLeft)
                        | Qt.AlignmentFlag.AlignBottom
                    ),
                    name,
                )
                continue
            hypothesis = self.hypotheses[column.hypothesis]
            standing = (
                self.standings[column.hypothesis] if column.hypothesis < len(self.standings) else Standing("", "")
            )
            leads = standing.rank.startswith("1")
            painter.setFont(strong)
            painter.setPen(QColor(ink.accent if leads else ink.text))
            top = QFontMetrics(strong).height()
            painter.drawText(QRect(box.left() + 8, 8, box.width() - 12, top), _LEFT, hypothesis.id)
            painter.setFont(small)
            if standing.rank:
                painter.setPen(QColor(ink.accent if leads else ink.muted))
                painter.drawText(QRect(box.left() + 8, 8, box.width() - 16, top), _RIGHT, standing.rank)
            painter.setPen(QColor(ink.muted))
            line = QFontMetrics(small).height()
            draw_lines(
                painter,
                " ".join(hypothesis.text.split()),
                QRect(box.left() + 8, 10 + top, box.width() - 14, 2 * line),
                lines=2,
            )
            if standing.score:
                painter.drawText(
                    QRect(box.left() + 8, self._head - line - 7, box.width() - 16, line), _LEFT, standing.score
                )
        painter.end()
        return made

    # --- moving ------------------------------------------------------------------------------------------------------

    def _move_to(self, row: int, column: int) -> None:
        row = max(0, min(row, len(self.rows) - 1))
        column = max(0, min(column, len(self._columns) - 1))
        changed = row != self._row
        self._row, self._column = row, column
        self._reveal()
        self.viewport().update()
        self._commit_painted()
        if changed:
            self.row_changed.emit(self.current_row())
        self._speak()

    def _reveal(self) -> None:
        if not self.rows:
            return
        box = self.cell_rect(self._row, self._column)
        bar = self.verticalScrollBar()
        if box.top() < self._head:
            bar.setValue(bar.value() + box.top() - self._head)
        elif box.bottom() > self.viewport().height():
            bar.setValue(bar.value() + box.bottom() - self.viewport().height() + 1)
        if self._column:
            side, frozen = self.horizontalScrollBar(), self._columns[0].width
            if box.left() < frozen:
                side.setValue(side.value() + box.left() - frozen)
            elif box.right() > self.viewport().width():
                side.setValue(side.value() + box.right() - self.viewport().width() + 1)

    def spoken(self) -> str:
        """The place of the cursor in words."""
        row = self.current_row()
        if row is None or not self._columns:
            return ""
        column = self._columns[self._column]
        if column.hypothesis >= 0:
            code = row.cells[column.hypothesis]
            hypothesis = self.hypotheses[column.hypothesis].id
            if self._typed is not None and self._typed[:2] == (row.id, hypothesis):
                code = CODE[self._typed[2]]
            return spoken(row, hypothesis, code)
        said = {
            "evidence": row.text,
            "source": self.tr("source {place}").format(place=row.place or self.tr("not given")),
            "credibility": self.tr("credibility {level}").format(
                level=LEVELS[row.item.credibility] if row.item.credibility else self.tr("not graded")
            ),
            "relevance": self.tr("relevance {level}").format(
                level=LEVELS[row.item.relevance] if row.item.relevance else self.tr("not graded")
            ),
            "diagnosticity": self.tr("tells hypotheses apart by {figure}").format(
                figure="–" if row.diagnosticity is None else f"{row.diagnosticity:.2f}"
            ),
        }[column.kind]
        return f"Evidence {row.id}: {said}"

    def _speak(self) -> None:
        text = self.spoken()
        self.setAccessibleDescription(text)
        announce(self, text)

    def next_unrated(self) -> bool:
        """The next cell, across and down, that no person has rated; False when all are."""
        count, wide = len(self.rows), len(self.hypotheses)
        if not count or not wide:
            return False
        here = max(0, self._columns[self._column].hypothesis)
        start = self._row * wide + here
        offset = 0 if self._columns[self._column].hypothesis < 0 else 1
        for step in range(offset, count * wide + 1):
            row, hypothesis = divmod((start + step) % (count * wide), wide)
            if not is_decided(self.rows[row].cells[hypothesis]):
                self._move_to(row, self.column_of(self.hypotheses[hypothesis].id))
                return True
        return False

    def _step(self, down: int, across: int) -> None:
        self._move_to(self._row + down, self._column + across)

    def _tab(self, way: int) -> bool:
        """To the next cell of a hypothesis, on to the next row; False at the ends, where Tab leaves the grid."""
        cells = [at for at, column in enumerate(self._columns) if column.hypothesis >= 0]
        if not cells or not self.rows:
            return False
        after = [at for at in cells if (at > self._column if way > 0 else at < self._column)]
        if after:
            self._move_to(self._row, after[0] if way > 0 else after[-1])
            return True
        if not 0 <= self._row + way < len(self.rows):
            return False
        self._move_to(self._row + way, cells[0] if way > 0 else cells[-1])
        return True

    # --- deciding ----------------------------------------------------------------------------------------------------

    def commit(self) -> None:
        """Hand over the rating that is being typed, if any."""
        self._typing.stop()
        if self._typed is not None:
            evidence, hypothesis, rating = self._typed
            self._typed = None
            self.rated.emit(evidence, hypothesis, rating)
            self._speak()

    def _commit_painted(self) -> None:
        """Paint, then hand over: scoring 500 x 10 cells takes 100 ms, and the eye should not wait for it."""
        if self._typed is not None:
            self.viewport().repaint()
            self.commit()

    def _type(self, letter: str) -> bool:
        row, hypothesis = self.current_row(), self.current_hypothesis()
        if row is None or hypothesis is None or self.read_only:
            return False
        typed = self._typed
        if typed is not None:
            longer = _SECOND.get((typed[2], letter))
            if longer is not None:
                self._typed = (row.id, hypothesis.id, longer)
                self._commit_painted()
                return True
        if letter in _DIGITS:
            self._typed = (row.id, hypothesis.id, _DIGITS[letter])
            self._commit_painted()
            return True
        if letter not in _FIRST:
            return False
        self._typed = (row.id, hypothesis.id, _FIRST[letter])
        # C, N and I may grow into CC, NA and II: shown at once, handed over when no second letter comes.
        self._typing.start()
        self.viewport().update()
        return True

    def _clear(self) -> None:
        row, hypothesis = self.current_row(), self.current_hypothesis()
        self._typing.stop()
        self._typed = None
        if row is None or self.read_only:
            return
        kind = self.current_kind()
        if hypothesis is not None:
            if is_decided(row.cells[self._columns[self._column].hypothesis]):
                self.rated.emit(row.id, hypothesis.id, None)
        elif kind in ("credibility", "relevance"):
            self.graded.emit(row.id, kind, None)
        self.viewport().update()

    def _confirm(self) -> None:
        """Enter: the machine's suggestion becomes the person's rating, and the cursor moves on."""
        row, column = self.current_row(), self._columns[self._column]
        if row is None:
            return
        if column.hypothesis < 0:
            self.shown.emit(row)
            return
        code = row.cells[column.hypothesis]
        suggested = rating_of(code) if code > SUGGESTED else None
        # What is being typed is the person's own answer and goes before the suggestion.
        if self._typed is None and suggested is not None and not self.read_only:
            self._typed = (row.id, self.hypotheses[column.hypothesis].id, suggested)
        if not self._tab(1):
            self._commit_painted()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        plain = not modifiers & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        page = max(1, (self.viewport().height() - self._head) // self._line)
        moves = {
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_PageUp: (-page, 0),
            Qt.Key.Key_PageDown: (page, 0),
        }
        if key in moves and plain:
            self._step(*moves[key])
        elif key == Qt.Key.Key_Home:
            self._move_to(0 if control else self._row, 0)
        elif key == Qt.Key.Key_End:
            self._move_to(len(self.rows) - 1 if control else self._row, len(self._columns) - 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and self._columns:
            self._confirm()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and plain:
            self._clear()
        elif key == Qt.Key.Key_Space:
            self.shown.emit(self.current_row())
        elif plain and event.text() and self._typed_letter(event.text().casefold()):
            pass
        else:
            super().keyPressEvent(event)

    def _typed_letter(self, letter: str) -> bool:
        row = self.current_row()
        kind = self.current_kind()
        if row is not None and kind in ("credibility", "relevance") and letter in _LEVELS and not self.read_only:
            self.graded.emit(row.id, kind, _LEVELS[letter])
            return True
        return self._type(letter)

    def focusNextPrevChild(self, next_: bool) -> bool:
        # Tab walks the cells; Ctrl+Tab, and Tab behind the last cell, leave the grid.
        return self._tab(1 if next_ else -1) or super().focusNextPrevChild(next_)

    def event(self, event: QEvent) -> bool:
        # The letters that rate belong to the grid while the cursor is on a cell, whatever else they are keys for.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            letter = event.text().casefold()
            plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            if (
                plain
                and letter
                and (
                    (self.current_kind() == "cell" and letter in "cni12345")
                    or (self._typed is not None and letter == "a")
                    or (self.current_kind() in ("credibility", "relevance") and letter in "lmh")
                )
            ):
                event.accept()
                return True
        return super().event(event)

    # --- pointing ----------------------------------------------------------------------------------------------------

    def _at(self, point: QPoint) -> tuple[int, int] | None:
        """Row and column under a point of the viewport; row -1 is the header."""
        if not self._columns:
            return None
        x = point.x() if point.x() < self._columns[0].width else point.x() + self.horizontalScrollBar().value()
        column = next((i for i, c in enumerate(self._columns) if c.left <= x < c.left + c.width), None)
        if column is None:
            return None
        if point.y() < self._head:
            return -1, column
        row = (point.y() - self._head + self.verticalScrollBar().value()) // self._line
        return (row, column) if row < len(self.rows) else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._at(event.position().toPoint())
        if place is None or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        if place[0] < 0:
            kind = self._columns[place[1]].kind
            if kind in ("evidence", "diagnosticity"):
                self.sorted_by.emit("id" if kind == "evidence" else "diagnosticity")
            return
        self._move_to(*place)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        place = self._at(event.position().toPoint())
        if place is not None and place[0] >= 0:
            self.opened.emit(self.rows[place[0]])

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event.pos()), self.viewport())
            return True
        return super().viewportEvent(event)

    def _tip(self, point: QPoint) -> str:
        place = self._at(point)
        if place is None:
            return ""
        row, column = place[0], self._columns[place[1]]
        if row < 0:
            if column.hypothesis >= 0:
                hypothesis = self.hypotheses[column.hypothesis]
                return tooltip(f"{hypothesis.id}: {hypothesis.text[:600]}")
            return ""
        shown = self.rows[row]
        if column.hypothesis >= 0:
            code = shown.cells[column.hypothesis]
            rating = rating_of(code)
            said = self.tr("not rated") if rating is None else RATING_WORDS[rating]
            if rating is not None and not is_decided(code):
                said = self.tr("{rating}, suggested by the model").format(rating=said)
            return tooltip(f"{shown.id} · {self.hypotheses[column.hypothesis].id}: {said}")
        return tooltip(f"{shown.text[:600]} ({shown.place})" if shown.place else shown.text[:600])

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()
        self._speak()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.commit()
        super().focusOutEvent(event)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(720, 480)


def _draw_direction(painter: QPainter, rating: Rating, box: QRectF, colour: QColor, *, filled: bool) -> None:
    """Up for consistent, down for inconsistent, twice for the strong ones, a bar for neutral."""
    painter.setPen(QPen(colour, 1.2))
    painter.setBrush(colour if filled else Qt.BrushStyle.NoBrush)
    if rating == "N":
        painter.drawRect(QRectF(box.left(), box.center().y() - 1.5, box.width(), 3))
        return
    count = 2 if rating in ("CC", "II") else 1
    high = box.height() / count
    for at in range(count):
        top = box.top() + at * high
        part = QRectF(box.left(), top, box.width(), high - (1 if count == 2 else 0))
        if rating in ("C", "CC"):
            points = [QPointF(part.center().x(), part.top()), part.bottomRight(), part.bottomLeft()]
        else:
            points = [part.topLeft(), part.topRight(), QPointF(part.center().x(), part.bottom())]
        painter.drawPolygon(QPolygonF(points))
