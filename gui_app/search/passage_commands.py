"""Commands for the selected passage and for words picked in it, with their menu and bar."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QMenu

from core.domain import Changes, Passage
from gui_app.search.groups_view import GroupsView
from gui_app.search.passage_list import PassagesView, WordPicker, copies_menu
from gui_app.search.state import citation
from gui_app.shared.screen import Screen
from gui_app.shared.selection_bar import SelectionBar


class PassageCommands:
    """Commands of ``screen`` for the passage that ``in_hand()`` gives, in whichever of ``views`` is on show.

    ``copies()`` gives the passages that say the same elsewhere; ``search_similar()`` looks for passages like it.
    """

    def __init__(
        self,
        screen: Screen,
        views: tuple[PassagesView | GroupsView, ...],
        *,
        in_hand: Callable[[], Passage | None],
        copies: Callable[[], tuple[Passage, ...]],
        search_similar: Callable[[], object],
    ) -> None:
        self.screen, self.session, self._views = screen, screen.session, views
        self._in_hand, self._copies_of_chosen = in_hand, copies
        self.open_action = screen.command("Show the passage on its page", "O", self._open, shown_keys="Enter")
        self.open_action.setShortcuts([QKeySequence("O"), QKeySequence("Ctrl+Return")])
        self.add_action = screen.command("Add the passage as evidence", "A", self._add)
        self.add_action.setShortcuts([QKeySequence("A"), QKeySequence("Ctrl+E")])
        self.similar_action = screen.command(
            "Search similar", "S", search_similar, tip="Passages like this one, or like the words selected in it"
        )
        self.name_action = screen.command(
            "Add to the names", "N", self._add_name, tip="Add the selected words to the names of the case"
        )
        self.pick_action = screen.command("Select words of the passage", "W", self._pick)
        self.copies_action = screen.command("Where else the passage occurs", "C", self._show_copies)
        self.copy_action = screen.command("Copy the passage with its citation", "Ctrl+C", self.copy)

    def watch_views(self) -> None:
        """Follow what is opened and picked in the views, and what is asked for by the right button."""
        self.bar = SelectionBar(self.screen)
        for action in (self.name_action, self.similar_action):
            self.bar.offer(action)
        for view in self._views:
            view.customContextMenuRequested.connect(lambda point, view=view: self._context_menu(view, point))
            view.picker.picked.connect(lambda words, picker=view.picker: self._show_bar(picker, words))

    def enable(self, *, writable: bool) -> None:
        """Enable the commands that apply to the selected passage."""
        has_passage = self._in_hand() is not None
        for action in (self.open_action, self.similar_action, self.pick_action, self.copy_action):
            action.setEnabled(has_passage)
        for action in (self.add_action, self.name_action):
            action.setEnabled(has_passage and writable)
        self.copies_action.setEnabled(bool(self._copies_of_chosen()))

    def words(self) -> str:
        """Return the words that are picked in a passage, '' for none."""
        return next((words for view in self._views if (words := view.picker.words())), "")

    def close_pickers(self) -> None:
        """Let go of picked words."""
        for view in self._views:
            view.picker.close()

    def show_passage(self, passage: Passage) -> None:
        """Show a passage on its page."""
        self.screen.show_source.emit(passage.document, passage.page, passage.start, passage.end)

    def copy(self) -> None:
        """Copy the picked words, or the whole passage, with their citation."""
        passage = self._in_hand()
        if passage is not None:
            QGuiApplication.clipboard().setText(citation(passage, self.words()))
            self.session.status.emit("Copied with its citation")

    def _open(self) -> None:
        passage = self._in_hand()
        if passage is not None:
            self.show_passage(passage)

    def _add(self) -> None:
        passage = self._in_hand()
        if passage is None:
            return
        evidence = self.session.do(
            lambda bench: bench.evidence.add_quote(passage.document, passage.page, passage.start, passage.end),
            initiator=self.screen,
        )
        if evidence is not None:
            self.session.tell(f"Added as {evidence.id}", undo=True)
            self.screen.tell_made(evidence.id)

    def _add_name(self) -> None:
        """Add the selected words to the names of the case; without any, offer the words of the passage."""
        words = self.words()
        if not words:
            self._pick()
            return
        entity = self.session.do(lambda bench: bench.entities.add(words), initiator=self.screen)
        if entity is not None:
            self.close_pickers()
            self.session.tell(f"{entity.name} is among the names of the case", undo=True)
            self.session.changed.emit(Changes(documents=True), self.screen)

    def _pick(self) -> None:
        for view in self._views:
            if view.isVisible() and view.chosen() is not None:
                view.picker.open(view.currentIndex())
                return

    def _show_bar(self, picker: WordPicker, words: str) -> None:
        """Show beside picked words what can be done with them."""
        if words:
            self.bar.stand_by(picker.box(self.screen))
        else:
            self.bar.hide()

    def _show_copies(self) -> None:
        copies = self._copies_of_chosen()
        view = next((view for view in self._views if view.isVisible()), self._views[0])
        if copies:
            point = view.viewport().mapToGlobal(view.visualRect(view.currentIndex()).bottomLeft() + QPoint(56, -24))
            menu = copies_menu(self.screen, copies, self.show_passage)
            menu.exec(point)
            menu.deleteLater()

    def _context_menu(self, view: QAbstractItemView, point: QPoint) -> None:
        index = view.indexAt(point)
        if not isinstance(index.data(Qt.ItemDataRole.UserRole), Passage):
            return
        view.setCurrentIndex(index)
        menu = QMenu(self.screen)
        menu.addActions([self.open_action, self.add_action, self.similar_action])
        copies = self._copies_of_chosen()
        if copies:
            places = copies_menu(menu, copies, self.show_passage)
            places.setTitle("Also in")
            menu.addMenu(places)
        menu.addSeparator()
        menu.addActions([self.pick_action, self.name_action, self.copy_action])
        menu.exec(view.viewport().mapToGlobal(point))
        menu.deleteLater()
