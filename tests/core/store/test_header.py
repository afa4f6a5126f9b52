"""What the header of a file tells before SQLite sees it, and whether the file is a case or part of one."""

from __future__ import annotations

import os
import struct

import pytest

from core.errors import BadInput, CaseCorrupt, CaseFromNewerVersion, CaseInUse, CaseUnreadable
from core.store import CaseFile, case_part, header, is_open_here, schema
from tests.core.store.material import lock_of, wal_of


def test_an_open_case_and_what_lies_beside_it_are_known(closed_case, tmp_path):
    plain = tmp_path / "note.lock"
    plain.write_text("x")
    link, second = tmp_path / "link", tmp_path / "second"
    assert not is_open_here(closed_case)
    with CaseFile.open(closed_case):
        link.symlink_to(closed_case)
        os.link(closed_case, second)
        for path in (closed_case, link, second, lock_of(closed_case), closed_case.with_name(closed_case.name + "-wal")):
            assert is_open_here(path)
            assert case_part(path) == "is the case that is open, or belongs to it"
        assert not is_open_here(plain)
        assert not is_open_here(tmp_path / "none")
    assert case_part(closed_case) == "is a case"
    assert case_part(lock_of(closed_case)) == f"belongs to the case {closed_case.name}"
    assert case_part(plain) == case_part(tmp_path / "none") == case_part(tmp_path) == ""


@pytest.mark.parametrize(
    ("offset", "data", "error", "words"),
    [
        (0, b"SQLite format 4\0", CaseUnreadable, "it is not a database"),
        (68, bytes(4), CaseUnreadable, "another program"),
        (60, struct.pack(">i", 0), CaseCorrupt, "its format number is missing"),
        (60, struct.pack(">i", -1), CaseCorrupt, "its format number is missing"),
        (60, struct.pack(">i", schema.newest() + 1), CaseFromNewerVersion, f"format {schema.newest() + 1}"),
        (28, struct.pack(">I", 1 << 20), CaseCorrupt, "bytes are missing"),
    ],
)
def test_a_header_is_judged_before_anything_is_opened(closed_case, offset, data, error, words):
    content = bytearray(closed_case.read_bytes())
    content[offset : offset + len(data)] = data
    closed_case.write_bytes(content)
    with pytest.raises(error) as failure:
        header.look(closed_case)
    assert words in failure.value.sentence
    assert closed_case.read_bytes() == content


def test_what_a_journal_may_still_bring_is_not_missed(closed_case):
    closed_case.write_bytes(closed_case.read_bytes()[:-4096])
    with pytest.raises(CaseCorrupt):
        header.look(closed_case)
    wal_of(closed_case).write_bytes(b"")
    assert not header.look(closed_case).wal_mode


def test_the_mark_says_whether_a_log_belongs_to_a_case_and_changes_nothing_else(closed_case):
    content = closed_case.read_bytes()
    for _ in range(2):  # the second time it is there already
        header.mark(-1, closed_case, wal_mode=True)
        assert header.look(closed_case).wal_mode
        assert header.file_in_wal_mode(closed_case)
    assert closed_case.read_bytes() == content[:18] + b"\2\2" + content[20:]
    with closed_case.open("r+b") as file:
        header.mark(file.fileno(), closed_case, wal_mode=False)
        assert not file.closed
    assert not header.look(closed_case).wal_mode
    assert closed_case.read_bytes() == content


def test_an_open_case_is_not_looked_at(closed_case):
    with CaseFile.open(closed_case):
        assert not header.file_in_wal_mode(closed_case)  # nobody may open its file here
        with pytest.raises(CaseInUse):
            header.look(closed_case)


@pytest.mark.parametrize(
    "name", ["a.disconfirm-wal", "a.disconfirm-shm", "a.disconfirm-wal.left-2", "a.disconfirm.lock"]
)
def test_a_file_that_belongs_to_a_case_is_spared(closed_case, name):
    part = closed_case.with_name(name)
    part.write_bytes(b"x")
    with pytest.raises(BadInput, match="nothing was written"):
        header.spare_cases(part)
    closed_case.unlink()
    header.spare_cases(part)  # nothing that it could belong to is there
    assert header.case_part(part) == ""
