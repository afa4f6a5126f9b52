"""Times of day: in figures and in words, of either half of the day or of one."""

from __future__ import annotations

import pytest

from core.language.clock_times import clock_times_in, differ


@pytest.mark.parametrize(
    ("text", "minute", "is_certain"),
    [
        ("at 02:41", 161, True),
        ("at 4.10 p.m.", 970, True),
        ("by 9am", 540, True),
        ("half past two", 150, False),
        ("a quarter to three", 165, False),
        ("eleven minutes to three", 169, False),
        ("at two in the morning on Sunday", 120, True),
        ("half past eight in the evening", 1230, True),
        ("nine o'clock in the evening", 1260, True),
        ("twelve at night", 0, True),
        ("at noon", 720, True),
        ("at midnight", 0, True),
    ],
)
def test_a_time_is_a_minute_of_the_day(text, minute, is_certain):
    (time,) = clock_times_in(text)
    assert (time.minute, time.is_certain) == (minute, is_certain)
    assert text[time.start : time.end] == time.text


@pytest.mark.parametrize("text", ["five to six people", "a ratio of 3:2", "12.50 crowns", "25:10"])
def test_what_only_looks_like_a_time_is_none(text):
    assert clock_times_in(text) == ()


@pytest.mark.parametrize(
    ("first_text", "second_text", "expected"),
    [
        ("02:41", "03:41", True),
        ("02:41", "14:41", True),
        ("half past two", "14:30", False),
        ("half past two", "02:30", False),
        ("about a quarter to three", "02:41", False),
        ("a quarter to three", "02:41", True),
        ("23:59", "00:01", True),
    ],
)
def test_times_differ_where_they_cannot_be_the_same(first_text, second_text, expected):
    (left,), (right,) = clock_times_in(first_text), clock_times_in(second_text)
    assert differ(left, right) is differ(right, left) is expected
