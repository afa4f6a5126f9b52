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


def test_a_line_of_many_documents_is_furniture_and_copies_of_one_text_count_once():
    rows = statements(*[f"Statement number {number} of the review group in Weir Lane" for number in range(5)])
    shape = gates.shape_of(rows[0].text)
    assert gates.furniture(rows, {}) == {shape}
    assert gates.furniture(rows, {row.document: "D1" for row in rows}) == frozenset()


def test_prices_develop_from_day_to_day_and_other_figures_do_not():
    one, other = (
        replace(row, day=day)
        for row, day in zip(statements("a b c d e", "f g h i j"), ("2025-03-13", "2025-03-14"), strict=True)
    )
    assert gates.develops(one, other, ("%",))
    assert not gates.develops(one, replace(other, day="2025-03-13"), ("%",))
    assert not gates.develops(one, other, ("minute",))
    assert not gates.far_apart(one, other)
    assert gates.far_apart(one, replace(other, day="2025-03-20"))
