"""What people change while a model judges: no verdict and no quote stands under words that they are not of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from core.workbench import Workbench
from tests.fakes import FakeOcr, HashEmbedder, ScriptedJudge

pytestmark = pytest.mark.usefixtures("sentence_windows")

PAGE = "The night guard opened the main valve before midnight yesterday. The night guard was on duty."
GUESS = "The night guard opened the main valve before midnight."
OTHER = "Nobody touched the pump in the cellar on Sunday."
LOG = "The main valve was opened by the night guard before midnight, says the log."


class InterruptedJudge(ScriptedJudge):
    """A judge beside which somebody works: ``meanwhile`` is done once, before its first answer on a passage."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] | None = None
        self.about = ""

    def judge(self, passage, hypotheses):
        if self.meanwhile is not None and self.about in passage:
            act, self.meanwhile = self.meanwhile, None
            act()
        return super().judge(passage, hypotheses)


@pytest.fixture
def judge():
    return InterruptedJudge()


@pytest.fixture
def bench(tmp_path, engines, judge):
    (tmp_path / "scan.txt").write_text("   ", "utf-8")
    (tmp_path / "log.txt").write_text(LOG, "utf-8")
    engines = replace(engines, ocr=FakeOcr(always=PAGE), judge=judge)
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([tmp_path / "scan.txt", tmp_path / "log.txt"])
        bench.ocr.read()
        bench.hypotheses.add(GUESS)
        yield bench


def correct(bench, word, text):
    page = bench.documents.page("D1", 1)
    bench.ocr.decide([(page.id, PAGE.split().index(word), "corrected", text)])


def passage_of(bench, proposal):
    return bench.store.pages.chunks([proposal.chunk])[proposal.chunk].text


def require_truth(bench):
    """Hold every verdict that is shown against what the judge says of the words that stand there now."""
    texts = {hypothesis.id: hypothesis.text for hypothesis in bench.hypotheses.all()}
    for proposal in bench.verdicts.proposals():
        if not proposal.is_hidden:
            readings = (passage_of(bench, proposal), proposal.quote.text)  # the whole of it, and a window of it
            answers = [ScriptedJudge().judge(words, [texts[proposal.hypothesis]]) for words in readings]
            assert [proposal.verdict.probabilities] in answers
        assert bench.store.quotes.stands(proposal.quote)
    assert bench.case.verify().ok


def test_a_verdict_on_words_that_were_put_back_since_is_hidden_although_the_case_keeps_one_on_these(bench):
    bench.review.propose()
    bench.hypotheses.edit("H1", text=OTHER)
    bench.review.propose()
    assert {proposal.verdict.label for proposal in bench.verdicts.proposals()} == {"neutral"}
    bench.case.undo()
    assert all(proposal.outdated for proposal in bench.verdicts.proposals())
    proposals = bench.review.judge_again().proposals
    assert {(proposal.verdict.label, proposal.outdated) for proposal in proposals} == {("supports", False)}
    require_truth(bench)


def test_a_verdict_that_was_decided_on_before_its_words_changed_suggests_nothing(bench):
    bench.review.propose()
    bench.review.accept(["P1"], rate=True)
    bench.hypotheses.edit("H1", text=OTHER)
    report = bench.passages.suggest_ratings("H1")
    assert report.ratings == ()
    assert report.notes == ("E1: P1 was decided before its words changed, so nothing was suggested.",)
    assert bench.evidence.suggestions() == []


def test_a_hypothesis_that_lost_words_with_an_erased_document_keeps_no_verdict(bench, tmp_path):
    letter = "Somebody from the harbour moved the yellow crane to the northern quay."
    (tmp_path / "letter.txt").write_text(letter, "utf-8")
    bench.documents.add([tmp_path / "letter.txt"])
    bench.hypotheses.add(f"{letter[:-1]}, and the night guard opened the main valve.")
    bench.review.propose(["H2"])
    bench.documents.erase(["D3"])
    assert "[erased]" in bench.hypotheses.all()[1].text
    assert bench.verdicts.proposals()
    assert all(proposal.outdated for proposal in bench.verdicts.proposals())


@pytest.mark.parametrize("about", ["yesterday", "says the log"])
@pytest.mark.parametrize(("word", "text"), [("opened", "never opened"), ("The", "Not on Monday, but on Tuesday, the")])
def test_a_word_that_is_corrected_while_a_passage_is_judged(bench, judge, about, word, text):
    bench.hypotheses.edit("H1", text=LOG)  # the log is judged first
    judge.about, judge.meanwhile = about, lambda: correct(bench, word, text)
    assert bench.review.propose().notes == ()
    assert len(bench.verdicts.proposals()) == 2
    assert all(
        proposal.quote.text[0].isupper() and proposal.quote.text.endswith(".")
        for proposal in bench.verdicts.proposals()
    )
    require_truth(bench)


def test_a_hypothesis_that_is_reworded_while_passages_are_judged(bench, judge):
    bench.hypotheses.add(OTHER)
    judge.about, judge.meanwhile = "says the log", lambda: bench.hypotheses.edit("H1", text="Nobody was there.")
    bench.review.propose()
    require_truth(bench)


