"""Who says, by a sentence, the words that it quotes. Pure.

Words can be quoted exactly and be somebody else's. A name beside a verb of saying is held against what the source says
near these words, and against the author and title of its document.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answers.question import names_in
from core.language.lexicon import words_of

NEAR = 500  # characters before and behind a quotation in which its speaker may be named
_SAYING = "|".join(sorted((re.escape(verb) for verb in words_of("en", "saying")), key=len, reverse=True))
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_TITLES = words_of("en", "title")


def speakers(frame: str) -> list[tuple[int, int]]:
    """Return where a sentence, its quotation blanked out, names who says it: beside a verb of saying."""
    result = []
    for name in names_in(frame):
        plain = re.escape(name)
        match = re.search(
            rf"\b(?P<left>{plain})\s(?:\w+ly\s|also\s|later\s)?(?:{_SAYING})\b|\b(?:{_SAYING})\s(?P<right>{plain})\b",
            frame,
        )
        if match is not None:
            result.append(match.span("left" if match["left"] else "right"))
    return sorted(result)


def is_named(name: str, texts: Sequence[str]) -> bool:
    """Return whether one of some texts has a word of a name."""
    words = set(_LETTERS.findall(name.casefold())) - _TITLES
    return not words or any(words & set(_LETTERS.findall(text.casefold().replace("_", " "))) for text in texts)
