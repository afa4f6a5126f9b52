"""Undo and redo of decisions."""

from __future__ import annotations

from core.store import CaseFile
from tests.core.store.material import add, clock, decisions, fill, proposal


def test_undo_passes_over_the_work_of_the_machine(pump_case):
    pump_case.ratings.rate("E1", "H1", "N")
    add(pump_case, "late.txt", ["A late report."])
    pump_case.proposals.put([proposal(pump_case, "H1", pump_case.pages.chunk_ids("D4")[0])])
    pump_case.log.note_export("report.html", "ab" * 32)
    assert pump_case.undo.undoable().verb == "rate"
    pump_case.undo.undo()
    assert pump_case.ratings.assessments()[0].rating == "CC"
    assert pump_case.documents.get("D4").status == "ready"
    assert pump_case.undo.redoable().verb == "rate"


def test_undo_survives_reopening(path):
    with CaseFile.create(path, now=clock()) as case:
        fill(case)
        full = decisions(case)
        case.undo.undo()
        case.undo.undo()
    with CaseFile.open(path, now=clock()) as case:
        assert case.undo.redoable().verb == "rate"
        case.undo.redo()
        case.undo.redo()
        assert decisions(case) == full
        assert case.undo.redo() is not None  # what fill() had undone
        assert case.undo.redo() is None
