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
    before, matrix = (
        case.proposals.get(identity),
        (case.evidence.all(), case.ratings.assessments(), case.ratings.suggestions()),
    )
    case.proposals.put_other_verdicts([second(identity)])
    after = case.proposals.get(identity)
    assert replace(after, others=()) == before
    assert after.others == (second(identity),)
    assert after.disputed
    assert not before.disputed
    assert (case.evidence.all(), case.ratings.assessments(), case.ratings.suggestions()) == matrix
    assert after in case.proposals.all()
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
    before = case.proposals.get(identity)
    case.proposals.put_verdicts_again({identity: (Verdict("contradicts", AGAINST, "judge 2"), "anew")})
    after = case.proposals.get(identity)
    assert (after.verdict.model, after.verdict.label, after.explanation) == ("judge 2", "contradicts", "anew")
    assert after.quote == before.quote
    (earlier,) = after.others
    assert (earlier.role, earlier.verdict, earlier.explanation) == (EARLIER, before.verdict, before.explanation)
    assert not after.disputed  # the judge that was in use before is no second reader
    # Back to the first model: each stands once.
    case.proposals.put_verdicts_again({identity: (before.verdict, before.explanation)})
    assert [(o.verdict.model, o.role) for o in case.proposals.get(identity).others] == [("judge 2", EARLIER)]
    assert case.verify(silent()).problems == ()


def test_a_new_run_with_another_model_keeps_the_verdict_it_replaces(case):
    identity = pending(case)
    again = proposal(case, "H2", case.pages.chunk_ids("D2")[0])
    case.proposals.put([replace(again, verdict=Verdict("contradicts", AGAINST, "judge 2"))])
    after = case.proposals.get(identity)
    assert after.verdict.model == "judge 2"
    assert [other.verdict.model for other in after.others] == ["judge 1"]


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
    after = case.proposals.get(identity)
    assert (after.status, after.verdict.model) == ("accepted", "judge 2")
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
    with CaseFile.create(tmp_path / "b.disconfirm", who="ben", now=clock()) as ours:
        merge(ours, tmp_path / "other.disconfirm", silent())
        assert sorted(len(one.others) for one in ours.proposals.all()) == [0, 0, 1, 1]
        merge(ours, tmp_path / "other.disconfirm", silent())
        assert sorted(len(one.others) for one in ours.proposals.all()) == [0, 0, 1, 1]
        assert ours.verify(silent()).problems == ()
