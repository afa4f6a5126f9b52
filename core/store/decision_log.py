"""The decisions log: snapshots of rows, the hash chain over them, and what undo and redo make of it.

An entry keeps ``before`` and ``after`` as canonical JSON: {table: {key: row or null}}. Undo puts the ``before`` rows of
an entry back and is itself an entry (``undoes`` = the seq it takes back); redo takes back the undo. So the log only
grows, and replaying every ``after`` in order gives the decision tables.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.domain import EARLIER, LABELS, RATINGS, ROLES, SECOND_READER, LogEntry
from core.store import values

Row = dict[str, object]
Rows = dict[str, dict[str, Row | None]]  # table -> key -> row, None: there is none

# Every field of an entry, in the order of ``LogEntry``.
ENTRY = "SELECT seq, at, who, verb, before, after, version, undoes, previous, hash FROM log"
FIRST = "0" * 64  # what the first entry names as its predecessor

# Binds what is in the file to the log where no decision changed it.
ANCHOR = "anchor"
# Binds the records behind the entry before it to the log: when a case is closed or copied.
NAMING = "name records"
# The last changes before it were not beside the case, and somebody went on without them.
INCOMPLETE = "open without unsaved changes"
SECOND, AGAIN = "second reading", "judge again"
# The proposals of one passage become one row; rows of one passage become one; a model's ratings for existing rows.
ACCEPT_ROW, JOIN_ROWS, SUGGEST = "accept row", "join rows", "suggest ratings"
# Ratings that were signed with no name of anybody, signed with the name that the person then gave.
SIGN = "sign ratings"
SPLIT_ROW = "split row"  # the way back: a row for each of the quotes that one row holds
RECOGNISE = "recognise languages"
# What the machine answered, compared or audited.
KEEP_RESULTS = "keep results"
# A document is taken out for good, or its password, and what earlier entries and records held of it is blanked: the
# entry names each of them with its new hash. Then the file is written again, so that no free room holds any of it.
ERASE, FORGET, REWRITE = "erase documents", "forget passwords", "rewrite file"
# Files that an import was asked for and did not come to are not to be read any more.
DISCARD = "discard import"
# What could be read of a damaged case, made into a new one: the entry says how it differs from what the log says, and
# the chain of records begins again with it.
RECOVER = "recover case"
# The sample case is whole from here on: its reader takes back their own decisions, not those it was built with.
SAMPLE_BUILT = "build sample"
# Entries that undo passes over: the machine's own work, and what left the case.
NOT_UNDOABLE = frozenset(
    {"create case", "add document", "propose", "export", "look", "read scan"}
    | {
        ANCHOR,
        NAMING,
        INCOMPLETE,
        SECOND,
        AGAIN,
        SAMPLE_BUILT,
        KEEP_RESULTS,
        RECOGNISE,
        ERASE,
        FORGET,
        REWRITE,
        DISCARD,
        RECOVER,
    }
)
# A scan that decisions rest on was read again: words have other numbers now, so nothing before it can be taken back.
READ_AGAIN = "read scan again"
# Entries that may name others which hold what an erasure left of them.
REDACTING = (ERASE, FORGET, RECOVER)
ENDS_OF_UNDO = (READ_AGAIN, SAMPLE_BUILT, ERASE, RECOVER)  # undo does not reach back past one of these
# Entries that may say that the text of a page is another now.
REWORDING = frozenset({"read scan", READ_AGAIN, "check words", "merge", RECOVER})


@dataclass(frozen=True, slots=True)
class Table:
    """A decision table.

    Its columns, those that make up its key, and what columns that came later hold in rows that were logged before them.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...] = ("id",)
    later: Mapping[str, object] = field(default_factory=dict)

    def key_of(self, row: Mapping[str, object]) -> str:
        """Return the key of a row, as one text."""
        return "/".join(str(row[column]) for column in self.key)

    def keys(self, key: str) -> list[str]:
        """Return the values of the key columns; the last may hold a slash itself."""
        return key.split("/", len(self.key) - 1)

    def whole(self, row: Row) -> Row:
        """Complete a logged row to every column of today."""
        return {**self.later, **row}


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
                *("author", "date", "address", "reader", "pages_without_text", "included", "superseded_by"),
                *("language", "parent", "reason", "remedy", "tags", "origin", "reliability", "information", "dated"),
                *("note", "publisher", "place", "own_title", "own_author", "own_place", "attributions", "folder"),
                *("left_out", "file_date"),
            ),
            later={
                **dict.fromkeys(("superseded_by", "language", "parent", "reason", "remedy", "origin"), ""),
                **dict.fromkeys(("reliability", "information", "dated", "note"), ""),
                **dict.fromkeys(("publisher", "place", "own_title", "own_author", "own_place", "folder"), ""),
                "file_date": "",
                **dict.fromkeys(("tags", "attributions", "left_out"), "[]"),
            },
        ),
        Table("hypothesis", ("id", "text", "note", "kind", "prior"), later={"kind": "", "prior": None}),
        Table(
            "proposal",
            (
                *("id", "hypothesis", "chunk", "document", "page_id", "page", "start", "end", "quote", "page_sha256"),
                *("label", *_VERDICT, "model", "similarity", "vector_rank", "lexical_rank", "explanation", "status"),
                "possible_duplicate",
            ),
        ),
        Table(
            "other_verdict",
            ("proposal", "model", "role", "label", *_VERDICT, "explanation", "at"),
            ("proposal", "model"),
        ),
        Table(
            "evidence",
            (
                *("id", "text", "source", "method", "credibility", "relevance", "document", "page_id", "page", "start"),
                *("end", "quote", "page_sha256", "similarity", "proposal", "created_by", "created_at", "kind", "date"),
                *("reliability", "information", "upstream", "note", "absence", "more"),
            ),
            later={
                "kind": "observation",
                "absence": None,
                "more": "[]",
                **dict.fromkeys(("date", "reliability", "information", "upstream", "note"), ""),
            },
        ),
        Table(
            "rating",
            ("evidence", "hypothesis", "rating", "by", "at", "note", "confidence"),
            ("evidence", "hypothesis", "by"),
            later={"note": "", "confidence": ""},
        ),
        Table("suggestion", ("evidence", "hypothesis", "rating", "model", *_VERDICT, "at"), ("evidence", "hypothesis")),
        Table("likelihood", ("hypothesis", "by", "value", "at"), ("hypothesis", "by")),
        Table("consideration", ("id", "kind", "text", "hypothesis", "query", "seen", "status", "by", "at")),
        Table("setting", ("id", "value")),
        Table("entity", ("id", "name", "kind", "aliases", "status", "note", "by", "at")),
        Table("plan_query", ("id", "hypothesis", "role", "text", "origin", "by", "at")),
        Table("relevance", ("hypothesis", "chunk", "relevant", "by", "at"), ("hypothesis", "chunk", "by")),
        Table("ocr_word", ("page", "word", "action", "text", "by", "at"), ("page", "word")),
        *(Table(name, ("id", "subject", "value", "digest", "by", "at")) for name in ("answer", "conflict", "audit")),
        Table("resolution", ("result", "item", "status", "note", "by", "at"), ("result", "item")),
    )
}


