"""Searches that are saved: the star in the field, the button beside it, and the lists they are run from."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from gui_app.search.hits_page import HitsPage
from gui_app.search.popups import SavedSearches
from gui_app.search.query_bar import QueryBar
from gui_app.search.search_field import keep_action
from gui_app.search.state import SearchState
from gui_app.shared import theme
from gui_app.shared.screen import Screen


class SavedSearchControls(QObject):
    """The star, the button and the lists of the saved searches.

    ``run(Consideration)`` asks for one to be run; ``changed()`` when one was saved or deleted.
    """

    run = Signal(object)
    changed = Signal()

    def __init__(self, screen: Screen, bar: QueryBar, page: HitsPage) -> None:
        super().__init__(screen)
        self._screen, self._session, self._bar, self._page = screen, screen.session, bar, page
        self._state = SearchState()
        self.popup = SavedSearches(screen)
        self.popup.chosen.connect(self.run)
        self.popup.removed.connect(self._remove)
        page.saved_list.chosen.connect(self.run)

    def add_command(self) -> None:
        """Add the command of the star in the field."""
        self.keep_action = self._screen.command("Save search", "Ctrl+D", self.toggle)
        theme.set_icon(self.keep_action, "star")
        keep_action(self._bar.field, self.keep_action)

    def show_state(self, state: SearchState) -> None:
        """List the saved searches of the case."""
        self._state = state
        searches = state.searches_with_news()
        self.popup.show_searches(searches, writable=not self._session.read_only)
        self._bar.saved_button.setText(f"Saved {len(searches)}" if searches else "Saved")
        self._page.show_saved(searches)

    def read(self) -> None:
        """Read the saved searches again."""
        searches = self._session.do(lambda bench: bench.search.saved()) or []
        self.show_state(replace(self._state, searches=tuple(searches)))

    def reset(self) -> None:
        """Read those of another case."""
        self._state = SearchState()
        self.read()

    def open(self) -> None:
        """Show the saved searches in a list below their button."""
        self.read()
        self.popup.open_below(self._bar.saved_button)

    def toggle(self) -> None:
        """Save the search in the field, or delete it if it is saved."""
        text = self._bar.text()
        search = self._state.saved(text)
        if search is not None:
            self._remove(search.id)
        elif text and self._session.do(lambda bench: bench.search.save("", text), initiator=self._screen) is not None:
            self._session.tell("Search saved", undo=True)
        self.read()
        self.changed.emit()

    def watch(self, text: str) -> None:
        """Save a search as an indicator: documents that come in and match are flagged."""
        if not text:
            return
        indicator = self._session.do(
            lambda bench: bench.hypotheses.add_consideration("indicator", text, query=text), initiator=self._screen
        )
        if indicator is not None:
            self._session.tell("Saved as an indicator: new documents that match are flagged", undo=True)

    def name_action(self, *, writable: bool) -> None:
        """Have the star say whether the search in the field is saved."""
        text = self._bar.text()
        is_saved = self._state.saved(text) is not None
        self.keep_action.setEnabled(bool(text) and writable)
        self.keep_action.setVisible(bool(text))
        self.keep_action.setText("Delete the saved search" if is_saved else "Save search")
        self.keep_action.setToolTip(f"{self.keep_action.text()}  (Ctrl+D)")
        theme.set_icon(self.keep_action, "star-kept" if is_saved else "star")

    def _remove(self, search: str) -> None:
        if self._session.do(lambda bench: bench.search.remove_saved(search), initiator=self._screen) is not None:
            self._session.tell("Search deleted", undo=True)
        self.read()
        self.changed.emit()
