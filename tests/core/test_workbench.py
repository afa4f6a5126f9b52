"""The verbs, end to end, with small whole engines in this process."""

from __future__ import annotations

import dataclasses
import json
import threading

import pytest

from core.domain import Changes
from core.errors import BadInput, EngineStopped, ModelMissing, NoSuchItem
from core.ports import Engines
from core.progress import Cancelled, Progress
from core.review.judging import judge_pair
from core.workbench import Workbench
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge

LOG = "The night log shows that the dosing pump stopped at 02:14.\nThe operator did not touch the dosing pump."
MEMO = "The vendor account opened the valve remotely.\fThe vendor never had an account for the valve."


@pytest.fixture
def folder(tmp_path):
    inbox = tmp_path / "inbox"
    (inbox / "sub").mkdir(parents=True)
    (inbox / "log.txt").write_text(LOG, "utf-8")
    (inbox / "sub" / "memo.txt").write_text(MEMO, "utf-8")
    return inbox


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "case.disconfirm", engines, title="Pump", who="ann") as opened:
        yield opened


@pytest.fixture
def filled(bench, folder):
    bench.documents.add([folder])
    bench.hypotheses.add("The operator stopped the dosing pump.")
    bench.hypotheses.add("The vendor account opened the valve.")
    return bench


def test_every_submitted_file_is_accounted_for(bench, folder):
    (folder / "copy.txt").write_text(LOG, "utf-8")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "noise.bin").write_bytes(b"\xff\xfe\xfd")
    report = bench.documents.add([folder, folder / "missing.txt"])
    by_name = {item.name: item.status for item in report.documents}
    assert by_name == {
        "copy.txt": "added",
        "empty.txt": "failed",
        "log.txt": "duplicate",
        "noise.bin": "failed",
        "memo.txt": "added",
        "missing.txt": "failed",
    }
    assert len(report.problems) == 3
    assert all(problem.what and problem.hint for problem in report.problems)
    assert len(bench.documents.all()) == 2
    assert next(i for i in report.documents if i.name == "log.txt").of == "D1"


def test_a_second_run_reads_nothing_again(bench, folder):
    bench.documents.add([folder])
    counting = HashEmbedder()
    calls = []
    counting.embed = lambda texts: calls.append(texts) or HashEmbedder.embed(counting, texts)
    bench.engines = Engines(PlainReader(), counting, None)
    again = bench.documents.add([folder])
    assert {item.status for item in again.documents} == {"duplicate"}
    assert calls == []


def test_cancelling_keeps_what_is_finished_and_a_second_run_completes(bench, folder):
    progress = Progress(lambda done, total, what: progress.cancel() if done == 1 else None)
    with pytest.raises(Cancelled):
        bench.documents.add([folder], progress)
    assert len(bench.documents.all()) == 1
    report = bench.documents.add([folder])
    assert [item.status for item in report.documents] == ["duplicate", "added"]
    assert bench.case.verify().ok


def test_a_document_half_read_is_dropped_and_named(bench, tmp_path):
    class Stops(PlainReader):
        def read(self, data, name, *, password=""):
            items = super().read(data, name)
            yield next(items)
            yield next(items)
            raise EngineStopped(engine="reader", item=name, reason="killed")

    bench.engines = dataclasses.replace(bench.engines, reader=Stops())
    (tmp_path / "two.txt").write_text(MEMO, "utf-8")
    report = bench.documents.add([tmp_path / "two.txt"])
    assert report.documents[0].status == "failed"
    assert "reader" in report.problems[0].what
    assert bench.documents.all() == []
    assert bench.search.passages_for("vendor").passages == ()


