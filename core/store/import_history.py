"""What nobody decides: what became of every import, where files were found on a computer, passwords."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.store.database import Database, clean
from core.store.record_chain import RecordChain


@dataclass(frozen=True, slots=True)
class Found:
    """A place on this computer where a file was found: ``size`` in bytes, ``mtime_ns`` in nanoseconds since 1970."""

    document: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """The outcome of one file of one import, as it is kept with the case.

    ``measure`` and ``score`` are as in core.domain.NearDuplicate.
    """

    run: int
    at: str
    name: str
    parent: str
    status: str
    document: str | None
    of: str | None = None
    measure: str = ""
    score: float | None = None
    reason: str = ""
    remedy: str = ""


class ImportHistory:
    """Imports, places of files, and passwords."""

    def __init__(self, db: Database, chain: RecordChain) -> None:
        self._db = db
        self._chain = chain

    def put(self, rows: Iterable[ImportedRow]) -> int:
        """Keep what became of the files of one import; return its number."""
        with self._db.transaction() as db:
            run = int(db.execute("SELECT coalesce(max(run), 0) + 1 FROM imported").get)
            at = self._db.now()
            last = db.execute("SELECT coalesce(max(id), 0) FROM imported").get
            db.executemany(
                "INSERT INTO imported (run, at, name, parent, status, document, of, measure, score, reason, remedy) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *(run, at, clean(row.name), clean(row.parent), row.status, row.document, row.of),
                        *(row.measure, row.score, clean(row.reason), clean(row.remedy)),
                    )
                    for row in rows
                ],
            )
            self._chain.record_where("imported", "id > ?", (last,))
            return run

    def imported(self, run: int | None = None) -> list[ImportedRow]:
        """List what became of every file of every import, or of one; 0 is the last."""
        columns = "run, at, name, parent, status, document, of, measure, score, reason, remedy"
        with self._db.reading() as db:
            if run == 0:
                run = int(db.execute("SELECT coalesce(max(run), 0) FROM imported").get)
            rows = self._db.rows(f"SELECT {columns} FROM imported WHERE ?1 IS NULL OR run = ?1 ORDER BY id", (run,))
            return [ImportedRow(*row) for row in rows]

    def found_at(self, place: str) -> Found | None:
        """Return what was found last at a place.

        A place is a digest of the path: paths name people, and cases travel.
        """
        with self._db.reading() as db:
            sql = "SELECT document, size, modified FROM found_at WHERE path = ?"
            row = db.execute(sql, (place,)).fetchone()
            return Found(*row) if row else None

    def put_found_at(self, places: Mapping[str, Found]) -> None:
        """Remember what was found at places, in one transaction."""
        with self._db.transaction() as db:
            db.executemany(
                "INSERT OR REPLACE INTO found_at (path, document, size, modified) VALUES (?, ?, ?, ?)",
                [(place, stamp.document, stamp.size, stamp.mtime_ns) for place, stamp in places.items()],
            )
            self._chain.record(
                "found_at", {place: (one.document, one.size, one.mtime_ns) for place, one in places.items()}
            )

    def password(self, document: str) -> str:
        """Return the password that a document opens with; '' where it needs none, or it is not known."""
        with self._db.reading() as db:
            return str(db.execute("SELECT password FROM password WHERE document = ?", (document,)).get or "")

    def put_password(self, document: str, password: str) -> None:
        """Keep the password that opened a document.

        It stands in the case file as it is, and nowhere else: not in the log, not in any export.
        """
        with self._db.transaction() as db:
            db.execute("INSERT OR REPLACE INTO password (document, password) VALUES (?, ?)", (document, password))
            self._chain.record("password", {document: (password,)})

    def passwords(self) -> list[str]:
        """List the passwords that opened documents of the case, each once."""
        with self._db.reading():
            rows = self._db.rows("SELECT DISTINCT password FROM password WHERE password <> '' ORDER BY rowid")
            return [str(row[0]) for row in rows]

    def with_password(self) -> list[str]:
        """List the documents whose password is kept."""
        with self._db.reading():
            rows = self._db.rows("SELECT document FROM password WHERE password <> '' ORDER BY rowid")
            return [str(row[0]) for row in rows]

    def locked(self) -> set[str]:
        """Return failed documents that open with a password that is not known."""
        return self._of_unknown_password("status = 'failed'")

    def without_password(self) -> set[str]:
        """Return documents that were read with a password that is no longer stored."""
        return self._of_unknown_password("status IN ('ready', 'needs_ocr')")

    def _of_unknown_password(self, where: str) -> set[str]:
        sql = f"SELECT id FROM document JOIN password ON document = id WHERE {where} AND password = ''"
        with self._db.reading():
            return {str(row[0]) for row in self._db.rows(sql)}
