"""Conflicts as values: what they say of themselves, and the way through the case file."""

from __future__ import annotations

from core.conflicts.results import BASES, Conflict, ConflictRecord, ConflictSource, Position, basis_words
from core.domain import Quote
from core.store.results import StoredResult, encode


def source(document: str, *, is_copy: bool = False) -> ConflictSource:
    return ConflictSource(Quote(document, 1, 1, 0, 4, "text", "sha"), "a.txt", "te", is_copy=is_copy)


def conflict(kind: str = "quantity", basis: str = "rule") -> Conflict:
    positions = tuple(Position(text, (source("D1"),)) for text in ("47", "74"))
    return Conflict(kind, "out for ___ minutes", positions, basis, 3.5)  # type: ignore[arg-type]


def test_copies_are_not_independent():
    assert Position("47", (source("D1"), source("D2", is_copy=True), source("D3"))).independent == 2


def test_what_a_conflict_rests_on_is_said_in_a_sentence():
    assert basis_words(conflict()) == BASES["rule"]
    assert basis_words(conflict("denial")) != BASES["rule"]
    assert basis_words(conflict("denial", "judge")) == BASES["judge"]


def test_a_conflict_is_open_until_somebody_decides():
    assert ConflictRecord("X1", conflict()).is_open
    assert not ConflictRecord("X1", conflict(), status="both").is_open


def test_a_conflict_comes_back_from_the_case_file_as_it_was():
    row = StoredResult("X1", "key", encode(conflict()), "Ann", "2025-03-13", False)
    assert row.decode(Conflict) == conflict()
