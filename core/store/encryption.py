"""Giving a closed case a passphrase, another one, or none; and the same for its backups.

A new file is written with the new key, compared with the old one row by row, and put in its place, with which
core.store.replacement deals: a kill leaves the one or the other. What the case holds stays as it is, so its log has no
entry of it.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote

import apsw

from core.errors import (
    AppError,
    BadInput,
    CannotWrite,
    CaseCorrupt,
    CaseInUse,
    CaseReadOnly,
    CaseUnreadable,
    DiskFull,
    PassphraseNeeded,
    Problem,
)
from core.progress import Cancelled, Progress, silent
from core.store import backups, connection, header, lock, replacement, schema, typed_text
from core.store.backups import Backup
from core.store.case_file import CaseFile
from core.store.case_key import CaseKey, make_key
from core.store.header import is_encrypted, unlock

__all__ = [
    "change", "change_backups", "has_passphrase", "is_encrypted", "make_key", "needs_passphrase", "other_backups",
    "unlock",
]  # fmt: skip

_STEPS = 10_000  # of the database between two looks whether the job was cancelled


def change(case: Path, former: CaseKey | None, later: CaseKey | None, progress: Progress | None = None) -> None:
    """Have a case that nobody has open encrypted with ``later``, or not at all, in place of ``former``.

    Raises what opening a case raises, CaseReadOnly, CaseCorrupt, CannotWrite, DiskFull; then it is as it was.
    """
    progress = progress or silent()
    case = case.absolute()
    progress.step(0, 3, "Checking the case")
    with CaseFile.open(case, key=former) as file:  # takes in what a killed program left, and the newest format
        if file.read_only:
            raise CaseReadOnly(path=case)
    try:
        guard = lock.take(case)  # nobody opens it meanwhile
    except OSError as error:
        raise CaseUnreadable(path=case, reason=f"it cannot be locked: {connection.os_reason(error)}") from error
    try:
        if header.look(case, former).wal_mode:  # somebody opened it just before
            raise CaseInUse(path=case, holder=lock.holder(case))
        _rewrite(lock.real(case), former, later, progress)
        typed_text.forget(case)
    finally:
        guard.release()
    progress.step(3, 3, "Done")


def needs_passphrase(path: Path, key: CaseKey | None) -> bool:
    """Return whether a case, or a copy of one, opens with none of: no passphrase, or ``key``."""
    try:
        header.look(path, key)
    except PassphraseNeeded:
        return True
    except AppError:
        return False
    return False


def has_passphrase(case: Path) -> bool:
    """Return whether a case has a passphrase. Raises CaseNotFound, and CaseUnreadable for a file that is no case."""
    try:
        return header.look(case).key is not None
    except PassphraseNeeded:
        return True


def other_backups(case: Path, key: CaseKey | None) -> list[Backup]:
    """List the backups of a case that do not open with its key alone: those of an earlier passphrase, or of none."""
    return [backup for backup in backups.unchecked(case) if not _has_key(backup.path, key)]


def _has_key(path: Path, key: CaseKey | None) -> bool:
    try:
        return header.look(path, key).key is key
    except PassphraseNeeded:
        return False
    except AppError:  # no case, or damaged: not a matter of keys
        return not is_encrypted(path)


def change_backups(
    listing: Sequence[Backup], former: CaseKey | None, later: CaseKey, progress: Progress | None = None
) -> list[Problem]:
    """Encrypt backups with ``later``, those without a passphrase and those of ``former``; list which it could not."""
    progress = progress or silent()
    problems = []
    for number, backup in enumerate(listing):
        progress.step(number, len(listing), f"Encrypting {backup.name}")
        try:
            _rewrite(lock.real(backup.path), header.look(backup.path, former).key, later, silent())
        except AppError as error:
            problems.append(Problem.at(backup.name, error))
    progress.step(len(listing), len(listing), "Done")
    return problems


# --- one file --------------------------------------------------------------------------------------------------------


def _rewrite(place: Path, former: CaseKey | None, later: CaseKey | None, progress: Progress) -> None:
    """Write a file again with another key and put that in its place."""
    if place.stat().st_nlink > 1:
        raise BadInput(
            reason=f"{place.name} has another name too (a hard link); nothing was changed.",
            remedy="Remove the other name, or make a copy of the case and take that.",
        )
    replacement.clear_away(place)
    part = replacement.part_of(place)
    try:
        _write_part(place, former, later, progress)
        progress.step(2, 3, "Overwriting the old file")
        replacement.put_in_place(place)
    except OSError as error:
        raise _not_written(place, error) from error
    finally:
        if part.exists():
            replacement.clear_away(place)


def _write_part(place: Path, former: CaseKey | None, later: CaseKey | None, progress: Progress) -> None:
    part = replacement.begin_part(place)
    progress.step(0, 3, "Writing the new file")
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with connection.seam(place):
        db = connection.connect(place, flags, former)
        try:
            connection.settle(db)
            connection.check_schema(db, place)
            db.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)  # VACUUM attaches its target
            db.set_progress_handler(lambda: progress.cancelled, _STEPS)
            target = f"file:{quote(str(part))}?{later.query() if later is not None else 'key='}"
            _vacuum(db, target, place)
            progress.step(1, 3, "Comparing it with the old one")
            copy = connection.connect(part, apsw.SQLITE_OPEN_READONLY, later)
            try:
                connection.settle(copy)
                connection.check_schema(copy, place)
                if not _same(db, copy, progress):
                    raise CaseCorrupt(path=place, reason="it cannot be copy_row", backups=connection.backups_of(place))
            finally:
                copy.close()
        finally:
            db.close()


def _vacuum(db: apsw.Connection, target: str, place: Path) -> None:
    """Write the new file. The errors of the database quote its target, and with it the key: none is passed on."""
    try:
        db.execute("VACUUM INTO ?", (target,), can_cache=False).fetchall()
        return
    except apsw.InterruptError:
        pass
    except apsw.FullError:
        raise DiskFull(path=place) from None
    except apsw.CorruptError:
        raise CaseCorrupt(path=place, reason="a page of it is damaged", backups=connection.backups_of(place)) from None
    except apsw.Error as error:
        raise CannotWrite(path=place, reason=type(error).__name__) from None
    raise Cancelled


def _same(db: apsw.Connection, copy: apsw.Connection, progress: Progress) -> bool:
    """Return whether two files hold the same rows in the same tables."""
    tables = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    if (schema.user_version(db), db.execute(tables).fetchall()) != (
        schema.user_version(copy),
        copy.execute(tables).fetchall(),
    ):
        return False
    for name, sql in db.execute(tables).fetchall():
        if str(sql).startswith("CREATE VIRTUAL"):  # its rows are in the tables beside it
            continue
        rows = f'SELECT * FROM "{name}" NOT INDEXED'
        for ours, copy_row in zip_longest(db.execute(rows), copy.execute(rows)):
            progress.check()
            if ours != copy_row:
                return False
    return True


def _not_written(place: Path, error: OSError) -> AppError:
    if error.errno == errno.ENOSPC:
        return DiskFull(path=place)
    return CannotWrite(path=place, reason=connection.os_reason(error))
