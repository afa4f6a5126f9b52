"""Two versions of one document."""

from __future__ import annotations

from core.conflicts.pairs import Rarity
from core.conflicts.versions import compare
from tests.core.conflicts.builders import statements

OLD = "The pump at Weir Lane was out for 47 minutes last night. Bottled water is given out in Corn Street from noon."
NEW = OLD.replace("47", "74")


def differences_of(old: str, new: str, **options: bool) -> list[tuple[str, tuple[str, str]]]:
    rows = statements(old, new)
    left, right = ([row for row in rows if row.document == document] for document in ("D1", "D2"))
    return [(difference.kind, difference.values) for difference in compare(left, right, Rarity(rows), **options)]


def test_a_changed_sentence_is_compared_with_its_old_form():
    assert differences_of(OLD, NEW) == [("quantity", ("47..47", "74..74"))]


def test_unchanged_sentences_give_no_difference():
    assert differences_of(OLD, OLD) == []
    assert differences_of(OLD, OLD.replace(". ", ".\n\n")) == []


def test_possible_misreadings_of_a_scan_are_skipped():
    assert differences_of(OLD, OLD.replace("47", "41")) == [("quantity", ("47..47", "41..41"))]
    assert differences_of(OLD, OLD.replace("47", "4I"), is_scan=True) == []
    assert differences_of(OLD, OLD.replace("Corn", "Cern"), is_scan=True) == []
    assert differences_of(OLD, OLD.replace("47", "41"), is_scan=True) == [("quantity", ("47..47", "41..41"))]
    assert differences_of(OLD, NEW, is_scan=True) == [("quantity", ("47..47", "74..74"))]
