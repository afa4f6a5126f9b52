"""A case as it once was."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from core.errors import BadInput, CaseCorrupt
from core.progress import silent
from core.store import integrity


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


@pytest.mark.parametrize("wrong", ["2076-05-06T07:08:09.000Z", "2016-05-06T07:08:09.000Z"])
def test_no_moment_is_guessed_where_the_clock_was_put_back(pump_case, monkeypatch, wrong):
    last, right = pump_case.history.position(), pump_case.db.clock
    assert pump_case.history.setbacks() == []
    monkeypatch.setattr(pump_case.db, "clock", lambda: datetime.fromisoformat(wrong))
    pump_case.ratings.rate("E2", "H1", "C")
    monkeypatch.setattr(pump_case.db, "clock", lambda: right() + timedelta(days=1))
    pump_case.ratings.rate("E2", "H1", "N")
    between = "2020-01-01" if wrong < "2026" else "2040-01-01"
    with pytest.raises(BadInput, match="set back") as error:
        pump_case.history.moment(between)
    assert str(last if wrong > "2026" else 0) in error.value.hint
    assert pump_case.history.moment(str(last)) == last
    assert pump_case.history.moment("2100-01-01") == last + 2
    assert pump_case.history.moment("2010-01-01") == 0
    assert len(pump_case.history.setbacks()) == 1
    (note,) = (note for note in integrity.prove(pump_case, silent()).notes if "clock" in note)
    assert wrong[:16] in note


def test_what_was_decided_by_then_is_what_the_log_replays(pump_case):
    now = pump_case.history.state()
    pump_case.ratings.rate("E2", "H1", "C")
    pump_case.hypotheses.remove("H2")
    former_state = pump_case.history.state_at(now.seq)
    assert former_state == now
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


def test_words_that_are_garbled_are_damage_and_no_bug(pump_case):
    pump_case.db.execute("UPDATE hypothesis SET text = CAST(x'ff' AS TEXT) WHERE id = 'H1'")
    with pytest.raises(CaseCorrupt, match="a text in it is garbled"):
        pump_case.history.reworded()
