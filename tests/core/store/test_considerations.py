"""Considerations: noted, changed, taken out and back."""

from __future__ import annotations

import pytest

from core.errors import BadInput, NoSuchItem
from tests.core.store.material import TEXTS, add, undone_and_redone


def test_an_indicator_looks_at_what_comes_after_it(pump_case):
    indicator = pump_case.considerations.add("indicator", " The valve opens again ", hypothesis="H1", query="valve")
    assert (indicator.id, indicator.text, indicator.seen, indicator.status, indicator.by) == (
        "C1",
        "The valve opens again",
        3,
        "open",
        "ann",
    )
    add(pump_case, "late.txt", [TEXTS[1]])
    pump_case.considerations.mark_seen("C1")
    assert pump_case.considerations.all()[0].seen == 4


def test_a_consideration_is_changed_and_taken_out(pump_case):
    pump_case.considerations.add("assumption", "The clocks agree")
    pump_case.considerations.add("premortem", "We trusted the log")
    pump_case.considerations.edit("C1", {"text": "The clocks do not agree", "status": "done"})
    undone_and_redone(
        pump_case,
        lambda: [(consideration.text, consideration.status) for consideration in pump_case.considerations.all()],
    )
    assert [consideration.id for consideration in pump_case.considerations.all("premortem")] == ["C2"]
    pump_case.considerations.remove("C1")
    undone_and_redone(pump_case, lambda: [consideration.id for consideration in pump_case.considerations.all()])
    assert [consideration.id for consideration in pump_case.considerations.all()] == ["C2"]


def test_what_is_noted_of_a_hypothesis_stays_when_that_goes(pump_case):
    pump_case.considerations.add("assumption", "The clocks agree", hypothesis="H1")
    pump_case.hypotheses.remove("H1")
    assert [consideration.hypothesis for consideration in pump_case.considerations.all()] == [""]
    undone_and_redone(pump_case, lambda: [consideration.hypothesis for consideration in pump_case.considerations.all()])


def test_nothing_else_is_noted(pump_case):
    for kind, text in (("thought", "so"), ("assumption", "  ")):
        with pytest.raises(BadInput):
            pump_case.considerations.add(kind, text)
    with pytest.raises(NoSuchItem):
        pump_case.considerations.add("assumption", "so", hypothesis="H9")
    assert pump_case.considerations.all() == []
