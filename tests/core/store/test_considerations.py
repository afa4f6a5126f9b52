"""Considerations: noted, changed, taken out and back."""

from __future__ import annotations

import pytest

from core.errors import BadInput, NoSuchItem
from tests.core.store.material import TEXTS, add, undone_and_redone


def test_an_indicator_looks_at_what_comes_after_it(filled):
    noted = filled.considerations.add("indicator", " The valve opens again ", hypothesis="H1", query="valve")
    assert (noted.id, noted.text, noted.seen, noted.status, noted.by) == (
        "C1",
        "The valve opens again",
        3,
        "open",
        "ann",
    )
    add(filled, "late.txt", [TEXTS[1]])
    filled.considerations.mark_seen("C1")
    assert filled.considerations.all()[0].seen == 4


def test_a_consideration_is_changed_and_taken_out(filled):
    filled.considerations.add("assumption", "The clocks agree")
    filled.considerations.add("premortem", "We trusted the log")
    filled.considerations.edit("C1", {"text": "The clocks do not agree", "status": "done"})
    undone_and_redone(filled, lambda: [(one.text, one.status) for one in filled.considerations.all()])
    assert [one.id for one in filled.considerations.all("premortem")] == ["C2"]
    filled.considerations.remove("C1")
    undone_and_redone(filled, lambda: [one.id for one in filled.considerations.all()])
    assert [one.id for one in filled.considerations.all()] == ["C2"]


def test_what_is_noted_of_a_hypothesis_stays_when_that_goes(filled):
    filled.considerations.add("assumption", "The clocks agree", hypothesis="H1")
    filled.hypotheses.remove("H1")
    assert [one.hypothesis for one in filled.considerations.all()] == [""]
    undone_and_redone(filled, lambda: [one.hypothesis for one in filled.considerations.all()])


def test_nothing_else_is_noted(filled):
    for kind, text in (("thought", "so"), ("assumption", "  ")):
        with pytest.raises(BadInput):
            filled.considerations.add(kind, text)
    with pytest.raises(NoSuchItem):
        filled.considerations.add("assumption", "so", hypothesis="H9")
    assert filled.considerations.all() == []
