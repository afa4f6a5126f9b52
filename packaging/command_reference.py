"""Write the reference of the command line in resources/docs/commands.md from the grammar.

    python packaging/command_reference.py

What stands above the mark in that file is written by hand and stays.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core import paths
from core.cli.commands import parser

PAGE = paths.RESOURCES / "docs" / "commands.md"
_COMMON = tuple(f"- `{option}" for option in ("--json`", "--who ", "--without-unsaved", "--passphrase-file"))
MARK = "<!-- reference: written by python packaging/command_reference.py -->"


def reference() -> str:
    """Return every command with its arguments, in Markdown, in order of name."""
    lines = ["## Every command and option", "", "Commands also take, where they make sense:", ""]
    commands = _subcommands(parser())
    lines += [line for line in _lines(commands["propose"]) if line.startswith(_COMMON)]
    for name, command in sorted(commands.items()):
        lines += ["", f"### {name}", "", *_arguments(name, command)]
    return "\n".join(lines).rstrip() + "\n"


def _subcommands(command: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    actions = [action for action in command._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(actions[0].choices) if actions else {}


def _arguments(name: str, command: argparse.ArgumentParser) -> list[str]:
    lines = [f"`disconfirm {name}`" + (f": {command.description}" if command.description else "")]
    own_lines = [line for line in _lines(command) if not line.startswith(_COMMON)]
    lines += ["", *own_lines] if own_lines else []
    for below, subcommand in sorted(_subcommands(command).items()):
        lines += ["", *_arguments(f"{name} {below}", subcommand)]
    return lines


def _lines(command: argparse.ArgumentParser) -> list[str]:
    actions = [a for a in command._actions if not isinstance(a, argparse._HelpAction | argparse._SubParsersAction)]
    return [f"- `{_usage(action)}`" + (f": {_help(action)}" if action.help else "") for action in actions]


def _usage(action: argparse.Action) -> str:
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    value = " ".join(value) if isinstance(value, tuple) else value
    if not action.option_strings:
        return value
    return ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {value}")


def _help(action: argparse.Action) -> str:
    return " ".join(str(action.help).replace("%%", "%").split())


def main() -> None:
    """Put the reference below the mark."""
    above = PAGE.read_text("utf-8").partition(MARK)[0].rstrip()
    PAGE.write_text(f"{above}\n\n{MARK}\n\n{reference()}", "utf-8")


if __name__ == "__main__":
    main()
