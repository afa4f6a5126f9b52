"""The sentences of a few passages, ranked by the words of a query: BM25+ (Lv and Zhai 2011) over these sentences alone.

Pure, and for a few hundred sentences: what is searched in a whole case has an index of its own (core.store.bm25).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain import Span
from core.search.ranking import terms
from core.text import WORD, sentences

# Words count by their beginning: "opened" and "opening" are one. Of the answers to questions in four languages the best
# sentence and what follows show .72 so, .70 by whole words (tests/eval/sentences.py, the half that it was chosen on).
_BEGINNING = 5


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """A sentence: ``passage`` is the position of its passage in what was given, ``span`` its place there."""

    passage: int
    span: Span
    score: float


def ranked(query: str, passages: Sequence[str]) -> list[RankedSentence]:
    """Rank every sentence of some passages, best first; ties by position. One without a word of the query has 0."""
    from rank_bm25 import BM25Plus

    places = [(index, span) for index, text in enumerate(passages) for span in sentences(text)]
    words = [_beginnings(passages[index][span.start : span.end]) for index, span in places]
    present = set().union(*words)
    query_words = [word for word in dict.fromkeys(_beginnings(" ".join(terms(query)))) if word in present]
    if not query_words:
        return [RankedSentence(index, span, 0.0) for index, span in places]
    index = BM25Plus(words)
    least = sum(index.idf[word] * index.delta for word in query_words)  # what a sentence without any of them gets, too
    scores = [round(float(score) - least, 9) for score in index.get_scores(query_words)]
    order = sorted(range(len(places)), key=lambda index: (-scores[index], index))
    return [RankedSentence(*places[index], scores[index]) for index in order]


def best_of_each(query: str, passages: Sequence[str]) -> list[Span]:
    """Return for each passage its best sentence; the first one where none has a word of the query."""
    best: dict[int, Span] = {}
    for sentence in ranked(query, passages):
        best.setdefault(sentence.passage, sentence.span)
    return [best.get(index, Span(0, len(text))) for index, text in enumerate(passages)]


def _beginnings(text: str) -> list[str]:
    return [word.casefold()[:_BEGINNING] for word in WORD.findall(text)]
