"""The dates that passages, documents and evidence name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.documents.furniture import navigation
from core.domain import Chunk, Document, Evidence, Passage
from core.language import dates
from core.progress import Progress, silent
from core.text import digest
from core.timeline.day_times import with_times

if TYPE_CHECKING:
    from core.open_case import OpenCase


@dataclass(frozen=True, slots=True)
class DatedPassage:
    """A date, with offsets into the text of the passage that names it."""

    date: dates.DateMention
    passage: Chunk


class Timeline:
    """The dates that passages, documents and evidence name."""

    def __init__(self, case: OpenCase) -> None:
        self._open = case
        self._store = case.store
        self._dates: dict[int, tuple[str, str, tuple[dates.DateMention, ...]]] = {}  # text digest, language

    def date_mentions(
        self, passages: Sequence[Passage] | None = None, *, progress: Progress | None = None
    ) -> list[DatedPassage]:
        """List the dates and times that passages name (of a search, or all in scope), in order of time, to be checked.

        By the earliest day each may be, then by document and place. A day without a year is of the year that is nearest
        to the day of its document, or else to the first day in it, and left out where there is none.
        """
        progress = progress or silent()
        documents = [document for document in self._store.documents.all() if document.included]
        hits = None if passages is None else {passage.chunk for passage in passages}
        if passages is not None:
            of_hits = {passage.document for passage in passages}
            documents = [document for document in documents if document.id in of_hits]
        mentions: dict[tuple[int, int], DatedPassage] = {}
        for position, document in enumerate(documents):
            progress.step(position, len(documents), "Reading dates")
            for chunk, dates_and_times in self._with_times(document, progress):
                if hits is not None and chunk.id not in hits:
                    continue
                for mention in dates_and_times:
                    # Passages overlap: a date that is in two of them is on its page once.
                    mentions.setdefault((chunk.page_id, chunk.start + mention.start), DatedPassage(mention, chunk))
        return sorted(
            mentions.values(),
            key=lambda mention: (mention.date.earliest, mention.date.latest, mention.passage.id, mention.date.start),
        )

    def _with_times(
        self, document: Document, progress: Progress
    ) -> Iterator[tuple[Chunk, tuple[dates.DateMention, ...]]]:
        """Yield the passages of a document as they are read, with their dates and their times of a day."""
        chunks = list(self._store.pages.chunks(self._store.pages.chunk_ids(document.id)).values())
        passages = []
        for index, chunk in enumerate(chunks):
            if index % 200 == 0:
                progress.check()
            passages.append((chunk.text, self.dates_of(chunk, document.language)))
        mention = own_date(document)
        own_day = mention.earliest[:10] if mention is not None and mention.precision in ("day", "time") else ""
        return zip(chunks, with_times(_with_days_without_year(passages, own_day), own_day), strict=True)

    def dates_of(self, chunk: Chunk, language: str) -> tuple[dates.DateMention, ...]:
        """Read the dates in a passage, those of menus and notices of copyright aside.

        They are read once as long as its words and its language stay what they are.
        """
        of, cache_entry = digest(chunk.text), self._dates.get(chunk.id)
        if cache_entry is None or cache_entry[:2] != (of, language):
            feet = list(navigation(chunk.text))
            mentions = tuple(
                mention
                for mention in dates.dates_in(chunk.text, language=language)
                if not any(foot.start <= mention.start < foot.end for foot in feet)
            )
            cache_entry = self._dates[chunk.id] = of, language, mentions
        return cache_entry[2]

    def documents(self) -> list[tuple[dates.DateMention, Document]]:
        """List documents in scope by their own dates, in order of time: the analyst's date before the file's.

        Those whose date says nothing are left out.
        """
        rows = []
        for document in self._store.documents.all():
            mention = own_date(document)
            if document.included and mention is not None:
                rows.append((mention, document))
        return sorted(rows, key=lambda item: (*dates.order(item[0]), int(item[1].id[1:])))

    def evidence(self) -> list[tuple[dates.DateMention, Evidence]]:
        """List the rows of the matrix that have a date, in order of time."""
        rows = [
            (mention, row) for row in self._store.evidence.all() if row.date and (mention := dates.interval(row.date))
        ]
        return sorted(rows, key=lambda item: (*dates.order(item[0]), int(item[1].id[1:])))


def _with_days_without_year(
    passages: Sequence[tuple[str, Sequence[dates.DateMention]]], own_day: str
) -> list[tuple[str, tuple[dates.DateMention, ...]]]:
    """Return the passages of a document (text, dates) with the days of which the text does not name the year."""
    days = (row.earliest for _, mentions in passages for row in mentions if row.precision == "day" and not row.doubt)
    near = own_day or next(days, "")
    rows = []
    for text, mentions in passages:
        additions = [
            row
            for row in (dates.days_without_year(text, near) if near else ())
            if not any(row.start < mention.end and mention.start < row.end for mention in mentions)
            and not any(foot.start <= row.start < foot.end for foot in navigation(text))
        ]
        rows.append((text, tuple(sorted((*mentions, *additions), key=lambda row: row.start))))
    return rows


def own_date(document: Document) -> dates.DateMention | None:
    """Return the date of a document, the analyst's before the file's; None if neither says one."""
    first, _, last = document.dated.partition("/")  # the analyst may give two days with a stroke between
    mention = dates.interval(first or document.date, language=document.language)
    end = dates.interval(last, language=document.language) if last else mention
    return None if mention is None or end is None else replace(mention, latest=end.latest)
