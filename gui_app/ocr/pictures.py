"""The strips of scans around words: fetched beside the work, kept while they may be looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from core.errors import AppError
from core.ocr.suspect_words import SuspectWord
from gui_app.ocr.suspects_model import Key, key_of
from gui_app.ocr.word_strip import Cut, top_of, zoom_for
from gui_app.session import CaseSession

if TYPE_CHECKING:
    from core.workbench import Workbench


_AT_ONCE = 6  # pictures of the grid a reading: others may read in between
_AHEAD = 24  # pictures kept, so that the next word is there when the one before is decided


def cut_of(bench: Workbench, doubt: SuspectWord, ratio: float) -> Cut:
    """Cut the strip of the page around a word, as large as its lines can be read."""
    page = bench.documents.page(doubt.document, doubt.page)
    words = list(bench.documents.words(page.id))
    zoom = zoom_for([word.y1 - word.y0 for word in words])
    picture = bench.documents.strip(doubt.document, doubt.page, doubt.box, zoom * ratio)
    # The reader may have drawn it smaller than asked.
    zoom = picture.scale / ratio
    top = top_of(doubt.box, picture.height / picture.scale, page.height)
    return Cut(picture.png, zoom, ratio, doubt.box, top)


class WordPictures:
    """The strips around words, each once: those of the last words are kept."""

    def __init__(self, session: CaseSession, view: QWidget) -> None:
        self._session = session
        self._view = view
        self.cuts: dict[Key, Cut] = {}

    def clear(self) -> None:
        """Forget all strips: another case is open."""
        self.cuts = {}

    def _ratio(self) -> float:
        return max(1.0, self._view.devicePixelRatioF())

    def _keep(self, doubt: SuspectWord, cut: Cut) -> None:
        self.cuts[key_of(doubt)] = cut
        while len(self.cuts) > _AHEAD:
            del self.cuts[next(iter(self.cuts))]

    def fetch(
        self, doubt: SuspectWord, on_cut: Callable[[Cut], object], on_error: Callable[[AppError], object]
    ) -> None:
        """Fetch the strip of the word that is looked at."""
        ratio = self._ratio()

        def keep(cut: Cut) -> None:
            self._keep(doubt, cut)
            on_cut(cut)

        self._session.read(lambda bench: cut_of(bench, doubt, ratio), keep, key="strip of a word", failed=on_error)

    def fetch_ahead(self, doubt: SuspectWord) -> None:
        """Fetch the strip of the next word, while the person looks at this one."""
        ratio = self._ratio()
        self._session.read(
            lambda bench: cut_of(bench, doubt, ratio),
            lambda cut: self._keep(doubt, cut),
            key="strip of the next word",
            failed=lambda _error: None,  # told when it is on show
        )

    def fetch_several(
        self, doubts: Sequence[SuspectWord], on_cuts: Callable[[Sequence[tuple[SuspectWord, Cut]]], object]
    ) -> None:
        """Fetch the first few of ``doubts``, so that other readings come in between."""
        ratio, doubts = self._ratio(), doubts[:_AT_ONCE]
        self._session.read(
            lambda bench: [(doubt, cut_of(bench, doubt, ratio)) for doubt in doubts],
            on_cuts,
            key="pictures of words",
            failed=lambda _error: None,  # the words are there without
        )
