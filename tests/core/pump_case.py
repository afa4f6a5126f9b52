"""A case of two short documents and two hypotheses, made through the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

LOG = "The night log shows that the dosing pump stopped at 02:14.\nThe operator did not touch the dosing pump."
MEMO = "The vendor account opened the valve remotely.\fThe vendor never had an account for the valve."


def made(run: Callable[..., object], folder: Path) -> Path:
    """``run`` is given the words of one command."""
    path = folder / "case.disconfirm"
    run("new", path, "--title", "Pump")
    (folder / "log.txt").write_text(LOG, "utf-8")
    (folder / "memo.txt").write_text(MEMO, "utf-8")
    run("add", path, folder / "log.txt", folder / "memo.txt")
    run("hypothesis", path, "add", "The operator stopped the dosing pump.")
    run("hypothesis", path, "add", "The vendor account opened the valve.", "--note", "seen in the memo")
    return path
