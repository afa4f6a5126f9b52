"""What the log says of results and of the decisions on them, held against each row before it is shown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from core.domain import LogEntry
from core.errors import ResultAltered
from core.store import decision_log
from core.store.database import Database
from core.store.decision_log import ENTRY, Row
from core.store.record_chain import redactions_of

_TABLES = ("answer", "conflict", "audit", "resolution")
_SPEAKS = " OR ".join(f"""instr(after, '"{table}":{{')""" for table in _TABLES)


class ResultLog:
    """Digests of the rows of results as the log has them, read entry by entry as it grows."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._digests: dict[str, dict[str, str]] = {table: {} for table in _TABLES}
        self._end = (0, "")  # number and hash of the last entry that was read

    def prove(self, table: str, rows: Sequence[Row], *, is_complete: bool = True) -> None:
        """Raise ResultAltered for a row that is not what the log says; ``is_complete``: for one that is gone too."""
        self._follow()
        shape, digests = decision_log.TABLES[table], self._digests[table]
        keys = {shape.key_of(row): row for row in rows}
        wrong_keys = [key for key, row in keys.items() if digests.get(key) != _digest(row)]
        wrong_keys += sorted(digests.keys() - keys.keys()) if is_complete else []
        if wrong_keys:
            raise ResultAltered(path=self._db.path, id=wrong_keys[0])

    def _follow(self) -> None:
        """Read the entries that came since; all of them where the last one that was read was taken back."""
        seq, head = self._end
        now = self._db.execute("SELECT hash FROM log WHERE seq = ?", (seq,)).get if seq else ""
        if now != head:
            self._digests, seq = {table: {} for table in _TABLES}, 0
        last = self._db.rows("SELECT seq, hash FROM log ORDER BY seq DESC LIMIT 1")
        if not last or last[0][0] == seq:
            return
        redactions = redactions_of(self._db)
        for row in self._db.rows(f"{ENTRY} WHERE seq > ? AND ({_SPEAKS}) ORDER BY seq", (seq,)):
            entry = LogEntry(*row)
            if redactions.is_proven(entry):
                self._take_in(entry.after)
        self._end = (int(last[0][0]), str(last[0][1]))

    def _take_in(self, after: str) -> None:
        try:
            changes = json.loads(after)
            for table in _TABLES:
                for key, row in changes.get(table, {}).items():
                    if row is None:
                        self._digests[table].pop(key, None)
                    else:
                        self._digests[table][key] = _digest(decision_log.TABLES[table].whole(row))
        except (ValueError, AttributeError, TypeError, RecursionError):
            return  # told by ``verify``; rows that rest on it are not what the log says


def _digest(row: Row) -> str:
    return hashlib.sha256(decision_log.canonical(row).encode()).hexdigest()
