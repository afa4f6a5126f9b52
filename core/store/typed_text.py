"""Text that was typed and not saved, of one case: kept beside the case until it is saved or thrown away.

It is in the person's own folder, not in the case: a case that is only read has such text too, and what was not said
is no part of its log. The file is a database with the key of the case, so what is typed in an encrypted case is
encrypted as well. A failure here costs nothing but this net: it is logged and told to nobody.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

from core import paths
from core.errors import CannotWrite
from core.store import connection, lock, replacement
from core.store.case_key import CaseKey

log = logging.getLogger(__name__)

LONGEST = 200_000  # characters of one text that are kept
_TABLES = (
    "CREATE TABLE IF NOT EXISTS typed "
    "(id INTEGER PRIMARY KEY AUTOINCREMENT, place TEXT NOT NULL, text TEXT NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS notice (typed INTEGER PRIMARY KEY) STRICT",  # a person was told of these
)
# What was typed is in the file alone: not in freed room of it, a journal that is deleted, or a temporary file.
_PRAGMAS = tuple(
    f"PRAGMA {pragma}"
    for pragma in ("secure_delete = ON", "journal_mode = PERSIST", "temp_store = MEMORY", "synchronous = NORMAL")
)


@dataclass(frozen=True, slots=True)
class UnsavedText:
    """A text that was not saved; ``place`` says in words where it was typed."""

    id: int
    place: str
    text: str


def file_of(case: Path) -> Path:
    """Return where the text typed in a case is kept; its name tells nothing of the case."""
    name = hashlib.sha256(str(lock.real(case)).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return paths.user_data() / "typed" / f"{name}.db"


def forget(case: Path) -> None:
    """Overwrite and remove what was typed in a case and not saved: it has another key from now on."""
    path = file_of(case)
    for file in (path, _journal_of(path)):
        with contextlib.suppress(OSError):
            replacement.erase(file)


def words_in(case: Path, key: CaseKey | None) -> list[str]:
    """List what was typed in a case and not saved, and where; nothing of a file that has another key."""
    words: list[str] = []
    with _logged(), _alone(case, key) as db:
        if db:
            words = [str(word) for row in db.execute("SELECT place, text FROM typed") for word in row]
    return words


def blank(case: Path, key: CaseKey | None, without: Callable[[str], str]) -> None:
    """Write every text of a case ``without`` some words. Raises CannotWrite where they may still be there."""
    try:
        with _alone(case, key) as db:
            rows = db.execute("SELECT place, text, id FROM typed").fetchall() if db else []
            for place, text, identity in rows:
                values = (without(str(place)), without(str(text)), identity)
                if db and values[:2] != (place, text):
                    with _changing(db, case):
                        db.execute("UPDATE typed SET place = ?, text = ? WHERE id = ?", values)
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError):
        forget(case)
    except (apsw.Error, OSError) as error:
        raise CannotWrite(path=file_of(case), reason=type(error).__name__) from error


class TypedText:
    """The texts of one case that were typed and not saved.

    One that does not hold the lock of the case (``holds_lock``) only adds to what it finds: that may be another's.
    """

    def __init__(self, case: Path, key: CaseKey | None, *, holds_lock: bool = True) -> None:
        self._case, self._key, self._holds_lock = case, key, holds_lock
        self._db: apsw.Connection | None = None
        self._before: frozenset[int] = frozenset(text.id for text in self._read())  # of a time that ended

    def leftovers(self) -> list[UnsavedText]:
        """List the texts that an earlier time left behind, the oldest first."""
        return [text for text in self._read() if text.id in self._before]

    def news(self) -> list[UnsavedText]:
        """List the texts that an earlier time left behind and nobody was told of; from now on somebody was."""
        notices: set[object] = set()
        texts = self.leftovers()
        with _logged():
            if texts:
                with _changing(self._open(), self._case) as db:
                    notices = {row[0] for row in db.execute("SELECT typed FROM notice")}
                    db.executemany("INSERT OR IGNORE INTO notice VALUES (?)", [(text.id,) for text in texts])
        return [text for text in texts if text.id not in notices]

    def keep(self, place: str, text: str, identity: int = 0) -> int:
        """Keep a text, as the one of that number or as a new one; return its number, 0 where there is none."""
        if not self._holds_lock and identity in self._before:
            identity = 0
        with _logged(), _changing(self._open(), self._case) as db:
            row = (identity or None, place, text[:LONGEST])
            db.execute("INSERT OR REPLACE INTO typed (id, place, text) VALUES (?, ?, ?)", row)
            identity = identity or db.last_insert_rowid()
            db.execute("DELETE FROM notice WHERE typed = ?", (identity,))
        return identity

    def drop(self, identity: int) -> None:
        """Forget a text: it was saved, or is not wanted."""
        is_own = self._holds_lock or identity not in self._before
        self._before -= {identity}
        with _logged():
            if identity and is_own and file_of(self._case).is_file():
                with _changing(self._open(), self._case) as db:
                    db.execute("DELETE FROM typed WHERE id = ?", (identity,))
                    db.execute("DELETE FROM notice WHERE typed = ?", (identity,))

    def close(self) -> None:
        """Close the file, and remove it where nothing is left in it."""
        if self._db is not None:
            is_empty = not self._read()
            self._db.close()
            self._db = None
            if is_empty and self._holds_lock:
                forget(self._case)

    def _read(self) -> list[UnsavedText]:
        texts: list[UnsavedText] = []
        with _logged():
            if file_of(self._case).is_file():
                rows = self._open().execute("SELECT id, place, text FROM typed ORDER BY id")
                texts = [UnsavedText(*row) for row in rows]
        return texts

    def _open(self) -> apsw.Connection:
        """Return the database, made where there is none; one of another key, or damaged, gives way to a new one."""
        if self._db is None:
            path = file_of(self._case)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.parent.chmod(0o700)  # the case may lie where nobody else can read it
            try:
                self._db = _database(path, self._key)
            except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError):
                if not self._holds_lock:
                    raise
                forget(self._case)
                self._db = _database(path, self._key)
        return self._db


def _database(path: Path, key: CaseKey | None) -> apsw.Connection:
    db = connection.connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, key)
    try:
        db.set_busy_timeout(200)
        for statement in (*_PRAGMAS, *_TABLES):
            db.execute(statement).fetchall()
        with contextlib.suppress(apsw.BusyError):  # another window writes, and empties it then
            _empty_journal(db, path)  # a killed program may have left words in it
    except (apsw.Error, OSError):
        db.close()
        raise
    return db


@contextlib.contextmanager
def _changing(db: apsw.Connection, case: Path) -> Iterator[apsw.Connection]:
    """Change the file at once or not at all, and leave nothing in its journal of what was there before."""
    with db:
        yield db
    _empty_journal(db, file_of(case))


def _empty_journal(db: apsw.Connection, path: Path) -> None:
    """Overwrite the journal, which SQLite would delete as it is. Raises apsw.BusyError while another window writes."""
    journal = _journal_of(path)
    if journal.is_file() and journal.stat().st_size:
        db.execute("BEGIN IMMEDIATE")  # nobody else begins one meanwhile
        try:
            replacement.empty(journal)
        finally:
            db.execute("ROLLBACK")


def _journal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-journal")


@contextlib.contextmanager
def _alone(case: Path, key: CaseKey | None) -> Iterator[apsw.Connection | None]:
    """Open the file beside a window that types into it; None if there is none."""
    if not file_of(case).is_file():
        yield None
        return
    db = _database(file_of(case), key)
    try:
        yield db
    finally:
        db.close()


@contextlib.contextmanager
def _logged() -> Iterator[None]:
    try:
        yield
    except (apsw.Error, OSError, UnicodeError) as error:  # half a character too, as some ways of typing give it
        log.warning("text that is being typed cannot be kept: %s", type(error).__name__)
