"""The commands that open the window: on a case, or on the sample case."""

from __future__ import annotations

import importlib
import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from core.cli.app import App
from core.cli.grammar import Commands

if TYPE_CHECKING:
    from core.store import CaseKey


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("demo", run_demo, "build the sample case and open it", case=False)
    sub.add_argument("folder", nargs="?", metavar="FOLDER")
    sub.add_argument("--no-window", action="store_true")
    sub = commands.add("gui", run_gui, "open the window", case=False)
    sub.add_argument("case", nargs="?", metavar="CASE")


def run_demo(args: Namespace, app: App) -> int:
    """Build the sample case and open it, where there is a display."""
    from core.sample_case import build_sample

    folder = Path(args.folder) if args.folder else None
    if not args.no_window and not args.json and _has_display():
        return _window(None, sample=True, folder=folder)  # built there, unless it stands already
    sample = build_sample(app.engines, folder, app.out.progress())
    app.out.result(sample.as_json(), lambda: sample.as_text().split("\n"))
    app.close()
    if not args.no_window and _has_display():
        return _window(sample.case)
    return 0 if sample.as_expected else 1


def run_gui(args: Namespace, app: App) -> int:
    """Open the window."""
    if args.case is None:
        return _window(None)
    case = Path(args.case)
    key = app.key_of(case) if args.passphrase_file is not None else None  # without one the window asks
    return _window(case, key=key)


def _window(case: Path | None, *, sample: bool = False, folder: Path | None = None, key: CaseKey | None = None) -> int:
    window = importlib.import_module("gui_app.__main__")
    return int(window.main([str(case)] if case else [], sample=sample, folder=folder, key=key))


def _has_display() -> bool:
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
