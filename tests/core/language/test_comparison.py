"""What two sentences say differently: figures, times, days, denials, opposites; and what is no difference."""

from __future__ import annotations

import pytest

from core.language.comparison import agreements, compare

DIFFERENT = [
    ("There was no ladder against the wall.", "I saw the ladder at the kitchen wall.", "denial"),
    ("The cellar was never heated in March.", "They heated the cellar every day in March.", "denial"),
    ("The chapel was locked at noon.", "At noon I found the chapel unlocked.", "opposite"),
    ("The tram left at half past nine.", "It was 21:10 when the tram left.", "time"),
    ("Some 300 guests were in the hall.", "The list ends at 143 guests.", "number"),
    ("The boiler was changed on 3 May 2021.", "They changed it on 9 May 2021.", "date"),
    ("She came on Tuesday.", "She came on Friday.", "date"),
]


@pytest.mark.parametrize(("left", "right", "kind"), DIFFERENT)
def test_a_difference_is_found_in_both_directions(left, right, kind):
    assert [difference.kind for difference in compare(left, right) if difference.certain] == [kind]
    assert [difference.kind for difference in compare(right, left) if difference.certain] == [kind]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The chapel was not locked.", "The chapel was unlocked."),
        ("No more than 40 guests came.", "There were 38 guests."),
        ("The buoy No. 4 was lit.", "Buoy 4 was lit all night."),
        ("There was no ladder at the wall.", "Nobody saw a ladder at the wall."),
        ("About 140 guests came.", "The list has 143 guests."),
        ("The tram left at 4.40 pm.", "The tram left at 16:40."),
    ],
)
def test_what_agrees_is_no_certain_difference(left, right):
    assert [difference for difference in compare(left, right) if difference.certain] == []


def test_the_spans_are_those_of_the_words():
    left, right = "Some 300 guests were in the hall.", "The list ends at 143 guests."
    (difference,) = compare(left, right)
    assert (left[slice(*difference.left)], right[slice(*difference.right)], difference.common) == (
        "300",
        "143",
        ("guests",),
    )
    left, right = "I saw the ladder there.", "There was no ladder."
    (difference,) = compare(left, right)
    assert (left[slice(*difference.left)], right[slice(*difference.right)], difference.common) == (
        "ladder",
        "no ladder",
        ("ladder",),
    )


def test_figures_that_agree_are_named_by_kind():
    assert agreements("At 16:40 some 40 guests left.", "41 guests left at 4.40 pm.") == {"time", "number"}
    assert agreements("At 16:40 the guests left.", "The guests left at 16:50.") == set()
