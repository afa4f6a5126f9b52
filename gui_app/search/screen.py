"""Search the documents by meaning and by words, while typing; what is found as a list, in groups, as themes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from core.domain import LAYER, Changes, Chunk, Consideration, Document, Passage
from core.errors import AppError
from core.search.query_language import conditions, parse, plain_words
from gui_app.search.batch_page import BatchPage
from gui_app.search.discrimination_page import DiscriminationPage
from gui_app.search.groups_view import GroupsView
from gui_app.search.names_page import NamesPage
from gui_app.search.passage_list import PassagesView, WordPicker, copies_menu
from gui_app.search.popups import Operators, SavedSearches, fill
from gui_app.search.search_field import Chips, SearchField, keep_action, quote_value, without
from gui_app.search.themes_view import ThemesView
from gui_app.search.timeline_page import TimelinePage
from gui_app.session import CaseSession
from gui_app.shared import theme as look
from gui_app.shared.announce import announce
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.formatting import RELIABILITY, counted
from gui_app.shared.header import Header
from gui_app.shared.index_status_bar import IndexStatusBar
from gui_app.shared.info_bar import InfoBar
from gui_app.shared.labels import line, plain
from gui_app.shared.passages_model import PassagesModel, is_ranked
from gui_app.shared.screen import Screen
from gui_app.shared.selection_bar import SelectionBar
from gui_app.shared.snippet_list import SnippetList

if TYPE_CHECKING:
    from core.plans.drafting import Draft
    from core.search.service import Group, Mode, SearchResult, Theme
    from core.workbench import Workbench

PAUSE_MS = 250  # between the last key and the search
SETTLE_MS = 700  # between the search and what takes longer: themes
HITS = 30
MOST_HITS = 400  # more cannot be put into groups
ASKING = ("passages", "groups", "themes")  # the views of what the query finds
MODES: dict[str, tuple[str, str]] = {
    "hybrid": ("Both", "By meaning and by words, ranks fused"),
    "vector": ("Meaning", "By meaning: other words for the same thing are found too"),
    "lexical": ("Words", "By the words themselves"),
}


class SearchScreen(Screen):
    """A field with conditions, three ways to search, and several views of what was found."""

    name = "Search"
    icon = "search"
    leads_viewer = True
    concerns = Changes(documents=True, hypotheses=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._query = ""
        self._quiet = False
        self._hits = HITS
        self._like: Passage | None = None  # the passage whose like is searched for in place of what is typed
        self._theme: Theme | None = None
        self._since: int | None = None  # the last document there was when the search on show was kept
        self._documents: list[Document] = []
        self._values_read: tuple[object, ...] = ()
        self._searches: list[tuple[Consideration, int]] = []
        self._result: SearchResult | None = None
        self._groups_result: SearchResult | None = None
        self._themes_query = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.header = Header("Search")
        column.addWidget(self.header)
        self.views: dict[str, QWidget] = {}
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Views of the search")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        tabs_row = QHBoxLayout()
        tabs_row.setContentsMargins(16, 0, 16, 0)
        tabs_row.addWidget(self.tabs, 1)
        column.addLayout(tabs_row)
        column.addWidget(line())
        column.addWidget(self._query_part())
        self.stack = QStackedWidget()
        column.addWidget(self.stack, 1)
        self._make_views()
        self.operators = Operators(self)
        self.operators.chosen.connect(self.field.insert_example)
        self.saved_popup = SavedSearches(self)
        self.saved_popup.chosen.connect(self.run_saved)
        self.saved_popup.removed.connect(self._remove_saved)
        self.setFocusProxy(self.field)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(PAUSE_MS)
        self._soon.timeout.connect(self._search_typed)
        self._themes_timer = QTimer(self)
        self._themes_timer.setSingleShot(True)
        self._themes_timer.setInterval(SETTLE_MS)
        self._themes_timer.timeout.connect(self._show_themes)
        self._make_commands()
        self._bar = SelectionBar(self)
        for action in (self.name_action, self.similar_action):
            self._bar.offer(action)
        for picker in self._pickers():
            picker.picked.connect(lambda words, picker=picker: self._show_bar(picker, words))
        self.tabs.currentChanged.connect(self._show_tab)
        self._show_nothing("")
        self._name_actions()
        session.opened.connect(self._opened)

    # --- building ----------------------------------------------------------------------------------------------------

    def _query_part(self) -> QWidget:
        """What is typed and what the search understood of it; views that need no query stand without."""
        self.query = QWidget()
        column = QVBoxLayout(self.query)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._field_row())
        column.addLayout(self._options_row())
        self.chips = Chips()
        self.chips.dropped.connect(self._drop_condition)
        self.chips.cleared.connect(self._forget_like)
        column.addWidget(self.chips)
        self.note = plain("", "muted", wrap=True)
        self.note.setContentsMargins(24, 0, 24, 12)
        self.note.hide()
        column.addWidget(self.note)
        self.embedding = IndexStatusBar(self.session, self, tidying=False)
        column.addWidget(self.embedding)
        self.doubt = InfoBar()
        column.addWidget(self.doubt)
        column.addWidget(line())
        return self.query

    def _field_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(24, 0, 24, 8)
        row.setSpacing(8)
        self.field = SearchField(self._values)
        self.field.setPlaceholderText("A question, a statement, or words")
        self.field.setAccessibleName("Search the documents")
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self._search)
        self.field.textEdited.connect(lambda _text: self._search_soon())
        self.field.textChanged.connect(lambda _text: self._follow_text())
        self.field.installEventFilter(self)
        row.addWidget(self.field, 1)
        return row

    def _options_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(24, 0, 24, 12)
        row.setSpacing(8)
        modes = QHBoxLayout()
        modes.setSpacing(0)
        self.modes = QButtonGroup(self)
        self.mode_buttons: dict[str, QPushButton] = {}
        for mode, (words, tip) in MODES.items():
            choice = QPushButton(words)
            choice.setProperty("kind", "segment")
            choice.setProperty("first", not self.mode_buttons)
            choice.setCheckable(True)
            choice.setChecked(mode == "hybrid")
            choice.setToolTip(tip)
            choice.setAccessibleName(f"Search by: {words}")
            choice.clicked.connect(lambda _on=False: self._search())
            self.modes.addButton(choice)
            self.mode_buttons[mode] = choice
            modes.addWidget(choice)
        row.addLayout(modes)
        row.addSpacing(8)
        self.strict = QCheckBox("High confidence only")
        self.strict.setToolTip(
            "Only passages that meaning and words agree on. Otherwise, medium and low are shown too, marked."
        )
        self.strict.clicked.connect(lambda _on=False: self._search())
        row.addWidget(self.strict)
        row.addStretch(1)
        self.saved_button = QPushButton("Saved")
        self.saved_button.setProperty("kind", "quiet")
        look.set_icon(self.saved_button, "star")
        self.saved_button.clicked.connect(lambda _on=False: self.show_saved())
        row.addWidget(self.saved_button)
        self.help_button = QPushButton("Operators")
        self.help_button.setProperty("kind", "quiet")
        look.set_icon(self.help_button, "info")
        self.help_button.clicked.connect(lambda _on=False: self.show_operators())
        row.addWidget(self.help_button)
        return row

    def _make_views(self) -> None:
        self.model = PassagesModel(self)
        self.view = PassagesView(self.model, "Passages found")
        self.view.opened.connect(self._open_passage)
        self.view.selectionModel().currentChanged.connect(self._row_changed)
        self.view.customContextMenuRequested.connect(lambda at: self._context_menu(self.view, at))
        self.view.installEventFilter(self)
        self.empty = EmptyState("search", "", "Search both ways", self._widen)
        self.begin = self._begin_page()
        self.pages = QStackedWidget()
        for page in (self.view, self.empty, self.begin):
            self.pages.addWidget(page)
        self._add_view("passages", "Passages", self.pages)

        self.groups = GroupsView()
        self.groups.opened.connect(self._open_passage)
        self.groups.chosen_changed.connect(self._chosen_changed)
        self.groups.customContextMenuRequested.connect(lambda at: self._context_menu(self.groups, at))
        self.groups.installEventFilter(self)
        self.groups_empty = EmptyState("search", "")
        self.groups_pages = QStackedWidget()
        self.groups_pages.addWidget(self.groups)
        self.groups_pages.addWidget(self.groups_empty)
        self._add_view("groups", "Groups", self.groups_pages)

        self.themes = ThemesView()
        self.themes.opened.connect(self.show_source)
        self.themes.hypothesis_wanted.connect(self.hypothesis_wanted)
        self.themes.passages_wanted.connect(self.show_theme)
        self.themes.wording_wanted.connect(self.word_themes)
        self.themes_empty = EmptyState("hypotheses", "")
        self.themes_pages = QStackedWidget()
        self.themes_pages.addWidget(self.themes)
        self.themes_pages.addWidget(self.themes_empty)
        self._add_view("themes", "Themes", self.themes_pages)

        self.timeline = TimelinePage(self.session)
        self.timeline.show_source.connect(self.show_source)
        self.timeline.range_chosen.connect(self._search_between)
        self.timeline.selected.connect(self._in_hand)
        self._add_view("timeline", "Timeline", self.timeline)

        self.discrimination = DiscriminationPage(self.session)
        self.discrimination.show_source.connect(self.show_source)
        self.discrimination.selected.connect(self._in_hand)
        self.discrimination.made.connect(self.tell_made)
        self._add_view("apart", "Diagnosticity", self.discrimination)

        self.names = NamesPage(self.session)
        self.names.show_source.connect(self.show_source)
        self.names.selected.connect(self._in_hand)
        self._add_view("names", "Names", self.names)

        self.batch = BatchPage(self.session)
        self.batch.opened.connect(self._open_passage)
        self.batch.chosen_changed.connect(self._chosen_changed)
        self.batch.view.customContextMenuRequested.connect(lambda at: self._context_menu(self.batch.view, at))
        self._add_view("batch", "List of searches", self.batch)

    def _add_view(self, name: str, title: str, page: QWidget) -> None:
        self.views[name] = page
        self.stack.addWidget(page)
        self.tabs.addTab(title)

    def _begin_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(8)
        head = plain("SAVED SEARCHES", "section")
        head.setContentsMargins(24, 0, 24, 0)
        column.addWidget(head)
        self.kept_list = SnippetList("Saved searches", quotes=False, lines=2)
        self.kept_list.chosen.connect(self.run_saved)
        inside = QHBoxLayout()
        inside.setContentsMargins(8, 0, 8, 0)
        inside.addWidget(self.kept_list)
        column.addLayout(inside, 1)
        return page

    def _make_commands(self) -> None:
        self.search_action = self.command("Search now", None, self._search, shown_keys="Enter in the field")
        self.command("Search field", "Ctrl+F", self._to_field)
        self.open_action = self.command("Show the passage on its page", "O", self._open, shown_keys="Enter")
        self.open_action.setShortcuts([QKeySequence("O"), QKeySequence("Ctrl+Return")])
        self.add_action = self.command("Add the passage as evidence", "A", self._add)
        self.add_action.setShortcuts([QKeySequence("A"), QKeySequence("Ctrl+E")])
        self.similar_action = self.command(
            "Search similar",
            "S",
            self.search_similar,
            tip="Passages like this one, or like the words selected in it",
        )
        self.name_action = self.command(
            "Add to the names",
            "N",
            self._add_name,
            tip="Add the selected words to the names of the case",
        )
        self.pick_action = self.command("Select words of the passage", "W", self._pick)
        self.copies_action = self.command("Where else the passage occurs", "C", self._show_copies)
        self.copy_action = self.command("Copy the passage with its citation", "Ctrl+C", self._copy)
        self.more_action = self.command("More passages", "M", self._more)
        self.more_button = self.header.add(self.more_action, kind="quiet")
        self.header.setMinimumHeight(self.header.sizeHint().height())  # the same without the button
        self.keep_action = self.command("Save search", "Ctrl+D", self.toggle_saved)
        look.set_icon(self.keep_action, "star")
        keep_action(self.field, self.keep_action)
        self.saved_action = self.command("Saved searches", "Ctrl+Shift+D", self.show_saved)
        self.help_action = self.command("Operators of the search", "Ctrl+Shift+H", self.show_operators)
        self.help_action.setShortcuts([QKeySequence("?"), QKeySequence("Ctrl+Shift+H")])
        for button, action in ((self.saved_button, self.saved_action), (self.help_button, self.help_action)):
            button.setAccessibleName(action.text())
            button.setToolTip(f"{action.text()}  ({action.shortcuts()[-1].toString()})")
        self.command("Next view of the hits", "Ctrl+PgDown", lambda: self._turn(1))
        self.command("Previous view of the hits", "Ctrl+PgUp", lambda: self._turn(-1))
        self.command("Next group", "Ctrl+Down", lambda: self.groups.step(1))
        self.command("Previous group", "Ctrl+Up", lambda: self.groups.step(-1))
        for words, part in (
            ("Groups of the hits", "groups"),
            ("Themes of a question", "themes"),
            ("Timeline of dates", "timeline"),
            ("Diagnosticity: passages that discriminate", "apart"),
            ("Names, and which occur together", "names"),
            ("Search a list of searches", "batch"),
        ):
            self.command(words, None, partial(self._go_to_part, part))
        self.word_action = self.command("Have a model draft hypotheses from the themes", None, self.word_themes)
        self.watch_action = self.command(
            "Save the search as an indicator",
            "Ctrl+Shift+S",
            self._watch,
            tip="Run this search whenever documents are added, and flag those that match",
        )

    def _pickers(self) -> tuple[WordPicker, ...]:
        return self.view.picker, self.groups.picker, self.batch.view.picker

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """What was added or left out is searched, or not, from now on; kept searches are listed anew."""
        read = self.session.do(lambda bench: (bench.documents.all(), bench.entities.all("confirmed")))
        if read is None:
            return
        fresh = self._values_read not in ((), read)
        self._values_read = read
        self._documents = read[0]
        self._fill_saved()
        self.themes.writable = not self.session.read_only
        self._name_actions()
        if fresh and (self._query or self._like is not None):
            self._themes_query = ""
            self._search_again()

    def _restyled(self) -> None:
        """New colours need no new search."""
        if self._themes_query:
            self._fill_themes(self.themes.themes, self.themes.drafts)

    def show_part(self, part: str) -> None:
        if part in self.views:
            self.tabs.setCurrentIndex(list(self.views).index(part))

    def search_for(self, text: str) -> None:
        """Put ``text`` into the field and search."""
        self._since = None
        self.field.setText(text)
        self._search()

    def search_words(self, text: str) -> None:
        """Search for words of a document: nothing in them is a condition."""
        self.search_for(plain_words(text))

    def mode(self) -> Mode:
        if self.mode_buttons["vector"].isChecked():
            return "vector"
        return "lexical" if self.mode_buttons["lexical"].isChecked() else "hybrid"

    def part(self) -> str:
        """The name of the view on show."""
        return list(self.views)[self.tabs.currentIndex()]

    def state(self) -> Any:
        return (
            *(self.field.text(), self.mode(), self.strict.isChecked(), self.part()),
            *(self.view.currentIndex().row(), self._like),
        )

    def restore(self, state: Any) -> None:
        text, mode, strict, part, row, like = state
        self.mode_buttons[mode].setChecked(True)
        self.strict.setChecked(strict)
        self.show_part(part)
        if text != self.field.text() or like != self._like:
            self._like, self._theme = like, None
            self.field.setText(text)
            self._soon.stop()
            self._query = text.strip()
            self._show_chips()
            self._search_again()
        elif 0 <= row < len(self.model.rows):
            self.view.setCurrentIndex(self.model.index(row, 0))

    def chosen(self) -> Passage | None:
        """The passage that commands are about, in the view on show."""
        part = self.part()
        if part == "groups":
            return self.groups.chosen()
        if part == "batch":
            return self.batch.chosen()
        return self.view.chosen() if part == "passages" else None

    def actions(self) -> list[QAction]:
        """The commands of the screen and of the view on show."""
        page = self.views[self.part()]
        return [*super().actions(), *page.actions()]

    # --- searching ---------------------------------------------------------------------------------------------------

    def _search_soon(self) -> None:
        self._since = None
        self._soon.start()

    def _follow_text(self) -> None:
        """Whatever changed the text: conditions are shown at once, the star says whether it is kept."""
        if self._like is not None and self.field.text().strip():
            self._like = None
        self._show_chips()
        self._name_actions()
        if not self.field.text().strip() and self._query and self._like is None:
            self._soon.start()

    def _show_chips(self) -> None:
        names = {document.id.casefold(): document.name for document in self._documents}
        like = ""
        if self._theme is not None:
            like = "the theme {}".format(" · ".join(self._theme.label))
        elif self._like is not None:
            like = f"{self._like.name} p. {self._like.page}"
        self.chips.show_conditions(self.field.text(), lambda value: names.get(value.casefold(), value), like)

    def _search_typed(self) -> None:
        """The pause after the last key: search, but make no step to come back to yet."""
        self._hits = HITS
        self._theme = None
        text = self.field.text().strip()
        if text == self._query and self._like is None and self._result is not None:
            return
        self._query = text
        self._search_again()

    def _search(self) -> None:
        self._soon.stop()
        if self.part() not in ASKING:
            self.show_part("passages")
        text = self.field.text().strip()
        fresh = text != self._query
        self._hits = HITS
        self._theme = None
        self._query = text
        self._show_chips()
        self._search_again()
        if fresh and text:
            self.moved.emit()

    def _search_again(self) -> None:
        text, mode, strict, k, like = self._query, self.mode(), self.strict.isChecked(), self._hits, self._like
        if self._theme is not None:
            self.show_theme(self._theme)
            return
        if not text and like is None:
            self._result = None
            self.timeline.show_passages(None)
            self._show_nothing("")
            self.session.read(
                lambda bench: None, lambda _none: None, key="search"
            )  # what is under way comes to nothing
            return
        # Whoever names the documents wants all that is in them.
        per_document = k if parse(text).documents or k > HITS else 5

        def find(bench: Workbench) -> tuple[SearchResult, int, int]:
            if like is not None:
                result = bench.search.similar(like.chunk, k=k, mode=mode, strict=strict, per_document=per_document)
            else:
                result = bench.search.find(text, k=k, mode=mode, strict=strict, per_document=per_document)
            counts = (0, 0)
            if result.passages and result.confidence == "insufficient":
                scope = [document for document in bench.documents.all() if document.included and document.pages]
                counts = len(scope), sum(document.chunks for document in scope)
            return result, *counts

        self.header.count.setText("Searching")
        self.session.read(find, self._show_result, key="search", failed=self._not_found)

    def _show_result(self, outcome: tuple[SearchResult, int, int]) -> None:
        result, documents, passages = outcome
        self._result = result
        self._show_hits(result)
        self.timeline.show_passages(result.passages or None)
        doubtful = bool(passages) and any(is_ranked(p) for p in result.passages)
        notes = " ".join(result.notes)
        if doubtful:
            advice = "Looked at: {} in {}. Try other words{}.".format(
                counted(passages, "passage"),
                counted(documents, "document"),
                ", or search both ways" if self.mode() != "hybrid" else "",
            )
            self.doubt.say(f"{notes} {advice}")
        else:
            self.doubt.hide()
        self.note.setText(notes)
        self.note.setVisible(bool(notes) and bool(result.passages) and not doubtful)
        self._follow()

    def _show_hits(self, result: SearchResult) -> None:
        query = self._like.text if self._like is not None else parse(self._query).words
        for view in (self.view, self.groups):
            view.delegate.query = query
            view.picker.close()
        before = self.view.chosen()
        fresh = frozenset(d.id for d in self._documents if self._since is not None and int(d.id[1:]) > self._since)
        self.model.show(result.passages, result.copies, fresh=fresh)
        if not result.passages:
            self._show_nothing(" ".join(result.notes) or "Nothing was found.")
            if before is not None:
                self.selected.emit(None)  # what is no longer found is no longer on show
            return
        documents = len({passage.document for passage in result.passages})
        where = f"{counted(len(result.passages), 'passage')} in {counted(documents, 'document')}"
        summary = f"{where} · {result.seconds:.2f} s" if result.seconds else where
        self.header.count.setText(summary)
        announce(self, where)
        self.pages.setCurrentWidget(self.view)
        same = [at for at, row in enumerate(self.model.rows) if before is not None and row.chunk == before.chunk]
        # The passage on show is still there, or other passages are not on show at all: nothing new was chosen.
        # One that is ranked otherwise now is told anew.
        self._quiet = (bool(same) and self.model.rows[same[0]] == before) or self.part() != "passages"
        self.view.setCurrentIndex(self.model.index(same[0] if same else 0, 0))
        self._quiet = False
        self._name_actions()

    def _not_found(self, error: AppError) -> None:
        self._result = None
        self._show_nothing("The search did not work.")
        self.session.failed.emit(error)

    def _show_nothing(self, text: str) -> None:
        self.model.show([])
        self.header.count.setText("")
        self.note.hide()
        self.doubt.hide()
        begin = not text
        self.empty.say(text or "Ask in your own words: passages are found by meaning and by words.")
        self.empty.button.setVisible(not begin and (self.strict.isChecked() or self.mode() != "hybrid"))
        if self.strict.isChecked():
            self.empty.button.setText("Show lower confidence too")
        else:
            self.empty.button.setText("Search both ways")
        self.empty.button.setAccessibleName(self.empty.button.text())
        if not begin:
            announce(self, text)
        self.pages.setCurrentWidget(self.begin if begin and self.kept_list.count() else self.empty)
        self._groups_result = None
        self._themes_query = ""
        self._follow()
        self._name_actions()

    def _widen(self) -> None:
        if self.strict.isChecked():
            self.strict.setChecked(False)
        else:
            self.mode_buttons["hybrid"].setChecked(True)
        self._search()

    def _more(self) -> None:
        """Twice as many passages, and as many of one document as there are."""
        self._hits = min(MOST_HITS, 2 * self._hits)
        self._search_again()

    def search_similar(self) -> None:
        """Passages like the chosen one, or like the words picked in it."""
        words = self._words_picked()
        if words:
            self._close_pickers()
            self.show_part("passages")
            self.search_words(words)
            return
        passage = self.chosen()
        if passage is None:
            return
        self._soon.stop()
        self._since, self._theme = None, None
        self._like = passage
        self._query = ""
        self._hits = HITS
        self.field.clear()
        self._soon.stop()
        self._show_chips()
        self.show_part("passages")
        self._search_again()
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.moved.emit()

    def _forget_like(self) -> None:
        self._like = self._theme = None
        self._show_chips()
        self._query = self.field.text().strip()
        self._search_again()
        self._to_field()

    def _drop_condition(self, start: int, end: int) -> None:
        self.search_for(without(self.field.text(), start, end))
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _values(self, kind: str) -> Sequence[tuple[str, str]]:
        """What a condition can be completed with."""
        if kind == "document":
            return [(d.id, f"{d.name}   {d.id}") for d in self._documents if d.pages]
        if kind == "tag":
            return [(tag, tag) for tag in self.session.do(lambda bench: bench.documents.tags()) or []]
        if kind == "name":
            entities = self.session.do(lambda bench: bench.entities.all("confirmed")) or []
            return [(e.name, f"{e.name}   {', '.join(e.aliases)}".rstrip()) for e in entities]
        return [(letter, f"{letter}   {words}") for letter, words in RELIABILITY.items()]

    # --- views of the hits -------------------------------------------------------------------------------------------

    def _go_to_part(self, part: str) -> None:
        self.show_part(part)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _turn(self, by: int) -> None:
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + by) % self.tabs.count())

    def _show_tab(self, at: int) -> None:
        self._close_pickers()
        focus = QApplication.focusWidget()
        inside = focus is not None and self.isAncestorOf(focus) and focus is not self.tabs
        page, asking = self.views[self.part()], self.part() in ASKING
        # From the hits into the hits; who typed goes on typing; who comes back is where they were.
        first_time = page.focusWidget() is None
        in_hits = focus is not None and any(self.views[name].isAncestorOf(focus) for name in ASKING)
        typing = focus is self.field or (first_time and not in_hits)
        self.stack.setCurrentIndex(at)
        self.query.setVisible(asking)
        self.header.count.setVisible(asking)
        self.setFocusProxy(self.field if asking else page)
        if inside and (asking or first_time) and (not asking or typing or not self._into_view()):
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._follow()
        self._name_actions()
        self.selected.emit(self.current_item())

    def current_item(self) -> object:
        """The passage in hand in the view on show."""
        page = self.views[self.part()]
        if isinstance(page, TimelinePage | DiscriminationPage | NamesPage):
            chunk = page.in_hand()
            read = self.session.do(lambda bench: bench.search.passages([chunk.id])) if chunk is not None else ()
            return read[0] if read else None
        return self.chosen()

    def _follow(self) -> None:
        """The view on show takes over what was found."""
        part = self.part()
        if part == "groups":
            self._show_groups()
        elif part == "themes" and self._query != self._themes_query:
            self.themes_empty.say(
                "Looking for themes" if self._query else "Write a question: its themes are shown here."
            )
            self.themes_pages.setCurrentWidget(self.themes_empty)
            if self._query:
                self._themes_timer.start()

    def _search_between(self, first: str, last: str, name: str) -> None:
        """What is asked for, in passages that speak of these days (and of a name); other days and names make way."""
        text = self.field.text()
        for one in reversed(conditions(text)):
            if one.kind == "when" or (name and one.kind == "name"):
                text = without(text, one.start, one.end)
        days = first if first == last else f"{first}..{last}"
        self.search_for(" ".join(filter(None, (text, f"name:{quote_value(name)}" if name else "", f"when:{days}"))))

    def _in_hand(self, chunk: Chunk) -> None:
        """The passage in hand in a view of its own is shown in the details."""
        read = self.session.do(lambda bench: bench.search.passages([chunk.id]))
        if read:
            self.selected.emit(read[0])

    def _show_groups(self) -> None:
        result = self._result
        if result is None or not result.passages:
            self.groups_empty.say("Results are grouped here by topic.")
            self.groups_pages.setCurrentWidget(self.groups_empty)
            return
        if result is self._groups_result:
            self.groups_pages.setCurrentWidget(self.groups)
            return

        def done(groups: list[Group]) -> None:
            if self._result is not result:
                return
            if not groups:
                self.groups_empty.say(
                    "These passages cannot be put into groups yet: the search model has not read them."
                )
                self.groups_pages.setCurrentWidget(self.groups_empty)
                return
            self._groups_result = result
            self.groups.show_groups(groups, result.passages, result.copies, self._rest)
            self.groups_pages.setCurrentWidget(self.groups)
            self._name_actions()

        def failed(error: AppError) -> None:
            self.groups_empty.say(f"{error.sentence} {error.hint}")
            self.groups_pages.setCurrentWidget(self.groups_empty)

        self.session.read(lambda bench: bench.search.grouped(result.passages), done, key="search groups", failed=failed)

    def _rest(self, groups: int) -> str:
        return "Each on its own topic" if groups else "No two of these are about the same topic"

    def _show_themes(self) -> None:
        question = self._query
        if self.part() != "themes" or not question or question == self._themes_query:
            return

        def done(themes: list[Theme]) -> None:
            if self._query != question:
                return
            self._themes_query = question
            if not themes:
                self.themes_empty.say("No topic occurs in three or more of the passages found. Ask a broader question.")
                self.themes_pages.setCurrentWidget(self.themes_empty)
                return
            self._fill_themes(themes)
            self.themes_pages.setCurrentWidget(self.themes)
            announce(self, counted(len(themes), "theme"))

        def failed(error: AppError) -> None:
            self.themes_empty.say(f"{error.sentence} {error.hint}")
            self.themes_pages.setCurrentWidget(self.themes_empty)

        self.session.read(lambda bench: bench.search.themes(question), done, key="search themes", failed=failed)

    def _fill_themes(self, themes: Sequence[Theme], drafts: Sequence[Draft] = ()) -> None:
        self.themes.show_themes(themes, writable=not self.session.read_only, can_word=self._can_word(), drafts=drafts)
        self._name_actions()

    def _can_word(self) -> bool:
        bench = self.session.workbench
        return bench is not None and bench.engines.text_model is not None and not self.session.read_only

    def word_themes(self) -> None:
        """Have the model that writes drafts word a hypothesis of each theme; none is added."""
        question, themes = self._themes_query, self.themes.themes
        if self.word_action.isEnabled():
            self.session.run(
                "Wording hypotheses",
                lambda bench, progress: bench.drafts.hypotheses(question, themes, progress),
                done=lambda drafts: self._show_drafts(question, drafts),
                initiator=self,
            )

    def _show_drafts(self, question: str, drafts: Sequence[Draft]) -> None:
        if question != self._themes_query:
            return
        self._fill_themes(self.themes.themes, drafts)
        usable = sum(bool(draft.text) for draft in drafts)
        self.session.tell(
            f"{counted(usable, 'draft')} for {counted(len(drafts), 'theme')}"
            if usable
            else "No usable draft: the documents' own sentences stay"
        )

    def show_theme(self, theme: Theme) -> None:
        """The passages of a theme in the list."""
        self._theme = theme
        self._show_chips()
        self.show_part("passages")
        chunks = [chunk.id for chunk in theme.passages]

        def done(passages: tuple[Passage, ...]) -> None:
            if self._theme is not theme or self._result is None:
                return
            from core.search.service import SearchResult

            self._show_result((SearchResult(self._query, passages, 0.0), 0, 0))

        self.session.read(lambda bench: bench.search.passages(chunks), done, key="search")

    # --- kept searches -----------------------------------------------------------------------------------------------

    def run_saved(self, search: Consideration) -> None:
        """Run a kept search; what is in documents that came since is marked."""
        self.show_part("passages")
        self._like = None
        self._since = search.seen
        self.field.setText(search.query)
        self._search()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_saved(self) -> None:
        """The kept searches in a list below their button."""
        if self.part() not in ASKING:
            self.show_part("passages")
        self._fill_saved()
        self.saved_popup.open_below(self.saved_button)

    def show_operators(self) -> None:
        """Search operators, with examples."""
        if self.part() not in ASKING:
            self.show_part("passages")
        self.operators.open_below(self.help_button)

    def toggle_saved(self) -> None:
        """Keep the search in the field, or forget it if it is kept."""
        text = self.field.text().strip()
        search = self._saved_search(text)
        if search is not None:
            self._remove_saved(search.id)
        elif text and self.session.do(lambda bench: bench.search.save("", text), initiator=self) is not None:
            self.session.tell("Search saved", undo=True)
        self._fill_saved()
        self._name_actions()

    def _remove_saved(self, search: str) -> None:
        if self.session.do(lambda bench: bench.search.remove_saved(search), initiator=self) is not None:
            self.session.tell("Search deleted", undo=True)
        self._fill_saved()
        self._name_actions()

    def _saved_search(self, text: str) -> Consideration | None:
        return next((search for search, _ in self._searches if text and search.query == text), None)

    def _fill_saved(self) -> None:
        searches = self.session.do(lambda bench: bench.search.saved()) or []
        numbers = [int(document.id[1:]) for document in self._documents if document.included and document.pages]
        self._searches = [(search, sum(number > search.seen for number in numbers)) for search in searches]
        self.saved_popup.show_searches(self._searches, writable=not self.session.read_only)
        fill(self.kept_list, self._searches)
        self.saved_button.setText(f"Saved {len(searches)}" if searches else "Saved")
        if self.pages.currentWidget() in (self.begin, self.empty) and not self._query and self._like is None:
            self.pages.setCurrentWidget(self.begin if searches else self.empty)

    # --- following ---------------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._query = ""
        self._like = self._theme = None
        self._since = self._result = None
        self.timeline.show_passages(None)
        self._values_read = ()
        self._documents = []
        self._searches = []
        self.field.clear()
        self._soon.stop()
        self._fill_saved()
        self._show_nothing("")
        self._show_chips()

    def _row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        if 0 <= index.row() < len(self.model.rows) and not self._quiet:
            self._chosen_changed(self.model.rows[index.row()])
        self._name_actions()

    def _chosen_changed(self, passage: Passage | None) -> None:
        if passage is not None and passage is self.chosen():
            self.selected.emit(passage)
        self._name_actions()

    def _name_actions(self) -> None:
        passage = self.chosen()
        writable = self.session.workbench is not None and not self.session.read_only
        for action in (self.open_action, self.similar_action, self.pick_action, self.copy_action):
            action.setEnabled(passage is not None)
        self.add_action.setEnabled(passage is not None and writable)
        self.name_action.setEnabled(passage is not None and writable)
        self.copies_action.setEnabled(bool(self._copies_of(passage)))
        self.watch_action.setEnabled(bool(self._query) and writable)
        self.word_action.setEnabled(self.part() == "themes" and bool(self._themes_query) and self._can_word())
        full = self._result is not None and len(self._result.passages) >= min(self._hits, HITS)
        here = self.part() in ("passages", "groups")
        self.more_action.setEnabled(here and full and self._hits < MOST_HITS and self._theme is None)
        self.more_button.setVisible(self.more_action.isEnabled())
        text = self.field.text().strip()
        is_saved = self._saved_search(text) is not None
        self.keep_action.setEnabled(bool(text) and writable)
        self.keep_action.setVisible(bool(text))
        self.keep_action.setText("Delete the saved search" if is_saved else "Save search")
        self.keep_action.setToolTip(f"{self.keep_action.text()}  (Ctrl+D)")
        look.set_icon(self.keep_action, "star-kept" if is_saved else "star")

    def _copies_of(self, passage: Passage | None) -> tuple[Passage, ...]:
        return () if passage is None or self._result is None else tuple(self._result.copies.get(passage.chunk, ()))

    # --- commands ----------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        passage = self.chosen()
        if passage is not None:
            self._open_passage(passage)

    def _open_passage(self, passage: Passage) -> None:
        self.show_source.emit(passage.document, passage.page, passage.start, passage.end)

    def _add(self) -> None:
        passage = self.chosen()
        if passage is None:
            return
        evidence = self.session.do(
            lambda bench: bench.evidence.add_quote(passage.document, passage.page, passage.start, passage.end),
            initiator=self,
        )
        if evidence is not None:
            self.session.tell(f"Added as {evidence.id}", undo=True)
            self.tell_made(evidence.id)

    def _words_picked(self) -> str:
        return next((words for picker in self._pickers() if (words := picker.words())), "")

    def _close_pickers(self) -> None:
        for picker in self._pickers():
            picker.close()

    def _show_bar(self, picker: WordPicker, words: str) -> None:
        """Words of a passage are picked: what can be done with them stands beside them."""
        if words:
            self._bar.stand_by(picker.box(self))
        else:
            self._bar.hide()

    def _pick(self) -> None:
        for view in (self.view, self.groups, self.batch.view):
            if view.isVisible() and view.chosen() is not None:
                view.picker.open(view.currentIndex())
                return

    def _add_name(self) -> None:
        """Add the selected words to the names of the case; without any, offer the words of the passage."""
        words = self._words_picked()
        if not words:
            self._pick()
            return
        entity = self.session.do(lambda bench: bench.entities.add(words), initiator=self)
        if entity is not None:
            self._close_pickers()
            self.session.tell(f"{entity.name} is among the names of the case", undo=True)
            self.session.changed.emit(Changes(documents=True), self)

    def _show_copies(self) -> None:
        copies = self._copies_of(self.chosen())
        view: QAbstractItemView = self.groups if self.part() == "groups" else self.view
        if copies:
            at = view.viewport().mapToGlobal(view.visualRect(view.currentIndex()).bottomLeft() + QPoint(56, -24))
            menu = copies_menu(self, copies, self._open_passage)
            menu.exec(at)
            menu.deleteLater()

    def _copy(self) -> None:
        words, passage = self._words_picked(), self.chosen()
        if passage is not None:
            text = words or " ".join(passage.text.split())
            layer = f"; {LAYER}" if passage.source == "layer" else ""
            QGuiApplication.clipboard().setText(f"“{text}” ({passage.name}, p. {passage.page}{layer})")
            self.session.status.emit("Copied with its citation")

    def _context_menu(self, view: QAbstractItemView, at: QPoint) -> None:
        index = view.indexAt(at)
        if not isinstance(index.data(Qt.ItemDataRole.UserRole), Passage):
            return
        view.setCurrentIndex(index)
        menu = QMenu(self)
        menu.addActions([self.open_action, self.add_action, self.similar_action])
        copies = self._copies_of(self.chosen())
        if copies:
            places = copies_menu(menu, copies, self._open_passage)
            places.setTitle("Also in")
            menu.addMenu(places)
        menu.addSeparator()
        menu.addActions([self.pick_action, self.name_action, self.copy_action])
        menu.exec(view.viewport().mapToGlobal(at))
        menu.deleteLater()

    def _watch(self) -> None:
        """Keep the search as an indicator: documents that come in and match are flagged."""
        text = self._query
        if not text:
            return
        indicator = self.session.do(
            lambda bench: bench.hypotheses.add_consideration("indicator", text, query=text), initiator=self
        )
        if indicator is not None:
            self.session.tell("Saved as an indicator: new documents that match are flagged", undo=True)

    def _to_field(self) -> None:
        if self.part() not in ASKING:
            self.show_part("passages")
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down leaves the field for what is below it; Up at the top and Escape go back."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if watched is self.field and event.key() == Qt.Key.Key_Down:
            return self._into_view()
        if watched in (self.view, self.groups):
            index = self.view.currentIndex() if watched is self.view else self.groups.currentIndex()
            top = index.row() <= 0 and not index.parent().isValid()
            if event.key() == Qt.Key.Key_Escape or (event.key() == Qt.Key.Key_Up and top):
                self.field.setFocus(Qt.FocusReason.BacktabFocusReason)
                return True
        return False

    def _into_view(self) -> bool:
        """From the field into what is below it; whether there was something to go to."""
        part = self.part()
        target: QWidget | None = None
        if part == "passages":
            target = self.view if self.model.rows else self.kept_list if self.begin.isVisible() else None
        elif part == "groups" and self.groups.isVisible():
            target = self.groups
        elif part == "themes" and self.themes.isVisible():
            target = self.themes
        elif part == "batch":
            target = self.batch
        if target is not None:
            target.setFocus(Qt.FocusReason.TabFocusReason)
        return target is not None
