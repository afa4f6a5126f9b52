"""What is asked now and what came of it: words as they are typed, passages like one, or the passages of a theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from core.domain import Passage
from core.errors import AppError
from gui_app.search.query_bar import QueryBar
from gui_app.search.state import HITS, MAX_HITS, Hits, SearchRequest, find
from gui_app.session import CaseSession

if TYPE_CHECKING:
    from core.search.service import SearchResult, Theme

PAUSE_MS = 250  # between the last key and the search


class RunningQuery(QObject):
    """The query of a QueryBar, searched for beside the work; the last one asked wins.

    ``began()`` when a search starts, ``found(Hits)`` when it is over, ``failed(AppError)`` when it did not work,
    ``emptied()`` when nothing is asked for any more; ``paused()`` when who types has stopped for a moment.
    """

    began = Signal()
    found = Signal(object)
    failed = Signal(object)
    emptied = Signal()
    paused = Signal()

    def __init__(self, session: CaseSession, bar: QueryBar) -> None:
        super().__init__(bar)
        self._session, self._bar = session, bar
        self.text = ""
        self.like: Passage | None = None  # the passage whose like is searched for in place of what is typed
        self.theme: Theme | None = None
        self.since: int | None = None  # the last document there was when the search on show was saved
        self.limit = HITS
        self.hits: Hits | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.paused)

    def reset(self) -> None:
        """Ask for nothing, and know of no hits."""
        self.text = ""
        self.like = self.theme = None
        self.since = self.hits = None

    def asks(self) -> bool:
        """Return whether anything is asked for."""
        return bool(self.text) or self.like is not None

    def result(self) -> SearchResult | None:
        """Return the result on show, or None if nothing is asked for."""
        return None if self.hits is None else self.hits.result

    def is_full(self) -> bool:
        """Return whether there may be more hits than were asked for."""
        return (
            self.hits is not None
            and len(self.hits.result.passages) >= min(self.limit, HITS)
            and self.limit < MAX_HITS
            and self.theme is None
        )

    def words(self) -> str:
        """Return the words that are marked in the hits."""
        return SearchRequest(self.text, self.like).words()

    def likeness(self) -> str:
        """Return the passage that the hits are to be like in words, '' for a query of words."""
        if self.theme is not None:
            return "the theme {}".format(" · ".join(self.theme.label))
        return f"{self.like.name} p. {self.like.page}" if self.like is not None else ""

    def wait(self) -> None:
        """Begin the pause after a key."""
        self._pause.start()

    def wait_no_more(self) -> None:
        """End the pause: what was typed is not searched for by itself."""
        self._pause.stop()

    def follow_text(self) -> None:
        """Let words take the place of a passage; a field that was emptied is searched for after the pause."""
        if self.like is not None and self._bar.text():
            self.like = None
        if not self._bar.text() and self.text and self.like is None:
            self.wait()

    def take_text(self) -> bool:
        """Take a text as the query, from the first hits on; return whether it is another one."""
        text = self._bar.text()
        is_other = text != self.text
        self.text, self.theme, self.limit = text, None, HITS
        return is_other

    def take_like(self, passage: Passage) -> None:
        """Take a passage as the query; the field is emptied."""
        self.wait_no_more()
        self.since = self.theme = None
        self.like, self.text, self.limit = passage, "", HITS
        self._bar.field.clear()
        self.wait_no_more()

    def take_more(self) -> None:
        """Ask for twice as many passages, and as many of one document as there are."""
        self.limit = min(MAX_HITS, 2 * self.limit)

    def search(self) -> None:
        """Search for what is asked."""
        if not self.asks():
            self.hits = None
            self.emptied.emit()
            self._session.read(
                lambda bench: None, lambda _none: None, key="search"
            )  # what is under way comes to nothing
            return
        request = SearchRequest(self.text, self.like, self._bar.mode(), self._bar.show_modes.mode(), self.limit)
        self.began.emit()
        self._session.read(lambda bench: find(bench, request), self._take, key="search", failed=self._fail)

    def search_theme(self, theme: Theme) -> None:
        """Read the passages of the theme that is taken."""
        chunks = [chunk.id for chunk in theme.passages]

        def done(passages: tuple[Passage, ...]) -> None:
            if self.theme is not theme or self.hits is None:
                return
            from core.search.service import SearchResult

            self._take(Hits(SearchResult(self.text, passages, 0.0)))

        self._session.read(lambda bench: bench.search.passages(chunks), done, key="search")

    def _take(self, hits: Hits) -> None:
        self.hits = hits
        self.found.emit(hits)

    def _fail(self, error: AppError) -> None:
        self.hits = None
        self.failed.emit(error)
