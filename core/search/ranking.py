"""From two ranked lists to one: query terms, reciprocal rank fusion, and the choice of passages to show.

Pure functions: the store gives the hits, this module ranks them. Ties are broken by chunk id everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from core.language.fold import WORD
from core.language.lexicon import words_of
from core.language.scripts import WITHOUT_BLANKS

# Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009, with k = 60: a large k flattens the top of each list). k
# and the weights were chosen on one half of the queries of the development sets (tests/eval/retrieval.py): the fusion
# is better than either leg on each, in German too, and no worse than the words alone in languages that the embedder in
# use does not know.
FUSION_K = 5
# (pieces a word, weight of the vector leg as against 1 for the words), straight lines between. With the embedder in use
# English has 1.0 to 1.4 pieces, jargon of medicine up to 2.1, German 1.6 to 2.8, Russian and Arabic 3 to 8.
VECTOR_WEIGHTS = ((1.5, 0.8), (1.9, 0.16), (2.6, 0.16), (3.2, 0.05))

# Search models of many languages, known by digest: a passage of another language than the question has words of it
# only by chance (a name, a year), so that the vector speaks for it alone, and words decide between like ones. A text of
# the question's own language lies nearer for its language's sake: OWN_LANGUAGE is taken off its cosine where a case has
# others, chosen on every second of 200 questions of XQuAD over 960 paragraphs in four languages. The weight is that of
# English above, WORDS_ACROSS a small number: neither was fitted.
MULTILINGUAL = ("sha256:eba86b8c14cb3dc2",)
MULTILINGUAL_WEIGHT = 0.8
WORDS_ACROSS = 0.05
OWN_LANGUAGE = 0.04

# What a reranker counts for, as against 1 for the order of the two legs. Measured only with the token vectors of the
# embedder in use, which were not made for it: on the held halves of SciFact, Cranfield and English XQuAD they changed
# nDCG@10 by +.008, +.005 and +.001 at a weight of .3 and by +.010, -.005 and +.006 at 1, for a second and more of
# processor time a query, so that they are not used.
RERANK_WEIGHT = 1.0

# Levels of confidence, fitted on the same halves. On the other halves people had judged relevant, in abstracts on
# aerodynamics and on medicine and in an encyclopedia in English and in German: of high .86 .65 .79 .72, of medium .30
# .13 .13 .26, of the rest .09 .01 .00 .01 (a query has one or a few relevant documents, so that no level can reach 1).
# Of 15,000 passages found for queries on what the texts do not hold none was high, 9 medium, 111 low.
# They hold for the search model they were fitted with (all-MiniLM-L6-v2), known by the digest of its weights in its
# fingerprint; with another one nothing is known of what a cosine means, and only the words speak for a passage.
MEASURED = ("sha256:d8fd7b092a828f2f",)
HIGH_RANK, HIGH_SIMILARITY = 3, 0.5
MEDIUM_RANK, MEDIUM_SIMILARITY = 10, 0.4
ALONE = 0.65
# The cosines (high, medium) by digest of the model that are measured only across languages, where words say nothing:
# of hits in another language than the question among the first HIGH_RANK and MEDIUM_RANK by meaning. Chosen on XQuAD
# in English, German, Russian and Arabic, in twelve pairs, on the questions on every second of its 48 articles. On the
# others the paragraph was right in .94 of high, .86 of medium, .16 of low, and of 1,440 questions whose paragraph had
# been taken out, while its article stayed, 10 had a hit of high, 32 one of medium at best; in one case of four
# languages it was .88, .74 and .15, and 7 and 15 of 480 questions (tests/eval/languages.py). No cosine divides what is
# about a question from what is not, so that no hit is insufficient.
ACROSS = {MULTILINGUAL[0]: (0.84, 0.82)}
TRUSTED = 0.16  # weight of the vector leg from which a cosine says how near a passage is

# The cosine from which a passage is taken to be about a query. With the search model in use, queries on what a small
# case holds had a best passage at .37 to .70, queries on what it does not hold one at .11 to .35.
ANSWERS = 0.37
LONGER = r"\w{0,3}"  # what a longer form of a word may add

# Words that carry no topic. Negations are left out of the query too (every passage about the topic is wanted, for and
# against), but nowhere else in the program.
STOP_WORDS = words_of("en", "stop")

Level = Literal["high", "medium", "low", "insufficient"]
LEVELS: tuple[Level, ...] = ("high", "medium", "low", "insufficient")


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk as the two legs ranked it; ranks count from 1, None: that leg did not find it."""

    chunk: int
    score: float
    vector_rank: int | None
    lexical_rank: int | None
    similarity: float | None
    foreign: bool = False  # of another language than the query


