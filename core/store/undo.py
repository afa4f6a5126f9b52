"""Undo and redo: the rows of an entry of the log put back as they were, by an entry of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import apsw

from core.domain import LogEntry
from core.errors import CaseCorrupt
from core.store import connection, decision_log
from core.store.database import Database
from core.store.decision_log import ChangeSet, Row, Rows
from core.store.log import DecisionLog
from core.store.records import Records

Restorer = Callable[[ChangeSet, Rows], None]


class Undo:
    """Undo of the decisions of people.

    What tables need beyond their rows is handed in: ``revise`` gives a row of a table as it is put back now, ``before``
    and ``after`` run around the putting back.
    """

    def __init__(
        self,
        db: Database,
        log: DecisionLog,
        records: Records,
        *,
        revise: Mapping[str, Callable[[Row, str], Row]],
        before: Sequence[Restorer],
        after: Sequence[Restorer],
    ) -> None:
        self._db = db
        self._log = log
        self._records = records
        self._revise = revise
        self._before = before
        self._after = after

    def undo(self) -> LogEntry | None:
        """Take back the last decision of a person; the new entry has its verb. None when there is none."""
        with self._db.transaction():
            return self._take_back(self._log.stacks.undo[-1]) if self._log.stacks.undo else None

    def redo(self) -> LogEntry | None:
        """Do again what was undone last."""
        with self._db.transaction():
            return self._take_back(self._log.stacks.redo[-1]) if self._log.stacks.redo else None

    def undoable(self) -> LogEntry | None:
        """Return the entry that ``undo`` would take back."""
        with self._db.reading():
            return self._log.entry(self._log.stacks.undo[-1]) if self._log.stacks.undo else None

    def stopped_by_erasure(self) -> bool:
        """Return whether there is nothing left to take back because documents were erased and undo ends there."""
        with self._db.reading():
            if self._log.stacks.undo:
                return False
            last = "SELECT verb FROM log WHERE undoes IS NULL AND verb IN (SELECT value FROM json_each(?)) "
            rows = self._db.rows(f"{last} ORDER BY seq DESC LIMIT 1", (json.dumps(decision_log.ENDS_OF_UNDO),))
            return [row[0] for row in rows] == [decision_log.ERASE]

    def redoable(self) -> LogEntry | None:
        """Return the entry that ``redo`` would take back."""
        with self._db.reading():
            return self._log.entry(self._log.stacks.redo[-1]) if self._log.stacks.redo else None

    def end_building(self) -> None:
        """Note that the sample case is built: nothing that was decided until now is taken back by undo."""
        with self._db.transaction():
            self._log.append(decision_log.SAMPLE_BUILT, {}, {})

    def _take_back(self, seq: int) -> LogEntry:
        """Put the rows of entry ``seq`` back as they were before it."""
        entry = self._log.entry(seq)
        change = ChangeSet()
        try:
            if decision_log.digest(entry) != entry.hash:
                raise ValueError("its hash does not fit")
            self._restore(change, decision_log.rows_of(entry)[0])
        except (KeyError, TypeError, AttributeError, ValueError, apsw.ConstraintError) as error:
            raise CaseCorrupt(
                path=self._db.path, reason=f"log entry {seq} was altered", backups=connection.backups_of(self._db.path)
            ) from error
        return self._log.append(entry.verb, change.before, change.after, undoes=seq)

    def _restore(self, change: ChangeSet, rows: Rows) -> None:
        for prepare in self._before:
            prepare(change, rows)
        for table in reversed(decision_log.TABLES):
            for key, row in rows.get(table, {}).items():
                if row is None:
                    self._records.delete_cascade(change, table, key)
        for table in decision_log.TABLES:
            revise = self._revise.get(table)
            for key, row in rows.get(table, {}).items():
                if row is not None:
                    self._records.put(change, table, revise(row, key) if revise else row)
        for restore in self._after:
            restore(change, rows)
