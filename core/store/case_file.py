"""The case file: one SQLite file that holds one case."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from core.errors import (
    CannotWrite,
    CaseCorrupt,
    CaseExists,
    CaseNotFound,
    CaseNotProven,
    CaseReadOnly,
    CaseUnreadable,
    DiskFull,
    NoRoom,
)
from core.progress import Progress, silent
from core.store import backups, connection, integrity
from core.store.database import clean, utc_now
from core.store.decision_log import INCOMPLETE
from core.store.vector_index import Embeddings

_LONGEST_NAME = 255 - len("-journal")  # bytes: files stand beside a case while it is open
_LONGEST_PATH = 500  # bytes: about the most that the database opens


def _too_long(path: Path) -> str:
    """Why a case cannot have a name, or lie in a folder, that is too long; '' where neither is."""
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        return f"its name is too long: {_LONGEST_NAME} bytes is the limit"
    if len(os.fsencode(path)) > _LONGEST_PATH:
        return f"its full path is too long: {_LONGEST_PATH} bytes is the limit"
    return ""


class CaseFile(Embeddings):
    """An open case. Thread-safe: every method takes one lock, and transactions are short."""

    @classmethod
    def create(cls, path: Path, *, title: str = "", who: str = "", now: Callable[[], datetime] = utc_now) -> CaseFile:
        """A new case at ``path``. Raises CaseExists, CaseInUse, CaseLockBlocked, CannotWrite, DiskFull."""
        path = path.absolute()
        try:
            str(path).encode()  # SQLite takes names as UTF-8
            if path.exists() or path.is_symlink():
                raise CaseExists(path=path)
            if not path.parent.is_dir():
                raise CannotWrite(path=path, reason="its folder is not there")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name is not a text in UTF-8"
            raise CannotWrite(path=path, reason=reason) from error
        try:
            connection.create_case(path)
        except (CaseUnreadable, CaseReadOnly) as error:
            raise CannotWrite(path=path, reason=_too_long(path) or "nothing can be written there") from error
        except FileExistsError:
            raise CaseExists(path=path) from None
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise DiskFull(path=path) from error
            reason = _too_long(path) or error.strerror or type(error).__name__
            raise CannotWrite(path=path, reason=reason) from error
        case = cls.open(path, who=who, now=now)
        try:
            case._begin(title)
        except BaseException:
            case.close()
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        return case

    def _begin(self, title: str) -> None:
        with self._writing() as db:
            row: dict[str, object] = {"id": "case", "title": clean(title)}
            db.execute("INSERT INTO about (id, title) VALUES ('case', ?)", (row["title"],))
            db.executemany(
                "INSERT INTO meta (key, value) VALUES (?, ?)", [("case", str(uuid4())), ("created", self.now())]
            )
            self._record_where("meta", "true")
            self._append("create case", {"about": {"case": None}}, {"about": {"case": row}})

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        who: str = "",
        now: Callable[[], datetime] = utc_now,
        bind: bool = True,
        without_unsaved: bool = False,
    ) -> CaseFile:
        """An existing case; ``read_only`` where nothing can be written. One of an older format is bound to its log
        (core.store.anchors), unless not ``bind``: then its log stays as it is.

        Raises CaseNotFound, CaseInUse, CaseLockBlocked, CaseUnreadable, CaseCorrupt, CaseFromNewerVersion, NoRoom, and
        CaseUnfinished where its last changes are not there, unless ``without_unsaved``: then its log says so.
        """
        path = path.absolute()
        try:
            str(path).encode()
        except UnicodeEncodeError as error:
            raise CaseUnreadable(path=path, reason="its name is not a text in UTF-8") from error
        try:
            return cls._open(path, who, now, bind, without_unsaved)
        except DiskFull as error:  # there is no step that was lost, and no case that stays open
            raise NoRoom(path=path) from error
        except (CaseCorrupt, CaseUnreadable, CaseNotFound) as error:
            raise backups.advise(error, path)  # noqa: B904 - the same error, with what can be done about it

    @classmethod
    def _open(cls, path: Path, who: str, now: Callable[[], datetime], bind: bool, without_unsaved: bool) -> CaseFile:
        opened = connection.open_case(path, without_unsaved=without_unsaved)
        try:
            with connection.seam(path):
                case = cls(opened, who=who, now=now)
                connection.bring_up_to_date(opened, at=case.now())
                case._recall()
                case.find_added()
                if bind:
                    case.bind_older()
                opened.begin_log()
                if opened.incomplete:
                    case.say_incomplete()
        except BaseException:
            opened.abandon()
            raise
        opened.sign(who=who, since=case.now())
        return case

    def say_incomplete(self) -> None:
        """Leave word in the log that changes which somebody saved before may be missing."""
        if not self.read_only:
            with self._writing():
                self._append(INCOMPLETE, {}, {})

    def __enter__(self) -> CaseFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def back_up(self, target: Path) -> None:
        """Write a whole copy of the case, opened and checked before it gets its name. Raises CannotWrite, DiskFull,
        BadInput where a case stands there."""
        connection.spare_cases(target)
        backups.write_copy(self, target, silent())

    def rebuild_index(self) -> None:
        """Make both search tables again from pages and vectors. Raises CaseNotProven where a page is not what the log
        says of it: an index of altered texts would look sound."""
        fault = integrity.first_altered_page(self, silent())
        if fault is not None:
            what = f"{fault.where}: {fault.what.rstrip('.')}"
            raise CaseNotProven(path=self.path, fault=what, effect="its search index was not built again")
        super().rebuild_index()

    def prove_pages(self, pages: Collection[int]) -> None:
        """Compare all that belongs to some pages with the log, and how each came to its text. Raises CaseNotProven."""
        fault = integrity.first_fault_of(self, pages)
        if fault is not None:
            what = f"{fault.where}: {fault.what.rstrip('.')}"
            raise CaseNotProven(path=self.path, fault=what, effect="nothing is shown of it")

    def verify(self, progress: Progress) -> integrity.CaseCheck:
        """Prove everything the case holds. Slow: it reads every byte."""
        return integrity.prove(self, progress)
