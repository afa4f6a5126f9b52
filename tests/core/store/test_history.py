"""A case as it once was."""

from __future__ import annotations

import pytest

from core.errors import BadInput


def test_a_moment_is_an_entry_a_time_or_a_day(pump_case):
    entries = pump_case.log.entries()
    last = len(entries)
    assert pump_case.history.position() == last
    assert pump_case.history.moment("3") == 3
    assert pump_case.history.moment("9999999") == last
    assert pump_case.history.moment(entries[4].at) == 5
    assert pump_case.history.moment("2026-02-28") == 0
    assert pump_case.history.moment("2026-03-01") == last
    with pytest.raises(BadInput):
        pump_case.history.moment("before lunch")


def test_what_was_decided_by_then_is_what_the_log_replays(pump_case):
    now = pump_case.history.state()
    pump_case.ratings.rate("E2", "H1", "C")
    pump_case.hypotheses.remove("H2")
    then = pump_case.history.state_at(now.seq)
    assert then == now
    assert [h.id for h in pump_case.history.state().hypotheses] == ["H1"]
    assert [state for _, state in pump_case.history.states([now.seq])] == [now]
    assert pump_case.history.decided_since(now.seq) == 2


def test_the_tables_are_what_the_log_says_while_it_is_asked(pump_case):
    pump_case.db.execute("UPDATE rating SET rating = 'N'")
    with pump_case.history.as_the_log_says():
        assert [cell[3] for cell in sorted(pump_case.ratings.rated_cells())] == ["CC", "II"]
    assert {cell[3] for cell in pump_case.ratings.rated_cells()} == {"N"}


def test_reports_and_days_are_counted(pump_case):
    assert pump_case.history.last_report() == 0
    pump_case.log.note_export("report.html", "ab" * 32)
    last = pump_case.history.position()
    assert (pump_case.history.last_report(), pump_case.history.last_report(last)) == (last, 0)
    days = pump_case.history.decision_days()
    assert [day for day, _ in days] == ["2026-03-01"]
