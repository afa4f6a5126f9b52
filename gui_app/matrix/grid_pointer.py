"""What the pointer does to the grid: cells chosen, columns made wider by their borders, words shown on hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QMouseEvent

from gui_app.matrix.grid_layout import LEAST, MOST
from gui_app.matrix.grid_words import cell_tip, header_tip, row_tip
from gui_app.shared import theme
from gui_app.shared.labels import tooltip

if TYPE_CHECKING:
    from gui_app.matrix.grid import MatrixGrid

REACH = 4  # pixels on both sides of a border from which it can be dragged


class GridPointer:
    """The pointer over a grid. A selection, or the border of a column in the header, follows it while it is held."""

    def __init__(self, grid: MatrixGrid) -> None:
        self._grid = grid
        self._is_dragging = False
        self._border: int | None = None  # the column whose right border is being dragged

    def place_at(self, point: QPoint) -> tuple[int, int] | None:
        """Return row and column under a point of the viewport; row -1 is the header."""
        grid = self._grid
        columns = grid.columns()
        if not columns:
            return None
        x = point.x() if point.x() < columns[0].width else point.x() + grid.horizontalScrollBar().value()
        column = next((i for i, c in enumerate(columns) if c.left <= x < c.left + c.width), None)
        if column is None:
            return None
        head, line = grid.heights()
        if point.y() < head:
            return -1, column
        row = (point.y() - head + grid.verticalScrollBar().value()) // line
        return (row, column) if row < len(grid.order) else None

    def border_at(self, point: QPoint) -> int | None:
        """Return the column whose right border lies under a point of the header; None elsewhere."""
        grid = self._grid
        if point.y() >= grid.heights()[0]:
            return None
        edge = grid.columns()[0].width if grid.columns() else 0
        for index, _column in enumerate(grid.columns()):
            box = grid.cell_rect(0, index)
            if abs(point.x() - box.right()) <= REACH and (not index or box.right() >= edge):
                return index
        return None

    def press(self, event: QMouseEvent) -> bool:
        """Take hold of a border, sort by the header, turn a check box, or move the cursor; False beside the cells."""
        grid = self._grid
        point = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        self._border = self.border_at(point)
        if self._border is not None:
            return True
        place = self.place_at(point)
        if place is None:
            return False
        if place[0] < 0:
            column = grid.columns()[place[1]]
            if column.hypothesis >= 0:
                grid.sorted_by.emit(f"h:{grid.hypotheses[column.hypothesis].id}")
            else:
                grid.sorted_by.emit("id" if column.kind == "evidence" else column.kind)
        elif not grid.press_sign(*place, point.x()):
            grid.move_to(*place, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            self._is_dragging = True
        return True

    def move(self, event: QMouseEvent) -> bool:
        """Let the border or the selection follow while the button is held; False where nothing is held."""
        point = event.position().toPoint()
        if not event.buttons() & Qt.MouseButton.LeftButton:
            on_border = self.border_at(point) is not None
            shape = Qt.CursorShape.SplitHCursor if on_border else Qt.CursorShape.ArrowCursor
            if self._grid.viewport().cursor().shape() != shape:
                self._grid.viewport().setCursor(shape)
            return False
        if self._border is not None:
            self._drag_border(self._border, point.x())
        elif self._is_dragging:
            self._drag_selection(point)
        else:
            return False
        return True

    def _drag_border(self, index: int, x: int) -> None:
        grid = self._grid
        columns = grid.columns()
        column = columns[index]
        box = grid.cell_rect(0, index)
        if column.hypothesis >= 0:  # all hypotheses have one width: those before it grow as well
            first = next(number for number, column in enumerate(columns) if column.hypothesis >= 0)
            grid.set_width("cell", (x - grid.cell_rect(0, first).left()) / (index - first + 1))
        elif column.kind == "diagnosticity":  # the last one: what it gains is at its right
            grid.set_width(column.kind, x - box.left())
        else:
            grid.set_width(column.kind, x - box.left() - (grid.indent() if column.kind == "evidence" else 0))

    def _drag_selection(self, point: QPoint) -> None:
        """Extend the selection to the cell under the pointer; past the edge, by one cell, which scrolls."""
        grid = self._grid
        place = self.place_at(point)
        row, column = grid.cursor_place()
        if place is None or place[0] < 0:
            room = grid.viewport().rect().adjusted(0, grid.heights()[0], 0, 0)
            down = (point.y() > room.bottom()) - (point.y() < room.top())
            across = (point.x() > room.right()) - (point.x() < room.left())
            place = (row + down, column + across)
        if place != (row, column):
            grid.move_to(*place, extend=True)

    def release(self) -> None:
        """Let go of what was held."""
        if self._border is not None:
            self._border = None
            self._grid.widths_chosen.emit()
        self._is_dragging = False

    def double_click(self, event: QMouseEvent) -> None:
        """Reset the width of a column by its border; open the page behind a row."""
        grid = self._grid
        border = self.border_at(event.position().toPoint())
        place = self.place_at(event.position().toPoint())
        if border is not None:
            grid.set_width(width_kind(grid, border), None)
            grid.widths_chosen.emit()
        elif place is not None and place[0] >= 0:
            grid.opened.emit(grid.sheet.rows[grid.order[place[0]]])

    def tip(self, point: QPoint) -> str:
        """Return what is shown on hover."""
        grid = self._grid
        place = self.place_at(point)
        if place is None:
            return ""
        row_at, column = place[0], grid.columns()[place[1]]
        h = column.hypothesis
        if row_at >= 0:
            number = grid.order[row_at]
            words = cell_tip(grid.sheet, number, h) if h >= 0 else row_tip(grid.sheet, number, column.kind)
            rows = grid.folds.closed_groups.get(number, ())
            if rows:
                ids = ", ".join(grid.sheet.rows[row].id for row in rows)
                words += f"\nOne row for copies of the same words: {ids}. They are rated together; K shows them."
            return tooltip(words)
        if h < 0:
            return ""
        standing = grid.standings[h] if h < len(grid.standings) else None
        return tooltip(header_tip(grid.hypotheses[h], standing))


def width_kind(grid: MatrixGrid, index: int) -> str:
    """Return whose width a column has: its own, or that of all hypotheses."""
    column = grid.columns()[index]
    return "cell" if column.hypothesis >= 0 else column.kind


def in_bounds(width: float) -> int:
    """Return a width on the screen as pixels at the usual text size, neither too narrow to read nor endless."""
    return max(LEAST, min(MOST, round(width * 100 / theme.px(100))))
