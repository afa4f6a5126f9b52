"""One frame of the grid: visible cells from cached pictures, then what stays in its place when the rest scrolls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QPolygonF

from gui_app.matrix.grid_model import CODE, NOTE, PAINTED, UNCOUNTED, figure_of
from gui_app.matrix.grid_painter import CENTRE, Pictures
from gui_app.shared import theme
from gui_app.shared.row_painting import RIGHT

if TYPE_CHECKING:
    from gui_app.matrix.grid import MatrixGrid

# The signs of a row, each with the flags of MatrixRow that it stands for.
_SIGNS = (("conflicts", frozenset({"conflict"})), ("warning", frozenset({"struck", "hidden"})))


class GridFrame:
    """Paints the grid's viewport; keeps the pictures of its cells and of its header."""

    def __init__(self, grid: MatrixGrid) -> None:
        self._grid = grid
        self.pictures = Pictures()
        self._header = QPixmap()

    def measure(self) -> None:
        """Take the heights of rows and header from the text size in force, and draw everything again."""
        self.pictures.measure()
        self.forget_header()

    def forget_header(self) -> None:
        """Have the header drawn again."""
        self._header = QPixmap()

    def paint(self) -> None:
        """Paint what is seen of the grid."""
        grid = self._grid
        ink = theme.tokens()
        painter = QPainter(grid.viewport())
        room = grid.viewport().rect()
        surface = QColor(ink.surface)
        painter.fillRect(room, surface)
        all_columns = grid.columns()
        if not all_columns:
            return
        if self.pictures.ratio != grid.devicePixelRatioF():
            self.pictures.ratio = grid.devicePixelRatioF()
            self.measure()
        across, down = grid.horizontalScrollBar().value(), grid.verticalScrollBar().value()
        sheet, order = grid.sheet, grid.order
        line, head = self.pictures.line, self.pictures.head
        first = down // line
        last = min(len(order), (down + room.height() - head) // line + 1)
        evidence = all_columns[0]
        edge = evidence.width
        columns = [
            (number, column, column.left - across)
            for number, column in enumerate(all_columns)
            if number and column.left - across < room.width() and column.left - across + column.width > edge
        ]
        selection, separator = QColor(ink.selection), QColor(ink.line)
        draw, glyph, text = painter.drawPixmap, self.pictures.glyph, self.pictures.text
        codes, marks, width, dull, rows = sheet.codes, sheet.marks, sheet.width, sheet.dull, sheet.rows
        entry = grid.editor.entry
        top_row, bottom_row, left_column, right_column = grid.bounds()
        several, (cursor_row, _cursor_column) = grid.several(), grid.cursor_place()
        cursor_shade = _selected_shade(ink.selection)
        span = [column for column in columns if left_column <= column[0] <= right_column] if several else []
        for row_at in range(first, last):
            number = order[row_at]
            top = head + row_at * line - down
            here = row_at == cursor_row
            if here:
                painter.fillRect(0, top, room.width(), line, selection)
            if span and top_row <= row_at <= bottom_row:
                span_width = span[-1][2] + span[-1][1].width - span[0][2]
                painter.fillRect(span[0][2], top, span_width, line, cursor_shade if here else selection)
            row = rows[number]
            is_dim = grid.dims and dull[number]
            aside = row.id in grid.aside
            if is_dim or aside:
                painter.setOpacity(0.3 if aside else 0.45)
            base = number * width
            is_folded = number in grid.folds.closed_groups
            for place, column, left in columns:
                h = column.hypothesis
                if h >= 0:
                    code, mark = codes[base + h], marks[base + h] & PAINTED
                    if is_folded:
                        code = grid.shown_code(number, h)
                    if entry is not None and entry.covers(row_at, place):
                        code, mark = CODE[entry.rating], mark & NOTE
                    draw(left, top, glyph(code, mark | row.is_withdrawn * UNCOUNTED, column.width))
                elif column.kind == "diagnosticity":
                    self._paint_bar(painter, sheet.diagnosticity(number), left, top, column.width)
                else:
                    draw(left, top, text(row, column))
            if is_dim or aside:
                painter.setOpacity(1.0)
        # The frozen parts are painted last, over whatever was scrolled below them.
        indent = grid.indent()
        in_span = several and left_column == 0
        for row_at in range(first, last):
            number = order[row_at]
            row = rows[number]
            top = head + row_at * line - down
            here = row_at == cursor_row
            back = selection if here or (in_span and top_row <= row_at <= bottom_row) else surface
            painter.fillRect(0, top, edge, line, back)
            aside = row.id in grid.aside
            cluster = sheet.cluster(number)
            if aside or (grid.dims and dull[number]):
                painter.setOpacity(0.45 if aside else 0.55)
            copies = grid.folds.closed_groups.get(number)
            share = f"\u00d7{len(copies)}" if copies else sheet.share(number)
            draw(0, top, text(row, evidence, indent=indent, share=share))
            painter.setOpacity(1.0)
            if copies or number in grid.folds.open_groups:
                self._paint_arrow(painter, top, is_open=not copies)
            elif cluster:
                self._paint_braid(painter, row_at, cluster, top)
            flags = sheet.flags(number)
            signs = [sign for sign, kinds in _SIGNS if not kinds.isdisjoint(flags)]
            self._paint_signs(painter, signs, edge, top, back)
            if indent:
                self._paint_check(painter, top, aside)
            if aside:
                painter.fillRect(indent + 8, top + line // 2, room.width() - indent - 16, 1, QColor(ink.text))
            painter.fillRect(0, top + line - 1, room.width(), 1, separator)
        if across:
            painter.fillRect(edge - 1, head, 1, room.height() - head, separator)
        self._paint_cursor(painter)
        if self._header.isNull():
            self._header = self.pictures.header(
                all_columns,
                grid.hypotheses,
                grid.standings,
                sort=grid.sort,
                reverse=grid.reverse,
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
        if sheet.rows and not order:
            painter.setPen(QColor(ink.muted))
            painter.setFont(theme.sans())
            painter.drawText(room.adjusted(0, head, 0, 0), CENTRE, "No row matches the filter.")

    def _paint_cursor(self, painter: QPainter) -> None:
        grid = self._grid
        if not grid.order:
            return
        row, column = grid.cursor_place()
        edge = grid.columns()[0].width
        painter.save()
        painter.setClipRect(0 if column == 0 else edge, self.pictures.head, 1 << 20, 1 << 20)
        focus = grid.hasFocus()
        colour = QColor(theme.tokens().focus if focus else theme.tokens().strong_line)
        if grid.several():
            top, bottom, left, right = grid.bounds()
            area = grid.cell_rect(top, left).united(grid.cell_rect(bottom, right))
            painter.setPen(QPen(colour, 1))
            painter.drawRect(area.adjusted(0, 0, -1, -1))
        painter.setPen(QPen(colour, 2 if focus else 1))
        painter.drawRect(grid.cell_rect(row, column).adjusted(1, 1, -2, -2))
        painter.restore()

    def _paint_bar(self, painter: QPainter, figure: float | None, left: int, top: int, width: int) -> None:
        """Paint how far the row tells hypotheses apart: 2 is the most there is (half CC, half II)."""
        if figure is None:
            return
        ink = theme.tokens()
        line = self.pictures.line
        box = QRect(left + 12, top + line // 2 - 16, width - 24, 18)
        bar = QRect(box.left(), box.bottom() + 5, box.width(), 3)
        if self.pictures.is_compact:  # beside the figure
            figure_width = theme.px(30)
            box = QRect(left + 8, top, width - 16, line)
            bar = QRect(box.left(), top + line // 2 - 1, max(0, box.width() - figure_width), 3)
        painter.fillRect(bar, QColor(ink.neutral_tint))
        bar.setWidth(round(bar.width() * min(1.0, figure / 2)))
        painter.fillRect(bar, QColor(ink.text))
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.muted))
        painter.drawText(box, RIGHT, figure_of(figure))

    def _paint_braid(self, painter: QPainter, row: int, cluster: str, top: int) -> None:
        """Paint a bracket at the left of rows of one origin; neighbours of the same origin share it."""
        sheet, order = self._grid.sheet, self._grid.order
        colour = QColor(theme.tokens().ambiguous)
        above = row > 0 and sheet.cluster(order[row - 1]) == cluster
        below = row + 1 < len(order) and sheet.cluster(order[row + 1]) == cluster
        line = self.pictures.line
        gap = 5 if self.pictures.is_compact else 9
        start, end = (0 if above else gap), (line if below else line - gap - 1)
        painter.fillRect(3, top + start, 2, end - start, colour)
        if not above:
            painter.fillRect(3, top + start, 6, 2, colour)
        if not below:
            painter.fillRect(3, top + end - 2, 6, 2, colour)

    def _paint_arrow(self, painter: QPainter, top: int, *, is_open: bool) -> None:
        """Paint the arrow of a row with copies: to the right while they are folded, down where they are below it."""
        middle = QPointF(6.0, top + self.pictures.line / 2)
        corners = (
            [QPointF(-3.5, -2), QPointF(3.5, -2), QPointF(0, 3)]
            if is_open
            else [QPointF(-2, -3.5), QPointF(3, 0), QPointF(-2, 3.5)]
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.tokens().ambiguous))
        painter.drawPolygon(QPolygonF([middle + corner for corner in corners]))
        painter.restore()

    def _paint_signs(self, painter: QPainter, signs: Sequence[str], edge: int, top: int, back: QColor) -> None:
        """Paint the signs of a row in its corner: of an open conflict, and of struck or hidden words in its quote."""
        side = theme.px(14)
        ratio = max(self._grid.devicePixelRatioF(), 1.0)
        for index, sign in enumerate(signs):
            left = edge - (side + 6) * (index + 1)
            box = QRect(left, top + self.pictures.line - side - 5, side, side)
            painter.fillRect(box.adjusted(-3, 0, 0, 0), back)
            painter.drawPixmap(box.topLeft(), theme.pixmap(sign, side, theme.tokens().contradicts, ratio=ratio))

    def _paint_check(self, painter: QPainter, top: int, aside: bool) -> None:
        """Paint the check box of a row in a what-if: ticked while the row counts."""
        ink = theme.tokens()
        side = 15
        box = QRect(14, top + (self.pictures.line - side) // 2, side, side)
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


def _selected_shade(selection: str) -> QColor:
    """Return the shade of the cursor's row inside a selection, where both would have one colour."""
    shade = QColor(selection)
    return shade.darker(108) if shade.lightness() > 128 else shade.lighter(125)
