"""The cells of the matrix."""

from __future__ import annotations

import pytest

from core.errors import BadInput, BadRating


def test_ratings(filled):
    assert [(a.evidence, a.hypothesis, a.rating, a.by) for a in filled.ratings.assessments()] == [
        ("E1", "H1", "CC", "ann"),
        ("E1", "H2", "II", "ann"),
    ]
    filled.ratings.rate("E1", "H1", None)
    assert [a.hypothesis for a in filled.ratings.assessments()] == ["H2"]
    with pytest.raises(BadRating):
        filled.ratings.rate("E1", "H1", "X")
    with pytest.raises(BadInput):
        filled.evidence.grade("E1", credibility="Z", relevance=None)
