"""Bounds of shares, days and times in a sentence and in its nearest source. Pure, and for English.

'More than half' is not half, and 'on 30 June at the latest' not on 30 June. Bounds of figures are part of the figures
(``core/language/figures``).
"""

from __future__ import annotations

import re
from functools import cache

from core.language.lexicon import words_of

_SHARE = re.compile(
    rf"\b(?:a\s|one\s|two\s|three\s)?(?:{'|'.join(sorted(words_of('en', 'share_noun')))})\b", re.IGNORECASE
)


def other_bound(sentence: str, source: str) -> str:
    """Return the words with which only a source bounds what a sentence has, or the sentence's own; '' for none."""
    of_time, in_source = _of_time(sentence), _of_time(source)
    if in_source and of_time.keys() != in_source.keys():
        return next((words for sense, words in in_source.items() if sense not in of_time), "") or min(of_time.values())
    shares = {share.casefold(): _before(sentence[:start]) for share, start in _shares(sentence)}
    for share, start in _shares(source):
        own, words = shares.get(share.casefold()), _before(source[:start])
        if own is not None and own[0] != words[0]:
            return words[1] or own[1]
    return ""


def _of_time(text: str) -> dict[int, str]:
    found = {}
    for sense, pattern in enumerate(_patterns("time_bound")):
        if match := pattern.search(text):
            found[sense] = match.group()
    return found


def _shares(text: str) -> list[tuple[str, int]]:
    return [(match.group(), match.start()) for match in _SHARE.finditer(text)]


def _before(lead: str) -> tuple[int, str]:
    """Return the sense and the words of a bound at the end of what precedes a share; -1 and '' for none."""
    for sense, pattern in enumerate(_patterns("share_bound")):
        for match in pattern.finditer(lead):
            if not lead[match.end() :].strip():
                return sense, match.group()
    return -1, ""


@cache
def _patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    lines = (line.split(", ") for line in sorted(words_of("en", kind)))
    longest = (sorted(line, key=lambda words: (-len(words), words)) for line in lines)
    return tuple(re.compile(rf"\b(?:{'|'.join(map(re.escape, line))})\b", re.IGNORECASE) for line in longest)
