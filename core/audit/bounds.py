"""Bounds of shares, days and times, and limits, of a sentence and its nearest source. Pure, and for English.

'More than half' is not half, 'on 30 June at the latest' not on 30 June, and 'apart from Lind, all' not all. Bounds of
figures are part of the figures (``core/language/figures``).
"""

from __future__ import annotations

import re
from functools import cache

from core.language.lexicon import words_of

_SHARE = re.compile(
    rf"\b(?:a\s|one\s|two\s|three\s)?(?:{'|'.join(sorted(words_of('en', 'share_noun')))})\b", re.IGNORECASE
)

# 'when it rains', of what is so then alone; 'when it rained' is a time
_WHEN = re.compile(
    r"\bwhen(?:ever)?\s(?:(?:the|an?|its|his|her|their)\s)?(?!(?:the|an?)\b)\w+\s(?:is|are|has|have|\w{2,}[^s\W]s)\b"
    r"|\bwhen\s\w+(?=[.,;]|$)",
    re.IGNORECASE,
)


def other_bound(sentence: str, source: str) -> str:
    """Return the words with which only a source bounds what a sentence has, or the sentence's own; '' for none."""
    for kind in ("time_bound", "limit"):
        own_senses, senses = _senses(kind, sentence), _senses(kind, source)
        if senses and own_senses.keys() != senses.keys():
            return next(
                iter(
                    words
                    for sense, words in (senses | own_senses).items()
                    if (sense in senses) != (sense in own_senses)
                )
            )
    if (when := _WHEN.search(source)) and not re.search(r"\b(?:when|if)", sentence, re.IGNORECASE):
        return when.group()
    shares = {share.casefold(): _before(sentence[:start]) for share, start in _shares(sentence)}
    for share, start in _shares(source):
        own, words = shares.get(share.casefold()), _before(source[:start])
        if own is not None and own[0] != words[0]:
            return words[1] or own[1]
    return ""


def _senses(kind: str, text: str) -> dict[int, str]:
    """Return the words of a list that a text has, by their sense."""
    words = {}
    for sense, pattern in enumerate(_patterns(kind)):
        if match := pattern.search(text):
            words[sense] = match.group()
    return words


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
