"""Opening the database: the engine's floor, every setting of a connection, the lock, and looking before opening.

The file may come from anybody. So its first 100 bytes are judged before SQLite sees it, nothing in it can run code
(no triggers, views or extensions; schema not trusted), and its tables are compared with ours before any is read.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import importlib.util
import json
import os
import re
import shutil
import stat
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.errors import (
    AppError,
    BadInput,
    CannotWrite,
    CaseClosed,
    CaseCorrupt,
    CaseFromNewerVersion,
    CaseInUse,
    CaseMoved,
    CaseNotFound,
    CaseReadOnly,
    CaseUnfinished,
    CaseUnreadable,
    DiskFull,
    EngineTooOld,
    IndexDamaged,
    NoRoom,
)
from core.store import lock, schema
from core.store.lock import BESIDE, Identity, beside, identity, real

# SQLite up to 3.51.2 can lose committed writes in WAL mode (sqlite.org/wal.html, "the WAL-reset bug").
SQLITE_FLOOR = (3, 51, 3)
SYNCHRONOUS = "FULL"  # what was told to be saved is on the disk, not only with the operating system

_HEADER = 100
_VERSIONS, _WAL_MODE, _NO_WAL_MODE = 18, b"\2\2", b"\1\1"  # where the header says whether a log belongs to the file
_CHECKED_WHOLE = 64_000_000  # bytes of a case that is checked whole at each opening, about 0.1 s
_MAGIC = b"SQLite format 3\0"


# --- the engine ----------------------------------------------------------------------------------------------------


def _vec0() -> str:
    """The vec0 library of the installed sqlite-vec, as an absolute path without suffix.

    Found without importing the package: that would load numpy and Python's own sqlite3, a second SQLite in one process.
    """
    spec = importlib.util.find_spec("sqlite_vec")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders:
        raise EngineTooOld(reason="the vector search library sqlite-vec is not installed")
    return str(Path(folders[0]).resolve() / "vec0")


def load_vec0(db: apsw.Connection) -> None:
    """Give a connection the functions of sqlite-vec, and take away the power to load anything else."""
    db.enable_load_extension(True)
    try:
        db.load_extension(_vec0())
    except apsw.Error as error:
        raise EngineTooOld(reason=f"the vector search library vec0 cannot be loaded ({error})") from error
    finally:
        db.enable_load_extension(False)


@functools.cache
def check_engine() -> dict[str, str]:
    """Return the versions in use: {'sqlite', 'apsw', 'vec0'}. Raises EngineTooOld when one is unfit."""
    version = apsw.sqlite_lib_version()
    if tuple(int(part) for part in version.split(".")[:3]) < SQLITE_FLOOR:
        floor = ".".join(map(str, SQLITE_FLOOR))
        raise EngineTooOld(reason=f"SQLite is {version}; versions before {floor} can lose saved work")
    db = apsw.Connection(":memory:")
    try:
        load_vec0(db)
        try:
            db.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1)")
        except apsw.Error as error:
            raise EngineTooOld(reason=f"SQLite {version} was built without full text search") from error
        return {"sqlite": version, "apsw": apsw.apsw_version(), "vec0": str(db.execute("SELECT vec_version()").get)}
    finally:
        db.close()


# --- errors at the seam --------------------------------------------------------------------------------------------


def backups_of(path: Path) -> Path:
    """Return the folder of copies made before a change of format."""
    return path.parent / f"{path.stem} backups"  # the root of all folders has no name


def _no_room(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < 1 << 16
    except OSError:
        return False


def app_error(error: apsw.Error, path: Path) -> AppError | None:
    """Return the person's side of a database error; None for one that only a bug can cause."""
    match error:
        case apsw.FullError():
            return DiskFull(path=path)
        case apsw.BusyError() | apsw.LockedError():
            return CaseInUse(path=path, holder=lock.holder(path))
        case apsw.CorruptError() | apsw.NotADBError() | apsw.FormatError():
            return CaseCorrupt(path=path, reason=_short(error), backups=backups_of(path))
        case apsw.ReadOnlyError():
            return CaseReadOnly(path=path)
        case apsw.ConnectionClosedError():
            return CaseClosed(path=path)
        case apsw.IOError():
            if getattr(error, "extendedresult", 0) in (apsw.SQLITE_IOERR_CORRUPTFS, apsw.SQLITE_IOERR_DATA):
                return CaseCorrupt(path=path, reason=_short(error), backups=backups_of(path))
            # Opening a case writes a little; where not even that has room, some file systems call it an error.
            full = NoRoom(path=path) if _no_room(path) else None
            return full or CaseUnreadable(path=path, reason="the disk reported an error")
        case apsw.CantOpenError() | apsw.PermissionsError() | apsw.AuthError():
            return CaseUnreadable(path=path, reason="it cannot be opened")
        case apsw.TooBigError() if "schema" in str(error):  # a garbled definition of a table
            return CaseCorrupt(path=path, reason=_short(error), backups=backups_of(path))
        case apsw.SQLError() | apsw.ConstraintError() if any(
            word in str(error) for word in (schema.WORD_TABLE, "fts5")
        ):
            return IndexDamaged(path=path, reason=_short(error))
        case apsw.SQLError() if "JSON" in str(error):  # a list or table in a column
            return CaseCorrupt(path=path, reason="a value in it is garbled", backups=backups_of(path))
        case apsw.NoMemError():
            return CaseUnreadable(path=path, reason="there is not enough memory")
    return None


