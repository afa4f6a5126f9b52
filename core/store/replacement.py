"""Putting a new file in the place of a case so that a kill leaves one of them whole, and overwriting the old one.

While that goes on, two files with names of their own may be beside the case: ``part``, the new one, and ``former``,
a second name of the old one. What a killed program left of them is overwritten and removed when the case is next
opened.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from core import files
from core.store.lock import beside

_LONGEST = 40  # characters of the name in those of the two files: some file systems take 255 bytes in all
_BLOCK = 1 << 20  # bytes that are overwritten at a time


def part_of(place: Path) -> Path:
    """Return where the file lies that is to take the place of a case."""
    return _own(place, "part")


def _former(place: Path) -> Path:
    return _own(place, "former")


def _own(place: Path, ending: str) -> Path:
    digest = hashlib.sha256(os.fsencode(place.name)).hexdigest()[:8]
    return place.with_name(f".{place.name[:_LONGEST]}.{digest}.{ending}")


def begin_part(place: Path) -> Path:
    """Make an empty file beside a case, which whoever may read the case may read. Raises OSError."""
    part = part_of(place)
    file = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with contextlib.suppress(OSError, AttributeError):
        os.fchmod(file, place.stat().st_mode & 0o777)
    os.close(file)
    return part


def put_in_place(place: Path) -> None:
    """Rename the complete part to the case, which nobody has open, and overwrite the old file. Raises OSError."""
    part, former = part_of(place), _former(place)
    with part.open("r+b") as file:
        os.fsync(file.fileno())
    try:
        os.link(place, former)
    except OSError:  # a file system without hard links
        _put_without_link(place, part)
        return
    part.replace(place)
    files.settle(place.parent)
    erase(former)


def _put_without_link(place: Path, part: Path) -> None:
    if os.name == "posix":
        with place.open("r+b") as old:
            part.replace(place)
            files.settle(place.parent)
            _overwrite(old.fileno())
        return
    # An open file cannot be replaced there. The other name is one that is found: a kill may leave nothing at the place.
    former = place.with_name(f"{place.stem[:_LONGEST]} with its earlier passphrase{place.suffix}")
    place.rename(former)
    try:
        part.rename(place)
    except OSError:
        former.rename(place)
        raise
    erase(former)


def clear_away(place: Path) -> None:
    """Overwrite and remove what a killed program left of the two files. ``place`` holds a case that is whole."""
    part = part_of(place)
    for left in (_former(place), part, beside(part, "-journal")):
        with contextlib.suppress(OSError):
            erase(left)


def erase(path: Path) -> None:
    """Overwrite a file and remove it; a link, or one of several names, is only removed. None there is fine.

    Raises OSError.
    """
    try:
        file = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return
    except OSError:  # a link, or a file that may be removed and not written
        path.unlink()
        return
    try:
        if os.fstat(file).st_nlink == 1:
            _overwrite(file)
    finally:
        os.close(file)
    path.unlink()


def empty(path: Path) -> None:
    """Overwrite a file with zeros and cut it to nothing. Raises OSError."""
    file = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    try:
        _overwrite(file, bytes)
        os.ftruncate(file, 0)
    finally:
        os.close(file)


def _overwrite(file: int, bytes_of: Callable[[int], bytes] = os.urandom) -> None:
    """Write over all bytes of an open file, on the disk."""
    left = os.fstat(file).st_size
    os.lseek(file, 0, os.SEEK_SET)
    while left > 0:
        left -= os.write(file, bytes_of(min(left, _BLOCK)))
    os.fsync(file)
