"""The grid of the matrix, painted in one pass: visible cells only, from cached pictures, with a frozen header and a
frozen evidence column. It knows codes, not the case: what the person wants is said by its signals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from core.domain import Hypothesis, Level, Rating
from gui_app.matrix import clipboard, grid_accessibility
from gui_app.matrix.grid_model import (
    CODE,
    DISPUTED,
    GROUP_VIEW,
    MINE_VIEW,
    NOTE,
    PAINTED,
    SUGGESTED,
    GridRow,
    Sheet,
    figure_of,
    is_decided,
    rating_of,
    spoken,
)
from gui_app.matrix.grid_painter import CENTRE, RIGHT, Column, Kind, Pictures, Standing
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.formatting import LEVELS, RATING_WORDS
from gui_app.shared.labels import tooltip
from gui_app.shared.rating_keys import DIGITS, FIRST, SECOND, TYPING_MS

__all__ = ["Column", "MatrixGrid", "Standing"]

_LEVELS: dict[str, Level] = {"l": "L", "m": "M", "h": "H"}
_GRADES = ("grade", "credibility", "relevance")
_LETTERS = {"cell": "cni12345", "grade": "abcdef123456", "credibility": "lmh", "relevance": "lmh"}
CHECK = 32  # pixels that the check boxes of a what-if take

# Columns that are only nice to have, in the order in which they are given up last to first, and the width in units of
# 8 pixels from which they are shown although the hypotheses have to be scrolled.
_ROOM_FOR: dict[Kind, int] = {"source": 90, "grade": 120, "date": 130}


@dataclass(frozen=True, slots=True)
class _Entry:
    """A rating being typed over the cells selected when it began, as numbers of shown rows and of columns."""

    rating: Rating
    top: int
    bottom: int
    left: int
    right: int


class MatrixGrid(QAbstractScrollArea):
    """Evidence down, hypotheses across. Arrows move, with Shift they select; letters rate what is selected.

    ``rated([(evidence, hypothesis, rating or None)])``, ``graded([evidence], field, value)``, ``noted(evidence,
    hypothesis)`` asks for the note of a cell, ``set_aside([evidence])`` turns the check boxes of a what-if,
    ``unrated_wanted()`` asks for the next cell to rate, ``refused(text)`` says why nothing happened.
    """

    rated = Signal(object)
    graded = Signal(object, str, object)
    noted = Signal(str, str)
    edited = Signal(str, str)
    cursor_moved = Signal()
    shown = Signal(object)
    opened = Signal(object)
    sorted_by = Signal(str)
    set_aside = Signal(object)
    unrated_wanted = Signal()
    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Matrix of evidence and hypotheses")
        self.viewport().setMouseTracking(True)
        self.sheet = Sheet()
        self.order: Sequence[int] = ()
        self.standings: Sequence[Standing] = ()
        self.read_only = False
        self.dims = True
        self.what_if = False
        self.aside: frozenset[str] = frozenset()
        self.hidden_kinds: frozenset[str] = frozenset()  # kinds of columns the person does not want
        self.pinned_kinds: frozenset[str] = frozenset()  # kinds of columns shown whatever the room
        self.sort, self.reverse = "id", False
        self._columns: list[Column] = []
        self._row = self._column = 0
        self._anchor: tuple[int, int] | None = None
        self._entry: _Entry | None = None
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._typing.timeout.connect(self.commit)
        self._pictures = Pictures()
        self._header = QPixmap()
        self._dragging = False
        theme.changed.connect(self._dress)
        grid_accessibility.install(MatrixGrid)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_sheet(self, sheet: Sheet, order: Sequence[int], standings: Sequence[Standing]) -> None:
        """Show these rows of a sheet; the cursor stays on the same evidence where it is still there."""
        entry = self._entry
        if entry is not None:
            # What is being typed belongs to the rows it was typed over, wherever they go.
            over = slice(entry.top, entry.bottom + 1)
            if [row.id for row in self.rows[over]] != [sheet.rows[number].id for number in order[over]]:
                self.commit()
        here, inside = self.current_row(), self._in_sight(self.viewport().size())
        same = self.sheet is sheet and list(self.order) == list(order)
        self.sheet, self.order, self.standings = sheet, order, standings
        self._header = QPixmap()
        if here is not None and not same:
            number = sheet.row_of(here.id)
            place = next((at for at, row in enumerate(order) if row == number), None) if number is not None else None
            if place is None or place != self._row:
                self._anchor = None
                inside = inside and place is not None
            else:
                inside = False  # it stays where it is
            self._row = self._row if place is None else place
        self._row = max(0, min(self._row, len(order) - 1))
        self._lay_out()
        self._column = max(0, min(self._column, len(self._columns) - 1))
        if self._anchor is not None and (self._anchor[0] >= len(order) or self._anchor[1] >= len(self._columns)):
            self._anchor = None
        if inside and not same:
            self._reveal()
        self.viewport().update()

    def show_standings(self, standings: Sequence[Standing]) -> None:
        """Other ranks over the same rows."""
        if list(standings) != list(self.standings):
            self.standings = standings
            self._header = QPixmap()
        self.viewport().update()

    def show_what_if(self, on: bool, aside: frozenset[str]) -> None:
        """Show check boxes before the rows; those ``aside`` are struck out."""
        toggles = on != self.what_if
        self.what_if, self.aside = on, aside
        if toggles:
            self._pictures.forget_texts()
            self._header = QPixmap()
            self._lay_out()
        self.viewport().update()

    def show_columns(self, hidden_kinds: frozenset[str], pinned_kinds: frozenset[str]) -> None:
        """Leave out some kinds of columns, and show others whatever the room."""
        self.hidden_kinds, self.pinned_kinds = hidden_kinds, pinned_kinds
        self._lay_out()
        self.viewport().update()

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        return self.sheet.hypotheses

    @property
    def rows(self) -> list[GridRow]:
        """The rows on show from top to bottom."""
        return [self.sheet.rows[number] for number in self.order]

    def current(self) -> int | None:
        """The number in the sheet of the row under the cursor."""
        return self.order[self._row] if 0 <= self._row < len(self.order) else None

    def current_row(self) -> GridRow | None:
        number = self.current()
        return None if number is None else self.sheet.rows[number]

    def current_hypothesis(self) -> Hypothesis | None:
        """The hypothesis of the cell under the cursor; None on another column."""
        if not self._columns:
            return None
        at = self._columns[self._column].hypothesis
        return self.hypotheses[at] if at >= 0 else None

    def current_kind(self) -> Kind:
        return self._columns[self._column].kind if self._columns else "evidence"

    def columns(self) -> Sequence[Column]:
        """The columns on show."""
        return tuple(self._columns)

    def code_at(self, evidence: str, hypothesis: str) -> int:
        """The code of a cell; 0 when it is not in the matrix."""
        place = self.sheet.place(evidence, hypothesis)
        return 0 if place is None else self.sheet.codes[place]

    def go_to(self, evidence: str, hypothesis: str = "", kind: str = "") -> bool:
        """Put the cursor on a row, and on a cell of it; False when the row is not shown."""
        number = self.sheet.row_of(evidence)
        row = next((at for at, other in enumerate(self.order) if other == number), None)
        if row is None or number is None:
            return False
        column = self._column
        if hypothesis and self.sheet.column_of(hypothesis) is not None:
            column = self.column_of(hypothesis)
        elif kind:
            column = next((at for at, each in enumerate(self._columns) if each.kind == kind), column)
        self._move_to(row, column)
        return True

    def cell_rect(self, row: int, column: int) -> QRect:
        """Where a cell lies in the viewport now."""
        place = self._columns[column]
        left = place.left if column == 0 else place.left - self.horizontalScrollBar().value()
        top = self._head + row * self._line - self.verticalScrollBar().value()
        return QRect(left, top, place.width, self._line)

    def cursor_rect(self) -> QRect:
        """Where the cell under the cursor lies in the viewport now."""
        return self.cell_rect(self._row, self._column) if self._columns and self.order else QRect()

    def column_of(self, hypothesis: str) -> int:
        """Which column of the grid shows a hypothesis. KeyError when none does."""
        at = self.sheet.column_of(hypothesis)
        for number, column in enumerate(self._columns):
            if column.hypothesis == at and at is not None:
                return number
        raise KeyError(hypothesis)

    # --- the selection -----------------------------------------------------------------------------------------------

    def bounds(self) -> tuple[int, int, int, int]:
        """First and last shown row, first and last column of what is selected: the cursor's cell when nothing else."""
        row, column = self._anchor or (self._row, self._column)
        return min(row, self._row), max(row, self._row), min(column, self._column), max(column, self._column)

    def several(self) -> bool:
        top, bottom, left, right = self.bounds()
        return (top, left) != (bottom, right)

    def selected_rows(self) -> list[GridRow]:
        """The rows that the selection touches."""
        top, bottom, _left, _right = self.bounds()
        return [self.sheet.rows[number] for number in self.order[top : bottom + 1]]

    def _cells(self, top: int, bottom: int, left: int, right: int) -> list[tuple[int, int]]:
        """Numbers of row and hypothesis of the rating cells in a rectangle."""
        across = [column.hypothesis for column in self._columns[left : right + 1] if column.hypothesis >= 0]
        return [(number, h) for number in self.order[top : bottom + 1] for h in across]

    def _selected_cells(self) -> list[tuple[int, int]]:
        return self._cells(*self.bounds())

    def _rating_columns(self) -> int:
        """How many columns of hypotheses the selection touches."""
        _top, _bottom, left, right = self.bounds()
        return sum(column.hypothesis >= 0 for column in self._columns[left : right + 1])

    def select_cells(self, top: int, left: int, bottom: int, right: int) -> None:
        """Select a rectangle of shown rows and columns; the cursor stands in its last corner."""
        self._move_to(top, left)
        self._move_to(bottom, right, extend=True)

    def select_ratings(self) -> None:
        """Select every rating on show."""
        across = [at for at, column in enumerate(self._columns) if column.hypothesis >= 0]
        if across and self.order:
            self._anchor = (0, across[0])
            self._row, self._column = len(self.order) - 1, across[-1]
            self.viewport().update()
            self._speak()

    # --- sizes -------------------------------------------------------------------------------------------------------

    @property
    def _line(self) -> int:
        return self._pictures.line

    @property
    def _head(self) -> int:
        return self._pictures.head

    def _widths(self, room: int) -> list[tuple[Kind, int]]:
        """The columns beside the hypotheses and how wide they want to be: what there is no room for is left out,
        unless the person asked for it.
        """
        unit = theme.px(8)
        small = round(unit * 5)
        wide: dict[Kind, int] = {
            "source": unit * 14,
            "date": unit * 11,
            "grade": round(unit * 5.5),
            "credibility": small,
            "relevance": small,
        }
        count = len(self.hypotheses)
        least = unit * (30 + 11 * count) + 2 * small  # what evidence, hypotheses and the last column want
        for kind, from_width in _ROOM_FOR.items():
            fits = room >= least + wide[kind]
            scrolls = room < unit * (26 + 8 * count) and room > unit * from_width
            if kind in self.pinned_kinds or ((fits or scrolls) and kind not in self.hidden_kinds):
                least += wide[kind]
            else:
                del wide[kind]
        return [
            (kind, width) for kind, width in wide.items() if kind not in self.hidden_kinds or kind in self.pinned_kinds
        ]

    def _lay_out(self) -> None:
        """Columns from the width there is: hypotheses share what the evidence leaves, within what can be read."""
        room = self.viewport().width()
        unit = theme.px(8)
        indent = theme.px(CHECK) if self.what_if else 0
        # Whether the scroll bar stands there now must not decide which columns there are.
        beside = self._widths(self.width() - self.verticalScrollBar().sizeHint().width() - indent)
        diagnosticity = 0 if "diagnosticity" in self.hidden_kinds else unit * 9
        others_width = sum(width for _kind, width in beside) + diagnosticity
        count, least = max(1, len(self.hypotheses)), unit * 8
        ideal = room - others_width - count * unit * 12  # the texts of the hypotheses need room as well
        evidence = max(room - others_width - count * unit * 18, min(ideal, unit * 36), unit * 26 + indent)
        evidence = min(evidence, room - others_width - count * least, unit * 60 + indent)
        if evidence < unit * 24:  # the hypotheses have to be scrolled anyway: what they are rated by stays readable
            evidence = min(unit * 32, round(room * 0.28)) + indent
        evidence = min(max(evidence, unit * 18 + indent), max(unit * 18, room // 2))
        left = room - evidence - others_width
        each = max(least, min(unit * 18, left // count))
        columns = [Column("evidence", 0, evidence)]
        at = evidence
        for kind, width in beside:
            columns.append(Column(kind, at, width))
            at += width
        for index in range(len(self.hypotheses)):
            columns.append(Column("cell", at, each, index))
            at += each
        if diagnosticity:
            columns.append(Column("diagnosticity", at, diagnosticity))
            at += diagnosticity
        if columns != self._columns:
            before = self._columns[self._column] if self._column < len(self._columns) else None
            if [(c.kind, c.width) for c in columns] != [(c.kind, c.width) for c in self._columns]:
                self._pictures.forget_texts()
            if [(c.kind, c.hypothesis) for c in columns] != [(c.kind, c.hypothesis) for c in self._columns]:
                self.commit()
                self._anchor = None
            self._columns = columns
            self._header = QPixmap()
            if before is not None:
                self._column = next(
                    (i for i, c in enumerate(columns) if (c.kind, c.hypothesis) == (before.kind, before.hypothesis)), 0
                )
        high = self.viewport().height()
        self.verticalScrollBar().setRange(0, max(0, self._head + len(self.order) * self._line - high))
        self.verticalScrollBar().setPageStep(max(self._line, high - self._head))
        self.verticalScrollBar().setSingleStep(self._line)
        self.horizontalScrollBar().setRange(0, max(0, at - room))
        self.horizontalScrollBar().setPageStep(max(1, room - evidence))
        self.horizontalScrollBar().setSingleStep(each)

    def _dress(self) -> None:
        inside = self._in_sight(self.viewport().size())
        self._pictures.measure()
        self._header = QPixmap()
        self._lay_out()
        if inside:
            self._reveal()
        self.viewport().update()

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        ink = theme.tokens()
        painter = QPainter(self.viewport())
        room = self.viewport().rect()
        surface = QColor(ink.surface)
        painter.fillRect(room, surface)
        if not self._columns:
            return
        if self._pictures.ratio != self.devicePixelRatioF():
            self._pictures.ratio = self.devicePixelRatioF()
            self._pictures.measure()
            self._header = QPixmap()
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        line, head = self._line, self._head
        first = down // line
        last = min(len(self.order), (down + room.height() - head) // line + 1)
        evidence = self._columns[0]
        edge = evidence.width
        columns = [
            (number, column, column.left - across)
            for number, column in enumerate(self._columns)
            if number and column.left - across < room.width() and column.left - across + column.width > edge
        ]
        selection, separator = QColor(ink.selection), QColor(ink.line)
        draw, glyph, text = painter.drawPixmap, self._pictures.glyph, self._pictures.text
        sheet = self.sheet
        codes, marks, wide, dull, rows = sheet.codes, sheet.marks, sheet.wide, sheet.dull, sheet.rows
        entry = self._entry
        top_row, bottom_row, left_column, right_column = self.bounds()
        several = self.several()
        cursor_shade = _selected_shade(ink.selection)
        span = [column for column in columns if left_column <= column[0] <= right_column] if several else []
        for at in range(first, last):
            number = self.order[at]
            top = head + at * line - down
            here = at == self._row
            if here:
                painter.fillRect(0, top, room.width(), line, selection)
            if span and top_row <= at <= bottom_row:
                span_width = span[-1][2] + span[-1][1].width - span[0][2]
                painter.fillRect(span[0][2], top, span_width, line, cursor_shade if here else selection)
            row = rows[number]
            is_dim = self.dims and dull[number]
            aside = row.id in self.aside
            if is_dim or aside:
                painter.setOpacity(0.3 if aside else 0.45)
            base = number * wide
            for place, column, left in columns:
                h = column.hypothesis
                if h >= 0:
                    code, mark = codes[base + h], marks[base + h] & PAINTED
                    if entry is not None and entry.top <= at <= entry.bottom and entry.left <= place <= entry.right:
                        code, mark = CODE[entry.rating], mark & NOTE
                    draw(left, top, glyph(code, mark, column.width))
                elif column.kind == "diagnosticity":
                    self._paint_bar(painter, sheet.diagnosticity(number), left, top, column.width)
                else:
                    draw(left, top, text(row, column))
            if is_dim or aside:
                painter.setOpacity(1.0)
        # The frozen parts are painted last, over whatever was scrolled below them.
        indent = theme.px(CHECK) if self.what_if else 0
        in_span = several and left_column == 0
        for at in range(first, last):
            number = self.order[at]
            row = rows[number]
            top = head + at * line - down
            here = at == self._row
            back = selection if here or (in_span and top_row <= at <= bottom_row) else surface
            painter.fillRect(0, top, edge, line, back)
            aside = row.id in self.aside
            cluster = sheet.cluster(number)
            if aside or (self.dims and dull[number]):
                painter.setOpacity(0.45 if aside else 0.55)
            share = sheet.share(number)
            draw(0, top, text(row, evidence, indent=indent, share=share))
            painter.setOpacity(1.0)
            if cluster:
                self._paint_braid(painter, at, cluster, top)
            if indent:
                self._paint_check(painter, top, aside)
            if aside:
                painter.fillRect(indent + 8, top + line // 2, room.width() - indent - 16, 1, QColor(ink.text))
            painter.fillRect(0, top + line - 1, room.width(), 1, separator)
        if across:
            painter.fillRect(edge - 1, head, 1, room.height() - head, separator)
        self._paint_cursor(painter)
        if self._header.isNull():
            self._header = self._pictures.header(
                self._columns,
                self.hypotheses,
                self.standings,
                sort=self.sort,
                reverse=self.reverse,
                room=room.width(),
                indent=indent,
            )
        ratio = self._header.devicePixelRatio()
        high = self._header.height()
        draw(
            QPoint(edge, 0),
            self._header,
            QRect(round((edge + across) * ratio), 0, round((room.width() - edge) * ratio), high),
        )
        draw(QPoint(0, 0), self._header, QRect(0, 0, round(edge * ratio), high))
        painter.fillRect(0, head - 1, room.width(), 1, separator)
        if not self.order:
            painter.setPen(QColor(ink.muted))
            painter.setFont(theme.sans())
            sentence = "No row matches the filter." if sheet.rows else "No evidence yet."
            painter.drawText(room.adjusted(0, head, 0, 0), CENTRE, sentence)

    def _paint_cursor(self, painter: QPainter) -> None:
        if not self.order:
            return
        edge = self._columns[0].width
        painter.save()
        painter.setClipRect(0 if self._column == 0 else edge, self._head, 1 << 20, 1 << 20)
        focus = self.hasFocus()
        colour = QColor(theme.tokens().focus if focus else theme.tokens().strong_line)
        if self.several():
            top, bottom, left, right = self.bounds()
            whole = self.cell_rect(top, left).united(self.cell_rect(bottom, right))
            painter.setPen(QPen(colour, 1))
            painter.drawRect(whole.adjusted(0, 0, -1, -1))
        painter.setPen(QPen(colour, 2 if focus else 1))
        painter.drawRect(self.cell_rect(self._row, self._column).adjusted(1, 1, -2, -2))
        painter.restore()

    def _paint_bar(self, painter: QPainter, figure: float | None, left: int, top: int, width: int) -> None:
        """How far the row tells hypotheses apart: 2 is the most there is (half CC, half II)."""
        if figure is None:
            return
        ink = theme.tokens()
        full = width - 24
        middle = top + self._line // 2
        painter.fillRect(left + 12, middle + 6, full, 3, QColor(ink.neutral_tint))
        painter.fillRect(left + 12, middle + 6, round(full * min(1.0, figure / 2)), 3, QColor(ink.text))
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.muted))
        painter.drawText(QRect(left + 12, middle - 16, full, 18), RIGHT, figure_of(figure))

    def _paint_braid(self, painter: QPainter, at: int, cluster: str, top: int) -> None:
        """A bracket at the left of rows of one origin; neighbours of the same origin share it."""
        colour = QColor(theme.tokens().ambiguous)
        above = at > 0 and self.sheet.cluster(self.order[at - 1]) == cluster
        below = at + 1 < len(self.order) and self.sheet.cluster(self.order[at + 1]) == cluster
        line = self._line
        start, end = (0 if above else 9), (line if below else line - 10)
        painter.fillRect(3, top + start, 2, end - start, colour)
        if not above:
            painter.fillRect(3, top + start, 6, 2, colour)
        if not below:
            painter.fillRect(3, top + end - 2, 6, 2, colour)

    def _paint_check(self, painter: QPainter, top: int, aside: bool) -> None:
        """The check box of a row in a what-if: ticked while the row counts."""
        ink = theme.tokens()
        side = 15
        box = QRect(14, top + (self._line - side) // 2, side, side)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(ink.strong_line if aside else ink.accent), 1))
        painter.setBrush(QColor(ink.surface if aside else ink.accent))
        painter.drawRoundedRect(box, 3, 3)
        if not aside:
            painter.setPen(QPen(QColor(ink.on_accent), 2))
            painter.drawPolyline(
                [
                    QPoint(box.left() + 4, box.top() + 8),
                    QPoint(box.left() + 7, box.top() + 11),
                    QPoint(box.left() + 12, box.top() + 4),
                ]
            )
        painter.restore()

    # --- moving ------------------------------------------------------------------------------------------------------

    def _move_to(self, row: int, column: int, *, extend: bool = False) -> None:
        row = max(0, min(row, len(self.order) - 1))
        column = max(0, min(column, len(self._columns) - 1))
        if self._entry is not None:
            self._paint_and_commit()
        if extend:
            self._anchor = self._anchor or (self._row, self._column)
        else:
            self._anchor = None
        self._row, self._column = row, column
        if self._anchor == (row, column):
            self._anchor = None
        self._reveal()
        self.viewport().update()
        self.cursor_moved.emit()
        self._speak()

    def _in_sight(self, room: QSize) -> bool:
        """Whether some of the cell under the cursor is seen in a viewport of this size."""
        if not self.order or not self._columns:
            return False
        left = self._columns[0].width if self._column else 0
        return self.cursor_rect().intersects(QRect(QPoint(left, self._head), QPoint(room.width(), room.height())))

    def _reveal(self) -> None:
        """Scroll as little as brings the cell under the cursor into sight."""
        if not self.order or not self._columns:
            return
        box = self.cell_rect(self._row, self._column)
        bar = self.verticalScrollBar()
        if box.top() < self._head:
            bar.setValue(bar.value() + box.top() - self._head)
        elif box.bottom() > self.viewport().height():
            bar.setValue(bar.value() + box.bottom() - self.viewport().height() + 1)
        if self._column:
            side, edge = self.horizontalScrollBar(), self._columns[0].width
            if box.left() < edge:
                side.setValue(side.value() + box.left() - edge)
            elif box.right() > self.viewport().width():
                side.setValue(side.value() + box.right() - self.viewport().width() + 1)

    def spoken(self) -> str:
        """The place of the cursor in words."""
        if self.current() is None or not self._columns:
            return ""
        if self.several():
            top, bottom, _left, _right = self.bounds()
            return f"{self._rating_columns() * (bottom - top + 1)} cells in {bottom - top + 1} rows selected"
        return self.spoken_at(self._row, self._column)

    def spoken_at(self, at: int, column_at: int) -> str:
        """A cell of the grid in words, by shown row and column."""
        number, column = self.order[at], self._columns[column_at]
        sheet = self.sheet
        row = sheet.rows[number]
        aside = ", set aside" if row.id in self.aside else ""
        if column.hypothesis >= 0:
            entry = self._entry
            if entry is not None and entry.top <= at <= entry.bottom and entry.left <= column_at <= entry.right:
                return spoken(sheet, number, column.hypothesis, CODE[entry.rating]) + aside
            return spoken(sheet, number, column.hypothesis) + aside
        item = row.item
        none = "not given"
        words = {
            "evidence": row.whole,
            "source": f"source {row.place or none}",
            "date": f"date {row.date or none}",
            "grade": f"grade {row.grade or none}",
            "credibility": "credibility {level}".format(
                level=LEVELS[item.credibility] if item.credibility else "not graded"
            ),
            "relevance": "relevance {level}".format(level=LEVELS[item.relevance] if item.relevance else "not graded"),
            "diagnosticity": "diagnosticity {figure}".format(figure=figure_of(sheet.diagnosticity(number)) or "–"),
        }[column.kind]
        return f"Evidence {row.id}: {words}{aside}"

    def _speak(self, *, after_move: bool = True) -> None:
        """Say where the cursor is, or what the cell under it has become."""
        text = self.spoken()
        self.setAccessibleDescription(text)
        if not after_move or self.several() or not grid_accessibility.focused(self, self._row, self._column):
            announce(self, text)

    def next_unrated(self) -> bool:
        """The next cell, across and down, that nobody has rated; False when all are."""
        count, wide = len(self.order), self.sheet.wide
        if not count or not wide:
            return False
        column = self._columns[self._column].hypothesis
        start = self._row * wide + max(0, column)
        codes = self.sheet.codes
        for step in range(0 if column < 0 else 1, count * wide + 1):
            row, hypothesis = divmod((start + step) % (count * wide), wide)
            if not 0 < codes[self.order[row] * wide + hypothesis] <= SUGGESTED:
                self._move_to(row, self.column_of(self.hypotheses[hypothesis].id))
                return True
        return False

    def _tab(self, way: int) -> bool:
        """To the next cell of a hypothesis, on to the next row; False at the ends, where Tab leaves the grid."""
        cells = [at for at, column in enumerate(self._columns) if column.hypothesis >= 0]
        if not cells or not self.order:
            return False
        after = [at for at in cells if (at > self._column if way > 0 else at < self._column)]
        if after:
            self._move_to(self._row, after[0] if way > 0 else after[-1])
            return True
        if not 0 <= self._row + way < len(self.order):
            return False
        self._move_to(self._row + way, cells[0] if way > 0 else cells[-1])
        return True

    # --- deciding ----------------------------------------------------------------------------------------------------

    def commit(self) -> None:
        """Hand over the rating that is being typed, if any."""
        self._typing.stop()
        entry, self._entry = self._entry, None
        if entry is not None:
            cells = self._cells(entry.top, entry.bottom, entry.left, entry.right)
            self._hand_over([(number, h, entry.rating) for number, h in cells])
            self._speak(after_move=False)

    def _hand_over(self, cells: Sequence[tuple[int, int, Rating | None]]) -> None:
        rows, hypotheses = self.sheet.rows, self.hypotheses
        self.rated.emit([(rows[number].id, hypotheses[h].id, rating) for number, h, rating in cells])

    def _paint_and_commit(self) -> None:
        """Paint, then hand over: keeping a decision takes longer than a frame, and the eye should not wait for it."""
        if self._entry is not None:
            self.viewport().repaint()
            self.commit()

    def may_rate(self) -> bool:
        """Whether ratings can be given here; says why when not."""
        if self.read_only:
            self.refused.emit("The case is open for viewing only.")
        elif self.sheet.view not in (MINE_VIEW, GROUP_VIEW):
            self.refused.emit(f"These are the ratings of {self.sheet.view}. Choose your own or everybody's to rate.")
        else:
            return True
        return False

    def _type(self, letter: str) -> bool:
        if self.current() is None or (letter not in DIGITS and letter not in FIRST and self._entry is None):
            return False
        if not self._rating_columns() or (self.current_kind() != "cell" and not self.several()):
            return False
        entry = self._entry
        longer = SECOND.get((entry.rating, letter)) if entry is not None else None
        if longer is None and letter not in DIGITS and letter not in FIRST:
            return False
        if not self.may_rate():
            return True
        bounds = self.bounds()
        if longer is not None:
            self._entry = _Entry(longer, *bounds)
            self._paint_and_commit()
        elif letter in DIGITS:
            self._entry = _Entry(DIGITS[letter], *bounds)
            self._paint_and_commit()
        else:
            self._entry = _Entry(FIRST[letter], *bounds)
            # C, N and I may grow into CC, NA and II: shown at once, handed over when no second letter comes.
            self._typing.start()
            self.viewport().update()
        return True

    def _clear(self) -> None:
        self._typing.stop()
        self._entry = None
        if self.current() is None:
            return
        kind = self.current_kind()
        wide = self.sheet.wide
        cells = [(number, h) for number, h in self._selected_cells() if is_decided(self.sheet.codes[number * wide + h])]
        if cells:
            if self.may_rate():
                self._hand_over([(number, h, None) for number, h in cells])
                self._speak(after_move=False)
        elif kind in (*_GRADES, "date"):
            self._grade(kind, None)
        self.viewport().update()

    def _grade(self, field: str, value: str | None) -> None:
        if self.read_only:
            self.refused.emit("The case is open for viewing only.")
            return
        self.graded.emit([row.id for row in self.selected_rows()], field, value)

    def _take_letter(self, letter: str) -> bool:
        kind = self.current_kind()
        if self.current() is None:
            return False
        if kind in ("credibility", "relevance") and letter in _LEVELS:
            self._grade(kind, _LEVELS[letter])
            return True
        if kind == "grade" and letter in _LETTERS["grade"]:
            self._grade("information" if letter.isdigit() else "reliability", letter.upper())
            return True
        if self._type(letter):
            return True
        if letter == "n" and kind != "cell":
            self.unrated_wanted.emit()
            return True
        return False

    def _enter(self) -> None:
        """Enter keeps what is being typed and moves on; on a suggestion it makes it the person's own; on a decided
        cell it asks for the note.
        """
        row, column = self.current_row(), self._columns[self._column]
        if row is None:
            return
        if self._entry is not None:
            if not self._tab(1):
                self._paint_and_commit()
            return
        if column.hypothesis < 0:
            if column.kind in ("source", "date"):
                self.edited.emit(row.id, column.kind)
            else:
                self.shown.emit(row)
            return
        hypothesis = self.hypotheses[column.hypothesis].id
        code = self.code_at(row.id, hypothesis)
        if code > SUGGESTED:
            if self.may_rate():
                self._anchor = None
                suggestion = rating_of(code)
                assert suggestion is not None
                self._entry = _Entry(suggestion, *self.bounds())
                if not self._tab(1):
                    self._paint_and_commit()
            return
        self.noted.emit(row.id, hypothesis)

    def fill_down(self) -> None:
        """Give the selected rows what stands in the first of them; a single row takes it from the row above."""
        if self.current() is None:
            return
        top, bottom, left, right = self.bounds()
        top = top - 1 if top == bottom else top
        if top < 0:
            self.refused.emit("There is no row above to fill from.")
            return
        kinds = {column.kind for column in self._columns[left : right + 1]}
        if "cell" not in kinds and len(kinds) == 1:
            self._fill_field(kinds.pop(), top, bottom)
            return
        source = self.order[top]
        codes, wide = self.sheet.codes, self.sheet.wide
        ratings: list[tuple[int, int, Rating | None]] = []
        for number, h in self._cells(top + 1, bottom, left, right):
            code = codes[source * wide + h]
            if is_decided(code) and codes[number * wide + h] != code:
                ratings.append((number, h, rating_of(code)))
        if not ratings:
            self.refused.emit("Nothing to fill down: the first row is not rated here, or the others agree.")
        elif self.may_rate():
            self._hand_over(ratings)

    def _fill_field(self, kind: str, top: int, bottom: int) -> None:
        item = self.sheet.rows[self.order[top]].item
        ids = [self.sheet.rows[number].id for number in self.order[top + 1 : bottom + 1]]
        if self.read_only:
            self.refused.emit("The case is open for viewing only.")
        elif kind == "grade":
            self.graded.emit(ids, "grade", (item.reliability, item.information))
        elif kind in ("credibility", "relevance", "date"):
            self.graded.emit(ids, kind, getattr(item, kind) or None)
        else:
            self.refused.emit("Ratings, grades and dates can be filled down, not this column.")

    # --- the clipboard -----------------------------------------------------------------------------------------------

    def selection_as_text(self) -> str:
        """The selection as tab-separated text: ratings that people gave, and the texts of other columns."""
        top, bottom, left, right = self.bounds()
        return clipboard.as_tsv(
            [self._cell_as_text(number, column) for column in self._columns[left : right + 1]]
            for number in self.order[top : bottom + 1]
        )

    def _cell_as_text(self, number: int, column: Column) -> str:
        row = self.sheet.rows[number]
        if column.hypothesis >= 0:
            return clipboard.letters(self.sheet.codes[number * self.sheet.wide + column.hypothesis])
        if column.kind == "diagnosticity":
            return figure_of(self.sheet.diagnosticity(number))
        return {
            "evidence": row.text,
            "source": row.place,
            "date": row.date,
            "grade": row.grade,
            "credibility": row.item.credibility or "",
            "relevance": row.item.relevance or "",
        }[column.kind]

    def paste(self, text: str) -> str:
        """Rate cells from tab-separated text, all of them or none; '' when it worked, else why nothing was pasted.

        One cell on the clipboard fills the whole selection; an empty one clears.
        """
        if self.current() is None or not self.may_rate():
            return ""
        block = clipboard.read(text)
        if block.misread:
            names = "; ".join(block.misread[: clipboard.MAX_NAMES])
            more = len(block.misread) - clipboard.MAX_NAMES
            rest = f" and {more} more" if more > 0 else ""
            return (
                f"Nothing was pasted, because these cells are not ratings: {names}{rest}. Use CC C N I II NA or 1 to 5."
            )
        top, _bottom, left, _right = self.bounds()
        if block.wide == 1 and len(block.rows) == 1:
            cells = self._selected_cells()
            if not cells:
                return "Nothing was pasted: put the cursor on a cell of a hypothesis."
            self._hand_over([(number, h, block.rows[0][0]) for number, h in cells])
            return ""
        down, across = len(block.rows), block.wide
        last = self._columns[left : left + across]
        if any(column.hypothesis < 0 for column in last) or len(last) < across or top + down > len(self.order):
            return (
                f"Nothing was pasted: {down} rows of {across} cells reach beyond the ratings from here. "
                "Put the cursor on the first cell they belong to."
            )
        ratings = [
            (number, column.hypothesis, cells[at] if at < len(cells) else None)
            for number, cells in zip(self.order[top : top + down], block.rows, strict=True)
            for at, column in enumerate(last)
        ]
        wide = self.sheet.wide
        changes = [
            (number, h, rating)
            for number, h, rating in ratings
            if rating is not None or is_decided(self.sheet.codes[number * wide + h])
        ]
        if changes:
            self._hand_over(changes)
        self._anchor = (top, left)
        self._row, self._column = top + down - 1, left + across - 1
        if (down, across) == (1, 1):
            self._anchor = None
        self._reveal()
        self.viewport().update()
        self._speak()
        return ""

    # --- keys --------------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        plain = not modifiers & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        extend = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        page = max(1, (self.viewport().height() - self._head) // self._line)
        far = max(1, len(self.order))
        moves = {
            Qt.Key.Key_Up: (-far if control else -1, 0),
            Qt.Key.Key_Down: (far if control else 1, 0),
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_PageUp: (-page, 0),
            Qt.Key.Key_PageDown: (page, 0),
        }
        only_control = not modifiers & ~(
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ControlModifier
        )
        if key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab) and control:
            self.leave(forward=key == Qt.Key.Key_Tab and not extend)
        elif key in moves and only_control:
            down, across = moves[key]
            self._move_to(self._row + down, self._column + across, extend=extend)
        elif key == Qt.Key.Key_Home and only_control:
            self._move_to(0 if control else self._row, 0, extend=extend)
        elif key == Qt.Key.Key_End and only_control:
            self._move_to(len(self.order) - 1 if control else self._row, len(self._columns) - 1, extend=extend)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and self._columns:
            self._enter()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and plain:
            self._clear()
        elif key == Qt.Key.Key_Space:
            self.shown.emit(self.current_row())
        elif key == Qt.Key.Key_Escape and (self._entry is not None or self._anchor is not None):
            self._typing.stop()
            self._entry = self._anchor = None
            self.viewport().update()
            self._speak()
        elif plain and event.text() and self._take_letter(event.text().casefold()):
            pass
        else:
            super().keyPressEvent(event)

    def leave(self, *, forward: bool = True) -> None:
        """Give the focus to what follows the grid, or to what comes before it."""
        super().focusNextPrevChild(forward)

    def focusNextPrevChild(self, next_: bool) -> bool:
        # Tab walks the cells; Ctrl+Tab, and Tab behind the last cell, leave the grid.
        return self._tab(1 if next_ else -1) or super().focusNextPrevChild(next_)

    def event(self, event: QEvent) -> bool:
        # The letters that rate belong to the grid while the cursor is on a cell, whatever else they are keys for.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            letter = event.text().casefold()
            plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            kind = self.current_kind()
            if (
                plain
                and letter
                and (
                    letter in _LETTERS.get(kind, "n")
                    or (self._entry is not None and letter == "a")
                    or (letter in _LETTERS["cell"] and self.several())
                )
            ):
                event.accept()
                return True
            if event.key() == Qt.Key.Key_Escape and (self._entry is not None or self._anchor is not None):
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
        return (row, column) if row < len(self.order) else None

    def cell_at(self, point: QPoint) -> tuple[int, int] | None:
        """Shown row and column under a point of the viewport; None in the header and beside the rows."""
        place = self._at(point)
        return place if place is not None and place[0] >= 0 else None

    def select_at(self, point: QPoint) -> bool:
        """Put the cursor under a point unless it lies in the selection; False beside the cells."""
        place = self.cell_at(point)
        if place is None:
            return False
        top, bottom, left, right = self.bounds()
        if not (top <= place[0] <= bottom and left <= place[1] <= right):
            self._move_to(*place)
        return True

    def grid_size(self) -> tuple[int, int]:
        """How many rows and columns are on show."""
        return len(self.order), len(self._columns)

    def cursor_place(self) -> tuple[int, int]:
        """Shown row and column of the cursor."""
        return self._row, self._column

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        place = self._at(point)
        if place is None or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        if place[0] < 0:
            column = self._columns[place[1]]
            if column.hypothesis >= 0:
                self.sorted_by.emit(f"h:{self.hypotheses[column.hypothesis].id}")
            else:
                self.sorted_by.emit("id" if column.kind == "evidence" else column.kind)
            return
        if self.what_if and place[1] == 0 and point.x() < theme.px(CHECK) + 8:
            self._move_to(*place)
            self.set_aside.emit([self.sheet.rows[self.order[place[0]]].id])
            return
        extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._move_to(*place, extend=extend)
        self._dragging = True

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging and event.buttons() & Qt.MouseButton.LeftButton:
            point = event.position().toPoint()
            place = self.cell_at(point)
            if place is None:  # beyond the edge: on, a cell at a time
                room = self.viewport().rect().adjusted(0, self._head, 0, 0)
                down = (point.y() > room.bottom()) - (point.y() < room.top())
                across = (point.x() > room.right()) - (point.x() < room.left())
                place = (self._row + down, self._column + across)
            if place != (self._row, self._column):
                self._move_to(*place, extend=True)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        place = self._at(event.position().toPoint())
        if place is not None and place[0] >= 0:
            self.opened.emit(self.sheet.rows[self.order[place[0]]])

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event.pos()), self.viewport())
            return True
        return super().viewportEvent(event)

    def _tip(self, point: QPoint) -> str:
        place = self._at(point)
        if place is None:
            return ""
        at, column = place[0], self._columns[place[1]]
        if at < 0:
            if column.hypothesis >= 0:
                hypothesis = self.hypotheses[column.hypothesis]
                standing = self.standings[column.hypothesis] if column.hypothesis < len(self.standings) else None
                coverage = f"\n{standing.coverage}" if standing is not None and standing.coverage else ""
                return tooltip(f"{hypothesis.id}: {hypothesis.text[:600]}{coverage}")
            return ""
        number = self.order[at]
        row = self.sheet.rows[number]
        if column.hypothesis < 0:
            cluster = self.sheet.cluster(number)
            text = f"{row.whole[:600]} ({row.place})" if row.place else row.whole[:600]
            if cluster and column.kind == "evidence":
                count, share = self.sheet.sizes[cluster], self.sheet.share(number)
                each = "{count} rows that share a source count once; each that bears on something counts {share}."
                text += "\n" + each.format(count=count, share=share)
            return tooltip(text)
        return tooltip(self._cell_tip(number, column.hypothesis))

    def _cell_tip(self, number: int, h: int) -> str:
        """Everything known of a cell: its rating, who gave what, notes, what the model says."""
        sheet = self.sheet
        place = number * sheet.wide + h
        code, marks = sheet.codes[place], sheet.marks[place]
        rating = rating_of(code)
        state = "not rated" if rating is None else RATING_WORDS[rating]
        if rating is not None and not is_decided(code):
            state = f"{state}, suggested by the model"
        parts = [f"{sheet.rows[number].id} · {self.hypotheses[h].id}: {state}"]
        for assessment in sheet.assessments.get(place, ()):
            words = f"{assessment.by or '–'}: {RATING_WORDS[assessment.rating]}"
            if assessment.confidence:
                words += f", {assessment.confidence} confidence"
            if assessment.note:
                words += f". {' '.join(assessment.note[:300].split())}"
            parts.append(words)
        if marks & DISPUTED:
            parts.append("People rate this cell differently.")
        suggestion = rating_of(sheet.suggestions[place])
        if suggestion is not None and is_decided(code):
            parts.append(f"The model suggests: {RATING_WORDS[suggestion]}")
        return "\n".join(parts)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()
        self._speak()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.commit()
        super().focusOutEvent(event)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The cell under the cursor stays in sight, whatever takes room from the grid."""
        super().resizeEvent(event)
        inside = not event.oldSize().isValid() or self._in_sight(event.oldSize())
        self._lay_out()
        if inside:
            self._reveal()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(720, 480)


def _selected_shade(selection: str) -> QColor:
    """The cursor's row inside a selection, where both would have one colour."""
    shade = QColor(selection)
    return shade.darker(108) if shade.lightness() > 128 else shade.lighter(125)
