"""Opening the database: the engine's floor, every setting of a connection, the lock, and looking before opening.

The file may come from anybody. So its first 100 bytes are judged before SQLite sees it, nothing in it can run code
(no triggers, views or extensions; schema not trusted), and its tables are compared with ours before any is read.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import getpass
import importlib.util
import json
import os
import platform
import shutil
import stat
import struct
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.errors import (
    AppError,
    CannotWrite,
    CaseClosed,
    CaseCorrupt,
    CaseFromNewerVersion,
    CaseInUse,
    CaseNotFound,
    CaseReadOnly,
    CaseUnreadable,
    DiskFull,
    EngineTooOld,
    IndexDamaged,
    NoRoom,
)
from core.store import schema

# SQLite up to 3.51.2 can lose committed writes in WAL mode (sqlite.org/wal.html, "the WAL-reset bug").
SQLITE_FLOOR = (3, 51, 3)
SYNCHRONOUS = "FULL"  # what was told to be saved is on the disk, not only with the operating system

_HEADER = 100
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
    """Give a connection the vec0 module, and take away the power to load anything else."""
    db.enable_load_extension(True)
    try:
        db.load_extension(_vec0())
    except apsw.Error as error:
        raise EngineTooOld(reason=f"the vector search library vec0 cannot be loaded ({error})") from error
    finally:
        db.enable_load_extension(False)


@functools.cache
def check_engine() -> dict[str, str]:
    """The versions in use: {'sqlite', 'apsw', 'vec0'}. Raises EngineTooOld when one is unfit."""
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
    """The folder of copies made before a change of format."""
    return path.with_name(f"{path.stem} backups")


def _no_room(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < 1 << 16
    except OSError:
        return False


def app_error(error: apsw.Error, path: Path) -> AppError | None:
    """The person's side of a database error; None for one that only a bug can cause."""
    match error:
        case apsw.FullError():
            return DiskFull(path=path)
        case apsw.BusyError() | apsw.LockedError():
            return CaseInUse(path=path, holder=holder(path))
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
            word in str(error) for word in (schema.WORD_TABLE, schema.VECTOR_TABLE, "fts5")
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
        known = app_error(error, path)
        if known is None:
            raise
        raise known from error
    except UnicodeDecodeError as error:  # every text was written as UTF-8
        raise CaseCorrupt(path=path, reason="a text in it is garbled", backups=backups_of(path)) from error
    except json.JSONDecodeError as error:  # and every list or table in a column as JSON
        raise CaseCorrupt(path=path, reason="a value in it is garbled", backups=backups_of(path)) from error


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


# --- who has it ----------------------------------------------------------------------------------------------------


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def write_note(path: Path, *, who: str, since: str) -> None:
    """Leave word beside the case of who has it open. It only informs: the database's own lock decides."""
    if not who:
        with contextlib.suppress(Exception):
            who = getpass.getuser()
    note = {"pid": os.getpid(), "host": platform.node(), "since": since, "who": who}
    with contextlib.suppress(OSError):
        _note(path).write_text(json.dumps(note), "utf-8")


def remove_note(path: Path) -> None:
    with contextlib.suppress(OSError):
        _note(path).unlink()


def _read_note(path: Path) -> dict[str, object]:
    try:
        note = json.loads(_note(path).read_bytes()[:4096])
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def holder(path: Path) -> str:
    """Who has the case open, in words, as far as the note beside it tells."""
    note = _read_note(path)
    if not note:
        return "another program"
    parts = [str(note.get("who") or "someone")[:60], f"process {str(note.get('pid', '?'))[:12]}"]
    return f"{', '.join(parts)} on {str(note.get('host', '?'))[:60]}, since {str(note.get('since', '?'))[:40]}"


def _held_elsewhere(path: Path) -> bool:
    """Whether the note names a process of this machine that lives. Asked only where the lock itself cannot be."""
    note = _read_note(path)
    pid = note.get("pid")
    if note.get("host") != platform.node() or not isinstance(pid, int) or pid <= 0 or os.name != "posix":
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


