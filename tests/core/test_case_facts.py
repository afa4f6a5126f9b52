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
    assert bench.last_report() == 0
    bench.add_hypothesis("It was chance.")
    bench.report(tmp_path / "a.json")
    first = bench.last_report()
    assert first == bench.position()
    assert bench.decided_since(first) == 0
    bench.add_hypothesis("It was the vendor.")
    indicator = bench.add_consideration("indicator", "A letter", query="letter")
    bench.mark_seen(indicator.id)  # looking decides nothing
    assert bench.decided_since(first) == 2
    bench.undo()
    assert bench.decided_since(first) == 3  # taking back is a decision
    assert bench.last_report(after=first) == 0
    bench.report(tmp_path / "b.json")
    assert bench.last_report(after=first) == bench.last_report() == bench.position() > first


def test_a_hypothesis_of_a_kind_is_one_decision(bench):
    added = bench.add_hypothesis("Nothing out of the ordinary happened.", kind="null")
    assert bench.hypotheses()[0].kind == "null"
    bench.undo()
    assert bench.hypotheses() == []
    bench.redo()
    assert (bench.hypotheses()[0].id, bench.hypotheses()[0].kind) == (added.id, "null")
    with pytest.raises(BadInput):
        bench.add_hypothesis("It was chance.", kind="rumour")
    assert len(bench.hypotheses()) == 1
