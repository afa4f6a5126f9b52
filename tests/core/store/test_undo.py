"""Undo and redo of decisions."""

from __future__ import annotations

from core.store import CaseFile
from tests.core.store.material import add, clock, decisions, fill, proposal


def test_undo_passes_over_the_work_of_the_machine(filled):
    filled.ratings.rate("E1", "H1", "N")
    add(filled, "late.txt", ["A late report."])
    filled.proposals.put([proposal(filled, "H1", filled.pages.chunk_ids("D4")[0])])
    filled.log.note_export("report.html", "ab" * 32)
    assert filled.undo.undoable().verb == "rate"
    filled.undo.undo()
    assert filled.ratings.assessments()[0].rating == "CC"
    assert filled.documents.get("D4").status == "ready"
    assert filled.undo.redoable().verb == "rate"


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
