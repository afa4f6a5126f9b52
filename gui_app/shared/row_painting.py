"""What the painted rows of lists have in common."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from gui_app.shared import theme

LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def draw_ground(painter: QPainter, option: QStyleOptionViewItem, *, is_framed: bool = False) -> None:
    """Fill the background of a row that is selected or under the pointer; a bar or a frame shows the focus."""
    ink, box = theme.tokens(), option.rect
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(box, QColor(ink.selection))
    elif option.state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(box, QColor(ink.raised))
    if option.state & QStyle.StateFlag.State_HasFocus and is_framed:
        painter.setPen(QColor(ink.focus))
        painter.drawRect(box.adjusted(0, 0, -1, -1))
    elif option.state & QStyle.StateFlag.State_HasFocus:
        painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), QColor(ink.focus))


def draw_line_below(painter: QPainter, box: QRect) -> None:
    """Draw the line that parts a row from the next."""
    painter.setPen(QColor(theme.tokens().line))
    painter.drawLine(box.bottomLeft(), box.bottomRight())


def two_lines(box: QRect, air: int) -> tuple[QRect, QRect]:
    """Return the boxes of two lines in a row, with ``air`` above and below at the usual text size."""
    inner = box.adjusted(12, theme.px(air), -12, -theme.px(air))
    high = inner.height() // 2
    top = QRect(inner.left(), inner.top(), inner.width(), high)
    return top, QRect(inner.left(), inner.center().y() + 1, inner.width(), high)
