"""Who decides on a claim: a rule before the judge, the judge before the score."""

from __future__ import annotations

import pytest

from core.audit.finding import FINDINGS, TITLES, WORDS, decide
from core.audit.rules import Difference

LIMITS = {"supported": 0.5, "not found": 0.3}


def differs(kind, *, sure=True):
    return Difference(kind, "a", "b", 0, 1, sure)


@pytest.mark.parametrize(
    ("differences", "score", "covered", "verdict", "expected"),
    [
        ([], 0.9, 0.9, None, ("supported", "score")),
        ([], 0.2, 0.9, None, ("undecided", "score")),
        ([], 0.2, 0.9, "supports", ("supported", "judge")),
        ([], 0.9, 0.9, "contradicts", ("contradicted", "judge")),
        ([], 0.9, 0.1, None, ("not_found", "score")),
        ([differs("number")], 0.9, 0.9, "supports", ("differs", "rule")),
        ([differs("number"), differs("negation")], 0.9, 0.9, None, ("contradicted", "rule")),
        ([differs("hedge")], 0.9, 0.9, None, ("overstated", "rule")),
        ([differs("name", sure=False)], 0.9, 0.9, None, ("undecided", "rule")),
        ([differs("number")], 0.9, 0.1, None, ("not_found", "score")),
        ([differs("quote")], 0.9, 0.1, None, ("differs", "rule")),
    ],
)
def test_decisions(differences, score, covered, verdict, expected):
    assert decide(differences, score, covered, verdict, limits=LIMITS) == expected


def test_every_finding_and_difference_has_words():
    assert set(FINDINGS) == set(TITLES)
    assert all(WORDS[kind] for kind in ("number", "date", "name", "negation", "hedge", "share", "quote"))
