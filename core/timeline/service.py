"""The dates that passages, documents and evidence name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.domain import (
    Chunk,
    Document,
    Evidence,
    Passage,
)
from core.progress import Progress, silent
from core.text import digest
from core.timeline import dates

if TYPE_CHECKING:
    from core.open_case import OpenCase


@dataclass(frozen=True, slots=True)
class DatedPassage:
    """A date, with offsets into the text of the passage that names it."""

    date: dates.Dated
    passage: Chunk


class Timeline:
    """The dates that passages, documents and evidence name."""

    def __init__(self, case: OpenCase) -> None:
        self._open = case
        self._store = case.store
        self._dates: dict[int, tuple[str, str, tuple[dates.Dated, ...]]] = {}  # text digest, language

    def date_mentions(
        self, passages: Sequence[Passage] | None = None, *, progress: Progress | None = None
    ) -> list[DatedPassage]:
        """The dates that passages name (of a search, or all in scope), in order of time: a timeline to be checked.

        By the earliest day each may be, then by document and place. Dates without a year are not among them.
        """
        progress = progress or silent()
        spoken = {document.id: document.language for document in self._store.documents.all() if document.included}
        if passages is not None:
            chunks = list(self._store.pages.chunks([p.chunk for p in passages]).values())
        else:
            chunks = []
            for done, document in enumerate(spoken):
                progress.step(done, len(spoken), "Reading dates")
                chunks += self._store.pages.chunks(self._store.pages.chunk_ids(document)).values()
        found: dict[tuple[int, int], DatedPassage] = {}
        for at, chunk in enumerate(chunks):
            if at % 200 == 0:
                progress.check()
            for date in self.dates_of(chunk, spoken.get(chunk.document, "")):
                # Passages overlap: a date that stands in two of them stands on its page once.
                found.setdefault((chunk.page_id, chunk.start + date.start), DatedPassage(date, chunk))
        return sorted(
            found.values(),
            key=lambda one: (one.date.earliest, one.date.latest, one.passage.id, one.date.start),
        )

    def dates_of(self, chunk: Chunk, language: str) -> tuple[dates.Dated, ...]:
        """The dates in a passage: read once, as long as nobody corrects its words or says that it is in another
        language.
        """
        of, known = digest(chunk.text), self._dates.get(chunk.id)
        if known is None or known[:2] != (of, language):
            known = self._dates[chunk.id] = (of, language, dates.dates_in(chunk.text, language=language))
        return known[2]

    def documents(self) -> list[tuple[dates.Dated, Document]]:
        """Documents in scope by their own dates, in order of time: the analyst's before the file's. Those whose date
        says nothing are left out.
        """
        found = []
        for document in self._store.documents.all():
            told = _own_date(document)
            if document.included and told is not None:
                found.append((told, document))
        return sorted(found, key=lambda item: (*dates.order(item[0]), int(item[1].id[1:])))

    def evidence(self) -> list[tuple[dates.Dated, Evidence]]:
        """The rows of the matrix that have a date, in order of time."""
        found = [(told, row) for row in self._store.evidence.all() if row.date and (told := dates.interval(row.date))]
        return sorted(found, key=lambda item: (*dates.order(item[0]), int(item[1].id[1:])))


def _own_date(document: Document) -> dates.Dated | None:
    """The date of a document, the analyst's before the file's; None where neither says one."""
    first, _, last = document.dated.partition("/")  # the analyst may give two days with a stroke between
    told = dates.interval(first or document.date, language=document.language)
    end = dates.interval(last, language=document.language) if last else told
    return None if told is None or end is None else replace(told, latest=end.latest)
