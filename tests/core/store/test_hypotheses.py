"""Hypotheses, and what hangs on them."""

from __future__ import annotations

from core.progress import silent
from tests.core.store.material import TEXTS, add, decisions, proposal


def test_removing_a_hypothesis_takes_what_hangs_on_it_and_undo_brings_it_back(pump_case):
    initial_decisions = decisions(pump_case)
    pump_case.hypotheses.remove("H1")
    assert [h.id for h in pump_case.hypotheses.all()] == ["H2"]
    assert {p.hypothesis for p in pump_case.proposals.all()} == {"H2"}
    assert {a.hypothesis for a in pump_case.ratings.assessments()} == {"H2"}
    assert pump_case.undo.undo().verb == "remove hypothesis"
    assert decisions(pump_case) == initial_decisions


def test_undoing_a_hypothesis_takes_the_proposals_made_for_it_since(case):
    add(case, "a.txt", [TEXTS[0]])
    case.hypotheses.add("one")
    case.proposals.put([proposal(case, "H1", case.pages.chunk_ids("D1")[0])])
    case.undo.undo()
    assert case.proposals.all() == []
    case.undo.redo()
    assert [p.id for p in case.proposals.all()] == ["P1"]
    assert case.verify(silent()).ok
