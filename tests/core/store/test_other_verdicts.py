"""Several models on one passage: each verdict is kept with the name of its model, and none counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain import EARLIER, SECOND_READER, OtherVerdict, Probabilities, Verdict
from core.errors import NoSuchItem
from core.progress import silent
from core.store import CaseFile, merge
from tests.core.store.material import clock, fill, proposal

AGAINST = Probabilities(0.1, 0.8, 0.1)


@pytest.fixture
def case(tmp_path):
    with CaseFile.create(tmp_path / "a.disconfirm", who="ann", now=clock()) as new_case:
        fill(new_case)
        new_case.proposals.put([proposal(new_case, "H2", new_case.pages.chunk_ids("D2")[0])])
        yield new_case


def second(identity: str, *, model: str = "judge 2", role: str = SECOND_READER) -> OtherVerdict:
    return OtherVerdict(identity, role, Verdict("contradicts", AGAINST, model), "why", "2026-03-01T09:00:00Z")


def pending(case: CaseFile) -> str:
    return case.proposals.all(status="pending")[0].id


def test_a_second_reader_stands_beside_the_verdict_and_changes_nothing(case):
    identity = pending(case)
    original_proposal, matrix = (
        case.proposals.get(identity),
        (case.evidence.all(), case.ratings.assessments(), case.ratings.suggestions()),
    )
    case.proposals.put_other_verdicts([second(identity)])
    disputed_proposal = case.proposals.get(identity)
    assert replace(disputed_proposal, others=()) == original_proposal
    assert disputed_proposal.others == (second(identity),)
    assert disputed_proposal.disputed
    assert not original_proposal.disputed
    assert (case.evidence.all(), case.ratings.assessments(), case.ratings.suggestions()) == matrix
    assert disputed_proposal in case.proposals.all()
    assert case.verify(silent()).problems == ()


def test_the_same_word_again_is_no_entry_of_the_log(case):
    identity = pending(case)
    case.proposals.put_other_verdicts([second(identity)])
    entries = len(case.log.entries())
    case.proposals.put_other_verdicts([replace(second(identity), at="2027-01-01T00:00:00Z")])
    case.proposals.put_other_verdicts([second(identity, model="judge 1")])  # its own model is no second opinion
    assert len(case.log.entries()) == entries
    assert len(case.proposals.get(identity).others) == 1
    with pytest.raises(NoSuchItem):
        case.proposals.put_other_verdicts([second("P99")])


def test_judging_again_keeps_what_was_said_before(case):
    identity = pending(case)
    original_proposal = case.proposals.get(identity)
    case.proposals.put_verdicts_again({identity: (Verdict("contradicts", AGAINST, "judge 2"), "anew")})
    current_proposal = case.proposals.get(identity)
    assert (current_proposal.verdict.model, current_proposal.verdict.label, current_proposal.explanation) == (
        "judge 2",
        "contradicts",
        "anew",
    )
    assert current_proposal.quote == original_proposal.quote
    (earlier,) = current_proposal.others
    assert (earlier.role, earlier.verdict, earlier.explanation) == (
        EARLIER,
        original_proposal.verdict,
        original_proposal.explanation,
    )
    assert not current_proposal.disputed  # the judge that was in use before is no second reader
    # Back to the first model: each stands once.
    case.proposals.put_verdicts_again({identity: (original_proposal.verdict, original_proposal.explanation)})
    assert [(o.verdict.model, o.role) for o in case.proposals.get(identity).others] == [("judge 2", EARLIER)]
    assert case.verify(silent()).problems == ()


def test_a_new_run_with_another_model_keeps_the_verdict_it_replaces(case):
    identity = pending(case)
    new_proposal = proposal(case, "H2", case.pages.chunk_ids("D2")[0])
    case.proposals.put([replace(new_proposal, verdict=Verdict("contradicts", AGAINST, "judge 2"))])
    current_proposal = case.proposals.get(identity)
    assert current_proposal.verdict.model == "judge 2"
    assert [other_verdict.verdict.model for other_verdict in current_proposal.others] == ["judge 1"]


def test_a_decided_proposal_keeps_the_verdict_it_was_decided_with(case):
    case.proposals.put_verdicts_again({"P1": (Verdict("contradicts", AGAINST, "judge 2"), "anew")})
    assert case.proposals.get("P1").verdict.model == "judge 1"
    case.proposals.put_other_verdicts([second("P1")])
    assert case.proposals.get("P1").disputed


def test_undo_passes_over_the_machine_and_brings_back_its_verdicts(case):
    identity = pending(case)
    case.proposals.accept([identity])
    case.undo.undo()
    case.proposals.put_verdicts_again({identity: (Verdict("contradicts", AGAINST, "judge 2"), "anew")})
    case.undo.redo()  # the acceptance, with the verdict that stands there now
    accepted_proposal = case.proposals.get(identity)
    assert (accepted_proposal.status, accepted_proposal.verdict.model) == ("accepted", "judge 2")
    case.proposals.put_other_verdicts([second(identity, model="judge 3")])
    current = case.proposals.get(identity)
    case.hypotheses.remove("H2")
    assert case.verify(silent()).problems == ()
    case.undo.undo()
    assert case.proposals.get(identity) == current
    assert len(current.others) == 2
    assert case.verify(silent()).problems == ()


def test_a_merge_brings_the_other_verdicts(case, tmp_path):
    case.proposals.put_other_verdicts([second(pending(case)), second("P1")])
    case.back_up(tmp_path / "other.disconfirm")
    with CaseFile.create(tmp_path / "b.disconfirm", who="ben", now=clock()) as own_case:
        merge(own_case, tmp_path / "other.disconfirm", silent())
        assert sorted(len(proposal.others) for proposal in own_case.proposals.all()) == [0, 0, 1, 1]
        merge(own_case, tmp_path / "other.disconfirm", silent())
        assert sorted(len(proposal.others) for proposal in own_case.proposals.all()) == [0, 0, 1, 1]
        assert own_case.verify(silent()).problems == ()
