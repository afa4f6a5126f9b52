"""Vectors by the search model that made them: how many there are, those of a text that stands elsewhere, and forgetting
those of a model that is no longer used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain import Chunk
from core.errors import BadInput
from core.store import schema
from core.store.document_removal import Library
from core.store.documents import READ


@dataclass(frozen=True, slots=True)
class KeptVectors:
    """The vectors of one model: ``model`` is its fingerprint, ``size`` in bytes."""

    model: str
    passages: int
    size: int


class Embeddings(Library):
    """A case may hold vectors of several models; a search goes through those of one."""

    def kept_vectors(self) -> list[KeptVectors]:
        """In the order in which the models were first used."""
        with self._reading():
            models = self._all("SELECT id, fingerprint, dimensions FROM model WHERE dimensions IS NOT NULL ORDER BY id")
            told = [
                (name, self._total(f"vectors {number}", "SELECT count(*) FROM vector WHERE model = ?", (number,)), wide)
                for number, name, wide in models
            ]
        return [KeptVectors(name, count, 4 * wide * count) for name, count, wide in told if count]

    def passages_to_search(self) -> int:
        """How many passages a search by words goes through."""
        with self._reading():
            return self._total("ready", f"SELECT sum(chunks) FROM document WHERE {READ}")

    def forget_vectors(self, model: str, *, instead: str) -> int:
        """Take out the vectors of a model; how many there were. Searches go on with those of ``instead``.

        Raises BadInput where ``instead`` lacks vectors that a search would miss, or is the same.
        """
        if model == instead or self.count_without_vector(instead):
            raise BadInput(
                reason="These vectors are still in use for searching, so they were kept.",
                remedy="Let all passages get vectors of the current search model first, then delete the others.",
            )
        with self._writing() as db:
            number, kept = self._model(model), self._model(instead)
            if number is None:
                return 0
            db.execute("DELETE FROM vector WHERE model = ?", (number,))
            forgotten = db.changes()
            if self._current_model() == model:
                wide = db.execute("SELECT dimensions FROM model WHERE id = ?", (kept,)).get
                if kept is not None and wide is not None:
                    self._make_current(kept, instead, int(wide))
                else:
                    db.execute("DELETE FROM meta WHERE key = 'vector model'")
                    self._record("meta", {"vector model": None})
                    self._drop(schema.VECTOR_TABLE)
        with self._lock:
            self._floors.pop(model, None)
            if self._near is not None and self._near[0] == number:
                self._near = None
        return forgotten

    def vectors_of_equal_texts(self, model: str, chunks: Sequence[Chunk]) -> dict[int, bytes]:
        """By chunk the vector of a passage with the same text, in a document that one of these is a version or a near
        copy of: an edited document has most of its passages from the one before."""
        documents = json.dumps(sorted({chunk.document for chunk in chunks}))
        lengths = json.dumps(sorted({chunk.end - chunk.start for chunk in chunks}))
        with self._reading():
            number = self._model(model)
            if number is None:
                return {}
            asked = "(SELECT value FROM json_each(?1))"
            rows = self._all(
                f"WITH kin (id) AS (SELECT of FROM likeness WHERE document IN {asked} "
                f"UNION SELECT document FROM likeness WHERE of IN {asked} "
                f"UNION SELECT id FROM document WHERE superseded_by IN {asked} AND superseded_by <> '') "
                "SELECT chunk.id FROM chunk WHERE document IN (SELECT id FROM kin) "
                'AND "end" - start IN (SELECT value FROM json_each(?2)) '
                "AND EXISTS (SELECT 1 FROM vector WHERE vector.model = ?3 AND vector.chunk = chunk.id) ORDER BY id",
                (documents, lengths, number),
            )
            if not rows:
                return {}
            wanted = {chunk.text for chunk in chunks}
            same: dict[str, int] = {}
            for other in self.chunks([row[0] for row in rows]).values():
                if other.text in wanted:
                    same.setdefault(other.text, other.id)
            data = dict(
                self._all(
                    "SELECT chunk, data FROM vector WHERE model = ? AND chunk IN (SELECT value FROM json_each(?))",
                    (number, json.dumps(sorted(same.values()))),
                )
            )
        return {chunk.id: bytes(data[same[chunk.text]]) for chunk in chunks if chunk.text in same}
