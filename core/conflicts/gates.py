"""Tests for sentences that state nothing: page furniture, lists, recurring measures, other times. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from core.conflicts.statements import Statement
from core.text import CELL_BORDER, DIGITS, WORD

FURNITURE = 3  # documents, copies not counted, that may have a line, digits ignored, before it counts as furniture
_FURNITURE_WORDS = 16  # a longer sentence is no head or foot
_LIST_FIGURES = 4
_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")
_ENUMERATOR = re.compile(r"\s*(?:[-*•|]|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|\d{2}[:.]\d{2}\b)")
_MIXED = re.compile(r"\d+(?:st|nd|rd|th|s|m|am|pm|k)|[A-Z]{1,4}-?\d+|\d+-[a-z]+(?:-[a-z]+)*")
_VOWELS = frozenset("aeiouyàâäéèêëïîôöùûüáíóúæøå")
_PLAIN_WORD = re.compile(r"[A-Za-z]*[aeiouyAEIOUY][A-Za-z]*[.,;:]?")
_ADDRESS = re.compile(r"\w@\w|://|\bwww\.|^[#*=_>|+]+$|^\d{2}:\d{2}")
_SHORT = 3  # letters of a word that may have no vowel
# Figures with these units change from day to day: prices, rates, scores, temperatures.
_CHANGING = frozenset(
    ("%", "$", "£", "€", "¥", "point", "cent", "share", "yen", "mark", "percent", "degree", "vote", "game", "homer")
)
_APART = 3  # days between two documents that may still be about one event


def is_prose(text: str) -> bool:
    """Return whether a text is a sentence rather than a row of a table, a score, a list or a heading."""
    if (
        any(border in text for border in ("\t", " | ", CELL_BORDER))
        or len(_FIGURE.findall(text)) > _LIST_FIGURES
        or _ENUMERATOR.match(text)
    ):
        return False
    words = WORD.findall(text)
    letters = [c for c in text if c.isalpha()]
    small = sum(word[0].islower() for word in words)
    return len(letters) > len(text) / 2 and small >= max(2, len(words) * 0.35)


def is_readable(text: str) -> bool:
    """Return whether a sentence has few stray signs and few words that mix letters and digits."""
    words = text.split()
    odd = sum(1 for word in words if _is_odd(word))
    return odd <= len(words) * 0.12


def _is_odd(word: str) -> bool:
    if _PLAIN_WORD.fullmatch(word):
        return False
    stripped = word.strip(".,;:!?\"'`“”‘’()[]-–—$£€%/")
    if not stripped:
        return bool(word.strip(".,;:!?-–—\"'`()“”‘’/&"))
    if _ADDRESS.search(word):
        return False
    letters, digits = sum(c.isalpha() for c in stripped), sum(c.isdigit() for c in stripped)
    if letters + digits + sum(c in ".,:/'`’-–—&" for c in stripped) < len(stripped):
        return True
    if letters and digits:
        return not _MIXED.fullmatch(stripped)
    is_word = len(stripped) > _SHORT and stripped.isalpha() and not stripped.isupper()
    return is_word and _VOWELS.isdisjoint(stripped.lower())


def furniture(statements: Sequence[Statement], families: Mapping[str, str]) -> frozenset[str]:
    """Return the shapes of short lines that many documents have. Copies of one text count once."""
    documents_by_shape: dict[str, set[str]] = {}
    for statement in statements:
        if len(statement.text) < 12 * _FURNITURE_WORDS:
            document = families.get(statement.document, statement.document)
            shape = shape_of(statement.text)
            documents = documents_by_shape.setdefault(shape, set())
            if len(documents) <= FURNITURE:
                documents.add(document)
    return frozenset(shape for shape, documents in documents_by_shape.items() if len(documents) > FURNITURE)


def shape_of(text: str) -> str:
    """Lower-case a line and replace its numbers by a sign."""
    return DIGITS.sub("#", " ".join(text.casefold().split()))


def may_develop(left: Statement, right: Statement, heads: Iterable[str]) -> bool:
    """Return whether a measure of these kinds may simply have changed between two documents."""
    if not is_changing(heads):
        return False
    if not left.day or not right.day:
        return left.document != right.document
    return abs(days(left.day) - days(right.day)) > 0


def is_changing(heads: Iterable[str]) -> bool:
    """Return whether figures of these kinds change from day to day."""
    return bool(set(heads) & _CHANGING)


def are_far_apart(left: Statement, right: Statement, *, limit: int = _APART) -> bool:
    """Return whether the days of two documents are further apart than news of one event."""
    return bool(left.day and right.day) and abs(days(left.day) - days(right.day)) > limit


def days(day: str) -> int:
    """Count the days up to this one (ISO 8601)."""
    return date.fromisoformat(day[:10]).toordinal()
