"""The names of the case and where they occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from core.domain import Changes, Chunk, Entity
from core.entities import names as naming
from core.entities import spellings as naming_spellings
from core.entities.model_names import NamedPages
from core.entities.spellings import Spelling
from core.errors import AppError, NoSuchItem
from core.progress import Progress, silent
from core.text import without_hidden

if TYPE_CHECKING:
    from core.open_case import OpenCase


_NAMED = 5_000  # mentions of one name that are listed


@dataclass(frozen=True, slots=True)
class Named:
    """A passage in which a name occurs, with the places in it (start, end)."""

    passage: Chunk
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class NameCount:
    """The number of passages in which a name occurs, and that in each document, most first."""

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
        """List the names of the case, with ``status`` only those that have it."""
        return self._store.entities.all(status)

    def add(
        self, name: str, *, kind: str = "", aliases: Sequence[str] = (), status: str = "confirmed", note: str = ""
    ) -> Entity:
        """Put a name into the gazetteer of the case; one that is there gets the new aliases. Raises BadInput."""
        return self._store.entities.add(name, kind=kind, aliases=aliases, status=status, note=note)

    def add_all(self, names: Sequence[tuple[str, str, Sequence[str]]], *, status: str = "confirmed") -> Changes:
        """Put several names (name, kind, aliases) into the gazetteer, as one decision. Raises BadInput."""
        self._store.entities.add_all(names, status=status)
        return Changes(documents=True)

    def edit(self, entity: str, **fields: str | Sequence[str]) -> Changes:
        """Change what is said of a name. Raises NoSuchItem, BadInput."""
        self._store.entities.edit(entity, fields)
        return Changes(documents=True)

    def remove(self, *ids: str) -> Changes:
        """Take names out of the gazetteer, as one decision. Raises NoSuchItem."""
        self._store.entities.remove(*ids)
        return Changes(documents=True)

    def names_on(self, document: str, page: int) -> list[tuple[Entity, int, int]]:
        """Find the confirmed names in the text of a page as (name, start, end), in order. Raises NoSuchItem."""
        entities = {entity.id: entity for entity in self._store.entities.all("confirmed")}
        if not entities:
            return []
        content = self._store.pages.page(document, page)
        mentions = naming.name_matcher(list(entities.values()))(without_hidden(content.text, content.hidden_spans))
        return [(entities[mention.entity], mention.start, mention.end) for mention in mentions]

    def suggested(self, progress: Progress | None = None) -> Suggestions:
        """Find names that the documents suggest and nobody has decided on.

        They are found by their form, and by the model for names where one was chosen.
        """
        progress = progress or silent()
        documents = [d for d in self._store.documents.all() if d.included and d.pages]

        def pages() -> Iterator[tuple[str, str]]:
            for position, document in enumerate(documents):
                progress.step(position, len(documents), f"Looking for names in {document.name}")
                for page in self._store.pages.of(document.id):
                    progress.check()  # a model takes its time over a page
                    yield document.id, without_hidden(page.text, page.hidden_spans)

        reading = self._named_pages.reading(self._open.engines.names, progress)
        names = naming.candidates(reading.asked(pages()), self._store.entities.all(), model_names=reading.names_in)

        def passages() -> Iterator[tuple[str, str]]:
            for document in documents:
                progress.check()
                for chunk in self._store.pages.chunks(self._store.pages.chunk_ids(document.id)).values():
                    yield document.id, chunk.text

        # Counted as the passages of a name are listed, so that the figure is that of the list.
        return Suggestions(tuple(naming.counted_in(names, passages())), reading.problem)

    def spellings(self, progress: Progress | None = None) -> list[Spelling]:
        """Find other spellings of the confirmed names in the documents: in another case or script, or short.

        They are suggestions: one that is confirmed is added to its name as an alias.
        """
        progress = progress or silent()
        documents = [d for d in self._store.documents.all() if d.included and d.pages]

        def passages() -> Iterator[tuple[str, str]]:
            for position, document in enumerate(documents):
                progress.step(position, len(documents), f"Looking for other spellings in {document.name}")
                for chunk in self._store.pages.chunks(self._store.pages.chunk_ids(document.id)).values():
                    yield document.id, chunk.text

        return naming_spellings.spellings(self._store.entities.all(), passages())

    def mentions(self, entity: str) -> list[Named]:
        """Find the passages with a name of the case, by document and page; at most 5,000. Raises NoSuchItem."""
        match = next((entry for entry in self._store.entities.all() if entry.id == entity), None)
        if match is None:
            raise NoSuchItem(kind="name", id=entity, listing="names")
        return self.occurrences(match.name, match.aliases)

    def occurrences(self, name: str, aliases: Sequence[str] = ()) -> list[Named]:
        """Find the passages in which a name occurs, whether it is one of the case yet or not; see ``mentions``."""
        entity = Entity("N0", name, aliases=tuple(aliases))
        passages: list[Named] = []
        find = naming.name_matcher([entity])
        for chunk in self.mentioning([entity]):
            places = tuple((m.start, m.end) for m in find(chunk.text))
            if places:
                passages.append(Named(chunk, places))
        return passages[:_NAMED]

    def counts(self) -> dict[str, NameCount]:
        """Count how often every confirmed name occurs, and where. A passage counts once for a name."""
        entities = self._store.entities.all("confirmed")
        find = naming.name_matcher(entities)
        where: dict[str, Counter[str]] = {entity.id: Counter() for entity in entities}
        for chunk in self.mentioning(entities):
            for entity in {mention.entity for mention in find(chunk.text)}:
                where[entity][chunk.document] += 1
        return {
            entity: NameCount(
                counts.total(), tuple(sorted(counts.items(), key=lambda item: (-item[1], int(item[0][1:]))))
            )
            for entity, counts in where.items()
        }

    def names_in(self, document: str) -> list[tuple[Entity, int]]:
        """Count the passages of a document that hold each confirmed name, most first. Raises NoSuchItem."""
        self._store.documents.get(document)
        entities = {entity.id: entity for entity in self._store.entities.all("confirmed")}
        find = naming.name_matcher(list(entities.values()))
        count: Counter[str] = Counter()
        if entities:
            for chunk in self._store.pages.chunks(self._store.pages.chunk_ids(document)).values():
                count.update({mention.entity for mention in find(chunk.text)})
        return [
            (entities[entity], times) for entity, times in sorted(count.items(), key=lambda i: (-i[1], int(i[0][1:])))
        ]

    def co_occurrences(self) -> list[naming.CoOccurrence]:
        """List which confirmed names are in the same passages, the most often first."""
        entities = self._store.entities.all("confirmed")
        find = naming.name_matcher(entities)
        return naming.co_occurrences((chunk.document, find(chunk.text)) for chunk in self.mentioning(entities))

    def mentioning(self, entities: Sequence[Entity]) -> list[Chunk]:
        """List the passages that may hold one of the names: those the word index has all words of a name in."""
        ids: set[int] = set()
        for entity in entities:
            for name in (entity.name, *entity.aliases):
                ids |= self._store.words.with_words(name)
        in_scope = {d.id for d in self._store.documents.all() if d.included}
        return [chunk for chunk in self._store.pages.chunks(sorted(ids)).values() if chunk.document in in_scope]
