"""The case itself: undo and redo, and the name that signs."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from core.workbench import Workbench


@pytest.fixture
def filled(tmp_path, engines):
    note = tmp_path / "log.txt"
    note.write_text("The night log shows that the dosing pump stopped at 02:14.", "utf-8")
    with Workbench.create(tmp_path / "case.disconfirm", engines, title="Pump", who="ann") as opened:
        opened.documents.add([note])
        opened.hypotheses.add("The operator stopped the dosing pump.")
        opened.hypotheses.add("The vendor account opened the valve.")
        yield opened


def test_undo_and_redo_walk_over_every_decision(filled):
    proposal = filled.review.propose().proposals[0].id
    filled.review.accept([proposal])
    filled.evidence.rate("E1", "H1", "II")
    assert filled.case.undo().changes.matrix
    assert filled.evidence.assessments() == []
    filled.case.undo()
    assert filled.evidence.all() == []
    assert filled.store.proposals.get(proposal).status == "pending"
    filled.case.redo()
    filled.case.redo()
    assert [a.rating for a in filled.evidence.assessments()] == ["II"]
    assert filled.case.verify().ok


def test_a_new_name_signs_the_decisions_from_then_on(filled):
    filled.evidence.add("The guard heard a car.")
    filled.case.sign_as("Bo")
    filled.evidence.add("The dog did not bark.")
    assert [entry.who for entry in filled.store.log.entries()][-2:] == ["ann", "Bo"]
    assert filled.case.verify().ok


def test_a_case_is_renamed_and_undo_takes_it_back(filled):
    before = filled.case.title()
    assert filled.case.rename("  The valve ").matrix
    assert filled.case.title() == "The valve"
    filled.case.undo()
    assert filled.case.title() == before
    with pytest.raises(BadInput):
        filled.case.rename(" ")
    assert filled.case.verify().ok
