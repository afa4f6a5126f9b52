"""Passages that are copies of each other or nearly: one agency's sentence in six papers, a quoted mail, a version.

A copy may have another number or name; what differs between two is told word by word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

from rapidfuzz.distance import Levenshtein

from core.text import normalise

_RUN = 3  # words
# Of all runs of three words of two passages, the share that stands in both. A changed word takes three runs away: of
# thirty words one or two may differ, of ten none.
_SHARED = 0.7
_COMMON = 40  # passages: a run that more of them have is a phrase of the corpus and makes no candidates
_PHRASE = 5  # words of a phrase by which copies are looked up
_PHRASES = 5  # of one passage: a copy that differs in a few words still has some of them


def near_identical(texts: Sequence[str]) -> list[list[int]]:
    """Group texts that are copies of each other or nearly: lists of positions, in the order of their first.

    A text joins the group of the first text that it is near to, so a chain of small changes does not join far ends.
    """
    runs = [_runs(text) for text in texts]
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)  # of heads of groups
    groups: dict[int, list[int]] = {}
    for at, own in enumerate(runs):
        shared: dict[int, int] = defaultdict(int)
        for run in own:
            for head in holders[run]:
                shared[head] += 1
        near = [head for head, n in sorted(shared.items()) if n >= _SHARED * (len(own) + len(runs[head]) - n)]
        if near:
            groups[near[0]].append(at)
            continue
        groups[at] = [at]
        for run in own:
            if len(holders[run]) < _COMMON:
                holders[run].append(at)
    return list(groups.values())


def _runs(text: str) -> Collection[tuple[str, ...]]:
    """All runs of three words; a text with fewer words is one run of its own."""
    words = _words(text)
    return dict.fromkeys(tuple(words[at : at + _RUN]) for at in range(max(1, len(words) - _RUN + 1)))


def _words(text: str) -> list[str]:
    return normalise(text)[0].split()


def differences(text: str, other: str) -> tuple[tuple[str, str], ...]:
    """List the words that differ between two texts as (words of the one, words of the other), in order."""
    ours, theirs = _words(text), _words(other)
    return tuple(
        (" ".join(ours[edit.src_start : edit.src_end]), " ".join(theirs[edit.dest_start : edit.dest_end]))
        for edit in Levenshtein.opcodes(ours, theirs)
        if edit.tag != "equal"
    )


def phrases(text: str) -> list[str]:
    """Choose phrases of a text, spread over it, at least one of which nearly every copy of it has."""
    words = re.findall(r"\w+", text)
    last = max(0, len(words) - _PHRASE)
    starts = dict.fromkeys(round(last * at / (_PHRASES - 1)) for at in range(_PHRASES))
    return [" ".join(words[start : start + _PHRASE]) for start in starts] if words else []
