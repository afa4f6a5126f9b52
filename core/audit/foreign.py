"""Sentences in other languages than English, whose denials, numbers and names the rules do not read. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from core.language.fold import fold
from core.language.identification import ENGLISH, language_of


def foreign_language(*texts: tuple[str, str]) -> str:
    """Return the language of the first of these texts that is not read here; '' for none.

    Each is given with the language of what it is in, '' where that is unknown.
    """
    languages = (language for text, whole in texts for language in (whole, language_of(text, whole)))
    return next((language for language in languages if language not in ("", ENGLISH)), "")


def is_verbatim(sentence: str, sources: Iterable[str]) -> bool:
    """Return whether a sentence has the words of one of its sources, all of them and no other.

    Less is not enough where denials are not read: it may leave one out.
    """
    words = fold(sentence).split()
    return any(fold(source).split() == words for source in sources)
