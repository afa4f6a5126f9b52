"""The log: what it tells, and that nothing in it can be changed unseen."""

from __future__ import annotations

import json

import pytest

from core.progress import silent
from core.store import CaseFile
from core.store import decision_log as logs
from tests.core.store.material import clock, fill, tamper


def test_the_log_tells_who_what_when(pump_case):
    entries = pump_case.log.entries()
    assert [e.seq for e in entries] == list(range(1, len(entries) + 1))
    assert {e.who for e in entries} == {"ann"}
    assert all(e.at.endswith("Z") and e.version for e in entries)
    acceptance = next(e for e in entries if e.verb == "accept")
    assert json.loads(acceptance.before)["evidence"] == {"E1": None}
    assert json.loads(acceptance.after)["evidence"]["E1"]["quote"].startswith("The dosing pump")
    undo_entry = entries[-1]
    assert (undo_entry.verb, undo_entry.undoes) == ("rate", undo_entry.seq - 1)
    assert logs.breaks(entries, len(entries)) == []


def test_a_clock_set_back_changes_no_order(path):
    with CaseFile.create(path, now=clock("2026-03-01T08:00:00+00:00")) as case:
        case.hypotheses.add("one")
    with CaseFile.open(path, now=clock("2020-01-01T00:00:00+00:00")) as case:
        case.hypotheses.add("two")
        assert [e.verb for e in case.log.entries()] == ["create case", "add hypothesis", "add hypothesis"]
        assert case.verify(silent()).ok
        case.undo.undo()
        assert [h.text for h in case.hypotheses.all()] == ["one"]


TAMPERINGS = {
    "who": ["UPDATE log SET who = 'eve' WHERE seq = 4"],
    "when": ["UPDATE log SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 4"],
    "after": ["UPDATE log SET after = replace(after, 'CC', 'II')"],
    "verb": ["UPDATE log SET verb = 'reject' WHERE verb = 'accept'"],
    "undoes": ["UPDATE log SET undoes = 3 WHERE undoes IS NOT NULL"],
    "deleted in the middle": ["DELETE FROM log WHERE seq = 5"],
    "deleted at the end": ["DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)"],
    "deleted at the start": ["DELETE FROM log WHERE seq = 1"],
    "swapped": [
        "UPDATE log SET seq = -1 WHERE seq = 4",
        "UPDATE log SET seq = 4 WHERE seq = 5",
        "UPDATE log SET seq = 5 WHERE seq = -1",
    ],
    "inserted": [
        "INSERT INTO log SELECT max(seq) + 1, at, who, verb, version, undoes, previous, hash, before, after FROM log"
    ],
    "rating changed beside it": ["UPDATE rating SET rating = 'N'"],
    "evidence removed beside it": ["DELETE FROM evidence WHERE id = 'E2'"],
    "document renamed": ["UPDATE document SET name = 'other.txt' WHERE id = 'D1'"],
    "unreadable": ["UPDATE log SET after = '{' WHERE seq = 4"],
}


@pytest.mark.parametrize("statements", TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_tampering_with_the_log_or_the_tables_is_found(path, statements):
    with CaseFile.create(path, who="ann", now=clock()) as case:
        fill(case)
    tamper(path, *statements)
    with CaseFile.open(path) as case:
        check = case.verify(silent())
        assert not check.ok
        assert all(problem.what and problem.hint for problem in check.problems)
