"""The machine's records, which it writes by the thousand, bound to the log by a chain of hashes of their own.

They are: what became of imported files, searches that were run, verdicts, vectors and their models, likenesses, places
of files, passwords, facts of the case. Each transaction that writes some appends one row to ``record`` with a digest of
every row that was written; the last digest of a row counts. Each entry of the log names the newest row of that chain,
so the last hash of the log, which reports print, stands for both.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence

from core.store import decision_log
from core.store.database import Database

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


class RecordChain:
    """The chain of records."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def record(self, kind: str, rows: Mapping[str, Sequence[object] | None]) -> None:
        """Append to the chain what was just written, in the same transaction: by key the values of each row as
        ``RECORDED`` reads them, None for one that was taken out."""
        if not rows:
            return
        seq = self._db.number("record")
        previous = str(self._db.execute("SELECT hash FROM record WHERE seq = ?", (seq - 1,)).get or decision_log.FIRST)
        digests = decision_log.canonical(
            {key: None if values is None else digest_of(values) for key, values in rows.items()}
        )
        self._db.execute(
            "INSERT INTO record (seq, kind, digests, previous, hash) VALUES (?, ?, ?, ?, ?)",
            (seq, kind, digests, previous, record_hash(seq, kind, digests, previous)),
        )

    def record_where(self, kind: str, condition: str, bindings: Sequence[object] = ()) -> None:
        """The same for the rows of a table that meet a condition, as they stand."""
        rows = self._db.rows(f"{RECORDED[kind]} WHERE {condition}", bindings)
        self.record(kind, {str(key): values for key, *values in rows})

    def breaks(self) -> list[str]:
        """Where the chain of records does not hold, or is not the one that the log names, in words."""
        found: list[str] = []
        with self._db.reading() as db:
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
            named = self._db.rows("""SELECT seq, after FROM log WHERE instr(after, '"record":{"head":') ORDER BY seq""")
        for seq, after in named:
            try:
                head = json.loads(after)["record"]["head"]
                fits = hashes.get(head["seq"]) == head["hash"]
            except (ValueError, KeyError, TypeError, RecursionError):
                fits = False
            if not fits:
                found.append(f"entry {seq} of the log names a record that is not there")
        return found

    def unnamed(self) -> int:
        """How many records stand behind the newest that the log names: the next entry of the log will name them."""
        with self._db.reading() as db:
            last = int(db.execute("SELECT max(seq) FROM record").get or 0)
            sql = """SELECT after FROM log WHERE instr(after, '"record":{"head":') ORDER BY seq DESC LIMIT 1"""
            try:
                return last - int(json.loads(db.execute(sql).get)["record"]["head"]["seq"])
            except (ValueError, KeyError, TypeError, RecursionError):
                return last  # told as a break of the chain

    def recorded(self, kind: str) -> dict[str, str | None]:
        """The last digest of each row of a table; None for one that was taken out."""
        found: dict[str, str | None] = {}
        with self._db.reading() as db:
            for (digests,) in db.execute("SELECT digests FROM record WHERE kind = ? ORDER BY seq", (kind,)):
                with contextlib.suppress(ValueError, TypeError, RecursionError):  # told as a break of the chain
                    found.update(json.loads(digests))
        return found

    def head(self) -> tuple[int, str] | None:
        """The number and hash of its newest row."""
        row = self._db.execute("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1").fetchone()
        return None if row is None else (int(row[0]), str(row[1]))


def digest_of(values: Iterable[object]) -> str:
    """The digest of the values of a recorded row."""
    return hashlib.sha256(decision_log.canonical([hashed(value) for value in values]).encode()).hexdigest()[:_DIGITS]


def record_hash(seq: int, kind: str, digests: str, previous: str) -> str:
    """SHA-256 over a row of the chain."""
    return hashlib.sha256(decision_log.canonical([seq, kind, digests, previous]).encode()).hexdigest()


def hashed(value: object) -> object:
    """A value of a column as JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):  # a size that a hostile file made up
        return repr(value)
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else value
