"""The command about backups: which there are, making one, taking one back, and a copy of the case elsewhere."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import Json
from core.errors import BadInput, CaseNotFound
from core.files import is_there
from core.workbench import backups, encryption, utc_now

if TYPE_CHECKING:
    from core.store import CaseKey


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    words = "list the backups of a case, make or restore one, or write a copy of the case"
    sub = commands.add("backup", run_backup, words)
    sub.add_argument("action", nargs="?", choices=("list", "now", "restore", "copy"), default="list")
    sub.add_argument("name", nargs="?", metavar="NAME|TARGET", help="the backup to restore, or the file for the copy")


def run_backup(args: Namespace, app: App) -> int:
    """List the backups of a case, make or restore one, or write a copy of the case."""
    case = Path(args.case).absolute()
    match args.action:
        case "now":
            return _make(args, app)
        case "restore":
            return _restore(app, case, _name(args, "a backup", "NAME"))
        case "copy":
            return _copy(args, app, Path(_name(args, "a file for the copy", "TARGET")))
    copies = backups.copies(case, key=_key(app, case))
    if not copies and not is_there(case):
        raise CaseNotFound(path=case)
    if not copies:
        encryption.has_passphrase(case)  # raises for what is no case
    return _show_list(app, copies)


def _make(args: Namespace, app: App) -> int:
    with app.open(args.case) as bench:
        backup = bench.backups.make(app.out.progress(), space=app.settings.backup_space * 1_000_000)
        listing = bench.backups.all()
    return _show_list(app, listing, {"backup": backup.name, "file": str(backup.path)}, f"Backup made: {backup.path}")


def _restore(app: App, case: Path, name: str) -> int:
    backup = backups.find(case, name)
    key = app.key_of(backup.path)
    restoration = backups.restore(case, backup, now=utc_now(), progress=app.out.progress(), key=key)
    former = str(restoration.former) if restoration.former is not None else None
    words = f"Restored {restoration.backup.name} to {case}"
    if former is not None:
        words += f"\nThe file that was there before is now {former}"
    fields = {"case": str(case), "restored": restoration.backup.name, "former": former}
    return _show_list(app, backups.copies(case, key=key), fields, words)


def _copy(args: Namespace, app: App, target: Path) -> int:
    with app.open(args.case) as bench:
        copy = bench.case.save_copy(target, app.out.progress())
        listing = bench.backups.all()
    fields: Json = {"file": str(copy), "bytes": copy.stat().st_size, "encrypted": encryption.is_encrypted(copy)}
    words = f"Copy written: {copy} ({fields['bytes']:,} bytes)"
    if fields["encrypted"]:
        words += "\nIt is encrypted with the passphrase of the case."
    return _show_list(app, listing, fields, words)


def _key(app: App, case: Path) -> CaseKey | None:
    """Ask for the key by which the backups of a case are checked, where one can be given."""
    candidates = (case, *(backup.path for backup in backups.unchecked(case)))
    first = next((path for path in candidates if encryption.is_encrypted(path)), None)
    return app.key_at_hand(first) if first is not None else None


def _show_list(app: App, listing: list[backups.Backup], fields: Json | None = None, words: str = "") -> int:
    app.out.result(
        {"backups": [backup_json(backup) for backup in listing], **(fields or {})},
        lambda: words.split("\n") if words else [*map(_line, listing)] or ["This case has no backup yet."],
    )
    return 0


def _name(args: Namespace, what: str, name: str) -> str:
    if args.name:
        return str(args.name)
    use = f"Use: disconfirm backup CASE {args.action} {name}"
    raise BadInput(reason=f"This needs {what}.", remedy=use)


def backup_json(backup: backups.Backup) -> Json:
    """Return a backup with the fields of the contract."""
    fields: Json = {"name": backup.name, "at": backup.at, "bytes": backup.bytes, "proven": backup.is_sound}
    fields["file"] = str(backup.path)
    if backup.reason:
        fields["reason"] = backup.reason
    if backup.before_format:
        fields["format"] = backup.before_format
    return fields


def _line(backup: backups.Backup) -> str:
    state = "proven" if backup.is_sound else f"not proven: {backup.reason}"
    return f"{backup.name}\t{backup.at}\t{backup.bytes:,} bytes\t{state}"
