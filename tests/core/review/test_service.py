"""Verdicts read again by a second reader or by another judge, what a strict case shows, and model against people."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.domain import SECOND_READER, Probabilities
from core.errors import BadInput, EngineStopped, ModelMissing, ModelUnreadable, NoSuchItem
from core.progress import Cancelled, Progress
from core.review import cascade
from core.verdicts import exam_results
from core.verdicts.labels import ShowThreshold
from tests.core.store.material import clock
from tests.fakes import ContraryJudge, HashEmbedder, ScriptedJudge

LOG = (
    "The night log shows that the dosing pump stopped at 02:14. The operator did not touch the dosing pump.\n"
    "It was a quiet night. Nobody else was there."
)
MEMO = "The vendor account opened the valve remotely.\fThe vendor never had an account for the valve."


class AheadJudge(ScriptedJudge):
    """A judge in a process of its own, which can be started ahead."""

    def __init__(self, order):
        super().__init__()
        self._order = order

    def start(self):
        self._order.append("judge started")

    def judge(self, passage, hypotheses):
        self._order.append("judged")
        return super().judge(passage, hypotheses)


class NotedEmbedder(HashEmbedder):
    def __init__(self, order):
        self._order = order

    def embed_queries(self, texts):
        self._order.append("searched")
        return super().embed_queries(texts)


def test_the_judge_loads_while_the_searches_run(case_of, engines):
    order = []
    engines = replace(engines, judge=AheadJudge(order), embedder=NotedEmbedder(order))
    bench = case_of({"log.txt": LOG}, engines=engines)
    bench.hypotheses.add("The operator stopped the dosing pump.")
    order.clear()
    assert bench.review.propose().proposals
    steps = list(dict.fromkeys(order))
    assert steps == ["judge started", "searched", "judged"]


@pytest.fixture
def bench(case_of, engines):
    engines = replace(engines, second_reader=ContraryJudge())
    bench = case_of({"log.txt": LOG, "memo.txt": MEMO}, engines=engines, title="Pump", who="ann", now=clock())
    bench.hypotheses.add("The operator stopped the dosing pump.")
    bench.hypotheses.add("The vendor account opened the valve.")
    bench.review.propose()
    return bench


class Unsure(ScriptedJudge):
    """Close to the border wherever the scripted judge finds anything."""

    fingerprint = "unsure judge 1"

    def judge(self, passage, hypotheses):
        answers = super().judge(passage, hypotheses)
        return [Probabilities(0.45, 0.3, 0.25) if p.neutral < 0.5 else p for p in answers]


def about(bench, label):
    return [p for p in bench.verdicts.proposals() if p.verdict.label == label]


def decided(bench):
    matrix = bench.matrix.compute()
    return (
        bench.evidence.all(),
        bench.evidence.assessments(),
        bench.evidence.suggestions(),
        matrix.leaders,
        matrix.scores,
    )


# --- the second reader -----------------------------------------------------------------------------------------------


def test_both_verdicts_are_kept_and_nothing_counts(bench):
    initial_state, proposals = decided(bench), bench.verdicts.proposals()
    chosen = [p.id for p in proposals if p.verdict.label in ("supports", "contradicts")]
    report = bench.review.read_again(chosen)
    assert report.model == "contrary judge 1"
    assert report.disputed == len(report.proposals) == len(chosen)
    for proposal, original in ((bench.store.proposals.get(p.id), p) for p in proposals):
        assert replace(proposal, others=()) == original
        if original.id in chosen:
            (second_verdict,) = proposal.others
            assert (second_verdict.role, second_verdict.verdict.model) == (SECOND_READER, "contrary judge 1")
            assert {second_verdict.verdict.label, original.verdict.label} == {"supports", "contradicts"}
            assert second_verdict.explanation.startswith("The model finds")
            assert proposal.disputed
    assert decided(bench) == initial_state
    assert bench.case.verify().ok


def test_it_is_asked_about_whole_passages_once_and_never_twice(bench):
    reader = bench.engines.second_reader
    chosen = [p.id for p in bench.verdicts.proposals()]
    bench.review.read_again(chosen)
    call_count = len(reader.history)
    whole = [(passage, texts) for passage, texts in reader.history if len(texts) > 1]
    assert len({passage for passage, _ in whole}) == len(whole)  # one call a passage for all its hypotheses
    bench.review.read_again(chosen)
    assert len(reader.history) == call_count
    new_reader = ContraryJudge()
    bench.engines = replace(bench.engines, second_reader=new_reader)
    bench.review.read_again(chosen)
    assert new_reader.history == []


class Copy(ScriptedJudge):
    """A second reader that judges as the first does."""

    fingerprint = "copy 1"


TWO_CLUES = (
    "The night log of the works shows, with an entry by the guard at the gate and two of the relief crew, that the "
    "dosing pump stopped at 02:14. "
    "The operator did not touch the dosing pump, as the camera over the panel shows for the whole of the shift that "
    "began at ten and ended at six."
)


def test_a_second_reader_reads_the_stretch_that_the_first_verdict_is_on(case_of, engines):
    """A reader that judges like the first one says the same of each of two clues in a passage."""
    bench = case_of({"log.txt": TWO_CLUES}, engines=replace(engines, second_reader=Copy()))
    bench.hypotheses.add("The operator stopped the dosing pump.")
    bench.hypotheses.add("The dosing pump stopped.")
    bench.review.propose()
    proposals = bench.verdicts.proposals()
    assert len({(p.hypothesis, p.quote.start) for p in proposals}) == len(proposals) > 2  # two quotes of one passage
    assert {p.verdict.label for p in proposals} >= {"supports", "contradicts"}
    bench.review.read_again([p.id for p in proposals])
    for proposal in bench.verdicts.proposals():
        (second,) = proposal.others
        assert second.verdict.probabilities == proposal.verdict.probabilities
        assert second.explanation == proposal.explanation
        assert not proposal.disputed
        assert proposal.agreed
    assert "no probability rises" in bench.reports.data().second[0]


def test_a_strict_case_shows_no_verdict_that_readers_disagree_on(bench, monkeypatch):
    sure = tuple(ShowThreshold(label, 0.5) for label in ("supports", "contradicts", "neutral"))
    monkeypatch.setattr(exam_results, "show_thresholds", lambda model: sure)
    bench.case.change_settings(show="strict")
    first, *_ = shown = [p.id for p in bench.verdicts.proposals() if not p.withheld]
    bench.review.read_again([first])
    after = {p.id: p for p in bench.verdicts.proposals()}
    assert after[first].disputed
    assert after[first].withheld
    assert not any(after[identity].withheld for identity in shown if identity != first)


def test_without_a_second_reader_everything_is_as_before(bench):
    bench.engines = replace(bench.engines, second_reader=None)
    with pytest.raises(ModelMissing):
        bench.review.read_again()
    assert bench.review.close_or_decisive() is not None
    assert all(p.others == () for p in bench.verdicts.proposals())
    bench.review.accept([bench.verdicts.proposals()[0].id], rate=True)


def test_the_close_ones_are_chosen_and_not_those_that_were_read(bench):
    assert bench.review.close_or_decisive() == []  # the scripted judge is sure, and nothing is rated yet
    bench.engines = replace(bench.engines, judge=Unsure())
    bench.review.judge_again()
    chosen = bench.review.close_or_decisive()
    assert {choice.proposal for choice in chosen} == {
        p.id for p in bench.verdicts.proposals() if p.verdict.probabilities.neutral < 0.5
    }
    assert all(choice.margin < cascade.CLOSE and choice.why.startswith("close") for choice in chosen)
    report = bench.review.read_again()
    assert {p.id for p in report.proposals} == {choice.proposal for choice in chosen}
    assert bench.review.close_or_decisive() == []


def test_what_would_change_the_leaders_is_chosen_however_sure_the_judge_is(bench):
    (against,) = (p for p in about(bench, "contradicts") if p.hypothesis == "H2")
    ((row, _),) = bench.review.accept([about(bench, "supports")[0].id]).pairs
    bench.evidence.rate(row, "H1", "I")
    bench.evidence.rate(row, "H2", "C")
    assert bench.matrix.compute().leaders["weighted_inconsistency"] == ("H2",)
    chosen = {choice.proposal: choice for choice in bench.review.close_or_decisive()}
    assert "taken as it stands, H1 and H2 would lead" in chosen[against.id].why
    quoted = bench.evidence.all()[0].quote
    silent = [p.id for p in about(bench, "neutral") if p.quote.text != quoted]
    assert silent
    assert chosen.keys().isdisjoint(silent)  # what says nothing moves nobody


def test_a_rated_cell_that_is_a_linchpin_is_chosen(bench):
    (against,) = (p for p in about(bench, "contradicts") if p.hypothesis == "H1")
    ((row, _),) = bench.review.accept([against.id]).pairs
    bench.evidence.rate(row, "H1", "I")
    bench.evidence.rate(row, "H2", "C")
    chosen = {choice.proposal: choice for choice in bench.review.close_or_decisive()}
    assert row in chosen[against.id].decisive


def test_a_cancelled_run_keeps_what_was_read_and_goes_on(bench):
    chosen = [p.id for p in bench.verdicts.proposals()]
    progress = Progress(lambda count, total, label: progress.cancel() if count else None)
    with pytest.raises(Cancelled):
        bench.review.read_again(chosen, progress=progress)
    read_proposals = [p for p in bench.verdicts.proposals() if p.others]
    assert 0 < len(read_proposals) < len(chosen)
    call_count = len(bench.engines.second_reader.history)
    bench.review.read_again(chosen)
    assert all(p.others for p in bench.verdicts.proposals())
    first = {text for text, _ in bench.engines.second_reader.history[:call_count]}
    assert first.isdisjoint(text for text, _ in bench.engines.second_reader.history[call_count:])


def test_a_reader_that_is_stopped_by_the_person_is_cancelled_and_else_an_error(bench):
    class Stopped(ContraryJudge):
        def judge(self, passage, hypotheses):
            raise EngineStopped(engine="judge", item="a passage", reason="it was stopped")

    bench.engines = replace(bench.engines, second_reader=Stopped())
    with pytest.raises(EngineStopped):
        bench.review.read_again([bench.verdicts.proposals()[0].id])
    progress = Progress(lambda count, total, label: None)

    class Killed(Stopped):
        def judge(self, passage, hypotheses):
            progress.cancel()
            return super().judge(passage, hypotheses)

    bench.engines = replace(bench.engines, second_reader=Killed())
    with pytest.raises(Cancelled):
        bench.review.read_again([bench.verdicts.proposals()[0].id], progress=progress)

    class NeverStarts(ContraryJudge):
        @property
        def fingerprint(self):
            raise EngineStopped(engine="judge", item="its start", reason="it was stopped")

    bench.engines = replace(bench.engines, second_reader=NeverStarts(), judge=NeverStarts())
    for verb in (bench.review.read_again, bench.review.judge_again):
        with pytest.raises(Cancelled):
            verb([bench.verdicts.proposals()[0].id], progress=progress)
        with pytest.raises(EngineStopped):
            verb([bench.verdicts.proposals()[0].id])


@pytest.mark.parametrize(
    "answers", [[], [Probabilities(1.0, 1.0, 1.0)], [Probabilities(float("nan"), 0.5, 0.5)], [Probabilities(-1, 1, 1)]]
)
def test_a_hostile_second_reader_leaves_nothing_behind(bench, answers):
    class Hostile(ContraryJudge):
        def judge(self, passage, hypotheses):
            return answers * len(hypotheses)

    initial_state = decided(bench), bench.verdicts.proposals()
    bench.engines = replace(bench.engines, second_reader=Hostile())
    with pytest.raises(ModelUnreadable):
        bench.review.read_again([bench.verdicts.proposals()[0].id])
    assert (decided(bench), bench.verdicts.proposals()) == initial_state
    assert bench.case.verify().ok


@pytest.mark.parametrize("verb", ["read_again", "judge_again"])
def test_a_passage_too_long_for_a_model_is_named_and_the_others_are_read(bench, verb):
    class Short(ContraryJudge):
        def judge(self, passage, hypotheses):
            if passage.startswith("The night log"):
                raise BadInput(reason="This passage is too long for the model.", remedy="Use another model.")
            return super().judge(passage, hypotheses)

    bench.engines = replace(bench.engines, judge=Short(), second_reader=Short())
    pending = bench.verdicts.proposals(status="pending")
    report = getattr(bench.review, verb)([p.id for p in pending])
    long = {p.id for p in pending if p.name == "log.txt"}
    assert long
    assert {p.id for p in report.proposals} == {p.id for p in pending} - long != set()
    assert report.notes == ("log.txt, page 1: This passage is too long for the model. Use another model.",)


def test_one_that_has_not_passed_its_exam_gives_no_verdict(bench, tmp_path, monkeypatch):
    monkeypatch.setenv("DISCONFIRM_HOME", str(tmp_path / "home"))

    class Chance(ContraryJudge):
        def judge(self, passage, hypotheses):
            return [Probabilities(0.5, 0.3, 0.2)] * len(hypotheses)

    bench.engines = replace(bench.engines, second_reader=Chance(), examine=True)
    with pytest.raises(BadInput, match="second reader"):
        bench.review.read_again([bench.verdicts.proposals()[0].id])
    assert all(p.others == () for p in bench.verdicts.proposals())


def test_where_two_models_disagree_nothing_is_suggested(bench):
    contradiction = about(bench, "contradicts")[0]
    bench.review.read_again([contradiction.id])
    bench.review.accept([contradiction.id], rate=True)
    assert bench.evidence.suggestions() == []
    bench.case.undo()
    bench.engines = replace(bench.engines, second_reader=ScriptedAgain())
    support = about(bench, "supports")[0]
    bench.review.read_again([support.id])
    assert not bench.store.proposals.get(support.id).disputed
    bench.review.accept([support.id], rate=True)
    assert [s.model for s in bench.evidence.suggestions()] == ["scripted judge 1"]


class ScriptedAgain(ScriptedJudge):
    fingerprint = "scripted judge 2"


def test_unknown_proposals_are_named(bench):
    with pytest.raises(NoSuchItem):
        bench.review.read_again(["P999"])
    with pytest.raises(NoSuchItem):
        bench.review.judge_again(["P999"])


# --- the judge in use ------------------------------------------------------------------------------------------------


def test_verdicts_of_another_judge_are_told_and_judged_again_on_request(bench):
    assert bench.review.by_other_models() == []
    accepted_id = about(bench, "supports")[0].id
    bench.review.accept([accepted_id])
    waiting = [p.id for p in bench.verdicts.proposals(status="pending")]
    old_proposals = {p.id: p for p in bench.verdicts.proposals()}
    bench.engines = replace(bench.engines, judge=ScriptedAgain())
    assert [p.id for p in bench.review.by_other_models()] == waiting
    assert {p.verdict.model for p in bench.verdicts.proposals()} == {"scripted judge 1"}  # nothing changes by itself
    report = bench.review.judge_again()
    assert sorted(p.id for p in report.proposals) == sorted(waiting)
    assert report.disputed == 0
    assert bench.review.by_other_models() == []
    for proposal in bench.verdicts.proposals():
        original = old_proposals[proposal.id]
        assert proposal.quote == original.quote
        assert proposal.verdict.model == ("scripted judge 1" if proposal.id == accepted_id else "scripted judge 2")
        assert [o.verdict for o in proposal.others] == ([] if proposal.id == accepted_id else [original.verdict])
    assert (
        bench.store.proposals.get(waiting[0]).explanation == old_proposals[waiting[0]].explanation
    )  # the same words of the same
    assert bench.case.verify().ok


def test_without_a_judge_nothing_is_by_another_one(bench):
    bench.engines = replace(bench.engines, judge=None)
    assert bench.verdicts.other_models(["scripted judge 1"]) == {}
    assert bench.review.by_other_models() == []
    with pytest.raises(ModelMissing):
        bench.review.judge_again()


# --- strict ----------------------------------------------------------------------------------------------------------


def test_the_exam_says_from_where_on_a_judge_is_sure(tmp_path, monkeypatch):
    result = next(
        exam_result
        for exam_result in (exam_results._read(file) for file in sorted(exam_results._program_folder().glob("*.json")))
        if exam_result is not None
    )
    monkeypatch.setattr(exam_results, "result_of", lambda model: result if model == result.judge else None)
    monkeypatch.setattr(exam_results.labels, "card", lambda: replace(plain, sure=()))
    sure = {row.label: row for row in exam_results.show_thresholds(result.judge)}
    assert set(sure) == {"contradicts", "supports"}
    for row in result.strict:
        assert sure[row.label].threshold == row.threshold
        if row.threshold is not None:
            assert sure[row.label].precision >= 0.9 - 1e-3
    assert exam_results.show_thresholds("nobody") == ()
    # The card of the judge that comes with the program goes before.
    thresholds = (ShowThreshold("contradicts", 0.7, 0.9, 0.4, 90, "development sets"),)
    monkeypatch.setattr(exam_results.labels, "card", lambda: replace(plain, sure=thresholds))
    assert exam_results.show_thresholds(f"llama sha256:{plain.sha256[:16]} x") == thresholds
    assert exam_results.show_thresholds(f"llama {plain.name} sha256:1") == ()


plain = exam_results.labels.card()


# --- model and people ------------------------------------------------------------------------------------------------


def test_agreement_counts_what_was_rated_and_says_what_was_in_sight(bench):
    assert bench.review.agreements() == []
    against, for_it = about(bench, "contradicts")[0], about(bench, "supports")[0]
    ((first, _), (second, _)) = bench.review.accept([against.id, for_it.id]).pairs
    bench.evidence.rate(first, against.hypothesis, "II")
    bench.case.change_settings(blind=True)
    bench.evidence.rate(second, for_it.hypothesis, "I")
    bench.case.change_settings(blind=False)
    bench.review.reject([p.id for p in bench.verdicts.proposals(status="pending") if p.verdict.label != "neutral"][:1])
    (agreement,) = bench.review.agreements()
    assert agreement.model == "scripted judge 1"
    assert (agreement.right.value, agreement.right.n) == (0.5, 2)
    assert (agreement.blind, agreement.rejected) == (1, 1)
    bench.review.read_again([against.id, for_it.id])
    by_model = {agreement.model: agreement for agreement in bench.review.agreements()}
    assert (by_model["contrary judge 1"].right.value, by_model["contrary judge 1"].right.n) == (0.5, 2)


def test_agreement_changes_no_verdict_and_stands_in_the_report(bench, tmp_path):
    against = about(bench, "contradicts")[0]
    ((row, _),) = bench.review.accept([against.id]).pairs
    bench.evidence.rate(row, against.hypothesis, "C")
    proposals = bench.verdicts.proposals()
    data = bench.reports.data()
    assert bench.verdicts.proposals() == proposals
    ((name, sentences),) = data.agreement
    assert name == "scripted judge 1"
    assert "0 of 1" in sentences[0]
    written = bench.reports.write(tmp_path / "report.html").file.read_text("utf-8")
    assert "How far people agreed with it" in written
    assert "this is agreement, not the model’s accuracy" in written
    assert json.loads(bench.reports.write(tmp_path / "report.json").file.read_text("utf-8"))
    assert data.second == ()
    bench.review.read_again([against.id])
    (second,) = bench.reports.data().second
    assert second.startswith("1 close or decisive verdict was read a second time by contrary judge 1")
    assert "It came to another label on 1. A verdict on which the readers disagree is taken as undecided" in second
    assert ("second reader", "contrary judge 1") in bench.reports.data().engines
    before_second = bench.reports.data(as_of=str(bench.store.log.entries()[-2].seq))
    assert (before_second.second, len(before_second.agreement)) == ((), 1)
    earlier = bench.reports.data(as_of=str(bench.store.log.entries()[-6].seq))
    assert earlier.agreement == ()
