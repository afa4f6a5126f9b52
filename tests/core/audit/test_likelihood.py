"""Words of likelihood against the matrix."""

from __future__ import annotations

import pytest

from core.audit.likelihood import about, check

HYPOTHESES = [("H1", "The vendor's account was used by an insider."), ("H2", "The replacement relay was faulty.")]
PROBABILITIES = {"H1": 0.30, "H2": 0.62}


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("It is likely that the replacement relay was faulty.", []),
        ("It is almost certain that the replacement relay was faulty.", ["almost certain"]),
        ("H2 is very unlikely.", ["very unlikely"]),
        ("H1 is unlikely.", []),
        ("The weather was probably bad.", []),
        ("The replacement relay was faulty.", []),
    ],
)
def test_a_word_outside_the_interval_is_named(sentence, said):
    assert [one.own for one in check(sentence, HYPOTHESES, PROBABILITIES, ("H2",))] == said


def test_likelihood_and_confidence_in_one_sentence():
    (one,) = check("We assess with high confidence that H2 is likely.", HYPOTHESES, PROBABILITIES, ("H2",))
    assert (one.what, one.is_sure) == ("confidence", False)


def test_which_hypothesis_a_sentence_is_about():
    assert about("The relay that came as a replacement was faulty", HYPOTHESES) == "H2"
    assert about("H1 and H2 are rivals", HYPOTHESES) == ""
    assert check("H2 is certainly so.", HYPOTHESES, {}, ()) == []
