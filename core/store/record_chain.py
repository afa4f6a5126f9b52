"""The machine's records, which it writes by the thousand, bound to the log by a chain of hashes of their own.

They are: imports, their files and what became of them, searches that were run, verdicts, vectors and their models,
likenesses, places of files, passwords, facts of the case. Each transaction that writes some appends one
row to ``record`` with a digest of every row that was written; the last digest of a row counts. Each entry of the log
names the newest row of that chain, so the last hash of the log, which reports print, stands for both. What was written
behind the last entry is named by one of its own, ``name records``, when the case is closed or copied. So a case that
was closed holds no record that its log does not name: one that it holds nevertheless was put there by somebody else.
The entry that names such records says so, for good.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence

import apsw

from core.domain import LogEntry
from core.store import decision_log
from core.store.database import Database

_DIGITS = 32  # of the digest of a record: 128 bits
# Every row of each recorded table: the key under which its digest is, then the values that the digest covers.
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
    "import_run": "SELECT run, at, asked FROM import_run",
    "import_file": "SELECT id, run, path, root, size, modified FROM import_file",
    "layer_check": "SELECT document, pages FROM layer_check",
}
# Of these no row may be gone; of the others it may: what they hold is made or asked for again.
LASTING = frozenset({"imported", "searched", "model", "meta", "import_run"})
# Rows of these go when what they ask for is done, and no record says so.
PASSING = frozenset({"import_file", "layer_check"})
# Rows of these are written once and never changed.
ONCE = frozenset({"imported", "searched", "import_run", "import_file"})


class RecordChain:
    """The chain of records."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.strays = range(0)  # the records that were added while the case was closed

    def record(self, kind: str, rows: Mapping[str, Sequence[object] | None]) -> None:
        """Append to the chain what was just written, in the same transaction.

        ``rows`` are by key the values of each row as ``RECORDED`` reads them, None for one that was taken out.
        """
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
        """Append the rows of a table that meet a condition, as they are."""
        rows = self._db.rows(f"{RECORDED[kind]} WHERE {condition}", bindings)
        self.record(kind, {str(key): values for key, *values in rows})

    def breaks(self) -> list[str]:
        """Return where the chain of records does not hold, or is not the one that the log names."""
        faults: list[str] = []
        with self._db.reading() as db:
            last = int(db.execute("SELECT last FROM counter WHERE kind = 'record'").get or 0)
            remainders = redactions_of(self._db).records
            rows = db.execute("SELECT seq, kind, digests, previous, hash FROM record ORDER BY seq")
            hashes: dict[int, str] = {}
            expected = decision_log.FIRST
            once: dict[tuple[str, str], object] = {}
            for seq, kind, digests, previous, hash_ in rows:
                own_hash = record_hash(seq, kind, digests, previous)
                if (previous, remainders.get(seq, hash_)) != (expected, own_hash) or seq != len(hashes) + 1:
                    faults.append(f"record {seq} was changed after it was written, or one before it is gone")
                hashes[seq] = expected = hash_
                with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):  # told by its hash
                    row_digests = json.loads(digests).items() if kind in ONCE else ()
                    if any(once.setdefault((kind, key), digest) != digest for key, digest in row_digests):
                        faults.append(f"record {seq} changes rows of '{kind}', which are written once")
            if len(hashes) != last:
                faults.append(f"the records end at {len(hashes)}, but {last} were written")
            if self.strays:
                faults.append(self.added())
            # In a case that was recovered the chain began again.
            begun_at = db.execute("SELECT coalesce(max(seq), 0) FROM log WHERE verb = ?", (decision_log.RECOVER,)).get
            naming_entries = self._db.rows(
                """SELECT seq, after FROM log WHERE instr(after, '"record":{"head":') AND seq >= ? ORDER BY seq""",
                (begun_at,),
            )
        for seq, after in naming_entries:
            try:
                record = json.loads(after)["record"]
                fits = hashes.get(record["head"]["seq"]) == record["head"]["hash"]
                if strays := record.get("while closed"):
                    faults.append(_while_closed(int(strays["first"]), int(strays["last"])))
            except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
                fits = False
            if not fits:
                faults.append(f"entry {seq} of the log names a record that is not there")
        return list(dict.fromkeys(faults))

    def unnamed_count(self) -> int:
        """Count the records that the program itself wrote behind the newest that the log names."""
        with self._db.reading() as db:
            newest_named, last = ends(db)
            return last - max(newest_named, self.strays.stop - 1)

    def last_digests(self, kind: str) -> dict[str, str | None]:
        """Return the last digest of each row of a table; None for one that was taken out."""
        by_key: dict[str, str | None] = {}
        with self._db.reading() as db:
            for (digests,) in db.execute("SELECT digests FROM record WHERE kind = ? ORDER BY seq", (kind,)):
                with contextlib.suppress(ValueError, TypeError, RecursionError):  # told as a break of the chain
                    by_key.update(json.loads(digests))
        return by_key

    def find_added(self) -> None:
        """Find out, when the case is opened, which records were added while it was closed."""
        if not self._db.handle.began_in_wal_mode:  # else its last session was cut short, and could not name its own
            with self._db.reading() as db:
                newest_named, last = ends(db)
            self.strays = range(newest_named + 1, last + 1)

    def added(self) -> str:
        """Return which records were added while the case was closed; '' where none were."""
        return _while_closed(self.strays[0], self.strays[-1]) if self.strays else ""

    def head(self) -> tuple[int, str] | None:
        """Return the number and hash of its newest row."""
        row = self._db.execute("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1").fetchone()
        return None if row is None else (int(row[0]), str(row[1]))


def redactions_of(db: Database) -> decision_log.Redactions:
    """Read from the log what its erasures blanked."""
    rows = db.rows(f"{decision_log.ENTRY} WHERE verb IN (?, ?, ?) ORDER BY seq", decision_log.REDACTING)
    return decision_log.redactions(LogEntry(*row) for row in rows)


def ends(db: apsw.Connection) -> tuple[int, int]:
    """Return the numbers of the newest record that the log names and of the newest there is; 0: none."""
    last = int(db.execute("SELECT max(seq) FROM record").get or 0)
    sql = """SELECT CAST(after AS BLOB) FROM log WHERE instr(after, '"record":{"head":') ORDER BY seq DESC LIMIT 1"""
    try:
        return int(json.loads(db.execute(sql).get)["record"]["head"]["seq"]), last
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return 0, last  # told as a break of the chain


def _while_closed(first: int, last: int) -> str:
    which = f"record {first} was" if first == last else f"records {first} to {last} were"
    return f"{which} added while the case was closed"


def digest_of(values: Iterable[object]) -> str:
    """Return the digest of the values of a recorded row."""
    return hashlib.sha256(decision_log.canonical([canonical_value(value) for value in values]).encode()).hexdigest()[
        :_DIGITS
    ]


def record_hash(seq: int, kind: str, digests: str, previous: str) -> str:
    """Return the SHA-256 over a row of the chain."""
    return hashlib.sha256(decision_log.canonical([seq, kind, digests, previous]).encode()).hexdigest()


def canonical_value(value: object) -> object:
    """Return a value of a column as JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):  # a size that a hostile file made up
        return repr(value)
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else value
