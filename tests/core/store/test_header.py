"""What the header of a file tells before SQLite sees it, and whether the file is a case or part of one."""

from __future__ import annotations

import os

from core.store import CaseFile, case_part, is_open_here
from tests.core.store.material import lock_of


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
