"""The search by meaning: vectors as rows, by the search model that made them.

A search goes through vectors in memory; what is written to the case is taken up by the next one. Where there is no room
for them, sqlite-vec compares row by row in the file and gives the same passages.
"""

from __future__ import annotations

import itertools
import json
import math
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from operator import mul

from core.domain import Chunk
from core.errors import BadInput, IndexDamaged
from core.store import schema
from core.store.database import Database
from core.store.documents import READ
from core.store.models import ModelTable
from core.store.pages import PageTable
from core.store.record_chain import RecordChain
from core.store.search_scope import SearchScope, chunk_array
from core.store.vector_matrix import MARGIN, Vectors

MEMORY_FOR_SEARCH = 800_000_000  # 500,000 passages of 384 dimensions
_BATCH = 2_000
_LOADED = 250  # vectors at a time while loading: 400 kB stay in the processor's cache
_SPARE = 16  # more than asked for: as many rarely lie within the margin of the last
_NORM_TOLERANCE = 0.01  # float32 and a quantised model stay well inside; a forgotten normalisation does not


@dataclass(frozen=True, slots=True)
class ModelVectors:
    """The vectors of one model: ``model`` is its fingerprint, ``size`` in bytes."""

    model: str
    passages: int
    size: int


class VectorIndex:
    """Search by meaning. A case may hold vectors of several models; a search goes through those of one."""

    def __init__(
        self, db: Database, chain: RecordChain, models: ModelTable, pages: PageTable, scope: SearchScope
    ) -> None:
        self._db = db
        self._chain = chain
        self._models = models
        self._pages = pages
        self._scope = scope
        self._floors: dict[str, int] = {}  # by embedder: every chunk up to this id has its vector
        # Bytes that vectors may take in memory; a case that needs more is searched in the file.
        self.memory_for_search = MEMORY_FOR_SEARCH
        self._cache: tuple[int, Vectors] | None = None  # with the number of its embedder
        self._new_vectors: set[int] = set()  # rows that were written since they were loaded
        db.on_row("vector", self._vector_written)

    def chunks_without(self, model: str, limit: int) -> list[Chunk]:
        """List the next ``limit`` chunks of finished documents that the embedder has not seen, in order of id."""
        with self._db.reading() as db:
            number = self._models.number(model)
            floor = self._floors.get(model, 0)
            rows = db.execute(
                "SELECT chunk.id FROM chunk CROSS JOIN document ON document.id = chunk.document "
                "WHERE chunk.id > ? AND document.status IN ('ready', 'needs_ocr') AND NOT EXISTS "
                "(SELECT 1 FROM vector WHERE vector.model = ? AND vector.chunk = chunk.id) ORDER BY chunk.id LIMIT ?",
                (floor, number, limit),
            )
            ids = [row[0] for row in rows]
            if ids and not self._db.total("reading", "SELECT count(*) FROM document WHERE status = 'reading'"):
                # Everything before is done: the next call need not look there again.
                self._floors[model] = ids[0] - 1
            return list(self._pages.chunks(ids).values())

    def count_without(self, model: str) -> int:
        """Count the passages that can be searched and have no vector of an embedder."""
        with self._db.reading():
            chunks = self._db.total("ready", f"SELECT sum(chunks) FROM document WHERE {READ}")
            return chunks - self.count(model)

    def count(self, model: str) -> int:
        """Count the passages that can be searched and have a vector of an embedder."""
        number = self._models.number(model)
        if number is None:
            return 0
        vectors = self._db.total(f"vectors {number}", "SELECT count(*) FROM vector WHERE model = ?", (number,))
        if not self._db.total("removed", "SELECT count(*) FROM document WHERE status = 'removed'"):
            return vectors
        sql = (
            "SELECT count(*) FROM vector JOIN chunk ON chunk.id = vector.chunk WHERE model = ? "
            "AND document IN (SELECT id FROM document WHERE status = 'removed')"
        )
        return vectors - self._db.total(f"vectors of removed {number}", sql, (number,))

    def models(self) -> list[str]:
        """List the fingerprints of the embedders that have vectors here, that of the newest vector first."""
        with self._db.reading() as db:
            rows = db.execute(
                "SELECT fingerprint FROM model WHERE EXISTS (SELECT 1 FROM vector WHERE vector.model = model.id) "
                "ORDER BY id"
            )
            newest = self._db.execute(
                "SELECT fingerprint FROM model WHERE id = (SELECT model FROM vector ORDER BY rowid DESC LIMIT 1)"
            ).get
            return sorted((row[0] for row in rows), key=lambda name: name != newest)

    def put(self, model: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Keep vectors (chunk id, float32 little endian).

        Raises ValueError for a vector with NaN, another dimension than the model's, or a length far from 1.
        """
        if not vectors:
            return
        dimensions = len(vectors[0][1]) // 4
        for _, data in vectors:
            _check_vector(data, dimensions)
        with self._db.transaction() as db:
            number = self._models.keep(model, dimensions)
            db.executemany(
                "INSERT INTO vector (model, chunk, data) VALUES (?, ?, ?) "
                "ON CONFLICT (model, chunk) DO UPDATE SET data = excluded.data",
                ((number, chunk, data) for chunk, data in vectors),
            )
            self._chain.record("vector", {f"{number} {chunk}": (model, data) for chunk, data in vectors})

    def get(self, model: str, chunk: int) -> bytes | None:
        """Return the vector of a passage by an embedder; None if it has none."""
        with self._db.reading() as db:
            row = db.execute(
                "SELECT data FROM vector WHERE model = ? AND chunk = ?", (self._models.number(model), chunk)
            ).fetchone()
            return bytes(row[0]) if row else None

    def nearest(
        self,
        model: str,
        vector: bytes,
        k: int,
        *,
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        among: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        """Find the ``k`` chunks nearest to a vector, as (chunk id, cosine): best first, ties by chunk id.

        Exactly the best within the documents asked for, and within the chunks ``among`` where they are given. Raises
        IndexDamaged.
        """
        return self.nearest_many(model, [vector], k, include=include, exclude=exclude, among=among)[0]

    def nearest_many(
        self,
        model: str,
        vectors: Sequence[bytes],
        k: int,
        *,
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        among: Collection[int] | None = None,
    ) -> list[list[tuple[int, float]]]:
        """Find the ``nearest`` of each vector, in one pass over the passages."""
        for vector in vectors:
            _check_vector(vector, len(vector) // 4)
        with self._db.reading():
            number = self._models.number(model)
            if number is None or k <= 0 or not vectors or not self.count(model):
                return [[] for _ in vectors]
            dimensions = int(self._db.execute("SELECT dimensions FROM model WHERE id = ?", (number,)).get)
            if any(len(vector) != 4 * dimensions for vector in vectors):
                raise ValueError("the query has another dimension than the model's vectors")
            matrix = self._vectors_in_memory(number, model, dimensions)
            if matrix is not None:
                document_mask, chunks = self._scope.allowed(include, exclude), chunk_array(among)
                return matrix.nearest(vectors, k, document_mask=document_mask, among=chunks)
            scope, bindings = self._scope.subquery(include, exclude, among)
            return [self._nearest_in_file(number, vector, k, scope, bindings) for vector in vectors]

    def _nearest_in_file(
        self, number: int, vector: bytes, k: int, scope: str, bindings: tuple[object, ...]
    ) -> list[tuple[int, float]]:
        sql = (
            "SELECT chunk, vec_distance_cosine(data, ?) AS distance FROM vector WHERE model = ?"
            + (f" AND chunk IN ({scope})" if scope else "")
            + " ORDER BY distance, chunk LIMIT ?"
        )
        limit = k + _SPARE
        while True:
            with self._db.index_seam():
                hits = self._db.rows(sql, (vector, number, *bindings, limit))
            if hits and hits[0][1] is None:  # nothing sorts before it
                raise IndexDamaged(path=self._db.path, reason="a vector in it has no direction")
            # sqlite-vec adds up in float32: whatever may belong to the best is computed again.
            if len(hits) < limit or hits[-1][1] > hits[k - 1][1] + MARGIN:
                break
            limit *= 4
        exact = self._cosines_in_file(number, vector, [chunk for chunk, _ in hits])
        return sorted(exact.items(), key=lambda hit: (-hit[1], hit[0]))[:k]

    def _cosines_in_file(self, number: int, vector: bytes, chunks: Sequence[int]) -> dict[int, float]:
        few = Vectors(len(vector) // 4)
        try:
            for start in range(0, len(chunks), _BATCH):
                few.add(
                    self._db.rows(
                        "SELECT chunk, 1, data FROM vector WHERE model = ? "
                        "AND chunk IN (SELECT value FROM json_each(?)) ORDER BY chunk",
                        (number, json.dumps(chunks[start : start + _BATCH])),
                    )
                )
        except ValueError as error:
            raise IndexDamaged(path=self._db.path, reason=str(error)) from error
        return few.cosines(vector, chunks)

    def cosines(self, model: str, vector: bytes, chunks: Collection[int]) -> dict[int, float]:
        """Return how near some chunks are to a vector; a chunk without one of that embedder is left out."""
        _check_vector(vector, len(vector) // 4)
        with self._db.reading():
            number = self._models.number(model)
            if number is None or not chunks or not self.count(model):
                return {}
            matrix = self._vectors_in_memory(number, model, len(vector) // 4)
            if matrix is not None:
                return matrix.cosines(vector, chunks)
            return self._cosines_in_file(number, vector, sorted(chunks))

    def _vectors_in_memory(self, number: int, model: str, dimensions: int) -> Vectors | None:
        """Return the rows of an embedder as they are in the file now; None if there is no room for them."""
        if self.count(model) * 4 * dimensions > self.memory_for_search:
            self._cache = None
            return None
        try:
            if self._cache is None or self._cache[0] != number or self._cache[1].worn:
                self._cache = None
                self._new_vectors.clear()
                self._cache = number, self._load_vectors(number, dimensions)
            elif self._new_vectors:
                self._take_up_vectors(number, self._cache[1])
            return self._cache[1]
        except MemoryError:
            self._cache = None
            return None
        except ValueError as error:
            self._cache = None
            raise IndexDamaged(path=self._db.path, reason=str(error)) from error

    def _load_vectors(self, number: int, dimensions: int) -> Vectors:
        matrix = Vectors(dimensions)
        rows = self._db.execute(
            "SELECT vector.chunk, CAST(substr(chunk.document, 2) AS INTEGER), vector.data FROM vector "
            "CROSS JOIN chunk ON chunk.id = vector.chunk WHERE vector.model = ? ORDER BY vector.chunk",
            (number,),
        )
        while batch := list(itertools.islice(rows, _LOADED)):
            matrix.add(batch)
        return matrix

    def _take_up_vectors(self, number: int, matrix: Vectors) -> None:
        """Take in what was written since: rows that came or changed, and chunks that have no row any more."""
        row_ids = sorted(self._new_vectors)
        self._new_vectors.clear()
        current_rows: list[tuple[int, int, bytes]] = []
        missing = 0
        for start in range(0, len(row_ids), _BATCH):
            part = row_ids[start : start + _BATCH]
            rows = self._db.rows(
                "SELECT vector.model, vector.chunk, CAST(substr(chunk.document, 2) AS INTEGER), vector.data "
                "FROM vector CROSS JOIN chunk ON chunk.id = vector.chunk "
                "WHERE vector.rowid IN (SELECT value FROM json_each(?)) ORDER BY vector.chunk",
                (json.dumps(part),),
            )
            missing += len(part) - len(rows)
            current_rows += [row[1:] for row in rows if row[0] == number]
        removals: set[int] = set()
        if missing:
            chunks = {row[0] for row in self._db.rows("SELECT chunk FROM vector WHERE model = ?", (number,))}
            removals = set(matrix.chunks().tolist()) - chunks
        matrix.put(current_rows, removals)

    def by_model(self) -> list[ModelVectors]:
        """Count the vectors of each model, in the order in which the models were first used."""
        with self._db.reading():
            models = self._db.rows(
                "SELECT id, fingerprint, dimensions FROM model WHERE dimensions IS NOT NULL ORDER BY id"
            )
            counts = [
                (
                    name,
                    self._db.total(f"vectors {number}", "SELECT count(*) FROM vector WHERE model = ?", (number,)),
                    wide,
                )
                for number, name, wide in models
            ]
        return [ModelVectors(name, count, 4 * wide * count) for name, count, wide in counts if count]

    def forget(self, model: str, *, instead: str) -> int:
        """Take out the vectors of a model, and return how many there were. Searches go on with those of ``instead``.

        Raises BadInput where ``instead`` lacks vectors that a search would miss, or is the same.
        """
        if model == instead or self.count_without(instead):
            raise BadInput(
                reason="These vectors are still in use for searching, so they were kept.",
                remedy="Let all passages get vectors of the current search model first, then delete the others.",
            )
        with self._db.transaction() as db:
            number = self._models.number(model)
            if number is None:
                return 0
            db.execute("DELETE FROM vector WHERE model = ?", (number,))
            count = db.changes()
        with self._db.lock:
            self._floors.pop(model, None)
            if self._cache is not None and self._cache[0] == number:
                self._cache = None
        return count

    def of_equal_texts(self, model: str, chunks: Sequence[Chunk]) -> dict[int, bytes]:
        """Find by chunk the vector of a passage with the same text.

        It is looked for in documents that those of these chunks are versions or near copies of: an edited document has
        most of its passages from the one before.
        """
        documents = json.dumps(sorted({chunk.document for chunk in chunks}))
        lengths = json.dumps(sorted({chunk.end - chunk.start for chunk in chunks}))
        with self._db.reading():
            number = self._models.number(model)
            if number is None:
                return {}
            given_documents = "(SELECT value FROM json_each(?1))"
            rows = self._db.rows(
                f"WITH kin (id) AS (SELECT of FROM likeness WHERE document IN {given_documents} "
                f"UNION SELECT document FROM likeness WHERE of IN {given_documents} "
                f"UNION SELECT id FROM document WHERE superseded_by IN {given_documents} AND superseded_by <> '') "
                "SELECT chunk.id FROM chunk WHERE document IN (SELECT id FROM kin) "
                'AND "end" - start IN (SELECT value FROM json_each(?2)) '
                "AND EXISTS (SELECT 1 FROM vector WHERE vector.model = ?3 AND vector.chunk = chunk.id) ORDER BY id",
                (documents, lengths, number),
            )
            if not rows:
                return {}
            texts = {chunk.search_text for chunk in chunks}
            same: dict[str, int] = {}
            for neighbour in self._pages.chunks([row[0] for row in rows]).values():
                if neighbour.search_text in texts:
                    same.setdefault(neighbour.search_text, neighbour.id)
            data = dict(
                self._db.rows(
                    "SELECT chunk, data FROM vector WHERE model = ? AND chunk IN (SELECT value FROM json_each(?))",
                    (number, json.dumps(sorted(same.values()))),
                )
            )
        return {chunk.id: bytes(data[same[chunk.search_text]]) for chunk in chunks if chunk.search_text in same}

    def drop_unfit(self) -> None:
        """Take out vectors that cannot be searched, in the transaction that is open."""
        unfit = [(row,) for batch in self.examined() for row, _, fault in batch if fault]
        self._db.executemany("DELETE FROM vector WHERE rowid = ?", unfit)
        self._floors.clear()

    def examined(self) -> Iterator[list[tuple[int, int, str]]]:
        """Look at every vector, some at a time so that others can write in between.

        Each item has its row, its passage, and why it cannot be searched ('': it can).
        """
        sql = (
            "SELECT vector.rowid, vector.chunk, vector.data, model.dimensions, chunk.id IS NOT NULL FROM vector "
            "LEFT JOIN model ON model.id = vector.model LEFT JOIN chunk ON chunk.id = vector.chunk "
            "WHERE vector.rowid > ? ORDER BY vector.rowid LIMIT ?"
        )
        last = -1
        while True:
            with self._db.reading():
                rows = self._db.rows(sql, (last, _BATCH))
            if not rows:
                return
            yield [(row, chunk, _fault(data, wide, has_chunk=has_chunk)) for row, chunk, data, wide, has_chunk in rows]
            last = rows[-1][0]

    # --- health ------------------------------------------------------------------------------------------------------

    def _vector_written(self, row: int) -> None:
        if self._cache is not None:
            self._new_vectors.add(row)

    def forget_memory(self) -> None:
        """Load the vectors again at the next search."""
        self._cache = None

    def look_again(self) -> None:
        """Look for passages without a vector among all of them: some came back."""
        self._floors.clear()


def _fault(data: bytes, dimensions: int | None, *, has_chunk: bool) -> str:
    """Return why a vector cannot be searched; '' for one that can."""
    if dimensions is None:
        return "it is of no search model"
    try:
        _check_vector(data, dimensions)
    except ValueError as error:
        return str(error)
    return "" if has_chunk else "its passage is gone"


def _check_vector(data: bytes, dimensions: int) -> None:
    if len(data) != 4 * dimensions or not 1 <= dimensions <= schema.MOST_DIMENSIONS:
        raise ValueError("a vector has another dimension than the others")
    values = array("f")
    values.frombytes(data)
    length = math.sqrt(sum(map(mul, values, values)))
    if not abs(length - 1.0) <= _NORM_TOLERANCE:  # NaN is not <= either
        raise ValueError("a vector is not of unit length")