_GRADES: dict[str, tuple[object, ...]] = {"reliability": ("", *"ABCDEF"), "information": ("", *"123456")}
_LEVELS = (None, "L", "M", "H")
# What the columns may hold that are one of a few words.
_ALLOWED: dict[str, dict[str, tuple[object, ...]]] = {
    "document": {"status": ("ready", "needs_ocr", "failed", "removed"), "included": (0, 1), **_GRADES},
    "hypothesis": {"kind": ("", "null", "deception")},
    "proposal": {"label": LABELS, "status": ("pending", "accepted", "rejected")},
    "other_verdict": {"label": LABELS, "role": (SECOND_READER, EARLIER)},
    "evidence": {
        "method": ("manual", "corpus"),
        "kind": ("observation", "assumption", "absence", "withdrawn"),
        "credibility": _LEVELS,
        "relevance": _LEVELS,
        **_GRADES,
    },
    "rating": {"rating": RATINGS, "confidence": ("", "low", "medium", "high")},
    "suggestion": {"rating": RATINGS},
    "consideration": {
        "kind": ("assumption", "premortem", "indicator", "conflict", "search"),
        "status": ("open", "done"),
    },
    "entity": {"kind": ("", "person", "organisation", "place", "thing"), "status": ("confirmed", "rejected")},
    "plan_query": {"role": tuple(ROLES)},
    "relevance": {"relevant": (0, 1)},
    "ocr_word": {"action": ("accepted", "corrected", "illegible")},
    "resolution": {"status": ("open", "held", "both", "accepted", "overruled")},
}


