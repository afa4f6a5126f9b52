"""What the search screen shows, as values: what the case has for it, what is asked, and what came of it. No widgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain import LAYER, Consideration, Document, Entity, Passage, ShowMode
from core.search.query_language import conditions, parse
from gui_app.search.search_field import quote_value, without
from gui_app.shared.formatting import counted
from gui_app.shared.passages_model import is_ranked

if TYPE_CHECKING:
    from core.search.service import Mode, SearchResult
    from core.workbench import Workbench

HITS = 30
MAX_HITS = 400  # more cannot be put into groups
PER_DOCUMENT = 5


@dataclass(frozen=True, slots=True)
class SearchState:
    """The parts of a case that the search needs: its documents, its names, and the searches that are saved."""

    documents: tuple[Document, ...] = ()
    names: tuple[Entity, ...] = ()
    searches: tuple[Consideration, ...] = ()

    def document_name(self, document: str) -> str:
        """Return the name of a document by its id, in whatever case that is written; else the id itself."""
        names = {item.id.casefold(): item.name for item in self.documents}
        return names.get(document.casefold(), document)

    def documents_since(self, number: int | None) -> frozenset[str]:
        """List the documents that came after the one with this number; none where it is None."""
        return frozenset(
            document.id for document in self.documents if number is not None and int(document.id[1:]) > number
        )

    def searches_with_news(self) -> list[tuple[Consideration, int]]:
        """List the saved searches, each with how many documents came in since it was run last."""
        numbers = [int(document.id[1:]) for document in self.documents if document.included and document.pages]
        return [(search, sum(number > search.seen for number in numbers)) for search in self.searches]

    def saved(self, query: str) -> Consideration | None:
        """Return the saved search for a query."""
        return next((search for search in self.searches if query and search.query == query), None)

    def same_corpus(self, state: SearchState) -> bool:
        """Return whether a search would go through the same documents and names."""
        return (self.documents, self.names) == (state.documents, state.names)


def load(bench: Workbench) -> SearchState:
    """Read what the case has for the search."""
    return SearchState(
        tuple(bench.documents.all()), tuple(bench.entities.all("confirmed")), tuple(bench.search.saved())
    )


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search as it is asked for: the text of the field, or passages like one; how, and how many."""

    text: str = ""
    like: Passage | None = None
    mode: Mode = "hybrid"
    show: ShowMode = "exploratory"
    limit: int = HITS

    def per_document(self) -> int:
        """Return how many passages one document may have: all for whoever names the documents, or wants more."""
        return self.limit if parse(self.text).documents or self.limit > HITS else PER_DOCUMENT

    def words(self) -> str:
        """Return the words that are marked in the hits."""
        return self.like.text if self.like is not None else parse(self.text).words


@dataclass(frozen=True, slots=True)
class Hits:
    """The result of a search; where it is in doubt, in how many documents and passages it looked."""

    result: SearchResult
    documents: int = 0
    passages: int = 0

    def doubtful(self) -> bool:
        """Return whether no passage is near enough to the query to be relied on."""
        return bool(self.passages) and any(is_ranked(passage) for passage in self.result.passages)

    def notes(self) -> str:
        """Return the notes of the search on itself."""
        return " ".join(self.result.notes)

    def advice(self, mode: Mode) -> str:
        """Return where a search without a good hit looked, and what to try."""
        return "Looked at: {} in {}. Try other words{}.".format(
            counted(self.passages, "passage"),
            counted(self.documents, "document"),
            ", or search both ways" if mode != "hybrid" else "",
        )

    def count(self) -> str:
        """Return how many passages of how many documents there are."""
        passages = self.result.passages
        documents = len({passage.document for passage in passages})
        return f"{counted(len(passages), 'passage')} in {counted(documents, 'document')}"


def find(bench: Workbench, request: SearchRequest) -> Hits:
    """Search the case."""
    k, mode, show, per_document = request.limit, request.mode, request.show, request.per_document()
    if request.like is not None:
        result = bench.search.similar(request.like.chunk, k=k, mode=mode, show=show, per_document=per_document)
    else:
        result = bench.search.find(request.text, k=k, mode=mode, show=show, per_document=per_document)
    if not result.passages or result.confidence != "insufficient":
        return Hits(result)
    scope = [document for document in bench.documents.all() if document.included and document.pages]
    return Hits(result, len(scope), sum(document.chunks for document in scope))


def with_days(text: str, first: str, last: str, name: str) -> str:
    """Return a query for passages that speak of these days (and of a name); other days and names make way."""
    for condition in reversed(conditions(text)):
        if condition.kind == "when" or (name and condition.kind == "name"):
            text = without(text, condition.start, condition.end)
    days = first if first == last else f"{first}..{last}"
    return " ".join(filter(None, (text, f"name:{quote_value(name)}" if name else "", f"when:{days}")))


def citation(passage: Passage, words: str) -> str:
    """Return words of a passage, or all of it, with their citation."""
    text = words or " ".join(passage.text.split())
    layer = f"; {LAYER}" if passage.source == "layer" else ""
    return f"“{text}” ({passage.label}, p. {passage.page}{layer})"


def copies_of(result: SearchResult | None, passage: Passage | None) -> tuple[Passage, ...]:
    """List the passages that say the same as one of the hits."""
    return () if result is None or passage is None else tuple(result.copies.get(passage.chunk, ()))
