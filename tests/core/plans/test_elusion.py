"""The estimate of what was missed: exact intervals, honest without a sample, and right as often as it says."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plans.elusion import Stratum, estimate, interval, sample, words


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (10, 10), (3, 40), (1, 500), (250, 500), (7, 8)])
def test_the_interval_is_that_of_clopper_and_pearson(hits, trials):
    from scipy.stats import beta

    low, high = interval(hits, trials, 0.9)
    assert low == pytest.approx(beta.ppf(0.05, hits, trials - hits + 1) if hits else 0.0, abs=1e-9)
    assert high == pytest.approx(beta.ppf(0.95, hits + 1, trials - hits) if hits < trials else 1.0, abs=1e-9)


def test_without_a_sample_anything_is_possible():
    result = estimate(5, [Stratum(100, 0, 0)])
    assert (result.low, result.high) == (0, 100)
    assert result.recall_low == pytest.approx(5 / 105)
    assert result.recall_high == 1.0


def test_when_all_was_judged_the_answer_is_exact():
    result = estimate(6, [Stratum(4, 4, 2), Stratum(0, 0, 0)])
    assert result.expected == result.low == result.high == 2
    assert result.recall == result.recall_low == result.recall_high == pytest.approx(0.75)


def test_nothing_relevant_anywhere():
    assert estimate(0, [Stratum(3, 3, 0)]).recall is None


def test_counts_that_cannot_be_are_refused():
    with pytest.raises(ValueError):
        estimate(1, [Stratum(5, 6, 1)])


def test_the_truth_lies_in_the_interval_as_often_as_it_says():
    luck = random.Random(7)
    inside = 0
    for _ in range(400):
        near = [luck.random() < 0.2 for _ in range(200)]
        far = [luck.random() < 0.01 for _ in range(2_000)]
        samples = luck.sample(near, 20), luck.sample(far, 20)
        result = estimate(10, [Stratum(200, 20, sum(samples[0])), Stratum(2_000, 20, sum(samples[1]))])
        inside += result.low <= sum(near) + sum(far) <= result.high
    assert inside >= 0.90 * 400


@given(st.integers(0, 300), st.integers(0, 50), st.integers(0, 60))
def test_a_sample_is_what_was_asked_for_and_grows(ranked, unranked, size):
    chunks = list(range(ranked)), set(range(1_000, 1_000 + unranked))
    ids = sample(*chunks, size, seed="H1")
    assert len(ids) == len(set(ids)) == min(size, min(ranked, 200) + unranked + max(0, ranked - 200) * 0)
    assert ids == sample(*chunks, size, seed="H1")
    larger = set(sample(*chunks, size + 2, seed="H1"))
    assert len(larger - set(ids)) <= 2 + abs(len(larger) - len(ids))


@pytest.mark.parametrize(
    ("found_count", "strata", "sentence"),
    [
        (3, [], "Every passage was looked at for H2: none can have been missed."),
        (3, [Stratum(40, 0, 0)], "It is not known yet what was missed for H2: judge some of the 40 passages"),
        (0, [Stratum(40, 40, 0)], "Nothing that bears on H2 is known so far, found or missed: 40 of 40 unread"),
        (8, [Stratum(30, 30, 2)], "probably 8 of 10 passages were found (between 8 and 8 of 10, at 90%): 30 of 30"),
        (99, [Stratum(30, 30, 1)], "probably more than 9 of 10 passages were found (between 9 and 10 of 10"),
        (1, [Stratum(50, 50, 49)], "probably fewer than 1 of 10 passages were found (between 0 and 1 of 10"),
        (8, [Stratum(9, 9, 0)], "probably all passages were found (between 10 and 10 of 10"),
        (2, [Stratum(900, 2, 0)], "So few were judged that nearly anything is possible: judge more."),
    ],
)
def test_the_estimate_in_words_is_never_surer_than_it_is(found_count, strata, sentence):
    assert sentence in words("H2", estimate(found_count, strata))