def fault(table: str, row: Mapping[str, object]) -> str:
    """Return what in a row no version of the program writes, as a sentence; '' for nothing."""
    for column, choices in _ALLOWED.get(table, {}).items():
        if row.get(column) not in choices:
            return f"Its {column} cannot be '{str(row.get(column))[:20]}'."
    return ""


def canonical(value: object) -> str:
    """Write a value as its one text: sorted keys, no spaces, no NaN. Numbers keep every digit."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(entry: LogEntry) -> str:
    """Return the SHA-256 over every field of an entry but the hash itself."""
    fields = {
        name: getattr(entry, name)
        for name in ("seq", "at", "who", "verb", "before", "after", "version", "undoes", "previous")
    }
    return hashlib.sha256(canonical(fields).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Redactions:
    """The entries of the log and the rows of the records that an erasure blanked, by number, with their new hashes."""

    entries: Mapping[int, str] = field(default_factory=dict)
    records: Mapping[int, str] = field(default_factory=dict)

    def is_proven(self, entry: LogEntry) -> bool:
        """Return whether an entry is the one that was written, or what an erasure left of it."""
        return digest(entry) == self.entries.get(entry.seq, entry.hash)


def redactions(entries: Iterable[LogEntry]) -> Redactions:
    """Gather what the erasures among ``entries`` blanked; the last word on each counts.

    An erasure speaks of what was written before it, also of an earlier one that named what went now. One that takes no
    document out, or passwords alone, speaks of no entry. The records of a case that was recovered began again: what was
    erased before blanked others.
    """
    digests: dict[int, str] = {}
    records: dict[int, str] = {}
    has_begun_anew = False
    redacting = [entry for entry in entries if entry.verb in REDACTING]
    for entry in sorted(redacting, key=lambda entry: entry.seq, reverse=True):
        if digest(entry) != digests.get(entry.seq, entry.hash):
            continue
        try:
            after = json.loads(entry.after)
            erasure = after["erasure"]
            entries_there = {int(seq): str(digest) for seq, digest in erasure["entries"].items()}
            records_there = {int(seq): str(digest) for seq, digest in erasure["records"].items()}
            speaks_of_entries = (entry.verb == RECOVER and _is_recovery(after)) or (
                entry.verb == ERASE and _takes_out(after)
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue  # told where the entries are read
        if speaks_of_entries:
            digests = {seq: hash_ for seq, hash_ in entries_there.items() if seq < entry.seq} | digests
        if not has_begun_anew:
            records = records_there | records
        has_begun_anew = has_begun_anew or entry.verb == RECOVER
    return Redactions(digests, records)


def _takes_out(after: Mapping[str, Any]) -> bool:
    """Return whether an erasure takes out the documents that it says it does."""
    documents, rows = after["erasure"].get("documents"), after.get("document", {})
    return bool(documents) and all(key in rows and rows[key] is None for key in documents)


def _is_recovery(after: Mapping[str, Any]) -> bool:
    """Return whether an entry says from what file the case was recovered, which those who check it are then told."""
    origin = after["recovery"]["case"]
    kinds = (("file", str), ("entries", int), ("of", int))
    return all(isinstance(origin[name], kind) for name, kind in kinds)


def breaks(entries: Sequence[LogEntry], last: int) -> list[str]:
    """Return where the chain does not hold. ``last`` is the number of the last entry ever written."""
    remainders = redactions(entries)
    faults: list[str] = []
    previous, next_seq = FIRST, 1
    for entry in entries:
        if entry.seq != next_seq:
            faults.append(f"entry {next_seq} is missing before entry {entry.seq}")
        if entry.previous != previous:
            faults.append(f"entry {entry.seq} does not follow the entry before it")
        if not remainders.is_proven(entry):
            faults.append(f"entry {entry.seq} was changed after it was written")
        previous, next_seq = entry.hash, entry.seq + 1
    if next_seq != last + 1:
        faults.append(f"the log ends at entry {next_seq - 1}, but {last} were written")
    return faults


def _tables(entry: LogEntry, column: str) -> dict[str, dict[str, Any]]:
    """Read one side of an entry: rows by table and key. Raises CaseValueWrong where it is not that."""
    try:
        tables = values.from_json(getattr(entry, column))
    except ValueError as error:
        raise values.wrong("log", entry.seq, column) from error
    if not isinstance(tables, dict) or not all(isinstance(rows, dict) for rows in tables.values()):
        raise values.wrong("log", entry.seq, column)
    return tables


def _today(shape: Table, key: str, row: Any) -> Row:
    """Complete a logged row to every column of today. Raises CaseValueWrong where it holds what no row can."""
    return values.log_row(shape.name, shape.columns, key, shape.whole(row) if isinstance(row, dict) else row)


def rows_of(entry: LogEntry) -> tuple[Rows, Rows]:
    """Return the decision rows of an entry before and after it, in the shape and under the keys of today."""
    before: Rows = {}
    after: Rows = {}
    tables = {"before": _tables(entry, "before"), "after": _tables(entry, "after")}
    for name, shape in TABLES.items():
        was, became = tables["before"].get(name, {}), tables["after"].get(name, {})
        for key in [*was, *(key for key in became if key not in was)]:
            old, new = was.get(key), became.get(key)
            either = new if old is None else old
            if either is None:
                continue
            row = _today(shape, key, either)
            today = shape.key_of(row)
            before.setdefault(name, {})[today] = None if old is None else row
            after.setdefault(name, {})[today] = row if old is None else None if new is None else _today(shape, key, new)
    return before, after


def apply(state: Rows, entry: LogEntry) -> None:
    """Take one entry into the decision tables as they were before it."""
    for table, rows in rows_of(entry)[1].items():
        for key, row in rows.items():
            if row is None:
                state[table].pop(key, None)
            else:
                state[table][key] = row


def replay(entries: Iterable[LogEntry]) -> Rows:
    """Return the decision tables as the log tells them."""
    state: Rows = {name: {} for name in TABLES}
    for entry in entries:
        apply(state, entry)
    return state


class ChangeSet:
    """Rows as they were and as they are, gathered while a verb runs."""

    def __init__(self) -> None:
        self.before: Rows = {}
        self.after: Rows = {}

    def note(self, table: str, key: str, before: Row | None, after: Row | None) -> None:
        """Take in that a row was written or taken out."""
        # A row changed twice in one verb: what it was at first counts.
        self.before.setdefault(table, {}).setdefault(key, before)
        self.after.setdefault(table, {})[key] = after

    def __bool__(self) -> bool:
        return self.before != self.after


class UndoStacks:
    """Two stacks of entry numbers: what can be undone and redone now, rebuilt from the log when a case is opened."""

    def __init__(self, entries: Iterable[tuple[int, str, int | None]] = ()) -> None:
        self.undo: list[int] = []
        self.redo: list[int] = []
        for seq, verb, undoes in entries:
            self.add(seq, verb, undoes)

    def add(self, seq: int, verb: str, undoes: int | None) -> None:
        """Take in entry ``seq``."""
        if undoes is None:
            if verb in ENDS_OF_UNDO:
                self.undo.clear()
                self.redo.clear()
            elif verb not in NOT_UNDOABLE:
                self.undo.append(seq)
                self.redo.clear()
        elif self.undo and self.undo[-1] == undoes:
            self.undo.pop()
            self.redo.append(seq)
        elif self.redo and self.redo[-1] == undoes:
            self.redo.pop()
            self.undo.append(seq)
