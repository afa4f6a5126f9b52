"""What people say of documents, and how they belong together."""

from __future__ import annotations

import pytest

from core.errors import BadInput, NoSuchItem
from tests.core.store.material import undone_and_redone


def test_tags_are_given_to_several_documents_and_taken_from_each(filled):
    filled.descriptions.describe(["D1", "D2"], {"tags": "pump, Valve"})
    filled.descriptions.describe(["D2", "D3"], {"add_tags": ["log"], "remove_tags": ["VALVE"]})
    assert [document.tags for document in filled.documents.all()] == [("pump", "Valve"), ("pump", "log"), ("log",)]
    assert filled.descriptions.tags() == ["log", "pump", "Valve"]
    undone_and_redone(filled, lambda: [document.tags for document in filled.documents.all()])


def test_a_description_that_is_none_changes_nothing(filled):
    for fields in ({"reliability": "G"}, {"dated": "in May"}, {"colour": "red"}, {"tags": "x" * 61}):
        with pytest.raises(BadInput):
            filled.descriptions.describe(["D1"], fields)
    with pytest.raises(NoSuchItem):
        filled.descriptions.describe(["D1", "D9"], {"note": "so"})
    assert filled.documents.get("D1").note == ""


def test_a_newer_version_is_newer_than_all_before_it_and_never_than_itself(filled):
    filled.descriptions.supersede("D1", "D2")
    filled.descriptions.supersede("D2", "D3")
    with pytest.raises(BadInput):
        filled.descriptions.supersede("D3", "D1")
    beside = filled.descriptions.relatives("D2")
    assert (beside.newer.id, [one.id for one in beside.older], beside.parent) == ("D3", ["D1"], None)
    undone_and_redone(filled, lambda: filled.descriptions.relatives("D2").newer)
