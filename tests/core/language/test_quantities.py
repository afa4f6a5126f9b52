"""Numbers as intervals: qualifiers, scales, words, what they count, and what is no number of anything."""

from __future__ import annotations

import math

import pytest

from core.language.quantities import are_incompatible, may_count_same, quantities_in


@pytest.mark.parametrize(
    ("text", "words", "low", "high", "head"),
    [
        ("It was out for 47 minutes.", "47", 47, 47, "minute"),
        ("About 50 people came.", "50", 45, 55, "person"),
        ("More than 40 crates were lost.", "40", 40, math.inf, "crate"),
        ("At most 40 crates were lost.", "40", -math.inf, 40, "crate"),
        ("Nearly 200 homes burned.", "200", 170, 200, "home"),
        ("Between 229 and 233 volts.", "229 and 233", 229, 233, "volt"),
        ("There were 10-12 people.", "10-12", 10, 12, "person"),
        ("It cost $415 million.", "$415 million", 415e6, 415e6, "$"),
        ("It cost $2.5m.", "$2.5m", 2.5e6, 2.5e6, "$"),
        ("Forty-seven people died.", "Forty-seven", 47, 47, "person"),
        ("Two hundred and fifty thousand voters.", "Two hundred and fifty thousand", 250_000, 250_000, "voter"),
        ("Two dozen cars.", "Two dozen", 24, 24, "car"),
        ("It rose by 12%.", "12", 12, 12, "%"),
        ("It fell 7 3/4 points.", "7 3/4", 7.75, 7.75, "point"),
        ("It was -5 degrees.", "-5", -5, -5, "degree"),
    ],
)
def test_a_number_has_bounds_and_a_unit(text, words, low, high, head):
    (quantity,) = quantities_in(text)
    assert (quantity.text, quantity.low, quantity.high) == (words, low, high)
    assert quantity.heads[0] == head
    assert text[quantity.start : quantity.end] == quantity.text


@pytest.mark.parametrize("text", ["Relay 40-2409-B", "the F-16", "on the 12th", "at 02:41", "in 1963", "one of them"])
def test_codes_ordinals_times_and_years_are_no_quantities(text):
    assert quantities_in(text) == ()


def test_a_change_is_not_a_range():
    assert [quantity.value for quantity in quantities_in("It rose from 47 to 74 minutes.")] == [47, 74]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("47 minutes", "74 minutes", True),
        ("47 minutes", "47 minutes", False),
        ("about 50 minutes", "47 minutes", False),
        ("more than 40 minutes", "47 minutes", False),
        ("more than 60 minutes", "47 minutes", True),
        ("3,000 men", "3,200 men", False),
        ("3,000 men", "4,000 men", True),
        ("up to 40 men", "at least 50 men", True),
    ],
)
def test_numbers_are_incompatible_if_their_intervals_exclude_each_other(left, right, expected):
    (a,), (b,) = quantities_in(left), quantities_in(right)
    assert are_incompatible(a, b) is are_incompatible(b, a) is expected


def test_identical_sentences_allow_no_rounding():
    (left,), (right,) = quantities_in("3,000 men"), quantities_in("3,200 men")
    assert are_incompatible(left, right, is_rounded=False)


def test_units_are_compared_by_their_words():
    minutes, hours = quantities_in("47 minutes")[0], quantities_in("47 hours")[0]
    assert not may_count_same(minutes, hours)
    assert may_count_same(minutes, quantities_in("a 74-minute outage")[0])


def test_powers_of_ten_are_the_only_raised_digits_read():
    (power,), (plain,) = quantities_in("held 10⁶ litres"), quantities_in("held 1,000,000 litres")
    assert (power.value, power.text, may_count_same(power, plain), are_incompatible(power, plain)) == (
        1e6,
        "10⁶",
        True,
        False,
    )
    (product,) = quantities_in("held 3.2 × 10⁻³ litres")
    assert product.value == pytest.approx(3.2e-3)
    assert are_incompatible(power, quantities_in("held 106 litres")[0])
    assert quantities_in("417³ deaths and 2⁵ rooms") == ()
