"""How many passages were looked at, and how the judge took them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from core.domain import Searched
from core.plans.passage_counts import passage_counts
from core.plans.queries import EVERYTHING


def proposal(chunk, label, language="", hypothesis="H1"):
    return SimpleNamespace(hypothesis=hypothesis, chunk=chunk, shown_label=label, unmeasured_language=language)


def counts(proposals, searches=()):
    row = passage_counts(proposals, searches, {"H1": "It rained."})["H1"]
    return row.passages, {label: number for label, number in row.labels.items() if number}


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        (("supports", "supports", "neutral"), "supports"),
        (("contradicts", "ambiguous"), "contradicts"),
        (("supports", "contradicts"), "ambiguous"),
        (("neutral", "ambiguous"), "ambiguous"),
        (("neutral", "neutral"), "neutral"),
    ],
)
def test_a_passage_counts_once_however_many_quotes_of_it_are_proposed(labels, label):
    assert counts([proposal(7, of_quote) for of_quote in labels]) == (1, {label: 1})


def test_what_a_reading_of_every_passage_proposed_nothing_of_is_neutral():
    read = [Searched("", "H1", EVERYTHING, text, number, 0) for text, number in (("It rained.", 9), ("It snowed.", 50))]
    assert counts([proposal(7, "supports"), proposal(8, "neutral")], read) == (9, {"supports": 1, "neutral": 8})
    assert counts([proposal(7, "supports")], [Searched("", "H1", "for", "It rained.", 30, 2)]) == (1, {"supports": 1})


def test_other_languages_and_other_hypotheses_do_not_count():
    assert counts([proposal(7, "ambiguous", "German"), proposal(8, "supports", hypothesis="H9")]) == (0, {})
