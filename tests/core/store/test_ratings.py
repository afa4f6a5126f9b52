"""The cells of the matrix."""

from __future__ import annotations

import pytest

from core.errors import BadInput, BadRating


def test_ratings(pump_case):
    assert [(a.evidence, a.hypothesis, a.rating, a.by) for a in pump_case.ratings.assessments()] == [
        ("E1", "H1", "CC", "ann"),
        ("E1", "H2", "II", "ann"),
    ]
    pump_case.ratings.rate("E1", "H1", None)
    assert [a.hypothesis for a in pump_case.ratings.assessments()] == ["H2"]
    with pytest.raises(BadRating):
        pump_case.ratings.rate("E1", "H1", "X")
    with pytest.raises(BadInput):
        pump_case.evidence.grade("E1", credibility="Z", relevance=None)
