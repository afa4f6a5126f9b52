"""Which documents and passages a search goes through."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from core.store.database import Database
from core.store.documents import READ

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


class SearchScope:
    """The part of a case that is searched."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def not_searched(self) -> list[str]:
        """List documents that are never searched: those still being read, and those that were removed."""
        return [row[0] for row in self._db.rows(f"SELECT id FROM document WHERE NOT ({READ})")]

    def allowed(self, include: Collection[str] | None, exclude: Collection[str]) -> NDArray[numpy.bool_] | None:
        """Return by number of a document whether it is searched, the last item for all beyond; None: all are."""
        left_out = {*exclude, *self.not_searched()}
        if include is None and not left_out:
            return None
        import numpy

        numbers = [int(document[1:]) for document in {*(include or ()), *left_out}]
        mask = numpy.full(max(numbers, default=0) + 2, include is None)
        for document in include or ():
            mask[int(document[1:])] = True
        for document in left_out:
            mask[int(document[1:])] = False
        mask[0] = False
        return mask

    def subquery(
        self, include: Collection[str] | None, exclude: Collection[str], among: Collection[int] | None = None
    ) -> tuple[str, tuple[object, ...]]:
        """Return a subquery for the chunk ids to search, '' for all of them."""
        if among is not None:
            scope, bindings = self.subquery(include, exclude)
            within = f" WHERE value IN ({scope})" if scope else ""
            return f"SELECT value FROM json_each(?){within}", (json.dumps(sorted(among)), *bindings)
        left_out = sorted({*exclude, *self.not_searched()})
        if include is not None:
            ids = sorted(set(include) - set(left_out))
            return "SELECT id FROM chunk WHERE document IN (SELECT value FROM json_each(?))", (json.dumps(ids),)
        if left_out:
            return (
                "SELECT id FROM chunk WHERE document NOT IN (SELECT value FROM json_each(?))",
                (json.dumps(left_out),),
            )
        return "", ()

    def searched(self, include: Collection[str] | None, exclude: Collection[str]) -> tuple[int, int]:
        """Count the documents, and the passages in them, that a search of that scope goes through."""
        left_out = {*exclude, *self.not_searched()}
        with self._db.reading():
            rows = self._db.rows("SELECT id, chunks FROM document")
        ids = None if include is None else set(include)
        sizes = [n for document, n in rows if document not in left_out and (ids is None or document in ids)]
        return len(sizes), sum(sizes)

    def left_out(self) -> list[str]:
        """List documents that a person took out of searches."""
        with self._db.reading():
            return [row[0] for row in self._db.rows("SELECT id FROM document WHERE included = 0")]

    def languages(self) -> dict[str, str]:
        """Return the language of each document, as far as it is known (ISO 639-1)."""
        with self._db.reading():
            return dict(self._db.rows("SELECT id, language FROM document WHERE language != ''"))

    def foreign_passages(self) -> int:
        """Count the passages of documents that are known to be in another language than English."""
        with self._db.reading():
            sql = f"SELECT sum(chunks) FROM document WHERE {READ} AND language NOT IN ('', 'en')"
            return self._db.total("ready foreign", sql)

    def digest(self) -> str:
        """Return a digest of the texts that a search goes through: another one once documents or their words change."""
        digest = hashlib.sha256()
        with self._db.reading():
            rows = self._db.rows(
                "SELECT document, number, page.sha256 FROM page JOIN document ON document.id = page.document "
                f"WHERE included = 1 AND {READ} ORDER BY page.id"
            )
        for row in rows:
            digest.update("\0".join(map(str, row)).encode())
        return digest.hexdigest()[:32]

    def passages(self) -> int:
        """Count the passages that a search by words goes through."""
        with self._db.reading():
            return self._db.total("ready", f"SELECT sum(chunks) FROM document WHERE {READ}")


def chunk_array(among: Collection[int] | None) -> NDArray[numpy.int64] | None:
    """Return the same ids for numpy."""
    if among is None:
        return None
    import numpy

    return numpy.fromiter(among, dtype=numpy.int64, count=len(among))
