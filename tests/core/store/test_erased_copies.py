"""Copies of a case that still hold what was erased."""

from __future__ import annotations

import hashlib

from core.store import CaseFile, backups, copies_with
from core.store.backups import Backups
from tests.core.store.canary import add_secret


def test_backups_that_hold_it_are_found_and_taken_away_when_asked_for(case, path):
    add_secret(case)
    case.hypotheses.add("The vendor did it")
    file = hashlib.sha256(case.documents.original("D1")).hexdigest()
    backup = Backups(case).make()
    copy = path.with_name("elsewhere.disconfirm")
    case.back_up(copy)
    with CaseFile.create(path.with_name("other.disconfirm")) as foreign_case:
        add_secret(foreign_case)
    broken_backup = backup.path.with_name("a 2026-01-01 000000.disconfirm")
    broken_backup.write_bytes(b"no case")
    case.erasures.erase(["D1"])
    copies = copies_with(case, [file])
    assert [(file_copy.path.name, file_copy.is_backup, file_copy.is_readable) for file_copy in copies] == [
        (backup.name, True, True),
        (broken_backup.name, True, False),
        (copy.name, False, True),
    ]
    assert backups.erase(file_copy.path for file_copy in copies if file_copy.is_backup) == []
    assert [file_copy.path.name for file_copy in copies_with(case, [file])] == [copy.name]
    Backups(case).make()
    assert [file_copy.path.name for file_copy in copies_with(case, [file])] == [copy.name]


def test_a_log_that_was_put_aside_may_hold_anything(case, path):
    add_secret(case)
    left = path.with_name(f"{path.name}-wal.left-1")
    left.write_bytes(b"pages")
    (copy,) = copies_with(case, ["ab"])
    assert (copy.path, copy.is_backup, copy.is_readable) == (left, False, False)
