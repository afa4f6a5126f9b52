"""Pairs of statements that may be about one thing: those that share several of their rarest words. Pure.

Linear in the number of statements: a word leads to at most BUCKET statements before this one, and a pair of documents
gives at most PER_DOCUMENTS pairs.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence

from core.conflicts.statements import Statement

RAREST = 6  # words of a statement that lead to others
MOST_FREQUENT = 300  # statements that such a word may stand in
BUCKET = 60
SHARED = 2  # of these words two statements have in common
PER_DOCUMENTS = 200


class Rarity:
    """How much a word that two statements share says: the rarer, the more."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._count = Counter(word for statement in statements for word in statement.words)
        self._all = max(1, len(statements))

    def frequency(self, word: str) -> int:
        """Count the statements that a word stands in."""
        return self._count[word]

    def weight(self, word: str) -> float:
        """Weigh a word."""
        return math.log(1 + self._all / (1 + self._count[word]))

    def likeness(self, one: Statement, other: Statement) -> float:
        """Return the weight of the words that both have, as a share of that of all words of the two."""
        common = one.words & other.words
        if not common:
            return 0.0
        both = math.fsum(map(self.weight, common))
        return both / (both + math.fsum(map(self.weight, one.words ^ other.words)))


def candidates(statements: Sequence[Statement], rarity: Rarity) -> Iterator[tuple[Statement, Statement]]:
    """Yield pairs of statements, the earlier first, in order of the later one."""
    postings: dict[str, deque[int]] = defaultdict(lambda: deque(maxlen=BUCKET))
    per_documents: Counter[tuple[str, str]] = Counter()
    for at, statement in enumerate(statements):
        rare = sorted(
            (word for word in statement.words if 2 <= rarity.frequency(word) <= MOST_FREQUENT),
            key=lambda word: (rarity.frequency(word), word),
        )[:RAREST]
        counts = Counter(number for word in rare for number in postings[word])
        least = min(SHARED, len(rare))
        for number in sorted(counts):
            if counts[number] < least:
                continue
            earlier = statements[number]
            documents = earlier.document, statement.document
            if per_documents[documents] < PER_DOCUMENTS:
                per_documents[documents] += 1
                yield earlier, statement
        for word in rare:
            postings[word].append(at)
