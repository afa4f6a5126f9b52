"""One open case: its connection, the lock that keeps threads apart, transactions, and numbers."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import apsw

from core.errors import CaseReadOnly, IndexDamaged
from core.store import connection, values
from core.store.handle import CaseHandle

# What SQLite keeps but cannot give back as it was (NUL ends a string in some functions), or cannot keep at all.
_UNKEEPABLE = re.compile("[\0\ud800-\udfff]")

# Who decides when nobody said a name: a login name would travel with the case.
SOMEBODY = "analyst"


def utc_now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


def clean(text: str) -> str:
    """Return a typed text or a file name as it can be kept: NUL and halves of surrogate pairs become U+FFFD."""
    return _UNKEEPABLE.sub("\ufffd", text)


def keepable(text: str) -> bool:
    """Return whether a text comes back exactly as it is."""
    return _UNKEEPABLE.search(text) is None


class Watcher(Protocol):
    """An object that must know of every transaction.

    ``ends`` may still write in it, ``fails`` comes after it was taken back. After ``loses_place`` nothing is written,
    since the file is not where it was opened.
    """

    def begins(self) -> None:
        """Know that a transaction begins."""

    def ends(self) -> None:
        """Write what is still to be written in it."""

    def fails(self) -> None:
        """Forget what it wrote."""

    def loses_place(self) -> None:
        """Write what is to be written last."""


class Database:
    """The base of the parts of a case file, which knows nothing of its contents. Every method takes the one lock."""

    def __init__(self, handle: CaseHandle, *, now: Callable[[], datetime]) -> None:
        self.path: Path = handle.path
        self.read_only: bool = handle.read_only
        self.clock = now
        self.handle = handle
        self.connection: apsw.Connection = handle.db
        self.execute = handle.db.execute
        self.executemany = handle.db.executemany
        self.lock = threading.RLock()
        self.before_writing: Callable[[], None] | None = None  # done once, before the first transaction that writes
        self._watcher: Watcher | None = None
        self._row_listeners: dict[str, Callable[[int], None]] = {}
        self._totals: dict[str, int] = {}  # counts that are costly to ask for; emptied by every write
        self._sound_counters: set[str] = set()  # kinds whose counter was compared with the numbers that are in the case
        self.connection.set_update_hook(self._row_written)

    def watch(self, watcher: Watcher) -> None:
        """Call ``watcher`` for each transaction from now on."""
        self._watcher = watcher

    def on_row(self, table: str, listener: Callable[[int], None]) -> None:
        """Call ``listener`` for each row of a table that is written, even if that is rolled back later."""
        self._row_listeners[table] = listener

    def _row_written(self, _kind: int, _database: str, table: str, row: int) -> None:
        listener = self._row_listeners.get(table)
        if listener is not None:
            listener(row)

    def now(self) -> str:
        """Return the time of an entry, ISO 8601 in UTC."""
        return self.clock().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @contextlib.contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Read: no other thread writes meanwhile, and an error of the database becomes one for people."""
        with self.lock, connection.seam(self.path, is_open=True):
            yield self.connection

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let several readings see one moment: no other thread writes between them, and no other process can."""
        with self.lock:
            yield

    @contextlib.contextmanager
    def transaction(self) -> Iterator[apsw.Connection]:
        """Write in one transaction: nothing of it stays where the block raises. Raises CaseReadOnly, CaseMoved."""
        with self.lock, connection.seam(self.path, is_open=True):
            if self.read_only:
                raise CaseReadOnly(path=self.path)
            if self._watcher is not None and not self.handle.in_place():
                self._watcher.loses_place()
            self.handle.check_place()
            self._prepare()
            with self.unguarded() as db:
                yield db

    @contextlib.contextmanager
    def unguarded(self) -> Iterator[apsw.Connection]:
        """Write in one transaction wherever the file is now; of a case that can only be viewed, in its private copy."""
        with self.lock:
            watcher = self._watcher
            if watcher is not None:
                watcher.begins()
            self.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                if watcher is not None:
                    watcher.ends()
                self.execute("COMMIT")
            except BaseException:
                # A full disk or a bad page may already have ended the transaction.
                with contextlib.suppress(apsw.Error):
                    if self.connection.in_transaction:
                        self.execute("ROLLBACK")
                if watcher is not None:
                    watcher.fails()
                raise
            finally:
                self._totals.clear()

    def _prepare(self) -> None:
        prepare, self.before_writing = self.before_writing, None
        if prepare is not None:
            prepare()

    @property
    def is_writing(self) -> bool:
        """Return whether a transaction is open, so that no other can begin."""
        with self.lock:  # a connection that another thread is using cannot even be asked
            return self.connection.in_transaction

    @contextlib.contextmanager
    def rehearsal(self) -> Iterator[None]:
        """Begin a transaction that is taken back when the block ends, whatever becomes of it."""
        with self.lock:
            self.execute("BEGIN IMMEDIATE")
            try:
                yield
            finally:
                with contextlib.suppress(apsw.Error):
                    self.execute("ROLLBACK")
                self._totals.clear()

    @contextlib.contextmanager
    def sparing(self) -> Iterator[None]:
        """Keep less of the file in memory meanwhile."""
        self._set_cache(connection.SMALL_CACHE)
        try:
            yield
        finally:
            self._set_cache(connection.CACHE)

    def _set_cache(self, size: int) -> None:
        with self.reading() as db:
            db.execute(f"PRAGMA cache_size = -{size}").fetchall()

    def rows(self, sql: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Fetch every row of a statement at once: a cursor left open would keep its transaction open."""
        with self.lock:
            return self.execute(sql, tuple(bindings)).fetchall()

    def number(self, kind: str) -> int:
        """Return the next number of its kind; never the same twice, whatever is undone. Raises CaseValueWrong."""
        last = int(self.execute("SELECT last FROM counter WHERE kind = ?", (kind,)).get or 0)
        if kind not in self._sound_counters:
            if not self._highest(kind) <= last < values.MOST:
                raise values.wrong("counter", kind, "last")
            self._sound_counters.add(kind)
        self.execute(
            "INSERT INTO counter (kind, last) VALUES (?1, ?2) ON CONFLICT (kind) DO UPDATE SET last = ?2",
            (kind, last + 1),
        )
        return last + 1

    def _highest(self, kind: str) -> int:
        """Find the highest number of its kind that is in the case; 0 if there is none."""
        if kind in ("log", "record"):
            return int(self.execute(f"SELECT max(seq) FROM {kind}").get or 0)
        return int(self.execute(f"SELECT max(CAST(substr(id, 2) AS INTEGER)) FROM {kind}").get or 0)

    def total(self, name: str, sql: str, bindings: tuple[object, ...] = ()) -> int:
        """Return a count by its name, which is asked for once between two writes."""
        if name not in self._totals:
            self._totals[name] = int(self.execute(sql, bindings).get or 0)
        return self._totals[name]

    # --- search tables -----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def index_seam(self) -> Iterator[None]:
        """Report an error inside a search table as a damaged index."""
        try:
            yield
        except (apsw.SQLError, apsw.CorruptError) as error:
            if "fts5: syntax error" in str(error) or "unterminated string" in str(error):
                raise ValueError("this is no search expression") from error
            raise IndexDamaged(path=self.path, reason=" ".join(str(error).split())[:100]) from error

    def has_table(self, table: str) -> bool:
        """Return whether a table of that name is there."""
        return bool(self.execute("SELECT count(*) FROM sqlite_schema WHERE name = ?", (table,)).get)

    def close(self, *, all_named: bool) -> None:
        """Leave one whole file behind and let others have it. Safe to call twice.

        ``all_named``: its log names every record.
        """
        with self.lock:
            self.handle.close(all_named=all_named)
