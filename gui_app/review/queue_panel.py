"""The queue of proposals at the left, under the filters that choose what it shows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QSignalBlocker, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from core.domain import LABELS, Hypothesis, Proposal
from gui_app.review import proposal_row
from gui_app.review.queue_frame import current_row, fill_frame, filter_combo, selected_rows, status_combo
from gui_app.review.queue_list import QueueList
from gui_app.shared.formatting import VERDICTS
from gui_app.shared.labels import ElidedLabel
from gui_app.shared.proposal_queue import DISPUTED, OTHER_MODEL, Filter, Queue


class QueuePanel(QFrame):
    """The queue and its filters. ``filter_changed()`` when the person chose another filter."""

    filter_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.queue = Queue()
        self._hypotheses: Sequence[Hypothesis] = ()
        self.count = ElidedLabel("", "strong")
        chose = self.filter_changed.emit
        self.hypothesis_filter = filter_combo("Show the proposals of", chose)
        self.verdict_filter = filter_combo("Show the verdict", chose)
        self.verdict_filter.addItem("any verdict", "")
        for label in (*LABELS, DISPUTED, OTHER_MODEL):
            self.verdict_filter.addItem(VERDICTS.get(label, label), label)  # type: ignore[call-overload]
        self.status_filter = status_combo(chose)
        self.group_choice = filter_combo("Group the queue by", chose)
        for text in ("verdict", "hypothesis", "document"):
            self.group_choice.addItem(f"by {text}", text)
        self.list = QueueList("Queue of proposals", self.queue, proposal_row.ProposalRow(), proposal_row.heights)
        self.setMinimumWidth(208)
        pair = QHBoxLayout()
        pair.setSpacing(8)
        pair.addWidget(self.status_filter, 1)
        pair.addWidget(self.verdict_filter, 1)
        self.head = fill_frame(self, self.count, (self.hypothesis_filter, pair, self.group_choice), self.list)

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
        if hypotheses == self._hypotheses:
            return  # the list may be open
        self._hypotheses = hypotheses
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
        return current_row(self.list, self.queue.rows)

    def selection(self) -> list[Proposal]:
        """List everything that is selected, else what is under the cursor."""
        return selected_rows(self.list, self.queue.rows)

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
        for index, proposal in enumerate(self.queue.rows):
            if proposal.id in ids:
                self.list.selectionModel().select(self.queue.index(index), QItemSelectionModel.SelectionFlag.Select)

    def place_words(self) -> str:
        """Show the place of the cursor, or the number of selected rows: '2 of 7', '3 selected'."""
        count, row = len(self.list.selectionModel().selectedRows()), self.row()
        if count > 1:
            return f"{count} selected"
        return f"{row + 1} of {len(self.queue.rows)}" if row >= 0 else ""
