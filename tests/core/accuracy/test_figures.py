"""Figures: shares with their intervals, and how they are written."""

from __future__ import annotations

from typing import get_args

from core.accuracy.figures import BASES, MIN_FOR_PERCENT, PARTS, Basis, Part, middle, number, of_proportion, share
from core.stats import Proportion, wilson_interval


def test_a_share_that_was_judged_has_an_interval_and_one_that_was_counted_has_none():
    judged = share("verdicts", "right", 21, 30, "judged here")
    interval = wilson_interval(21, 30)
    assert (judged.value, judged.low, judged.high, judged.n) == (0.7, interval.low, interval.high, 30)
    assert judged.text == "70% (52% to 83%) of 30"
    counted = share("sources", "dated", 21, 30, "counted here")
    assert (counted.low, counted.high, counted.text) == (None, None, "70% of 30")


def test_few_are_said_as_counts():
    assert share("verdicts", "right", 3, MIN_FOR_PERCENT - 1, "judged here").text == "3 of 9"
    assert "%" in share("verdicts", "right", 3, MIN_FOR_PERCENT, "judged here").text


def test_of_nothing_nothing_is_known():
    for figure in (
        share("scans", "x", 0, 0, "judged here"),
        of_proportion("scans", "x", Proportion(0, 0, 1, 0), "judged here"),
    ):
        assert (figure.value, figure.text) == (None, "not known")


def test_numbers():
    assert number("audits", "reports", 3, 3).text == "3"
    assert number("retrieval", "rank", 2.5, 4).text == "2.5"
    assert number("audits", "words", 12_000, 1).text == "12,000"
    assert [middle(values) for values in ([], [4], [3, 1], [9, 1, 5])] == [None, 4.0, 2.0, 5.0]


def test_every_part_and_basis_has_its_words():
    assert set(PARTS) == set(get_args(Part))
    assert set(BASES) == set(get_args(Basis))
