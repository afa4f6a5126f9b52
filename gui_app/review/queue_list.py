"""The queue of proposals as a list."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from gui_app.review.proposal_row import ProposalRow
from gui_app.shared import theme


class QueueList(QListView):
    """The queue. Several rows may be picked, with Shift, Ctrl or Ctrl+A."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Queue of proposals")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._rows = ProposalRow(self)
        self.setItemDelegate(self._rows)
        theme.changed.connect(self._dress)

    def _dress(self) -> None:
        self._rows.heights = None
        self.scheduleDelayedItemsLayout()
        self.viewport().update()