def terms(text: str) -> list[str]:
    """Return the distinct words of a query in order of first use, without stop words if others are there."""
    words = list(dict.fromkeys(match.group().casefold() for match in WORD.finditer(text)))
    return [word for word in words if word not in STOP_WORDS] or words


def answers(query: str, text: str, similarity: float | None) -> bool:
    """Return whether a passage is about a query by itself, and not merely the best there is in a few documents.

    Its cosine reaches ANSWERS, or every word of the query that is no stop word is in it, whole or as the beginning
    of a longer form ('password', 'passwords').
    """
    if similarity is not None and similarity >= ANSWERS:
        return True
    words, folded = terms(query), text.casefold()
    return bool(words) and all(re.search(_form(word), folded) for word in words)


def _form(word: str) -> str:
    """Return the expression of a word, whole or as the beginning of a longer form; within a run without blanks."""
    if WITHOUT_BLANKS.search(word):
        return re.escape(word)
    return rf"\b{re.escape(word)}{LONGER if len(word) > 3 else ''}\b"


def bare(query: str) -> str:
    """Return the words of a query without punctuation, which would count as pieces too."""
    return " ".join(re.findall(r"\w+", query))


def multilingual(model: str) -> bool:
    """Return whether an embedder, by its fingerprint, finds passages of another language than the question."""
    return any(digest in model for digest in MULTILINGUAL)


def vector_weight(query: str, pieces: int, model: str = "") -> float:
    """Weigh the vector leg, as against 1 for the words, when the embedder makes ``pieces`` of a query's bare words.

    A language that the embedder knows it takes for the most part word by word; one that it never learned it spells out,
    and finds by the look of the letters. One that is ``multilingual`` knows them all.
    """
    if multilingual(model):
        return MULTILINGUAL_WEIGHT
    signs = len(WITHOUT_BLANKS.findall(query))
    words = len(re.findall(r"\w+", WITHOUT_BLANKS.sub(" ", query))) + signs / 2  # a word has about two signs
    pieces_of_word = pieces / max(1.0, words)
    if pieces_of_word <= VECTOR_WEIGHTS[0][0]:
        return VECTOR_WEIGHTS[0][1]
    for (left, high), (right, low) in pairwise(VECTOR_WEIGHTS):
        if pieces_of_word <= right:
            return high + (low - high) * (pieces_of_word - left) / (right - left)
    return VECTOR_WEIGHTS[-1][1]


def fuse(
    vector: Sequence[tuple[int, float]],
    lexical: Sequence[tuple[int, float]],
    *,
    weight: float = 1.0,
    foreign: Collection[int] = (),
) -> list[Hit]:
    """Fuse reciprocal ranks: score(chunk) = sum over the legs of weight / (FUSION_K + rank).

    Best first, ties by chunk id. ``weight`` is that of the vector leg, the lexical leg has 1. Each list holds (chunk
    id, value) in order of rank; the value of the vector leg is the cosine. For ``foreign`` chunks, which are of another
    language than the query, the vector leg has the weight of both, and the lexical leg WORDS_ACROSS.
    """
    vector_rank = {chunk: rank for rank, (chunk, _) in enumerate(vector, start=1)}
    lexical_rank = {chunk: rank for rank, (chunk, _) in enumerate(lexical, start=1)}
    similarity = dict(vector)
    hits = []
    for chunk in vector_rank.keys() | lexical_rank.keys():
        by_meaning, by_words = vector_rank.get(chunk), lexical_rank.get(chunk)
        meaning, words = (weight + 1.0, WORDS_ACROSS) if chunk in foreign else (weight, 1.0)
        score = sum(share / (FUSION_K + rank) for share, rank in ((meaning, by_meaning), (words, by_words)) if rank)
        hits.append(Hit(chunk, score, by_meaning, by_words, similarity.get(chunk), chunk in foreign))
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk))


