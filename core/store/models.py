"""The models whose verdicts and vectors a case keeps, each with its number."""

from __future__ import annotations

from core.store.database import Database
from core.store.record_chain import RecordChain


class ModelTable:
    """Fingerprints of models and their numbers."""

    def __init__(self, db: Database, chain: RecordChain) -> None:
        self._db = db
        self._chain = chain

    def number(self, fingerprint: str) -> int | None:
        """Return the number of a model; None for one that the case does not know."""
        number = self._db.execute("SELECT id FROM model WHERE fingerprint = ?", (fingerprint,)).get
        return None if number is None else int(number)

    def keep(self, fingerprint: str, dimensions: int | None) -> int:
        """Return the number of a model, which gets one if need be. Raises ValueError for another dimension."""
        row = self._db.execute("SELECT id, dimensions FROM model WHERE fingerprint = ?", (fingerprint,)).fetchone()
        if row is None:
            self._db.execute("INSERT INTO model (fingerprint, dimensions) VALUES (?, ?)", (fingerprint, dimensions))
            number = self._db.connection.last_insert_rowid()
            self._chain.record("model", {str(number): (fingerprint, dimensions)})
            return number
        if dimensions is not None and row[1] is None:
            self._db.execute("UPDATE model SET dimensions = ? WHERE id = ?", (dimensions, row[0]))
            self._chain.record("model", {str(row[0]): (fingerprint, dimensions)})
        elif dimensions is not None and row[1] != dimensions:
            raise ValueError(f"vectors of {row[1]} dimensions were expected, not of {dimensions}")
        return int(row[0])
