"""How long a job still takes: told from its pace, and not before there is one."""

from __future__ import annotations

import pytest

from gui_app.shell.time_left import TimeLeft, in_words


def test_the_time_left_follows_the_pace():
    pace = TimeLeft()
    estimates = [pace.take(count, 60, 10.0 * count) for count in range(6)]
    assert estimates[:2] == ["", ""]
    assert estimates[2] == "about 10 min left"
    assert pace.take(60, 60, 600.0) == ""


def test_a_slow_start_is_forgotten_little_by_little():
    pace = TimeLeft()
    pace.take(0, 100, 0.0)
    pace.take(1, 100, 60.0)
    slow = pace.take(2, 100, 61.0)
    for count in range(3, 50):
        estimate = pace.take(count, 100, 60.0 + count)
    assert slow != estimate
    assert estimate == "about 1 min left"


def test_another_stage_begins_anew():
    pace = TimeLeft()
    for count in range(5):
        pace.take(count, 10, 10.0 * count)
    assert pace.take(0, 500, 60.0) == ""
    assert pace.take(1, 500, 61.0) == ""
    assert pace.take(9, 0, 62.0) == ""  # nobody knows how much there is


def test_nothing_is_said_of_what_is_over_in_a_moment():
    pace = TimeLeft()
    assert [pace.take(count, 9, 0.1 * count) for count in range(9)] == [""] * 9


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(3, "less than a minute left"), (61, "about 1 min left"), (1_000, "about 15 min left"), (7_000, "about 2 h left")],
)
def test_a_time_is_worded_no_more_exactly_than_it_is_known(seconds, words):
    assert in_words(seconds) == words
