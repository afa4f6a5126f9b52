"""The views of the search, one behind the other below their tabs: what the query finds, and pages of their own."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from core.domain import Chunk, Passage
from gui_app.search.discrimination_page import DiscriminationPage
from gui_app.search.groups_page import GroupsPage
from gui_app.search.groups_view import GroupsView
from gui_app.search.hits_page import HitsPage
from gui_app.search.names_page import NamesPage
from gui_app.search.passage_list import PassagesView
from gui_app.search.themes_page import ThemesPage
from gui_app.search.timeline_page import TimelinePage
from gui_app.session import CaseSession

HIT_VIEWS = ("passages", "groups", "themes")  # the views of what the query finds


class SearchViews(QObject):
    """``tabs`` and ``stack`` have a place each in the screen; ``pages`` has the views by name.

    ``chosen_changed(Passage | None)`` when another row of a list is selected, ``in_hand(Chunk)`` when another passage
    of one of ``own_pages`` is.
    """

    chosen_changed = Signal(object)
    in_hand = Signal(object)

    def __init__(
        self, session: CaseSession, widen: Callable[[], object], asks: Callable[[], bool], screen: QWidget
    ) -> None:
        super().__init__()
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Views of the search")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        self.stack = QStackedWidget(screen)
        self.passages = HitsPage(widen, asks)
        self.passages.chosen_changed.connect(self.chosen_changed)
        self.groups = GroupsPage(session, self.stack)
        self.groups.view.chosen_changed.connect(self.chosen_changed)
        self.themes = ThemesPage(session, self.stack)
        self.timeline = TimelinePage(session, self.stack)
        self.discrimination = DiscriminationPage(session, self.stack)
        self.names = NamesPage(session, self.stack)
        self.own_pages = (self.timeline, self.discrimination, self.names)  # their passages are no hits of the query
        for own_page in self.own_pages:
            own_page.selected.connect(self.in_hand)
        self.lists: tuple[PassagesView | GroupsView, ...] = (self.passages.view, self.groups.view)
        self.pages: dict[str, QWidget] = {}
        for name, title, page in (
            ("passages", "Passages", self.passages),
            ("groups", "Groups", self.groups),
            ("themes", "Themes", self.themes),
            ("timeline", "Timeline", self.timeline),
            ("apart", "Diagnosticity", self.discrimination),
            ("names", "Names", self.names),
        ):
            self.pages[name] = page
            self.stack.addWidget(page)
            self.tabs.addTab(title)

    def part(self) -> str:
        """Return the name of the view on show."""
        return list(self.pages)[self.tabs.currentIndex()]

    def page(self) -> QWidget:
        """Return the view on show."""
        return self.pages[self.part()]

    def show(self, part: str) -> None:
        """Show a view by name; another name changes nothing."""
        if part in self.pages:
            self.tabs.setCurrentIndex(list(self.pages).index(part))

    def turn(self, tabs: int) -> None:
        """Go to the next view or the one before, round and round."""
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + tabs) % self.tabs.count())

    def to_hits(self) -> None:
        """Go to the passages, unless another view of what the query finds is on show."""
        if self.part() not in HIT_VIEWS:
            self.show("passages")

    def chosen(self) -> Passage | None:
        """Return the selected passage of the list on show."""
        part = self.part()
        if part == "groups":
            return self.groups.view.chosen()
        return self.passages.view.chosen() if part == "passages" else None

    def chunk(self) -> Chunk | None:
        """Return the selected passage of the page on show, if it has passages of its own."""
        page = next((page for page in self.own_pages if page is self.page()), None)
        return page.in_hand() if page is not None else None

    def below_field(self) -> QWidget | None:
        """Return the widget that takes the focus from the field, or None."""
        hits = self.passages
        target: QWidget | None = {
            "passages": hits.view if hits.model.rows else hits.saved_list if hits.begin.isVisible() else None,
            "groups": self.groups.view if self.groups.view.isVisible() else None,
            "themes": self.themes.view if self.themes.view.isVisible() else None,
        }.get(self.part())
        return target
