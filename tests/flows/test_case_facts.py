"""What the guide asks a case: how old its last report is; and a hypothesis of a kind, added as one decision."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from core.workbench import Workbench


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "a.disconfirm", engines, who="Ann") as made:
        yield made


def test_a_report_is_as_old_as_the_decisions_since(bench, tmp_path):
    assert bench.case.last_report() == 0
    bench.hypotheses.add("It was chance.")
    bench.reports.write(tmp_path / "a.json")
    first = bench.case.last_report()
    assert first == bench.case.position()
    assert bench.case.decided_since(first) == 0
    bench.hypotheses.add("It was the vendor.")
    indicator = bench.hypotheses.add_consideration("indicator", "A letter", query="letter")
    bench.hypotheses.mark_seen(indicator.id)  # looking decides nothing
    assert bench.case.decided_since(first) == 2
    bench.case.undo()
    assert bench.case.decided_since(first) == 3  # taking back is a decision
    assert bench.case.last_report(after=first) == 0
    bench.reports.write(tmp_path / "b.json")
    assert bench.case.last_report(after=first) == bench.case.last_report() == bench.case.position() > first


def test_a_hypothesis_of_a_kind_is_one_decision(bench):
    added = bench.hypotheses.add("Nothing out of the ordinary happened.", kind="null")
    assert bench.hypotheses.all()[0].kind == "null"
    bench.case.undo()
    assert bench.hypotheses.all() == []
    bench.case.redo()
    assert (bench.hypotheses.all()[0].id, bench.hypotheses.all()[0].kind) == (added.id, "null")
    with pytest.raises(BadInput):
        bench.hypotheses.add("It was chance.", kind="rumour")
    assert len(bench.hypotheses.all()) == 1
