"""The speaker that a sentence names for its quotation. Pure.

A quotation may be verbatim and still be somebody else's. A name next to a verb of saying is compared with the text
around the quotation in its source, and with the author and title of the document.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answers.question import names_in
from core.language.lexicon import words_of
from core.text import LONG_WORD

NEAR = 500  # characters before and after a quotation in which its speaker may be named
_SAYING = "|".join(sorted((re.escape(verb) for verb in words_of("en", "saying")), key=len, reverse=True))
_TITLES = words_of("en", "title")
_ACCOUNT = re.compile(
    rf"\b(?i:{'|'.join(sorted(words_of('en', 'own_account')))})\s(?i:of|by|from)\s"
    r"(?P<name>[A-Z][\w'’.-]+(?:\s[A-Z][\w'’.-]+)*)"
)


def speakers(frame: str) -> list[tuple[int, int]]:
    """Return the spans of speakers' names in a sentence whose quotation is blanked out."""
    result = []
    for name in names_in(frame):
        pattern = re.escape(name)
        match = re.search(
            rf"\b(?P<left>{pattern})\s(?:\w+ly\s|also\s|later\s)?(?:{_SAYING})\b|\b(?:{_SAYING})\s(?P<right>{pattern})\b",
            frame,
        )
        if match is not None:
            result.append(match.span("left" if match["left"] else "right"))
    return sorted(result)


def author_in(title: str) -> str:
    """Return whose account a document is by its title, '' for a title that does not say: 'Statement of Ruth Vance'."""
    match = _ACCOUNT.search(title)
    return match["name"] if match else ""


def is_named(name: str, texts: Sequence[str]) -> bool:
    """Return whether a text has a word of a name."""
    words = set(LONG_WORD.findall(name.casefold())) - _TITLES
    return not words or any(words & set(LONG_WORD.findall(text.casefold().replace("_", " "))) for text in texts)
