"""Verdicts on words that were changed since: hidden and never suggested until a model judges the new words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.workbench import Workbench
from tests.fakes import ContraryJudge, FakeOcr

PAGE = "The night guard opened the main valve before midnight yesterday."
GUESS = "The night guard opened the main valve before midnight."


@pytest.fixture
def bench(tmp_path, engines):
    (tmp_path / "scan.txt").write_text("   ", "utf-8")
    (tmp_path / "log.txt").write_text(
        "The main valve was opened by the night guard before midnight, says the log.", "utf-8"
    )
    engines = replace(engines, ocr=FakeOcr(always=PAGE), second_reader=ContraryJudge())
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        bench.documents.add([tmp_path / "scan.txt", tmp_path / "log.txt"])
        bench.ocr.read()
        bench.hypotheses.add(GUESS)
        bench.review.propose()
        yield bench


def scan(bench):
    return next(proposal for proposal in bench.verdicts.proposals() if proposal.source == "ocr")


def correct(bench, word="opened", text="never opened"):
    page = bench.documents.page("D1", 1)
    bench.ocr.decide([(page.id, PAGE.split().index(word), "corrected", text)])


def test_a_verdict_on_a_word_that_was_corrected_is_hidden_until_the_passage_is_judged_again(bench):
    assert (scan(bench).verdict.label, scan(bench).is_hidden) == ("supports", False)
    correct(bench)
    proposal = scan(bench)
    assert proposal.quote.text == PAGE.replace("opened", "never opened")
    assert proposal.outdated
    assert proposal.is_hidden
    assert [stale_proposal.id for stale_proposal in bench.review.by_other_models()] == [proposal.id]
    (new_proposal,) = bench.review.judge_again().proposals
    assert (new_proposal.id, new_proposal.verdict.label, new_proposal.outdated) == (proposal.id, "contradicts", False)


def test_only_what_was_changed_is_outdated_and_undo_brings_the_verdict_back(bench):
    assert not any(proposal.outdated for proposal in bench.verdicts.proposals())
    correct(bench)
    assert [proposal.outdated for proposal in bench.verdicts.proposals()] == [
        proposal.source == "ocr" for proposal in bench.verdicts.proposals()
    ]
    bench.case.undo()
    assert not any(proposal.outdated for proposal in bench.verdicts.proposals())
    bench.case.redo()
    assert scan(bench).outdated


def test_nothing_is_suggested_or_confirmed_by_a_verdict_on_other_words(bench):
    correct(bench)
    identity = scan(bench).id
    row = bench.passages.accept([identity], confirm=True)
    assert (row.suggested, row.rated) == ((), ())
    bench.case.undo()
    bench.review.accept([identity], rate=True)
    assert not bench.evidence.suggestions()


def test_a_row_that_takes_corrected_words_keeps_no_suggestion(bench):
    bench.review.accept([scan(bench).id], rate=True)
    correct(bench)
    bench.evidence.update_quote("E1")
    assert bench.evidence.suggestions() == []


def test_a_reworded_hypothesis_keeps_no_verdict_and_no_suggestion(bench):
    bench.review.accept([scan(bench).id], rate=True)
    assert [suggestion.rating for suggestion in bench.evidence.suggestions()] == ["C"]
    bench.hypotheses.edit("H1", text="Nobody touched the main valve before midnight.")
    assert all(proposal.outdated for proposal in bench.verdicts.proposals())
    assert bench.evidence.suggestions() == []
    assert bench.evidence.ratings_of("E1")[1] == []
    bench.hypotheses.edit("H1", text=GUESS, note="as it was")
    assert not any(proposal.outdated for proposal in bench.verdicts.proposals())
    assert [suggestion.rating for suggestion in bench.evidence.suggestions()] == ["C"]


def test_a_note_changes_no_verdict(bench):
    bench.hypotheses.edit("H1", text=GUESS, note="The guard of the first shift.")
    assert not any(proposal.outdated for proposal in bench.verdicts.proposals())


def test_what_a_second_reader_said_of_other_words_is_not_shown(bench):
    bench.review.read_again([scan(bench).id])
    assert scan(bench).disputed
    correct(bench)
    assert scan(bench).others == ()
    bench.review.judge_again()
    assert not scan(bench).disputed


def test_the_report_counts_no_verdict_on_other_words(bench):
    def supporting():
        return sum(counts.supports for counts in bench.reports.data().proposals)

    count = supporting()
    correct(bench)
    assert supporting() == count - 1


def test_a_merge_leaves_out_what_a_model_said_of_other_words(bench, engines, tmp_path):
    bench.review.accept([scan(bench).id], rate=True)
    bench.hypotheses.edit("H1", text="Nobody touched the main valve before midnight.")
    path = bench.path
    bench.close()
    with Workbench.create(tmp_path / "mine.disconfirm", engines, who="Ben") as own_bench:
        own_bench.documents.add([tmp_path / "scan.txt", tmp_path / "log.txt"])
        merged = own_bench.case.merge(path)
        assert own_bench.verdicts.proposals() == []
        assert own_bench.evidence.suggestions() == []
        assert [problem.what for problem in merged.problems if problem.where.startswith("P")] == 2 * [
            "Its passage or its hypothesis was reworded there after it was judged; it was left out."
        ]


def test_the_matrix_says_which_ratings_were_given_before_a_rewording(bench):
    bench.review.accept([proposal.id for proposal in bench.verdicts.proposals()])
    bench.evidence.rate_many([("E1", "H1", "C"), ("E2", "H1", "CC")])
    assert not [warning for warning in bench.matrix.compute().warnings if "reworded" in warning]
    bench.hypotheses.edit("H1", text="Nobody touched the main valve before midnight.")
    sentence = (
        "2 ratings of H1 were given before H1 or the quote was reworded: E1 and E2. They still count; rate them again, "
        "the same or otherwise."
    )
    assert sentence in bench.matrix.compute().warnings
    assert sentence in bench.reports.data().matrix.warnings
    bench.evidence.rate("E1", "H1", "C")
    (warning,) = [warning for warning in bench.matrix.compute().warnings if "reworded" in warning]
    assert warning.startswith("E2 was rated against H1 before H1 or the quote was reworded.")
    assert [assessment.evidence for assessment in bench.evidence.own_outdated()] == ["E2"]
    bench.evidence.confirm_outdated()
    assert not [warning for warning in bench.matrix.compute().warnings if "reworded" in warning]
    assert [assessment.rating for assessment in bench.evidence.assessments()] == ["C", "CC"]


def test_a_corrected_quote_leaves_its_rating_outdated(bench):
    bench.review.accept([scan(bench).id])
    bench.evidence.rate("E1", "H1", "C")
    correct(bench)
    bench.evidence.update_quote("E1")
    assert bench.evidence.outdated_ratings() == {("E1", "H1"): ("Ann",)}


def test_ratings_of_a_hypothesis_with_words_of_an_erased_document_are_outdated(bench, engines):
    bench.review.accept([proposal.id for proposal in bench.verdicts.proposals() if proposal.source != "ocr"])
    bench.hypotheses.edit("H1", text="The clerk wrote: " + GUESS.replace("opened", "shut") + " " + PAGE)
    bench.evidence.rate("E1", "H1", "C")
    assert bench.evidence.outdated_ratings() == {}
    bench.documents.erase(["D1"])
    assert "[erased]" in bench.hypotheses.all()[0].text
    marked = {("E1", "H1"): ("Ann",)}
    assert bench.evidence.outdated_ratings() == marked
    path = bench.path
    bench.close()
    with Workbench.open(path, engines, who="Ann") as reopened_bench:
        assert reopened_bench.evidence.outdated_ratings() == marked
        reopened_bench.evidence.confirm_outdated()
        assert reopened_bench.evidence.outdated_ratings() == {}


def test_nor_does_a_report_as_of_a_moment_at_which_the_words_were_others(bench):
    bench.review.accept([scan(bench).id], rate=True)
    original_position = str(bench.store.history.position())
    bench.hypotheses.edit("H1", text="Somebody from outside did it on Sunday.")
    reworded = str(bench.store.history.position())
    bench.review.judge_again()
    bench.hypotheses.edit("H1", text=GUESS)

    def counted_in_report(as_of):
        data = bench.reports.data(as_of=as_of)
        return sum(counts.supports for counts in data.proposals), len(data.suggestions)

    assert counted_in_report(original_position) == (2, 1)
    assert counted_in_report(reworded) == (0, 0)


def test_agreement_counts_neither_verdicts_nor_ratings_on_other_words(bench):
    def decisions():
        return [len(agreement.decisions) for agreement in bench.review.agreements()]

    bench.review.accept([proposal.id for proposal in bench.verdicts.proposals()])
    bench.evidence.rate_many([("E1", "H1", "C"), ("E2", "H1", "CC")])
    assert decisions() == [2]
    bench.hypotheses.edit("H1", text="Nobody touched the main valve before midnight.")
    bench.evidence.rate("E1", "H1", "II")
    assert decisions() == []
    bench.hypotheses.edit("H1", text=GUESS)
    assert decisions() == [1]  # E1 was rated for the other words
    bench.evidence.confirm_outdated()
    assert decisions() == [2]
