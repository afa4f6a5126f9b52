"""A list at the left and what is selected in it at the right; another page while the list is empty."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from gui_app.shared import theme
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.snippet_list import TARGET, SnippetList


class ListPage(QStackedWidget):
    """A list beside ``details``, or ``empty``. ``least`` and ``width`` of the list are pixels at the usual text size.

    ``moved()`` when another item of the list is selected, ``filled()`` when the list becomes empty or no longer is.
    """

    moved = Signal()
    filled = Signal()

    def __init__(self, name: str, details: QWidget, *, empty: EmptyState, least: int, width: int) -> None:
        super().__init__()
        self.list = SnippetList(name, quotes=False)
        self.list.setMinimumWidth(theme.px(least))
        self.list.currentItemChanged.connect(lambda *_: self.moved.emit())
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.list)
        self.split.addWidget(details)
        self.split.setStretchFactor(0, 0)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([theme.px(width), 800])
        self.empty = empty
        self.addWidget(self.split)
        self.addWidget(self.empty)
        self.setCurrentWidget(self.empty)

    def fill(
        self, rows: Iterable[tuple[str, str, Any]], is_selected: Callable[[Any], bool] = bool, *, or_first: bool = True
    ) -> None:
        """List items (title, text, item) and select the first that ``is_selected``, else the first of all or none.

        None if the selected item has gone by itself: no decision that was meant for it may fall on another.
        """
        was_filled = self.is_filled()
        with QSignalBlocker(self.list):
            self.list.clear()
            for row in rows:
                self.list.add(*row)
            if not self.select(is_selected):
                self.list.setCurrentRow(0 if or_first and self.is_filled() else -1)
        self.setCurrentWidget(self.split if self.is_filled() else self.empty)
        if self.is_filled() != was_filled:
            self.filled.emit()

    def is_filled(self) -> bool:
        """Return whether the list has any item."""
        return self.list.count() > 0

    def select(self, is_selected: Callable[[Any], bool]) -> bool:
        """Select the first item that ``is_selected``. Return whether there is one."""
        row = next((row for row, item in enumerate(self.items()) if is_selected(item)), -1)
        if row >= 0:
            self.list.setCurrentRow(row)
        return row >= 0

    def selected(self) -> Any:
        """Return the selected item; None for nothing."""
        item = self.list.currentItem()
        return None if item is None else item.data(TARGET)

    def items(self) -> list[Any]:
        """List what is shown."""
        return [self.list.item(row).data(TARGET) for row in range(self.list.count())]
