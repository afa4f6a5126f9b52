"""What is searched."""

from __future__ import annotations

from tests.core.store.material import fill


def test_scope_is_kept_and_undone(case):
    fill(case)
    assert case.documents.set_included(["D1", "D2"], False).documents
    assert not case.documents.set_included(["D1"], False).documents
    assert [d.included for d in case.documents.all()] == [False, False, True]
    case.undo.undo()
    assert all(d.included for d in case.documents.all())
