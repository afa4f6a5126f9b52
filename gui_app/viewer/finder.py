"""Finding words in the document that is looked at: the bar, the hits, and which of them is the current one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui_app.viewer.find_bar import FindBar
from gui_app.viewer.marks import hits

if TYPE_CHECKING:
    from core.workbench import Workbench
    from gui_app.viewer.screen import ViewerScreen

MAX_HITS = 2_000


class Finder:
    """The search in the pane that the person works in."""

    def __init__(self, screen: ViewerScreen) -> None:
        self._screen = screen
        self._index = 0
        self._query = ""
        self.bar = FindBar()
        self.bar.wanted.connect(self._find)
        self.bar.step.connect(self.step)
        self.bar.closed.connect(self._close)

    def again(self) -> None:
        """Search again where the bar is open: another document or pane is looked at."""
        if self.bar.isVisible():
            self.bar.again()

    def _close(self) -> None:
        self.bar.hide()
        self._query = ""
        for pane in self._screen.panes():
            pane.clear_finds()
        self._screen.active.view().setFocus()

    def _find(self, query: str) -> None:
        pane, content = self._screen.active, self._screen.active.content
        if content is None or not self.bar.isVisible():
            return
        document = content.document.id

        def look_through(bench: Workbench) -> list[tuple[int, int, int]]:
            matches: list[tuple[int, int, int]] = []
            for page in bench.documents.pages(document) if query.strip() else ():
                matches += [(page.number, start, end) for start, end in hits(page.text, query)]
                if len(matches) >= MAX_HITS:
                    break
            return matches[:MAX_HITS]

        def show(matches: list[tuple[int, int, int]]) -> None:
            now = pane.content
            if now is None or now.document.id != document or not self.bar.isVisible():
                return
            pane.finds = matches
            here = (now.page.number, *(pane.span or (0, 0)))
            self._index = next((i for i, hit in enumerate(matches) if hit >= here), 0)
            # While typing the nearest hit comes into view; turning a page or a document must not jump back to one.
            self._show(jump=query != self._query)
            self._query = query

        self._screen.session.read(look_through, show, key=("viewer find", id(self)))

    def step(self, way: int) -> None:
        """Go to the next hit, or the one before."""
        finds = self._screen.active.finds
        if finds:
            self._index = (self._index + way) % len(finds)
            self._show(jump=True)

    def _show(self, *, jump: bool) -> None:
        pane, content = self._screen.active, self._screen.active.content
        if content is None:
            return
        if not pane.finds:
            self.bar.tell("not found" if self.bar.field.text().strip() else "")
            pane.clear_finds()
            return
        match = pane.finds[min(self._index, len(pane.finds) - 1)]
        more = "+" if len(pane.finds) == MAX_HITS else ""
        self.bar.tell(f"{self._index + 1} / {len(pane.finds)}{more}")
        if match[0] != content.page.number and jump:
            finds, index = pane.finds, self._index
            self._screen.go_to(match[0], 0, 0)
            self.bar.rest()
            pane.finds, self._index = finds, index
        pane.show_finds(match)
