"""The axis of the timeline: what is on show after zooming and moving, and its ticks. Nothing here needs a window."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest

from gui_app.search.time_axis import TimeAxis, dense, hours, whole
from gui_app.search.timeline_model import TimeMark


def mark(first, last=None):
    return TimeMark(first, last or first, "", "", "", long=last is not None)


def test_one_date_far_off_does_not_press_the_others_into_a_column():
    near = [mark(10_000 + day) for day in range(18)]
    span = whole([*near, mark(90_000)])
    assert span[0] < 10_000 < 90_000 < span[1]
    begin, end = dense([*near, mark(90_000)], span)
    assert 9_990 < begin < 10_000 < 10_017 < end < 10_030
    assert dense(near[:4], whole(near[:4])) == whole(near[:4])  # too few to leave any out


def test_a_long_bar_does_not_widen_the_span_of_shorter_dates():
    assert whole([mark(1000, 90_000), mark(5000), mark(5010)])[1] < 6000
    assert whole([mark(1000, 90_000)])[1] > 90_000
    assert whole([]) == (0.0, 1.0)


def test_zooming_leaves_the_day_under_the_pointer_where_it_is():
    axis = TimeAxis(0, 100, (0, 100))
    axis.zoom(2, 25)
    assert (axis.begin, axis.end) == (12.5, 62.5)
    axis.zoom(1000)
    assert axis.width() == 4  # no closer
    axis.zoom(0.0001)
    assert axis.width() == pytest.approx(120)  # no wider


def test_something_of_the_dates_stays_on_show():
    axis = TimeAxis(0, 100, (0, 100))
    axis.pan(5)
    assert (axis.begin, axis.end) == (50, 150)
    axis.pan(-5)
    assert (axis.begin, axis.end) == (-50, 50)
    assert not axis.bring(20)
    assert axis.bring(90)
    assert axis.begin <= 90 <= axis.end


def test_the_stretch_on_show_is_kept_when_asked():
    axis = TimeAxis()
    axis.show_marks([mark(1000), mark(1100)], keep=True)
    assert axis.begin < 1000 < 1100 < axis.end  # nothing was on show before
    axis.zoom(4)
    stretch = axis.begin, axis.end
    axis.show_marks([mark(1000), mark(1100), mark(1200)], keep=True)
    assert (axis.begin, axis.end) == stretch
    axis.show_whole()
    assert axis.end > 1200


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (date(2024, 3, 1), date(2024, 3, 8), "4 Mar 2024"),
        (date(2024, 1, 1), date(2024, 12, 31), "May 2024"),
        (date(1900, 1, 1), date(2024, 12, 31), "1980"),
    ],
)
def test_ticks_are_days_months_or_years_with_room_for_their_words(first, last, words):
    axis = TimeAxis(first.toordinal(), last.toordinal(), (0, 0))
    ticks = list(axis.ticks(700))
    assert words in [text for _, text, _ in ticks]
    days = [day for day, _, _ in ticks]
    assert days == sorted(days)
    assert all((b - a) / axis.width() * 700 > 60 for a, b in pairwise(days))


def at(day, *minutes):
    return TimeMark(day, day, "", "", "", long=False, minutes=minutes)


def test_a_case_of_one_day_or_two_is_shown_in_hours():
    day = date(2026, 5, 7).toordinal()
    marks = [at(day, 8 * 60 + 10 * n) for n in range(12)]
    axis = TimeAxis()
    axis.show_marks([*marks, mark(day + 1)], keep=False)
    assert axis.has_hours()
    assert day + 7 / 24 < axis.begin < day + 8 / 24 + 0.01 < axis.end < day + 11 / 24
    axis.zoom(1000)
    assert axis.width() == pytest.approx(1 / 12)
    assert hours([*marks, *[mark(day + 10 * n) for n in range(1, 6)]]) is None  # too many other days
    assert hours(marks[:2]) is None  # too few times
    assert hours([mark(day), mark(day)]) is None


def test_the_stretch_in_hours_is_kept_when_asked():
    day = date(2026, 5, 7).toordinal()
    axis = TimeAxis()
    axis.show_marks([at(day, 480), at(day, 500), at(day, 520)], keep=True)
    axis.zoom(1.5)
    stretch = axis.begin, axis.end
    axis.show_marks([at(day, 480), at(day, 500), at(day, 520), at(day, 900)], keep=True)
    assert (axis.begin, axis.end) == stretch


def test_ticks_are_hours_where_times_are_told_apart_and_the_first_has_its_day():
    day = date(2026, 5, 7).toordinal()
    axis = TimeAxis(day + 0.9, day + 1.2, (day, day + 2), nearest=1 / 12)
    ticks = list(axis.ticks(700))
    assert [words for _, words, _ in ticks] == [
        "7 May 2026, 22:00", "23:00", "8 May 2026", "01:00", "02:00", "03:00", "04:00",
    ]  # fmt: skip
    assert [day + 22 / 24, day + 23 / 24] == pytest.approx([moment for moment, _, _ in ticks[:2]])
    assert [strong for _, _, strong in ticks] == [True, False, True, False, False, False, False]
