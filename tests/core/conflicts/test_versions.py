"""Two versions of one document."""

from __future__ import annotations

from core.conflicts.pairs import Rarity
from core.conflicts.versions import compare
from tests.core.conflicts.builders import statements

OLD = "The pump at Weir Lane was out for 47 minutes last night. Bottled water is given out in Corn Street from noon."
NEW = OLD.replace("47", "74")


def compared(old: str, new: str, **options: bool) -> list[tuple[str, tuple[str, str]]]:
    rows = statements(old, new)
    mine, theirs = ([row for row in rows if row.document == document] for document in ("D1", "D2"))
    return [(each.kind, each.values) for each in compare(mine, theirs, Rarity(rows), **options)]


def test_the_sentence_that_was_changed_is_set_against_what_it_was():
    assert compared(OLD, NEW) == [("quantity", ("47..47", "74..74"))]


def test_a_sentence_that_stands_in_both_says_nothing():
    assert compared(OLD, OLD) == []
    assert compared(OLD, OLD.replace(". ", ".\n\n")) == []


def test_in_a_scan_what_may_be_misread_is_no_conflict_but_a_figure_that_reads_well_is():
    assert compared(OLD, OLD.replace("47", "41")) == [("quantity", ("47..47", "41..41"))]
    assert compared(OLD, OLD.replace("47", "4I"), is_scan=True) == []
    assert compared(OLD, OLD.replace("Corn", "Cern"), is_scan=True) == []
    assert compared(OLD, OLD.replace("47", "41"), is_scan=True) == [("quantity", ("47..47", "41..41"))]
    assert compared(OLD, NEW, is_scan=True) == [("quantity", ("47..47", "74..74"))]
