"""Files and folders as they are offered: which are documents, what they are called, their bytes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.errors import UnreadableDocument
from core.progress import Progress, silent
from core.store import case_part

LARGEST_FILE = 500_000_000  # bytes; SQLite keeps at most 1 GB in one value

_PIECE = 1 << 20  # bytes of a file hashed at once


def _pieces(path: Path) -> Iterator[bytes]:
    """What an ordinary file holds, as far as it said to hold when it was opened. Never waits for more to come."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        left = os.fstat(file.fileno()).st_size
        while left > 0 and (piece := file.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece


# Folders whose files are none: the system makes them up when they are read, some without end, some after a long wait.
_MADE_UP = ("/proc/", "/sys/", "/dev/")

_TRUE_FILES = ("/dev/shm/",)


def _is_made_up(path: Path) -> bool:
    real = os.path.realpath(path)
    return real.startswith(_MADE_UP) and not real.startswith(_TRUE_FILES)


def place_of(path: Path) -> str:
    """A name for a place on this computer that does not tell where it is: the digest of its absolute path."""
    # Not resolved: a link that points elsewhere from today on is a changed file at its place.
    return hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()  # noqa: PTH100


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The files named, and those in the folders named, each folder in order of name. A path that is not there is
    given too, so that it is reported, and so is a link that leads to a folder outside of these: it is not followed.
    """
    submitted = list(paths)
    inside = [Path(os.path.realpath(path)) for path in submitted]
    for path in submitted:
        if not _is_folder(path):
            yield path
            continue
        closed: list[OSError] = []  # folders that may not be looked into; nothing is passed over in silence
        for folder, folders, names in os.walk(path, onerror=closed.append):
            folders.sort()
            yield from (Path(folder) / name for name in sorted(names))
            for link in (Path(folder, name) for name in folders):
                if link.is_symlink() and not any(Path(os.path.realpath(link)).is_relative_to(root) for root in inside):
                    yield link
        yield from (Path(error.filename or path) for error in closed)


def part_of_case(name: str, what: str) -> UnreadableDocument:
    """What is said of a case that was given as a document."""
    return UnreadableDocument(
        reason=f"{name} {what}; it is not a document and was left out.",
        remedy="Nothing needs to be done. Open another case by itself, or merge it with: disconfirm merge.",
    )


def _is_folder(path: Path) -> bool:
    """Whether it is one, also of a name that no file can have."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def file_bytes(path: Path, progress: Progress | None = None) -> bytes:
    """A file as it is. Cancelling ends the reading at the next piece of it. Raises UnreadableDocument for one that
    cannot be read or is too large for a case, and for cases and what belongs to them: the one that is open is not even
    opened for a look.
    """
    name = path.name or str(path)  # the root of a system has no name
    progress = progress or silent()
    if what := case_part(path):
        raise part_of_case(name, what)
    try:
        if path.is_dir():
            next(path.iterdir(), None)  # says why it could not be looked into
        if path.is_dir() and path.is_symlink():
            raise UnreadableDocument(
                reason=f"{name} is a link to a folder elsewhere; such links are not followed.",
                remedy="Add that folder itself.",
            )
        if not path.is_file():
            reason = "is not an ordinary file" if path.exists() else "is not there"
            raise UnreadableDocument(reason=f"{name} {reason}.", remedy="Check the path.")
        if _is_made_up(path):
            raise UnreadableDocument(
                reason=f"{name} is not an ordinary file: the system generates its content when it is read.",
                remedy="Copy its content into a file elsewhere, and add that.",
            )
        found = path.stat()
        size = found.st_size
        if size > LARGEST_FILE:
            raise UnreadableDocument(
                reason=f"{name} has {size / 1e6:,.0f} MB; a case takes files up to {LARGEST_FILE / 1e6:,.0f} MB.",
                remedy="Split it into parts.",
            )
        pieces = []
        for piece in _pieces(path):
            progress.check()
            pieces.append(piece)
        data = b"".join(pieces)
        after = path.stat()
        if len(data) != size or (after.st_size, after.st_mtime_ns) != (size, found.st_mtime_ns):
            raise UnreadableDocument(
                reason=f"{name} changed while it was read.",
                remedy="Wait until no program is writing to it, and add it again.",
            )
        return data
    except OSError as error:
        raise UnreadableDocument(
            reason=f"{name} cannot be opened ({error.strerror or type(error).__name__}).",
            remedy="Check that you are allowed to read it and that its drive is connected.",
        ) from error
