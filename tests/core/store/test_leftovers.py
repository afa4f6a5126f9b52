"""A new case beside what a killed program left of a deleted one, and a case that gets another name."""

from __future__ import annotations

import pytest

from core.store import CaseFile, move_case


@pytest.fixture
def left_open(tmp_path):
    """A case whose program was killed: the write-ahead log is still there."""
    path = tmp_path / "case.disconfirm"
    case = CaseFile.create(path, title="old")
    case.hypotheses.add("Kept only in the log so far.")
    files = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    case.close()
    path.unlink()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert (tmp_path / "case.disconfirm-wal").stat().st_size > 0
    return path


def test_a_new_case_is_not_mixed_with_the_rest_of_a_deleted_one(left_open):
    left_open.unlink()
    with CaseFile.create(left_open, title="new") as case:
        assert case.settings.title() == "new"
        assert case.hypotheses.all() == []
    assert left_open.with_name("case.disconfirm-wal.left-1").is_file()


def test_a_renamed_case_keeps_what_was_acknowledged(left_open, tmp_path):
    move_case(left_open, tmp_path / "kept.disconfirm")
    assert not left_open.exists()
    with CaseFile.open(tmp_path / "kept.disconfirm") as case:
        assert [h.text for h in case.hypotheses.all()] == ["Kept only in the log so far."]
