"""What is proposed, and what becomes of it."""

from __future__ import annotations

import dataclasses

import pytest

from core.errors import AppError, BadInput, BadRating
from tests.core.store.material import decisions, proposal, suggestion


def test_a_rejected_proposal_can_be_accepted_and_an_accepted_one_not_rejected(pump_case):
    assert pump_case.proposals.accept(["P3"]) == [("E3", "P3")]
    with pytest.raises(BadInput):
        pump_case.proposals.reject(["P3"])
    pump_case.evidence.remove("E3")
    assert pump_case.proposals.get("P3").status == "pending"
    pump_case.proposals.reject(["P3"])


def test_nothing_is_accepted_when_one_of_many_is_wrong(pump_case):
    initial_decisions = decisions(pump_case)
    with pytest.raises(AppError):
        pump_case.proposals.accept(["P3", "P77"])
    with pytest.raises(BadRating):
        pump_case.proposals.accept(["P3"], suggestions=[dataclasses.replace(suggestion("P3", "H1"), rating="XX")])
    assert decisions(pump_case) == initial_decisions
    assert pump_case.undo.undoable().verb == "rate"


def test_a_new_verdict_replaces_a_pending_one_and_no_decided_one(pump_case):
    ids = pump_case.pages.chunk_ids("D2")
    first = pump_case.proposals.put([proposal(pump_case, "H1", ids[0], supports=0.5)])[0]
    entries = len(pump_case.log.entries())
    same_proposal = pump_case.proposals.put([proposal(pump_case, "H1", ids[0], supports=0.5)])[0]
    assert same_proposal == first
    assert len(pump_case.log.entries()) == entries
    new_proposal = pump_case.proposals.put([proposal(pump_case, "H1", ids[0], supports=0.9)])[0]
    assert (new_proposal.id, new_proposal.verdict.probabilities.supports) == (first.id, 0.9)
    pump_case.proposals.reject([first.id])
    second = pump_case.proposals.put([proposal(pump_case, "H1", ids[0], supports=0.1)])[0]
    assert (second.status, second.verdict.probabilities.supports) == ("rejected", 0.9)


def test_a_proposal_is_made_anew_only_where_something_of_it_changed(pump_case):
    first = {proposal.id: proposal for proposal in pump_case.proposals.all()}
    assert all(proposal is first[proposal.id] for proposal in pump_case.proposals.all())
    pump_case.proposals.accept(["P3"])
    second = {proposal.id: proposal for proposal in pump_case.proposals.all()}
    assert {identity for identity in second if second[identity] is not first[identity]} == {"P3"}
    assert pump_case.proposals.statuses() == {identity: proposal.status for identity, proposal in second.items()}
    assert pump_case.proposals.statuses()["P3"] == "accepted"
    pump_case.undo.undo()
    assert {proposal.id: proposal for proposal in pump_case.proposals.all()} == first
    document = first["P3"].quote.document
    pump_case.descriptions.describe([document], {"title": "Another title"})
    titles = {proposal.title for proposal in pump_case.proposals.all() if proposal.quote.document == document}
    assert titles == {"Another title"}


def test_the_proposals_of_a_document_are_listed_alone(pump_case):
    pump_case.proposals.put([proposal(pump_case, "H1", pump_case.pages.chunk_ids("D2")[0])])
    every = pump_case.proposals.all()
    documents = {proposal.quote.document for proposal in every}
    assert len(documents) > 1
    for document in documents:
        assert pump_case.proposals.all(document=document) == [p for p in every if p.quote.document == document]
