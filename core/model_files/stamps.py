"""Files of a model by which they are known again: what is read of one that is changed meanwhile is neither model."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from core.errors import ModelUnreadable
from core.model_files.embedding_folder import files_in

Stamp = tuple[tuple[str, int, int, int], ...]


def stamp(places: Iterable[str | os.PathLike[str]]) -> Stamp:
    """Return every file of these files and folders with its number, size and time of change."""
    facts = []
    for place in map(Path, places):
        for file in files_in(place) if place.is_dir() else (place,):
            try:
                info = file.stat()
            except OSError:  # it is gone, which is a change as well
                continue
            facts.append((str(file), info.st_ino, info.st_size, info.st_mtime_ns))
    return tuple(facts)


def require(stamp_read: Stamp, places: Iterable[str | os.PathLike[str]], path: Path) -> None:
    """Raise ModelUnreadable, which names ``path``, where these are not the files they were."""
    if stamp(places) != stamp_read:
        raise ModelUnreadable(path=path, reason="it was changed while it was read", effect="it is not used this time")
