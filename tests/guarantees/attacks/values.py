"""Every table of a closed case, every column, changed behind the program's back or made unreadable.

    python -m tests.guarantees.attacks.values

Prints the columns whose change a check does not notice. Those of the search index are among them: it holds nothing but
what is made again from the texts, and is compared with them.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.errors import AppError
from core.store import CaseFile, connection
from tests.core.store import test_integrity


@dataclass(frozen=True, slots=True)
class Change:
    """One value of one row, and what it becomes. ``key`` is the column, or the rowid, by which the row is known."""

    table: str
    column: str
    key: str
    row: object
    value: object

    def __str__(self) -> str:
        """Name the column."""
        return f"{self.table}.{self.column}"


DEEP = "[" * 50_000 + "]" * 50_000
WILD: dict[str, tuple[object, ...]] = {
    "TEXT": ("", "x" * 100_000, DEEP, '{"a": [1, {"b": null}]}', "\u202e\x1b[2J", "9" * 400, "CC", "D1", "-1"),
    "INTEGER": (0, -1, (1 << 63) - 1, -(1 << 63), 2_000_000_000),
    "REAL": (-1.0, 2.0, 1e308, float("inf"), -0.0),
    "BLOB": (b"", b"\0", b"\xff" * 64, bytes(100_000)),
    "": (None, 0, "x", b"\0\1\2", -1),
}


def tables(db: apsw.Connection) -> list[str]:
    """List every table with rows of its own, those behind the search index too."""
    rows = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    return [name for name, sql in rows if "VIRTUAL" not in str(sql).upper() and not name.startswith("sqlite_")]


def changes(db: apsw.Connection, values: dict[str, tuple[object, ...]] | None = None) -> Iterator[Change]:
    """Yield changes of the first and the last row of each column.

    Without ``values``: another value of its kind, and the value of another row. With them: each of the column's kind.
    """
    for table in tables(db):
        columns = db.execute(f'PRAGMA table_info("{table}")').fetchall()
        without = (
            "WITHOUT ROWID" in str(db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).get).upper()
        )
        key = next(str(name) for _, name, *rest in columns if rest[3] or not without) if without else "rowid"
        for _, column, kind, *_ in columns:
            rows = db.execute(f'SELECT "{key}", "{column}" FROM "{table}" ORDER BY 1').fetchall()
            if not rows:
                continue
            kind = str(kind).upper()
            for row, value in dict([rows[0], rows[-1]]).items():
                news: list[object] = list(values.get(kind, values[""]) if values is not None else ())
                if values is None:
                    news.append(test_integrity.other(value, kind or "BLOB"))
                    news += [rival for _, rival in rows if rival != value][:1]
                yield from (Change(table, str(column), key, row, new) for new in news)


def make(db: apsw.Connection, change: Change) -> bool:
    """Make a change; whether the database takes it."""
    try:
        db.execute(
            f'UPDATE "{change.table}" SET "{change.column}" = ? WHERE "{change.key}" = ?', (change.value, change.row)
        ).fetchall()
    except apsw.Error:
        return False
    return bool(db.changes())


@dataclass(frozen=True, slots=True)
class Found:
    """How many changes there were, and the columns of which some were not noticed."""

    count: int
    unnoticed: tuple[str, ...]


def tamper(folder: Path) -> Found:
    """Change every column of an open case, one at a time, and check it each time."""
    path = folder / "a.disconfirm"
    test_integrity.build(path)
    count, unnoticed = 0, set()
    with CaseFile.open(path) as case:
        db = case.db.connection
        db.execute("PRAGMA foreign_keys = OFF").fetchall()
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)  # as somebody with a database tool
        for change in list(changes(db)):
            db.execute("SAVEPOINT before")
            try:
                if not make(db, change):
                    continue
                count += 1
                if not noticed(case):
                    unnoticed.add(str(change))
            finally:
                db.execute("ROLLBACK TO before")
                db.execute("RELEASE before")
    return Found(count, tuple(sorted(unnoticed)))


def noticed(case: CaseFile) -> bool:
    """Return whether a check finds a fault, or says that it cannot read the case."""
    try:
        return bool(test_integrity.found_in(case))
    except AppError:
        return True


def fuzzed(path: Path, seed: int) -> Iterator[tuple[Change, Path]]:
    """Yield copies of a closed case with one wild value in one column each, in an order given by ``seed``."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.load_vec0(db)
    todo = list(changes(db, WILD))
    db.close()
    random.Random(seed).shuffle(todo)
    data = path.read_bytes()
    copy = path.with_name("fuzzed.disconfirm")
    for change in todo:
        copy.write_bytes(data)
        db = apsw.Connection(str(copy))
        try:
            connection.load_vec0(db)
            db.execute("PRAGMA foreign_keys = OFF").fetchall()
            is_made = make(db, change)
        finally:
            db.close()
        if is_made:
            yield change, copy


def main() -> None:
    """Print what is not noticed."""
    with tempfile.TemporaryDirectory() as folder:
        result = tamper(Path(folder))
    print(f"{result.count:,} changes; not noticed in {len(result.unnoticed)} columns:")
    print("\n".join(result.unnoticed))


if __name__ == "__main__":
    main()
