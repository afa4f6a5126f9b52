"""From two ranked lists to one: query terms, reciprocal rank fusion, and the choice of passages to show.

Pure functions: the store gives the hits, this module ranks them. Ties are broken by chunk id everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

# k of reciprocal rank fusion: Cormack, Clarke and Buettcher (2009) use 60; large k flattens the top of each list.
FUSION_K = 60

# Terms that stand in more than this share of the passages cost most of a BM25 query and decide almost nothing.
COMMON_SHARE = 0.10
KEPT_TERMS = 4

# The cosine from which a passage is taken to be about a query. With the search model in use, queries on what a small
# case holds had a best passage at .37 to .70, queries on what it does not hold one at .11 to .35.
ANSWERS = 0.37
LONGER = r"\w{0,3}"  # what a longer form of a word may add

# Words that carry no topic. Negations are left out of the query too (every passage about the topic is wanted, for and
# against), but nowhere else in the program.
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a about above after again against all am an and any are as at be because been before being below between both
        but by can cannot could did do does doing down during each few for from further had has have having he her here
        hers him his how i if in into is it its itself just me more most my no nor not now of off on once only or other
        our ours out over own same she should so some such than that the their theirs them then there these they this
        those through to too under until up very was we were what when where which while who whom why will with would
        you your yours
        """,
    )
)

_TERM = re.compile(r"\w+", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk as the two legs ranked it; ranks count from 1, None: that leg did not find it."""

    chunk: int
    score: float
    vector_rank: int | None
    lexical_rank: int | None
    similarity: float | None


def terms(text: str) -> list[str]:
    """The distinct words of a query in order of first use, without stop words unless nothing else is there."""
    words = list(dict.fromkeys(match.group().casefold() for match in _TERM.finditer(text)))
    return [word for word in words if word not in STOP_WORDS] or words


def answers(query: str, text: str, similarity: float | None) -> bool:
    """Whether a passage is about a query by itself, and not merely the best there is in a few documents.

    Its cosine reaches ANSWERS, or every word of the query that is no stop word stands in it, whole or as the beginning
    of a longer form ('password', 'passwords').
    """
    if similarity is not None and similarity >= ANSWERS:
        return True
    words, there = terms(query), text.casefold()
    forms = (rf"\b{re.escape(word)}{LONGER if len(word) > 3 else ''}\b" for word in words)
    return bool(words) and all(re.search(form, there) for form in forms)


def match_expression(words: Sequence[str], frequency: Mapping[str, int], passages: int) -> str:
    """An FTS5 expression that finds any of ``words``; '' when there is nothing to look for.

    ``frequency`` is the number of passages a word stands in. Words in more than COMMON_SHARE of the passages are left
    out as long as KEPT_TERMS others remain: FTS5 scores every matching row, so common words set the cost.
    """
    known = [word for word in words if frequency.get(word, 0) > 0]
    rare = [word for word in known if frequency[word] <= max(1.0, COMMON_SHARE * passages)]
    if len(rare) < KEPT_TERMS:
        rare = sorted(known, key=lambda word: (frequency[word], word))[: max(KEPT_TERMS, len(rare))]
        rare = [word for word in known if word in rare]
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in rare)


def fuse(vector: Sequence[tuple[int, float]], lexical: Sequence[tuple[int, float]], *, k: int = FUSION_K) -> list[Hit]:
    """Reciprocal rank fusion: score(chunk) = sum over the legs of 1 / (k + rank). Best first, ties by chunk id.

    Each list holds (chunk id, value) in order of rank; the value of the vector leg is the cosine.
    """
    vector_rank = {chunk: rank for rank, (chunk, _) in enumerate(vector, start=1)}
    lexical_rank = {chunk: rank for rank, (chunk, _) in enumerate(lexical, start=1)}
    similarity = dict(vector)
    hits = []
    for chunk in vector_rank.keys() | lexical_rank.keys():
        ranks = [rank for rank in (vector_rank.get(chunk), lexical_rank.get(chunk)) if rank is not None]
        score = sum(1.0 / (k + rank) for rank in ranks)
        hits.append(Hit(chunk, score, vector_rank.get(chunk), lexical_rank.get(chunk), similarity.get(chunk)))
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk))


def choose(
    hits: Sequence[Hit],
    document_of: Callable[[int], str],
    *,
    limit: int,
    per_document: int,
    min_similarity: float = 0.0,
) -> list[Hit]:
    """The first ``limit`` hits with at most ``per_document`` from one document.

    A hit whose similarity is known and below ``min_similarity`` is left out; one without a similarity (its vector is
    not there yet) stays only when no minimum is asked for.
    """
    taken: dict[str, int] = {}
    chosen: list[Hit] = []
    for hit in hits:
        if min_similarity > 0 and (hit.similarity is None or hit.similarity < min_similarity):
            continue
        document = document_of(hit.chunk)
        if taken.get(document, 0) >= per_document:
            continue
        taken[document] = taken.get(document, 0) + 1
        chosen.append(hit)
        if len(chosen) == limit:
            break
    return chosen


def confidence(hit: Hit) -> Literal["high", "medium", "low"]:
    """How far the two legs agree: high when both rank it among their first ten, medium when both found it at all or
    one puts it among its first three, low otherwise."""
    ranks = [rank for rank in (hit.vector_rank, hit.lexical_rank) if rank is not None]
    if len(ranks) == 2:
        return "high" if max(ranks) <= 10 else "medium"
    return "medium" if ranks and ranks[0] <= 3 else "low"
