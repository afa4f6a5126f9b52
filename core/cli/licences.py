"""The command that names the parts of the program and their licences, and hands out its source."""

from __future__ import annotations

import shutil
from argparse import Namespace
from pathlib import Path

from core import installation, paths
from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import Json
from core.errors import BadInput, CannotWrite
from core.text import columns


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    sub = commands.add("licences", run_licences, "list the parts and their licences, or get the source", case=False)
    sub.add_argument("--source", metavar="FOLDER", help="put the archive of the source into this folder")


def run_licences(args: Namespace, app: App) -> int:
    """List the parts of the program; with a folder, put its source there."""
    source = _source(Path(args.source)) if args.source else None
    parts: list[Json] = [
        {"name": name, "version": version, "licence": licence} for name, version, licence in installation.parts()
    ]
    facts: Json = {
        "version": installation.version(),
        "licence": "AGPL-3.0-or-later",
        "parts": parts,
        "texts": str(installation.licence_folder()),
        "source": str(source) if source else None,
    }

    def text() -> list[str]:
        if source:
            return [f"The source of {installation.version()} is in {source}."]
        lines = [columns(part["name"], part["version"], part["licence"]) for part in parts]
        lines += [f"Disconfirm {installation.version()}: GNU Affero General Public License, version 3 or later."]
        lines += [f"Licence texts: {installation.licence_folder()}"]
        if not parts:
            lines.append(
                f"This program runs from its source: {paths.RESOURCES.parent}. THIRD_PARTY.md names its parts."
            )
        return lines

    app.out.result(facts, text)
    return 0


def _source(folder: Path) -> Path:
    """Copy the archive of the source into a folder. Raises BadInput, CannotWrite."""
    archive = installation.source_archive()
    if archive is None:
        raise BadInput(
            reason=f"This program runs from its source, which is in {paths.RESOURCES.parent}.",
            remedy="Copy that folder.",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copyfile(archive, folder / archive.name))
    except OSError as error:
        raise CannotWrite(path=folder, reason=error.strerror or type(error).__name__) from error
