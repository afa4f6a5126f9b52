"""Search the documents by meaning and by words, while typing; what is found as a list, in groups, as themes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from core.domain import Changes, Chunk, Consideration, Passage
from core.errors import AppError
from core.search.query_language import plain_words
from gui_app.search.passage_commands import PassageCommands
from gui_app.search.popups import Operators
from gui_app.search.query_bar import QueryBar
from gui_app.search.running_query import RunningQuery
from gui_app.search.saved_searches import SavedSearchControls
from gui_app.search.search_field import without
from gui_app.search.state import Hits, SearchState, copies_of, load, with_days
from gui_app.search.views import HIT_VIEWS, SearchViews
from gui_app.session import CaseSession
from gui_app.shared.announce import announce
from gui_app.shared.header import Header
from gui_app.shared.index_status_bar import IndexStatusBar
from gui_app.shared.labels import line
from gui_app.shared.screen import Screen

if TYPE_CHECKING:
    from core.search.service import Theme


class SearchScreen(Screen):
    """A field with conditions, three ways to search, and several views of what was found."""

    name = "Search"
    icon = "search"
    leads_viewer = True
    concerns = Changes(documents=True, hypotheses=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._is_read = False  # whether the case was read since it was opened
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.header = Header("Search")
        column.addWidget(self.header)
        tabs_row = QHBoxLayout()
        tabs_row.setContentsMargins(16, 0, 16, 0)
        column.addLayout(tabs_row)
        column.addWidget(line())
        self.embedding = IndexStatusBar(self.session, self, tidying=False)
        self.bar = QueryBar(session, self.embedding)
        self.query = RunningQuery(session, self.bar)
        self._words_on_show = ""
        self.query.began.connect(lambda: self.header.count.setText("Searching"))
        self.query.found.connect(self._show_hits)
        self.query.failed.connect(self._not_found)
        self.query.emptied.connect(self._ask_for_nothing)
        self.query.paused.connect(self._search_typed)
        self.bar.submitted.connect(self._search)
        self.bar.typed.connect(self._search_soon)
        self._goes_to_hits = False
        self.bar.changed.connect(self._follow_text)
        self.bar.chips.dropped.connect(self._drop_condition)
        self.bar.chips.cleared.connect(self._forget_like)
        self.bar.saved_button.clicked.connect(lambda _on=False: self.show_saved())
        self.bar.help_button.clicked.connect(lambda _on=False: self.show_operators())
        self.field = self.bar.field
        self.field.returnPressed.connect(self._wait_for_hits)
        self.field.installEventFilter(self)
        self.views = SearchViews(session, self._widen, self.query.asks, self)
        tabs_row.addWidget(self.views.tabs, 1)
        column.addWidget(self.bar)
        column.addWidget(self.views.stack, 1)
        self._connect_views()
        self.operators = Operators(self)
        self.operators.chosen.connect(self.field.insert_example)
        self.saved_searches = SavedSearchControls(self, self.bar, self.views.passages)
        self.saved_searches.run.connect(self.run_saved)
        self.saved_searches.changed.connect(self._name_actions)
        self.setFocusProxy(self.field)
        self._make_commands()
        self.views.tabs.currentChanged.connect(self._show_tab)
        self._show_nothing("")
        self._name_actions()
        session.opened.connect(self._opened)

    # --- building ----------------------------------------------------------------------------------------------------

    def _connect_views(self) -> None:
        views = self.views
        views.chosen_changed.connect(self._chosen_changed)
        views.in_hand.connect(self._in_hand)
        views.groups.shown.connect(self._name_actions)
        views.themes.shown.connect(self._name_actions)
        views.themes.view.opened.connect(self.show_source)
        views.themes.view.hypothesis_wanted.connect(self.hypothesis_wanted)
        views.themes.view.passages_wanted.connect(self.show_theme)
        views.timeline.range_chosen.connect(self._search_between)
        views.discrimination.made.connect(self.tell_made)
        for page in views.own_pages:
            page.show_source.connect(self.show_source)
        for view in (views.passages.view, views.groups.view):
            view.installEventFilter(self)

    def _make_commands(self) -> None:
        self.search_action = self.command("Search now", None, self._search, shown_keys="Enter in the field")
        self.command("Search field", "Ctrl+F", self._to_field).setShortcuts([QKeySequence("Ctrl+F"), QKeySequence("/")])
        self.commands = PassageCommands(
            self,
            self.views.lists,
            in_hand=self.chosen,
            copies=lambda: copies_of(self.query.result(), self.chosen()),
            search_similar=self.search_similar,
        )
        self.more_action = self.command("More passages", "M", self._more)
        self.more_button = self.header.add(self.more_action, kind="quiet")
        self.header.setMinimumHeight(self.header.sizeHint().height())  # the same without the button
        self.saved_searches.add_command()
        self.saved_action = self.command("Saved searches", "Ctrl+Shift+D", self.show_saved)
        self.help_action = self.command("Operators of the search", "Ctrl+Shift+H", self.show_operators)
        self.help_action.setShortcuts([QKeySequence("?"), QKeySequence("Ctrl+Shift+H")])
        for button, action in ((self.bar.saved_button, self.saved_action), (self.bar.help_button, self.help_action)):
            button.setAccessibleName(action.text())
            button.setToolTip(f"{action.text()}  ({action.shortcuts()[-1].toString()})")
        self.command(
            "How sure a result has to be",
            "Shift+S",
            lambda: self.bar.show_modes.press_next(),
            tip="What it takes to be shown",
        )
        self.command("Next view of the hits", "Ctrl+PgDown", lambda: self.views.turn(1))
        self.command("Previous view of the hits", "Ctrl+PgUp", lambda: self.views.turn(-1))
        self.command("Next group", "Ctrl+Down", lambda: self.views.groups.view.step(1))
        self.command("Previous group", "Ctrl+Up", lambda: self.views.groups.view.step(-1))
        for words, part in (
            ("Groups of the hits", "groups"),
            ("Themes of a question", "themes"),
            ("Timeline of dates", "timeline"),
            ("Diagnosticity: the most diagnostic passages", "apart"),
            ("Names, and which occur together", "names"),
        ):
            self.command(words, None, partial(self._go_to_part, part))
        self.word_action = self.command("Have a model draft hypotheses from the themes", None, self.views.themes.word)
        self.watch_action = self.command(
            "Save the search as an indicator",
            "Ctrl+Shift+S",
            lambda: self.saved_searches.watch(self.query.text),
            tip="Run this search whenever documents are added, and flag those that match",
        )
        self.commands.watch_views()
        for view in self.views.lists:
            view.opened.connect(self.commands.show_passage)

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Take up changes of the scope, and list the saved searches again."""
        state = self.session.do(load)
        if state is None:
            return
        is_other = self._is_read and not state.same_corpus(self.bar.state)
        self._is_read, self.bar.state = True, state
        self.saved_searches.show_state(state)
        self.views.themes.view.writable = not self.session.read_only
        self._name_actions()
        if is_other and self.query.asks():
            self.views.themes.forget()
            self._search_again()

    def _restyled(self) -> None:
        """Show the same in new colours: they need no new search."""
        self.views.themes.restyle()

    def show_part(self, part: str) -> None:
        """Show one of the views by name; another name changes nothing."""
        self.views.show(part)

    def search_for(self, text: str) -> None:
        """Put ``text`` into the field and search."""
        self.query.since = None
        self.field.setText(text)
        self._search()

    def search_words(self, text: str) -> None:
        """Search for words of a document: nothing in them is a condition."""
        self.search_for(plain_words(text))

    def part(self) -> str:
        """Return the name of the view on show."""
        return self.views.part()

    def handbook_section(self) -> str:
        """Return the section about the view on show."""
        return "diagnosticity" if self.part() == "apart" else self.part()

    def state(self) -> Any:
        """Return the query, its mode, the view on show, and the selected row."""
        return (
            *(self.field.text(), self.bar.mode(), self.bar.show_modes.mode(), self.part()),
            *(self.views.passages.view.currentIndex().row(), self.query.like),
        )

    def restore(self, state: Any) -> None:
        """Go back to a state that ``state`` gave."""
        text, mode, show, part, row, like = state
        self.bar.choose(mode, show)
        self.show_part(part)
        if text != self.field.text() or like != self.query.like:
            self.query.like, self.query.theme = like, None
            self.field.setText(text)
            self.query.wait_no_more()
            self.query.text = text.strip()
            self._show_chips()
            self._search_again()
        elif 0 <= row < len(self.views.passages.model.rows):
            self.views.passages.view.setCurrentIndex(self.views.passages.model.index(row, 0))

    def chosen(self) -> Passage | None:
        """Return the passage that commands are about, in the view on show."""
        return self.views.chosen()

    def actions(self) -> list[QAction]:
        """List the commands of the screen and of the view on show."""
        return [*super().actions(), *self.views.page().actions()]

    # --- searching ---------------------------------------------------------------------------------------------------

    def _wait_for_hits(self) -> None:
        """Have the keys go to the first hit once it is there: letters are commands in the list."""
        self._goes_to_hits = True

    def _search_soon(self) -> None:
        self._goes_to_hits = False
        self.query.since = None
        self.query.wait()

    def _follow_text(self) -> None:
        """Follow the text of the field: conditions are shown at once, the star says whether it is saved."""
        self.query.follow_text()
        self._show_chips()
        self._name_actions()

    def _show_chips(self) -> None:
        self.bar.show_conditions(self.query.likeness())

    def _search_typed(self) -> None:
        """Search after the pause behind the last key, but make no step to come back to yet."""
        if self.query.take_text() or self.query.like is not None or self.query.hits is None:
            self._search_again()

    def _search(self) -> None:
        self.query.wait_no_more()
        self.views.to_hits()
        is_other = self.query.take_text()
        self._show_chips()
        self._search_again()
        if is_other and self.query.text:
            self.moved.emit()

    def _search_again(self) -> None:
        self.views.themes.question = self.query.text
        if self.query.theme is not None:
            self.show_theme(self.query.theme)
        else:
            self.query.search()

    def _ask_for_nothing(self) -> None:
        self.views.groups.result = None
        self.views.timeline.show_passages(None)
        self._show_nothing("")

    def _show_hits(self, hits: Hits) -> None:
        result = self.views.groups.result = hits.result
        words = self.query.words()
        for view in (self.views.passages.view, self.views.groups.view):
            view.delegate.query = words
            view.picker.close()
        if result.passages:
            self._count_hits(hits)
            fresh = self.bar.state.documents_since(self.query.since)
            is_new, self._words_on_show = words != self._words_on_show, words
            self.views.passages.show_result(result, fresh, quiet=self.part() != "passages", is_new=is_new)
            self._name_actions()
        else:
            had_passage = self.views.passages.view.chosen() is not None
            self._show_nothing(hits.notes() or "Nothing was found.")
            if had_passage:
                self.selected.emit(None)  # what is no longer found is no longer on show
        self.views.timeline.show_passages(result.passages or None)
        self.bar.show_notes(hits)
        self._follow()
        goes, self._goes_to_hits = self._goes_to_hits, False
        if goes and result.passages and self.field.hasFocus():
            self._into_view()

    def _count_hits(self, hits: Hits) -> None:
        seconds = f" · {hits.result.seconds:.2f} s" if hits.result.seconds else ""
        self.header.count.setText(f"{hits.count()}{seconds}")
        announce(self, hits.count())

    def _not_found(self, error: AppError) -> None:
        self.views.groups.result = None
        self._show_nothing("The search did not work.")
        self.session.failed.emit(error)

    def _show_nothing(self, text: str) -> None:
        self.header.count.setText("")
        self.bar.hide_notes()
        more = "Show lower confidence too" if self.bar.show_modes.mode() == "strict" else "Search both ways"
        self.views.passages.show_nothing(text, more if self.bar.narrow() else "")
        if text:
            announce(self, text)
        self.views.groups.forget()
        self.views.themes.forget()
        self._follow()
        self._name_actions()

    def _widen(self) -> None:
        self.bar.widen()
        self._search()

    def _more(self) -> None:
        self.query.take_more()
        self._search_again()

    def search_similar(self) -> None:
        """Search for passages like the chosen one, or like the words picked in it."""
        words = self.commands.words()
        if words:
            self.commands.close_pickers()
            self.show_part("passages")
            self.search_words(words)
            return
        passage = self.chosen()
        if passage is None:
            return
        self.query.take_like(passage)
        self._show_chips()
        self.show_part("passages")
        self._search_again()
        self.views.passages.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.moved.emit()

    def _forget_like(self) -> None:
        self.query.like = self.query.theme = None
        self._show_chips()
        self.query.text = self.bar.text()
        self._search_again()
        self._to_field()

    def _drop_condition(self, start: int, end: int) -> None:
        self.search_for(without(self.field.text(), start, end))
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _search_between(self, first: str, last: str, name: str) -> None:
        self.search_for(with_days(self.field.text(), first, last, name))

    # --- views of the hits -------------------------------------------------------------------------------------------

    def _go_to_part(self, part: str) -> None:
        self.show_part(part)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_tab(self, index: int) -> None:
        self.commands.close_pickers()
        focus = QApplication.focusWidget()
        inside = focus is not None and self.isAncestorOf(focus) and focus is not self.views.tabs
        page, asking = self.views.page(), self.part() in HIT_VIEWS
        # From the hits into the hits; who typed goes on typing; who comes back is where they were.
        first_time = page.focusWidget() is None
        in_hits = focus is not None and any(self.views.pages[name].isAncestorOf(focus) for name in HIT_VIEWS)
        typing = focus is self.field or (first_time and not in_hits)
        self.views.stack.setCurrentIndex(index)
        self.bar.setVisible(asking)
        self.header.count.setVisible(asking)
        self.setFocusProxy(self.field if asking else page)
        if inside and (asking or first_time) and (not asking or typing or not self._into_view()):
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._follow()
        self._name_actions()
        self.selected.emit(self.current_item())

    def current_item(self) -> object:
        """Return the selected passage of the view on show."""
        chunk = self.views.chunk()
        return self.chosen() if chunk is None else self._passage(chunk)

    def _passage(self, chunk: Chunk) -> Passage | None:
        passages = self.session.do(lambda bench: bench.search.passages([chunk.id]))
        return passages[0] if passages else None

    def _follow(self) -> None:
        """Have the view on show take over what was found."""
        self.views.themes.question = self.query.text
        part = self.part()
        if part == "groups":
            self.views.groups.follow()
        elif part == "themes":
            self.views.themes.follow()

    def _in_hand(self, chunk: Chunk) -> None:
        """Show the selected passage of a separate view in the details."""
        passage = self._passage(chunk)
        if passage is not None:
            self.selected.emit(passage)

    def show_theme(self, theme: Theme) -> None:
        """Show the passages of a theme in the list."""
        self.query.theme = theme
        self._show_chips()
        self.show_part("passages")
        self.query.search_theme(theme)

    # --- saved searches ----------------------------------------------------------------------------------------------

    def run_saved(self, search: Consideration) -> None:
        """Run a saved search; what is in documents that came since is marked."""
        self.show_part("passages")
        self.query.like = None
        self.query.since = search.seen
        self.field.setText(search.query)
        self._search()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_saved(self) -> None:
        """Show the saved searches in a list below their button."""
        self.views.to_hits()
        self.saved_searches.open()

    def show_operators(self) -> None:
        """Show the operators of the search, with examples."""
        self.views.to_hits()
        self.operators.open_below(self.bar.help_button)

    # --- following ---------------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self.query.reset()
        self.views.groups.result = None
        self.views.timeline.show_passages(None)
        self._is_read, self.bar.state = False, SearchState()
        self.field.clear()
        self.query.wait_no_more()
        self.saved_searches.reset()
        self._show_nothing("")
        self._show_chips()

    def _chosen_changed(self, passage: Passage | None) -> None:
        if passage is not None and passage is self.chosen():
            self.selected.emit(passage)
        self._name_actions()

    def _name_actions(self) -> None:
        writable = self.session.workbench is not None and not self.session.read_only
        self.commands.enable(writable=writable)
        self.watch_action.setEnabled(bool(self.query.text) and writable)
        themes = self.views.themes
        self.word_action.setEnabled(self.part() == "themes" and bool(themes.themes_of) and themes.can_word())
        self.more_action.setEnabled(self.part() in ("passages", "groups") and self.query.is_full())
        self.more_button.setVisible(self.more_action.isEnabled())
        self.saved_searches.name_action(writable=writable)

    # --- keys --------------------------------------------------------------------------------------------------------

    def _to_field(self) -> None:
        self.views.to_hits()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Leave the field with Down for what is below it; go back with Up at the top and Escape."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if target is self.field and event.key() == Qt.Key.Key_Down:
            return self._into_view()
        for view in (self.views.passages.view, self.views.groups.view):
            if target is view:
                index = view.currentIndex()
                top = index.row() <= 0 and not index.parent().isValid()
                if event.key() == Qt.Key.Key_Escape or (event.key() == Qt.Key.Key_Up and top):
                    self.field.setFocus(Qt.FocusReason.BacktabFocusReason)
                    return True
        return False

    def _into_view(self) -> bool:
        """Move the focus from the field to the view below; return whether there was one."""
        target = self.views.below_field()
        if target is not None:
            target.setFocus(Qt.FocusReason.TabFocusReason)
        return target is not None
