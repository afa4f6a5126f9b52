"""Opening a case, with what a killed program left beside it, and making a new one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw

from core import files
from core.errors import CaseInUse, CaseUnfinished, CaseUnreadable, DiskFull
from core.progress import Cancelled, Progress
from core.store import connection, lock, replacement, schema
from core.store.case_key import CaseKey
from core.store.connection import (
    backups_of,
    check_engine,
    check_schema,
    copy_into,
    os_reason,
    quick_check,
    seam,
    settle,
)
from core.store.handle import CaseHandle
from core.store.header import file_in_wal_mode, look
from core.store.leftovers import clear_leftovers, move_away
from core.store.lock import Identity, beside, identity, real
from core.store.private_copies import PrivateFolder
from core.store.word_index import index_pages

_INSTRUCTIONS = 100_000  # of the database between two looks at whether the person cancelled: some milliseconds


def open_case(path: Path, key: CaseKey | None = None, *, without_unsaved: bool = False) -> CaseHandle:
    """Open the case at ``path``, hold it alone, and make sure that it is one of ours. Not yet migrated.

    Raises CaseNotFound, CaseInUse, CaseLockBlocked, CaseUnreadable, CaseCorrupt, CaseFromNewerVersion, EngineTooOld,
    PassphraseNeeded where ``key`` is not for it, and CaseUnfinished unless ``without_unsaved``.
    """
    check_engine()
    with lock.open_here_lock:
        header = look(path, key)
        wal_mode, key = header.wal_mode, header.key
        place, copy, guard = real(path), None, None
        if connection._writable(path):
            guard = _take_lock(path)
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
        handle = _connect(path, copy, guard, place, file, key, wal_mode=wal_mode)
        handle.incomplete = incomplete
        if guard is not None:
            replacement.clear_away(place)
        return handle
    except BaseException:
        if guard is not None and not guard.is_released:
            lock.note_closed(file)
            guard.release()
        if copy is not None:
            copy.cleanup()
        raise


def _private_copy(path: Path, *, wal_mode: bool) -> PrivateFolder:
    """Copy the case and its journal into a folder of our own, for viewing where nothing can be written.

    SQLite itself could open such a file with ``immutable``, but then drops what only the journal holds.
    """
    if lock.held_elsewhere(path):
        raise CaseInUse(path=path, holder=lock.holder(path))
    folder = PrivateFolder()
    try:
        for tail in ("", "-wal", "-journal") if wal_mode else ("", "-journal"):
            source = beside(real(path), tail)
            if source.exists():
                shutil.copyfile(source, folder.path / (path.name + tail))
    except OSError as error:
        folder.cleanup()
        if error.errno == errno.ENOSPC:
            raise DiskFull(path=folder.path) from error
        raise CaseUnreadable(path=path, reason=os_reason(error)) from error
    except BaseException:
        folder.cleanup()
        raise
    return folder


def _take_lock(path: Path) -> lock.Lock:
    try:
        return lock.take(path)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(path=path) from error
        raise CaseUnreadable(path=path, reason=f"it cannot be locked: {os_reason(error)}") from error


def _connect(
    path: Path,
    copy: PrivateFolder | None,
    guard: lock.Lock | None,
    place: Path,
    file: Identity | None,
    key: CaseKey | None,
    *,
    wal_mode: bool,
) -> CaseHandle:
    location = place if copy is None else copy.path / path.name
    had_log = beside(place, "-wal").exists()
    with seam(path), connection.damage_of_first_page(path, key):
        db = apsw.Connection(str(location), flags=apsw.SQLITE_OPEN_READWRITE)
        handle = CaseHandle(db, path, copy, guard, place, file, key, began_in_wal_mode=wal_mode, had_log=had_log)
        try:
            # Exclusive before the first look: no -shm file, and a second program is told at once.
            db.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            if key is not None:
                key.unlock(db)
            # What SQLite deletes by name may belong to another file, or to the process that this one was forked from.
            db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            settle(db)
            db.execute(f"PRAGMA synchronous = {connection.SYNCHRONOUS}").fetchall()
            db.execute("BEGIN EXCLUSIVE")
            db.execute("COMMIT")
            handle.wal = identity(beside(place, "-wal"))
            check_schema(db, path)
            quick_check(db, path)
        except BaseException:
            handle.wal = identity(beside(place, "-wal"))
            handle.abandon()
            raise
    return handle


def _return_wal(place: Path, file: Identity | None, *, wal_mode: bool) -> None:
    """Move the write-ahead log of a killed program to the case that it was written for.

    SQLite goes by names. A case that was renamed while it was open has its last decisions in a log of the old name; and
    another file that was put at the old place would have them written over it. The note says which log and which case
    belonged together; without one, or after both were copied, names are all there is.
    """
    wal = beside(place, "-wal")
    note = lock.read_note(lock.note_path(place))
    if note is not None and note.wal is not None and note.wal == identity(wal) and note.case not in (None, file):
        try:
            heirs = (heir for heir in place.parent.iterdir() if lock.at(heir) == note.case and file_in_wal_mode(heir))
            new = next((wal_of for heir in heirs if not (wal_of := beside(heir, "-wal")).exists()), None)
            if new is not None:
                wal.rename(new)
        except OSError as error:
            raise CaseUnreadable(path=place, reason=os_reason(error)) from error
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
    """Return whether changes that belong to a case, or to another at its place, are not in it.

    Raises CaseUnfinished then, unless it is to be opened without them.
    """
    wal = beside(place, "-wal")
    try:
        size, names = wal.stat().st_size if wal.exists() else None, place.stat().st_nlink
    except OSError as error:
        raise CaseUnreadable(path=place, reason=os_reason(error)) from error
    anyway = "To go on without them: disconfirm COMMAND CASE --without-unsaved. Its log will say so."
    strange = _is_strange(place, file, wal_mode=wal_mode)
    if strange and size and not without_unsaved:
        what = f"{wal.name} beside it contains changes that are not from this file, which was replaced or closed since"
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
    _incomplete(real(path), identity(path), wal_mode=file_in_wal_mode(path), without_unsaved=False)


def _is_strange(place: Path, file: Identity | None, *, wal_mode: bool) -> bool:
    """Return whether the write-ahead log that lies beside a case is not its own. A case that was closed has none."""
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
        move_away(wal)


def bring_up_to_date(handle: CaseHandle, progress: Progress, *, moment: str) -> None:
    """Migrate a case of an older format, after a checked copy of it was put into the folder of backups.

    Raises Cancelled, and then the case is as it was and has no such copy.
    """
    version = schema.user_version(handle.db)
    if version >= schema.newest():
        return
    progress.step(0, 0, "Keeping a copy of the case as it was")
    copy = backups_of(handle.path) / f"{handle.path.stem} format {version} {_for_name(moment)}.disconfirm"
    try:
        with _stoppable(handle.db, progress):
            if not handle.read_only:
                copy_into(handle.db, copy, handle.key)
            schema.migrate(handle.db, lambda db: index_pages(db, progress, is_new_format=True))
    except Cancelled:
        with contextlib.suppress(OSError):
            copy.unlink(missing_ok=True)
            copy.parent.rmdir()  # if nothing else is in it
        raise
    # The format number must be in the file itself: an older program looks only there.
    handle.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextlib.contextmanager
def _stoppable(db: apsw.Connection, progress: Progress) -> Iterator[None]:
    """Have statements that take long end with Cancelled once the person cancels."""
    db.set_progress_handler(lambda: progress.cancelled, _INSTRUCTIONS)
    try:
        yield
    except apsw.InterruptError:
        progress.check()
        raise
    finally:
        db.set_progress_handler(None)


def _for_name(name: str) -> str:
    return name[:19].replace(":", "").replace("T", " ")


def create_case(path: Path, key: CaseKey | None = None) -> None:
    """Write an empty case of the newest format, which appears at ``path`` whole or not at all, encrypted with ``key``.

    Raises CaseExists by way of FileExistsError, CannotWrite, DiskFull.
    """
    check_engine()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    guard = lock.take(path)  # who removed the file of an open case must not make another at its place
    try:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
        with seam(path):
            db = connection.connect(part, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, key)
            try:
                settle(db)
                db.execute("PRAGMA page_size = 4096").fetchall()
                db.execute(f"PRAGMA synchronous = {connection.SYNCHRONOUS}").fetchall()
                db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}").fetchall()
                schema.migrate(db)
            finally:
                db.close()
        clear_leftovers(path)
        files.publish(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        guard.release()
