"""Numbers, months and days in the words of English."""

from __future__ import annotations

import re

import pytest

from core.english import CALENDAR, COUNTS, MONTH_NUMBERS, MONTHS, any_of, spelled_number


@pytest.mark.parametrize(
    ("words", "value", "step"),
    [
        ("forty-seven", 47, 1),
        ("Two hundred and fifty thousand", 250_000, 1_000),
        ("two thousand and twelve", 2_012, 1),
        ("two dozen", 24, 12),
        ("half a million", 500_000, 1e6),
        ("thousand", 1_000, 1_000),
        ("zero", 0, 1),
    ],
)
def test_a_number_in_words_has_a_value(words, value, step):
    assert spelled_number(words) == (value, step)


@pytest.mark.parametrize("words", ["two three", "twenty thirty", "five hundred six seven"])
def test_numbers_in_a_row_are_no_number(words):
    assert spelled_number(words) is None


def test_longer_words_come_first():
    assert re.match(any_of(("six", "sixty", "sixteen")), "sixteen").group() == "sixteen"


def test_months_are_known_by_their_names_and_short():
    assert [MONTH_NUMBERS[month.lower()] for month in MONTHS] == list(range(1, 13))
    assert MONTH_NUMBERS["sept"] == MONTH_NUMBERS["sep"] == 9
    assert {"sunday", "may", "dec"} <= CALENDAR
    assert (COUNTS[0], COUNTS[-1]) == ("one", "twelve")
