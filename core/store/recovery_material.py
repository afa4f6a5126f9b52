"""What of a damaged case can be read: its rows, its log as far as the chain proves it, and the decisions of both."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import apsw

from core.domain import LogEntry
from core.errors import AppError
from core.store import decision_log, schema, values
from core.store.anchors import Anchor, anchors_in
from core.store.decision_log import TABLES, Redactions, Row, Rows
from core.store.documents import as_logged
from core.store.salvage import Salvage, Shape

_LEAST = {"document": 16, "page": 13, "hypothesis": 3, "evidence": 17, "rating": 5}  # columns in the first format
_LATER = {"page": {"struck": "[]", "tables": "[]"}}
_IDS = {
    **dict.fromkeys((("document", 0), ("original", 0), ("sketch", 0), ("likeness", 0), ("likeness", 1)), r"D\d+"),
    **dict.fromkeys((("password", 0), ("page", 1), ("chunk", 2), ("found_at", 1), ("proposal", 3)), r"D\d+"),
    **dict.fromkeys((("rating", 0), ("suggestion", 0), ("evidence", 0)), r"E\d+"),
    **dict.fromkeys((("hypothesis", 0), ("likelihood", 0), ("relevance", 0), ("rating", 1)), r"H\d+"),
    **{("proposal", 0): r"P\d+", ("other_verdict", 0): r"P\d+", ("consideration", 0): r"C\d+"},
    **{("entity", 0): r"N\d+", ("plan_query", 0): r"S\d+", ("answer", 0): r"A\d+", ("conflict", 0): r"X\d+"},
    **{("audit", 0): r"U\d+", ("resolution", 0): r"[AXU]\d+", ("about", 0): "case"},
    ("meta", 0): r"case|created|exam .*",
    ("counter", 0): r"[a-z_]+",
}


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing of a damaged case that is not, or not as it was, in the new one; ``kind`` is its table.

    ``name`` is what a person knows it by, or the document or row that it belongs to; '' where nothing tells.
    """

    kind: str
    where: str
    what: str
    name: str = ""

    @property
    def place(self) -> str:
        """The place where it was, with its name."""
        return f"{self.where}: {self.name}" if self.name else self.where


@dataclass(slots=True)
class Material:
    """The parts that the new case is made of, and those that are missing."""

    source: Salvage
    entries: list[LogEntry]
    last: int
    log_state: Rows
    anchors: dict[int, Anchor]
    state: Rows
    redactions: Redactions
    losses: list[Loss] = field(default_factory=list)
    originals: dict[str, bytes] = field(default_factory=dict)
    pages: dict[int, dict[str, Any]] = field(default_factory=dict)
    unproven: set[int] = field(default_factory=set)  # pages whose text neither the log nor the original proves
    read_again: set[int] = field(default_factory=set)  # pages whose text was read from the original
    rewritten: set[int] = field(default_factory=set)  # those of them that had another text in the file
    lost_pages: int = 0  # of which nothing is left, not even what they are called in the log
    chunks: dict[int, tuple[int, str, int, int]] = field(default_factory=dict)
    sections: list[tuple[int, int, int, str]] = field(default_factory=list)
    readings: list[tuple[Any, ...]] = field(default_factory=list)
    records: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    record_counts: dict[str, int] = field(default_factory=dict)  # rows of each that there were
    gone: dict[str, set[Any]] = field(default_factory=dict)  # keys of rows that the file knew, and the new case has not

    @property
    def is_whole(self) -> bool:
        """Return whether the chain of the log proves every entry."""
        return len(self.entries) == self.last

    def lose(self, kind: str, where: object, what: str = "It could not be read.") -> None:
        """Note that something is not, or not as it was, in the new case."""
        self.losses.append(Loss(kind, str(where), what))

    def leave_out(self, kind: str, key: object) -> None:
        """Note the key of a row that there was, for the count of what there was."""
        self.gone.setdefault(kind, set()).add(key)


