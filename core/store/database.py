"""One open case: its connection, the lock that keeps threads apart, transactions, numbers, and log entries."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

import core
from core.domain import LogEntry
from core.errors import CaseCorrupt, CaseReadOnly
from core.store import connection, values
from core.store import decision_log as log

# What SQLite keeps but cannot give back as it was (NUL ends a string in some functions), or cannot keep at all.
_UNKEEPABLE = re.compile("[\0\ud800-\udfff]")

# Who decides when nobody said a name: a login name would travel with the case.
SOMEBODY = "analyst"


def utc_now() -> datetime:
    return datetime.now(UTC)


def clean(text: str) -> str:
    """A typed text or a file name as it can be kept: NUL and halves of surrogate pairs become U+FFFD."""
    return _UNKEEPABLE.sub("\ufffd", text)


def keepable(text: str) -> bool:
    """Whether a text comes back exactly as it is."""
    return _UNKEEPABLE.search(text) is None


class Storage:
    """The part of a case file that knows nothing of its contents. Every method takes the one lock."""

    def __init__(self, opened: connection.Opened, *, who: str, now: Callable[[], datetime]) -> None:
        self.path: Path = opened.path
        self.read_only: bool = opened.read_only
        self.who: str = clean(who) or SOMEBODY
        self._now = now
        self._opened = opened
        self._db: apsw.Connection = opened.db
        self._lock = threading.RLock()
        self._totals: dict[str, int] = {}  # counts that are costly to ask for; emptied by every write
        self._history = log.History()
        self._counted: set[str] = set()  # kinds whose counter was compared with the numbers that stand in the case
        self._before_writing: Callable[[], None] | None = None  # done once, before the first transaction that writes

    def sign_as(self, who: str) -> None:
        """Sign the entries from now on with this name."""
        with self._lock:
            self.who = clean(who) or SOMEBODY

    def now(self) -> str:
        """The time of an entry, ISO 8601 in UTC."""
        return self._now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @contextlib.contextmanager
    def _reading(self) -> Iterator[apsw.Connection]:
        with self._lock, connection.seam(self.path):
            yield self._db

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let several readings see one moment: no other thread writes between them, and no other process can."""
        with self._lock:
            yield

    @contextlib.contextmanager
    def _writing(self) -> Iterator[apsw.Connection]:
        """One transaction: whole when the block ends, nothing when it raises. Raises CaseReadOnly, CaseMoved."""
        with self._lock, connection.seam(self.path):
            if self.read_only:
                raise CaseReadOnly(path=self.path)
            self._opened.check_place()
            self._prepare()
            with self._transaction() as db:
                yield db

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[apsw.Connection]:
        history = (list(self._history.undo), list(self._history.redo))
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
            self._db.execute("COMMIT")
        except BaseException:
            # A full disk or a bad page may already have ended the transaction.
            with contextlib.suppress(apsw.Error):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            self._history.undo, self._history.redo = history
            raise
        finally:
            self._totals.clear()

    def _prepare(self) -> None:
        prepare, self._before_writing = self._before_writing, None
        if prepare is not None:
            prepare()

    @contextlib.contextmanager
    def sparing(self) -> Iterator[None]:
        """Keep less of the file in memory meanwhile."""
        self._set_cache(connection.SMALL_CACHE)
        try:
            yield
        finally:
            self._set_cache(connection.CACHE)

    def _set_cache(self, size: int) -> None:
        with self._reading() as db:
            db.execute(f"PRAGMA cache_size = -{size}").fetchall()

    def _all(self, sql: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Every row of a statement, fetched at once: a cursor left open would keep its transaction open."""
        return self._db.execute(sql, tuple(bindings)).fetchall()

    def _number(self, kind: str) -> int:
        """The next number of its kind; never given twice, whatever is undone. Raises CaseValueWrong."""
        last = int(self._db.execute("SELECT last FROM counter WHERE kind = ?", (kind,)).get or 0)
        if kind not in self._counted:
            if not self._highest(kind) <= last < values.MOST:
                raise values.wrong("counter", kind, "last")
            self._counted.add(kind)
        self._db.execute(
            "INSERT INTO counter (kind, last) VALUES (?1, ?2) ON CONFLICT (kind) DO UPDATE SET last = ?2",
            (kind, last + 1),
        )
        return last + 1

    def _highest(self, kind: str) -> int:
        """The highest number of its kind that stands in the case; 0: none does."""
        if kind in ("log", "record"):
            return int(self._db.execute(f"SELECT max(seq) FROM {kind}").get or 0)
        return int(self._db.execute(f"SELECT max(CAST(substr(id, 2) AS INTEGER)) FROM {kind}").get or 0)

    def _total(self, name: str, sql: str, bindings: tuple[object, ...] = ()) -> int:
        if name not in self._totals:
            self._totals[name] = int(self._db.execute(sql, bindings).get or 0)
        return self._totals[name]

    # --- the log -----------------------------------------------------------------------------------------------------

    def _append(self, verb: str, before: log.Rows, after: log.Rows, *, undoes: int | None = None) -> LogEntry:
        """Write one entry, in the transaction of what it tells."""
        seq = self._number("log")
        previous = self._db.execute("SELECT hash FROM log WHERE seq = ?", (seq - 1,)).get or log.FIRST
        entry = LogEntry(
            seq=seq,
            at=self.now(),
            who=self.who,
            verb=verb,
            before=log.canonical(before),
            after=log.canonical(after),
            version=core.__version__,
            undoes=undoes,
            previous=str(previous),
            hash="",
        )
        digest = log.digest(entry)
        self._db.execute(
            "INSERT INTO log (seq, at, who, verb, version, undoes, previous, hash, before, after) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (seq, entry.at, entry.who, verb, entry.version, undoes, entry.previous, digest, entry.before, entry.after),
        )
        self._history.add(seq, verb, undoes)
        return self._entry(seq)

    _ENTRY = "SELECT seq, at, who, verb, before, after, version, undoes, previous, hash FROM log"

    def _entry(self, seq: int) -> LogEntry:
        rows = self._all(f"{self._ENTRY} WHERE seq = ?", (seq,))
        if not rows:
            raise CaseCorrupt(
                path=self.path, reason=f"log entry {seq} is gone", backups=connection.backups_of(self.path)
            )
        return LogEntry(*rows[0])

    def log(self) -> list[LogEntry]:
        """Every entry, oldest first."""
        with self._reading():
            return [LogEntry(*row) for row in self._all(f"{self._ENTRY} ORDER BY seq")]

    def _recall(self) -> None:
        """Find out from the log what can be undone."""
        with self._reading() as db:
            rows = db.execute("SELECT seq, CAST(verb AS BLOB), undoes FROM log ORDER BY seq")
            # A garbled verb is for whoever reads the entry: a case that was opened is not refused any more.
            self._history = log.History((seq, verb.decode(errors="replace"), undoes) for seq, verb, undoes in rows)
