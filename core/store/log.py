"""The decisions log as it is kept.

Entries are appended in the transaction of what they tell, chained by their hashes, and bind the pages and records that
were written since the one before.
"""

from __future__ import annotations

import itertools

import core
from core.domain import LogEntry
from core.errors import CaseCorrupt
from core.store import connection, decision_log
from core.store.anchors import PageAnchors
from core.store.database import SOMEBODY, Database, clean
from core.store.decision_log import ENTRY, ChangeSet, Rows, UndoStacks
from core.store.record_chain import RECORDED, RecordChain

_RECORDS = 5_000  # digests in one row of the chain where an older case is taken in


class DecisionLog:
    """The log of one case. It watches the transactions: a page that changed without an entry gets one."""

    def __init__(self, db: Database, chain: RecordChain, anchors: PageAnchors, *, who: str) -> None:
        self._db = db
        self._chain = chain
        self._anchors = anchors
        self.who: str = clean(who) or SOMEBODY
        self.stacks = UndoStacks()
        self._stacks_before: tuple[list[int], list[int]] = ([], [])
        self._newest_named = (
            0  # the newest record that the log names, as far as it was written since the case was opened
        )
        db.watch(self)

    def sign_as(self, who: str) -> None:
        """Sign the entries from now on with this name."""
        with self._db.lock:
            self.who = clean(who) or SOMEBODY

    # --- transactions ------------------------------------------------------------------------------------------------

    def begins(self) -> None:
        """Remember what can be undone before a transaction."""
        self._stacks_before = (list(self.stacks.undo), list(self.stacks.redo))

    def ends(self) -> None:
        """Write the entry of pages that changed in a transaction without one."""
        if self._anchors.pending_pages:
            self.append(decision_log.ANCHOR, {}, {})

    def fails(self) -> None:
        """Know nothing of what a transaction that was taken back wrote."""
        self.stacks.undo, self.stacks.redo = self._stacks_before
        self._anchors.forget()
        self._newest_named = 0

    def loses_place(self) -> None:
        """Name what was recorded last: nothing is written after this, where the file is now."""
        self.name_records()

    # --- writing -----------------------------------------------------------------------------------------------------

    def append(self, verb: str, before: Rows, after: Rows, *, undoes: int | None = None) -> LogEntry:
        """Write one entry, in the transaction of what it tells, with what binds pages and records to it."""
        bound = dict(after)
        anchors = self._anchors.facts_of(self._anchors.pending_pages)
        if anchors:
            pages: dict[str, dict[str, list[object]]] = {}
            for page_id, anchor in sorted(anchors.items()):
                pages.setdefault(anchor.document, {})[str(page_id)] = [anchor.number, anchor.sha256, anchor.rest]
            bound["pages"] = pages  # type: ignore[assignment]
        head = self._chain.head()
        if head is not None and head[0] != self._newest_named:
            bound["record"] = {"head": {"seq": head[0], "hash": head[1]}}
            strays = self._chain.strays
            if strays and self._newest_named < strays[-1]:
                bound["record"]["while closed"] = {"first": strays[0], "last": strays[-1]}
            self._newest_named = head[0]
        entry = self._write(verb, decision_log.canonical(before), decision_log.canonical(bound), undoes)
        self._anchors.take_in(anchors)
        return entry

    def _write(self, verb: str, before: str, after: str, undoes: int | None) -> LogEntry:
        seq = self._db.number("log")
        previous = self._db.execute("SELECT hash FROM log WHERE seq = ?", (seq - 1,)).get or decision_log.FIRST
        entry = LogEntry(
            seq=seq,
            at=self._db.now(),
            who=self.who,
            verb=verb,
            before=before,
            after=after,
            version=core.__version__,
            undoes=undoes,
            previous=str(previous),
            hash="",
        )
        digest = decision_log.digest(entry)
        self._db.execute(
            "INSERT INTO log (seq, at, who, verb, version, undoes, previous, hash, before, after) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (seq, entry.at, entry.who, verb, entry.version, undoes, entry.previous, digest, entry.before, entry.after),
        )
        self.stacks.add(seq, verb, undoes)
        return self.entry(seq)

    def append_change(self, verb: str, change: ChangeSet) -> LogEntry | None:
        """Append one entry for what changed; none when nothing did."""
        return self.append(verb, change.before, change.after) if change else None

    def note_export(self, name: str, sha256: str) -> None:
        """Remember that a report left the case, and its hash."""
        with self._db.transaction():
            self.append("export", {}, {"export": {clean(name): {"name": clean(name), "sha256": sha256}}})

    def say_incomplete(self) -> None:
        """Leave word in the log that changes which somebody saved before may be missing."""
        if not self._db.read_only:
            with self._db.transaction():
                self.append(decision_log.INCOMPLETE, {}, {})

    def name_records(self) -> None:
        """Have the log name the records behind its last entry, where a session of the program wrote some.

        In a case that can only be viewed, that is the log of a private copy.
        """
        with self._db.reading():
            if self._chain.unnamed_count() > 0:
                with self._db.unguarded():
                    self.append(decision_log.NAMING, {}, {})

    def bind_older(self) -> None:
        """Take into the log what a case of an older format holds.

        Once: what the log binds is not bound again, and not what a chain was kept of.
        """
        with self._db.reading() as db:
            older = db.execute("SELECT 1 FROM log").get and not db.execute("SELECT 1 FROM record").get
        if self._db.read_only or not older or self._anchors.is_anchored():
            return
        with self._db.transaction() as db:
            for kind, sql in RECORDED.items():
                rows = iter(db.execute(f"{sql} ORDER BY 1"))
                while batch := list(itertools.islice(rows, _RECORDS)):
                    self._chain.record(kind, {str(key): values for key, *values in batch})
            pages = db.execute(
                "SELECT page.id FROM page JOIN document ON document.id = document WHERE status <> 'reading'"
            )
            self._anchors.pending_pages |= {row[0] for row in pages}
            self.append(decision_log.ANCHOR, {}, {})

    # --- reading -----------------------------------------------------------------------------------------------------

    def entry(self, seq: int) -> LogEntry:
        """Return one entry. Raises CaseCorrupt where it is gone."""
        rows = self._db.rows(f"{ENTRY} WHERE seq = ?", (seq,))
        if not rows:
            raise CaseCorrupt(
                path=self._db.path, reason=f"log entry {seq} is gone", backups=connection.backups_of(self._db.path)
            )
        return LogEntry(*rows[0])

    def entries(self) -> list[LogEntry]:
        """List every entry, oldest first."""
        with self._db.reading():
            return [LogEntry(*row) for row in self._db.rows(f"{ENTRY} ORDER BY seq")]

    def mentions(self, *signs: str) -> bool:
        """Return whether an entry names a page or passage, by what the log holds of it."""
        sql = "SELECT 1 FROM log WHERE instr(after, ?1) OR instr(before, ?1) LIMIT 1"
        return any(self._db.execute(sql, (sign,)).get for sign in signs)

    def recall(self) -> None:
        """Find out from the log what can be undone."""
        with self._db.reading() as db:
            rows = db.execute("SELECT seq, CAST(verb AS BLOB), undoes FROM log ORDER BY seq")
            # A garbled verb is for whoever reads the entry: a case that was opened is not refused any more.
            self.stacks = UndoStacks((seq, verb.decode(errors="replace"), undoes) for seq, verb, undoes in rows)
