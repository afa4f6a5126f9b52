"""Transactions, numbers, and who is told of what is written."""

from __future__ import annotations

import pytest

from core.store.decision_log import ANCHOR, ChangeSet
from tests.core.store.material import TEXTS, add, decisions


def test_numbers_are_never_given_twice(filled):
    filled.hypotheses.add("third")
    filled.undo.undo()
    assert filled.hypotheses.add("fourth").id == "H4"


class Interrupted(Exception):
    pass


def add_and_stop(case, page_id):
    with case.db.transaction():
        change = ChangeSet()
        case.hypotheses.new(change, "third", "")
        case.anchors.pending_pages.add(page_id)
        case.log.append_change("add hypothesis", change)
        assert case.undo.undoable().verb == "add hypothesis"
        raise Interrupted


def test_a_transaction_that_fails_leaves_nothing_anywhere(filled):
    before, entries, last = decisions(filled), filled.log.entries(), filled.undo.undoable()
    page = filled.pages.page("D1", 1)
    with pytest.raises(Interrupted):
        add_and_stop(filled, page.id)
    assert decisions(filled) == before
    assert filled.log.entries() == entries
    assert filled.undo.undoable() == last
    assert filled.anchors.pending_pages == set()


def test_a_page_that_changes_without_an_entry_gets_one(filled):
    page = filled.pages.page("D1", 1)
    with filled.db.transaction():
        filled.anchors.pending_pages.add(page.id)
    last = filled.log.entries()[-1]
    assert (last.verb, f'"{page.id}":[1,' in last.after) == (ANCHOR, True)
    with filled.db.transaction():
        pass
    assert filled.log.entries()[-1] == last


def test_a_rehearsal_is_taken_back(filled):
    before = decisions(filled)
    counts = filled.counts()
    with filled.db.rehearsal():
        filled.db.execute("DELETE FROM rating")
        assert filled.ratings.assessments() == []
        assert filled.counts()["evidence"] == counts["evidence"]
    assert decisions(filled) == before
    assert filled.counts() == counts


def test_a_listener_is_told_of_the_rows_of_its_table(case):
    rows = []
    case.db.on_row("hypothesis", rows.append)
    add(case, "a.txt", [TEXTS[0]])
    assert rows == []
    case.hypotheses.add("one")
    assert len(rows) == 1