@contextlib.contextmanager
def seam(path: Path) -> Iterator[None]:
    """Turn database errors that a person can do something about into AppErrors."""
    try:
        yield
    except apsw.Error as error:
        for_people = app_error(error, path)
        if for_people is None:
            raise
        raise for_people from error
    except UnicodeDecodeError as error:  # every text was written as UTF-8
        raise CaseCorrupt(path=path, reason="a text in it is garbled", backups=backups_of(path)) from error
    except json.JSONDecodeError as error:  # and every list or table in a column as JSON
        raise CaseCorrupt(path=path, reason="a value in it is garbled", backups=backups_of(path)) from error


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


# --- looking before opening ----------------------------------------------------------------------------------------


def _look(path: Path) -> bool:
    """Judge the file by its kind, size and first 100 bytes. Writes nothing, never opens a case that is open here.

    Returns whether it says that a write-ahead log belongs to it: that is so while a case is open, and after a kill.
    """
    try:
        info = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise CaseNotFound(path=path) from None
    except (OSError, ValueError) as error:
        raise CaseUnreadable(path=path, reason=_os_reason(error)) from error
    if stat.S_ISDIR(info.st_mode):
        raise CaseUnreadable(path=path, reason="it is a folder")
    if not stat.S_ISREG(info.st_mode):
        raise CaseUnreadable(path=path, reason="it is not an ordinary file")
    if lock.is_open_here(path):
        raise CaseInUse(path=path, holder="this program itself")
    if info.st_size == 0:
        raise CaseUnreadable(path=path, reason="it is empty")
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise CaseUnreadable(path=path, reason=_os_reason(error)) from error
    if len(header) < _HEADER or not header.startswith(_MAGIC):
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
    pages, change, valid_for = (struct.unpack(">I", header[at : at + 4])[0] for at in (28, 24, 92))
    has_journal = any(beside(real(path), tail).exists() for tail in ("-wal", "-journal"))
    if change == valid_for and pages * page_size > info.st_size and not has_journal:
        missing = pages * page_size - info.st_size
        raise CaseCorrupt(path=path, reason=f"its last {missing:,} bytes are missing", backups=backups_of(path))
    return _in_wal_mode(header)


def _in_wal_mode(header: bytes) -> bool:
    return header[_VERSIONS : _VERSIONS + len(_WAL_MODE)] == _WAL_MODE


