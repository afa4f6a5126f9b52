"""Pages bound to the log: what it says of the text of each of them, and of all else that is shown or quoted of it.

The entry that finishes a document, takes in what was read in a picture, or changes a word holds under ``pages`` for
each page that it changed its number, the SHA-256 of its text, and the SHA-256 of all else that is shown, searched or
quoted of it: measures, source, confidence, label, marks of hidden and struck text, tables, boxes of words, headings,
passages, readings. A text is compared with its entry whenever it is read, the rest by ``verify``.

A case of an older format gets an entry ``anchor`` with all of this, and with the chain of records, when it is first
opened: it says what was there then, and cannot say what was changed before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import NamedTuple

from core.domain import LogEntry
from core.errors import CaseCorrupt
from core.store import connection, decision_log
from core.store.database import Database
from core.store.decision_log import ENTRY
from core.store.record_chain import canonical_value, redactions_of

_BATCH = 500  # pages that are hashed in one statement
_HIGHEST = 1 << 40  # no page has such a number


class Anchor(NamedTuple):
    """A page as the log has it: its document and number, the SHA-256 of its text, and that of all else."""

    document: str
    number: int
    sha256: str
    rest: str


class PageAnchors:
    """The pages as the log has them."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.pending_pages: set[int] = set()  # pages of which the next entry of the log is to speak
        self._restated_pages: set[int] = set()  # pages of which more than one entry of the log says something
        self._anchors: dict[int, Anchor] | None = None
        self._bound = False  # whether the log is known to bind pages and records

    def restated_pages(self) -> set[int]:
        """Return the pages of which more than one entry of the log says something."""
        with self._db.reading():
            self.all()
            return set(self._restated_pages)

    def facts_of(self, pages: Collection[int]) -> dict[int, Anchor]:
        """Work out what is to be said of pages, as they are in the file now."""
        facts: dict[int, Anchor] = {}
        ids = sorted(pages)
        for start in range(0, len(ids), _BATCH):
            batch = (json.dumps(ids[start : start + _BATCH]),)
            among = "IN (SELECT value FROM json_each(?))"
            beside: dict[int, list[object]] = {}
            for sql in (
                f"SELECT page, 'heading', start, level, title FROM section WHERE page {among} "
                "ORDER BY page, start, rowid",
                f"SELECT page, 'passage', id, document, start, \"end\" FROM chunk WHERE page {among} ORDER BY page, id",
                "SELECT page, 'reading', engine, text, words, confidences, alternatives, at FROM reading "
                f"WHERE page {among} ORDER BY page, engine",
            ):
                for page, *values in self._db.execute(sql, batch):
                    beside.setdefault(page, []).append([canonical_value(value) for value in values])
            rows = self._db.execute(
                "SELECT id, document, number, sha256, width, height, source, confidence, label, hidden, fingerprint, "
                f"words, struck, tables FROM page WHERE id {among}",
                batch,
            )
            for page, document, number, sha256, *rest, struck_spans, tables in rows:
                # Only where there are any: a case of a format without them was bound to its log without them.
                for kind, marks in (("struck", struck_spans), ("tables", tables)):
                    if marks != "[]":
                        beside.setdefault(page, []).append([kind, marks])
                row = [page, document, number, *(canonical_value(value) for value in rest), beside.get(page, [])]
                digest = hashlib.sha256(decision_log.canonical(row).encode()).hexdigest()
                facts[page] = Anchor(document, number, sha256, digest)
        return facts

    def all(self) -> dict[int, Anchor]:
        """Return what the log says of each page; nothing where an entry that says it does not have its own hash."""
        with self._db.reading():
            if self._anchors is None:
                anchors: dict[int, Anchor] = {}
                self._restated_pages.clear()
                rows = self._db.rows(f"""{ENTRY} WHERE instr(after, '"pages":') ORDER BY seq""")
                redactions = redactions_of(self._db)
                for entry in (LogEntry(*row) for row in rows):
                    if redactions.is_proven(entry):
                        for page, anchor in anchors_in(entry).items():
                            earlier = anchors.get(page)
                            if earlier is not None:
                                self._restated_pages.add(page)
                            if earlier is None or earlier[:3] == anchor[:3] or entry.verb in decision_log.REWORDING:
                                anchors[page] = anchor
                self._anchors = anchors
            return self._anchors

    def prove(self, page_id: int, document: str, number: int, text: str, sha256: str) -> None:
        """Raise CaseCorrupt for a text that is not the kept one: a changed text must never be shown."""
        if hashlib.sha256(text.encode()).hexdigest() == sha256:
            if page_id in self.pending_pages:
                return
            anchor = self.all().get(page_id)
            if anchor is not None and anchor[:3] == (document, number, sha256):
                return
            # A document still being read is not in the log yet.
            status = self._db.execute("SELECT status FROM document WHERE id = ?", (document,)).get
            if anchor is None and (status == "reading" or not self.is_anchored()):
                return
        reason = f"the text of page {number} of {document} was altered"
        raise CaseCorrupt(path=self._db.path, reason=reason, backups=connection.backups_of(self._db.path))

    def is_anchored(self) -> bool:
        """Return whether the log binds pages and records: not in an older case that can only be viewed."""
        with self._db.reading() as db:
            if not self._bound:
                sql = """SELECT 1 FROM log WHERE instr(after, '"record":{"head":') LIMIT 1"""
                self._bound = bool(db.execute(sql).get)
            return self._bound

    def anchored_since(self) -> str:
        """Return when a case of an older format was bound to its log; '' for one that always was."""
        with self._db.reading() as db:
            sql = "SELECT at FROM log WHERE verb = ? AND undoes IS NULL AND seq > 1 ORDER BY seq"
            moment = str(db.execute(f"{sql} LIMIT 1", (decision_log.ANCHOR,)).get or "")
            first = """SELECT instr(after, '"record":{"head":') FROM log WHERE seq = 1"""
            return "" if db.execute(first).get else moment

    def take_in(self, anchors: Mapping[int, Anchor]) -> None:
        """Know what an entry of the log that was just written says of pages."""
        if self._anchors is not None:
            self._restated_pages |= anchors.keys() & self._anchors.keys()
            self._anchors.update(anchors)
        self.pending_pages.clear()

    def forget(self) -> None:
        """Ask the log again: what was written last was taken back."""
        self.pending_pages.clear()
        self._anchors = None
        self._bound = False


def names_record(entry: LogEntry) -> bool:
    """Return whether an entry names the newest row of the chain of records."""
    return '"record":{"head":' in entry.after


def anchors_in(entry: LogEntry) -> dict[int, Anchor]:
    """Read what an entry says of pages; nothing where it cannot be read, or is not as the program writes it."""
    try:
        by_document = json.loads(entry.after).get("pages", {})
        anchors = {
            int(page): Anchor(document, *facts)
            for document, pages in by_document.items()
            for page, facts in pages.items()
        }
    except (ValueError, AttributeError, TypeError, RecursionError):
        return {}
    is_sound = all(
        0 < page < _HIGHEST
        and type(anchor.number) is int
        and 0 < anchor.number < _HIGHEST
        and isinstance(anchor.sha256, str)
        and isinstance(anchor.rest, str)
        for page, anchor in anchors.items()
    )
    return anchors if is_sound else {}
