"""The queue of proposals at the left, under the filters that choose what it shows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.domain import LABELS, Hypothesis, Proposal
from gui_app.review.queue_list import QueueList
from gui_app.shared.labels import ElidedLabel
from gui_app.shared.proposal_queue import DISPUTED, OTHER_MODEL, Filter, Queue


class QueuePanel(QFrame):
    """The queue and its filters. ``filter_changed()`` when the person chose another filter."""

    filter_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.queue = Queue()
        self.count = ElidedLabel("", "strong")
        self.hypothesis_filter = self._combo("Show the proposals of")
        self.verdict_filter = self._combo("Show the verdict")
        self.verdict_filter.addItem("any verdict", "")
        for label in (*LABELS, DISPUTED, OTHER_MODEL):
            self.verdict_filter.addItem(label, label)
        self.status_filter = self._combo("Show the status")
        for text, status in (("pending", "pending"), ("accepted", "accepted"), ("rejected", "rejected"), ("all", "")):
            self.status_filter.addItem(text, status)
        self.group_choice = self._combo("Group the queue by")
        for text in ("verdict", "hypothesis", "document"):
            self.group_choice.addItem(f"by {text}", text)
        self.list = QueueList()
        self.list.setModel(self.queue)
        self.setProperty("kind", "surface")
        self.setMinimumWidth(208)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(16, 16, 16, 8)
        head.setSpacing(8)
        head.addWidget(self.count)
        self.head = QHBoxLayout()
        self.head.setSpacing(4)
        self.head.addWidget(self.hypothesis_filter, 1)
        head.addLayout(self.head)
        pair = QHBoxLayout()
        pair.setSpacing(8)
        pair.addWidget(self.status_filter, 1)
        pair.addWidget(self.verdict_filter, 1)
        head.addLayout(pair)
        head.addWidget(self.group_choice)
        column.addLayout(head)
        column.addWidget(self.list, 1)

    def _combo(self, name: str) -> QComboBox:
        combo = QComboBox()
        combo.setAccessibleName(name)
        combo.setToolTip(name)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(6)
        combo.activated.connect(lambda _index: self.filter_changed.emit())
        return combo

    # --- the filter --------------------------------------------------------------------------------------------------

    def filter(self) -> Filter:
        """Return the filter that the person chose here."""
        return Filter(
            self.hypothesis_filter.currentData() or "",
            self.verdict_filter.currentData() or "",
            self.status_filter.currentData() or "",
            self.group_choice.currentData() or "verdict",
        )

    def show_filter(self, filter_: Filter) -> None:
        """Show a filter; nobody is told."""
        for combo, value in (
            (self.hypothesis_filter, filter_.hypothesis),
            (self.verdict_filter, filter_.verdict),
            (self.status_filter, filter_.status),
            (self.group_choice, filter_.group),
        ):
            with QSignalBlocker(combo):
                combo.setCurrentIndex(max(0, combo.findData(value)))

    def show_hypotheses(self, hypotheses: Sequence[Hypothesis]) -> None:
        """Offer the proposals of these hypotheses, one by one."""
        with QSignalBlocker(self.hypothesis_filter):
            self.hypothesis_filter.clear()
            self.hypothesis_filter.addItem("all hypotheses", "")
            for hypothesis in hypotheses:
                self.hypothesis_filter.addItem(
                    f"{hypothesis.id}  {' '.join(hypothesis.text.split())[:90]}", hypothesis.id
                )

    # --- the queue ---------------------------------------------------------------------------------------------------

    def row(self) -> int:
        """Return the row under the cursor; -1 without any."""
        return self.list.currentIndex().row()

    def current(self) -> Proposal | None:
        """Return the proposal under the cursor."""
        row = self.row()
        return self.queue.rows[row] if 0 <= row < len(self.queue.rows) else None

    def selection(self) -> list[Proposal]:
        """List everything that is selected, else what is under the cursor."""
        rows = sorted(index.row() for index in self.list.selectionModel().selectedRows())
        if not rows:
            current = self.current()
            return [current] if current is not None else []
        return [self.queue.rows[row] for row in rows if row < len(self.queue.rows)]

    def pending(self) -> list[str]:
        """List the ids of what waits for a decision, of everything shown."""
        return [proposal.id for proposal in self.queue.rows if proposal.status == "pending"]

    def go_to(self, row: int) -> None:
        """Put the cursor on a row, and select it alone."""
        index = self.queue.index(row)
        self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.list.scrollTo(index)

    def select(self, proposals: Sequence[Proposal]) -> None:
        """Select these proposals as well, where they are shown."""
        ids = {proposal.id for proposal in proposals}
        for at, proposal in enumerate(self.queue.rows):
            if proposal.id in ids:
                self.list.selectionModel().select(self.queue.index(at), QItemSelectionModel.SelectionFlag.Select)

    def place_words(self) -> str:
        """Say where the cursor stands, or how many are selected: '2 of 7', '3 selected'."""
        count, row = len(self.list.selectionModel().selectedRows()), self.row()
        if count > 1:
            return f"{count} selected"
        return f"{row + 1} of {len(self.queue.rows)}" if row >= 0 else ""
