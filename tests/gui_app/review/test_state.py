"""What the review screen knows of a case, and the sentences it makes of it, without the screen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain import SECOND_READER, OtherVerdict, Proposal
from gui_app.review.decisions import suggestion
from gui_app.review.state import FINDING, NextStep, ReviewState, load, next_step, warnings
from gui_app.review.verdict_bar import summary
from gui_app.shared.proposal_queue import Filter, review_order
from tests.gui_app.small_case import open_session


@pytest.fixture
def bench(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path) as session:
        yield session.workbench


def in_dispute(proposal: Proposal) -> Proposal:
    label = "supports" if proposal.verdict.label == "contradicts" else "contradicts"
    verdict = replace(proposal.verdict, label=label)
    return replace(proposal, others=(OtherVerdict(proposal.id, SECOND_READER, verdict, "", "2026-01-01T00:00:00Z"),))


def test_a_case_is_read_with_its_proposals_passage_by_passage(bench):
    state = load(bench)
    assert [h.id for h in state.hypotheses] == ["H1", "H2"]
    assert list(state.proposals) == bench.verdicts.proposals()
    assert sum(map(len, state.by_chunk.values())) == len(state.proposals) > 2
    assert {p.chunk for p in state.proposals} == set(state.by_chunk)
    assert (state.missing, state.reasons, state.read_only) == ("", {}, False)
    assert "Nobody has measured" in state.sure


def test_what_did_not_change_is_read_again_as_the_same_and_keeps_its_place(bench):
    former = load(bench)
    assert [former.ranks[p.id] for p in review_order(former.proposals, Filter())] == list(range(len(former.proposals)))
    first, *others = review_order(former.proposals, Filter())
    bench.review.reject([first.id])
    shown_at_once = former.with_statuses(bench.verdicts.statuses())
    state = load(bench, shown_at_once)
    known = {p.id: p for p in shown_at_once.proposals}
    assert all(known[p.id] is p for p in state.proposals)  # so that nothing is compared or sorted again
    everything = Filter(status="")
    for either in (shown_at_once, state):
        rows = review_order(either.proposals, everything, (), either.ranks)
        assert rows == review_order(either.proposals, everything) == [*others, replace(first, status="rejected")]


def test_a_decision_that_was_taken_back_is_told_from_the_state_before(bench):
    first = bench.verdicts.proposals()[0].id
    bench.review.reject([first])
    former = load(bench)
    assert load(bench).undecided_again(former) == []
    bench.case.undo()
    assert load(bench).undecided_again(former) == [first]


def test_the_next_step_leads_from_hypotheses_to_the_matrix(bench):
    state = load(bench)
    assert next_step(ReviewState(), Filter()).action == "Hypotheses"
    empty = ReviewState(hypotheses=state.hypotheses)
    assert next_step(empty, Filter()).action == "find"
    assert next_step(empty, Filter(), is_finding=True) == NextStep(FINDING, "", "")
    step = next_step(replace(empty, missing="No model."), Filter())
    assert (step.sentence, step.action) == ("No model.", "Viewer")
    count = len(state.proposals)
    assert next_step(state, Filter(group="document")).sentence.startswith(f"All {count} proposals are decided.")
    assert next_step(state, Filter(group="document")).action == "Matrix"
    assert next_step(state, Filter(hypothesis="H1")).action == "clear"
    assert "(said yes)" in next_step(state, Filter(only=frozenset({"P1"}), words="said yes")).sentence


def test_what_to_mind_about_a_proposal(bench):
    state = load(bench)
    proposal = state.proposals[0]
    page = bench.documents.page(proposal.quote.document, proposal.quote.page)
    assert warnings(proposal, page, state) == []
    struck = replace(page, struck_spans=((proposal.quote.start, proposal.quote.start + 3),))
    assert warnings(proposal, struck, state) == ["Some words of this passage are struck through in the source."]
    assert warnings(proposal, replace(page, struck_spans=((proposal.quote.end, len(page.text)),)), state) == []
    near = replace(proposal, possible_duplicate="E3")
    assert warnings(near, replace(page, source="layer"), state)[0] == "Nearly the same as E3."
    assert len(warnings(near, replace(page, source="layer"), state)) == 2
    older = replace(state, other_models={proposal.verdict.model: "by a model of last year"})
    assert warnings(proposal, page, older) == ["Judged by a model of last year. Shift+J has it judged again."]
    assert "Worth a second reading: close." in warnings(proposal, page, replace(state, reasons={proposal.id: "close"}))


def test_nothing_is_suggested_where_the_verdict_is_hidden_or_in_dispute(bench):
    proposal = next(p for p in load(bench).proposals if p.verdict.label == "contradicts")
    assert suggestion(proposal) == "I"
    assert suggestion(replace(proposal, blind=True)) is None
    assert suggestion(replace(proposal, withheld=True)) is None
    assert suggestion(in_dispute(proposal)) is None


def test_the_line_counts_what_there_is_to_do(bench):
    state = load(bench)
    assert summary(state) == "A verdict counts for nothing until you decide."
    first, *rest = state.proposals
    assert summary(replace(state, proposals=[in_dispute(first), *rest])) == ("1 on which two models disagree.")
    assert summary(replace(state, proposals=[replace(in_dispute(first), blind=True), *rest])) == summary(state)
    models = {first.verdict.model: "by another model"}
    assert summary(replace(state, proposals=[first], other_models=models, reasons={first.id: "close"})) == (
        "1 verdict is from a model other than the one in use; 1 close or decisive, to be read again."
    )


def test_proposals_stand_as_they_do_now_and_those_that_are_gone_are_left_out(bench):
    state = load(bench)
    first, second, third = state.proposals[:3]
    now = {proposal.id: proposal.status for proposal in state.proposals}
    assert state.with_statuses(now) is state
    del now[third.id]
    state = replace(state, reasons={first.id: "close", second.id: "close"}, is_blind=True)
    later = state.with_statuses({**now, first.id: "rejected", second.id: "accepted"})
    by_id = {proposal.id: proposal for proposal in later.proposals}
    assert [by_id[p.id].status for p in (first, second)] == ["rejected", "accepted"]
    assert third.id not in by_id
    assert third.id not in {proposal.id for of_passage in later.by_chunk.values() for proposal in of_passage}
    assert list(later.reasons) == [second.id]
    back = later.with_statuses(now)
    assert back.undecided_again(later) == [first.id, second.id]
    assert [p.blind for p in back.proposals[:2]] == [True, True]
