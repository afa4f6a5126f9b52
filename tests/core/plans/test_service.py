"""Searching for hypotheses: equal effort on both sides, what tells them apart, and what was missed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import BadInput, ModelMissing, NoSuchItem
from core.plans.queries import AGAINST, FOR
from core.workbench import Workbench
from tests.core import vendor_case
from tests.core.store.material import clock


@pytest.fixture
def bench(tmp_path, engines):
    with vendor_case.opened(tmp_path, engines) as bench:
        yield bench


def test_every_hypothesis_gets_a_plan_with_both_sides(bench):
    assert not set(FOR) & set(AGAINST)
    assert bench.plans.get() == []
    bench.plans.make()
    for hypothesis in ("H1", "H2", "H3"):
        roles = {query.role for query in bench.plans.get(hypothesis)}
        assert roles & set(FOR)
        assert roles >= {"negation", "against"}
    assert {q.text for q in bench.plans.get("H2") if q.role == "negation"} == {"The pump was maintained."}
    assert "The vendor stopped the pump." in {q.text for q in bench.plans.get("H2") if q.role == "if false"}


def test_what_the_analyst_expects_is_searched_and_stays(bench):
    bench.hypotheses.add_consideration("indicator", "Invoices", hypothesis="H1", query="invoice of the vendor")
    bench.plans.add("H1", "against", "the vendor was abroad")
    bench.entities.add("Ruben Aske", kind="person", aliases=["R. Aske"])
    bench.plans.make(["H1"])
    plan = bench.plans.get("H1")
    assert [q.text for q in plan if q.role == "if true"] == ["invoice of the vendor"]
    assert [(q.text, q.origin) for q in plan if q.origin == "analyst" and q.role == "against"] == [
        ("the vendor was abroad", "analyst")
    ]
    bench.plans.make(["H1"])
    assert [(q.role, q.text) for q in bench.plans.get("H1")] == [(q.role, q.text) for q in plan]
    with pytest.raises(NoSuchItem):
        bench.plans.make(["H9"])


def test_every_hypothesis_is_searched_with_the_same_effort(bench):
    results = bench.plans.run(passages=4)
    assert [len(result.passages) for result in results] == [4, 4, 4]
    for result in results:
        assert [p.chunk for p in result.passages] == [origin.chunk for origin in result.origins]
        sides = {
            side
            for origin in result.origins
            for side in ("+" if origin.rank_for else "", "-" if origin.rank_against else "")
        }
        assert {"+", "-"} <= sides
        assert {query.role for query, _ in result.hits} >= {"statement", "negation", "against"}
    assert [r.passages for r in bench.plans.run(passages=4)] == [r.passages for r in results]
    with pytest.raises(NoSuchItem):
        bench.plans.run(["H7"])


def test_the_effort_is_kept_and_counted(bench):
    assert [e.passages for e in bench.plans.effort()] == [0, 0, 0]
    bench.review.propose(passages=3)
    efforts = bench.plans.effort()
    assert [e.passages for e in efforts] == [3, 3, 3]
    for effort in efforts:
        assert effort.fair
        assert effort.searches_for >= 2
        assert effort.searches_against >= 2
        assert effort.supports + effort.contradicts + effort.neutral + effort.ambiguous == effort.passages
    first = bench.plans.runs("H1")
    assert sum(search.fresh for search in first) == 3
    bench.review.propose(["H1"], passages=5)
    later_searches = bench.plans.runs("H1")[len(first) :]
    assert sum(search.fresh for search in later_searches) == 2
    assert [e.fair for e in bench.plans.effort()] == [True, False, False]
    assert not bench.case.verify().problems


def test_what_tells_hypotheses_apart(bench):
    bench.review.propose(passages=8)
    separations = bench.plans.discriminating(5)
    assert separations
    assert len({separation.passage.id for separation in separations}) == len(separations)
    assert all(
        separation.leans in separation.pair and 0 < separation.effect <= 1 and 0 < separation.strength <= 1
        for separation in separations
    )
    assert any(separation.judged for separation in separations)
    assert {separation.pair for separation in bench.plans.discriminating(5, pair=("H1", "H2"))} == {("H1", "H2")}
    assert bench.plans.discriminating(5) == separations
    with pytest.raises(BadInput):
        bench.plans.discriminating(5, pair=("H1", "H1"))


def test_without_a_search_model_words_are_left(tmp_path, engines):
    with Workbench.create(tmp_path / "b.disconfirm", replace(engines, embedder=None), now=clock()) as bench:
        bench.hypotheses.add("The vendor stopped the pump.")
        bench.hypotheses.add("The pump was old.")
        (tmp_path / "log.txt").write_text(vendor_case.TEXTS["log.txt"], "utf-8")
        bench.documents.add([tmp_path / "log.txt"])
        assert all(result.passages and result.notes for result in bench.plans.run(passages=3))
        for verb in (
            bench.plans.discriminating,
            lambda: bench.search.themes("What happened?"),
            lambda: bench.search.grouped([]),
        ):
            with pytest.raises(ModelMissing):
                verb()


def test_what_was_missed_is_estimated_from_what_a_person_said(bench):
    bench.review.propose(["H1"], passages=2)
    unknown = bench.plans.elusion("H1")
    assert unknown.judged == 0
    assert unknown.high > unknown.low == 0
    sample = bench.plans.elusion_sample("H1", 50)
    chunks = {p.chunk for p in bench.verdicts.proposals("H1")}
    assert sample
    assert not chunks & {chunk.id for chunk in sample}
    for index, chunk in enumerate(sample):
        bench.plans.judge_relevance("H1", chunk.id, index == 0)
    assert bench.plans.elusion_sample("H1", 50) == []
    estimate = bench.plans.elusion("H1")
    assert estimate.expected == estimate.low == estimate.high == 1
    bench.case.undo()
    assert bench.plans.elusion("H1").judged == len(sample) - 1


def test_one_passage_is_judged_for_the_hypotheses_asked_about(bench):
    passage = bench.search.passages_for("the vendor and the pump", k=1).passages[0]
    report = bench.review.judge_passage(passage.chunk, ["H1", "H3"])
    assert [(p.hypothesis, p.chunk) for p in report.proposals] == [("H1", passage.chunk), ("H3", passage.chunk)]
    assert all(p.quote.text in passage.text and p.similarity is not None for p in report.proposals)
    call_count = len(bench.engines.judge.history)
    second_report = bench.review.judge_passage(passage.chunk, ["H1", "H3"])
    assert [p.id for p in second_report.proposals] == [p.id for p in report.proposals]
    assert len(bench.engines.judge.history) == call_count  # what is known is not asked again
    judged = [
        separation
        for separation in bench.plans.discriminating(30, pair=("H1", "H3"))
        if separation.passage.id == passage.chunk
    ]
    assert all(separation.judged for separation in judged)
    with pytest.raises(NoSuchItem):
        bench.review.judge_passage(999_999, ["H1"])
    with pytest.raises(NoSuchItem):
        bench.review.judge_passage(passage.chunk, ["H9"])


# --- lists of queries, and more like one ------------------------------------------------------------------------------


WIRE = (
    "The vendor's engineer wrote that the account had been used at {} from the office of the works, that the pump had "
    "stopped an hour later, and that nobody in the building had been told about the maintenance of the line."
)


def add_copies(bench, folder, count=12):
    """Documents that print the same report with another time in each."""
    folder.mkdir()
    for number in range(count):
        (folder / f"paper{number}.txt").write_text(WIRE.format(f"02:{10 + number}"), "utf-8")
    assert not bench.documents.add([folder]).problems
    return {chunk for d in bench.documents.all() if d.name.startswith("paper") for chunk in chunks_of(bench, d.id)}


def chunks_of(bench, document):
    return [chunk.id for chunk in bench.store.pages.chunks(range(1, 10_000)).values() if chunk.document == document]


def test_near_identical_passages_are_one_and_the_searches_go_on_for_different_ones(bench, tmp_path):
    counts = [len(result.passages) for result in bench.plans.run(passages=8)]
    copies = add_copies(bench, tmp_path / "papers")
    results = bench.plans.run(passages=8)
    heads = {p.chunk for result in results for p in result.passages if p.chunk in copies}
    assert len(heads) == 1
    assert all(len(result.passages) >= min(8, count) for result, count in zip(results, counts, strict=True))
    assert all(p.similarity is not None for result in results for p in result.passages)


def test_of_copies_the_one_that_was_judged_stands_for_all_and_none_comes_again(bench, tmp_path):
    copies = add_copies(bench, tmp_path / "papers")
    bench.review.propose(passages=8, rows=True)
    judged = {p.chunk for p in bench.verdicts.proposals()} & copies
    assert len(judged) == 1
    bench.review.propose(passages=8, rows=True)
    assert {p.chunk for p in bench.verdicts.proposals()} & copies == judged
    bench.review.propose(passages=8, fresh=True)
    assert {p.chunk for p in bench.verdicts.proposals()} & copies == judged
    (card,) = (card for card in bench.passages.cards() if card.passage.id in copies)
    assert {copy.passage.id for copy in card.copies} == copies - judged
    assert all(len(copy.differences) == 1 for copy in card.copies)
