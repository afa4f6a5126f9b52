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
# Of all runs of three words of two passages, the share that is in both. A changed word takes three runs away: of
# thirty words one or two may differ, of ten none.
_SHARED = 0.7
# Texts of some length that share fewer are read word by word: two scans of a page differ in many words by a letter.
_MIN_SHARED = 0.2
_LONG = 30  # words
_TRIED = 3  # texts, those that share most, with which one is read so
_COMMON = 40  # passages: a run that more of them have is a phrase of the corpus and makes no candidates
_PHRASE = 5  # words of a phrase by which copies are looked up
_PHRASES = 5  # of one passage: a copy that differs in a few words still has some of them


def near_identical(texts: Sequence[str]) -> list[list[int]]:
    """Group texts that are copies of each other or nearly: lists of positions, in the order of their first.

    A text joins the group of the first text that it is near to, so a chain of small changes does not join far ends.
    """
    words = [_words(text) for text in texts]
    runs = [_runs(own_words) for own_words in words]
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)  # of heads of groups
    groups: dict[int, list[int]] = {}
    for index, own_runs in enumerate(runs):
        overlaps: dict[int, int] = defaultdict(int)
        for run in own_runs:
            for head in holders[run]:
                overlaps[head] += 1
        shares = {head: n / (len(own_runs) + len(runs[head]) - n) for head, n in sorted(overlaps.items())}
        source = next((head for head, share in shares.items() if share >= _SHARED), None)
        if source is None and len(words[index]) >= _LONG:
            likely = sorted(shares, key=lambda head: (-shares[head], head))[:_TRIED]
            source = next((head for head in likely if _is_noisy_copy(words[index], words[head], shares[head])), None)
        if source is not None:
            groups[source].append(index)
            continue
        groups[index] = [index]
        for run in own_runs:
            if len(holders[run]) < _COMMON:
                holders[run].append(index)
    return list(groups.values())


def copies_among(text: str, texts: Sequence[str]) -> list[int]:
    """List the positions of those texts that are copies of a text or nearly."""
    source = _words(text)
    return [index for index, other_text in enumerate(texts) if _is_copy(_words(other_text), source)]


def _is_copy(words: Sequence[str], source: Sequence[str]) -> bool:
    runs, source_runs = set(_runs(words)), set(_runs(source))
    share = len(runs & source_runs) / len(runs | source_runs)
    return share >= _SHARED or (len(words) >= _LONG and _is_noisy_copy(words, source, share))


def _is_noisy_copy(words: Sequence[str], other_words: Sequence[str], share: float) -> bool:
    """Return whether two texts that share some runs are copies but for letters that were read for each other."""
    if share < _MIN_SHARED or len(other_words) < _LONG:
        return False
    read = list(words)
    for edit in Levenshtein.opcodes(words, other_words):
        if edit.tag == "replace" and edit.src_end - edit.src_start == edit.dest_end - edit.dest_start:
            for index, to in zip(
                range(edit.src_start, edit.src_end), range(edit.dest_start, edit.dest_end), strict=True
            ):
                if _is_same_word(words[index], other_words[to]):
                    read[index] = other_words[to]
    own_runs, other_runs = set(_runs(read)), set(_runs(other_words))
    return len(own_runs & other_runs) >= _SHARED * len(own_runs | other_runs)


def _is_same_word(word: str, other_word: str) -> bool:
    """Return whether two words differ in a letter of four at most; a figure is another one by any sign."""
    longest = max(len(word), len(other_word)) // 4
    if any(sign.isdigit() for sign in word + other_word):
        return False
    return Levenshtein.distance(word, other_word, score_cutoff=longest) <= longest


def _runs(words: Sequence[str]) -> Collection[tuple[str, ...]]:
    """All runs of three words; a text with fewer words is one run of its own."""
    return dict.fromkeys(tuple(words[start : start + _RUN]) for start in range(max(1, len(words) - _RUN + 1)))


def _words(text: str) -> list[str]:
    return normalise(text)[0].split()


def differences(text: str, other_text: str) -> tuple[tuple[str, str], ...]:
    """List the words that differ between two texts as (words of the one, words of the other), in order."""
    ours, other_words = _words(text), _words(other_text)
    return tuple(
        (" ".join(ours[edit.src_start : edit.src_end]), " ".join(other_words[edit.dest_start : edit.dest_end]))
        for edit in Levenshtein.opcodes(ours, other_words)
        if edit.tag != "equal"
    )


def phrases(text: str) -> list[str]:
    """Choose phrases of a text, spread over it, at least one of which nearly every copy of it has."""
    words = re.findall(r"\w+", text)
    last = max(0, len(words) - _PHRASE)
    starts = dict.fromkeys(round(last * number / (_PHRASES - 1)) for number in range(_PHRASES))
    return [" ".join(words[start : start + _PHRASE]) for start in starts] if words else []
