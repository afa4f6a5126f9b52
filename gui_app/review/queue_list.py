"""A queue in the order of review: of proposals, or of passages."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QHeaderView, QTableView

from gui_app.review.passage_list import PassagesModel
from gui_app.shared import theme
from gui_app.shared.proposal_queue import Queue


class QueueList(QTableView):
    """A queue of ``rows``, with ``headings`` above some; several may be picked, with Shift, Ctrl or Ctrl+A.

    ``heights`` gives those of a row and of a heading, in pixels. It is a table, since a list of Qt asks for the height
    of every row whenever one more comes.
    """

    def __init__(
        self,
        name: str,
        rows: Queue | PassagesModel,
        delegate: QAbstractItemDelegate,
        heights: Callable[[], tuple[int, int]],
    ) -> None:
        super().__init__()
        self.rows = rows
        self._heights = heights
        self._high: set[int] = set()  # rows with a heading above them
        self.setAccessibleName(name)
        self.setModel(rows)
        self.setItemDelegate(delegate)
        delegate.setParent(self)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(1)
        rows.modelReset.connect(self._fit)
        theme.changed.connect(self._dress)
        self._dress()

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Go to the first or the last row by Home and End."""
        if action == QAbstractItemView.CursorAction.MoveHome:
            return self.rows.index(0, 0)
        if action == QAbstractItemView.CursorAction.MoveEnd:
            return self.rows.index(len(self.rows.rows) - 1, 0)
        return super().moveCursor(action, modifiers)

    def _dress(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._heights()[0])
        self._high = set()
        self._fit()

    def _fit(self) -> None:
        """Make rows with a heading higher than the others; Qt keeps the heights of those that had one."""
        row, heading = self._heights()
        high = {place for place, words in enumerate(self.rows.headings) if words}
        for place in self._high - high:
            if place < len(self.rows.rows):
                self.setRowHeight(place, row)
        for place in high - self._high:
            self.setRowHeight(place, row + heading)
        self._high = high
