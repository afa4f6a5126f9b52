"""The header of a case: what its first 100 bytes say before SQLite sees them, and the one mark that is written there.

The file may come from anybody, so it is judged by its kind, its size and these bytes first.
"""

from __future__ import annotations

import os
import re
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

from core import files
from core.errors import (
    BadInput,
    CaseCorrupt,
    CaseFromNewerVersion,
    CaseInUse,
    CaseIsFolder,
    CaseNotFound,
    CaseUnreadable,
    PassphraseNeeded,
)
from core.passphrase import Passphrase
from core.store import case_key, connection, lock, schema
from core.store.case_key import CaseKey
from core.store.connection import backups_of, os_reason
from core.store.lock import beside, real

_VERSIONS, _WAL_MODE, _NO_WAL_MODE = 18, b"\2\2", b"\1\1"  # where the header says whether a log belongs to the file
_MAGIC = b"SQLite format 3\0"
_PART_OF_CASE = re.compile(r"(?:(?:-wal|-journal|-shm)(?:\.left-[0-9]+)?|\.lock)$")


@dataclass(frozen=True, slots=True)
class Header:
    """The meaning of the first bytes of a case: whether a write-ahead log belongs to it, and the key that it needs."""

    wal_mode: bool
    key: CaseKey | None


def look(path: Path, key: CaseKey | None = None) -> Header:
    """Judge the file by its kind, size and first 100 bytes. Writes nothing, never opens a case that is open here.

    Raises PassphraseNeeded for an encrypted one that ``key`` is not for: of it nothing else can be told without.

    A write-ahead log belongs to it while it is open, and after a kill.
    """
    try:
        info = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise CaseNotFound(path=path) from None
    except (OSError, ValueError) as error:
        raise CaseUnreadable(path=path, reason=os_reason(error)) from error
    if stat.S_ISDIR(info.st_mode):
        raise CaseIsFolder(path=path)
    if not stat.S_ISREG(info.st_mode):
        raise CaseUnreadable(path=path, reason="it is not an ordinary file")
    if lock.is_open_here(path):
        raise CaseInUse(path=path, holder="this program itself")
    if info.st_size == 0:
        raise CaseUnreadable(path=path, reason="it is empty")
    try:
        with path.open("rb") as file:
            header = file.read(files.HEAD)
    except OSError as error:
        raise CaseUnreadable(path=path, reason=os_reason(error)) from error
    if files.is_encrypted_case(header):
        if key is None or not key.fits(header):
            raise PassphraseNeeded(path=path)
        return Header(_in_wal_mode(header), key)
    if header.startswith(files.ENCRYPTED):
        raise CaseUnreadable(path=path, reason="it is no encrypted case, or its first bytes are damaged")
    if len(header) < files.HEAD or not header.startswith(_MAGIC):
        raise CaseUnreadable(path=path, reason="it is not a database")
    (version,) = struct.unpack(">i", header[60:64])
    (application,) = struct.unpack(">I", header[68:72])
    if application != schema.APPLICATION_ID:
        raise CaseUnreadable(path=path, reason="it is a database from another program")
    if version > schema.newest():
        raise CaseFromNewerVersion(path=path, found=version, known=schema.newest())
    if version < 1:
        raise CaseCorrupt(path=path, reason="its format number is missing", backups=backups_of(path))
    size = struct.unpack(">H", header[16:18])[0]
    page_size = 65536 if size == 1 else size
    pages, change, valid_for = (struct.unpack(">I", header[offset : offset + 4])[0] for offset in (28, 24, 92))
    has_journal = any(files.is_there(beside(real(path), tail)) for tail in ("-wal", "-journal"))
    if change == valid_for and pages * page_size > info.st_size and not has_journal:
        missing = pages * page_size - info.st_size
        raise CaseCorrupt(path=path, reason=f"its last {missing:,} bytes are missing", backups=backups_of(path))
    return Header(_in_wal_mode(header), None)


def _in_wal_mode(header: bytes) -> bool:
    return header[_VERSIONS : _VERSIONS + len(_WAL_MODE)] == _WAL_MODE


def _first_bytes(path: Path) -> bytes:
    """Read the beginning of an ordinary file; nothing of one that cannot be read, or is no file."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return b""
    try:
        return os.read(file, files.HEAD) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(file)


def is_encrypted(path: Path) -> bool:
    """Return whether a case, which nobody here has open, has a passphrase."""
    return not lock.is_open_here(path) and files.is_encrypted_case(_first_bytes(path))


def unlock(path: Path, passphrase: Passphrase) -> CaseKey | None:
    """Derive the key of a case from its passphrase, reading nothing but its first bytes; None: it needs none.

    Takes half a second. Raises PassphraseWrong, CaseInUse where this process has it open.
    """
    if lock.is_open_here(path):
        raise CaseInUse(path=path, holder="this program itself")
    head = _first_bytes(path)
    return case_key.key_of(head, passphrase, path) if files.is_encrypted_case(head) else None


def case_part(path: Path) -> str:
    """Return what a file has to do with a case: 'is the case that is open', 'belongs to ...'; '' for a file of its own.

    To be asked before such a file is opened for anything: the first kind is not, not even here.
    """
    if lock.is_open_here(path):
        return "is the case that is open, or belongs to it"
    name = _PART_OF_CASE.sub("", path.name)
    whose = path.with_name(name) if name else path  # the root of all folders has no name
    if whose != path and (lock.is_open_here(whose) or files.is_case(_first_bytes(whose))):
        return f"belongs to the case {whose.name}"
    return "is a case" if files.is_case(_first_bytes(path)) else ""


def spare_cases(path: Path) -> None:
    """Raise BadInput when something is to be written at ``path`` and a case, or a part of one, is there."""
    if what := case_part(path):
        raise BadInput(
            reason=f"{path.name} {what}; it was left as it is, and nothing was written.", remedy="Choose another name."
        )


def file_in_wal_mode(path: Path) -> bool:
    """Return whether a case, which nobody has open, says that a write-ahead log belongs to it."""
    return not lock.is_open_here(path) and _in_wal_mode(_first_bytes(path))


def mark(file: int, path: Path, *, wal_mode: bool) -> None:
    """Write into the header of a case whether a write-ahead log belongs to it.

    SQLite itself says that none does only after it deleted the log: a kill in between would leave a case that seems to
    have lost it.
    """
    old, new = (_NO_WAL_MODE, _WAL_MODE) if wal_mode else (_WAL_MODE, _NO_WAL_MODE)
    handle = file if file >= 0 else os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.lseek(handle, _VERSIONS, os.SEEK_SET)
        if os.read(handle, len(old)) == old:
            os.lseek(handle, _VERSIONS, os.SEEK_SET)
            os.write(handle, new)
            if connection.SYNCHRONOUS != "OFF":
                os.fsync(handle)
    finally:
        if handle != file:
            os.close(handle)