def _first_bytes(path: Path) -> bytes:
    """Read the beginning of an ordinary file; nothing of one that cannot be read, or is no file."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return b""
    try:
        return os.read(file, _HEADER) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(file)


def is_case(data: bytes) -> bool:
    """Tell whether a file that begins so is a case."""
    return data.startswith(_MAGIC) and data[68:72] == struct.pack(">I", schema.APPLICATION_ID)


_PART_OF_CASE = re.compile(r"(?:(?:-wal|-journal|-shm)(?:\.left-[0-9]+)?|\.lock)$")


def case_part(path: Path) -> str:
    """Say what a file has to do with a case: 'is the case that is open', 'belongs to ...'; '' for a file of its own.

    To be asked before such a file is opened for anything: the first kind is not, not even here.
    """
    if lock.is_open_here(path):
        return "is the case that is open, or belongs to it"
    name = _PART_OF_CASE.sub("", path.name)
    whose = path.with_name(name) if name else path  # the root of all folders has no name
    if whose != path and (lock.is_open_here(whose) or is_case(_first_bytes(whose))):
        return f"belongs to the case {whose.name}"
    return "is a case" if is_case(_first_bytes(path)) else ""


def spare_cases(path: Path) -> None:
    """Raise BadInput when something is to be written at ``path`` and a case, or a part of one, stands there."""
    if what := case_part(path):
        raise BadInput(
            reason=f"{path.name} {what}; it was left as it is, and nothing was written.",
            remedy="Choose another name.",
        )


def _os_reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or _short(error)


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(real(path).parent, os.W_OK)


def _private_copy(path: Path, *, wal_mode: bool) -> tempfile.TemporaryDirectory[str]:
    """Copy the case and its journal into a folder of our own, for viewing where nothing can be written.

    SQLite itself could open such a file with ``immutable``, but then drops what only the journal holds.
    """
    if lock.held_elsewhere(path):
        raise CaseInUse(path=path, holder=lock.holder(path))
    folder = tempfile.TemporaryDirectory(prefix="disconfirm-view-")
    try:
        for tail in ("", "-wal", "-journal") if wal_mode else ("", "-journal"):
            source = beside(real(path), tail)
            if source.exists():
                shutil.copyfile(source, Path(folder.name) / (path.name + tail))
    except OSError as error:
        folder.cleanup()
        if error.errno == errno.ENOSPC:
            raise DiskFull(path=folder.name) from error
        raise CaseUnreadable(path=path, reason=_os_reason(error)) from error
    except BaseException:
        folder.cleanup()
        raise
    return folder


# --- opening -------------------------------------------------------------------------------------------------------


CACHE = 32_000  # KiB of the file that are kept in memory
SMALL_CACHE = 6_000  # while documents are added: what is written then is not read again soon


def settle(db: apsw.Connection) -> None:
    """Put in force every setting of a connection that does not touch the file."""
    for option, value in (
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        (apsw.SQLITE_DBCONFIG_DQS_DDL, 0),
        (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
    ):
        db.config(option, value)
    load_vec0(db)
    for limit, value in (
        (apsw.SQLITE_LIMIT_LENGTH, 1_000_000_000),
        (apsw.SQLITE_LIMIT_SQL_LENGTH, 100_000),
        (apsw.SQLITE_LIMIT_ATTACHED, 0),
        (apsw.SQLITE_LIMIT_WORKER_THREADS, 0),
    ):
        db.limit(limit, value)
    db.set_busy_timeout(0)
    for pragma in (
        "cell_size_check = ON",
        "mmap_size = 0",
        "trusted_schema = OFF",
        "secure_delete = ON",
        "temp_store = MEMORY",
        "foreign_keys = ON",
        "recursive_triggers = OFF",
        f"cache_size = -{CACHE}",
    ):
        db.execute(f"PRAGMA {pragma}").fetchall()


@dataclass(slots=True)
class CaseHandle:
    """An open database.

    ``copy`` is the private folder of a case that can only be viewed; ``lock`` keeps any other case to this process.
    ``place`` is where its file lies, links followed, and ``file`` and ``wal`` say which it is. ``incomplete``: it was
    opened without its last changes. ``began_in_wal_mode``: the file said, before it was opened, that a log belongs to
    it, so it was not closed; ``had_log``: there was one. ``says_closed``: it says that none does, while it is
    elsewhere. ``rescue_copy`` is the copy that was made since its file was gone.
    """

    db: apsw.Connection
    path: Path
    copy: tempfile.TemporaryDirectory[str] | None
    lock: lock.Lock | None
    place: Path
    file: Identity | None
    wal: Identity | None = None
    rescue_copy: Path | None = None
    incomplete: bool = False
    began_in_wal_mode: bool = False
    had_log: bool = False
    says_closed: bool = False

    def begin_log(self) -> None:
        """Write to a write-ahead log from now on. The file says so from then until it is closed."""
        with seam(self.path):
            wal = beside(self.place, "-wal")
            if self.copy is None and self.wal is None:
                # Before the case says that it has one: a kill in between must not look like one that was lost.
                self.wal = _make_empty(wal, self.place)
            self.db.execute("PRAGMA journal_mode = WAL").fetchall()
            self.db.execute("PRAGMA journal_size_limit = 67108864").fetchall()
            self.db.execute("BEGIN IMMEDIATE")  # begins the write-ahead log
            self.db.execute("COMMIT")
        if self.copy is None:
            self.wal = identity(wal)
            if self.lock is not None:
                self.lock.hold_log(wal)

    @property
    def read_only(self) -> bool:
        """Tell whether the case can only be viewed."""
        return self.copy is not None

    def sign(self, *, who: str, since: str) -> None:
        """Leave word beside the case of who has it open."""
        if self.lock is not None:
            self.lock.write(who=who, since=since, case=self.file, wal=self.wal)

    def in_place(self) -> bool:
        """Tell whether the case and its write-ahead log are still the files that were opened, at their places.

        What is written to others is lost: nobody will look there.
        """
        return identity(self.place) == self.file and identity(beside(self.place, "-wal")) == self.wal

    def check_place(self) -> None:
        """Raise CaseMoved where something that is written now would be lost, and bring what was saved to safety."""
        if self.lock is None or self.lock.is_released:
            return
        if self.in_place():
            if self.says_closed:
                mark(self.lock.case, self.place, wal_mode=True)
                self.says_closed = False
            return
        is_elsewhere = identity(self.place) != self.file
        whole = self._take_in_wal()
        if whole and self.wal is not None and not self.says_closed:  # it is not beside its log any more, and needs none
            with contextlib.suppress(OSError):
                mark(self.lock.case, self.place, wal_mode=False)
                self.says_closed = True
        if not is_elsewhere:
            what, there = "separated from its write-ahead log", whole
            remedy = "Close the case and open it again: everything that was saved before is in it."
        elif self.lock.linked():
            what, there = "renamed or moved", whole
            remedy = "Close the case and open it under its new name: everything that was saved before is in it."
        else:
            what = "replaced" if self.place.exists() else "removed"
            there = self._rescue()
            remedy = f"Close the case and open {self.rescue_copy}: everything that was saved before is in it."
        if not there:
            remedy = "What was saved before can still be seen here: write a report before you close the case."
        raise CaseMoved(path=self.path, what=what, remedy=remedy)

    def _take_in_wal(self) -> bool:
        """Write what was saved into the case itself, wherever that is; whether it worked."""
        try:
            busy, *_ = self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
        except apsw.Error:
            return False
        return not busy

    def _rescue(self) -> bool:
        """Write a copy of a case whose file is gone beside the place where it was, once; whether there is one."""
        if self.rescue_copy is None:
            number = 1
            while (target := self.place.with_name(f"{self.place.stem} rescued-{number}{self.place.suffix}")).exists():
                number += 1
            try:
                copy_into(self.db, target)
            except (AppError, apsw.Error):
                return False
            self.rescue_copy = target
        return True

    def close(self, *, all_named: bool = True) -> None:
        """Leave a single whole file behind where that is possible, wherever it is now. Safe to call twice.

        ``all_named``: the log of decisions names all records; else the file goes on saying that it was not closed.
        """
        whole = True
        if self.copy is None and self.lock is not None and not self.lock.is_released:
            # A full disk must not keep anybody from closing: the next opening finds the journal and goes on.
            wal = beside(self.place, "-wal")
            whole = self._take_in_wal() or (identity(wal) == self.wal is not None and not wal.stat().st_size)
            if identity(self.place) != self.file and self.lock.linked() is False and self.place.exists():
                self._rescue()  # whoever removes a case wants it gone; who puts another there, seldom
        self._release(whole=whole, leave_note=not whole, all_named=all_named)

    def abandon(self) -> None:
        """Let go of a file that turned out to be unfit, writing nothing to it."""
        self._release(whole=False)

    def _release(self, *, whole: bool, leave_note: bool = False, all_named: bool = True) -> None:
        with contextlib.suppress(apsw.Error):
            self.db.close(True)
        if self.lock is not None and not self.lock.is_released:
            if all_named:
                with contextlib.suppress(OSError):
                    self._end_log(whole)
            lock.note_closed(self.file)
            self.lock.release(leave_note=leave_note)
        if self.copy is not None:
            self.copy.cleanup()

    def _end_log(self, whole: bool) -> None:
        """Have a case that is whole say so, and take away its log: in this order, which a kill may cut short."""
        if self.wal is None or self.lock is None:
            return
        wal = beside(self.place, "-wal")
        ours = identity(wal) == self.wal
        empty = ours and not wal.stat().st_size
        if whole or (empty and not self.began_in_wal_mode):
            mark(self.lock.case, self.place, wal_mode=False)
        elif self.had_log:
            return
        if empty:
            wal.unlink()


def _make_empty(wal: Path, case: Path) -> Identity | None:
    """Make an empty log that whoever may write the case may write. Raises DiskFull, CaseUnreadable."""
    try:
        file = os.open(wal, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        with contextlib.suppress(OSError, AttributeError):
            os.fchmod(file, case.stat().st_mode & 0o666)
        os.close(file)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(path=case) from error
        raise CaseUnreadable(path=case, reason=_os_reason(error)) from error
    return identity(wal)


def mark(file: int, path: Path, *, wal_mode: bool) -> None:
    """Write into the header of a case whether a write-ahead log belongs to it.

    SQLite itself says that none does only after it deleted the log: a kill in between would leave a case that seems to
    have lost it.
    """
    old, new = (_NO_WAL_MODE, _WAL_MODE) if wal_mode else (_WAL_MODE, _NO_WAL_MODE)
    own = file if file >= 0 else os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.lseek(own, _VERSIONS, os.SEEK_SET)
        if os.read(own, len(old)) == old:
            os.lseek(own, _VERSIONS, os.SEEK_SET)
            os.write(own, new)
            if SYNCHRONOUS != "OFF":
                os.fsync(own)
    finally:
        if own != file:
            os.close(own)


def open_case(path: Path, *, without_unsaved: bool = False) -> CaseHandle:
    """Open the case at ``path``, hold it alone, and make sure that it is one of ours. Not yet migrated.

    Raises CaseNotFound, CaseInUse, CaseLockBlocked, CaseUnreadable, CaseCorrupt, CaseFromNewerVersion, EngineTooOld,
    and CaseUnfinished unless ``without_unsaved``.
    """
    check_engine()
    with lock.open_here_lock:
        wal_mode = _look(path)
        place, copy, guard = real(path), None, None
        if _writable(path):
            guard = _locked(path)
            lock.note_open(place)
        else:
            incomplete = _incomplete(place, identity(place), wal_mode=wal_mode, without_unsaved=without_unsaved)
            copy = _private_copy(path, wal_mode=wal_mode)
    file = identity(place)
    try:
        if guard is not None:
            if lock.log_held(beside(place, "-wal")):
                raise CaseInUse(path=path, holder=lock.holder(path))
            _return_wal(place, file, wal_mode=wal_mode)
            incomplete = _incomplete(place, identity(place), wal_mode=wal_mode, without_unsaved=without_unsaved)
            _clear_log(place, file, wal_mode=wal_mode)
        handle = _connect(path, copy, guard, place, file, wal_mode=wal_mode)
        handle.incomplete = incomplete
        return handle
    except BaseException:
        if guard is not None and not guard.is_released:
            lock.note_closed(file)
            guard.release()
        if copy is not None:
            copy.cleanup()
        raise


def _locked(path: Path) -> lock.Lock:
    try:
        return lock.take(path)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(path=path) from error
        raise CaseUnreadable(path=path, reason=f"it cannot be locked: {_os_reason(error)}") from error


def _connect(
    path: Path,
    copy: tempfile.TemporaryDirectory[str] | None,
    guard: lock.Lock | None,
    place: Path,
    file: Identity | None,
    *,
    wal_mode: bool,
) -> CaseHandle:
    at = place if copy is None else Path(copy.name) / path.name
    had_log = beside(place, "-wal").exists()
    with seam(path):
        db = apsw.Connection(str(at), flags=apsw.SQLITE_OPEN_READWRITE)
        handle = CaseHandle(db, path, copy, guard, place, file, began_in_wal_mode=wal_mode, had_log=had_log)
        try:
            # Exclusive before the first look: no -shm file, and a second program is told at once.
            db.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            # What SQLite deletes by name may belong to another file, or to the process that this one was forked from.
            db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            settle(db)
            db.execute(f"PRAGMA synchronous = {SYNCHRONOUS}").fetchall()
            db.execute("BEGIN EXCLUSIVE")
            db.execute("COMMIT")
            handle.wal = identity(beside(place, "-wal"))
            _check(db, path)
            quick_check(db, path)
        except BaseException:
            handle.wal = identity(beside(place, "-wal"))
            handle.abandon()
            raise
    return handle


def _file_in_wal_mode(path: Path) -> bool:
    """Tell whether a case, which nobody has open, says that a write-ahead log belongs to it."""
    return not lock.is_open_here(path) and _in_wal_mode(_first_bytes(path))


def _return_wal(place: Path, file: Identity | None, *, wal_mode: bool) -> None:
    """Give the write-ahead log of a killed program to the case that it was written for.

    SQLite goes by names. A case that was renamed while it was open has its last decisions in a log of the old name; and
    another file that was put at the old place would have them written over it. The note says which log and which case
    belonged together; without one, or after both were copied, names are all there is.
    """
    wal = beside(place, "-wal")
    note = lock.read_note(lock.note_path(place))
    if note is not None and note.wal is not None and note.wal == identity(wal) and note.case not in (None, file):
        try:
            heirs = (each for each in place.parent.iterdir() if lock.at(each) == note.case and _file_in_wal_mode(each))
            new = next((wal_of for each in heirs if not (wal_of := beside(each, "-wal")).exists()), None)
            if new is not None:
                wal.rename(new)
        except OSError as error:
            raise CaseUnreadable(path=place, reason=_os_reason(error)) from error
    if not wal_mode or wal.exists():
        return
    for beside_it in sorted(place.parent.glob("*.lock")):
        note = lock.read_note(beside_it)
        left = beside_it.with_name(f"{beside_it.name.removesuffix('.lock')}-wal")
        if note is not None and note.case == file and note.wal is not None and note.wal == identity(left):
            with contextlib.suppress(OSError):
                left.rename(wal)
            return


def _incomplete(place: Path, file: Identity | None, *, wal_mode: bool, without_unsaved: bool) -> bool:
    """Tell whether changes that belong to a case, or to another at its place, are not in it.

    Raises CaseUnfinished then, unless it is to be opened without them.
    """
    wal = beside(place, "-wal")
    try:
        size, names = wal.stat().st_size if wal.exists() else None, place.stat().st_nlink
    except OSError as error:
        raise CaseUnreadable(path=place, reason=_os_reason(error)) from error
    anyway = "To go on without them: disconfirm COMMAND CASE --without-unsaved. Its log will say so."
    strange = _is_strange(place, file, wal_mode=wal_mode)
    if strange and size and not without_unsaved:
        what = f"{wal.name} beside it holds changes that are not from this file, which was replaced or closed since"
        remedy = f"To have these changes, put back the file that was here before. {anyway}"
        raise CaseUnfinished(path=place, what=what, remedy=f"{remedy} {wal.name} is then kept under another name.")
    if not wal_mode or (size is not None and not strange):
        return bool(strange and size)
    what = f"it was not closed properly the last time, and the file with its last changes, {wal.name}, is not beside it"
    if names > 1:
        remedy = "This file has another name too (a hard link): open it by that, or open a copy of the file."
        raise CaseUnfinished(path=place, what=what, remedy=remedy, way_on=False)
    if without_unsaved:
        return True
    remedy = (
        "It is where the case was then, under the name that the case had then with -wal at its end: put it beside "
        f"the case as {wal.name} and open the case again. {anyway}"
    )
    raise CaseUnfinished(path=place, what=what, remedy=remedy)


def check_finished(path: Path) -> None:
    """Raise CaseUnfinished for a case that lacks its last changes."""
    _incomplete(real(path), identity(path), wal_mode=_file_in_wal_mode(path), without_unsaved=False)


def _is_strange(place: Path, file: Identity | None, *, wal_mode: bool) -> bool:
    """Tell whether the write-ahead log that lies beside a case is not its own. A case that was closed has none."""
    wal = identity(beside(place, "-wal"))
    note = lock.read_note(lock.note_path(place))
    if wal is None:
        return False
    return not wal_mode or (note is not None and note.wal == wal and note.case not in (None, file))


def _clear_log(place: Path, file: Identity | None, *, wal_mode: bool) -> None:
    """Take a log that is not of this case out of SQLite's way.

    Likewise an empty one where the case may be put back by a journal to what it was before it had one: SQLite would
    write to the log, and the case not say so.
    """
    wal = beside(place, "-wal")
    if not wal.exists():
        return
    empty, strange = not wal.stat().st_size, _is_strange(place, file, wal_mode=wal_mode)
    if empty and (strange or beside(place, "-journal").exists()):
        wal.unlink()
    elif strange:
        _move_away(wal)


def _check(db: apsw.Connection, path: Path) -> None:
    """Refuse a file that is newer, damaged, or holds anything that we did not put there."""
    version = schema.user_version(db)  # again: the journal may hold a newer one than the header
    if version > schema.newest():
        raise CaseFromNewerVersion(path=path, found=version, known=schema.newest())
    try:
        oddity = schema.oddity(db)
    except apsw.SQLError as error:
        oddity = _short(error)
    if oddity:
        raise CaseCorrupt(path=path, reason=oddity, backups=backups_of(path))


def bring_up_to_date(handle: CaseHandle, *, at: str) -> None:
    """Migrate a case of an older format, after a checked copy of it was put into the folder of backups."""
    version = schema.user_version(handle.db)
    if version >= schema.newest():
        return
    if not handle.read_only:
        copy_into(
            handle.db, backups_of(handle.path) / f"{handle.path.stem} format {version} {_for_name(at)}.disconfirm"
        )
    schema.migrate(handle.db)
    # The format number must stand in the file itself: an older program looks only there.
    handle.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _for_name(at: str) -> str:
    return at[:19].replace(":", "").replace("T", " ")


def quick_check(db: apsw.Connection, path: Path) -> None:
    """Raise CaseCorrupt when a table that cannot be made again is not well formed.

    The tables with the bulk of a case are left out of a large one, where this would take seconds; their rows are
    proven by hashes when they are read.
    """
    left_out = {"original", "page", "vector"} if _size(db) > _CHECKED_WHOLE else set()
    for table in sorted(set(schema.lasting(db)) - left_out):
        report = str(db.execute(f"PRAGMA quick_check({table})").get)
        if report != "ok":
            raise CaseCorrupt(path=path, reason=" ".join(report.split())[:120], backups=backups_of(path))


def _size(db: apsw.Connection) -> int:
    return int(db.execute("PRAGMA page_count").get) * int(db.execute("PRAGMA page_size").get)


def copy_into(db: apsw.Connection, target: Path) -> None:
    """Write a whole, compact copy of the open case to ``target``, opened and checked before it gets that name."""
    part = target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        limit = db.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)  # VACUUM attaches its target
        try:
            db.execute("VACUUM INTO ?", (str(part),))
        finally:
            db.limit(apsw.SQLITE_LIMIT_ATTACHED, limit)
        copy = apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            settle(copy)
            quick_check(copy, part)
        finally:
            copy.close()
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(path=target) from error
        raise CannotWrite(path=target, reason=_os_reason(error)) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _move_away(left: Path) -> None:
    number = 1
    while (target := left.with_name(f"{left.name}.left-{number}")).exists():
        number += 1
    left.rename(target)


def _clear_leftovers(path: Path) -> None:
    """Move away what a killed program left of a case that was deleted since: it would be mixed into a new one.

    It may hold decisions that were never copied into the deleted file, so it is kept under another name.
    """
    for suffix in BESIDE:
        left = beside(path, suffix)
        if left.exists() and not path.exists():
            _move_away(left)


def move_case(path: Path, target: Path) -> None:
    """Rename a case that nobody has open, together with what a killed program left beside it."""
    for suffix in ("", *BESIDE):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(target.with_name(target.name + suffix))


def create_case(path: Path) -> None:
    """Write an empty case of the newest format, which appears at ``path`` whole or not at all.

    Raises CaseExists by way of FileExistsError, CannotWrite, DiskFull.
    """
    check_engine()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    guard = lock.take(path)  # who removed the file of an open case must not make another at its place
    try:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
        with seam(path):
            db = apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            try:
                settle(db)
                db.execute("PRAGMA page_size = 4096").fetchall()
                db.execute(f"PRAGMA synchronous = {SYNCHRONOUS}").fetchall()
                db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}").fetchall()
                schema.migrate(db)
            finally:
                db.close()
        _clear_leftovers(path)
        try:
            os.link(part, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if path.exists():
                raise FileExistsError(errno.EEXIST, "exists", str(path)) from None
            part.rename(path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        guard.release()
