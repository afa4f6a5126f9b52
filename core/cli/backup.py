"""The command about backups: which there are, making one, taking one back, and a copy of the case elsewhere."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import Json
from core.errors import BadInput, CaseNotFound
from core.workbench import backups, utc_now


def register(commands: Commands) -> None:
    words = "list the backups of a case, make or restore one, or write a copy of the case"
    sub = commands.add("backup", run_backup, words)
    sub.add_argument("action", nargs="?", choices=("list", "now", "restore", "copy"), default="list")
    sub.add_argument("name", nargs="?", metavar="NAME|TARGET", help="the backup to restore, or the file for the copy")


def run_backup(args: Namespace, app: App) -> int:
    case = Path(args.case).absolute()
    match args.action:
        case "now":
            return _make(args, app)
        case "restore":
            return _restore(app, case, _named(args, "a backup", "NAME"))
        case "copy":
            return _copy(args, app, Path(_named(args, "a file for the copy", "TARGET")))
    there = backups.copies(case)
    if not there and not case.exists():
        raise CaseNotFound(path=case)
    return _listed(app, there)


def _make(args: Namespace, app: App) -> int:
    with app.open(args.case) as bench:
        made = bench.backups.make(app.out.progress(), space=app.settings.backup_space * 1_000_000)
        there = bench.backups.all()
    return _listed(app, there, {"backup": made.name, "file": str(made.path)}, f"Backup made: {made.path}")


def _restore(app: App, case: Path, name: str) -> int:
    restored = backups.restore(case, backups.find(case, name), now=utc_now(), progress=app.out.progress())
    former = str(restored.former) if restored.former is not None else None
    told = f"Restored {restored.backup.name} to {case}"
    if former is not None:
        told += f"\nThe file that was there before is now {former}"
    fields = {"case": str(case), "restored": restored.backup.name, "former": former}
    return _listed(app, backups.copies(case), fields, told)


def _copy(args: Namespace, app: App, target: Path) -> int:
    with app.open(args.case) as bench:
        written = bench.case.save_copy(target, app.out.progress())
        there = bench.backups.all()
    fields = {"file": str(written), "bytes": written.stat().st_size}
    return _listed(app, there, fields, f"Copy written: {written} ({fields['bytes']:,} bytes)")


def _listed(app: App, there: list[backups.Backup], fields: Json | None = None, told: str = "") -> int:
    app.out.result(
        {"backups": [backup_json(one) for one in there], **(fields or {})},
        lambda: told.split("\n") if told else [*map(_line, there)] or ["This case has no backup yet."],
    )
    return 0


def _named(args: Namespace, what: str, name: str) -> str:
    if args.name:
        return str(args.name)
    use = f"Use: disconfirm backup CASE {args.action} {name}"
    raise BadInput(reason=f"Nothing was named: {what}.", remedy=use)


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
