"""What is neither a decision nor made again from something else, bound to the log: pages, and the machine's records.

Pages stand in the log itself. The entry that finishes a document, takes in what was read in a picture, or changes a
word holds under ``pages`` for each page that it changed its number, the SHA-256 of its text, and the SHA-256 of all
else that is shown, searched or quoted of it: measures, source, confidence, label, marks of hidden text, boxes of words,
headings, passages, readings. A text is compared with its entry whenever it is read, the rest by ``verify``.

Records are rows that the machine writes by the thousand: what became of imported files, searches that were run,
verdicts, vectors and their models, likenesses, places of files, passwords, facts of the case. Each transaction that
writes some appends one row to ``record``, a chain of hashes beside the log with a digest of every row that was
written; the last digest of a row counts. Each entry of the log names the newest row of that chain, so the last hash of
the log, which reports print, stands for both. What was written behind the last entry is named by one of its own, ``name
records``, when the case is closed or copied. So a case that was closed holds no record that its log does not name: one
that it holds nevertheless was put there by somebody else. The entry that names such records says so, for good.

A case of an older format gets an entry ``anchor`` with all of this when it is first opened: it says what stood there
then, and cannot say what was changed before.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import apsw

from core.domain import LogEntry
from core.errors import AppError, CaseCorrupt
from core.store import connection, decision_log
from core.store.database import Storage

_BATCH = 500  # pages that are hashed in one statement
_RECORDS = 5_000  # digests in one row of the chain where an older case is taken in
_DIGITS = 32  # of the digest of a record: 128 bits

# Every row of each recorded table: the key under which its digest stands, then the values that the digest covers.
RECORDED: dict[str, str] = {
    "imported": "SELECT id, run, at, name, parent, status, document, of, measure, score, reason, remedy FROM imported",
    "searched": "SELECT id, at, hypothesis, role, query, passages, fresh, supports, contradicts FROM searched",
    "verdict": "SELECT model.fingerprint || ' ' || lower(hex(passage)) || ' ' || lower(hex(hypothesis)), supports, "
    "contradicts, neutral FROM verdict JOIN model ON model.id = verdict.model",
    "vector": "SELECT vector.model || ' ' || chunk, model.fingerprint, data FROM vector "
    "JOIN model ON model.id = vector.model",
    "model": "SELECT id, fingerprint, dimensions FROM model",
    "sketch": "SELECT sketch.document, data, of, measure, score FROM sketch "
    "LEFT JOIN likeness ON likeness.document = sketch.document",
    "found_at": "SELECT path, document, size, modified FROM found_at",
    "password": "SELECT document, password FROM password",
    "meta": "SELECT key, value FROM meta",
}
# Of these no row may be gone; of the others it may: what they hold is made or asked for again.
LASTING = frozenset({"imported", "searched", "model", "meta"})
# Rows of these are written once and never changed.
ONCE = frozenset({"imported", "searched"})


class Anchor(NamedTuple):
    """What the log says of a page: its document and number, the SHA-256 of its text, and that of all else."""

    document: str
    number: int
    sha256: str
    rest: str


def digest_of(values: Iterable[object]) -> str:
    """The digest of the values of a recorded row."""
    return hashlib.sha256(decision_log.canonical([_hashed(value) for value in values]).encode()).hexdigest()[:_DIGITS]


def record_hash(seq: int, kind: str, digests: str, previous: str) -> str:
    """SHA-256 over a row of the chain."""
    return hashlib.sha256(decision_log.canonical([seq, kind, digests, previous]).encode()).hexdigest()


def verdict_key(model: str, passage: str, hypothesis: str) -> str:
    """The key of a verdict among the records; SHA-256 in hexadecimal of both texts."""
    return f"{model} {passage} {hypothesis}"


class Anchors(Storage):
    """A case file of which every entry of the log binds what was written since the one before."""

    def __init__(self, opened: connection.Opened, *, who: str, now: Callable[[], datetime]) -> None:
        super().__init__(opened, who=who, now=now)
        self._anchors: dict[int, Anchor] | None = None
        self._changed_pages: set[int] = set()
        self._restated: set[int] = set()  # pages of which more than one entry of the log says something
        self._named = 0  # the newest record that the log names, as far as it was written since the case was opened
        self._verdict_digests: dict[str, str] | None = None
        self._begun: set[str] = set()  # documents whose reading began since the case was opened
        self._bound = False  # whether the log is known to bind pages and records
        self._added = range(0)  # the records that were added while the case was closed

    @contextlib.contextmanager
    def _writing(self) -> Iterator[apsw.Connection]:
        """One transaction: whole when the block ends, nothing when it raises. A page that changed in it without an
        entry of the log gets one."""
        with self._lock:
            if not self.read_only and not self._opened.in_place():  # nothing is written after this, where it is now
                self.name_records()
        try:
            with super()._writing() as db:
                yield db
                if self._changed_pages:
                    self._append(decision_log.ANCHOR, {}, {})
        except BaseException:
            self._changed_pages.clear()
            self._anchors = self._verdict_digests = None
            self._named = 0
            self._bound = False
            raise

    def _append(
        self, verb: str, before: decision_log.Rows, after: decision_log.Rows, *, undoes: int | None = None
    ) -> LogEntry:
        """Write one entry, in the transaction of what it tells, with what binds pages and records to it."""
        bound = dict(after)
        changed = self._facts_of(self._changed_pages)
        if changed:
            pages: dict[str, dict[str, list[object]]] = {}
            for page_id, anchor in sorted(changed.items()):
                pages.setdefault(anchor.document, {})[str(page_id)] = [anchor.number, anchor.sha256, anchor.rest]
            bound["pages"] = pages  # type: ignore[assignment]
        head = self._db.execute("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1").fetchone()
        if head is not None and head[0] != self._named:
            bound["record"] = {"head": {"seq": head[0], "hash": head[1]}}
            if self._added and self._named < self._added[-1]:
                bound["record"]["while closed"] = {"first": self._added[0], "last": self._added[-1]}
            self._named = head[0]
        entry = super()._append(verb, before, bound, undoes=undoes)
        if self._anchors is not None:
            self._restated |= changed.keys() & self._anchors.keys()
            self._anchors.update(changed)
        self._changed_pages.clear()
        return entry

    # --- pages -------------------------------------------------------------------------------------------------------

    def _facts_of(self, pages: Collection[int]) -> dict[int, Anchor]:
        """What is to be said of pages, as they stand in the file now."""
        found: dict[int, Anchor] = {}
        ids = sorted(pages)
        for at in range(0, len(ids), _BATCH):
            asked = (json.dumps(ids[at : at + _BATCH]),)
            among = "IN (SELECT value FROM json_each(?))"
            beside: dict[int, list[object]] = {}
            for sql in (
                f"SELECT page, 'heading', start, level, title FROM section WHERE page {among} "
                "ORDER BY page, start, rowid",
                f"SELECT page, 'passage', id, document, start, \"end\" FROM chunk WHERE page {among} ORDER BY page, id",
                "SELECT page, 'reading', engine, text, words, confidences, alternatives, at FROM reading "
                f"WHERE page {among} ORDER BY page, engine",
            ):
                for page, *values in self._db.execute(sql, asked):
                    beside.setdefault(page, []).append([_hashed(value) for value in values])
            rows = self._db.execute(
                "SELECT id, document, number, sha256, width, height, source, confidence, label, hidden, fingerprint, "
                f"words FROM page WHERE id {among}",
                asked,
            )
            for page, document, number, sha256, *rest in rows:
                told = [page, document, number, *(_hashed(value) for value in rest), beside.get(page, [])]
                digest = hashlib.sha256(decision_log.canonical(told).encode()).hexdigest()
                found[page] = Anchor(document, number, sha256, digest)
        return found

    def anchors(self) -> dict[int, Anchor]:
        """What the log says of each page; nothing where an entry that says it does not have its own hash."""
        with self._reading():
            if self._anchors is None:
                found: dict[int, Anchor] = {}
                self._restated.clear()
                rows = self._all(f"""{self._ENTRY} WHERE instr(after, '"pages":') ORDER BY seq""")
                for entry in (LogEntry(*row) for row in rows):
                    if decision_log.digest(entry) == entry.hash:
                        for page, anchor in anchors_in(entry).items():
                            known = found.get(page)
                            if known is not None:
                                self._restated.add(page)
                            if known is None or known[:3] == anchor[:3] or entry.verb in decision_log.REWORDING:
                                found[page] = anchor
                self._anchors = found
            return self._anchors

    def restated(self) -> set[int]:
        """The pages of which more than one entry of the log says something."""
        with self._reading():
            self.anchors()
            return set(self._restated)

    def _prove(self, page_id: int, document: str, number: int, text: str, sha256: str) -> None:
        """A changed text must never be shown as the kept one."""
        if hashlib.sha256(text.encode()).hexdigest() == sha256:
            if page_id in self._changed_pages:
                return
            anchor = self.anchors().get(page_id)
            if anchor is not None and anchor[:3] == (document, number, sha256):
                return
            # A document still being read is not in the log yet.
            status = self._db.execute("SELECT status FROM document WHERE id = ?", (document,)).get
            if anchor is None and (status == "reading" or not self.anchored()):
                return
        reason = f"the text of page {number} of {document} was altered"
        raise CaseCorrupt(path=self.path, reason=reason, backups=connection.backups_of(self.path))

    def anchored(self) -> bool:
        """Whether the log binds pages and records: not in a case of an older format that can only be viewed."""
        with self._reading() as db:
            if not self._bound:
                sql = """SELECT 1 FROM log WHERE instr(after, '"record":{"head":') LIMIT 1"""
                self._bound = bool(db.execute(sql).get)
            return self._bound

    def anchored_since(self) -> str:
        """When a case of an older format was bound to its log; '' for one that always was."""
        with self._reading() as db:
            sql = "SELECT at FROM log WHERE verb = ? AND undoes IS NULL AND seq > 1 ORDER BY seq"
            at = str(db.execute(f"{sql} LIMIT 1", (decision_log.ANCHOR,)).get or "")
            first = """SELECT instr(after, '"record":{"head":') FROM log WHERE seq = 1"""
            return "" if db.execute(first).get else at

    def bind_older(self) -> None:
        """Take into the log what a case of an older format holds. Once: what the log binds is not bound anew, and not
        what a chain was kept of."""
        with self._reading() as db:
            older = db.execute("SELECT 1 FROM log").get and not db.execute("SELECT 1 FROM record").get
        if self.read_only or not older or self.anchored():
            return
        with self._writing() as db:
            for kind, sql in RECORDED.items():
                rows = iter(db.execute(f"{sql} ORDER BY 1"))
                while batch := list(itertools.islice(rows, _RECORDS)):
                    self._record(kind, {str(key): values for key, *values in batch})
            pages = db.execute(
                "SELECT page.id FROM page JOIN document ON document.id = document WHERE status <> 'reading'"
            )
            self._changed_pages |= {row[0] for row in pages}
            self._append(decision_log.ANCHOR, {}, {})

    # --- records -----------------------------------------------------------------------------------------------------

    def _record(self, kind: str, rows: Mapping[str, Sequence[object] | None]) -> None:
        """Append to the chain what was just written, in the same transaction: by key the values of each row as
        ``RECORDED`` reads them, None for one that was taken out."""
        if not rows:
            return
        seq = self._number("record")
        previous = str(self._db.execute("SELECT hash FROM record WHERE seq = ?", (seq - 1,)).get or decision_log.FIRST)
        digests = decision_log.canonical(
            {key: None if values is None else digest_of(values) for key, values in rows.items()}
        )
        self._db.execute(
            "INSERT INTO record (seq, kind, digests, previous, hash) VALUES (?, ?, ?, ?, ?)",
            (seq, kind, digests, previous, record_hash(seq, kind, digests, previous)),
        )

    def _record_where(self, kind: str, condition: str, bindings: Sequence[object] = ()) -> None:
        """The same for the rows of a table that meet a condition, as they stand."""
        rows = self._all(f"{RECORDED[kind]} WHERE {condition}", bindings)
        self._record(kind, {str(key): values for key, *values in rows})

    def record_breaks(self) -> list[str]:
        """Where the chain of records does not hold, or is not the one that the log names, in words."""
        found: list[str] = []
        with self._reading() as db:
            last = int(db.execute("SELECT last FROM counter WHERE kind = 'record'").get or 0)
            rows = db.execute("SELECT seq, kind, digests, previous, hash FROM record ORDER BY seq")
            hashes: dict[int, str] = {}
            before = decision_log.FIRST
            once: dict[tuple[str, str], object] = {}
            for seq, kind, digests, previous, hash_ in rows:
                if (previous, hash_) != (before, record_hash(seq, kind, digests, previous)) or seq != len(hashes) + 1:
                    found.append(f"record {seq} was changed after it was written, or one before it is gone")
                hashes[seq] = before = hash_
                with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):  # told by its hash
                    told = json.loads(digests).items() if kind in ONCE else ()
                    if any(once.setdefault((kind, key), digest) != digest for key, digest in told):
                        found.append(f"record {seq} changes rows of '{kind}', which are written once")
            if len(hashes) != last:
                found.append(f"the records end at {len(hashes)}, but {last} were written")
            if self._added:
                found.append(self.added())
            named = self._all("""SELECT seq, after FROM log WHERE instr(after, '"record":{"head":') ORDER BY seq""")
        for seq, after in named:
            try:
                said = json.loads(after)["record"]
                fits = hashes.get(said["head"]["seq"]) == said["head"]["hash"]
                if added := said.get("while closed"):
                    found.append(_while_closed(int(added["first"]), int(added["last"])))
            except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
                fits = False
            if not fits:
                found.append(f"entry {seq} of the log names a record that is not there")
        return list(dict.fromkeys(found))

    def find_added(self) -> None:
        """Find out, when the case is opened, which records were added while it was closed."""
        if not self._opened.logged:  # else its last session was cut short, and could not name its own
            with self._reading() as db:
                named, last = ends(db)
            self._added = range(named + 1, last + 1)

    def added(self) -> str:
        """Which records were added while the case was closed, in words; '' where none were."""
        return _while_closed(self._added[0], self._added[-1]) if self._added else ""

    def unnamed_records(self) -> int:
        """How many records this session, or one that was cut short, wrote behind the newest that the log names."""
        with self._reading() as db:
            named, last = ends(db)
            return last - max(named, self._added.stop - 1)

    def name_records(self) -> None:
        """Have the log name the records behind its last entry, where a session of the program wrote some. In a case
        that can only be viewed, that is the log of a private copy."""
        with self._reading():
            if self.unnamed_records() <= 0:
                return
            try:
                with self._transaction():
                    self._append(decision_log.NAMING, {}, {})
            except BaseException:
                self._named = 0
                raise

    def close(self) -> None:
        """Leave one whole file behind, of which the log names all records, and let others have it. Safe to call
        twice."""
        with self._lock:
            named = True
            if not self.read_only:
                try:
                    self.name_records()
                except (AppError, apsw.Error):  # the disk is full: the case then says that it was not closed
                    named = False
            self._opened.close(named=named)

    def recorded(self, kind: str) -> dict[str, str | None]:
        """The last digest of each row of a table; None for one that was taken out."""
        found: dict[str, str | None] = {}
        with self._reading() as db:
            for (digests,) in db.execute("SELECT digests FROM record WHERE kind = ? ORDER BY seq", (kind,)):
                with contextlib.suppress(ValueError, TypeError, RecursionError):  # told as a break of the chain
                    found.update(json.loads(digests))
        return found

    def _verdict_holds(self, key: str, values: Sequence[object]) -> bool:
        """Whether a kept verdict is the one that was recorded. Of a chain that does not hold nothing is believed."""
        if self._verdict_digests is None:
            digests = {} if self.record_breaks() else self.recorded("verdict")
            self._verdict_digests = {each: digest for each, digest in digests.items() if digest is not None}
        if not self.anchored():
            return True
        return self._verdict_digests.get(key) == digest_of(values)


def _hashed(value: object) -> object:
    """A value of a column as JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):  # a size that a hostile file made up
        return repr(value)
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else value


def ends(db: apsw.Connection) -> tuple[int, int]:
    """The numbers of the newest record that the log names and of the newest there is; 0: none."""
    last = int(db.execute("SELECT max(seq) FROM record").get or 0)
    sql = """SELECT CAST(after AS BLOB) FROM log WHERE instr(after, '"record":{"head":') ORDER BY seq DESC LIMIT 1"""
    try:
        return int(json.loads(db.execute(sql).get)["record"]["head"]["seq"]), last
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return 0, last  # told as a break of the chain


def _while_closed(first: int, last: int) -> str:
    which = f"record {first} was" if first == last else f"records {first} to {last} were"
    return f"{which} added while the case was closed"


def names_record(entry: LogEntry) -> bool:
    """Whether an entry names the newest row of the chain of records."""
    return '"record":{"head":' in entry.after


def anchors_in(entry: LogEntry) -> dict[int, Anchor]:
    """What an entry says of pages; nothing where it cannot be read."""
    try:
        told = json.loads(entry.after).get("pages", {})
        return {int(page): Anchor(document, *said) for document, pages in told.items() for page, said in pages.items()}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return {}
