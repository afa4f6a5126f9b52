"""Capital letters that make no name: of nouns, in the languages that write them so. Pure."""

from __future__ import annotations

import re
from functools import cache

from core.language.lexicon import words_of

CAPITAL_NOUNS = frozenset({"de"})
_SHORT_FORM = r"(?<!\w)[^\W\d_a-zäöüß]{2,}(?:-?\d+)?(?!\w)"


def names_with_title(text: str) -> tuple[str, ...]:
    """List the names in a text whose nouns have capitals: behind a title ('Frau Müller'), or short forms ('LKA')."""
    return tuple(dict.fromkeys(match["name"] or match.group() for match in _names().finditer(text)))


def is_name(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end], a word with a capital, is a name although nouns have capitals, too."""
    return any(match.start() <= start and end <= match.end() for match in _names().finditer(text, max(0, start - 40)))


@cache
def _names() -> re.Pattern[str]:
    titles = "|".join(
        sorted({title.capitalize() for language in CAPITAL_NOUNS for title in words_of(language, "title")})
    )
    word = r"[^\W\d_a-zäöüß][^\W\d_]+(?:-[^\W\d_]+)*"
    return re.compile(rf"(?<!\w)(?:(?:{titles})\.?\s+)+(?P<name>{word}(?:\s+{word})*)|{_SHORT_FORM}")
