"""A list of short things to go to: a small title and a few lines of text, a document's own words in their face."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui_app.shared import theme
from gui_app.shared.painted_text import draw_lines, line_count
from gui_app.shared.row_painting import LEFT, draw_ground

TITLE = int(Qt.ItemDataRole.UserRole)
TARGET = TITLE + 1
SIDE = 16  # pixels at the left and right


class SnippetList(QListWidget):
    """Snippets with a target each; ``chosen(target)`` on a click or Enter."""

    chosen = Signal(object)

    def __init__(self, accessible_name: str, *, quotes: bool, lines: int = 2, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(accessible_name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setItemDelegate(_Snippet(self, quotes=quotes, lines=lines))
        self.itemActivated.connect(lambda item: self.chosen.emit(item.data(TARGET)))
        self.itemClicked.connect(lambda item: self.chosen.emit(item.data(TARGET)))
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def add(self, title: str, text: str, target: Any) -> QListWidgetItem:
        """Add a snippet."""
        item = QListWidgetItem(" ".join(text.split()))
        item.setData(TITLE, title)
        item.setData(TARGET, target)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{title}. {item.text()}" if title else item.text())
        self.addItem(item)
        return item


class _Snippet(QStyledItemDelegate):
    def __init__(self, parent: SnippetList, *, quotes: bool, lines: int) -> None:
        super().__init__(parent)
        self._list = parent
        self._quotes, self._lines = quotes, lines

    def _font(self) -> QFont:
        return theme.serif(theme.BODY) if self._quotes else theme.sans()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        # A pixel or two less than there is: what is painted may be a little wider than what is measured.
        wide = self._list.viewport().width() - 2 * SIDE - 2
        lines = line_count(index.data(), self._font(), wide, most=theme.lines(self._lines))
        high = lines * QFontMetrics(self._font()).height() + 12 + 2 * theme.air()
        if index.data(TITLE):
            high += QFontMetrics(theme.sans(theme.SMALL)).height() + 2
        return QSize(80, high)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        ink = theme.tokens()
        box: QRect = option.rect
        painter.save()
        draw_ground(painter, option)
        inner = box.adjusted(SIDE, 6 + theme.air(), -SIDE, -6 - theme.air())
        title = index.data(TITLE)
        if title:
            painter.setFont(theme.sans(theme.SMALL, bold=True))
            painter.setPen(QColor(ink.muted))
            metrics = QFontMetrics(painter.font())
            painter.drawText(
                QRect(inner.left(), inner.top(), inner.width(), metrics.height()),
                LEFT,
                metrics.elidedText(title, Qt.TextElideMode.ElideRight, inner.width()),
            )
            inner.setTop(inner.top() + metrics.height() + 2)
        painter.setFont(self._font())
        painter.setPen(QColor(ink.text))
        draw_lines(painter, index.data(), inner, lines=theme.lines(self._lines))
        painter.restore()
