"""What is beside the matrix: assumptions, premortems, indicators, conflicts, searches to come back to."""

from __future__ import annotations

from collections.abc import Mapping

from core.domain import Consideration
from core.errors import BadInput
from core.store.database import Database, clean
from core.store.decision_log import ChangeSet, Row
from core.store.documents import DocumentTable
from core.store.log import DecisionLog
from core.store.records import Records

CONSIDERATIONS = ("assumption", "premortem", "indicator", "conflict", "search")
STATUSES = ("open", "done")


class ConsiderationTable:
    """Considerations, in the name of whoever notes them."""

    def __init__(self, db: Database, log: DecisionLog, records: Records, documents: DocumentTable) -> None:
        self._db = db
        self._log = log
        self._records = records
        self._documents = documents

    def all(self, kind: str | None = None) -> list[Consideration]:
        """List considerations, of one kind or of all, in order of id."""
        with self._db.reading():
            rows = self._records.rows("consideration")
            return [consideration_of(row) for row in rows if kind is None or row["kind"] == kind]

    def add(self, kind: str, text: str, *, hypothesis: str = "", query: str = "") -> Consideration:
        """Note a consideration. An indicator looks at documents that come after it. Raises BadInput, NoSuchItem."""
        if kind not in CONSIDERATIONS:
            raise BadInput(reason=f"'{kind}' is not a consideration.", remedy=f"Use {', '.join(CONSIDERATIONS)}.")
        with self._db.transaction():
            change = ChangeSet()
            row = self.new(change, kind, text, hypothesis, query)
            self._log.append_change("add consideration", change)
            return consideration_of(row)

    def new(
        self, change: ChangeSet, kind: str, text: str, hypothesis: str = "", query: str = "", status: str = "open"
    ) -> Row:
        """Put a new consideration, in the transaction that is open. Raises BadInput, NoSuchItem."""
        if not text.strip():
            raise BadInput(reason="There is nothing written yet.", remedy="Say it in a sentence.")
        if hypothesis:
            self._records.require("hypothesis", hypothesis)
        row: Row = {"id": f"C{self._db.number('consideration')}", "kind": kind, "text": clean(text.strip())}
        row |= {"hypothesis": hypothesis, "query": clean(query.strip()), "status": status, "by": self._log.who}
        row |= {"seen": self._documents.last_number(), "at": self._db.now()}
        self._records.put(change, "consideration", row)
        return row

    def edit(self, consideration: str, fields: Mapping[str, str]) -> None:
        """Set text, hypothesis, query or status. Raises NoSuchItem, BadInput."""
        with self._db.transaction():
            change = ChangeSet()
            row = self._records.require("consideration", consideration)
            new = {name: clean(value.strip()) for name, value in fields.items()}
            if new.keys() - {"text", "hypothesis", "query", "status"} or new.get("status", "open") not in STATUSES:
                raise BadInput(reason="This cannot be changed in this way.", remedy="A consideration is open or done.")
            if new.get("hypothesis"):
                self._records.require("hypothesis", new["hypothesis"])
            if not new.get("text", "x"):
                raise BadInput(reason="There is nothing written.", remedy="Say it in a sentence, or remove it.")
            self._records.put(change, "consideration", {**row, **new})
            self._log.append_change("edit consideration", change)

    def remove(self, consideration: str) -> None:
        """Take a consideration out. Raises NoSuchItem."""
        with self._db.transaction():
            change = ChangeSet()
            self._records.require("consideration", consideration)
            self._records.delete_cascade(change, "consideration", consideration)
            self._log.append_change("remove consideration", change)

    def mark_seen(self, consideration: str) -> None:
        """Note that the documents there are now have been looked at for this indicator."""
        with self._db.transaction():
            change = ChangeSet()
            row = self._records.require("consideration", consideration)
            self._records.put(change, "consideration", {**row, "seen": self._documents.last_number()})
            self._log.append_change("look", change)


def consideration_of(row: Row) -> Consideration:
    """Return a consideration from its row."""
    return Consideration(**row)  # type: ignore[arg-type]
