"""A connection to a database: the engine's floor, errors for people, every setting, and the checks of its tables.

A case may come from anybody. So nothing in it can run code (no triggers, views or extensions; schema not trusted), and
its tables are compared with ours before any is read.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import importlib.util
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw

from core.errors import (
    AppError,
    CannotWrite,
    CaseClosed,
    CaseCorrupt,
    CaseFromNewerVersion,
    CaseInUse,
    CaseReadOnly,
    CaseUnreadable,
    DiskFailed,
    DiskFull,
    EngineTooOld,
    IndexDamaged,
    NoRoom,
)
from core.store import lock, schema
from core.store.case_key import CaseKey
from core.store.lock import real

# SQLite up to 3.51.2 can lose committed writes in WAL mode (sqlite.org/wal.html, "the WAL-reset bug").
SQLITE_FLOOR = (3, 51, 3)
# What was told to be saved is on the disk, not only with the operating system; and so is it that a journal was deleted:
# one that came back after a power cut would put old pages over later ones.
SYNCHRONOUS = "EXTRA"

_CHECKED_WHOLE = 64_000_000  # bytes of a case that is checked whole at each opening, about 0.1 s


# --- the engine ----------------------------------------------------------------------------------------------------


def _vec0() -> str:
    """Return the library of the installed sqlite-vec, as an absolute path without suffix.

    Found without importing the package: that would load numpy and Python's own sqlite3, a second SQLite in one process.
    """
    spec = importlib.util.find_spec("sqlite_vec")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders:
        raise EngineTooOld(reason="the vector search library sqlite-vec is not installed")
    return str(Path(folders[0]).resolve() / "vec0")


def load_vec0(db: apsw.Connection) -> None:
    """Load the functions of sqlite-vec into a connection, and forbid it to load anything else."""
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
        case apsw.ConstraintError() if getattr(error, "extendedresult", 0) == apsw.SQLITE_CONSTRAINT_FOREIGNKEY:
            reason = "a row in it belongs to another that is not there"
            return CaseCorrupt(path=path, reason=reason, backups=backups_of(path))
        case apsw.SQLError() if str(error) == "integer overflow":  # of a sum over counts
            return CaseCorrupt(path=path, reason="a number in it is impossible", backups=backups_of(path))
        case apsw.SQLError() if "JSON" in str(error):  # a list or table in a column
            return CaseCorrupt(path=path, reason="a value in it is garbled", backups=backups_of(path))
        case apsw.NoMemError():
            return CaseUnreadable(path=path, reason="there is not enough memory")
    return None


@contextlib.contextmanager
def seam(path: Path, *, is_open: bool = False) -> Iterator[None]:
    """Turn database errors that a person can do something about into AppErrors; ``is_open``: of a case that is open."""
    try:
        yield
    except apsw.Error as error:
        for_people = app_error(error, path)
        if is_open and isinstance(error, apsw.IOError | apsw.CantOpenError) and isinstance(for_people, CaseUnreadable):
            for_people = DiskFailed(path=path)
        if for_people is None:
            raise
        raise for_people from error
    except UnicodeDecodeError as error:  # every text was written as UTF-8
        raise CaseCorrupt(path=path, reason="a text in it is garbled", backups=backups_of(path)) from error
    except OverflowError as error:  # and every number is one that was counted
        reason = "a number in it is impossible"
        raise CaseCorrupt(path=path, reason=reason, backups=backups_of(path)) from error
    except json.JSONDecodeError as error:  # and every list or table in a column as JSON
        raise CaseCorrupt(path=path, reason="a value in it is garbled", backups=backups_of(path)) from error


@contextlib.contextmanager
def damage_of_first_page(path: Path, key: CaseKey | None) -> Iterator[None]:
    """Report a damaged page where the database would report a wrong key, in an encrypted case whose key fits."""
    try:
        yield
    except apsw.NotADBError:
        if key is None:
            raise
        reason = "the passphrase is right, but the first page was damaged or changed"
        raise CaseCorrupt(path=path, reason=reason, backups=backups_of(path)) from None


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


def os_reason(error: Exception) -> str:
    """Return why the system refused something."""
    return getattr(error, "strerror", None) or _short(error)


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(real(path).parent, os.W_OK)


# --- settings and checks ---------------------------------------------------------------------------------------------


CACHE = 32_000  # KiB of the file that are kept in memory
SMALL_CACHE = 6_000  # while documents are added: what is written then is not read again soon


def connect(path: Path, flags: int, key: CaseKey | None) -> apsw.Connection:
    """Open a database, with its key if it has one; nothing of it is read yet."""
    db = apsw.Connection(str(path), flags=flags)
    if key is not None:
        key.unlock(db)
    return db


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


def check_schema(db: apsw.Connection, path: Path) -> None:
    """Refuse a file that is newer, damaged, or holds anything that we did not put there."""
    version = schema.user_version(db)  # again: the journal may hold a newer one than the header
    if int(db.execute("PRAGMA application_id").get) != schema.APPLICATION_ID:  # likewise of an encrypted one
        raise CaseUnreadable(path=path, reason="it is a database from another program")
    if version > schema.newest():
        raise CaseFromNewerVersion(path=path, found=version, known=schema.newest())
    try:
        oddity = schema.oddity(db)
    except apsw.SQLError as error:
        oddity = _short(error)
    if oddity:
        raise CaseCorrupt(path=path, reason=oddity, backups=backups_of(path))


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


def copy_into(db: apsw.Connection, target: Path, key: CaseKey | None) -> None:
    """Write a whole, compact copy of the open case to ``target``, opened and checked before it gets that name.

    It has the key that the case has.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        limit = db.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)  # VACUUM attaches its target
        try:
            db.execute("VACUUM INTO ?", (str(part),))
        finally:
            db.limit(apsw.SQLITE_LIMIT_ATTACHED, limit)
        copy = connect(part, apsw.SQLITE_OPEN_READONLY, key)
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
        raise CannotWrite(path=target, reason=os_reason(error)) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
