"""The names of the case and where they occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from core.domain import (
    Changes,
    Chunk,
    Entity,
)
from core.entities import names as naming
from core.entities.model_names import NamedPages
from core.errors import AppError, NoSuchItem
from core.progress import Progress, silent

if TYPE_CHECKING:
    from core.open_case import OpenCase


_NAMED = 5_000  # mentions of one name that are listed


@dataclass(frozen=True, slots=True)
class Named:
    """Where a name stands: the passage, and the places in it (start, end)."""

    passage: Chunk
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class NameCount:
    """In how many passages a name stands, and how many they are in each document, most first."""

    passages: int
    documents: tuple[tuple[str, int], ...]


class Suggestions(NamedTuple):
    """Names that the documents suggest. ``problem`` says why a model that was chosen for names was not asked."""

    names: tuple[naming.Candidate, ...]
    problem: AppError | None


class Entities:
    """The names of the case and where they occur."""

    def __init__(self, case: OpenCase) -> None:
        self._open = case
        self._store = case.store
        self._named_pages = NamedPages()

    def all(self, status: str | None = None) -> list[Entity]:
        return self._store.entities.all(status)

    def add(
        self, name: str, *, kind: str = "", aliases: Sequence[str] = (), status: str = "confirmed", note: str = ""
    ) -> Entity:
        """Put a name into the gazetteer of the case; one that is there gets the new aliases. Raises BadInput."""
        return self._store.entities.add(name, kind=kind, aliases=aliases, status=status, note=note)

    def edit(self, entity: str, **fields: str | Sequence[str]) -> Changes:
        self._store.entities.edit(entity, fields)
        return Changes(documents=True)

    def remove(self, *ids: str) -> Changes:
        self._store.entities.remove(*ids)
        return Changes(documents=True)

    def names_on(self, document: str, page: int) -> list[tuple[Entity, int, int]]:
        """The confirmed names in the text of a page as (name, start, end), in order. Raises NoSuchItem."""
        known = {entity.id: entity for entity in self._store.entities.all("confirmed")}
        if not known:
            return []
        kept = self._store.pages.page(document, page)
        found = naming.name_matcher(list(known.values()))(_seen(kept.text, kept.hidden_spans))
        return [(known[mention.entity], mention.start, mention.end) for mention in found]

    def suggested(self, progress: Progress | None = None) -> Suggestions:
        """Names that the documents suggest and nobody has decided on: by their form, and by the model for names where
        one was chosen.
        """
        progress = progress or silent()
        searched = [d for d in self._store.documents.all() if d.included and d.pages]

        def pages() -> Iterator[tuple[str, str]]:
            for done, document in enumerate(searched):
                progress.step(done, len(searched), f"Looking for names in {document.name}")
                for page in self._store.pages.of(document.id):
                    progress.check()  # a model takes its time over a page
                    yield document.id, _seen(page.text, page.hidden_spans)

        reading = self._named_pages.reading(self._open.engines.names, progress)
        names = naming.candidates(reading.asked(pages()), self._store.entities.all(), named=reading.names_in)

        def passages() -> Iterator[tuple[str, str]]:
            for document in searched:
                progress.check()
                for chunk in self._store.pages.chunks(self._store.pages.chunk_ids(document.id)).values():
                    yield document.id, chunk.text

        # Counted as the passages of a name are listed, so that the figure is that of the list.
        return Suggestions(tuple(naming.counted_in(names, passages())), reading.problem)

    def mentions(self, entity: str) -> list[Named]:
        """The passages in which a name stands, in order of document and page; at most 5,000. Raises NoSuchItem."""
        known = next((one for one in self._store.entities.all() if one.id == entity), None)
        if known is None:
            raise NoSuchItem(kind="name", id=entity, listing="names")
        return self.occurrences(known.name, known.aliases)

    def occurrences(self, name: str, aliases: Sequence[str] = ()) -> list[Named]:
        """The passages in which a name stands, whether it is one of the case yet or not; see ``mentions``."""
        wanted = Entity("N0", name, aliases=tuple(aliases))
        found: list[Named] = []
        find = naming.name_matcher([wanted])
        for chunk in self.mentioning([wanted]):
            places = tuple((m.start, m.end) for m in find(chunk.text))
            if places:
                found.append(Named(chunk, places))
        return found[:_NAMED]

    def counts(self) -> dict[str, NameCount]:
        """For every confirmed name how often it stands, and where. A passage counts once for a name."""
        known = self._store.entities.all("confirmed")
        find = naming.name_matcher(known)
        where: dict[str, Counter[str]] = {entity.id: Counter() for entity in known}
        for chunk in self.mentioning(known):
            for entity in {mention.entity for mention in find(chunk.text)}:
                where[entity][chunk.document] += 1
        return {
            entity: NameCount(
                counts.total(), tuple(sorted(counts.items(), key=lambda item: (-item[1], int(item[0][1:]))))
            )
            for entity, counts in where.items()
        }

    def names_in(self, document: str) -> list[tuple[Entity, int]]:
        """The confirmed names that stand in a document with the number of its passages, most first. Raises
        NoSuchItem.
        """
        self._store.documents.get(document)
        known = {entity.id: entity for entity in self._store.entities.all("confirmed")}
        find = naming.name_matcher(list(known.values()))
        count: Counter[str] = Counter()
        if known:
            for chunk in self._store.pages.chunks(self._store.pages.chunk_ids(document)).values():
                count.update({mention.entity for mention in find(chunk.text)})
        return [(known[entity], times) for entity, times in sorted(count.items(), key=lambda i: (-i[1], int(i[0][1:])))]

    def co_occurrences(self) -> list[naming.CoOccurrence]:
        """Which confirmed names stand in the same passages, the most often first."""
        known = self._store.entities.all("confirmed")
        find = naming.name_matcher(known)
        return naming.co_occurrences((chunk.document, find(chunk.text)) for chunk in self.mentioning(known))

    def mentioning(self, wanted: Sequence[Entity]) -> list[Chunk]:
        """The passages that may hold one of the names: those the word index has all words of a name in."""
        ids: set[int] = set()
        for entity in wanted:
            for name in (entity.name, *entity.aliases):
                ids |= self._store.words.with_words(name)
        kept = {d.id for d in self._store.documents.all() if d.included}
        return [chunk for chunk in self._store.pages.chunks(sorted(ids)).values() if chunk.document in kept]


def _seen(text: str, hidden: Sequence[tuple[int, int]]) -> str:
    """The text as a person sees it: blanks where it is hidden."""
    for start, end in hidden:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
