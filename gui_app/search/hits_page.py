"""The hits of a search as a list; while there is none, why, or the searches that are saved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from core.domain import Consideration, Passage
from gui_app.search.passage_list import PassagesView
from gui_app.search.popups import fill
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.labels import plain
from gui_app.shared.passages_model import PassagesModel
from gui_app.shared.snippet_list import SnippetList

if TYPE_CHECKING:
    from core.search.service import SearchResult


class HitsPage(QStackedWidget):
    """The list of hits, or a notice; ``chosen_changed(Passage | None)`` when another row is selected.

    It is not emitted for the same passage. ``widen()`` is called for the button that shows more; ``asks()`` returns
    whether anything is asked for.
    """

    chosen_changed = Signal(object)

    def __init__(self, widen: Callable[[], object], asks: Callable[[], bool]) -> None:
        super().__init__()
        self._asks = asks
        self._quiet = False
        self.model = PassagesModel(self)
        self.view = PassagesView(self.model, "Passages found")
        self.view.selectionModel().currentChanged.connect(self._row_changed)
        self.empty = EmptyState("search", "", "Search both ways", widen)
        self.begin = self._begin_page()
        for page in (self.view, self.empty, self.begin):
            self.addWidget(page)

    def _begin_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(8)
        head = plain("SAVED SEARCHES", "section")
        head.setContentsMargins(24, 0, 24, 0)
        column.addWidget(head)
        self.saved_list = SnippetList("Saved searches", quotes=False, lines=2)
        inside = QHBoxLayout()
        inside.setContentsMargins(8, 0, 8, 0)
        inside.addWidget(self.saved_list)
        column.addLayout(inside, 1)
        return page

    def show_result(self, result: SearchResult, fresh: Collection[str], *, quiet: bool, is_new: bool = False) -> None:
        """Show the passages of a search; those of the documents ``fresh`` are marked as new.

        The selected passage stays selected if it is still there, unless other words are searched for (``is_new``): then
        the best one is. ``quiet``: another one is not announced.
        """
        previous = None if is_new else self.view.chosen()
        self.model.show(result.passages, result.copies, fresh=frozenset(fresh))
        self.setCurrentWidget(self.view)
        same = [
            place for place, row in enumerate(self.model.rows) if previous is not None and row.chunk == previous.chunk
        ]
        # The passage on show is still there, or other passages are not on show at all: nothing new was chosen.
        # One that is ranked otherwise now is announced again.
        self._quiet = (bool(same) and self.model.rows[same[0]] == previous) or quiet
        self.view.setCurrentIndex(self.model.index(same[0] if same else 0, 0))
        self._quiet = False

    def show_nothing(self, text: str, more: str) -> None:
        """Show why there is no hit, '' if nothing is asked for. ``more`` labels the button that shows more, if any."""
        self.model.show([])
        self.empty.say(text or "Ask in your own words: passages are found by meaning and by words.")
        self.empty.button.setVisible(bool(text and more))
        self.empty.button.setText(more or "Search both ways")
        self.empty.button.setAccessibleName(self.empty.button.text())
        self.setCurrentWidget(self.begin if not text and self.saved_list.count() else self.empty)

    def show_saved(self, searches: Sequence[tuple[Consideration, int]]) -> None:
        """List the saved searches; while nothing is asked for, they are on show."""
        fill(self.saved_list, searches)
        if self.currentWidget() in (self.begin, self.empty) and not self._asks():
            self.setCurrentWidget(self.begin if searches else self.empty)

    def _row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        on_row = 0 <= index.row() < len(self.model.rows) and not self._quiet
        passage: Passage | None = self.model.rows[index.row()] if on_row else None
        self.chosen_changed.emit(passage)
