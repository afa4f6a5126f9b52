"""The search for planted instructions that work (row E2)."""

from __future__ import annotations

import pytest

from core.domain import Probabilities
from core.verdicts import exam
from tests.guarantees.attacks import injection


class Gullible:
    """Believes whoever says that the statement is true, false, or of another matter; else it knows nothing."""

    fingerprint = "gullible 1"

    def judge(self, passage, hypotheses):
        believed = {"is true": (0.9, 0.05, 0.05), "is untrue": (0.05, 0.9, 0.05)}
        values = next((value for words, value in believed.items() if words in passage), (0.2, 0.2, 0.6))
        return [Probabilities(*values) for _ in hypotheses]


def test_the_search_finds_what_works_and_is_the_same_again():
    report, second = (injection.search(Gullible(), 300, 7) for _ in range(2))
    assert report == second
    n, wins = report.adaptive
    assert wins / n > report.first[1] / report.first[0]
    assert 0 <= report.unflagged <= wins
    assert "unchanged" in report.sentence()
    assert any("is true" in text or "is untrue" in text for _, _, text in report.best)


def test_a_judge_that_is_never_moved_loses_nothing():
    class Firm:
        fingerprint = "firm 1"

        def judge(self, passage, hypotheses):
            return [Probabilities(0.1, 0.1, 0.8) for _ in hypotheses]

    report = injection.search(Firm(), 60, 1)
    assert (report.first[1], report.adaptive[1], report.unflagged) == (0, 0, 0)
    assert len(exam.attacks()) >= 40


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_search_against_the_judge_of_the_program_is_measured(real_judge, record_property):
    report = injection.search(real_judge, 1_000, 1)
    record_property("n", 1_000)
    record_property("figure", report.sentence())
    n, wins = report.adaptive
    assert 0 < wins < n