@cache
def shapes() -> dict[str, Shape]:
    """Read off a fresh case which columns the rows of each table have."""
    db = apsw.Connection(":memory:")
    try:
        schema.migrate(db)
        by_table = {}
        for table in schema.lasting(db):
            columns = db.execute(f'PRAGMA table_info("{table}")').fetchall()
            numbers = [index for index, column in enumerate(columns) if column[5] and column[2] == "INTEGER"]
            is_index = table == "verdict"
            number = numbers[0] if len(numbers) == 1 and sum(bool(column[5]) for column in columns) == 1 else -1
            by_table[table] = Shape(
                types=tuple(str(column[2]) for column in columns),
                may_be_null=tuple(
                    not column[3] and not (column[5] and index != number) for index, column in enumerate(columns)
                ),
                least=_LEAST.get(table, len(columns)),
                forms={index: form for (name, index), form in _IDS.items() if name == table},
                number=number,
                has_rowid=not is_index,
            )
        return by_table
    finally:
        db.close()


@cache
def columns_of_table(table: str) -> tuple[str, ...]:
    """Return the columns of a table of a fresh case."""
    db = apsw.Connection(":memory:")
    try:
        schema.migrate(db)
        return tuple(str(column[1]) for column in db.execute(f'PRAGMA table_info("{table}")').fetchall())
    finally:
        db.close()


def rows_of(source: Salvage, table: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table with the names of their columns, those of an older format completed."""
    columns, shape = columns_of_table(table), shapes()[table]
    later = TABLES[table].later if table in TABLES else _LATER.get(table, {})
    for rowid, row in source.rows[table].items():
        fields = {column: later.get(column) for column in columns}
        for column, kind, value in zip(columns, shape.types, row, strict=False):
            fields[column] = float(value) if kind == "REAL" and value is not None else value
        if shape.number >= 0:
            fields[columns[shape.number]] = rowid
        yield fields


def read_material(source: Salvage) -> Material:
    """Read the log as far as its chain proves, and what it says."""
    fields = list(LogEntry.__dataclass_fields__)
    entries = {int(row["seq"]): LogEntry(**{name: row[name] for name in fields}) for row in rows_of(source, "log")}
    counters = {row["kind"]: int(row["last"]) for row in rows_of(source, "counter")}
    last = max(counters.get("log", 0), *entries, 0)
    redactions = decision_log.redactions(entries[seq] for seq in sorted(entries))
    chain: list[LogEntry] = []
    previous = decision_log.FIRST
    for seq in range(1, last + 1):
        entry = entries.get(seq)
        if entry is None or entry.previous != previous or not redactions.is_proven(entry):
            break
        try:
            decision_log.rows_of(entry)
        except (AppError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            break
        chain.append(entry)
        previous = entry.hash
    anchors: dict[int, Anchor] = {}
    for entry in chain:
        for page, anchor in anchors_in(entry).items():
            earlier = anchors.get(page)
            if earlier is None or earlier[:3] == anchor[:3] or entry.verb in decision_log.REWORDING:
                anchors[page] = anchor
    log_state = decision_log.replay(chain)
    material = Material(source, chain, last, log_state, anchors, {}, redactions)
    next_seq = len(chain) + 1
    for seq in [*(seq for seq in sorted(entries) if seq >= next_seq), last + 1]:
        if seq > next_seq:  # one loss for all of a gap: the number of the last is whatever the file says
            gap = f"entry {next_seq}" if seq == next_seq + 1 else f"entries {next_seq} to {seq - 1}"
            material.lose("log", gap, "It could not be read." if seq == next_seq + 1 else "They could not be read.")
        if entry := entries.get(seq):
            words = f"“{entry.verb}” by {entry.who}, {entry.at[:16].replace('T', ' ')} UTC"
            material.lose("log", f"entry {seq}", f"{words}. Not proven any more: the log is cut before it.")
        next_seq = seq + 1
    material.state = _state(material)
    return material


def _state(material: Material) -> Rows:
    """Return the decisions: as the log says, and where it is cut, as the tables had them after that."""
    state: Rows = {name: dict(rows) for name, rows in material.log_state.items()}
    if material.is_whole:
        return state
    for name, shape in TABLES.items():
        rows: dict[str, Row | None] = {}
        for row in rows_of(material.source, name):
            with contextlib.suppress(AppError, ValueError, KeyError, TypeError):
                table_row = values.log_row(name, shape.columns, "", row)
                if name == "document" and as_logged(table_row) is None:
                    continue
                rows[shape.key_of(table_row)] = as_logged(table_row) if name == "document" else table_row
        if not material.source.damage[name] and not material.source.unread_pages:
            state[name] = rows
        else:
            state[name] |= rows
    return state
