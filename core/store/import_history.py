"""Imports: what was asked for and is still to be read, what became of every file, where files were found, passwords."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.store import decision_log
from core.store.database import Database, clean
from core.store.log import DecisionLog
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


@dataclass(frozen=True, slots=True)
class PendingFile:
    """A file that an import was asked for and that is still to be read.

    ``root`` is the folder that was named and that it was found in, '' for a file that was named itself; ``size`` and
    ``mtime_ns`` are those it had then, -1 where it could not be looked at.
    """

    path: str
    root: str = ""
    size: int = -1
    mtime_ns: int = -1
    run: int = 0


@dataclass(frozen=True, slots=True)
class ImportCount:
    """The number of files that an import was asked for, how many of them were read, and how many are still to be."""

    run: int
    at: str
    files: int
    read: int
    pending: int


class ImportHistory:
    """Imports, places of files, and passwords."""

    def __init__(self, db: Database, chain: RecordChain, log: DecisionLog) -> None:
        self._db = db
        self._chain = chain
        self._log = log

    # --- what is asked for -------------------------------------------------------------------------------------------

    def ask(self, files: Sequence[PendingFile]) -> int:
        """Keep which files are to be read, in one transaction; return the number of the import.

        Their paths are in the case until they are read. A file that an earlier import still waits for is this one's.
        """
        with self._db.transaction() as db:
            run = self._next_run()
            db.execute("INSERT INTO import_run (run, at, asked) VALUES (?, ?, ?)", (run, self._db.now(), len(files)))
            paths = [os.fsencode(file.path) for file in files]
            db.executemany("DELETE FROM import_file WHERE path = ?", [(path,) for path in paths])
            db.executemany(
                "INSERT OR IGNORE INTO import_file (run, path, root, size, modified) VALUES (?, ?, ?, ?, ?)",
                [
                    (run, path, os.fsencode(file.root), file.size, file.mtime_ns)
                    for path, file in zip(paths, files, strict=True)
                ],
            )
            self._chain.record_where("import_run", "run = ?", (run,))
            self._chain.record_where("import_file", "run = ?", (run,))
            return run

    def _next_run(self) -> int:
        last = (
            "SELECT max(coalesce((SELECT max(run) FROM imported), 0), coalesce((SELECT max(run) FROM import_run), 0))"
        )
        return int(self._db.execute(last).get) + 1

    def pending(self, run: int | None = None) -> list[PendingFile]:
        """List the files that are still to be read, of one import or of all, in the order they were asked for."""
        sql = "SELECT path, root, size, modified, run FROM import_file WHERE ?1 IS NULL OR run = ?1 ORDER BY id"
        with self._db.reading():
            rows = self._db.rows(sql, (run,))
        return [
            PendingFile(os.fsdecode(path), os.fsdecode(root), *size_and_time) for path, root, *size_and_time in rows
        ]

    def counts(self) -> list[ImportCount]:
        """Count the files of every import that was asked for, the earliest first."""
        sql = """SELECT run, at, asked,
            (SELECT count(*) FROM imported WHERE imported.run = import_run.run AND parent = ''),
            (SELECT count(*) FROM import_file WHERE import_file.run = import_run.run)
            FROM import_run ORDER BY run"""
        with self._db.reading():
            return [ImportCount(*row) for row in self._db.rows(sql)]

    def settle(
        self, run: int, path: str, rows: Iterable[ImportedRow] = (), places: Mapping[str, Found] | None = None
    ) -> None:
        """Keep what became of one file, with those inside it, and wait for it no more; in one transaction."""
        with self._db.transaction() as db:
            db.execute("DELETE FROM import_file WHERE path = ?", (os.fsencode(path),))
            self._put_rows(run, rows)
            self._put_places(places or {})

    def discard(self) -> int:
        """Wait for no file any more, as one entry of the log; return how many there were."""
        with self._db.transaction() as db:
            rows = self._db.rows("SELECT run, count(*) FROM import_file GROUP BY run ORDER BY run")
            if rows:
                db.execute("DELETE FROM import_file")
                after: decision_log.Rows = {"import": {str(run): {"discarded": count} for run, count in rows}}
                self._log.append(decision_log.DISCARD, {}, after)
        return sum(count for _, count in rows)

    # --- what became of it -------------------------------------------------------------------------------------------

    def put(self, rows: Iterable[ImportedRow]) -> int:
        """Keep what became of the files of one import; return its number."""
        with self._db.transaction():
            run = self._next_run()
            self._put_rows(run, rows)
            return run

    def _put_rows(self, run: int, rows: Iterable[ImportedRow]) -> None:
        moment = self._db.now()
        last = self._db.execute("SELECT coalesce(max(id), 0) FROM imported").get
        self._db.executemany(
            "INSERT INTO imported (run, at, name, parent, status, document, of, measure, score, reason, remedy) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(run, moment, clean(row.name), clean(row.parent), row.status, row.document, row.of),
                    *(row.measure, row.score, clean(row.reason), clean(row.remedy)),
                )
                for row in rows
            ],
        )
        self._chain.record_where("imported", "id > ?", (last,))

    def is_listed(self, document: str) -> bool:
        """Return whether an import says what became of a document."""
        with self._db.reading() as db:
            return bool(db.execute("SELECT 1 FROM imported WHERE document = ? LIMIT 1", (document,)).get)

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

    def _put_places(self, places: Mapping[str, Found]) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO found_at (path, document, size, modified) VALUES (?, ?, ?, ?)",
            [(place, stamp.document, stamp.size, stamp.mtime_ns) for place, stamp in places.items()],
        )
        self._chain.record(
            "found_at",
            {
                place: (found_file.document, found_file.size, found_file.mtime_ns)
                for place, found_file in places.items()
            },
        )

    # --- layers that were not compared with their pictures -----------------------------------------------------------

    def put_layers(self, document: str, pages: Sequence[int]) -> None:
        """Keep which pages of a document are still to be compared with their pictures."""
        value = json.dumps(list(pages))
        with self._db.transaction() as db:
            db.execute("INSERT OR REPLACE INTO layer_check (document, pages) VALUES (?, ?)", (document, value))
            self._chain.record("layer_check", {document: (value,)})

    def layers(self) -> dict[str, list[int]]:
        """Return the pages that are still to be compared with their pictures, by document."""
        sql = """SELECT document, layer_check.pages FROM layer_check JOIN document ON id = document
            WHERE status IN ('ready', 'needs_ocr') ORDER BY document"""
        with self._db.reading():
            return {str(document): json.loads(pages) for document, pages in self._db.rows(sql)}

    def forget_layers(self) -> None:
        """Compare no page with its picture any more."""
        with self._db.transaction() as db:
            db.execute("DELETE FROM layer_check")

    # --- passwords ---------------------------------------------------------------------------------------------------

    def password(self, document: str) -> str:
        """Return the password that a document opens with; '' where it needs none, or it is not known."""
        with self._db.reading() as db:
            return str(db.execute("SELECT password FROM password WHERE document = ?", (document,)).get or "")

    def put_password(self, document: str, password: str) -> None:
        """Keep the password that opened a document.

        It is in the case file as it is, and nowhere else: not in the log, not in any export.
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
