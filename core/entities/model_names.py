"""Asking the model for names about the pages of a case: a page once, as long as the program runs, and many together."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from core.errors import AppError, LibraryMissing, ModelMissing, ModelUnreadable
from core.ports import NameFinder
from core.progress import Progress
from core.text import digest

_AT_A_TIME = 20_000  # characters that are asked about together: some seconds, after which a person can cancel
_WAITING = 200  # pages that are held back at most while that many are gathered


class Named:
    """What the model found in texts, by their digest. ``problem`` says why it was not asked although there is one."""

    def __init__(self) -> None:
        self.problem: AppError | None = None
        self._by: NameFinder | None = None
        self._known: dict[str, tuple[tuple[str, str], ...]] = {}

    def of(self, text: str) -> tuple[tuple[str, str], ...]:
        """(name as it is written, kind) for every place in a text that ``asked`` has handed out."""
        return self._known.get(digest(text), ())

    def asked(
        self, pages: Iterable[tuple[str, str]], finder: NameFinder | None, progress: Progress
    ) -> Iterator[tuple[str, str]]:
        """The same (document, text) pages, each after the model was asked about it. A model that cannot be used is not
        asked again; the pages come all the same. Raises EngineStopped where its process ends."""
        if finder is not self._by:  # another model finds other names
            self._by, self._known = finder, {}
        self.problem = None
        waiting: list[tuple[str, str]] = []
        fresh: dict[str, str] = {}
        length = 0
        for page in pages:
            waiting.append(page)
            key = digest(page[1])
            if finder is not None and key not in self._known and key not in fresh:
                fresh[key] = page[1]
                length += len(page[1])
            if length >= _AT_A_TIME or len(waiting) >= _WAITING:
                self._ask(fresh, progress)
                yield from waiting
                waiting, fresh, length = [], {}, 0
        self._ask(fresh, progress)
        yield from waiting

    def _ask(self, fresh: dict[str, str], progress: Progress) -> None:
        if self._by is None or self.problem is not None or not fresh:
            return
        texts = list(fresh.values())
        try:
            with progress.asking():
                found = self._by.find(texts)
        except (LibraryMissing, ModelMissing, ModelUnreadable) as error:
            self.problem = error
            return
        for key, text, names in zip(fresh, texts, found, strict=True):
            # The same names come again and again: each is kept once.
            self._known[key] = tuple((sys.intern(text[n.start : n.end]), sys.intern(n.kind)) for n in names)
