"""The command about backups: which there are, making one, taking one back, and a copy of the case elsewhere."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.cli.search import Output
from core.errors import BadInput, CaseNotFound
from core.settings import Settings
from core.workbench import Workbench, backups, utc_now

Json = dict[str, Any]


class BackupCommands:
    """One method a command; each returns the exit code."""

    a: argparse.Namespace
    out: Output
    settings: Settings

    def _open(self) -> Workbench:
        raise NotImplementedError

    def backup(self) -> int:
        case = Path(self.a.case).absolute()
        match self.a.action:
            case "now":
                return self._make()
            case "restore":
                return self._restore(case, self._wanted("a backup", "NAME"))
            case "copy":
                return self._copy(Path(self._wanted("a file for the copy", "TARGET")))
        there = backups.copies(case)
        if not there and not case.exists():
            raise CaseNotFound(path=case)
        return self._listed(there)

    def _make(self) -> int:
        with self._open() as bench:
            made = bench.backups.make(self.out.progress(), space=self.settings.backup_space * 1_000_000)
            there = bench.backups.all()
        return self._listed(there, {"backup": made.name, "file": str(made.path)}, f"Backup made: {made.path}")

    def _restore(self, case: Path, name: str) -> int:
        restored = backups.restore(case, backups.find(case, name), now=utc_now(), progress=self.out.progress())
        former = str(restored.former) if restored.former is not None else None
        told = f"Restored {restored.backup.name} to {case}"
        if former is not None:
            told += f"\nThe file that was there before is now {former}"
        fields = {"case": str(case), "restored": restored.backup.name, "former": former}
        return self._listed(backups.copies(case), fields, told)

    def _copy(self, target: Path) -> int:
        with self._open() as bench:
            written = bench.case.save_copy(target, self.out.progress())
            there = bench.backups.all()
        fields = {"file": str(written), "bytes": written.stat().st_size}
        return self._listed(there, fields, f"Copy written: {written} ({fields['bytes']:,} bytes)")

    def _listed(self, there: list[backups.Backup], fields: Json | None = None, told: str = "") -> int:
        self.out.result(
            {"backups": [backup_json(one) for one in there], **(fields or {})},
            lambda: told.split("\n") if told else [*map(_line, there)] or ["This case has no backup yet."],
        )
        return 0

    def _wanted(self, what: str, name: str) -> str:
        if self.a.name:
            return str(self.a.name)
        use = f"Use: disconfirm backup CASE {self.a.action} {name}"
        raise BadInput(reason=f"This needs {what}.", remedy=use)


def backup_json(backup: backups.Backup) -> Json:
    told: Json = {"name": backup.name, "at": backup.at, "bytes": backup.bytes, "proven": backup.proven}
    told["file"] = str(backup.path)
    if backup.reason:
        told["reason"] = backup.reason
    if backup.before_format:
        told["format"] = backup.before_format
    return told


def _line(backup: backups.Backup) -> str:
    state = "proven" if backup.proven else f"not proven: {backup.reason}"
    return f"{backup.name}\t{backup.at}\t{backup.bytes:,} bytes\t{state}"


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """The command of this module, for the parser."""
    sub = command("backup", "list the backups of a case, make or restore one, or write a copy of the case")
    sub.add_argument("action", nargs="?", choices=("list", "now", "restore", "copy"), default="list")
    sub.add_argument("name", nargs="?", metavar="NAME|TARGET", help="the backup to restore, or the file for the copy")
