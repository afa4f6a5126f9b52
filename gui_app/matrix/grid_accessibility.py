"""What a screen reader finds in the painted grid: a table whose cells say what they hold.

Each cell is made when it is asked for, and reads its words from the grid at that moment. Qt keeps a made cell until it
is told to forget it, so old ones are handed back when many have piled up. PySide does not offer Qt's own interface for
tables: cells are therefore children in reading order, and moving the cursor moves the focus among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface, QColor, QWindow

if TYPE_CHECKING:
    from gui_app.matrix.grid import MatrixGrid

MAX_CELLS = 2_000

_Relations = list[tuple[QAccessibleInterface, QAccessible.RelationFlag]]
_kinds: list[type] = []
_tables: dict[int, _Table] = {}


def install(kind: type) -> None:
    """Have widgets of this class read out cell by cell."""
    if not _kinds:
        QAccessible.installFactory(_table_of)
    if kind not in _kinds:
        _kinds.append(kind)


def _table_of(_name: str, target: QObject) -> QAccessibleInterface | None:
    if not any(isinstance(target, kind) for kind in _kinds):
        return None
    table = _Table(target)  # type: ignore[arg-type]
    key = id(target)
    _tables[key] = table
    target.destroyed.connect(lambda: _tables.pop(key, None))
    return table


def tell_focus(grid: MatrixGrid, row: int, column: int) -> bool:
    """Announce to a screen reader that the cursor is on another cell; False when none listens or knows the cells."""
    if not QAccessible.isActive() or not grid.hasFocus():
        return False
    table = QAccessible.queryAccessibleInterface(grid)
    if not isinstance(table, _Table):
        return False
    rows, columns = grid.grid_size()
    if not rows:
        return False
    event = QAccessibleEvent(grid, QAccessible.Event.Focus)
    event.setChild(row * columns + column)
    QAccessible.updateAccessibility(event)
    return True


class _Cell(QAccessibleInterface):
    """A cell by shown row and column."""

    def __init__(self, table: _Table, row: int, column: int) -> None:
        super().__init__()
        self._table, self._row, self._column = table, row, column

    def _there(self) -> bool:
        rows, columns = self._table.grid.grid_size()
        return self._row < rows and self._column < columns

    def isValid(self) -> bool:
        return self._table.isValid()

    def object(self) -> QObject | None:  # type: ignore[override]
        return None

    def window(self) -> QWindow | None:  # type: ignore[override]
        return self._table.window()

    def parent(self) -> QAccessibleInterface:
        return self._table

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def childCount(self) -> int:
        return 0

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def relations(self, match: QAccessible.RelationFlag = QAccessible.RelationFlag.AllRelations) -> _Relations:
        return []

    def text(self, kind: QAccessible.Text) -> str:
        if kind != QAccessible.Text.Name or not self._there():
            return ""
        return self._table.grid.cell_words_at(self._row, self._column)

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Cells are rated by keys."""

    def rect(self) -> QRect:
        if not self._there():
            return QRect()
        grid = self._table.grid
        box = grid.cell_rect(self._row, self._column)
        return QRect(grid.viewport().mapToGlobal(box.topLeft()), box.size())

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.Cell

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.focusable = state.selectable = True
        grid = self._table.grid
        top, bottom, left, right = grid.bounds()
        here = grid.cursor_place() == (self._row, self._column)
        state.focused = here and grid.hasFocus()
        state.selected = top <= self._row <= bottom and left <= self._column <= right
        return state

    def foregroundColor(self) -> QColor:
        return QColor()

    def backgroundColor(self) -> QColor:
        return QColor()


class _Table(QAccessibleInterface):
    """The grid: its children are the cells, row by row."""

    def __init__(self, grid: MatrixGrid) -> None:
        super().__init__()
        self.grid = grid
        self._cells: dict[tuple[int, int], _Cell] = {}

    def _cell(self, row: int, column: int) -> _Cell:
        interface = self._cells.get((row, column))
        if interface is None:
            if len(self._cells) >= MAX_CELLS:
                for cell in list(self._cells.values())[: MAX_CELLS // 2]:
                    QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(cell))
                self._cells = dict(list(self._cells.items())[MAX_CELLS // 2 :])
            interface = self._cells[row, column] = _Cell(self, row, column)
        return interface

    def isValid(self) -> bool:
        return True

    def object(self) -> QObject:
        return self.grid

    def window(self) -> QWindow | None:  # type: ignore[override]
        return self.grid.window().windowHandle()

    def parent(self) -> QAccessibleInterface | None:  # type: ignore[override]
        above = self.grid.parentWidget()
        return QAccessible.queryAccessibleInterface(above) if above is not None else None

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        rows, columns = self.grid.grid_size()
        return self._cell(*divmod(index, columns)) if columns and 0 <= index < rows * columns else None

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        place = self.grid.cell_at(self.grid.viewport().mapFromGlobal(QPoint(x, y)))
        return self._cell(*place) if place is not None else None

    def childCount(self) -> int:
        rows, columns = self.grid.grid_size()
        return rows * columns

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        if not isinstance(child, _Cell):
            return -1
        return child._row * self.grid.grid_size()[1] + child._column

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]
        return self._cell(*self.grid.cursor_place()) if self.grid.hasFocus() and self.grid.grid_size()[0] else None

    def relations(self, match: QAccessible.RelationFlag = QAccessible.RelationFlag.AllRelations) -> _Relations:
        return []

    def text(self, kind: QAccessible.Text) -> str:
        if kind == QAccessible.Text.Name:
            return self.grid.accessibleName()
        return self.grid.accessibleDescription() if kind == QAccessible.Text.Description else ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Change nothing: the grid is named by the program."""

    def rect(self) -> QRect:
        return QRect(self.grid.mapToGlobal(QPoint(0, 0)), self.grid.size())

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.Table

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.focusable = True
        state.focused = self.grid.hasFocus()
        state.readOnly = self.grid.read_only
        return state

    def foregroundColor(self) -> QColor:
        return QColor()

    def backgroundColor(self) -> QColor:
        return QColor()
