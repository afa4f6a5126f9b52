"""The command that makes a new case of what can be read of a damaged one."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import problems_json
from core.files import is_file
from core.recovery.service import recover, share


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("recover", run_recover, "make a new case from what is readable in a damaged one")
    sub.add_argument("target", metavar="NEW", help="the file for the new case; the damaged one is left as it is")


def run_recover(args: Namespace, app: App) -> int:
    """Make a new case of what can be read of a damaged one, and list what was lost."""
    case = Path(args.case)
    key = app.key_of(case) if is_file(case) else None
    progress = app.out.progress()
    recovery = recover(case, Path(args.target), reader=app.engines.reader, who=app.who, progress=progress, key=key)
    app.back_up(recovery.case, key)
    app.out.result(
        {
            "case": str(recovery.case),
            "recovered": {kind: {"recovered": part, "of": total} for kind, (part, total) in recovery.counts.items()},
            "lost": [{"kind": loss.kind, "where": loss.where, "what": loss.what} for loss in recovery.losses],
            "ok": not recovery.check,
            "problems": problems_json(recovery.check),
        },
        lambda: [
            f"Recovered to {recovery.case}",
            *(share(kind, part, total) for kind, (part, total) in recovery.counts.items() if total),
            *(f"{loss.kind} {loss.place}: {loss.what}" for loss in recovery.losses),
        ],
    )
    return app.out.problems(recovery.check)
