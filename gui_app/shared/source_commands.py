"""Commands on the selected source: its page, the details of its passage, evidence made of it, the next one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QKeySequence

from core.domain import Passage, Quote
from gui_app.shared.screen import Screen
from gui_app.shared.sources_view import SourcesView


class SourceCommands:
    """Commands of ``screen`` for the source that has the focus in ``view``; ``allow()`` when another one has it."""

    def __init__(self, screen: Screen, view: SourcesView, *, allow: Callable[[], None]) -> None:
        self.screen, self.session, self._view, self._allow = screen, screen.session, view, allow
        self.passage: Passage | None = None  # around the selected source
        view.opened.connect(self.open)
        view.entered.connect(self._follow)

    def make(self) -> None:
        """Make the commands."""
        screen, view = self.screen, self._view
        self.open_action = screen.command(
            "Show the source on its page", "O", lambda: self.open(view.quote_in_hand()), shown_keys="Enter"
        )
        self.add_action = screen.command("Add the sentence as evidence", "A", self._add)
        self.next_action = screen.command("Next source", "J", lambda: view.step(1))
        self.next_action.setShortcuts([QKeySequence("J"), QKeySequence("Alt+Down")])
        self.previous_action = screen.command("Previous source", "K", lambda: view.step(-1))
        self.previous_action.setShortcuts([QKeySequence("K"), QKeySequence("Alt+Up")])

    def enable(self) -> None:
        """Enable what can be done with the selected source."""
        has_quote = self._view.quote_in_hand() is not None
        self.open_action.setEnabled(has_quote)
        self.add_action.setEnabled(has_quote and not self.session.read_only)

    def open(self, quote: Quote | None) -> None:
        """Show a quote on its page."""
        if quote is not None:
            self.screen.show_source.emit(quote.document, quote.page, quote.start, quote.end)

    def _follow(self, quote: Quote) -> None:
        """Have the details show the passage around a source."""
        self.passage = self.session.do(lambda bench: bench.search.passage_around(quote))
        self._allow()
        self.screen.selected.emit(self.passage)

    def _add(self) -> None:
        quote = self._view.quote_in_hand()
        if quote is None:
            return
        more = [(part.page, part.start, part.end) for part in quote.more]
        evidence = self.session.do(
            lambda bench: bench.evidence.add_quote(quote.document, quote.page, quote.start, quote.end, more=more),
            initiator=self.screen,
        )
        if evidence is not None:
            self.session.tell(f"Added as {evidence.id}", undo=True)
            self.screen.tell_made(evidence.id)
