"""Two versions of one document: the sentences that belong together, and what they say differently. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from core.conflicts.differences import COPY, Difference, differences, reads_differently
from core.conflicts.pairs import Rarity
from core.conflicts.statements import Statement
from core.domain import Span

_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_ANCHORED = 5  # topical words that two sentences of scans have in common, so that they are no entries of a list
_SHORT = 3  # letters of a name that one misread letter makes another
_DENIES = re.compile(  # a negation in its place, and no stray word of a margin
    r"\b(?:is|are|was|were|am|has|have|had|do|does|did|can|could|will|would|should|may|might|must)\s(?:not|never)\b|n['’]t\b",
    re.IGNORECASE,
)


def compare(
    old: Sequence[Statement], new: Sequence[Statement], rarity: Rarity, *, is_scan: bool = False
) -> Iterator[Difference]:
    """Yield what two versions say differently, sentence by sentence, in the order of the newer one.

    Each sentence is held against the one it is most like; one that stands in both as it is says nothing. ``is_scan``:
    the words were read in a picture, and what may be a reading of the same is left out.
    """
    as_it_is = Counter(statement.line for statement in old) & Counter(statement.line for statement in new)
    mine = [statement for statement in old if not as_it_is[statement.line]]
    index: dict[str, list[int]] = defaultdict(list)
    for at, statement in enumerate(mine):
        for word in statement.words:
            index[word].append(at)
    for statement in new:
        if as_it_is[statement.line]:
            continue
        counts = Counter(at for word in statement.words for at in index[word])
        likely = sorted(counts, key=lambda at: (-counts[at], at))[:5]
        scores = [(rarity.likeness(mine[at], statement), -at) for at in likely]
        if not scores or max(scores)[0] < COPY:
            continue
        likeness, at = max(scores)
        for each in differences(mine[-at], statement, likeness, is_version=True):
            is_anchored = not is_scan or len(each.one.words & each.other.words) >= _ANCHORED
            if each.is_alone and is_anchored and not (is_scan and is_misread(each)):
                yield each


def is_misread(difference: Difference) -> bool:
    """Return whether a scan may have been misread: alike in form, or at the edge of a sentence that was cut.

    A whole date, or a figure of something, that both read well is taken at its word.
    """
    sides = (difference.one, difference.one_span), (difference.other, difference.other_span)
    if difference.kind == "date" and all(_YEAR.search(value) for value in difference.values):
        return difference.others > 1
    if any(span.end > span.start and at_edge(statement.text, span) for statement, span in sides):
        return True
    if difference.kind == "denial":
        return difference.others > 0 or not any(_DENIES.search(statement.text[: span.end]) for statement, span in sides)
    if difference.kind == "quantity" and difference.heads and not difference.others:
        return False
    texts = [statement.text[span.start : span.end] for statement, span in sides]
    return reads_differently(*texts) or any(len(text) <= _SHORT and not text.isdigit() for text in texts)


def at_edge(text: str, span: Span) -> bool:
    """Return whether a place is the first or the last word of a sentence."""
    return len(text[: span.start].split()) < 2 or not any(c.isalnum() for c in text[span.end :])
