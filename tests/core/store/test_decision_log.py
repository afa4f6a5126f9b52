"""Entries of the log as values: rows before and after, the chain of hashes, and what can be undone."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from core.domain import LogEntry
from core.errors import CaseValueWrong
from core.store import decision_log as logs
from core.store.decision_log import TABLES, ChangeSet, UndoStacks


def entry(seq=1, verb="rate", before="{}", after="{}", undoes=None):
    return LogEntry(seq, "2026-03-01T08:00:00Z", "ann", verb, before, after, "1", undoes, logs.FIRST, "")


def test_every_single_field_of_every_entry_is_covered_by_the_chain(pump_case):
    entries = pump_case.log.entries()
    last = len(entries)
    for index, name in itertools.product(range(last), ("at", "who", "verb", "before", "after", "version", "previous")):
        forgery = [*entries]
        forgery[index] = dataclasses.replace(entries[index], **{name: getattr(entries[index], name) + " "})
        assert logs.breaks(forgery, last), (index, name)
    for left, right in itertools.combinations(range(last), 2):
        forgery = [*entries]
        forgery[left], forgery[right] = forgery[right], forgery[left]
        assert logs.breaks(forgery, last)
    for index in range(last):
        assert logs.breaks(entries[:index] + entries[index + 1 :], last)


def test_a_key_of_several_columns_is_taken_apart_again():
    shape = TABLES["rating"]
    row = {"evidence": "E1", "hypothesis": "H2", "by": "ann/bob", "rating": "C"}
    assert shape.key_of(row) == "E1/H2/ann/bob"
    assert shape.keys("E1/H2/ann/bob") == ["E1", "H2", "ann/bob"]


def test_one_value_has_one_text():
    assert logs.canonical({"b": 1.50, "a": ["é", None]}) == '{"a":["é",null],"b":1.5}'
    with pytest.raises(ValueError):
        logs.canonical(float("nan"))


def test_a_row_of_an_older_entry_is_read_with_the_columns_of_today():
    older = logs.canonical({"hypothesis": {"H1": {"id": "H1", "text": "x", "note": ""}}})
    before, after = logs.rows_of(entry(after=older))
    assert before == {"hypothesis": {"H1": None}}
    assert after == {"hypothesis": {"H1": {"id": "H1", "text": "x", "note": "", "kind": "", "prior": None}}}


@pytest.mark.parametrize("after", ["[]", '{"rating": []}', "{", '{"hypothesis": {"H1": {"id": "H1"}}}'])
def test_an_entry_that_holds_no_rows_is_refused(after):
    with pytest.raises(CaseValueWrong):
        logs.rows_of(entry(after=after))


def test_the_log_tells_what_the_tables_hold(pump_case):
    tables = logs.replay(pump_case.log.entries())
    for name, shape in TABLES.items():
        assert tables[name] == {shape.key_of(row): row for row in pump_case.records.rows(name)}, name


def test_a_row_that_came_back_to_what_it_was_is_no_change():
    change = ChangeSet()
    assert not change
    change.note("about", "case", {"id": "case", "title": "a"}, {"id": "case", "title": "b"})
    assert change
    change.note("about", "case", {"id": "case", "title": "b"}, {"id": "case", "title": "a"})
    assert not change


def test_a_word_that_no_column_knows_is_named():
    assert logs.fault("rating", {"rating": "CC", "confidence": ""}) == ""
    assert logs.fault("rating", {"rating": "CCC", "confidence": ""}) == "Its rating cannot be 'CCC'."


def test_undo_goes_back_and_redo_forth_until_something_new_is_decided():
    stacks = UndoStacks([(1, "create case", None), (2, "rate", None), (3, "propose", None), (4, "accept", None)])
    assert (stacks.undo, stacks.redo) == ([2, 4], [])
    stacks.add(5, "accept", 4)  # undo
    assert (stacks.undo, stacks.redo) == ([2], [5])
    stacks.add(6, "accept", 5)  # redo
    assert (stacks.undo, stacks.redo) == ([2, 6], [])
    stacks.add(7, "accept", 6)
    stacks.add(8, "rate", None)
    assert (stacks.undo, stacks.redo) == ([2, 8], [])
    stacks.add(9, logs.READ_AGAIN, None)  # words have other numbers now
    assert (stacks.undo, stacks.redo) == ([], [])