def test_search_names_both_ranks_and_stays_in_scope(filled):
    found = filled.search.passages_for("vendor account valve")
    assert found.passages[0].name == "memo.txt"
    assert found.passages[0].vector_rank is not None
    assert found.passages[0].lexical_rank == 1
    page = filled.documents.page(found.passages[0].document, found.passages[0].page)
    assert page.text[found.passages[0].start : found.passages[0].end] == found.passages[0].text
    assert {p.name for p in filled.search.passages_for("vendor", include=["D1"]).passages} <= {"log.txt"}
    assert {p.name for p in filled.search.passages_for("vendor", exclude=["D2"]).passages} <= {"log.txt"}
    filled.documents.set_included(["D2"], False)
    assert {p.name for p in filled.search.passages_for("vendor").passages} <= {"log.txt"}


def test_search_modes_use_one_leg_only(filled):
    assert all(p.lexical_rank is None for p in filled.search.passages_for("vendor valve", mode="vector").passages)
    assert all(p.vector_rank is None for p in filled.search.passages_for("vendor valve", mode="lexical").passages)


def test_search_refuses_what_it_cannot_do(filled):
    with pytest.raises(BadInput):
        filled.search.passages_for("   ")
    with pytest.raises(NoSuchItem):
        filled.search.passages_for("vendor", include=["D99"])


def test_nothing_found_is_an_answer(bench, filled):
    result = filled.search.passages_for("zebra", mode="lexical")
    assert result.passages == ()
    assert "zebra" in result.notes[0]


def test_an_empty_case_says_what_to_do(bench):
    assert "add documents" in bench.search.passages_for("anything").notes[0].lower()
    assert "hypotheses" in bench.review.propose().notes[0]


def test_without_an_embedder_words_still_find(tmp_path, folder):
    with Workbench.create(tmp_path / "c.disconfirm", Engines(PlainReader())) as bench:
        bench.documents.add([folder])
        result = bench.search.passages_for("vendor")
        assert result.passages
        assert "words only" in result.notes[0]
        bench.hypotheses.add("The vendor did it.")
        with pytest.raises(ModelMissing):
            bench.review.propose()


def test_a_missing_model_is_filled_in_later(tmp_path, folder, engines):
    with Workbench.create(tmp_path / "c.disconfirm", Engines(PlainReader())) as bench:
        bench.documents.add([folder])
        bench.engines = engines
        bench.index.finish()
        assert bench.search.passages_for("vendor valve", mode="vector").passages


def test_every_proposal_quotes_its_page(filled):
    report = filled.review.propose()
    assert report.proposals
    for proposal in report.proposals:
        page = filled.store.pages.by_id(proposal.quote.page_id)
        assert page.text[proposal.quote.start : proposal.quote.end] == proposal.quote.text
        assert proposal.explanation
    labels = {(p.hypothesis, p.quote.text.strip()): p.verdict.label for p in report.proposals}
    assert "contradicts" in labels.values()


def test_a_second_proposal_run_asks_the_judge_nothing(filled):
    first = filled.review.propose()
    judge = ScriptedJudge()
    filled.engines = dataclasses.replace(filled.engines, judge=judge)
    again = filled.review.propose()
    assert judge.history == []
    assert [p.id for p in again.proposals] == [p.id for p in first.proposals]


def test_one_more_hypothesis_is_read_beside_its_rivals_and_changes_no_verdict_on_them(filled):
    filled.review.propose()
    before = {p.id: p.verdict for p in filled.verdicts.proposals()}
    judge = ScriptedJudge()
    filled.engines = dataclasses.replace(filled.engines, judge=judge)
    added = filled.hypotheses.add("The vendor never had an account.").id
    filled.review.propose()
    rivals = tuple(hypothesis.text for hypothesis in filled.hypotheses.all())
    assert {texts for _, texts in judge.history} == {rivals}
    assert len({passage for passage, _ in judge.history}) == len(judge.history)  # each is read once
    assert filled.verdicts.proposals(hypothesis=added)
    assert {p.id: p.verdict for p in filled.verdicts.proposals() if p.id in before} == before


