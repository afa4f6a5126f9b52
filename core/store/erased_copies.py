"""Copies of a case that still hold what was erased from it: its backups, and others that lie beside it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from core.errors import AppError
from core.store import backups, connection, header, lock

if TYPE_CHECKING:
    from core.store.case_file import CaseFile


@dataclass(frozen=True, slots=True)
class CaseCopy:
    """A copy of a case; ``is_backup``: it is one of its backups, which go where that is asked for.

    ``is_readable``: what it holds could be looked at, else it may hold anything.
    """

    path: Path
    is_backup: bool
    is_readable: bool = True


def copies_with(case: CaseFile, files: Collection[str]) -> list[CaseCopy]:
    """List the copies of a case that hold one of these files (by SHA-256), or of which nobody can tell."""
    with case.db.reading() as db:
        identity = str(db.execute("SELECT value FROM meta WHERE key = 'case'").get or "")
    copies = [CaseCopy(backup.path, True) for backup in backups.unchecked(case.path)]
    copies += [CaseCopy(path, False) for path in _beside(case.path)]
    result = []
    for backup in copies:
        is_there = _holds(case, backup.path, identity, files)
        if is_there is None and backup.is_backup:
            result.append(CaseCopy(backup.path, backup.is_backup, is_readable=False))
        elif is_there:
            result.append(backup)
    for left in sorted(case.path.parent.glob(f"{_literal(case.path.name)}-*.left-*")):
        result.append(CaseCopy(left, False, is_readable=False))
    return result


def _literal(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _beside(case: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        for path in sorted(case.parent.glob(f"*{backups.SUFFIX}")):
            if lock.identity(path) != lock.identity(case):
                yield path


def _holds(case: CaseFile, path: Path, identity: str, files: Collection[str]) -> bool | None:
    """Return whether a file is a copy of the case that holds one of ``files``; None: it cannot be read."""
    try:
        key = header.look(path, case.key).key
        with connection.seam(path):
            db = connection.connect(path, apsw.SQLITE_OPEN_READONLY, key)
            try:
                connection.settle(db)
                if db.execute("SELECT value FROM meta WHERE key = 'case'").get != identity:
                    return False
                sql = "SELECT 1 FROM document WHERE sha256 IN (SELECT value FROM json_each(?)) LIMIT 1"
                return bool(db.execute(sql, (json.dumps(sorted(files)),)).get)
            finally:
                db.close()
    except (AppError, apsw.Error):
        return None
