"""What a killed program leaves beside a case: kept under another name, or moved along with the case."""

from __future__ import annotations

from pathlib import Path

from core.store.lock import BESIDE, beside


def clear_leftovers(path: Path) -> None:
    """Move away what a killed program left of a case that was deleted since: it would be mixed into a new one.

    It may hold decisions that were never copied into the deleted file, so it is kept under another name.
    """
    for suffix in BESIDE:
        left = beside(path, suffix)
        if left.exists() and not path.exists():
            move_away(left)


def move_away(left: Path) -> None:
    """Rename a file to the next free name that says it was left."""
    number = 1
    while (target := left.with_name(f"{left.name}.left-{number}")).exists():
        number += 1
    left.rename(target)


def move_case(path: Path, target: Path) -> None:
    """Rename a case that nobody has open, together with what a killed program left beside it."""
    for suffix in ("", *BESIDE):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(target.with_name(target.name + suffix))
