"""Lines of the report: the ranking, the pieces of evidence, the sentences about them."""

from __future__ import annotations

from dataclasses import replace

from core.report.rows import items
from tests.core.report.test_report import made_case


def test_a_row_that_is_not_rated_throughout_says_against_how_many_hypotheses_it_is():
    data = made_case()
    first, second, *rest = data.matrix.rows
    one = dict(list(first.ratings.items())[:1])
    rows = (replace(first, ratings=one, flags=("unrated",)), replace(second, ratings={}, flags=("unrated",)), *rest)
    partly, never, *_ = items(replace(data, matrix=replace(data.matrix, rows=rows)))
    assert partly.flags == (f"rated against 1 of {len(data.matrix.order)} hypotheses",)
    assert never.flags == ("not rated",)
