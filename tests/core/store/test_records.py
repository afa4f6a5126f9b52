"""Rows of the decision tables, and the changes that are gathered of them."""

from __future__ import annotations

import pytest

from core.errors import CaseValueWrong, NoSuchItem
from core.store.decision_log import ChangeSet


def test_a_change_holds_a_row_as_it_was_at_first_and_as_it_is_at_last(pump_case):
    row = pump_case.records.require("hypothesis", "H1")
    change = ChangeSet()
    with pump_case.db.transaction():
        pump_case.records.put(change, "hypothesis", row)
        assert not change
        pump_case.records.put(change, "hypothesis", {**row, "text": "one"})
        pump_case.records.put(change, "hypothesis", {**row, "text": "two"})
    assert change.before == {"hypothesis": {"H1": row}}
    assert change.after == {"hypothesis": {"H1": {**row, "text": "two"}}}


def test_what_hangs_on_a_row_goes_with_it(pump_case):
    change = ChangeSet()
    with pump_case.db.transaction():
        pump_case.records.delete_cascade(change, "evidence", "E1")
        pump_case.records.delete_cascade(change, "evidence", "E9")
    keys_by_table = {table: sorted(rows) for table, rows in change.after.items()}
    assert keys_by_table == {"evidence": ["E1"], "rating": ["E1/H1/ann", "E1/H2/ann"], "suggestion": ["E1/H1"]}
    assert pump_case.records.rows("rating", "evidence = ?", ("E1",)) == []


def test_who_names_a_row_that_is_not_there_is_told_a_command_that_lists_them(pump_case):
    for table, command in (("document", "documents"), ("proposal", "proposals"), ("evidence", "evidence")):
        with pytest.raises(NoSuchItem) as raised:
            pump_case.records.require(table, "Z9")
        assert raised.value.hint == f"List them with: disconfirm {command} CASE"


def test_a_row_is_required_by_its_key(pump_case):
    assert pump_case.records.row("rating", "E1/H1/ann")["rating"] == "CC"
    assert pump_case.records.row("rating", "E1/H1/ben") is None
    with pytest.raises(NoSuchItem):
        pump_case.records.require("hypothesis", "H9")


def test_a_value_that_no_row_can_hold_is_not_read(pump_case):
    pump_case.db.execute("UPDATE rating SET rating = 'X'")
    with pytest.raises(CaseValueWrong):
        pump_case.records.rows("rating")
    assert {row["rating"] for row in pump_case.records.stored_rows("rating")} == {"X"}


def test_documents_and_evidence_are_made_anew_only_where_something_of_them_changed(pump_case):
    for rows, change, changed_id in (
        (pump_case.documents.all, lambda: pump_case.descriptions.describe(["D1"], {"title": "Another title"}), "D1"),
        (pump_case.evidence.all, lambda: pump_case.evidence.describe(["E1"], {"note": "Read it again"}), "E1"),
    ):
        first = {row.id: row for row in rows()}
        assert all(row is first[row.id] for row in rows())
        change()
        second = {row.id: row for row in rows()}
        assert {identity for identity in second if second[identity] is not first[identity]} == {changed_id}


def test_a_row_that_was_listed_and_is_damaged_since_is_found_out(pump_case):
    assert pump_case.evidence.all()
    pump_case.db.execute("UPDATE evidence SET credibility = 'Z' WHERE id = 'E1'")
    with pytest.raises(CaseValueWrong):
        pump_case.evidence.all()
