"""What is no statement about one thing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.conflicts import gates
from tests.core.conflicts.builders import statements


@pytest.mark.parametrize(
    "text",
    [
        "Corn Street, fire station\t06:05\t0.21\tnone",
        "Smith 4 0 1 1 Jones 3 1 2 0 and others",
        "1. The first of several points is this",
        "OSTERMERE WATER WORKS DUTY SHEET",
    ],
)
def test_rows_lists_and_headings_are_no_prose(text):
    assert not gates.is_prose(text)


def test_a_sentence_is_prose_and_readable():
    text = "The pump was out of action for 47 minutes, and nobody at the works knew why."
    assert gates.is_prose(text)
    assert gates.is_readable(text)
    assert not gates.is_readable("Tke pvmp ~was o^t of act1on fcr 47 m|nutes, »nd nob0dy kn§w wh¥.")


def test_furniture_is_a_line_of_many_documents_without_copies():
    rows = statements(*[f"Statement number {number} of the review group in Weir Lane" for number in range(5)])
    shape = gates.shape_of(rows[0].text)
    assert gates.furniture(rows, {}) == {shape}
    assert gates.furniture(rows, {row.document: "D1" for row in rows}) == frozenset()


def test_only_prices_may_develop_from_day_to_day():
    left, right = (
        replace(row, day=day)
        for row, day in zip(statements("a b c d e", "f g h i j"), ("2025-03-13", "2025-03-14"), strict=True)
    )
    assert gates.may_develop(left, right, ("%",))
    assert not gates.may_develop(left, replace(right, day="2025-03-13"), ("%",))
    assert not gates.may_develop(left, right, ("minute",))
    assert not gates.are_far_apart(left, right)
    assert gates.are_far_apart(left, replace(right, day="2025-03-20"))
