"""What people say of documents, and how they belong together."""

from __future__ import annotations

import pytest

from core.errors import BadInput, NoSuchItem
from tests.core.store.material import undone_and_redone


def test_tags_are_given_to_several_documents_and_taken_from_each(pump_case):
    pump_case.descriptions.describe(["D1", "D2"], {"tags": "pump, Valve"})
    pump_case.descriptions.describe(["D2", "D3"], {"add_tags": ["log"], "remove_tags": ["VALVE"]})
    assert [document.tags for document in pump_case.documents.all()] == [("pump", "Valve"), ("pump", "log"), ("log",)]
    assert pump_case.descriptions.tags() == ["log", "pump", "Valve"]
    undone_and_redone(pump_case, lambda: [document.tags for document in pump_case.documents.all()])


def test_a_description_that_is_none_changes_nothing(pump_case):
    for fields in ({"reliability": "G"}, {"dated": "in May"}, {"colour": "red"}, {"tags": "x" * 61}):
        with pytest.raises(BadInput):
            pump_case.descriptions.describe(["D1"], fields)
    with pytest.raises(NoSuchItem):
        pump_case.descriptions.describe(["D1", "D9"], {"note": "so"})
    assert pump_case.documents.get("D1").note == ""


def test_a_newer_version_is_newer_than_all_before_it_and_never_than_itself(pump_case):
    pump_case.descriptions.supersede("D1", "D2")
    pump_case.descriptions.supersede("D2", "D3")
    with pytest.raises(BadInput):
        pump_case.descriptions.supersede("D3", "D1")
    beside = pump_case.descriptions.relatives("D2")
    assert (beside.newer.id, [document.id for document in beside.older], beside.parent) == ("D3", ["D1"], None)
    undone_and_redone(pump_case, lambda: pump_case.descriptions.relatives("D2").newer)


def test_what_was_removed_is_no_newer_version_of_anything(pump_case):
    """Bringing it back would take the mark away, and undo of that would not know of it."""
    pump_case.removal.remove(["D2"], with_evidence=True)
    with pytest.raises(BadInput, match="D2 was removed"):
        pump_case.descriptions.supersede("D1", "D2")
    pump_case.removal.restore(["D2"])
    pump_case.descriptions.supersede("D1", "D2")
    pump_case.descriptions.supersede("D1", "")
    assert pump_case.documents.get("D1").superseded_by == ""
