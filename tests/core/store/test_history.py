"""A case as it once was."""

from __future__ import annotations

import pytest

from core.errors import BadInput


def test_a_moment_is_an_entry_a_time_or_a_day(filled):
    entries = filled.log.entries()
    last = len(entries)
    assert filled.history.position() == last
    assert filled.history.moment("3") == 3
    assert filled.history.moment("9999999") == last
    assert filled.history.moment(entries[4].at) == 5
    assert filled.history.moment("2026-02-28") == 0
    assert filled.history.moment("2026-03-01") == last
    with pytest.raises(BadInput):
        filled.history.moment("before lunch")


def test_what_was_decided_by_then_is_what_the_log_replays(filled):
    now = filled.history.state()
    filled.ratings.rate("E2", "H1", "C")
    filled.hypotheses.remove("H2")
    then = filled.history.state_at(now.seq)
    assert then == now
    assert [h.id for h in filled.history.state().hypotheses] == ["H1"]
    assert [state for _, state in filled.history.states([now.seq])] == [now]
    assert filled.history.decided_since(now.seq) == 2


def test_the_tables_are_what_the_log_says_while_it_is_asked(filled):
    filled.db.execute("UPDATE rating SET rating = 'N'")
    with filled.history.as_the_log_says():
        assert [cell[3] for cell in sorted(filled.ratings.rated_cells())] == ["CC", "II"]
    assert {cell[3] for cell in filled.ratings.rated_cells()} == {"N"}


def test_reports_and_days_are_counted(filled):
    assert filled.history.last_report() == 0
    filled.log.note_export("report.html", "ab" * 32)
    last = filled.history.position()
    assert (filled.history.last_report(), filled.history.last_report(last)) == (last, 0)
    days = filled.history.decision_days()
    assert [day for day, _ in days] == ["2026-03-01"]
