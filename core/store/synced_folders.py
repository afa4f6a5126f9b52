"""Folders that a program copies to other computers while files in them are written to, as far as their names tell."""

from __future__ import annotations

import re
from pathlib import Path

# What such programs call the folder that they keep, and the files that they leave in it.
_FOLDERS = {
    r"dropbox( \(.*\))?": "Dropbox",
    r"onedrive( - .*)?|onedrive-.*": "OneDrive",
    r"google ?drive( .*)?|googledrive-.*|my drive": "Google Drive",
    r"icloud ?drive|com~apple~clouddocs|mobile documents": "iCloud",
    r"nextcloud\d*": "Nextcloud",
    "owncloud": "ownCloud",
    r"box( sync)?|box-box": "Box",
    r"pcloud ?drive|pcloudsync": "pCloud",
    r"mega( ?sync)?": "MEGA",
    "seafile": "Seafile",
    r"hidrive|magentacloud|yandex\.disk|proton ?drive": "a cloud service",
}
_MARKS = {
    ".dropbox": "Dropbox",
    ".dropbox.cache": "Dropbox",
    ".stfolder": "Syncthing",
    ".stversions": "Syncthing",
    ".owncloudsync.log": "ownCloud",
    ".nextcloudsync.log": "Nextcloud",
    ".seafile-data": "Seafile",
    ".sync": "Resilio Sync",
}
# What they call the second of two files that were both changed.
_CONFLICT = re.compile(
    r" \(.*conflicted copy.*\)|\(conflict[^)]*\)|_conflict-\d{8}.*|\.sync-conflict-\d{8}-.*|\(case conflict.*\)"
    r"|-[A-Z0-9]*(DESKTOP|LAPTOP|PC|MACBOOK)[A-Z0-9-]*|\[conflict[^]]*\]",
    re.IGNORECASE,
)


def service_of(path: Path) -> str:
    """Name what synchronises the folder of a file; '' where nothing tells that anything does."""
    for folder in path.absolute().parents:
        name = folder.name.casefold()
        for pattern, service in _FOLDERS.items():
            if re.fullmatch(pattern, name):
                return service
        for mark, service in _MARKS.items():
            try:
                if (folder / mark).exists():
                    return service
            except OSError:
                continue
    return ""


def conflict_copies(path: Path) -> list[Path]:
    """List the files beside one that are versions of it which a synchronisation could not bring together."""
    try:
        beside = sorted(path.parent.iterdir())
    except OSError:
        return []
    return [
        sibling
        for sibling in beside
        if sibling.suffix == path.suffix
        and sibling.stem != path.stem
        and sibling.stem.startswith(path.stem)
        and _CONFLICT.fullmatch(sibling.stem.removeprefix(path.stem))
    ]


def warning(path: Path) -> tuple[str, str]:
    """Return what to do about a case in a synchronised folder, as a sentence and the rest; ('', '') for nothing.

    Conflict copies are named even where no service is known.
    """
    service, copies = service_of(path), conflict_copies(path)
    if not service and not copies:
        return "", ""
    if service:
        what = "Another service" if service == "a cloud service" else service
        sentence = f"{what} synchronises the folder of this case."
    else:
        sentence = "A synchronisation left other versions of this case beside it."
    advice = (
        "It may copy the case half-written, block the file during a save, and send it to other computers. "
        "Keep an open case in a folder of this computer, and copy it there when it is closed."
    )
    if copies:
        names = ", ".join(copy.name for copy in copies[:3]) + (" …" if len(copies) > 3 else "")
        advice = f"Two computers changed the case at once: look at {names}, and merge what is wanted. {advice}"
    return sentence, advice
