"""Text broken over a few lines by hand, for widgets that paint themselves; the last line gives up what does not fit."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QTextLayout

from gui_app.shared.reading_direction import direction_of, text_option
from gui_app.shared.row_painting import LEFT

LONGEST = 600  # characters looked at: far more than a few lines hold


def break_lines(text: str, font: QFont, width: int, *, lines: int, middle: bool = False) -> list[str]:
    """Break ``text`` into at most ``lines`` lines of ``width`` pixels; elide the last, in its middle when asked."""
    units = text[:LONGEST].encode("utf-16-le", "replace")  # Qt counts UTF-16 units, Python characters
    layout = QTextLayout(text[:LONGEST], font)
    layout.setTextOption(text_option(text))
    pieces: list[str] = []
    layout.beginLayout()
    while len(pieces) < lines:
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        start, end = line.textStart(), line.textStart() + line.textLength()
        if len(pieces) == lines - 1:
            mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
            tail = units[2 * start :].decode("utf-16-le", "replace")
            pieces.append(QFontMetrics(font).elidedText(tail, mode, width))
        else:
            pieces.append(units[2 * start : 2 * end].decode("utf-16-le", "replace").rstrip())
    layout.endLayout()
    return pieces


def line_count(text: str, font: QFont, width: int, *, most: int) -> int:
    """Count the lines that ``text`` needs, at least one and at most ``most``."""
    return max(1, len(break_lines(text, font, max(1, width), lines=most)))


def draw_lines(painter: QPainter, text: str, box: QRect, *, lines: int, middle: bool = False) -> None:
    """Draw ``text`` in the painter's font over at most ``lines`` lines, in the middle of ``box`` from top to bottom.

    It begins at the side that it is read from.
    """
    high = QFontMetrics(painter.font()).height()
    pieces = break_lines(text, painter.font(), box.width(), lines=lines, middle=middle)
    top = box.top() + (box.height() - high * len(pieces)) // 2
    direction = painter.layoutDirection()
    painter.setLayoutDirection(direction_of(text))
    for index, piece in enumerate(pieces):
        painter.drawText(QRect(box.left(), top + index * high, box.width(), high), LEFT, piece)
    painter.setLayoutDirection(direction)
