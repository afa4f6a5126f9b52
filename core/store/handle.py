"""The open file of a case: its connection, its lock and its write-ahead log, and whether they are still in place."""

from __future__ import annotations

import array
import contextlib
import errno
import os
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.errors import AppError, CaseMoved, CaseUnreadable, DiskFull
from core.store import connection, lock
from core.store.case_key import CaseKey
from core.store.connection import copy_into, os_reason, seam
from core.store.header import mark
from core.store.lock import Identity, beside, identity
from core.store.private_copies import PrivateFolder


@dataclass(slots=True)
class CaseHandle:
    """An open database.

    ``copy`` is the private folder of a case that can only be viewed; ``lock`` keeps any other case to this process.
    ``place`` is where its file lies, links followed, and ``file`` and ``wal`` say which it is. ``key`` is that of an
    encrypted one, kept for the copies that are made of it. ``incomplete``: it was opened without its last changes.
    ``began_in_wal_mode``: the file said, before it was opened, that a log belongs to it, so it was not closed;
    ``had_log``: there was one. ``says_closed``: it says that none does, while it is elsewhere. ``rescue_copy`` is the
    copy that was made since its file was gone.
    """

    db: apsw.Connection
    path: Path
    copy: PrivateFolder | None
    lock: lock.Lock | None
    place: Path
    file: Identity | None
    key: CaseKey | None = None
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
        """Return whether the case can only be viewed."""
        return self.copy is not None

    def sign(self, *, who: str, since: str) -> None:
        """Leave word beside the case of who has it open."""
        if self.lock is not None:
            self.lock.write(who=who, since=since, case=self.file, wal=self.wal)

    def in_place(self) -> bool:
        """Return whether the case and its write-ahead log are still the files that were opened, at their places.

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
        is_whole = self._take_in_wal()
        if (
            is_whole and self.wal is not None and self.key is None and not self.says_closed
        ):  # it is not beside its log any more, and needs none
            with contextlib.suppress(OSError):
                mark(self.lock.case, self.place, wal_mode=False)
                self.says_closed = True
        if not is_elsewhere:
            if is_whole and self.key is not None:
                self._end_wal_mode()
            what, is_safe = "separated from its write-ahead log", is_whole
            remedy = "Close the case and open it again: everything that was saved before is in it."
        elif self.lock.has_name():
            what, is_safe = "renamed or moved", is_whole
            remedy = "Close the case and open it under its new name: everything that was saved before is in it."
        else:
            what = "replaced" if self.place.exists() else "removed"
            is_safe = self._rescue()
            remedy = f"Close the case and open {self.rescue_copy}: everything that was saved before is in it."
        if not is_safe:
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
                copy_into(self.db, target, self.key)
            except (AppError, apsw.Error):
                return False
            self.rescue_copy = target
        return True

    def close(self, *, all_named: bool = True) -> None:
        """Leave a single whole file behind where that is possible, wherever it is now. Safe to call twice.

        ``all_named``: the log of decisions names all records; else the file goes on saying that it was not closed.
        """
        is_whole, leave_note = True, False
        if self.copy is None and self.lock is not None and not self.lock.is_released:
            # A full disk must not keep anybody from closing: the next opening finds the journal and goes on.
            wal = beside(self.place, "-wal")
            is_whole = self._take_in_wal() or (identity(wal) == self.wal is not None and not wal.stat().st_size)
            leave_note = not is_whole
            if self.key is not None and is_whole:
                # One that lies elsewhere goes on saying that it has a log: the note then leads to that.
                is_whole = all_named and self._end_wal_mode()
                leave_note = not is_whole and self.lock.has_name() is not False
            if identity(self.place) != self.file and self.lock.has_name() is False and self.place.exists():
                self._rescue()  # whoever removes a case wants it gone; who puts another there, seldom
        self._release(is_whole=is_whole, leave_note=leave_note, all_named=all_named)

    def abandon(self) -> None:
        """Let go of a file that turned out to be unfit, writing nothing to it."""
        self._release(is_whole=False)

    def _release(self, *, is_whole: bool, leave_note: bool = False, all_named: bool = True) -> None:
        with contextlib.suppress(apsw.Error):
            self.db.close(True)
        if self.lock is not None and not self.lock.is_released:
            if all_named:
                with contextlib.suppress(OSError):
                    self._end_log(is_whole)
            lock.note_closed(self.file)
            self.lock.release(leave_note=leave_note)
        if self.copy is not None:
            self.copy.cleanup()

    def _end_wal_mode(self) -> bool:
        """Have an encrypted case that is whole say so, its log still beside it; whether it did.

        Its first page can only be written by the database itself, whose tag of it would else be wrong: in a journal of
        its own, which may lie only where the case still is.
        """
        if identity(self.place) != self.file:
            return False
        stays = array.array("i", [1])
        wal = beside(self.place, "-wal")
        with contextlib.suppress(apsw.Error, OSError):
            if identity(wal) == self.wal:
                _settle(wal)
            self.db.file_control("main", apsw.SQLITE_FCNTL_PERSIST_WAL, stays.buffer_info()[0])
            return bool(self.db.execute("PRAGMA journal_mode = DELETE").get == "delete")
        return False

    def _end_log(self, is_whole: bool) -> None:
        """Have a case that is whole say so, and take away its log: in this order, which a kill may cut short."""
        if self.wal is None or self.lock is None:
            return
        wal = beside(self.place, "-wal")
        ours = identity(wal) == self.wal
        empty = ours and not wal.stat().st_size
        if self.key is not None:
            if not is_whole and self.lock.has_name() is not False:
                return
        elif is_whole or (empty and not self.began_in_wal_mode):
            if empty:
                _settle(wal)
            mark(self.lock.case, self.place, wal_mode=False)
        elif self.had_log:
            return
        if empty:
            wal.unlink()


def _settle(log: Path) -> None:
    """Have it on the disk that a log was emptied.

    A power cut could else bring back what was in it, beside a case that says it has none: it would seem foreign.
    """
    if connection.SYNCHRONOUS == "OFF":
        return
    file = os.open(log, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(file)
    finally:
        os.close(file)


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
        raise CaseUnreadable(path=case, reason=os_reason(error)) from error
    return identity(wal)
