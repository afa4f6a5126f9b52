"""The command that gives a case a passphrase, another one or none, and what becomes of its older backups then."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import problems_json
from core.errors import BadInput, Problem
from core.workbench import backups, encryption


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    words = "encrypt a case with a passphrase, change or remove it; say whether it has one"
    sub = commands.add("passphrase", run_passphrase, words)
    action = sub.add_mutually_exclusive_group()
    action.add_argument("--set", action="store_const", const="set", dest="action", help="encrypt the case")
    action.add_argument("--change", action="store_const", const="change", dest="action", help="another passphrase")
    action.add_argument(
        "--remove", action="store_const", const="remove", dest="action", help="store it unencrypted again"
    )
    sub.add_argument(
        "--new-passphrase-file", metavar="FILE", help="the new passphrase (default: asked for on a terminal)"
    )
    sub.add_argument(
        "--backups",
        choices=("keep", "encrypt", "erase"),
        default="keep",
        help="what to do with backups of no or of the earlier passphrase (default: keep them as they are)",
    )


def run_passphrase(args: Namespace, app: App) -> int:
    """Add, change or remove the passphrase of a case, and print whether it has one."""
    case = Path(args.case).absolute()
    has_one = encryption.has_passphrase(case)
    problems: list[Problem] = []
    key = None
    if args.action is not None:
        if (args.action == "set") == has_one:
            what = "has a passphrase already" if has_one else "has no passphrase"
            remedy = "Use --change or --remove." if has_one else "Use --set to give it one."
            raise BadInput(reason=f"{case.name} {what}; nothing was changed.", remedy=remedy)
        former = app.key_of(case)
        if args.action != "remove":
            key = app.new_key(args.new_passphrase_file, is_first=not has_one)
        encryption.change(case, former, key, app.out.progress())
        has_one = key is not None
        listing = encryption.other_backups(case, key)
        if key is not None and args.backups == "encrypt":
            problems = encryption.change_backups(listing, former, key, app.out.progress())
        elif args.backups == "erase":
            problems = backups.erase(backup.path for backup in listing)
        app.back_up(case, key)
    elif has_one:
        key = app.key_at_hand(case)
    older = encryption.other_backups(case, key) if key is not None or not has_one else []
    app.out.result(
        {
            "case": str(case),
            "encrypted": has_one,
            "other_backups": [backup.name for backup in older],
            "problems": problems_json(problems),
        },
        lambda: [
            f"{case.name} is encrypted with a passphrase." if has_one else f"{case.name} is not encrypted.",
            *([_others(len(older), is_encrypted=has_one)] if older else []),
        ],
    )
    return app.out.problems(problems)


def _others(count: int, *, is_encrypted: bool) -> str:
    """Return what does not open as the case does."""
    backups = "1 backup of it is" if count == 1 else f"{count:,} backups of it are"
    if not is_encrypted:
        return f"{backups} encrypted with an earlier passphrase, which you need to restore from there."
    way_out = "To change that, run this with --change and --backups encrypt, or --backups erase."
    return f"{backups} not encrypted, or encrypted with an earlier passphrase. {way_out}"
