"""The figures of a case against what was done in it."""

from __future__ import annotations

import pytest

from core.workbench import Workbench

TEXTS = {
    "log.txt": "The vendor account logged in at night from the office. Nobody else was in the building.",
    "memo.txt": "The pump failed because of a worn bearing. The vendor account was not used at night.",
    "note.txt": "The gate was repaired in June. The weather was fine.",
}


@pytest.fixture
def bench(case_of):
    opened = case_of(TEXTS, who="Ada")
    opened.hypotheses.add("The vendor account was used at night")
    opened.hypotheses.add("The pump failed because of a worn bearing")
    return opened


def figure(bench, name):
    return next(one for one in bench.accuracy.figures() if one.name == name)


def document(bench, name):
    return next(one.id for one in bench.documents.all() if one.name == name)


def test_sources_are_counted(bench):
    assert figure(bench, "documents with a grade").text == "0 of 3"
    bench.documents.describe([document(bench, "log.txt")], reliability="B")
    bench.documents.set_included([document(bench, "note.txt")], False)
    assert figure(bench, "documents with a grade").text == "1 of 2"


def test_ratings_in_sight_are_agreement_and_blind_ones_are_accuracy(bench):
    bench.review.propose(passages=3)
    assert not [one for one in bench.accuracy.figures() if "shared by" in one.name]
    proposal = next(one for one in bench.verdicts.proposals() if one.verdict.label in ("supports", "contradicts"))
    bench.review.accept([proposal.id])
    row = bench.evidence.all()[0].id
    rating = "C" if proposal.verdict.label == "supports" else "I"
    bench.evidence.rate(row, proposal.hypothesis, rating)
    (in_sight,) = (one for one in bench.accuracy.figures() if one.name.endswith("shared by other ratings"))
    assert (in_sight.value, in_sight.n) == (1.0, 1)
    (blind,) = (one for one in bench.accuracy.figures() if one.name.endswith("shared by blind ratings"))
    assert blind.value is None


def test_recall_is_not_known_until_a_sample_is_judged(bench):
    recall = figure(bench, "passages that bear on H1 and were found")
    assert recall.value is None
    assert recall.note


def test_answers_are_counted_by_how_they_ended(bench):
    assert not [one for one in bench.accuracy.figures() if one.part == "answers"]
    bench.answers.ask("When did the vendor account log in?", keep=True)
    bench.answers.ask("Which bishop baptised the emperor of Byzantium in 1204?", keep=True, mode="strict")
    answers = [one for one in bench.accuracy.figures() if one.part == "answers"]
    assert {one.n for one in answers} == {2}
    ends = [one.value for one in answers if one.name != "answers older than the documents"]
    assert sum(ends) == pytest.approx(1.0)


def test_quotes_are_looked_for_with_the_words_of_the_hypothesis_alone(bench):
    log = document(bench, "log.txt")
    row = bench.evidence.add_quote(log, 1, 0, 54)
    other = bench.evidence.add_quote(document(bench, "note.txt"), 1, 0, 30)
    bench.evidence.rate(row.id, "H1", "CC")
    bench.evidence.rate(other.id, "H1", "N")
    (result,) = bench.accuracy.retrieval()
    assert (result.evidence, result.hypothesis, result.cause) == (row.id, "H1", "")
    assert result.rank is not None
    assert 1 <= result.rank <= 3
    met, middle = bench.accuracy.retrieval_figures((result,))
    assert (met.value, met.n, middle.value) == (1.0, 1, float(result.rank))
    bench.documents.set_included([log], False)
    (result,) = bench.accuracy.retrieval()
    assert (result.rank, result.cause) == (None, "its document is out of scope")
    assert bench.accuracy.retrieval_figures((result,))[0].value == 0.0


def test_a_case_without_anything_has_figures_that_are_not_known(tmp_path, engines):
    with Workbench.create(tmp_path / "empty.disconfirm", engines) as bench:
        assert {one.value for one in bench.accuracy.figures()} == {None}
        assert bench.accuracy.retrieval() == ()
