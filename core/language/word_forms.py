"""Forms of one word, by what may follow their common beginning. Pure, and for English."""

from __future__ import annotations

from core.language.lexicon import words_of

_ENDINGS = words_of("en", "ending") | {""}
_LEAST_STEM = 3


def are_forms(left: str, right: str) -> bool:
    """Return whether two words in small letters are forms of one: 'reject' and 'rejected', 'city' and 'cities'."""
    if left[:_LEAST_STEM] != right[:_LEAST_STEM]:
        return False
    common = 0
    for left_letter, right_letter in zip(left, right, strict=False):
        if left_letter != right_letter:
            break
        common += 1
    if common < _LEAST_STEM:
        return False
    stems = (common, common - 1)  # 'stopped' and 'stop', 'cities' and 'city', 'decide' and 'deciding'
    return any(stem >= _LEAST_STEM and _ending(left, stem) and _ending(right, stem) for stem in stems)


def _ending(word: str, stem: int) -> bool:
    rest = word[stem:]
    if rest in _ENDINGS:
        return True
    return len(rest) > 1 and rest[0] == word[stem - 1] and rest[1:] in _ENDINGS  # a doubled letter
