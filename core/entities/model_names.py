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


class NamedPages:
    """The names that a model found in texts, by their digest, as long as it is the model that is asked."""

    def __init__(self) -> None:
        self._model: NameFinder | None = None
        self._names: dict[str, tuple[tuple[str, str], ...]] = {}

    def reading(self, model: NameFinder | None, progress: Progress) -> Reading:
        """One reading of pages by ``model``; another model begins with nothing known, for it finds other names."""
        if model is not self._model:
            self._model, self._names = model, {}
        return Reading(model, self._names, progress)


class Reading:
    """One reading of pages. ``problem`` says why the model was not asked although there is one."""

    def __init__(
        self, model: NameFinder | None, names: dict[str, tuple[tuple[str, str], ...]], progress: Progress
    ) -> None:
        self.problem: AppError | None = None
        self._model = model
        self._names = names
        self._progress = progress

    def names_in(self, text: str) -> tuple[tuple[str, str], ...]:
        """Return (name as it is written, kind) for every place in a text that ``asked`` has handed out."""
        return self._names.get(digest(text), ())

    def asked(self, pages: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Hand out the same (document, text) pages, each after the model was asked about it.

        A model that cannot be used is not asked again; the pages come all the same. Raises EngineStopped where its
        process ends.
        """
        waiting: list[tuple[str, str]] = []
        fresh: dict[str, str] = {}
        length = 0
        for page in pages:
            waiting.append(page)
            key = digest(page[1])
            if self._model is not None and key not in self._names and key not in fresh:
                fresh[key] = page[1]
                length += len(page[1])
            if length >= _AT_A_TIME or len(waiting) >= _WAITING:
                self._ask(fresh)
                yield from waiting
                waiting, fresh, length = [], {}, 0
        self._ask(fresh)
        yield from waiting

    def _ask(self, fresh: dict[str, str]) -> None:
        if self._model is None or self.problem is not None or not fresh:
            return
        texts = list(fresh.values())
        try:
            with self._progress.asking():
                spans = self._model.find(texts)
        except (LibraryMissing, ModelMissing, ModelUnreadable) as error:
            self.problem = error
            return
        for key, text, names in zip(fresh, texts, spans, strict=True):
            # The same names come again and again: each is kept once.
            self._names[key] = tuple((sys.intern(text[n.start : n.end]), sys.intern(n.kind)) for n in names)