# Cases open in this process by (device, inode). POSIX drops a process's locks on a file as soon as it closes *any*
# handle on it, so an open case must not even be looked at from here.
_open_here: dict[tuple[int, int], Path] = {}
_open_here_lock = threading.Lock()


def _identity(path: Path) -> tuple[int, int]:
    info = path.stat()
    return info.st_dev, info.st_ino


# --- looking before opening ----------------------------------------------------------------------------------------


def _look(path: Path) -> None:
    """Judge the file by its kind, size and first 100 bytes. Writes nothing, never opens a case that is open here."""
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
    if (info.st_dev, info.st_ino) in _open_here:
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
        raise CaseUnreadable(path=path, reason="it is a database of another program")
    if version > schema.newest():
        raise CaseFromNewerVersion(path=path, found=version, known=schema.newest())
    if version < 1:
        raise CaseCorrupt(path=path, reason="its format number is missing", backups=backups_of(path))
    size = struct.unpack(">H", header[16:18])[0]
    page_size = 65536 if size == 1 else size
    pages, change, valid_for = (struct.unpack(">I", header[at : at + 4])[0] for at in (28, 24, 92))
    unfinished = any(path.with_name(path.name + tail).exists() for tail in ("-wal", "-journal"))
    if change == valid_for and pages * page_size > info.st_size and not unfinished:
        missing = pages * page_size - info.st_size
        raise CaseCorrupt(path=path, reason=f"its last {missing:,} bytes are missing", backups=backups_of(path))


def _os_reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or _short(error)


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _private_copy(path: Path) -> tempfile.TemporaryDirectory[str]:
    """The case and its journal in a folder of our own, for viewing where nothing can be written.

    SQLite itself could open such a file with ``immutable``, but then drops what only the journal holds.
    """
    if _held_elsewhere(path):
        raise CaseInUse(path=path, holder=holder(path))
    folder = tempfile.TemporaryDirectory(prefix="disconfirm-view-")
    try:
        for tail in ("", "-wal", "-journal"):
            source = path.with_name(path.name + tail)
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
    """Every setting of a connection that does not touch the file."""
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
class Opened:
    """An open database. ``copy`` is the private folder of a case that can only be viewed."""

    db: apsw.Connection
    path: Path
    copy: tempfile.TemporaryDirectory[str] | None
    identity: tuple[int, int] | None

    @property
    def read_only(self) -> bool:
        return self.copy is not None

    def close(self) -> None:
        """Leave a single whole file behind where that is possible. Safe to call twice."""
        if self.copy is None:
            # A full disk must not keep anybody from closing: the next opening finds the journal and goes on.
            with contextlib.suppress(apsw.Error):
                self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                self.db.execute("PRAGMA journal_mode = DELETE").fetchall()
            remove_note(self.path)  # before the lock goes: afterwards it might be the next holder's
        self._release()

    def abandon(self) -> None:
        """Let go of a file that turned out to be unfit, writing nothing to it."""
        with contextlib.suppress(apsw.Error):
            self.db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        self._release()

    def _release(self) -> None:
        with contextlib.suppress(apsw.Error):
            self.db.close(True)
        if self.identity is not None:
            with _open_here_lock:
                _open_here.pop(self.identity, None)
            self.identity = None
        if self.copy is not None:
            self.copy.cleanup()


def open_case(path: Path) -> Opened:
    """Open the case at ``path``, hold it alone, and make sure that it is one of ours. Not yet migrated.

    Raises CaseNotFound, CaseInUse, CaseUnreadable, CaseCorrupt, CaseFromNewerVersion, EngineTooOld.
    """
    check_engine()
    with _open_here_lock:
        _look(path)
        copy = None if _writable(path) else _private_copy(path)
        identity = None
        if copy is None:
            identity = _identity(path)
            _open_here[identity] = path
    try:
        return _connect(path, copy, identity)
    except BaseException:
        with _open_here_lock:
            if identity is not None:
                _open_here.pop(identity, None)
        if copy is not None:
            copy.cleanup()
        raise


