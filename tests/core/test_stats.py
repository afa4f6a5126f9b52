"""Shares, their intervals, and what lies between two of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.stats import Fit, Proportion, newcombe_interval, wilson_interval


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [(50, 100, 0.4038, 0.5962), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634)],
)
def test_the_interval_is_that_of_wilson(right, n, low, high):
    share = wilson_interval(right, n)
    assert (share.low, share.high) == pytest.approx((low, high), abs=1e-4)
    assert (share.value, share.n) == (right / n, n)


def test_of_nothing_nothing_is_known():
    assert wilson_interval(0, 0) == Proportion(0.0, 0.0, 1.0, 0)


def test_the_difference_is_that_of_newcombe():
    """56 of 70 against 48 of 80: the example of his paper, method 10."""
    change, low, high = newcombe_interval(wilson_interval(48, 80), wilson_interval(56, 70))
    assert (change, low, high) == pytest.approx((0.2, 0.0524, 0.3339), abs=2e-4)


@given(st.integers(0, 40), st.integers(1, 40), st.integers(0, 40), st.integers(1, 40))
def test_the_difference_lies_in_its_interval(one, n, other, m):
    change, low, high = newcombe_interval(wilson_interval(min(one, n), n), wilson_interval(min(other, m), m))
    assert -1 <= low <= change <= high <= 1


def test_a_fit_weighs_the_signs_that_it_names():
    fit = Fit(-1.0, {"value": 2.0})
    assert fit.probability(Proportion(value=0.5, low=0, high=1, n=2)) == 0.5
    assert fit.probability(Proportion(value=1e9, low=0, high=1, n=2)) > 0.999  # and no overflow
