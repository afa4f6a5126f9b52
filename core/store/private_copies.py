"""Copies of whole cases that the program makes only to read them: where they lie, and how they end.

A merge may bring the other case to a newer format, and one that cannot be written may need its journal: both happen in
a copy. It is the file as it is, so that of an encrypted case is encrypted. A lock beside it lasts as long as the
process; what a killed one left behind is overwritten and removed when the program is next started.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import tempfile
import weakref
from pathlib import Path

from core import paths
from core.errors import AppError, CannotWrite
from core.store import lock, replacement
from core.store.connection import os_reason

_FILES = ".files"  # ends the name of a folder; its lock has the same name with another end


class PrivateFolder:
    """A folder for one copy, which nobody else can look into; what is in it is overwritten and removed at the end.

    The end is ``cleanup``, or that of the process. Raises CannotWrite where none can be made.
    """

    def __init__(self) -> None:
        self.path, guard = _begin()
        self.cleanup = weakref.finalize(self, _end, self.path, guard)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.cleanup()


def clear_ended() -> None:
    """Overwrite and remove the copies of processes that ended. One that cannot be removed is left to the next start."""
    for place in _places():
        try:
            _check_ours(place)
            names = {file.stem for file in place.iterdir() if file.suffix in (_FILES, ".lock")}
        except OSError:  # mostly: there is none
            continue
        for name in sorted(names):
            with contextlib.suppress(AppError, OSError):  # CaseInUse: its process lives
                guard = lock.take(place / name)
                _end(place / f"{name}{_FILES}", guard)


def _begin() -> tuple[Path, lock.Lock]:
    place = _place()
    name = secrets.token_hex(8)
    folder = place / f"{name}{_FILES}"
    try:
        guard = lock.take(place / name)  # before the folder is there: one without a lock belongs to nobody
        guard.write(who="", since="", case=None, wal=None)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise CannotWrite(path=folder, reason=os_reason(error)) from error
    return folder, guard


def _end(folder: Path, guard: lock.Lock) -> None:
    for inside, _folders, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                replacement.erase(Path(inside, name))
    shutil.rmtree(folder, ignore_errors=True)
    guard.release()


def _places() -> list[Path]:
    """List where copies may lie: in the person's own folder, or where that cannot be written, in a temporary one."""
    places = [paths.user_data() / "copies"]
    with contextlib.suppress(OSError):
        user = str(os.getuid()) if hasattr(os, "getuid") else ""
        places.append(Path(tempfile.gettempdir(), f"disconfirm-copies-{user}"))
    return places


def _place() -> Path:
    places = _places()
    for place in places:
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check_ours(place)
            if os.access(place, os.W_OK):
                return place
        except OSError:
            continue
    raise CannotWrite(path=places[0], reason="neither it nor the temporary folder can be written")


def _check_ours(place: Path) -> None:
    """Raise OSError unless this is a folder of this user, and see that nobody else can look into it."""
    info = place.lstat()
    if not stat.S_ISDIR(info.st_mode):
        raise NotADirectoryError(str(place))
    if not hasattr(os, "getuid"):
        return
    if info.st_uid != os.geteuid():
        raise PermissionError(str(place))
    if info.st_mode & 0o077:
        place.chmod(0o700)
