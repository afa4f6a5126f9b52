"""The hits of a search in groups, put there by their vectors beside the work; or why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from core.errors import AppError
from gui_app.search.groups_view import GroupsView
from gui_app.session import CaseSession
from gui_app.shared.empty_state import EmptyState

if TYPE_CHECKING:
    from core.search.service import Group, SearchResult


class GroupsPage(QStackedWidget):
    """The groups of ``result``, made when ``follow`` asks; ``shown()`` when there are new ones."""

    shown = Signal()

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.result: SearchResult | None = None
        self._groups_result: SearchResult | None = None  # the one whose groups are on show
        self.view = GroupsView()
        self.empty = EmptyState("search", "")
        self.addWidget(self.view)
        self.addWidget(self.empty)

    def forget(self) -> None:
        """Drop the groups, so that the next result is grouped again."""
        self._groups_result = None

    def follow(self) -> None:
        """Show the groups of the result."""
        result = self.result
        if result is None or not result.passages:
            self._say("Results are grouped here by topic.")
        elif result is self._groups_result:
            self.setCurrentWidget(self.view)
        else:
            self._read(result)

    def _read(self, result: SearchResult) -> None:
        def done(groups: list[Group]) -> None:
            if self.result is not result:
                return
            if not groups:
                self._say("These passages cannot be grouped yet: the search model has not read them.")
                return
            self._groups_result = result
            self.view.show_groups(groups, result.passages, result.copies, _rest)
            self.setCurrentWidget(self.view)
            self.shown.emit()

        def failed(error: AppError) -> None:
            self._say(f"{error.sentence} {error.hint}")

        self.session.read(lambda bench: bench.search.grouped(result.passages), done, key="search groups", failed=failed)

    def _say(self, text: str) -> None:
        self.empty.say(text)
        self.setCurrentWidget(self.empty)


def _rest(groups: int) -> str:
    return "Each on its own topic" if groups else "No two of these are about the same topic"
