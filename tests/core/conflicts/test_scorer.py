"""The scorer: a probability by features, and only for a judge that was measured."""

from __future__ import annotations

import pytest

from core.conflicts import scorer
from core.conflicts.scorer import Scorer


def test_a_feature_without_a_weight_is_ignored():
    scorer_of_denials = Scorer(-1.0, {"denial": 2.0}, 0.5)
    assert scorer_of_denials.probability({"denial": 1.0, "other": 9.0}) == pytest.approx(0.731, abs=0.001)
    assert scorer_of_denials.probability({}) == pytest.approx(0.269, abs=0.001)
    assert 0 <= scorer_of_denials.probability({"denial": -1e9}) < scorer_of_denials.probability({"denial": 1e9}) <= 1


def test_a_judge_that_was_not_measured_has_no_scorer():
    assert scorer.scorer_of("somebody's model") is None
    assert scorer.scorer_of("") is None
    for judge in scorer.judges():
        assert 0 < scorer.scorer_of(judge).threshold <= 1