def _connect(path: Path, copy: tempfile.TemporaryDirectory[str] | None, identity: tuple[int, int] | None) -> Opened:
    file = path if copy is None else Path(copy.name) / path.name
    with seam(path):
        db = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
        opened = Opened(db, path, copy, identity)
        try:
            settle(db)
            # Exclusive before the first look: no -shm file, and a second program is told at once.
            db.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            db.execute("BEGIN EXCLUSIVE")
            db.execute("COMMIT")
            _check(db, path)
            quick_check(db, path)
            db.execute("PRAGMA journal_mode = WAL").fetchall()
            db.execute(f"PRAGMA synchronous = {SYNCHRONOUS}").fetchall()
            db.execute("PRAGMA journal_size_limit = 67108864").fetchall()
        except BaseException:
            opened.abandon()
            raise
    return opened


def _check(db: apsw.Connection, path: Path) -> None:
    """Refuse a file that is newer, damaged, or holds anything that we did not put there."""
    version = schema.user_version(db)  # again: the journal may hold a newer one than the header
    if version > schema.newest():
        raise CaseFromNewerVersion(path=path, found=version, known=schema.newest())
    try:
        oddity = schema.oddity(db, load_vec0)
    except apsw.SQLError as error:
        oddity = _short(error)
    if oddity:
        raise CaseCorrupt(path=path, reason=oddity, backups=backups_of(path))


def bring_up_to_date(opened: Opened, *, at: str) -> None:
    """Migrate a case of an older format, after a checked copy of it was put into the folder of backups."""
    version = schema.user_version(opened.db)
    if version >= schema.newest():
        return
    if not opened.read_only:
        copy_into(
            opened.db, backups_of(opened.path) / f"{opened.path.stem} format {version} {_for_name(at)}.disconfirm"
        )
    schema.migrate(opened.db)
    # The format number must stand in the file itself: an older program looks only there.
    opened.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _for_name(at: str) -> str:
    return at[:19].replace(":", "").replace("T", " ")


def quick_check(db: apsw.Connection, path: Path) -> None:
    """Raise CaseCorrupt when a table that cannot be made again is not well formed.

    The tables with the bulk of a case are left out of a large one, where this would take seconds; their rows are
    proven by hashes when they are read.
    """
    left_out = {"original", "page", "vector"} if _size(db) > _CHECKED_WHOLE else set()
    for table in sorted(set(schema.lasting(db)) - left_out):
        said = str(db.execute(f"PRAGMA quick_check({table})").get)
        if said != "ok":
            raise CaseCorrupt(path=path, reason=" ".join(said.split())[:120], backups=backups_of(path))


def _size(db: apsw.Connection) -> int:
    return int(db.execute("PRAGMA page_count").get) * int(db.execute("PRAGMA page_size").get)


def copy_into(db: apsw.Connection, target: Path) -> None:
    """A whole, compact copy of the open case at ``target``, opened and checked before it gets that name."""
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


# What SQLite keeps beside an open file, and takes for part of any file of that name.
_BESIDE = ("-wal", "-journal", "-shm")


def _clear_leftovers(path: Path) -> None:
    """Move away what a killed program left of a case that was deleted since: it would be mixed into a new one.

    It may hold decisions that were never copied into the deleted file, so it is kept under another name.
    """
    for suffix in _BESIDE:
        beside = path.with_name(path.name + suffix)
        if not beside.exists() or path.exists():
            continue
        number = 1
        while (kept := beside.with_name(f"{beside.name}.left-{number}")).exists():
            number += 1
        beside.rename(kept)


def move_case(path: Path, target: Path) -> None:
    """Rename a case that nobody has open, together with what a killed program left beside it."""
    for suffix in ("", *_BESIDE):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(target.with_name(target.name + suffix))


def create_case(path: Path) -> None:
    """An empty case of the newest format, which appears at ``path`` whole or not at all.

    Raises CaseExists by way of FileExistsError, CannotWrite, DiskFull.
    """
    check_engine()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
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
