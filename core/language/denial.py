"""Words of denial."""

from __future__ import annotations

from core.language.lexicon import words_of
from core.text import FULL_WORD


def is_denial(word: str) -> bool:
    """Return whether a word in small letters, with a straight apostrophe, denies ('not', 'never', 'didn't')."""
    return word in words_of("en", "denial") or word.endswith("n't")


def denies(text: str) -> bool:
    """Return whether a text has a word of denial."""
    return any(is_denial(match.group().casefold().replace("’", "'")) for match in FULL_WORD.finditer(text))
