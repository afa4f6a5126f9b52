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
    with CaseFile.create(path.with_name("other.disconfirm")) as other:
        add_secret(other)
    broken = backup.path.with_name("a 2026-01-01 000000.disconfirm")
    broken.write_bytes(b"no case")
    case.erasures.erase(["D1"])
    copies = copies_with(case, [file])
    assert [(one.path.name, one.is_backup, one.is_readable) for one in copies] == [
        (backup.name, True, True),
        (broken.name, True, False),
        (copy.name, False, True),
    ]
    assert backups.erase(one.path for one in copies if one.is_backup) == []
    assert [one.path.name for one in copies_with(case, [file])] == [copy.name]
    Backups(case).make()
    assert [one.path.name for one in copies_with(case, [file])] == [copy.name]


def test_a_log_that_was_put_aside_may_hold_anything(case, path):
    add_secret(case)
    left = path.with_name(f"{path.name}-wal.left-1")
    left.write_bytes(b"pages")
    (copy,) = copies_with(case, ["ab"])
    assert (copy.path, copy.is_backup, copy.is_readable) == (left, False, False)
