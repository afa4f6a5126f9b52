"""Writing a file whole or not at all: what was there before stays until the new one is complete and on the disk."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from core.errors import CannotWrite

_LONGEST = 40  # characters of the name in that of the part: some file systems take 255 bytes in all
_CASE = (b"SQLite format 3\0", b"DCNF")  # how a case begins, and what is at byte 68 of it
ENCRYPTED = b"\xd1CF"  # how a case with a passphrase begins
_ENCRYPTED_REST = re.compile(rb"[\x0a-\x14].{12}\x10\0([\1\2])\1\x20\x40\x20\x20", re.DOTALL)
HEAD = 100  # bytes that tell a case


def is_encrypted_case(head: bytes) -> bool:
    """Return whether a file that begins so is a case with a passphrase; its first 24 bytes are enough."""
    return head.startswith(ENCRYPTED) and _ENCRYPTED_REST.match(head, len(ENCRYPTED)) is not None


def is_case(head: bytes) -> bool:
    """Return whether a file that begins so is a case, with a passphrase or without one."""
    return (head.startswith(_CASE[0]) and head[68:72] == _CASE[1]) or is_encrypted_case(head)


def is_there(path: Path) -> bool:
    """Return whether a file or folder is at a path; no name that no file can have, as one too long, raises."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Return whether a file is at a path; no name that no file can have raises."""
    return is_there(path) and path.is_file()


def is_folder(path: Path) -> bool:
    """Return whether a folder is at a path; no name that no folder can have raises."""
    return is_there(path) and path.is_dir()


def check_target(target: Path, *, never: Path | None = None) -> None:
    """Raise CannotWrite where a file cannot be put at ``target``: a folder, a device, a case, or no folder to lie in.

    ``never`` is a case that is open: neither it nor what belongs to it is replaced, and it is not looked into.
    """
    try:
        info = target.stat() if target.exists() else None
        if not target.parent.is_dir():
            raise CannotWrite(path=target, reason="its folder is not there")
        open_case = info is not None and never is not None and never.exists() and os.path.samestat(info, never.stat())
    except (OSError, ValueError) as error:
        raise CannotWrite(path=target, reason=_reason(error)) from error
    beside = never is not None and target.absolute().parent == never.absolute().parent
    if open_case or (never is not None and beside and target.name in (f"{never.name}{end}" for end in _BESIDE)):
        raise CannotWrite(path=target, reason="it belongs to the case that is open")
    if info is None:
        return
    if stat.S_ISDIR(info.st_mode):
        raise CannotWrite(path=target, reason="it is a folder")
    if not stat.S_ISREG(info.st_mode):
        raise CannotWrite(path=target, reason="it is not an ordinary file")
    with contextlib.suppress(OSError), target.open("rb") as file:
        if is_case(file.read(HEAD)):
            raise CannotWrite(path=target, reason="it is a case")


def is_free_folder(folder: Path) -> bool:
    """Return whether a path is free or an empty folder. Raises CannotWrite if that is not known."""
    try:
        return not folder.exists() or (folder.is_dir() and next(folder.iterdir(), None) is None)
    except (OSError, ValueError) as error:
        raise _error(folder, error) from error


_BESIDE = ("-wal", "-journal", "-shm", ".lock")


@contextlib.contextmanager
def replacing(target: Path, *, make_folder: bool = False, never: Path | None = None) -> Iterator[BinaryIO]:
    """Open a file to write into, which takes the place of ``target`` when the block ends without an error.

    Until then it lies beside it under a name that nothing had, so that no link is followed and no file of somebody else
    is written over. Raises CannotWrite. ``make_folder``: where the folder is missing it is made.
    """
    if make_folder:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise _error(target, error) from error
    check_target(target, never=never)
    part, number = _part(target)
    try:
        try:
            with os.fdopen(number, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(target)
            settle(target.parent)
        except OSError as error:
            raise _error(target, error) from error
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def write(target: Path, data: bytes | str, *, make_folder: bool = False, never: Path | None = None) -> None:
    """Put ``data`` (a text as UTF-8) at ``target``, as ``replacing`` does."""
    with replacing(target, make_folder=make_folder, never=never) as stream:
        stream.write(data if isinstance(data, bytes) else data.encode("utf-8", "backslashreplace"))


def publish(part: Path, target: Path) -> None:
    """Rename a complete file, never over another one. Raises FileExistsError, OSError.

    ``part`` may keep its own name as well.
    """
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if target.exists():
            raise FileExistsError(errno.EEXIST, "a file of that name is there", str(target)) from None
        part.rename(target)


def _part(target: Path) -> tuple[Path, int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    for number in itertools.count():
        part = target.with_name(f"{target.name[:_LONGEST]}.{os.getpid()}-{number}.part")
        try:
            return part, os.open(part, flags | getattr(os, "O_CLOEXEC", 0), 0o666)
        except FileExistsError:
            continue
        except (OSError, ValueError) as error:
            raise _error(target, error) from error
    raise AssertionError  # the numbers do not end


def settle(folder: Path) -> None:
    """Have the new name on the disk too, where the system can be asked for it."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _error(target: Path, error: Exception) -> CannotWrite:
    return CannotWrite(path=target, reason=_reason(error))


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__
