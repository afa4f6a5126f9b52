"""Rows of the decision tables: read and proven, written and taken out, each change noted for the log."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar

from core.errors import NoSuchItem
from core.store import decision_log, values
from core.store.database import Database
from core.store.decision_log import ChangeSet, Row

T = TypeVar("T")
Fields = tuple[Any, ...]  # of a row, in the order of its columns
BY_NUMBER = "ORDER BY CAST(substr(id, 2) AS INTEGER)"


class Records:
    """The rows of the decision tables, each by its key."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def row(self, table: str, key: str) -> Row | None:
        """Return the row under a key, proven; None if there is none. Raises CaseValueWrong."""
        row = self.stored_row(table, key)
        return None if row is None else values.prove(table, key, row)

    def stored_row(self, table: str, key: str) -> Row | None:
        """Return a row as it is, whatever it holds."""
        shape = decision_log.TABLES[table]
        where = " AND ".join(f'"{column}" = ?' for column in shape.key)
        sql = f"SELECT {columns_of(shape)} FROM {table} WHERE {where}"
        with self._db.lock:
            fields = self._db.execute(sql, tuple(shape.keys(key))).fetchone()
        return None if fields is None else dict(zip(shape.columns, fields, strict=True))

    def rows(self, table: str, where: str = "", bindings: Sequence[object] = ()) -> list[Row]:
        """Return every row that meets a condition, proven, in order of id. Raises CaseValueWrong."""
        return [proven(table, fields) for fields in self.fields(table, where, bindings)]

    def fields(self, table: str, where: str = "", bindings: Sequence[object] = ()) -> list[Fields]:
        """Return what is in every row that meets a condition, column by column, in order of id."""
        shape = decision_log.TABLES[table]
        order = " ".join(("", BY_NUMBER)) if shape.key == ("id",) else ""
        sql = f"SELECT {columns_of(shape)} FROM {table}" + (f" WHERE {where}" if where else "") + order
        return self._db.rows(sql, bindings)

    def stored_rows(self, table: str) -> list[Row]:
        """Return every row as it is, whatever it holds."""
        shape = decision_log.TABLES[table]
        return [
            dict(zip(shape.columns, row, strict=True))
            for row in self._db.rows(f"SELECT {columns_of(shape)} FROM {table}")
        ]

    def put(self, change: ChangeSet, table: str, row: Row) -> None:
        """Write a row, new or not, and note it."""
        shape = decision_log.TABLES[table]
        key = shape.key_of(row)
        old_row = self.stored_row(table, key)
        if old_row == row:
            return
        keys = ", ".join(f'"{column}"' for column in shape.key)
        data_columns = [column for column in shape.columns if column not in shape.key]
        updates = ", ".join(f'"{column}" = excluded."{column}"' for column in data_columns)
        self._db.execute(
            f"INSERT INTO {table} ({columns_of(shape)}) VALUES ({', '.join('?' * len(shape.columns))}) "
            f"ON CONFLICT ({keys}) DO UPDATE SET {updates}",
            tuple(row[column] for column in shape.columns),
        )
        change.note(table, key, old_row, row)

    def delete_cascade(self, change: ChangeSet, table: str, key: str) -> None:
        """Delete a row with those that hang on it, and note them."""
        old_row = self.row(table, key)
        if old_row is None:
            return
        if table in ("answer", "conflict", "audit"):
            for row in self.rows("resolution", "result = ?", (key,)):
                self.delete_cascade(change, "resolution", decision_log.TABLES["resolution"].key_of(row))
        if table in ("hypothesis", "evidence", "proposal"):
            dependents = ("proposal", "rating", "suggestion", "likelihood", "plan_query", "relevance")
            for dependent in dependents if table != "proposal" else ("other_verdict",):
                if table in decision_log.TABLES[dependent].columns:
                    for row in self.rows(dependent, f"{table} = ?", (key,)):
                        self.delete_cascade(change, dependent, decision_log.TABLES[dependent].key_of(row))
        if table == "hypothesis":  # what was noted about it stays, for the case as a whole
            for row in self.rows("consideration", "hypothesis = ?", (key,)):
                self.put(change, "consideration", {**row, "hypothesis": ""})
        shape = decision_log.TABLES[table]
        where = " AND ".join(f'"{column}" = ?' for column in shape.key)
        self._db.execute(f"DELETE FROM {table} WHERE {where}", tuple(shape.keys(key)))
        change.note(table, key, old_row, None)

    def require(self, table: str, key: str) -> Row:
        """Return the row under a key, proven. Raises NoSuchItem, CaseValueWrong."""
        row = self.row(table, key)
        if row is None:
            commands = {"document": "documents", "proposal": "proposals", "entity": "names", "answer": "ask"}
            listing = {**commands, "conflict": "conflicts"}.get(table, table)
            raise NoSuchItem(kind=table, id=key, listing=listing)
        return row

    def of_documents(self, table: str, documents: Iterable[str], column: str = "document") -> list[Row]:
        """Return the rows of a table that name one of these documents.

        A quote over a page break stays in one document.
        """
        id_list = json.dumps(list(documents))
        return self.rows(table, f"{column} IN (SELECT value FROM json_each(?))", (id_list,))


class RowValues(Generic[T]):
    """Values made from rows, cached: an unchanged row gives the same object as before.

    A large case is listed again with each change, and most of what that takes is proving its rows.
    """

    def __init__(self, make: Callable[[Fields], T]) -> None:
        self._make = make
        self._values: dict[str, tuple[Fields, T]] = {}  # by id: the fields, and what was made of them

    def of(self, rows: Iterable[Fields]) -> list[T]:
        """Return what each row is made into; the id is its first field. Raises CaseValueWrong."""
        return [self._value(fields) for fields in rows]

    def _value(self, fields: Fields) -> T:
        former = self._values.get(fields[0])
        if former is not None and former[0] == fields:
            return former[1]
        value = self._make(fields)
        self._values[fields[0]] = fields, value
        return value


def proven(table: str, fields: Fields) -> Row:
    """Return the row with these fields. Raises CaseValueWrong."""
    shape = decision_log.TABLES[table]
    row = dict(zip(shape.columns, fields, strict=True))
    return values.prove(table, shape.key_of(row), row)


def columns_of(shape: decision_log.Table) -> str:
    """Return the columns of a table, as SQL names them."""
    return ", ".join(f'"{column}"' for column in shape.columns)


def cell(row: Mapping[str, object]) -> tuple[int, int, str]:
    """Return the place of a rating in the matrix, to sort by."""
    return number_of(str(row["evidence"])), number_of(str(row["hypothesis"])), str(row.get("by", ""))


@lru_cache(maxsize=1 << 16)  # a large matrix is sorted by a few thousand ids, each of them in many cells
def number_of(identity: str) -> int:
    """Return the number at the end of an id; 0 for none."""
    match = re.search(r"\d+$", identity)
    return int(match[0]) if match else 0
