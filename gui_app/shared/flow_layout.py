"""A row of widgets that goes on in the next line where the window is narrow."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget, QWidgetItem
from shiboken6 import isValid


class FlowLayout(QLayout):
    """A layout that goes left to right, then down; every line is as high as its highest widget."""

    def __init__(self, parent: QWidget | None = None, *, gap: int = 8) -> None:
        super().__init__(parent)
        # Each with its widget: PySide gives the items of a layout up when a widget above it comes to another place,
        # and a call to one that was given up ends the process.
        self._items: list[tuple[QLayoutItem, QWidget | None]] = []
        self._gap = gap
        self._heights: dict[int, int] = {}  # by width, until a widget changes
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end."""
        self._items.append((item, item.widget()))
        self._heights.clear()

    def invalidate(self) -> None:
        """Measure the items again: one of them changed."""
        self._heights.clear()
        super().invalidate()

    def _valid(self) -> list[QLayoutItem]:
        """Return the items, each again that was given up; those whose widget is gone are left out."""
        for index, (item, widget) in enumerate(self._items):
            if not isValid(item) and widget is not None and isValid(widget):
                self._items[index] = (QWidgetItem(widget), widget)
        self._items = [(item, widget) for item, widget in self._items if isValid(item)]
        return [item for item, _ in self._items]

    def count(self) -> int:
        """Return how many items there are."""
        return len(self._valid())

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item; None if there is none."""
        items = self._valid()
        return items[index] if 0 <= index < len(items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take an item out."""
        items = self._valid()
        return self._items.pop(index)[0] if 0 <= index < len(items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return no direction: the layout takes no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: a narrow layout is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines at that width."""
        if width not in self._heights:
            self._heights[width] = self._place(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def setGeometry(self, rect: QRect) -> None:
        """Put every item in its place."""
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        """Return the size of all items in one line."""
        items = self._valid()
        wide = sum(item.sizeHint().width() + self._gap for item in items)
        high = max((item.sizeHint().height() for item in items), default=0)
        margins = self.contentsMargins()
        return QSize(wide - self._gap + margins.left() + margins.right(), high + margins.top() + margins.bottom())

    def minimumSize(self) -> QSize:
        """Return the size of the largest item."""
        size = QSize()
        for item in self._valid():
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _place(self, rect: QRect, *, move: bool) -> int:
        margins = self.contentsMargins()
        room = rect.marginsRemoved(margins)
        x, y = room.x(), room.y()
        line: list[tuple[QLayoutItem, int, QSize]] = []

        def finish() -> int:
            """Put the line's widgets on one middle line; its height."""
            high = max((size.height() for _, _, size in line), default=0)
            if move:
                for item, left, size in line:
                    item.setGeometry(QRect(QPoint(left, y + (high - size.height()) // 2), size))
            line.clear()
            return high

        for item in self._valid():
            widget = item.widget()
            if widget is not None and widget.isHidden():
                continue
            size = item.sizeHint().expandedTo(item.minimumSize())
            size.setWidth(min(size.width(), max(1, room.width())))
            if x + size.width() > room.right() + 1 and line:
                y += finish() + self._gap
                x = room.x()
            line.append((item, x, size))
            x += size.width() + self._gap
        return y + finish() - rect.y() + margins.bottom()
