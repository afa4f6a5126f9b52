"""Verdicts on other words than those of now."""

from __future__ import annotations

import pytest

from core.domain import Probabilities
from core.store.judged_words import mark_outdated, without_outdated
from core.text import digest
from tests.core.store.material import TEXTS, add, embed, proposal, suggestion

WORDS = "The operator stopped the pump."


@pytest.fixture
def judged(case):
    """One passage that a model judged, and the row of evidence that came of it."""
    add(case, "log.txt", [TEXTS[0]])
    embed(case)
    case.hypotheses.add(WORDS)
    chunk = case.pages.chunk_ids("D1")[0]
    (passage_proposal,) = case.proposals.put([proposal(case, "H1", chunk)])
    case.proposals.accept([passage_proposal.id], suggestions=[suggestion(passage_proposal.id, "H1")])
    keep_verdict(case, WORDS, passage_proposal.verdict.probabilities)
    return case


def keep_verdict(case, words, probabilities):
    (proposed,) = case.proposals.all()
    passage = case.pages.chunks([proposed.chunk])[proposed.chunk].text
    case.verdicts.put(proposed.verdict.model, [(digest(passage), digest(words), probabilities)])


def outdated(case):
    marks = [proposal.outdated for proposal in mark_outdated(case, case.proposals.all())]
    return marks, len(without_outdated(case, case.ratings.suggestions()))


def test_a_verdict_stands_under_its_words_alone(judged):
    assert outdated(judged) == ([False], 1)
    judged.hypotheses.edit("H1", text="The operator started the pump.", note="")
    assert outdated(judged) == ([True], 0)
    judged.hypotheses.edit("H1", text=WORDS, note="")
    assert outdated(judged) == ([False], 1)


def test_a_verdict_with_other_numbers_is_another(judged):
    judged.hypotheses.edit("H1", text="The operator started the pump.", note="")
    keep_verdict(judged, "The operator started the pump.", Probabilities(0.1, 0.8, 0.1))
    assert outdated(judged) == ([True], 0)
