"""Rows of the decision tables, and the changes that are gathered of them."""

from __future__ import annotations

import pytest

from core.errors import CaseValueWrong, NoSuchItem
from core.store.decision_log import ChangeSet


def test_a_change_holds_a_row_as_it_was_at_first_and_as_it_is_at_last(filled):
    row = filled.records.require("hypothesis", "H1")
    change = ChangeSet()
    with filled.db.transaction():
        filled.records.put(change, "hypothesis", row)
        assert not change
        filled.records.put(change, "hypothesis", {**row, "text": "one"})
        filled.records.put(change, "hypothesis", {**row, "text": "two"})
    assert change.before == {"hypothesis": {"H1": row}}
    assert change.after == {"hypothesis": {"H1": {**row, "text": "two"}}}


def test_what_hangs_on_a_row_goes_with_it(filled):
    change = ChangeSet()
    with filled.db.transaction():
        filled.records.delete_cascade(change, "evidence", "E1")
        filled.records.delete_cascade(change, "evidence", "E9")
    taken = {table: sorted(rows) for table, rows in change.after.items()}
    assert taken == {"evidence": ["E1"], "rating": ["E1/H1/ann", "E1/H2/ann"], "suggestion": ["E1/H1"]}
    assert filled.records.rows("rating", "evidence = ?", ("E1",)) == []


def test_a_row_is_required_by_its_key(filled):
    assert filled.records.row("rating", "E1/H1/ann")["rating"] == "CC"
    assert filled.records.row("rating", "E1/H1/ben") is None
    with pytest.raises(NoSuchItem):
        filled.records.require("hypothesis", "H9")


def test_a_value_that_no_row_can_hold_is_not_read(filled):
    filled.db.execute("UPDATE rating SET rating = 'X'")
    with pytest.raises(CaseValueWrong):
        filled.records.rows("rating")
    assert {row["rating"] for row in filled.records.stored_rows("rating")} == {"X"}
