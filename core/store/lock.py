"""The lock of a case: one process at a time, for the whole session, and a note of who that is.

SQLite's own lock on the case is a POSIX lock, and those go as soon as *any* handle of the file is closed in the process
that holds them: a file dialog that opens the case to guess its kind is enough. So this lock does not lie on the handle
of SQLite. It is held twice, each time on a handle of its own that nobody else closes:

- on ``CASE.lock`` beside the case, which also carries the note. That keeps others from this *path*, and so from the
  write-ahead log that lies beside it, even if another file is put there meanwhile. ``flock`` on Linux and macOS, a
  locked byte on Windows.
- on Linux on the case itself, as a lock of the open file description on a byte far beyond those that SQLite locks. That
  keeps others from this *file*, by whatever name: a hard link, another name since, a lock file that was deleted.

Both end with the process, however it ends, so what a killed program leaves stops nobody. On NFS the first is passed on
to the server and holds between computers if the server keeps locks; file systems of the user's own space and network
drives may keep none, or keep them on one computer only. Where none can be had, a note of a process of this computer
that lives is believed.
"""

from __future__ import annotations

import contextlib
import errno
import getpass
import importlib
import json
import os
import platform
import re
import stat
import struct
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import CaseInUse, CaseLockBlocked

Identity = tuple[int, int]  # the device and the number of a file on it

BESIDE = ("-wal", "-journal", "-shm")  # what SQLite keeps beside an open file
_SUFFIX = ".lock"
_LONGEST_NOTE = 4096  # bytes
_FAR = 1 << 40  # a byte that SQLite never locks: its own lie at 2**30
_TRIES = 100  # another process may delete its lock file each time between our opening and locking it
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL)


# --- identities ----------------------------------------------------------------------------------------------------


def real(path: Path) -> Path:
    """Return the place of the file itself, links followed: SQLite keeps what belongs to it beside that."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:  # a name that no file can have
        return path


def identity(path: Path) -> Identity | None:
    """Return which file is at a path; None if there is none."""
    try:
        info = path.stat()
    except (OSError, ValueError):
        return None
    return info.st_dev, info.st_ino


def beside(path: Path, tail: str) -> Path:
    """Return the path of a file that goes with another one: its name with ``tail`` behind it."""
    return path.with_name(path.name + tail)


# Cases open in this process: where each lies, by its identity.
_open_here: dict[Identity, Path] = {}
open_here_lock = threading.Lock()


def note_open(place: Path) -> None:
    """Remember that this process has the case at a place open."""
    if file_identity := identity(place):
        _open_here[file_identity] = place


def note_closed(file: Identity | None) -> None:
    """Forget a case that this process had open."""
    if file is not None:
        _open_here.pop(file, None)


def is_open_here(path: Path) -> bool:
    """Return whether a path is a case that this process has open, by any name, or what is kept beside one."""
    if not _open_here:
        return False
    if identity(path) in _open_here:
        return True
    place = real(path)
    return any(place == beside(case, tail) for case in list(_open_here.values()) for tail in (*BESIDE, _SUFFIX))


# --- the note ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Note:
    """The holder of a case, as the file beside it tells; and which file and which write-ahead log they opened."""

    pid: int
    host: str
    who: str = ""
    since: str = ""
    process_start: str = ""  # in a unit of the system: tells the process from a later one of the same number
    case: Identity | None = None
    wal: Identity | None = None

    def words(self) -> str:
        """Return who it is in one line, for an error."""
        who, since = self.who[:60] or "someone", _minute(self.since) or "?"
        words = f"{who}, process {self.pid!s:.12} on {self.host[:60]}, since {since}"
        return "".join(sign for sign in words if sign.isprintable())

    def lives(self) -> bool:
        """Return whether this is a process of this computer that runs. Believed where that cannot be told for sure."""
        if self.host != platform.node() or self.pid <= 0 or os.name != "posix":
            return False
        try:
            os.kill(self.pid, 0)
        except PermissionError:
            pass
        except (OSError, OverflowError):
            return False
        now = _process_start(self.pid)
        return not (self.process_start and now) or self.process_start == now


def note_path(path: Path) -> Path:
    """Return where the lock of a case lies."""
    return beside(real(path), _SUFFIX)


def read_note(path: Path) -> Note | None:
    """Read the note at ``path``; None if there is none, or something else."""
    try:
        file = os.open(path, os.O_RDONLY | _CAREFUL)
    except (OSError, ValueError):
        return None
    try:
        return _note_in(file) if _ordinary(os.fstat(file)) else None
    except OSError:
        return None
    finally:
        os.close(file)


def holder(path: Path) -> str:
    """Return who has the case open, as far as the note beside it tells."""
    note = read_note(note_path(path))
    return note.words() if note else "another program"


def _minute(time: str) -> str:
    """Return an ISO 8601 time in UTC to the minute, as people read it; another text as it is, cut."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):[\d.]+Z", time)
    return f"{match[1]} {match[2]} UTC" if match else time[:40]


