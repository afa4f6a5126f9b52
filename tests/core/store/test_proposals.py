"""What is proposed, and what becomes of it."""

from __future__ import annotations

import dataclasses

import pytest

from core.errors import AppError, BadInput, BadRating
from tests.core.store.material import decisions, proposal, suggestion


def test_a_rejected_proposal_can_be_accepted_and_an_accepted_one_not_rejected(filled):
    assert filled.proposals.accept(["P3"]) == [("E3", "P3")]
    with pytest.raises(BadInput):
        filled.proposals.reject(["P3"])
    filled.evidence.remove("E3")
    assert filled.proposals.get("P3").status == "pending"
    filled.proposals.reject(["P3"])


def test_nothing_is_accepted_when_one_of_many_is_wrong(filled):
    before = decisions(filled)
    with pytest.raises(AppError):
        filled.proposals.accept(["P3", "P77"])
    with pytest.raises(BadRating):
        filled.proposals.accept(["P3"], suggestions=[dataclasses.replace(suggestion("P3", "H1"), rating="XX")])
    assert decisions(filled) == before
    assert filled.undo.undoable().verb == "rate"


def test_a_new_verdict_replaces_a_pending_one_and_no_decided_one(filled):
    ids = filled.pages.chunk_ids("D2")
    first = filled.proposals.put([proposal(filled, "H1", ids[0], supports=0.5)])[0]
    entries = len(filled.log.entries())
    again = filled.proposals.put([proposal(filled, "H1", ids[0], supports=0.5)])[0]
    assert again == first
    assert len(filled.log.entries()) == entries
    other = filled.proposals.put([proposal(filled, "H1", ids[0], supports=0.9)])[0]
    assert (other.id, other.verdict.probabilities.supports) == (first.id, 0.9)
    filled.proposals.reject([first.id])
    kept = filled.proposals.put([proposal(filled, "H1", ids[0], supports=0.1)])[0]
    assert (kept.status, kept.verdict.probabilities.supports) == ("rejected", 0.9)
