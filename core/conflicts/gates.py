"""Gates for what is no statement about one thing: page furniture, lists, recurring measures, other times. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from core.conflicts.statements import Statement
from core.text import CELL_BORDER

FURNITURE = 3  # documents (copies apart) in which a line may stand, figures apart, before it is none of a text's own
_FURNITURE_WORDS = 16  # a longer sentence is no head or foot
_LIST_FIGURES = 4
_DIGITS = re.compile(r"\d+")
_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")
_ENUMERATOR = re.compile(r"\s*(?:[-*•|]|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|\d{2}[:.]\d{2}\b)")
_WORD = re.compile(r"\w+")
_MIXED = re.compile(r"\d+(?:st|nd|rd|th|s|m|am|pm|k)|[A-Z]{1,4}-?\d+|\d+-[a-z]+(?:-[a-z]+)*")
_VOWEL = re.compile(r"[aeiouyàâäéèêëïîôöùûüáíóúæøå]", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"[A-Za-z]*[aeiouyAEIOUY][A-Za-z]*[.,;:]?")
_ADDRESS = re.compile(r"\w@\w|://|\bwww\.|^[#*=_>|+]+$|^\d{2}:\d{2}")
_SHORT = 3  # letters of a word that may have no vowel
# Of what is said with these, other days have other values: prices, rates, scores, temperatures.
_CHANGING = frozenset(
    ("%", "$", "£", "€", "¥", "point", "cent", "share", "yen", "mark", "percent", "degree", "vote", "game", "homer")
)
_APART = 3  # days between two documents from which on a changing measure develops


def is_prose(text: str) -> bool:
    """Return whether a sentence is one, and no row of a table, score, list or heading."""
    if (
        any(border in text for border in ("\t", " | ", CELL_BORDER))
        or len(_FIGURE.findall(text)) > _LIST_FIGURES
        or _ENUMERATOR.match(text)
    ):
        return False
    words = _WORD.findall(text)
    letters = [c for c in text if c.isalpha()]
    small = sum(word[0].islower() for word in words)
    return len(letters) > len(text) / 2 and small >= max(2, len(words) * 0.35)


def is_readable(text: str) -> bool:
    """Return whether a sentence reads as one: few stray signs, few words that mix letters and figures."""
    words = text.split()
    odd = sum(1 for word in words if _odd(word))
    return odd <= len(words) * 0.12


def _odd(word: str) -> bool:
    if _PLAIN_WORD.fullmatch(word):
        return False
    bare = word.strip(".,;:!?\"'`“”‘’()[]-–—$£€%/")
    if not bare:
        return bool(word.strip(".,;:!?-–—\"'`()“”‘’/&"))
    if _ADDRESS.search(word):
        return False
    letters, digits = sum(c.isalpha() for c in bare), sum(c.isdigit() for c in bare)
    if letters + digits + sum(c in ".,:/'`’-–—&" for c in bare) < len(bare):
        return True
    if letters and digits:
        return not _MIXED.fullmatch(bare)
    return len(bare) > _SHORT and bare.isalpha() and not bare.isupper() and not _VOWEL.search(bare)


def furniture(statements: Sequence[Statement], families: Mapping[str, str]) -> frozenset[str]:
    """Return the shapes of short lines that stand in many documents, figures apart. Copies of one text count once."""
    where: dict[str, set[str]] = {}
    for statement in statements:
        if len(statement.text) < 12 * _FURNITURE_WORDS:
            document = families.get(statement.document, statement.document)
            shape = shape_of(statement.text)
            places = where.setdefault(shape, set())
            if len(places) <= FURNITURE:
                places.add(document)
    return frozenset(shape for shape, places in where.items() if len(places) > FURNITURE)


def shape_of(text: str) -> str:
    """Return a line in small letters with a sign for every figure."""
    return _DIGITS.sub("#", " ".join(text.casefold().split()))


def develops(one: Statement, other: Statement, heads: Iterable[str]) -> bool:
    """Return whether a measure of these kinds may simply have changed between two documents."""
    if not is_changing(heads):
        return False
    if not one.day or not other.day:
        return one.document != other.document
    return abs(days(one.day) - days(other.day)) > 0


def is_changing(heads: Iterable[str]) -> bool:
    """Return whether a figure of these kinds is another one every day."""
    return bool(set(heads) & _CHANGING)


def far_apart(one: Statement, other: Statement, *, most: int = _APART) -> bool:
    """Return whether two documents are of days further apart than news of one event are."""
    return bool(one.day and other.day) and abs(days(one.day) - days(other.day)) > most


def days(day: str) -> int:
    """Count the days up to this one (ISO 8601)."""
    return date.fromisoformat(day[:10]).toordinal()
