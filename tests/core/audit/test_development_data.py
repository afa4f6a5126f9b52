"""Floors on the development data: summaries that their documents bear out or not (tests/eval/audit.py)."""

from __future__ import annotations

from core.audit.bearing import SUPPORTED
from core.audit.finding import ERRORS
from core.audit.pairs import PairChecks
from tests.eval.audit import summaries, true_sentences


def test_scores_separate_summaries_and_true_sentences_pass(development_data):
    claims, texts = summaries(development_data)
    checks = PairChecks(None, [texts[row["doc_id"]] for row in claims])
    passes = [checks.check(row["claim"], texts[row["doc_id"]]).score >= SUPPORTED for row in claims]
    good = [is_pass for is_pass, row in zip(passes, claims, strict=True) if row["label"] == "supports"]
    bad = [not is_pass for is_pass, row in zip(passes, claims, strict=True) if row["label"] != "supports"]
    assert (sum(good) / len(good) + sum(bad) / len(bad)) / 2 >= 0.65
    rows = true_sentences(development_data)
    wrong = [sentence for _, sentence, text in rows if checks.check(sentence, text).finding in ERRORS]
    assert len(rows) >= 1_000
    assert len(wrong) <= 0.005 * len(rows), wrong
