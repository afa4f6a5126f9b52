"""The grid of the matrix: evidence down, hypotheses across, under the keys and the pointer.

It knows codes, not the case: what the person wants is said by its signals. Columns are laid out in grid_layout, painted
in grid_frame, put into words in grid_words and edited in grid_editor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from core.domain import Hypothesis
from gui_app.matrix import copies, grid_accessibility
from gui_app.matrix.copies import Folds
from gui_app.matrix.grid_editor import GridEditor
from gui_app.matrix.grid_frame import GridFrame
from gui_app.matrix.grid_layout import ARROW, CHECK, lay_out, side_columns
from gui_app.matrix.grid_model import SUGGESTED, GridRow, Sheet
from gui_app.matrix.grid_painter import Column, Kind, Standing
from gui_app.matrix.grid_pointer import GridPointer, in_bounds
from gui_app.matrix.grid_words import words_at
from gui_app.shared import theme
from gui_app.shared.announce import announce

__all__ = ["Column", "MatrixGrid", "Standing"]


class MatrixGrid(QAbstractScrollArea):
    """Evidence down, hypotheses across. Arrows move, with Shift they select; letters rate what is selected.

    ``rated([(evidence, hypothesis, rating or None)])``, ``graded([evidence], field, value)``, ``noted(evidence,
    hypothesis)`` asks for the note of a cell, ``set_aside([evidence])`` turns the check boxes of a what-if,
    ``unrated_wanted()`` asks for the next cell to rate, ``refused(text)`` says why nothing happened,
    ``widths_chosen()`` that columns have other widths, ``fold_turned(evidence)`` shows or folds the copies of a row.
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
    widths_chosen = Signal()
    fold_turned = Signal(str)

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
        self.folds = Folds()
        self.advances = False  # whether a rating moves on to the next unrated cell
        self.widths: dict[str, int] = {}  # of columns, by kind, where a person chose one
        self.sort, self.reverse = "id", False
        self._columns: list[Column] = []
        self._row = self._column = 0
        self._anchor: tuple[int, int] | None = None
        self.editor = GridEditor(self)
        self._frame = GridFrame(self)
        self._pointer = GridPointer(self)
        theme.changed.connect(self._dress)
        grid_accessibility.install(MatrixGrid)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_sheet(self, sheet: Sheet, order: Sequence[int], standings: Sequence[Standing]) -> None:
        """Show these rows of a sheet; the cursor stays on the same evidence where it is still there."""
        entry = self.editor.entry
        if entry is not None:
            # What is being typed belongs to the rows it was typed over, wherever they go.
            over = slice(entry.top, entry.bottom + 1)
            if [row.id for row in self.rows[over]] != [sheet.rows[number].id for number in order[over]]:
                self.editor.commit()
        here, inside = self.current_row(), self._in_sight(self.viewport().size())
        same = self.sheet is sheet and list(self.order) == list(order)
        self.sheet, self.order, self.standings = sheet, order, standings
        self._frame.forget_header()
        if here is not None and not same:
            number = sheet.row_of(here.id)
            place = (
                next((index for index, row in enumerate(order) if row == number), None) if number is not None else None
            )
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
        """Show other ranks over the same rows."""
        if list(standings) != list(self.standings):
            self.standings = standings
            self._frame.forget_header()
        self.viewport().update()

    def show_what_if(self, on: bool, aside: frozenset[str]) -> None:
        """Show check boxes before the rows; those ``aside`` are struck out."""
        toggles = on != self.what_if
        self.what_if, self.aside = on, aside
        if toggles:
            self._frame.pictures.forget_texts()
            self._frame.forget_header()
            self._lay_out()
        self.viewport().update()

    def show_columns(self, hidden_kinds: frozenset[str], pinned_kinds: frozenset[str]) -> None:
        """Leave out some kinds of columns, and show others whatever the room."""
        self.hidden_kinds, self.pinned_kinds = hidden_kinds, pinned_kinds
        self._lay_out()
        self.viewport().update()

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        """The hypotheses across, in the order of the case."""
        return self.sheet.hypotheses

    @property
    def rows(self) -> list[GridRow]:
        """The rows on show from top to bottom."""
        return [self.sheet.rows[number] for number in self.order]

    def current(self) -> int | None:
        """Return the number in the sheet of the row under the cursor."""
        return self.order[self._row] if 0 <= self._row < len(self.order) else None

    def current_row(self) -> GridRow | None:
        """Return the row under the cursor; None when no row is shown."""
        number = self.current()
        return None if number is None else self.sheet.rows[number]

    def current_hypothesis(self) -> Hypothesis | None:
        """Return the hypothesis of the cell under the cursor; None on another column."""
        if not self._columns:
            return None
        hypothesis = self._columns[self._column].hypothesis
        return self.hypotheses[hypothesis] if hypothesis >= 0 else None

    def current_kind(self) -> Kind:
        """Return what the column under the cursor holds."""
        return self._columns[self._column].kind if self._columns else "evidence"

    def columns(self) -> Sequence[Column]:
        """Return the columns on show."""
        return tuple(self._columns)

    def code_at(self, evidence: str, hypothesis: str) -> int:
        """Return the code of a cell as it is shown; 0 when it is not in the matrix."""
        row, column = self.sheet.row_of(evidence), self.sheet.column_of(hypothesis)
        return 0 if row is None or column is None else self.shown_code(row, column)

    def shown_code(self, number: int, h: int) -> int:
        """Return the code of a cell as it is shown: for all copies where they are folded into its row."""
        rows = self.folds.closed_groups.get(number)
        return self.sheet.codes[number * self.sheet.width + h] if rows is None else copies.code_of(self.sheet, rows, h)

    def with_copies(self, rows: Sequence[GridRow]) -> list[GridRow]:
        """Return these rows with those that are folded into them."""
        numbers = [number for row in rows if (number := self.sheet.row_of(row.id)) is not None]
        return [self.sheet.rows[member] for number in numbers for member in self.folds.members(number)]

    def go_to(self, evidence: str, hypothesis: str = "", kind: str = "") -> bool:
        """Put the cursor on a row, and on a cell of it; False when the row is not shown."""
        number = self.sheet.row_of(evidence)
        if number is None:
            return False
        head = self.folds.head_of(number)
        row = next((index for index, number in enumerate(self.order) if number == head), None)
        if row is None:
            return False
        column = self._column
        if hypothesis and self.sheet.column_of(hypothesis) is not None:
            column = self.column_of(hypothesis)
        elif kind:
            column = next((index for index, shown in enumerate(self._columns) if shown.kind == kind), column)
        self.move_to(row, column)
        return True

    def cell_rect(self, row: int, column: int) -> QRect:
        """Return where a cell lies in the viewport now."""
        place = self._columns[column]
        left = place.left if column == 0 else place.left - self.horizontalScrollBar().value()
        top = self._head + row * self._line - self.verticalScrollBar().value()
        return QRect(left, top, place.width, self._line)

    def cursor_rect(self) -> QRect:
        """Return where the cell under the cursor lies in the viewport now."""
        return self.cell_rect(self._row, self._column) if self._columns and self.order else QRect()

    def column_of(self, hypothesis: str) -> int:
        """Return which column of the grid shows a hypothesis.

        Raises KeyError when none does.
        """
        index = self.sheet.column_of(hypothesis)
        for number, column in enumerate(self._columns):
            if column.hypothesis == index and index is not None:
                return number
        raise KeyError(hypothesis)

    # --- the selection -----------------------------------------------------------------------------------------------

    def bounds(self) -> tuple[int, int, int, int]:
        """Return first and last shown row, first and last column of the selection, at least the cursor's cell."""
        row, column = self._anchor or (self._row, self._column)
        return min(row, self._row), max(row, self._row), min(column, self._column), max(column, self._column)

    def several(self) -> bool:
        """Return whether more than one cell is selected."""
        top, bottom, left, right = self.bounds()
        return (top, left) != (bottom, right)

    def selected_rows(self) -> list[GridRow]:
        """List the rows that the selection touches."""
        top, bottom, _left, _right = self.bounds()
        return [self.sheet.rows[number] for number in self.order[top : bottom + 1]]

    def rating_cells(self, top: int, bottom: int, left: int, right: int) -> list[tuple[int, int]]:
        """List the numbers of row and hypothesis of the rating cells in a rectangle."""
        across = [column.hypothesis for column in self._columns[left : right + 1] if column.hypothesis >= 0]
        return [(number, h) for number in self.order[top : bottom + 1] for h in across]

    def rating_columns(self) -> int:
        """Count the columns of hypotheses that the selection touches."""
        _top, _bottom, left, right = self.bounds()
        return sum(column.hypothesis >= 0 for column in self._columns[left : right + 1])

    def select_cells(self, top: int, left: int, bottom: int, right: int) -> None:
        """Select a rectangle of shown rows and columns; the cursor is in its last corner."""
        self.move_to(top, left)
        self.move_to(bottom, right, extend=True)

    def show_selection(self, top: int, left: int, bottom: int, right: int) -> None:
        """Show what was pasted as the selection, and say it aloud."""
        self._anchor = (top, left) if (top, left) != (bottom, right) else None
        self._row, self._column = bottom, right
        self._reveal()
        self.viewport().update()
        self.speak()

    def select_one(self) -> None:
        """Select the cell under the cursor alone."""
        self._anchor = None

    def select_ratings(self) -> None:
        """Select every rating on show."""
        across = [index for index, column in enumerate(self._columns) if column.hypothesis >= 0]
        if across and self.order:
            self._anchor = (0, across[0])
            self._row, self._column = len(self.order) - 1, across[-1]
            self.viewport().update()
            self.speak()

    # --- sizes -------------------------------------------------------------------------------------------------------

    def grid_size(self) -> tuple[int, int]:
        """Return how many rows and columns are on show."""
        return len(self.order), len(self._columns)

    def cursor_place(self) -> tuple[int, int]:
        """Return shown row and column of the cursor."""
        return self._row, self._column

    def heights(self) -> tuple[int, int]:
        """Return the heights of the header and of a row, in pixels."""
        return self._head, self._line

    def indent(self) -> int:
        """Return what the check boxes of a what-if take of the evidence, in pixels."""
        return theme.px(CHECK) if self.what_if else 0

    def show_widths(self, widths: Mapping[str, int]) -> None:
        """Set the widths of columns that a person chose, by kind ('cell': every hypothesis), at the usual text size."""
        self.widths = {kind: in_bounds(theme.px(width)) for kind, width in widths.items()}
        self._dress()

    def set_width(self, kind: str, width: float | None) -> None:
        """Set the width of a kind of column in pixels on the screen; None for the usual one."""
        self.widths.pop(kind, None)
        if width is not None:
            self.widths[kind] = in_bounds(width)
        self._lay_out()
        self.viewport().update()

    @property
    def _line(self) -> int:
        return self._frame.pictures.line

    @property
    def _head(self) -> int:
        return self._frame.pictures.head

    def _lay_out(self) -> None:
        """Choose the columns for the width there is, and set the scroll bars to them."""
        room, count = self.viewport().width(), len(self.hypotheses)
        indent = self.indent()
        # Whether the scroll bar is there now must not decide which columns there are.
        beside = side_columns(
            self.width() - self.verticalScrollBar().sizeHint().width() - indent,
            count,
            hidden_kinds=self.hidden_kinds,
            pinned_kinds=self.pinned_kinds,
            empty_kinds=self.sheet.empty_kinds(),
            widths=self.widths,
        )
        columns = lay_out(room, beside, count, indent=indent, hidden_kinds=self.hidden_kinds, widths=self.widths)
        if columns != self._columns:
            self._take_columns(columns)
        high, end = self.viewport().height(), columns[-1].left + columns[-1].width
        self.verticalScrollBar().setRange(0, max(0, self._head + len(self.order) * self._line - high))
        self.verticalScrollBar().setPageStep(max(self._line, high - self._head))
        self.verticalScrollBar().setSingleStep(self._line)
        self.horizontalScrollBar().setRange(0, max(0, end - room))
        self.horizontalScrollBar().setPageStep(max(1, room - columns[0].width))
        self.horizontalScrollBar().setSingleStep(next((c.width for c in columns if c.hypothesis >= 0), theme.px(64)))

    def _take_columns(self, columns: list[Column]) -> None:
        """Show other columns; the cursor stays in the one it was in where that is still there."""
        former = self._columns[self._column] if self._column < len(self._columns) else None
        if [(c.kind, c.width) for c in columns] != [(c.kind, c.width) for c in self._columns]:
            self._frame.pictures.forget_texts()
        now_at = {(c.kind, c.hypothesis): index for index, c in enumerate(columns)}
        moves = {index: now_at.get((c.kind, c.hypothesis)) for index, c in enumerate(self._columns)}
        if any(index != to for index, to in moves.items()) or len(columns) != len(self._columns):
            self.editor.move_columns(moves)
            anchor = moves.get(self._anchor[1]) if self._anchor is not None else None
            self._anchor = (self._anchor[0], anchor) if self._anchor is not None and anchor is not None else None
        self._columns = columns
        self._frame.forget_header()
        if former is not None:
            self._column = next(
                (i for i, c in enumerate(columns) if (c.kind, c.hypothesis) == (former.kind, former.hypothesis)), 0
            )

    def _dress(self) -> None:
        inside = self._in_sight(self.viewport().size())
        self._frame.measure()
        self._lay_out()
        if inside:
            self._reveal()
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint one frame."""
        self._frame.paint()

    # --- moving ------------------------------------------------------------------------------------------------------

    def move_to(self, row: int, column: int, *, extend: bool = False) -> None:
        """Put the cursor on a shown row and column; ``extend`` selects up to there."""
        row = max(0, min(row, len(self.order) - 1))
        column = max(0, min(column, len(self._columns) - 1))
        if self.editor.entry is not None:
            self.editor.paint_and_commit()
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
        self.speak()

    def _in_sight(self, room: QSize) -> bool:
        """Return whether some of the cell under the cursor is seen in a viewport of this size."""
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

    def cursor_words(self) -> str:
        """Return the place of the cursor in words."""
        if self.current() is None or not self._columns:
            return ""
        if self.several():
            top, bottom, _left, _right = self.bounds()
            return f"{self.rating_columns() * (bottom - top + 1)} cells in {bottom - top + 1} rows selected"
        return self.cell_words_at(self._row, self._column)

    def cell_words_at(self, row_at: int, column_at: int) -> str:
        """Return a cell of the grid in words, by shown row and column."""
        return words_at(self, row_at, column_at)

    def speak(self, *, after_move: bool = True) -> None:
        """Show where the cursor is, or what the cell under it has become."""
        text = self.cursor_words()
        self.setAccessibleDescription(text)
        if not after_move or self.several() or not grid_accessibility.tell_focus(self, self._row, self._column):
            announce(self, text)

    def next_unrated(self) -> bool:
        """Go to the next cell, across and down, that nobody has rated; False when all are."""
        count, width = len(self.order), self.sheet.width
        if not count or not width:
            return False
        column = self._columns[self._column].hypothesis
        start = self._row * width + max(0, column)
        for step in range(0 if column < 0 else 1, count * width + 1):
            row, hypothesis = divmod((start + step) % (count * width), width)
            if not 0 < self.shown_code(self.order[row], hypothesis) <= SUGGESTED:
                self.move_to(row, self.column_of(self.hypotheses[hypothesis].id))
                return True
        return False

    def next_cell(self, way: int) -> bool:
        """Go to the next cell of a hypothesis, on to the next row; False at the ends, where Tab leaves the grid."""
        cells = [index for index, column in enumerate(self._columns) if column.hypothesis >= 0]
        if not cells or not self.order:
            return False
        after = [index for index in cells if (index > self._column if way > 0 else index < self._column)]
        if after:
            self.move_to(self._row, after[0] if way > 0 else after[-1])
            return True
        if not 0 <= self._row + way < len(self.order):
            return False
        self.move_to(self._row + way, cells[0] if way > 0 else cells[-1])
        return True

    # --- keys --------------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move, select, rate and grade by keys."""
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
            self.move_to(self._row + down, self._column + across, extend=extend)
        elif key == Qt.Key.Key_Home and only_control:
            self.move_to(0 if control else self._row, 0, extend=extend)
        elif key == Qt.Key.Key_End and only_control:
            self.move_to(len(self.order) - 1 if control else self._row, len(self._columns) - 1, extend=extend)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and self._columns:
            self.editor.enter()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and plain:
            self.editor.clear()
        elif key == Qt.Key.Key_Space:
            self.shown.emit(self.current_row())
        elif key == Qt.Key.Key_Escape and (self.editor.entry is not None or self._anchor is not None):
            self.editor.drop()
            self._anchor = None
            self.viewport().update()
            self.speak()
        elif plain and event.text() and self.editor.take_letter(event.text().casefold()):
            pass
        else:
            super().keyPressEvent(event)

    def leave(self, *, forward: bool = True) -> None:
        """Move the focus to the widget after the grid, or before it."""
        super().focusNextPrevChild(forward)

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Walk the cells by Tab; Ctrl+Tab, and Tab behind the last cell, leave the grid."""
        return self.next_cell(1 if next_ else -1) or super().focusNextPrevChild(next_)

    def event(self, event: QEvent) -> bool:
        """Take the letters that rate while the cursor is on a cell, whatever else they are keys for."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            letter = event.text().casefold()
            plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            if plain and letter and self.editor.claims(letter):
                event.accept()
                return True
            if event.key() == Qt.Key.Key_Escape and (self.editor.entry is not None or self._anchor is not None):
                event.accept()
                return True
        return super().event(event)

    # --- pointing ----------------------------------------------------------------------------------------------------

    def cell_at(self, point: QPoint) -> tuple[int, int] | None:
        """Return shown row and column under a point of the viewport; None in the header and beside the rows."""
        place = self._pointer.place_at(point)
        return place if place is not None and place[0] >= 0 else None

    def select_at(self, point: QPoint) -> bool:
        """Put the cursor under a point unless it lies in the selection; False beside the cells."""
        place = self.cell_at(point)
        if place is None:
            return False
        top, bottom, left, right = self.bounds()
        if not (top <= place[0] <= bottom and left <= place[1] <= right):
            self.move_to(*place)
        return True

    def press_sign(self, row: int, column: int, x: int) -> bool:
        """Turn the check box of a what-if at ``x``, or the arrow of copies; False where none is there."""
        number = self.order[row]
        if column or x >= self.indent() + ARROW:
            return False
        if self.what_if and x >= 8:
            self.move_to(row, column)
            self.set_aside.emit([row.id for row in self.with_copies([self.sheet.rows[number]])])
        elif number in self.folds.closed_groups or number in self.folds.open_groups:
            self.move_to(row, column)
            self.fold_turned.emit(self.sheet.rows[number].id)
        else:
            return False
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a border, sort by the header, turn the check boxes of a what-if, or move the cursor."""
        if not self._pointer.press(event):
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Have a border or the selection follow while the button is held."""
        if not self._pointer.move(event):
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of a border, or end the selection by the pointer."""
        self._pointer.release()
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for the page behind a row, or give a column its usual width."""
        self._pointer.double_click(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show on hover what there is no room for in a cell."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._pointer.tip(event.pos()), self.viewport())
            return True
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Paint the cursor as one that has the keys, and say where it is."""
        super().focusInEvent(event)
        self.viewport().update()
        self.speak()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hand over what is being typed."""
        self.editor.commit()
        super().focusOutEvent(event)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the cell under the cursor in sight, whatever takes room from the grid."""
        super().resizeEvent(event)
        inside = not event.oldSize().isValid() or self._in_sight(event.oldSize())
        self._lay_out()
        if inside and self.viewport().height() >= self._head + self._line:  # lower than that it is on its way out
            self._reveal()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Paint again: nothing of the frame before is moved."""
        self.viewport().update()

    def sizeHint(self) -> QSize:
        """Return the size at which a small matrix is comfortable."""
        return QSize(720, 480)