def level_languages(
    hits: Sequence[tuple[int, float]], foreign_hits: Sequence[tuple[int, float]], depth: int
) -> list[tuple[int, float]]:
    """Merge the nearest chunks of the query's language with those of others; each keeps its cosine."""
    merged = [(value - OWN_LANGUAGE, chunk, value) for chunk, value in hits]
    merged += [(value, chunk, value) for chunk, value in foreign_hits]
    merged.sort(key=lambda hit: (-hit[0], hit[1]))
    return [(chunk, value) for _, chunk, value in merged[:depth]]


def rerank(hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """Fuse an order with the reranker's scores of its hits, by reciprocal ranks; ties keep the order."""
    better = sorted(range(len(hits)), key=lambda index: (-scores[index], index))
    rank = {index: number for number, index in enumerate(better, start=1)}
    scores_of = {
        index: 1.0 / (FUSION_K + index + 1) + RERANK_WEIGHT / (FUSION_K + rank[index]) for index in range(len(hits))
    }
    return [
        replace(hits[index], score=scores_of[index])
        for index in sorted(scores_of, key=lambda index: (-scores_of[index], index))
    ]


def diversify(
    hits: Sequence[Hit],
    document_of: Callable[[int], str],
    *,
    limit: int,
    per_document: int,
    min_similarity: float = 0.0,
) -> list[Hit]:
    """Choose the first ``limit`` hits with at most ``per_document`` from one document.

    A hit whose similarity is known and below ``min_similarity`` is left out; one without a similarity (its vector is
    not there yet) stays only when no minimum is asked for.
    """
    counts: dict[str, int] = {}
    selection: list[Hit] = []
    for hit in hits:
        if min_similarity > 0 and (hit.similarity is None or hit.similarity < min_similarity):
            continue
        document = document_of(hit.chunk)
        if counts.get(document, 0) >= per_document:
            continue
        counts[document] = counts.get(document, 0) + 1
        selection.append(hit)
        if len(selection) == limit:
            break
    return selection


def trusted(model: str, weight: float) -> bool:
    """Return whether the cosines of a search say how near its passages are.

    ``model`` is the fingerprint of its embedder, ``weight`` that of the vector leg.
    """
    return weight >= TRUSTED and measured(model)


def measured(model: str) -> bool:
    """Return whether the cosines of this embedder are calibrated."""
    return any(digest in model for digest in MEASURED)


def across(model: str) -> tuple[float, float] | None:
    """Return the cosines from which a hit in another language is high and medium, where they were measured."""
    return next((cosines for digest, cosines in ACROSS.items() if digest in model), None)


def confidence(hit: Hit, *, near: bool = True, across: tuple[float, float] | None = None) -> Level:
    """Grade how far the two legs agree on a hit; ``near`` says whether its cosine is ``trusted``.

    One of another language than the query is graded by its cosine alone where ``across`` is known.

    high: both have it among their first HIGH_RANK and it is near. medium: both among their first MEDIUM_RANK, or it is
    very near. low: near enough to be about the query. insufficient: none of these. Where there is no vector, or its
    cosine says nothing, the first of the words are medium, the others low.
    """
    if hit.foreign and across is not None and hit.similarity is not None and hit.vector_rank is not None:
        if hit.vector_rank <= HIGH_RANK and hit.similarity >= across[0]:
            return "high"
        return "medium" if hit.vector_rank <= MEDIUM_RANK and hit.similarity >= across[1] else "low"
    ranks = (hit.vector_rank, hit.lexical_rank)
    if hit.similarity is None or not near:
        return "medium" if (hit.lexical_rank or MEDIUM_RANK) <= HIGH_RANK else "low"
    worst = max((rank for rank in ranks if rank is not None), default=0) if None not in ranks else None
    if worst is not None and worst <= HIGH_RANK and hit.similarity >= HIGH_SIMILARITY:
        return "high"
    if (worst is not None and worst <= MEDIUM_RANK and hit.similarity >= MEDIUM_SIMILARITY) or hit.similarity >= ALONE:
        return "medium"
    return "low" if hit.similarity >= ANSWERS else "insufficient"
