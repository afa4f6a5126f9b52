"""What is known of this copy of the program: the commit it was built from, its licence texts, and its source."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from core import __version__, paths

LICENCES = "licences"  # the folder of licence texts in the packaged program
SOURCE = "source"  # the folder with the archive of its source


@cache
def commit() -> str:
    """Return the commit that the packaged program was built from; '' for a program that runs from its source."""
    try:
        return str(json.loads((paths.RESOURCES / "build.json").read_text("utf-8"))["commit"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def version() -> str:
    """Return the version, with the commit where that is known."""
    return f"{__version__} (commit {commit()})" if commit() else __version__


def licence_files() -> list[Path]:
    """List the licence texts and the list of parts, by name; the program's own text first."""
    folder = paths.RESOURCES.parent / LICENCES
    files = sorted((file for file in folder.rglob("*") if file.is_file()), key=lambda file: file.as_posix())
    own = [paths.RESOURCES.parent / name for name in ("LICENSE", "THIRD_PARTY.md")]
    return [*(file for file in own if file.is_file()), *files]


def source_archive() -> Path | None:
    """Return the archive of the source that comes with the packaged program; None where the program is its source."""
    archives = sorted((paths.RESOURCES.parent / SOURCE).glob("disconfirm-*.tar.gz")) if paths.PACKAGED else []
    return archives[0] if archives else None
