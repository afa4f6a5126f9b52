"""From hits to passages: what is said of each, and how far the best of them answers a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain import Chunk, Passage, ShowMode
from core.language.fold import WORD
from core.search import ranking

SHOW_MODES: dict[ShowMode, str] = {
    "exploratory": "Shows the best passages, with doubtful ones marked, a few of each document, duplicates grouped.",
    "strict": "Shows only passages that meaning and words agree on, and hides those of medium and low confidence.",
    "audit": "Hides nothing: lists copies and every passage of a document, and says what was not searched.",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A query as it is searched; ``weight`` is that of its vector.

    ``languages`` are those that it may be of, where the search model finds passages of others; else none are named.
    """

    text: str
    model: str = ""
    vector: bytes | None = None
    weight: float = 1.0
    languages: frozenset[str] = frozenset()

    @property
    def near(self) -> bool:
        """Return whether its cosines say how near a passage is."""
        return ranking.trusted(self.model, self.weight)

    def level(self, hit: ranking.Hit) -> ranking.Level:
        """Grade how sure a hit is."""
        return ranking.confidence(hit, near=self.near, across=ranking.across(self.model))


def has_phrase(query: str, text: str) -> bool:
    """Return whether a query of several telling words is in a text word for word."""
    words, phrase = ([word.casefold() for word in WORD.findall(string)] for string in (text, query))
    return len(ranking.terms(query)) > 1 and f" {' '.join(phrase)} " in f" {' '.join(words)} "


def passage_of(hit: ranking.Hit, chunk: Chunk, ask: Question) -> Passage:
    """Make a passage of a hit, without a rank yet; one that holds the query word for word is medium at least."""
    level = ask.level(hit)
    holds_query = has_phrase(ask.text, chunk.text) or has_phrase(ask.text, chunk.with_headings)
    if holds_query and level in ("low", "insufficient"):
        level = "medium"
    return Passage(
        rank=0,
        chunk=chunk.id,
        page_id=chunk.page_id,
        document=chunk.document,
        name=chunk.name,
        page=chunk.page,
        start=chunk.start,
        end=chunk.end,
        text=chunk.text,
        score=round(hit.score, 9),
        vector_rank=hit.vector_rank,
        lexical_rank=hit.lexical_rank,
        similarity=None if hit.similarity is None else round(hit.similarity, 6),
        confidence="low" if level == "insufficient" else level,
        trusted=ask.near,
        foreign=hit.foreign and ranking.across(ask.model) is not None,
        source=chunk.source,
        title=chunk.title,
        holds_query=holds_query,
        with_headings=chunk.with_headings,
    )


def ranks_of(passage: Passage) -> list[str]:
    """Return how each way of searching ranked it: 'meaning 3', 'words 1', 'similarity .62'; of none nothing."""
    words = []
    if passage.vector_rank is not None:
        words.append(f"meaning {passage.vector_rank}")
    if passage.lexical_rank is not None:
        words.append(f"words {passage.lexical_rank}")
    if passage.similarity is not None:
        words.append(f"similarity {short(passage.similarity)}")
    return words


def short(value: float) -> str:
    """Word a figure with two digits and without the leading nought: '.62'."""
    return f"{value:.2f}".replace("0.", ".", 1)


def unranked(chunk: Chunk, rank: int) -> Passage:
    """Make a passage that no search ranked; ``rank`` is its place in a list."""
    return Passage(
        *(rank, chunk.id, chunk.page_id, chunk.document, chunk.name, chunk.page, chunk.start, chunk.end, chunk.text),
        *(0.0, None, None, None, "low"),
        source=chunk.source,
        title=chunk.title,
    )


def best_level(ask: Question, passages: Sequence[Passage]) -> ranking.Level:
    """Return the best that can be said of any passage that was found."""
    best: ranking.Level = "insufficient"
    # What the search model has to spell out (a word nobody knows, another language) is near to something all the same:
    # then a passage must have a word of it.
    spelt = ask.vector is not None and ask.weight < ranking.TRUSTED
    for passage in passages:
        if spelt and passage.lexical_rank is None:
            continue
        if passage.confidence != "low" and ranking.LEVELS.index(passage.confidence) < ranking.LEVELS.index(best):
            best = passage.confidence
        elif best == "insufficient" and (
            ask.vector is None or not ask.near or ranking.answers(ask.text, passage.search_text, passage.similarity)
        ):
            best = "low"
    return best
