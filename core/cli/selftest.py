"""The command that tries every part of the program."""

from __future__ import annotations

from argparse import Namespace

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import show
from core.selftest import service
from core.selftest.parts import Part
from core.text import printable


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    commands.add("selftest", run_selftest, "try every part of the program on small files of its own", case=False)


def run_selftest(_args: Namespace, app: App) -> int:
    """Try every part; the exit code is 1 where one fails."""

    def show_part(part: Part) -> None:
        if not app.out.as_json:
            for line in part.lines():
                show(printable(line))

    outcome = service.run(app.engines, app.out.progress() if app.out.as_json else None, show_part)
    app.out.result(outcome.facts(), outcome.sentence)
    return 0 if outcome.ok else 1
