"""The whole of a case."""

from __future__ import annotations

import pytest

from core.progress import silent
from core.store import CaseFile
from tests.core.store.material import clock, decisions, fill


def test_counts(case):
    fill(case)
    assert case.counts() == {
        "documents": 3,
        "pages": 6,
        "chunks": 12,
        "vectors": 12,
        "hypotheses": 2,
        "proposals": 3,
        "evidence": 2,
        "ratings": 2,
    }


@pytest.fixture
def closed_case(path):
    """A filled case that nobody has open."""
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as case:
        fill(case)
    return path


def test_a_copy_is_whole_and_opens(closed_case, tmp_path):
    with CaseFile.open(closed_case) as case:
        case.back_up(tmp_path / "copies" / "copy.disconfirm")
        state = decisions(case)
    with CaseFile.open(tmp_path / "copies" / "copy.disconfirm") as copy:
        assert decisions(copy) == state
        assert copy.verify(silent()).ok
