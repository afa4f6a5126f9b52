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