def test_a_rewording_that_is_taken_back_while_passages_are_judged(bench, judge):
    bench.review.propose()
    bench.hypotheses.edit("H1", text=OTHER)
    judge.about, judge.meanwhile = "says the log", bench.case.undo
    bench.review.propose()
    require_truth(bench)
    bench.case.redo()
    judge.about, judge.meanwhile = "says the log", bench.case.undo
    bench.review.judge_again()
    require_truth(bench)


@pytest.mark.parametrize("verb", ["remove", "erase"])
def test_a_document_that_goes_while_it_is_judged_leaves_nothing_and_the_others_are_judged(bench, judge, verb):
    judge.about, judge.meanwhile = "yesterday", lambda: getattr(bench.documents, verb)(["D1"])
    report = bench.review.propose()
    assert report.notes == ("Changed or removed meanwhile, so not judged: scan.txt, page 1.",)
    assert [proposal.quote.document for proposal in bench.verdicts.proposals()] == ["D2"]
    assert bench.store.db.rows("SELECT count(*) FROM verdict") == [(1,)]
    require_truth(bench)


def test_a_hypothesis_that_is_removed_while_passages_are_judged_stops_no_other(bench, judge):
    bench.hypotheses.add(OTHER)
    judge.about, judge.meanwhile = "yesterday", lambda: bench.hypotheses.remove("H1")
    bench.review.propose(rows=True)
    assert {proposal.hypothesis for proposal in bench.verdicts.proposals()} == {"H2"}
    assert len(bench.verdicts.proposals()) == 2
    require_truth(bench)


def test_a_document_that_goes_while_its_verdicts_are_read_again(bench, judge):
    bench.review.propose()
    bench.hypotheses.edit("H1", text=OTHER)
    judge.about, judge.meanwhile = "yesterday", lambda: bench.documents.erase(["D1"])
    report = bench.review.judge_again()
    assert report.notes == ("Changed or removed meanwhile, so not judged: scan.txt, page 1.",)
    assert [proposal.quote.document for proposal in report.proposals] == ["D2"]
    require_truth(bench)


def test_a_row_that_goes_while_ratings_are_suggested_takes_no_other_with_it(bench, judge):
    bench.review.propose()
    bench.review.accept(["P1", "P2"])
    bench.hypotheses.add(OTHER)
    judge.about, judge.meanwhile = "says the log", lambda: bench.evidence.remove("E1")
    bench.passages.suggest_ratings("H2")
    assert [suggestion.evidence for suggestion in bench.evidence.suggestions()] == ["E2"]


class InterruptedEmbedder(HashEmbedder):
    """An embedder beside which somebody works: ``meanwhile`` is done once, while it has passages in hand."""

    meanwhile: Callable[[], object] | None = None

    def embed(self, texts):
        vectors = super().embed(texts)
        if self.meanwhile is not None:
            act, self.meanwhile = self.meanwhile, None
            act()
        return vectors


def test_a_word_that_is_corrected_while_its_passage_is_embedded_leaves_no_vector_of_the_former_words(bench):
    embedder = InterruptedEmbedder()
    embedder.fingerprint = "interrupted embedder 1"
    bench.engines = replace(bench.engines, embedder=embedder)
    embedder.meanwhile = lambda: correct(bench, "opened", "never opened")
    bench.index.build()
    (chunk,) = bench.store.pages.chunks(bench.store.pages.chunk_ids("D1")).values()
    assert "never opened" in chunk.text
    assert bench.store.vectors.get(embedder.fingerprint, chunk.id) == HashEmbedder().embed([chunk.text])[0]
    assert bench.store.vectors.count_without(embedder.fingerprint) == 0


def test_no_statement_is_run_without_the_lock_that_keeps_threads_apart(bench, tmp_path):
    """Beside a job somebody decides: a connection that another thread is using can be asked nothing."""
    faults: list[str] = []

    def watch(_cursor, sql, _bindings):
        if not bench.store.db.lock._is_owned():
            faults.append(" ".join(sql.split())[:100])
        return True

    bench.store.db.connection.exec_trace = watch
    bench.review.propose()
    bench.review.accept(["P1"], rate=True)
    bench.passages.accept(["P2"], confirm=True)
    bench.hypotheses.edit("H1", text=OTHER)
    bench.evidence.suggestions()
    bench.evidence.rate("E1", "H1", "C")
    bench.review.judge_again()
    bench.passages.cards()
    bench.passages.suggest_ratings("H1")
    correct(bench, "opened", "never opened")
    bench.evidence.update_quote("E1")
    bench.ocr.queue()
    bench.search.find("main valve")
    bench.search.find('"main valve" -pump', mode="lexical")
    bench.conflicts.find()
    bench.answers.ask("Who opened the main valve?", keep=True)
    bench.answers.all()
    bench.plans.effort()
    bench.entities.suggested()
    bench.matrix.compute()
    bench.documents.remove(["D2"], with_evidence=True)
    bench.case.undo()
    bench.case.redo()
    bench.reports.write(tmp_path / "report.md")
    bench.reports.data(as_of="3")
    bench.backups.make()
    bench.case.altered_decision()
    bench.case.verify()
    assert faults == []
