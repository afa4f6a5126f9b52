"""The decisions log: snapshots of rows, the hash chain over them, and what undo and redo make of it.

An entry keeps ``before`` and ``after`` as canonical JSON: {table: {key: row or null}}. Undo puts the ``before`` rows of
an entry back and is itself an entry (``undoes`` = the seq it takes back); redo takes back the undo. So the log only
grows, and replaying every ``after`` in order gives the decision tables.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.domain import LogEntry

Row = dict[str, object]
Rows = dict[str, dict[str, Row | None]]  # table -> key -> row, None: there is none

FIRST = "0" * 64  # what the first entry names as its predecessor

# Entries that undo passes over: the machine's own work, and what left the case.
NOT_UNDOABLE = frozenset({"create case", "add document", "propose", "export"})


@dataclass(frozen=True, slots=True)
class Table:
    """A decision table: its columns and those that make up its key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...] = ("id",)

    def key_of(self, row: Mapping[str, object]) -> str:
        return "/".join(str(row[column]) for column in self.key)


_VERDICT = ("supports", "contradicts", "neutral")

# Parents before children: rows are put in this order and taken out in the opposite one.
TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table("about", ("id", "title")),
        Table(
            "document",
            (
                *("id", "name", "sha256", "kind", "size", "pages", "chunks", "status", "imported_at", "title"),
                *("author", "date", "address", "reader", "pages_without_text", "included"),
            ),
        ),
        Table("hypothesis", ("id", "text", "note")),
        Table(
            "proposal",
            (
                *("id", "hypothesis", "chunk", "document", "page_id", "page", "start", "end", "quote", "page_sha256"),
                *("label", *_VERDICT, "model", "similarity", "vector_rank", "lexical_rank", "explanation", "status"),
                "possible_duplicate",
            ),
        ),
        Table(
            "evidence",
            (
                *("id", "text", "source", "method", "credibility", "relevance", "document", "page_id", "page", "start"),
                *("end", "quote", "page_sha256", "similarity", "proposal", "created_by", "created_at"),
            ),
        ),
        Table("rating", ("evidence", "hypothesis", "rating", "by", "at"), ("evidence", "hypothesis")),
        Table(
            "suggestion",
            ("evidence", "hypothesis", "rating", "model", *_VERDICT, "at"),
            ("evidence", "hypothesis"),
        ),
    )
}


def canonical(value: object) -> str:
    """One text for one value: sorted keys, no spaces, no NaN. Numbers keep every digit."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(entry: LogEntry) -> str:
    """SHA-256 over every field but the hash itself."""
    fields = {
        name: getattr(entry, name)
        for name in ("seq", "at", "who", "verb", "before", "after", "version", "undoes", "previous")
    }
    return hashlib.sha256(canonical(fields).encode()).hexdigest()


def breaks(entries: Iterable[LogEntry], last: int) -> list[str]:
    """Where the chain does not hold, in words. ``last`` is the number of the last entry ever written."""
    found: list[str] = []
    previous, expected = FIRST, 1
    for entry in entries:
        if entry.seq != expected:
            found.append(f"entry {expected} is missing before entry {entry.seq}")
        if entry.previous != previous:
            found.append(f"entry {entry.seq} does not follow the entry before it")
        if entry.hash != digest(entry):
            found.append(f"entry {entry.seq} was changed after it was written")
        previous, expected = entry.hash, entry.seq + 1
    if expected != last + 1:
        found.append(f"the log ends at entry {expected - 1}, but {last} were written")
    return found


def replay(entries: Iterable[LogEntry]) -> Rows:
    """The decision tables as the log tells them."""
    state: Rows = {name: {} for name in TABLES}
    for entry in entries:
        for table, rows in json.loads(entry.after).items():
            if table not in TABLES:
                continue
            for key, row in rows.items():
                if row is None:
                    state[table].pop(key, None)
                else:
                    state[table][key] = row
    return state


class History:
    """What can be undone and redone now: two stacks of entry numbers, rebuilt from the log when a case is opened."""

    def __init__(self, entries: Iterable[tuple[int, str, int | None]] = ()) -> None:
        self.undo: list[int] = []
        self.redo: list[int] = []
        for seq, verb, undoes in entries:
            self.add(seq, verb, undoes)

    def add(self, seq: int, verb: str, undoes: int | None) -> None:
        """Take in entry ``seq``."""
        if undoes is None:
            if verb not in NOT_UNDOABLE:
                self.undo.append(seq)
                self.redo.clear()
        elif self.undo and self.undo[-1] == undoes:
            self.undo.pop()
            self.redo.append(seq)
        elif self.redo and self.redo[-1] == undoes:
            self.redo.pop()
            self.undo.append(seq)
