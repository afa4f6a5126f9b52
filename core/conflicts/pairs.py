"""Pairs of statements that may be about one thing: those that share several of their rarest words. Pure.

Linear in the number of statements: a word leads to at most BUCKET earlier statements, a statement is compared with at
most MOST of them, and a pair of documents gives at most PER_DOCUMENTS pairs.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence

from core.conflicts.statements import Statement

RAREST = 6  # words of a statement that lead to others
MOST_FREQUENT = 300  # statements that may have such a word
BUCKET = 60
SHARED = 2  # of these words two statements have in common
PER_DOCUMENTS = 200
RELATING = 20  # words of a statement that lead to others about the same thing, in whatever words
NEAREST = 20  # of these that a statement is compared with
LEAST_RELATED = 0.05  # cosine of their words, by rarity
MOST_RELATED = 20_000  # pairs of a case
MOST = 12  # earlier statements that one is compared with: those that share most of these words


class Rarity:
    """Weights of words by how few statements have them."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._count = Counter(word for statement in statements for word in statement.words)
        self._all = max(1, len(statements))
        self._weights = {word: self._weigh(count) for word, count in self._count.items()}
        self._totals: dict[frozenset[str], float] = {}

    def frequency(self, word: str) -> int:
        """Count the statements that have a word."""
        return self._count[word]

    def weight(self, word: str) -> float:
        """Weigh a word."""
        weight = self._weights.get(word)
        return self._weigh(0) if weight is None else weight

    @property
    def highest(self) -> float:
        """The weight of a word that two statements have."""
        return self._weigh(2)

    def _weigh(self, count: int) -> float:
        return math.log(1 + self._all / (1 + count))

    def _total(self, words: frozenset[str]) -> float:
        total = self._totals.get(words)
        if total is None:
            total = self._totals[words] = math.fsum(map(self.weight, words))
        return total

    def likeness(self, left: Statement, right: Statement) -> float:
        """Return the weight of the shared words as a share of the weight of all words of both."""
        shared_words = left.shared_words(right)
        if not shared_words:
            return 0.0
        shared_weight = math.fsum(map(self.weight, shared_words))
        return shared_weight / (self._total(left.words) + self._total(right.words) - shared_weight)

    def surprise(self, left: Statement, right: Statement) -> float:
        """Return by how much two statements share more than chance would let any pair of the case share, in nats.

        At 0 one pair among all would share words as rare as these by chance, were each word of a statement drawn alone.
        """
        shared_words = left.shared_words(right)
        chance = math.fsum(math.log(self._all / max(1, self._count[word])) for word in shared_words)
        return chance - math.log(max(1, self._all * (self._all - 1) / 2))


def candidates(statements: Sequence[Statement], rarity: Rarity) -> Iterator[tuple[Statement, Statement]]:
    """Yield pairs of statements, the earlier first, in order of the later one."""
    postings: dict[str, deque[int]] = defaultdict(lambda: deque(maxlen=BUCKET))
    per_documents: Counter[tuple[str, str]] = Counter()
    for index, statement in enumerate(statements):
        rare = sorted(
            (word for word in statement.words if 2 <= rarity.frequency(word) <= MOST_FREQUENT),
            key=lambda word: (rarity.frequency(word), word),
        )[:RAREST]
        counts = Counter(number for word in rare for number in postings[word])
        least = min(SHARED, len(rare))
        numbers = [number for number in counts if counts[number] >= least]
        if len(numbers) > MOST:
            numbers = sorted(numbers, key=lambda number: (-counts[number], -number))[:MOST]
        for number in sorted(numbers):
            earlier = statements[number]
            documents = earlier.document, statement.document
            if per_documents[documents] < PER_DOCUMENTS:
                per_documents[documents] += 1
                yield earlier, statement
        for word in rare:
            postings[word].append(index)


def related(
    statements: Sequence[Statement], rarity: Rarity, *, limit: int = MOST_RELATED
) -> list[tuple[Statement, Statement]]:
    """Return pairs of statements of two documents that share rare words, the earlier first, the most similar first.

    Each statement is compared with the last BUCKET statements that have one of its rare words, and gives at most
    NEAREST pairs; ``limit`` is the limit of all.
    """
    postings: dict[str, deque[int]] = defaultdict(lambda: deque(maxlen=BUCKET))
    lengths = [math.sqrt(math.fsum(rarity.weight(word) ** 2 for word in row.words)) or 1.0 for row in statements]
    rows: list[tuple[float, int, int]] = []
    for index, statement in enumerate(statements):
        rare = sorted(
            (word for word in statement.words if 2 <= rarity.frequency(word) <= MOST_FREQUENT),
            key=lambda word: (rarity.frequency(word), word),
        )[:RELATING]
        scores: defaultdict[int, float] = defaultdict(float)
        for word in rare:
            square = rarity.weight(word) ** 2
            for number in postings[word]:
                scores[number] += square
            postings[word].append(index)
        likely = [
            (-round(score / (lengths[index] * lengths[number]), 6), number, index)
            for number, score in scores.items()
            if statements[number].document != statement.document
        ]
        rows += [row for row in heapq.nsmallest(NEAREST, likely) if row[0] <= -LEAST_RELATED]
    return [(statements[earlier], statements[later]) for _, earlier, later in heapq.nsmallest(limit, rows)]
