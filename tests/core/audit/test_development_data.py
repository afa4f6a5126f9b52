"""Floors on the development data: summaries that their documents bear out or not (tests/eval/audit.py)."""

from __future__ import annotations

import pytest

from core.audit.bearing import SUPPORTED
from core.audit.finding import ERRORS
from core.audit.pairs import PairChecks
from tests.eval.audit import summaries, true_sentences


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_scores_separate_summaries(development_data, step):
    """Every fourth of them; behind the marker, all."""
    claims, texts = summaries(development_data)
    checks = PairChecks(None, [texts[row["doc_id"]] for row in claims])
    rows = [(row["label"] == "supports", checks.check(row["claim"], texts[row["doc_id"]])) for row in claims[::step]]
    good = [check.score >= SUPPORTED for is_true, check in rows if is_true]
    bad = [check.score < SUPPORTED for is_true, check in rows if not is_true]
    assert (sum(good) / len(good) + sum(bad) / len(bad)) / 2 >= 0.65


@pytest.mark.slow
def test_true_sentences_pass(development_data):
    claims, texts = summaries(development_data)
    checks = PairChecks(None, [texts[row["doc_id"]] for row in claims])
    rows = true_sentences(development_data)
    wrong = [sentence for _, sentence, text in rows if checks.check(sentence, text).finding in ERRORS]
    assert len(rows) >= 1_000
    assert len(wrong) <= 0.005 * len(rows), wrong
