"""Words of likelihood against the matrix."""

from __future__ import annotations

import pytest

from core.audit.likelihood import about, check

HYPOTHESES = [("H1", "The vendor's account was used by an insider."), ("H2", "The replacement relay was faulty.")]
PROBABILITIES = {"H1": 0.30, "H2": 0.62}


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("It is likely that the replacement relay was faulty.", []),
        ("It is almost certain that the replacement relay was faulty.", ["almost certain"]),
        ("H2 is very unlikely.", ["very unlikely"]),
        ("H1 is unlikely.", []),
        ("The weather was probably bad.", []),
        ("The replacement relay was faulty.", []),
    ],
)
def test_a_word_outside_the_interval_is_named(sentence, words):
    assert [difference.own for difference in check(sentence, HYPOTHESES, PROBABILITIES, ("H2",))] == words


def test_likelihood_and_confidence_in_one_sentence():
    (difference,) = check("We assess with high confidence that H2 is likely.", HYPOTHESES, PROBABILITIES, ("H2",))
    assert (difference.what, difference.is_sure) == ("confidence", False)


def test_the_hypothesis_of_a_sentence():
    assert about("The relay that came as a replacement was faulty", HYPOTHESES) == "H2"
    assert about("H1 and H2 are rivals", HYPOTHESES) == ""
    assert check("H2 is certainly so.", HYPOTHESES, {}, ()) == []
