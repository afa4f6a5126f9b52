"""What a person may see of verdicts, and what is known of the models."""

from __future__ import annotations

import pytest

from core.errors import NoSuchItem
from core.verdicts import exam_results
from core.verdicts.labels import ShowThreshold
from tests.core.review.test_service import LOG, MEMO, about
from tests.core.store.material import clock


@pytest.fixture
def bench(case_of):
    bench = case_of({"log.txt": LOG, "memo.txt": MEMO}, title="Pump", who="ann", now=clock())
    bench.hypotheses.add("The operator stopped the dosing pump.")
    bench.hypotheses.add("The vendor account opened the valve.")
    bench.review.propose()
    return bench


@pytest.fixture
def measured(monkeypatch):
    """The scripted judge is right nine times in ten when it contradicts with .8 or more, and never when it supports."""
    sure = (ShowThreshold("contradicts", 0.8, 0.92, 0.5, 40, "a set"), ShowThreshold("supports", None, on="a set"))
    monkeypatch.setattr(exam_results, "show_thresholds", lambda model: sure if model == "scripted judge 1" else ())


def test_a_strict_case_holds_back_what_is_not_sure_enough(bench, measured):
    assert not any(p.withheld for p in bench.verdicts.proposals())
    bench.case.change_settings(show="strict")
    labels = {p.id: (p.verdict.label, p.withheld) for p in bench.verdicts.proposals()}
    assert all(withheld == (label != "contradicts") for label, withheld in labels.values())
    assert {label for label, _ in labels.values()} >= {"contradicts", "supports", "neutral"}
    bench.case.undo()
    assert not any(p.withheld for p in bench.verdicts.proposals())


def test_one_proposal_is_marked_as_in_the_list_of_all(bench, measured):
    bench.case.change_settings(show="strict")
    everything = bench.verdicts.proposals()
    assert bench.verdicts.proposals_of(p.id for p in reversed(everything)) == everything[::-1]
    with pytest.raises(NoSuchItem):
        bench.verdicts.proposals_of(["P999"])


def test_a_strict_case_suggests_only_what_it_shows(bench, measured):
    ids = {label: about(bench, label)[0].id for label in ("contradicts", "supports")}
    for identity in ids.values():
        bench.review.accept([identity], rate=True)
    assert len(bench.evidence.suggestions()) == 2
    bench.case.change_settings(show="strict")
    assert [s.rating for s in bench.evidence.suggestions()] == ["I"]
    rows = [evidence.id for evidence in bench.evidence.all()]
    assert sum(len(bench.evidence.ratings_of(row)[1]) for row in rows) == 1
    assert len(bench.evidence.suggestions(everything=True)) == 2
    data = bench.reports.data()
    assert [s.rating for s in data.suggestions] == ["I"]
    assert any("“supports” is never shown" in line for line in data.shown)
    later = [p.id for p in bench.verdicts.proposals(status="pending") if p.verdict.label == "supports"]
    bench.review.accept(later, rate=True)
    assert len(bench.evidence.suggestions(everything=True)) == 2


def test_an_audit_shows_what_is_not_sure_enough_and_suggests_nothing_from_it(bench, measured):
    bench.case.change_settings(show="audit")
    proposals = bench.verdicts.proposals()
    assert not any(p.withheld or p.is_hidden for p in proposals)
    assert all(p.doubtful == (p.verdict.label != "contradicts") for p in proposals)
    for label in ("contradicts", "supports"):
        bench.review.accept([about(bench, label)[0].id], rate=True)
    assert [s.rating for s in bench.evidence.suggestions(everything=True)] == ["I"]
    assert not any(p.doubtful for p in bench.verdicts.proposals(show="exploratory"))
    assert any(p.withheld for p in bench.verdicts.proposals(show="strict"))


def test_a_strict_case_counts_no_verdict_that_it_does_not_show(bench, measured):
    original_counts = bench.plans.effort()
    assert sum(row.supports for row in original_counts) > 0
    bench.case.change_settings(show="strict")
    data = bench.reports.data()
    for counts in (bench.plans.effort(), data.proposals, data.search):
        assert [row.contradicts for row in counts] == [row.contradicts for row in original_counts]
        assert [(row.supports, row.neutral) for row in counts] == [(0, 0)] * len(original_counts)
        assert [row.ambiguous for row in counts] == [
            row.supports + row.neutral + row.ambiguous for row in original_counts
        ]


def test_a_judge_that_nobody_measured_shows_nothing_in_a_strict_case(bench):
    bench.case.change_settings(show="strict")
    assert all(p.withheld for p in bench.verdicts.proposals())
    assert any("no verdict is shown" in line for line in bench.reports.data().shown)
