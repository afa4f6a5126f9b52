"""Hypotheses, their kinds and priors, and what the analyst considers beside them."""

from __future__ import annotations

import pytest

from core.errors import BadInput, NoSuchItem
from core.hypotheses.service import EVERY, LONGEST_HYPOTHESIS
from core.workbench import Workbench
from tests.core.store.material import clock


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "a.disconfirm", engines, who="Ann", now=clock()) as opened:
        yield opened


def test_a_hypothesis_is_one_line_and_not_empty(bench):
    added = bench.hypotheses.add("  The pump \n stopped\tby itself. ", " a note ")
    (hypothesis,) = bench.hypotheses.all()
    assert (hypothesis.id, hypothesis.text, hypothesis.note) == (added.id, "The pump stopped by itself.", "a note")
    assert (added.changes.hypotheses, added.changes.matrix, added.changes.documents) == (True, True, False)
    for empty in ("", " \n\t"):
        with pytest.raises(BadInput):
            bench.hypotheses.add(empty)
        with pytest.raises(BadInput):
            bench.hypotheses.edit(added.id, text=empty)
    assert bench.hypotheses.all() == [hypothesis]


def test_a_hypothesis_is_no_longer_than_the_judge_can_weigh(bench):
    longest = "x" * LONGEST_HYPOTHESIS
    added = bench.hypotheses.add(f"  {longest}  ")
    for long in (longest + "x", f"{longest} x"):
        with pytest.raises(BadInput) as caught:
            bench.hypotheses.edit(added.id, text=long)
        assert f"{len(long):,} characters" in caught.value.sentence
    assert [hypothesis.text for hypothesis in bench.hypotheses.all()] == [longest]


def test_a_hypothesis_is_reworded_given_a_kind_and_taken_out(bench):
    first, second = (bench.hypotheses.add(text).id for text in ("The pump stopped.", "Nothing happened."))
    bench.hypotheses.edit(first, text="The pump was stopped.", note="reworded")
    assert bench.hypotheses.set_kind(second, "null").hypotheses
    assert [(one.text, one.note, one.kind) for one in bench.hypotheses.all()] == [
        ("The pump was stopped.", "reworded", ""),
        ("Nothing happened.", "", "null"),
    ]
    with pytest.raises(BadInput):
        bench.hypotheses.set_kind(first, "rumour")
    assert bench.hypotheses.remove(first).proposals
    assert [one.id for one in bench.hypotheses.all()] == [second]
    for absent in (lambda: bench.hypotheses.remove(first), lambda: bench.hypotheses.edit(first, text="Again.")):
        with pytest.raises(NoSuchItem):
            absent()


@pytest.mark.parametrize("priors", [{"H1": 1.0}, {"H1": 0.5, "H2": -0.1}, {"H1": 0.0, "H2": 0.0}])
def test_priors_are_for_every_hypothesis_and_not_below_nothing(bench, priors):
    for text in ("The pump stopped.", "Nothing happened."):
        bench.hypotheses.add(text)
    bench.hypotheses.set_priors({"H1": 0.25, "H2": 0.75})
    with pytest.raises(BadInput):
        bench.hypotheses.set_priors(priors)
    assert [one.prior for one in bench.hypotheses.all()] == [0.25, 0.75]
    bench.hypotheses.set_priors(None)
    assert [one.prior for one in bench.hypotheses.all()] == [None, None]


def test_only_the_fields_that_are_given_change(bench):
    bench.hypotheses.add("The pump stopped.")
    added = bench.hypotheses.add_consideration("indicator", "A second stop", hypothesis="H1", query="pump stopped")
    bench.hypotheses.edit_consideration(added.id, query="")
    bench.hypotheses.edit_consideration(added.id, text="Another stop")
    (one,) = bench.hypotheses.considerations("indicator")
    assert (one.text, one.query, one.hypothesis, one.status) == ("Another stop", "", "H1", "open")
    assert bench.hypotheses.considerations("premortem") == []


def test_indicators_without_a_search_or_closed_ones_find_nothing(bench, tmp_path):
    bench.hypotheses.add("The pump stopped.")
    bench.hypotheses.add_consideration("indicator", "No search", hypothesis="H1")
    closed, sought = (
        bench.hypotheses.add_consideration("indicator", name, hypothesis="H1", query="pump stopped").id
        for name in ("Closed", "Sought")
    )
    bench.hypotheses.edit_consideration(closed, status="done")
    (tmp_path / "log.txt").write_text("The pump stopped at dawn.", "utf-8")
    bench.documents.add([tmp_path / "log.txt"])
    (hit,) = bench.hypotheses.check_indicators()
    assert (hit.consideration, hit.name, hit.text) == (sought, "log.txt", "The pump stopped at dawn.")
    bench.documents.set_included([hit.document], False)
    assert bench.hypotheses.check_indicators() == ()


def test_hypotheses_that_exclude_each_other(bench):
    first, second, third = (bench.hypotheses.add(f"Pump {n} failed.").id for n in (1, 2, 3))
    assert bench.hypotheses.exclusive() == ()
    changes = bench.hypotheses.set_exclusive([third, first, third])
    assert (changes.hypotheses, changes.proposals, changes.matrix) == (True, True, False)
    assert bench.hypotheses.exclusive() == (first, third)
    bench.hypotheses.remove(third)
    assert bench.hypotheses.exclusive() == ()
    bench.hypotheses.set_exclusive(EVERY)
    later = bench.hypotheses.add("Nobody knows.").id
    assert bench.hypotheses.exclusive() == (first, second, later)
    for _decision in range(3):
        bench.case.undo()
    assert bench.hypotheses.exclusive() == (first, third)
    bench.hypotheses.set_exclusive(())
    assert bench.hypotheses.exclusive() == ()
    with pytest.raises(NoSuchItem):
        bench.hypotheses.set_exclusive([first, "H9"])
    with pytest.raises(BadInput, match="alone"):
        bench.hypotheses.set_exclusive([first])
