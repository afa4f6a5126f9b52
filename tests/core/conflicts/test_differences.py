"""What two statements say differently, and what is no difference."""

from __future__ import annotations

import pytest

from core.conflicts.differences import differences, is_possible_misreading
from tests.core.conflicts.builders import pair

PUMP = "The dosing pump of the Weir Lane works in Ostermere was out of action for 47 minutes on Thursday night."
CLERK = "The clerk Ruben Aske handed the sealed crate to a driver at the gate of the Corn Street depot."


def kinds_of(left: str, right: str) -> list[tuple[str, bool]]:
    return [(difference.kind, difference.is_alone) for difference in differences(*pair(left, right))]


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        (PUMP, PUMP.replace("47", "74"), "quantity"),
        (PUMP, PUMP.replace("Thursday", "Monday"), "date"),
        (PUMP, PUMP.replace("was out", "was not out"), "denial"),
        (PUMP, PUMP.replace("Ostermere", "Sollingham"), "place"),
        (CLERK, CLERK.replace("Ruben Aske", "Jonas Pell"), "name"),
        (CLERK, CLERK.replace("handed", "did not hand"), "denial"),
        ("The director of the works, Marit Colhoun, signed the order for the relay in Weir Lane.",
         "The director of the works, Owen Tarrish, signed the order for the relay in Weir Lane.", "role"),
        ("The alarm of the Weir Lane works sounded in the control room at 02:49 that night.",
         "The alarm of the Weir Lane works sounded in the control room at 03:49 that night.", "time"),
        ("The pump hall of the Weir Lane works was built by Tessaric engineers on 3 May 1961.",
         "The pump hall of the Weir Lane works was built by Tessaric engineers on 3 June 1964.", "date"),
        # A day that both name binds them like a name.
        ("The guard locked the gate at 02:03 on 4 May 2024.",
         "The guard locked the gate at 02:29 on 4 May 2024.", "time"),
    ],
)  # fmt: skip
def test_statements_that_are_the_same_but_for_one_thing_differ_in_it(left, right, kind):
    assert kinds_of(left, right) == [(kind, True)]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (PUMP, PUMP.replace("for 47", "for about 50")),
        (PUMP, PUMP),
        (PUMP, PUMP.replace("Thursday night", "Thursday night, the staff of the depot said")),
        (CLERK, CLERK.replace("Ruben Aske", "Ruben Asske")),
        (CLERK, CLERK.replace("The clerk Ruben Aske", "Mr Ruben Aske")),
        (CLERK, "The library opens its reading room again after the holidays."),
        ("The guard locked the gate at 02:03.", "The guard locked the gate at 02:29."),
        ("The guard locked the gate at 02:03 in May 2024.", "The guard locked the gate at 02:29 in May 2024."),
    ],
)
def test_roundings_spellings_and_additions_are_no_difference(left, right):
    assert kinds_of(left, right) == []


def test_word_for_word_the_same_bound_differs_too():
    left = PUMP.replace("for 47", "for more than 40")
    assert kinds_of(left, left.replace("40", "60")) == [("quantity", True)]


def test_the_places_that_differ_are_those_of_the_figures():
    (difference,) = differences(*pair(PUMP, PUMP.replace("47", "74")))
    assert difference.left.text[difference.left_span.start : difference.left_span.end] == "47"
    assert difference.right.text[difference.right_span.start : difference.right_span.end] == "74"


def test_statements_that_are_only_alike_are_not_alone():
    left = "The dosing pump at Weir Lane stood still for 47 minutes, says the press office of Ostermere."
    right = "At Weir Lane in Ostermere the dosing pump stood still for 74 minutes in all."
    assert kinds_of(left, right) == [("quantity", False)]


def test_other_subjects_are_not_compared():
    left = "The relay of pump Tessaric at the Weir Lane works in the valley failed after 47 minutes."
    right = "The relay of pump Brennick at the Weir Lane works in the valley failed after 74 minutes, and twice."
    assert kinds_of(left, right) == []


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("68376", "6376", True),
        ("1963", "1968", True),
        ("47", "74", False),
        ("Kostikov", "Kostlkov", True),
        ("Kostikov", "Duran", False),
    ],
)
def test_a_scan_may_read_the_same_differently(left, right, expected):
    assert is_possible_misreading(left, right) is expected
