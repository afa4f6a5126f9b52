"""Facts about this copy of the program: the commit it was built from, its licence texts, and its source."""

from __future__ import annotations

import json
from functools import cache
from importlib import metadata
from pathlib import Path

from core import __version__, paths

LICENCES = "licences"  # the folder of licence texts in the packaged program
PARTS = "sbom.cdx.json"  # the list of parts in it
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


def library_version(package: str) -> str:
    """Return the version of a library; "bundled" in a packaged program without the library's own records."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "bundled"


def licence_folder() -> Path:
    """Return the folder of the licence texts: of every part in the packaged program, of the program in its source."""
    folder = paths.RESOURCES.parent / LICENCES
    return folder if folder.is_dir() else paths.RESOURCES.parent


def parts() -> list[tuple[str, str, str]]:
    """List what the packaged program is made of, as its own list of parts (CycloneDX) has it: name, version, licence.

    Nothing where the program runs from its source.
    """
    try:
        text = (paths.RESOURCES.parent / LICENCES / PARTS).read_text("utf-8")
    except OSError:
        return []
    rows = []
    for part in json.loads(text)["components"]:
        words = [licence.get("expression") or licence["license"]["name"] for licence in part["licenses"]]
        rows.append((part["name"], part["version"], ", ".join(words)))
    return rows


def source_archive() -> Path | None:
    """Return the archive of the source that comes with the packaged program; None if the program is its source."""
    archives = sorted((paths.RESOURCES.parent / SOURCE).glob("disconfirm-*.tar.gz")) if paths.PACKAGED else []
    return archives[0] if archives else None
