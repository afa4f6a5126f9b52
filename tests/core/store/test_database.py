"""Transactions, numbers, and who is told of what is written."""

from __future__ import annotations

import threading

import apsw
import pytest

from core.errors import DiskFailed
from core.progress import silent
from core.store.decision_log import ANCHOR, ChangeSet
from tests.core.store.material import TEXTS, add, decisions


def test_numbers_are_never_given_twice(pump_case):
    pump_case.hypotheses.add("third")
    pump_case.undo.undo()
    assert pump_case.hypotheses.add("fourth").id == "H4"


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


def test_a_transaction_that_fails_leaves_nothing_anywhere(pump_case):
    initial_decisions, entries, last = decisions(pump_case), pump_case.log.entries(), pump_case.undo.undoable()
    page = pump_case.pages.page("D1", 1)
    with pytest.raises(Interrupted):
        add_and_stop(pump_case, page.id)
    assert decisions(pump_case) == initial_decisions
    assert pump_case.log.entries() == entries
    assert pump_case.undo.undoable() == last
    assert pump_case.anchors.pending_pages == set()


def test_a_page_that_changes_without_an_entry_gets_one(pump_case):
    page = pump_case.pages.page("D1", 1)
    with pump_case.db.transaction():
        pump_case.anchors.pending_pages.add(page.id)
    last = pump_case.log.entries()[-1]
    assert (last.verb, f'"{page.id}":[1,' in last.after) == (ANCHOR, True)
    with pump_case.db.transaction():
        pass
    assert pump_case.log.entries()[-1] == last


def test_a_rehearsal_is_taken_back(pump_case):
    initial_decisions = decisions(pump_case)
    counts = pump_case.counts()
    with pump_case.db.rehearsal():
        pump_case.db.execute("DELETE FROM rating")
        assert pump_case.ratings.assessments() == []
        assert pump_case.counts()["evidence"] == counts["evidence"]
    assert decisions(pump_case) == initial_decisions
    assert pump_case.counts() == counts


def test_a_listener_is_told_of_the_rows_of_its_table(case):
    rows = []
    case.db.on_row("hypothesis", rows.append)
    add(case, "a.txt", [TEXTS[0]])
    assert rows == []
    case.hypotheses.add("one")
    assert len(rows) == 1


def test_a_disk_that_fails_under_an_open_case_is_told_as_that(small_case, monkeypatch):
    """What is read from memory goes on, and once the disk is back the next step is saved."""
    execute = small_case.db.execute

    def failing(sql, *arguments):
        if sql.startswith("BEGIN"):
            raise apsw.IOError("disk I/O error")
        return execute(sql, *arguments)

    monkeypatch.setattr(small_case.db, "execute", failing)
    with pytest.raises(DiskFailed, match="everything before it was"):
        small_case.hypotheses.add("It rained")
    assert len(small_case.hypotheses.all()) == 2
    monkeypatch.undo()
    small_case.hypotheses.add("It rained")
    assert small_case.verify(silent()).ok


def test_whether_somebody_writes_can_be_asked_while_another_thread_uses_the_connection(pump_case):
    at_work = threading.Event()

    def work():
        with pump_case.db.reading() as db:
            at_work.set()
            db.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT sum(i) FROM n"
            ).fetchall()

    thread = threading.Thread(target=work)
    thread.start()
    at_work.wait()
    while thread.is_alive():
        assert not pump_case.db.is_writing
        assert pump_case.words._cut("pumps", apsw.FTS5_TOKENIZE_QUERY) == ["pump"]
    thread.join()