def _note_in(file: int) -> Note | None:
    os.lseek(file, 0, os.SEEK_SET)
    return _note_of(os.read(file, _LONGEST_NOTE))


def _note_of(data: bytes) -> Note | None:
    try:
        note = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(note, dict) or not isinstance(note.get("pid"), int) or not isinstance(note.get("host"), str):
        return None
    who, since, start = (value if isinstance(value := note.get(key), str) else "" for key in _WORDS)
    return Note(note["pid"], note["host"], who, since, start, *(_pair(note.get(key)) for key in ("case", "wal")))


_WORDS = ("who", "since", "started")


def _pair(value: object) -> Identity | None:
    match value:
        case [int(device), int(number)]:
            return device, number
    return None


def _process_start(pid: int) -> str:
    """Return when a process began, in ticks since the computer did; '' where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return fields[19] if len(fields) > 19 else ""


# --- the lock ------------------------------------------------------------------------------------------------------

# A link is not followed, a pipe does not wait for another end, a terminal does not become ours.
_CAREFUL = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))


@dataclass(slots=True)
class Lock:
    """The hold of this process on a case, until it is released."""

    place: Path  # of the lock file
    file: int = -1  # handle of the lock file
    case: int = -1  # handle of the case itself
    log: int = -1  # handle of the write-ahead log
    ours: bool = False  # whether the lock file is a note, and not a file of somebody else that only has its name
    is_released: bool = False

    def write(self, *, who: str, since: str, case: Identity | None, wal: Identity | None) -> None:
        """Leave word of who has the case. It informs; what stops others is the lock."""
        if not self.ours:
            return
        if not who:
            with contextlib.suppress(Exception):
                who = getpass.getuser()
        note = {"pid": os.getpid(), "host": platform.node(), "since": since, "who": who[:200]}
        note |= {"started": _process_start(os.getpid()), "case": case, "wal": wal}
        with contextlib.suppress(OSError):
            os.ftruncate(self.file, 0)
            os.lseek(self.file, 0, os.SEEK_SET)
            os.write(self.file, json.dumps(note).encode())

    def hold_log(self, wal: Path) -> None:
        """Keep others from the write-ahead log too: the lock file may be deleted and another case put at the place."""
        if _WINDOWS:
            return  # a file that is open cannot be replaced there
        with contextlib.suppress(OSError):
            self.log = os.open(wal, os.O_RDWR | _CAREFUL)
            take_handle(self.log)

    def has_name(self) -> bool | None:
        """Return whether the case still has a name somewhere; None if that cannot be told."""
        try:
            return os.fstat(self.case).st_nlink > 0 if self.case >= 0 else None
        except OSError:
            return None

    def release(self, *, leave_note: bool = False) -> None:
        """Let others have the case. Safe to call twice.

        Only after SQLite closed it: closing a handle here drops its locks.
        """
        if self.is_released:
            return
        self.is_released = True
        # Deleted while it is locked: whoever opened it meanwhile sees that it is not the file of that name any more.
        if self.ours and not leave_note and not _WINDOWS and at(self.place) == _identity_of(self.file):
            with contextlib.suppress(OSError):
                self.place.unlink()
        for file in (self.log, self.case, self.file):
            if file >= 0:
                with contextlib.suppress(OSError):
                    os.close(file)
        if self.ours and not leave_note and _WINDOWS:  # a file that is open cannot be deleted there
            with contextlib.suppress(OSError):
                self.place.unlink()


_WINDOWS = sys.platform == "win32"


def take(path: Path) -> Lock:
    """Lock the case at ``path``, or the place for a new one. Raises CaseInUse, CaseLockBlocked, OSError."""
    place = note_path(path)
    for _ in range(_TRIES):
        file = _open(place, path)
        try:
            got = take_handle(file)
            if got is False:
                raise CaseInUse(path=path, holder=holder(path))
            if at(place) != _identity_of(file):
                os.close(file)
                continue
            data = os.pread(file, _LONGEST_NOTE, 0) if hasattr(os, "pread") else os.read(file, _LONGEST_NOTE)
            note = _note_of(data)
            if got is None and note is not None and note.lives():
                raise CaseInUse(path=path, holder=note.words())
        except BaseException:
            os.close(file)
            raise
        # Empty, or the zeros of a power cut: a note that was never written.
        lock = Lock(place, file, ours=note is not None or not data.strip(b"\0"))
        try:
            lock.case = _take_case(path)
        except BaseException:
            lock.release()
            raise
        return lock
    raise CaseInUse(path=path, holder=holder(path))


def held_elsewhere(path: Path) -> bool:
    """Return whether another process has a case that is only to be looked at: nothing is written or created."""
    place = note_path(path)
    note = read_note(place)
    return (note is not None and note.lives()) or _has_lock(place)


def log_held(wal: Path) -> bool:
    """Return whether another process writes to a write-ahead log."""
    return not _WINDOWS and _has_lock(wal)


def _has_lock(place: Path) -> bool:
    try:
        file = os.open(place, os.O_RDONLY | _CAREFUL)
    except OSError:
        return False
    try:
        return _ordinary(os.fstat(file)) and take_handle(file, share=True) is False
    except OSError:
        return False
    finally:
        os.close(file)


def _open(place: Path, path: Path) -> int:
    try:
        file = os.open(place, os.O_RDWR | os.O_CREAT | _CAREFUL, 0o666)
    except OSError as error:
        what = _odd(place)
        if what:
            raise CaseLockBlocked(path=path, lock=place.name, what=what) from error
        raise
    info = os.fstat(file)
    if place.is_symlink() or not _ordinary(info):  # the first where the system cannot refuse links
        os.close(file)
        raise CaseLockBlocked(path=path, lock=place.name, what=_odd(place) or "is not an ordinary file")
    if not info.st_size and hasattr(os, "fchmod"):  # whoever may write the case may lock it
        with contextlib.suppress(OSError):
            os.fchmod(file, path.stat().st_mode & 0o666)
    return file


def _odd(place: Path) -> str:
    """Return why something that is where the lock should be cannot be one; '' where it can."""
    try:
        info = place.lstat()
    except OSError:
        return ""
    if stat.S_ISLNK(info.st_mode):
        return "is a link"
    if stat.S_ISDIR(info.st_mode):
        return "is a folder"
    if not stat.S_ISREG(info.st_mode):
        return "is not an ordinary file"
    return "" if _ordinary(info) else "is a second name of another file"


def _ordinary(info: os.stat_result) -> bool:
    # A file that lost its last name meanwhile is ordinary; that it is not the one at the path is noticed later.
    return stat.S_ISREG(info.st_mode) and info.st_nlink <= 1


def _identity_of(file: int) -> Identity | None:
    try:
        info = os.fstat(file)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def at(place: Path) -> Identity | None:
    """Return which file is at a path itself, no link followed; None if there is none."""
    try:
        info = place.lstat()
    except OSError:
        return None
    return info.st_dev, info.st_ino


def take_handle(file: int, *, share: bool = False, system: str = sys.platform) -> bool | None:
    """Lock an open file until its handle is closed: True; False where another has it, None if nothing is locked."""
    module: Any = importlib.import_module("msvcrt" if system == "win32" else "fcntl")
    try:
        if system == "win32":
            # A locked byte cannot be read by others there, so it is one behind the note.
            os.lseek(file, 1 << 30, os.SEEK_SET)
            module.locking(file, module.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            module.flock(file, (module.LOCK_SH if share else module.LOCK_EX) | module.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        if error.errno in _NO_LOCKS:
            return None
        raise
    return True


def _take_case(path: Path) -> int:
    """Open a handle of the case that keeps others from it, where the system can; -1 for one that is not there yet."""
    if _WINDOWS:
        return -1  # a handle of ours would keep SQLite's own from being the only one
    try:
        file = os.open(real(path), os.O_RDWR | _CAREFUL)
    except FileNotFoundError:
        return -1
    if take_far_byte(file) is False:
        os.close(file)
        raise CaseInUse(path=path, holder=holder(path))
    return file


def take_far_byte(file: int, system: str = sys.platform) -> bool | None:
    """Lock the case itself, as ``take_handle``. Not with ``flock``: on some systems that is SQLite's kind of lock."""
    if system != "linux":
        return None
    fcntl: Any = importlib.import_module("fcntl")
    request = struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, _FAR, 1, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, request)
    except OSError as error:
        return False if error.errno in (errno.EAGAIN, errno.EACCES) else None
    return True
