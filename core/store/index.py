"""The search index: vectors as rows and in vec0, words in FTS5. Everything here can be built again from the pages.

One embedder is current: its vectors are in vec0. Vectors of others stay as rows and are searched row by row.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from operator import mul
from typing import Any

import apsw

from core.domain import Chunk
from core.errors import IndexDamaged
from core.store import connect, schema
from core.store.corpus import Corpus

_VOCABULARY = "passage_vocabulary"  # a temporary view of the word table: never in the file
_NORM_TOLERANCE = 0.01  # float32 and a quantised model stay well inside; a forgotten normalisation does not


class Index(Corpus):
    """Search in a case. Hits are chunk ids; a document that is still being read is not searched."""

    def __init__(self, opened: connect.Opened, *, who: str, now: Callable[[], datetime]) -> None:
        super().__init__(opened, who=who, now=now)
        self._floors: dict[str, int] = {}  # by embedder: every chunk up to this id has its vector

    # --- vectors -----------------------------------------------------------------------------------------------------

    def chunks_without_vector(self, model: str, limit: int) -> list[Chunk]:
        """The next ``limit`` chunks of finished documents that the embedder has not seen, in order of id."""
        with self._reading() as db:
            number = self._model(model)
            floor = self._floors.get(model, 0)
            rows = db.execute(
                "SELECT chunk.id FROM chunk CROSS JOIN document ON document.id = chunk.document "
                "WHERE chunk.id > ? AND document.status <> 'reading' AND NOT EXISTS "
                "(SELECT 1 FROM vector WHERE vector.model = ? AND vector.chunk = chunk.id) ORDER BY chunk.id LIMIT ?",
                (floor, number, limit),
            )
            ids = [row[0] for row in rows]
            if ids and not self._total("reading", "SELECT count(*) FROM document WHERE status = 'reading'"):
                # Everything before is done: the next call need not look there again.
                self._floors[model] = ids[0] - 1
            return list(self.chunks(ids).values())

    def count_without_vector(self, model: str) -> int:
        with self._reading():
            chunks = self._total("ready", "SELECT sum(chunks) FROM document WHERE status <> 'reading'")
            return chunks - self._vectors_of(model)

    def _vectors_of(self, model: str) -> int:
        number = self._model(model)
        if number is None:
            return 0
        return self._total(f"vectors {number}", "SELECT count(*) FROM vector WHERE model = ?", (number,))

    def vector_models(self) -> list[str]:
        """Fingerprints of the embedders that have vectors here, the current one first."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT fingerprint FROM model WHERE EXISTS (SELECT 1 FROM vector WHERE vector.model = model.id) "
                "ORDER BY id"
            )
            current = self._current_model()
            return sorted((row[0] for row in rows), key=lambda name: name != current)

    def put_vectors(self, model: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Keep vectors (chunk id, float32 little endian). The model becomes the current one.

        Raises ValueError for a vector with NaN, another dimension than the model's, or a length far from 1.
        """
        if not vectors:
            return
        dimensions = len(vectors[0][1]) // 4
        for _, data in vectors:
            _check_vector(data, dimensions)
        with self._writing() as db:
            number = self._keep_model(model, dimensions)
            db.executemany(
                "INSERT INTO vector (model, chunk, data) VALUES (?, ?, ?) "
                "ON CONFLICT (model, chunk) DO UPDATE SET data = excluded.data",
                ((number, chunk, data) for chunk, data in vectors),
            )
            if self._current_model() != model or not self._has(schema.VECTOR_TABLE):
                self._make_current(number, model, dimensions)
                return
            with self._index_seam():
                # vec0 0.1.9 cannot replace a row.
                db.executemany(f"DELETE FROM {schema.VECTOR_TABLE} WHERE rowid = ?", ((chunk,) for chunk, _ in vectors))
                db.executemany(f"INSERT INTO {schema.VECTOR_TABLE} (rowid, embedding) VALUES (?, ?)", vectors)

    def vector(self, model: str, chunk: int) -> bytes | None:
        with self._reading() as db:
            row = db.execute(
                "SELECT data FROM vector WHERE model = ? AND chunk = ?", (self._model(model), chunk)
            ).fetchone()
            return bytes(row[0]) if row else None

    def _model(self, fingerprint: str) -> int | None:
        number = self._db.execute("SELECT id FROM model WHERE fingerprint = ?", (fingerprint,)).get
        return None if number is None else int(number)

    def _keep_model(self, fingerprint: str, dimensions: int | None) -> int:
        row = self._db.execute("SELECT id, dimensions FROM model WHERE fingerprint = ?", (fingerprint,)).fetchone()
        if row is None:
            self._db.execute("INSERT INTO model (fingerprint, dimensions) VALUES (?, ?)", (fingerprint, dimensions))
            return self._db.last_insert_rowid()
        if dimensions is not None and row[1] is None:
            self._db.execute("UPDATE model SET dimensions = ? WHERE id = ?", (dimensions, row[0]))
        elif dimensions is not None and row[1] != dimensions:
            raise ValueError(f"vectors of {row[1]} dimensions were expected, not of {dimensions}")
        return int(row[0])

    def _current_model(self) -> str | None:
        return self._db.execute("SELECT value FROM meta WHERE key = 'vector model'").get  # type: ignore[no-any-return]

    def _make_current(self, number: int, model: str, dimensions: int) -> None:
        """Fill vec0 anew from the rows of one model, in the transaction that is open."""
        self._db.execute(
            "INSERT INTO meta (key, value) VALUES ('vector model', ?) ON CONFLICT (key) DO UPDATE SET value = ?",
            (model, model),
        )
        self._drop(schema.VECTOR_TABLE)
        schema.create_vectors(self._db, dimensions)
        rows = self._db.execute("SELECT chunk, data FROM vector WHERE model = ? ORDER BY chunk", (number,)).fetchall()
        self._db.executemany(f"INSERT INTO {schema.VECTOR_TABLE} (rowid, embedding) VALUES (?, ?)", rows)

    def nearest(
        self,
        model: str,
        vector: bytes,
        k: int,
        *,
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
    ) -> list[tuple[int, float]]:
        """The ``k`` chunks nearest to a vector, as (chunk id, cosine): best first, ties by chunk id.

        Exactly the best within the documents asked for. Raises IndexDamaged.
        """
        _check_vector(vector, len(vector) // 4)
        with self._reading():
            number = self._model(model)
            if number is None or k <= 0 or not self._vectors_of(model):
                return []
            if self._db.execute("SELECT dimensions FROM model WHERE id = ?", (number,)).get != len(vector) // 4:
                raise ValueError("the query has another dimension than the model's vectors")
            scope, bindings = self._scope(include, exclude)
            with self._index_seam():
                if self._current_model() != model:
                    hits = self._nearest_rows(number, vector, k, scope, bindings)
                else:
                    hits = self._nearest_indexed(number, vector, k, scope, bindings)
        return [(chunk, 1.0 - distance) for chunk, distance in hits]

    def _nearest_indexed(
        self, number: int, vector: bytes, k: int, scope: str, bindings: tuple[object, ...]
    ) -> list[tuple[Any, ...]]:
        # One more than asked for shows whether a tie is cut at the end; vec0 breaks ties as it likes.
        ask = k + 1
        while ask <= schema.MOST_NEIGHBOURS:
            hits = self._all(
                f"SELECT rowid, distance FROM {schema.VECTOR_TABLE} WHERE embedding MATCH ? AND k = ?"
                + (f" AND rowid IN ({scope})" if scope else ""),
                (vector, ask, *bindings),
            )
            if any(distance is None for _, distance in hits):
                raise IndexDamaged(path=self.path, reason="a vector in it has no direction")
            hits.sort(key=lambda hit: (hit[1], hit[0]))
            if len(hits) < ask or hits[k - 1][1] < hits[-1][1]:
                return hits[:k]
            ask *= 2
        return self._nearest_rows(number, vector, k, scope, bindings)

    def _nearest_rows(
        self, number: int, vector: bytes, k: int, scope: str, bindings: tuple[object, ...]
    ) -> list[tuple[Any, ...]]:
        """The same without vec0's index: every row is compared."""
        return self._all(
            "SELECT chunk, vec_distance_cosine(data, ?) AS distance FROM vector WHERE model = ?"
            + (f" AND chunk IN ({scope})" if scope else "")
            + " ORDER BY distance, chunk LIMIT ?",
            (vector, number, *bindings, k),
        )

    def _scope(self, include: Collection[str] | None, exclude: Collection[str]) -> tuple[str, tuple[object, ...]]:
        """A subquery for the chunk ids to search, '' for all of them. Documents still being read are never in it."""
        reading = {row[0] for row in self._db.execute("SELECT id FROM document WHERE status = 'reading'")}
        left_out = sorted({*exclude, *reading})
        if include is not None:
            wanted = sorted(set(include) - set(left_out))
            return "SELECT id FROM chunk WHERE document IN (SELECT value FROM json_each(?))", (json.dumps(wanted),)
        if left_out:
            return (
                "SELECT id FROM chunk WHERE document NOT IN (SELECT value FROM json_each(?))",
                (json.dumps(left_out),),
            )
        return "", ()

    # --- words -------------------------------------------------------------------------------------------------------

    def lexical(
        self, match: str, k: int, *, include: Collection[str] | None = None, exclude: Collection[str] = ()
    ) -> list[tuple[int, float]]:
        """The ``k`` best chunks for an FTS5 expression by BM25, as (chunk id, score): higher is better, ties by id.

        Raises ValueError for an expression that FTS5 does not read, IndexDamaged.
        """
        if k <= 0 or not match.strip():
            return []
        with self._reading():
            scope, bindings = self._scope(include, exclude)
            with self._index_seam():
                rows = self._all(
                    f"SELECT rowid, -bm25({schema.WORD_TABLE}) AS score FROM {schema.WORD_TABLE} "
                    f"WHERE {schema.WORD_TABLE} MATCH ?"
                    + (f" AND rowid IN ({scope})" if scope else "")
                    + " ORDER BY score DESC, rowid LIMIT ?",
                    (match, *bindings, k),
                )
        return [(int(chunk), float(score)) for chunk, score in rows]

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many chunks each term stands, cut and stemmed like the index; of several words the rarest counts."""
        found: dict[str, int] = {}
        with self._reading() as db, self._index_seam():
            tokenizer = db.fts5_tokenizer(schema.TOKENIZER[0], list(schema.TOKENIZER[1:]))
            self._open_vocabulary()
            for term in terms:
                counts = []
                for token in tokenizer(term.encode("utf-8", "replace"), apsw.FTS5_TOKENIZE_QUERY, None):
                    for word in token[2:]:
                        counts.append(
                            int(db.execute(f"SELECT doc FROM temp.{_VOCABULARY} WHERE term = ?", (word,)).get or 0)
                        )
                found[term] = min(counts, default=0)
        return found

    def _open_vocabulary(self) -> None:
        self._db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{_VOCABULARY} "
            f"USING fts5vocab('main', '{schema.WORD_TABLE}', 'row')"
        )

    # --- health ------------------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """How many of each kind the case holds; ``vectors`` of the current embedder."""
        with self._reading():
            found = {
                name: self._total(name, f"SELECT count(*) FROM {table}")
                for name, table in (
                    ("documents", "document"),
                    ("pages", "page"),
                    ("chunks", "chunk"),
                    ("hypotheses", "hypothesis"),
                    ("proposals", "proposal"),
                    ("evidence", "evidence"),
                    ("ratings", "rating"),
                )
            }
            current = self._current_model()
            return {**found, "vectors": self._vectors_of(current) if current else 0}

    def rebuild_index(self) -> None:
        """Make both search tables again from pages and vector rows, whatever state they are in."""
        with self._writing() as db:
            self._drop(schema.WORD_TABLE)
            schema.create_words(db)
            for (page,) in self._all("SELECT id FROM page ORDER BY id"):
                text = self._texts([page])[page]
                spans = self._all('SELECT id, start, "end" FROM chunk WHERE page = ? ORDER BY id', (page,))
                db.executemany(
                    f"INSERT INTO {schema.WORD_TABLE} (rowid, text) VALUES (?, ?)",
                    ((chunk, text[start:end]) for chunk, start, end in spans),
                )
            current = self._current_model()
            self._drop(schema.VECTOR_TABLE)
            if current is not None:
                row = self._all("SELECT id, dimensions FROM model WHERE fingerprint = ?", (current,))[0]
                self._make_current(row[0], current, row[1])

    def _has(self, table: str) -> bool:
        return bool(self._db.execute("SELECT count(*) FROM sqlite_schema WHERE name = ?", (table,)).get)

    def _drop(self, table: str) -> None:
        """Take a search table out with its shadow tables, even when its own module no longer can."""
        if table == schema.WORD_TABLE:
            self._db.execute(f"DROP TABLE IF EXISTS temp.{_VOCABULARY}")
        try:
            with self._db:  # a savepoint
                self._db.execute(f"DROP TABLE IF EXISTS {table}")
        except apsw.Error:
            self._drop_by_force(table)
        rows = self._db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ?", (f"{table}_*",))
        for name in [row[0] for row in rows.fetchall()]:
            self._db.execute(f'DROP TABLE "{name}"')

    def _drop_by_force(self, table: str) -> None:
        """Take out only the entry of a virtual table whose module cannot open it any more."""
        self._db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        try:
            self._db.execute("PRAGMA writable_schema = ON").fetchall()
            self._db.execute("DELETE FROM sqlite_schema WHERE name = ?", (table,))
            self._db.execute("PRAGMA writable_schema = RESET").fetchall()
        finally:
            self._db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)

    @contextmanager
    def _index_seam(self) -> Iterator[None]:
        """What goes wrong inside a search table is damage to the index alone."""
        try:
            yield
        except (apsw.SQLError, apsw.CorruptError) as error:
            if "fts5: syntax error" in str(error) or "unterminated string" in str(error):
                raise ValueError("this is no search expression") from error
            raise IndexDamaged(path=self.path, reason=" ".join(str(error).split())[:100]) from error


def _check_vector(data: bytes, dimensions: int) -> None:
    if len(data) != 4 * dimensions or not 1 <= dimensions <= schema.MOST_DIMENSIONS:
        raise ValueError("a vector has another dimension than the others")
    values = array("f")
    values.frombytes(data)
    length = math.sqrt(sum(map(mul, values, values)))
    if not abs(length - 1.0) <= _NORM_TOLERANCE:  # NaN is not <= either
        raise ValueError("a vector is not of unit length")
