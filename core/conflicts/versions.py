"""Two versions of one document: the pairs of corresponding sentences, and their differences. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from core.conflicts.differences import COPY, Difference, differences, is_possible_misreading
from core.conflicts.pairs import Rarity
from core.conflicts.statements import Statement
from core.domain import Span

_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_ANCHORED = 5  # topical words that two sentences of scans must share, so that they are no entries of a list
_SHORT = 3  # letters of a name that one misread letter turns into another
_DENIES = re.compile(  # a negation in its place, and no stray word of a margin
    r"\b(?:is|are|was|were|am|has|have|had|do|does|did|can|could|will|would|should|may|might|must)\s(?:not|never)\b|n['’]t\b",
    re.IGNORECASE,
)


def compare(
    old: Sequence[Statement], new: Sequence[Statement], rarity: Rarity, *, is_scan: bool = False
) -> Iterator[Difference]:
    """Yield the differences of two versions, sentence by sentence, in the order of the newer one.

    Each sentence is compared with the most similar one; sentences that both versions have are skipped. ``is_scan``: the
    words were read from an image, and possible misreadings are left out.
    """
    unchanged = Counter(statement.line for statement in old) & Counter(statement.line for statement in new)
    candidates = [statement for statement in old if not unchanged[statement.line]]
    index: dict[str, list[int]] = defaultdict(list)
    for row, statement in enumerate(candidates):
        for word in statement.words:
            index[word].append(row)
    for statement in new:
        if unchanged[statement.line]:
            continue
        counts = Counter(row for word in statement.words for row in index[word])
        likely = sorted(counts, key=lambda row: (-counts[row], row))[:5]
        scores = [(rarity.likeness(candidates[row], statement), -row) for row in likely]
        if not scores or max(scores)[0] < COPY:
            continue
        likeness, row = max(scores)
        for difference in differences(candidates[-row], statement, likeness, is_version=True):
            is_anchored = not is_scan or len(difference.left.words & difference.right.words) >= _ANCHORED
            if difference.is_alone and is_anchored and not (is_scan and is_misread(difference)):
                yield difference


def is_misread(difference: Difference) -> bool:
    """Return whether a difference may come from a misread scan: similar signs, or the edge of a truncated sentence.

    A complete date, or a figure with its unit, that is legible in both counts as read correctly.
    """
    sides = (difference.left, difference.left_span), (difference.right, difference.right_span)
    if difference.kind == "date" and all(_YEAR.search(value) for value in difference.values):
        return difference.extra_words > 1
    if any(span.end > span.start and is_at_edge(statement.text, span) for statement, span in sides):
        return True
    if difference.kind == "denial":
        return difference.extra_words > 0 or not any(
            _DENIES.search(statement.text[: span.end]) for statement, span in sides
        )
    if difference.kind == "quantity" and difference.heads and not difference.extra_words:
        return False
    texts = [statement.text[span.start : span.end] for statement, span in sides]
    return is_possible_misreading(*texts) or any(len(text) <= _SHORT and not text.isdigit() for text in texts)


def is_at_edge(text: str, span: Span) -> bool:
    """Return whether a span is the first or the last word of a sentence."""
    return len(text[: span.start].split()) < 2 or not any(c.isalnum() for c in text[span.end :])