def test_accepting_makes_evidence_and_suggestions_do_not_count(filled):
    proposals = [p.id for p in filled.review.propose().proposals if p.verdict.label == "contradicts"]
    accepted = filled.review.accept(proposals, rate=True)
    assert len(accepted.pairs) == len(proposals)
    assert filled.evidence.suggestions()
    matrix = filled.matrix.compute()
    assert matrix.leaders["weighted_inconsistency"] == ()
    evidence = accepted.pairs[0][0]
    filled.evidence.rate(evidence, "H1", "II")
    filled.evidence.rate(evidence, "H2", "C")
    assert filled.matrix.compute().leaders["weighted_inconsistency"] == ("H2",)


def test_the_same_span_is_one_piece_of_evidence(filled):
    proposals = filled.review.propose().proposals
    spans = {}
    for proposal in proposals:
        spans.setdefault((proposal.quote.page_id, proposal.quote.start, proposal.quote.end), []).append(proposal.id)
    twice = next(ids for ids in spans.values() if len(ids) > 1)
    pairs = filled.review.accept(twice).pairs
    assert len({evidence for evidence, _ in pairs}) == 1


def test_a_marked_span_becomes_evidence_and_nothing_outside_the_page_does(filled):
    added = filled.evidence.add_quote("D1", 1, 0, 13)
    assert next(e for e in filled.evidence.all() if e.id == added.id).quote == LOG[:13]
    with pytest.raises(BadInput):
        filled.evidence.add_quote("D1", 1, 5, 10_000)
    with pytest.raises(BadInput):
        filled.evidence.add_quote("D1", 1, 5, 5)


def test_a_quote_comes_with_its_note_in_one_step_and_is_not_new_twice(filled):
    before = len(filled.store.log.entries())
    added = filled.evidence.add_quote("D1", 1, 0, 13, note=" ask the engineer ")
    assert (added.new, len(filled.store.log.entries())) == (True, before + 1)
    assert next(e for e in filled.evidence.all() if e.id == added.id).note == "ask the engineer"
    again = filled.evidence.add_quote("D1", 1, 0, 13, note="something else")
    assert (again.id, again.new, again.changes) == (added.id, False, Changes())
    assert len(filled.store.log.entries()) == before + 1
    filled.case.undo()
    assert added.id not in [e.id for e in filled.evidence.all()]


def test_a_hypothesis_too_long_for_the_judge_is_refused_with_the_reason(bench):
    with pytest.raises(BadInput) as caught:
        bench.hypotheses.add("word " * 2_000)
    assert "9,999" in caught.value.sentence
    with pytest.raises(BadInput):
        bench.hypotheses.add("  ")


def test_the_report_is_written_whole_and_the_same_twice(filled, tmp_path):
    filled.review.accept([p.id for p in filled.review.propose().proposals][:2], rate=True)
    written = filled.reports.write(tmp_path / "report.json")
    assert json.loads(written.file.read_text("utf-8"))
    assert written.bytes == written.file.stat().st_size
    with pytest.raises(BadInput):
        filled.reports.write(tmp_path / "report.exe")
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix in (".json", ".exe", ".part")) == ["report.json"]


def test_verbs_may_run_beside_a_long_one(bench, tmp_path):
    for number in range(40):
        (tmp_path / f"{number}.txt").write_text(f"Report {number} about pump {number}.", "utf-8")
    files = [tmp_path / f"{number}.txt" for number in range(40)]
    worker = threading.Thread(target=bench.documents.add, args=(files,))
    worker.start()
    while worker.is_alive():
        bench.documents.all()
        bench.search.passages_for("pump", mode="lexical")
        bench.matrix.compute()
    worker.join()
    assert len(bench.documents.all()) == 40


def test_a_pair_can_be_judged_without_a_case():
    judged = judge_pair(ScriptedJudge(), "It rained. The pump did not stop. Birds sang.", "The pump did stop.")
    assert judged.verdict.label == "contradicts"
    assert 0 <= judged.start < judged.end
