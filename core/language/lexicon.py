"""Word lists of a language: data files, one entry a line, in ``resources/lexicon/LANGUAGE/KIND.txt``."""

from __future__ import annotations

from functools import cache

from core import paths


@cache
def words_of(language: str, kind: str) -> frozenset[str]:
    """Return the entries of a list in small letters; lines that begin with '#' are remarks.

    Raises FileNotFoundError for a list that the program does not bring.
    """
    path = paths.RESOURCES / "lexicon" / language / f"{kind}.txt"
    lines = (line.strip() for line in path.read_text("utf-8").splitlines())
    return frozenset(line.casefold() for line in lines if line and not line.startswith("#"))


@cache
def opposites_in(language: str, kind: str) -> dict[str, frozenset[str]]:
    """Return, for each word of a list of pairs, the words that it is beside. Raises as ``words_of``."""
    pairs = [tuple(line.split()) for line in words_of(language, kind)]
    both = {*pairs, *((right, left) for left, right in pairs)}
    return {word: frozenset(right for left, right in both if left == word) for word, _ in both}
