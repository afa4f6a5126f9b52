"""The search index: vectors as rows and in vec0, words in FTS5. Everything here can be built again from the pages.

One embedder is current: its vectors are in vec0. A search goes through vectors and postings in memory; what is written
to the case is taken up by the next one. Where there is no room for the vectors, vec0 answers with the same passages.
"""

from __future__ import annotations

import itertools
import json
import math
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from operator import mul
from typing import TYPE_CHECKING, Any

import apsw

from core.domain import Chunk
from core.errors import IndexDamaged
from core.store import connection, schema
from core.store.bm25 import Postings
from core.store.documents import READ, Corpus
from core.store.vector_matrix import Vectors

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

_VOCABULARY = "passage_vocabulary"  # temporary views of the word table: never in the file
_INSTANCES = "passage_instance"
_SIZES = f"{schema.WORD_TABLE}_docsize"  # FTS5's own: the number of words in each column of a row
_NOT_REMOVED = "document NOT IN (SELECT id FROM document WHERE status = 'removed')"
MEMORY_FOR_SEARCH = 800_000_000  # 500,000 passages of 384 dimensions
_TAKEN_UP = 2_000  # passages whose words are counted one by one when they are new; more are read from the index
_BATCH = 2_000
_LOADED = 250  # vectors at a time while loading: 400 kB stay in the processor's cache
_SPARE = 16

_NORM_TOLERANCE = 0.01  # float32 and a quantised model stay well inside; a forgotten normalisation does not


class Index(Corpus):
    """Search in a case. Hits are chunk ids; a document that is still being read is not searched."""

    def __init__(self, opened: connection.Opened, *, who: str, now: Callable[[], datetime]) -> None:
        super().__init__(opened, who=who, now=now)
        self._floors: dict[str, int] = {}  # by embedder: every chunk up to this id has its vector
        # Bytes that vectors may take in memory; a case that needs more is searched in the file.
        self.memory_for_search = MEMORY_FOR_SEARCH
        self._near: tuple[int, Vectors] | None = None  # with the number of its embedder
        self._said: Postings | None = None
        self.rebuilds = 0  # how often the search index was made anew since the case was opened
        self._surroundings: dict[int, tuple[object, ...]] = {}  # by number of document: what its context was made of
        # Rows that were written since these two were loaded.
        self._new_vectors: set[int] = set()
        self._new_words: set[int] = set()
        self._context_changed = False
        self._db.set_update_hook(self._row_written)

    # --- vectors -----------------------------------------------------------------------------------------------------

    def chunks_without_vector(self, model: str, limit: int) -> list[Chunk]:
        """The next ``limit`` chunks of finished documents that the embedder has not seen, in order of id."""
        with self._reading() as db:
            number = self._model(model)
            floor = self._floors.get(model, 0)
            rows = db.execute(
                "SELECT chunk.id FROM chunk CROSS JOIN document ON document.id = chunk.document "
                "WHERE chunk.id > ? AND document.status IN ('ready', 'needs_ocr') AND NOT EXISTS "
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
            chunks = self._total("ready", f"SELECT sum(chunks) FROM document WHERE {READ}")
            return chunks - self._vectors_of(model)

    def _vectors_of(self, model: str) -> int:
        number = self._model(model)
        if number is None:
            return 0
        vectors = self._total(f"vectors {number}", "SELECT count(*) FROM vector WHERE model = ?", (number,))
        if not self._total("removed", "SELECT count(*) FROM document WHERE status = 'removed'"):
            return vectors
        sql = (
            "SELECT count(*) FROM vector JOIN chunk ON chunk.id = vector.chunk WHERE model = ? "
            "AND document IN (SELECT id FROM document WHERE status = 'removed')"
        )
        return vectors - self._total(f"vectors of removed {number}", sql, (number,))

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
            self._record("vector", {f"{number} {chunk}": (model, data) for chunk, data in vectors})
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
            number = self._db.last_insert_rowid()
            self._record("model", {str(number): (fingerprint, dimensions)})
            return number
        if dimensions is not None and row[1] is None:
            self._db.execute("UPDATE model SET dimensions = ? WHERE id = ?", (dimensions, row[0]))
            self._record("model", {str(row[0]): (fingerprint, dimensions)})
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
        self._record("meta", {"vector model": (model,)})
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
        among: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        """The ``k`` chunks nearest to a vector, as (chunk id, cosine): best first, ties by chunk id.

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
        """``nearest`` for each vector, in one pass over the passages."""
        for vector in vectors:
            _check_vector(vector, len(vector) // 4)
        with self._reading():
            number = self._model(model)
            if number is None or k <= 0 or not vectors or not self._vectors_of(model):
                return [[] for _ in vectors]
            dimensions = int(self._db.execute("SELECT dimensions FROM model WHERE id = ?", (number,)).get)
            if any(len(vector) != 4 * dimensions for vector in vectors):
                raise ValueError("the query has another dimension than the model's vectors")
            held = self._vectors_in_memory(number, model, dimensions)
            if held is not None:
                allowed, chunks = self._allowed(include, exclude), _chunk_array(among)
                return held.nearest(vectors, k, allowed=allowed, among=chunks)
            return [self._nearest_in_file(number, model, vector, k, include, exclude, among) for vector in vectors]

    def _nearest_in_file(
        self,
        number: int,
        model: str,
        vector: bytes,
        k: int,
        include: Collection[str] | None,
        exclude: Collection[str],
        among: Collection[int] | None,
    ) -> list[tuple[int, float]]:
        scope, bindings = self._scope(include, exclude, among)
        with self._index_seam():
            # vec0 adds up in float32: a few more than asked for, and the last bits of all of them, are computed here.
            ask = k + _SPARE
            if self._current_model() != model:
                hits = self._nearest_rows(number, vector, ask, scope, bindings)
            else:
                hits = self._nearest_indexed(number, vector, ask, scope, bindings)
        exact = self._cosines_in_file(number, vector, [chunk for chunk, _ in hits])
        return sorted(exact.items(), key=lambda hit: (-hit[1], hit[0]))[:k]

    def _cosines_in_file(self, number: int, vector: bytes, chunks: Sequence[int]) -> dict[int, float]:
        few = Vectors(len(vector) // 4)
        try:
            for at in range(0, len(chunks), _BATCH):
                few.add(
                    self._all(
                        "SELECT chunk, 1, data FROM vector WHERE model = ? "
                        "AND chunk IN (SELECT value FROM json_each(?)) ORDER BY chunk",
                        (number, json.dumps(chunks[at : at + _BATCH])),
                    )
                )
        except ValueError as error:
            raise IndexDamaged(path=self.path, reason=str(error)) from error
        return few.cosines(vector, chunks)

    def cosines(self, model: str, vector: bytes, chunks: Collection[int]) -> dict[int, float]:
        """How near some chunks are to a vector; a chunk without one of that embedder is left out."""
        _check_vector(vector, len(vector) // 4)
        with self._reading():
            number = self._model(model)
            if number is None or not chunks or not self._vectors_of(model):
                return {}
            held = self._vectors_in_memory(number, model, len(vector) // 4)
            if held is not None:
                return held.cosines(vector, chunks)
            return self._cosines_in_file(number, vector, sorted(chunks))

    def _vectors_in_memory(self, number: int, model: str, dimensions: int) -> Vectors | None:
        """The rows of an embedder, as they stand in the file now; None where there is no room for them."""
        if self._vectors_of(model) * 4 * dimensions > self.memory_for_search:
            self._near = None
            return None
        try:
            if self._near is None or self._near[0] != number or self._near[1].worn:
                self._near = None
                self._new_vectors.clear()
                self._near = number, self._load_vectors(number, dimensions)
            elif self._new_vectors:
                self._take_up_vectors(number, self._near[1])
            return self._near[1]
        except MemoryError:
            self._near = None
            return None
        except ValueError as error:
            self._near = None
            raise IndexDamaged(path=self.path, reason=str(error)) from error

    def _load_vectors(self, number: int, dimensions: int) -> Vectors:
        held = Vectors(dimensions)
        rows = self._db.execute(
            "SELECT vector.chunk, CAST(substr(chunk.document, 2) AS INTEGER), vector.data FROM vector "
            "CROSS JOIN chunk ON chunk.id = vector.chunk WHERE vector.model = ? ORDER BY vector.chunk",
            (number,),
        )
        while batch := list(itertools.islice(rows, _LOADED)):
            held.add(batch)
        return held

    def _take_up_vectors(self, number: int, held: Vectors) -> None:
        """What was written since: rows that came or changed, and chunks that have no row any more."""
        written = sorted(self._new_vectors)
        self._new_vectors.clear()
        found: list[tuple[int, int, bytes]] = []
        missing = 0
        for at in range(0, len(written), _BATCH):
            part = written[at : at + _BATCH]
            there = self._all(
                "SELECT vector.model, vector.chunk, CAST(substr(chunk.document, 2) AS INTEGER), vector.data "
                "FROM vector CROSS JOIN chunk ON chunk.id = vector.chunk "
                "WHERE vector.rowid IN (SELECT value FROM json_each(?)) ORDER BY vector.chunk",
                (json.dumps(part),),
            )
            missing += len(part) - len(there)
            found += [row[1:] for row in there if row[0] == number]
        gone: set[int] = set()
        if missing:
            kept = {row[0] for row in self._all("SELECT chunk FROM vector WHERE model = ?", (number,))}
            gone = set(held.chunks().tolist()) - kept
        held.put(found, gone)

    def _row_written(self, _kind: int, _database: str, table: str, row: int) -> None:
        """Called by SQLite for every row that is written, also where the transaction is taken back later."""
        if table == "vector":
            if self._near is not None:
                self._new_vectors.add(row)
        elif self._said is not None:
            if table == _SIZES:
                self._new_words.add(row)
            elif table in ("document", "section"):
                self._context_changed = True

    def _allowed(self, include: Collection[str] | None, exclude: Collection[str]) -> NDArray[numpy.bool_] | None:
        """Of every number of a document whether it is searched, the last item for all beyond; None: all are."""
        left_out = {*exclude, *self._not_searched()}
        if include is None and not left_out:
            return None
        import numpy

        named = [int(document[1:]) for document in {*(include or ()), *left_out}]
        allowed = numpy.full(max(named, default=0) + 2, include is None)
        for document in include or ():
            allowed[int(document[1:])] = True
        for document in left_out:
            allowed[int(document[1:])] = False
        allowed[0] = False
        return allowed

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

    def _not_searched(self) -> list[str]:
        """Documents that are never searched: those still being read, and those that were removed."""
        return [row[0] for row in self._all(f"SELECT id FROM document WHERE NOT ({READ})")]

    def _scope(
        self, include: Collection[str] | None, exclude: Collection[str], among: Collection[int] | None = None
    ) -> tuple[str, tuple[object, ...]]:
        """A subquery for the chunk ids to search, '' for all of them."""
        if among is not None:
            scope, bindings = self._scope(include, exclude)
            within = f" WHERE value IN ({scope})" if scope else ""
            return f"SELECT value FROM json_each(?){within}", (json.dumps(sorted(among)), *bindings)
        left_out = sorted({*exclude, *self._not_searched()})
        if include is not None:
            wanted = sorted(set(include) - set(left_out))
            return "SELECT id FROM chunk WHERE document IN (SELECT value FROM json_each(?))", (json.dumps(wanted),)
        if left_out:
            return (
                "SELECT id FROM chunk WHERE document NOT IN (SELECT value FROM json_each(?))",
                (json.dumps(left_out),),
            )
        return "", ()

    def documents_of(self, chunks: Collection[int]) -> dict[int, str]:
        """The document of each chunk."""
        with self._reading():
            return dict(
                self._all(
                    "SELECT id, document FROM chunk WHERE id IN (SELECT value FROM json_each(?))",
                    (json.dumps(sorted(chunks)),),
                )
            )

    def languages_of(self, chunks: Collection[int]) -> dict[int, str]:
        """The language of the document of each chunk, as far as it is known (ISO 639-1)."""
        with self._reading():
            return dict(
                self._all(
                    "SELECT chunk.id, language FROM chunk JOIN document ON document.id = chunk.document "
                    "WHERE language != '' AND chunk.id IN (SELECT value FROM json_each(?))",
                    (json.dumps(sorted(chunks)),),
                )
            )

    def searched(self, include: Collection[str] | None, exclude: Collection[str]) -> tuple[int, int]:
        """How many documents, and passages in them, a search of that scope goes through."""
        left_out = {*exclude, *self._not_searched()}
        with self._reading():
            rows = self._all("SELECT id, chunks FROM document")
        wanted = None if include is None else set(include)
        kept = [n for document, n in rows if document not in left_out and (wanted is None or document in wanted)]
        return len(kept), sum(kept)

    def documents_out_of_scope(self) -> list[str]:
        """Documents that a person took out of searches."""
        with self._reading():
            return [row[0] for row in self._all("SELECT id FROM document WHERE included = 0")]

    # --- words -------------------------------------------------------------------------------------------------------

    def lexical(
        self,
        match: str,
        k: int,
        *,
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        among: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        """The ``k`` best chunks for an FTS5 expression by BM25, as (chunk id, score): higher is better, ties by id.

        Raises ValueError for an expression that FTS5 does not read, IndexDamaged.
        """
        if k <= 0 or not match.strip():
            return []
        with self._reading():
            scope, bindings = self._scope(include, exclude, among)
            with self._index_seam():
                rows = self._all(
                    f"SELECT rowid, -bm25({schema.WORD_TABLE}) AS score FROM {schema.WORD_TABLE} "
                    f"WHERE {schema.WORD_TABLE} MATCH ?"
                    + (f" AND rowid IN ({scope})" if scope else "")
                    + " ORDER BY score DESC, rowid LIMIT ?",
                    (match, *bindings, k),
                )
        return [(int(chunk), float(score)) for chunk, score in rows]

    def matching(self, match: str) -> list[int]:
        """Every chunk of a document that can be read that an FTS5 expression fits, in order of id. Raises ValueError,
        IndexDamaged as ``lexical``."""
        if not match.strip():
            return []
        with self._reading(), self._index_seam():
            # The index keeps what was removed, so that undo brings it back at once.
            gone = f"SELECT chunk.id FROM chunk JOIN document ON document.id = chunk.document WHERE NOT {READ}"
            rows = self._all(
                f"SELECT rowid FROM {schema.WORD_TABLE} WHERE {schema.WORD_TABLE} MATCH ? "
                f"AND rowid NOT IN ({gone}) ORDER BY rowid",
                (match,),
            )
            return [int(row[0]) for row in rows]

    def best_words(
        self,
        words: Sequence[str],
        k: int,
        *,
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        among: Collection[int] | None = None,
        forms: bool = False,
    ) -> list[tuple[int, float]]:
        """The ``k`` best chunks that hold any of ``words`` by BM25, as (chunk id, score): best first, ties by id.

        Words are cut and stemmed like the index; one that comes twice counts once. With ``forms`` a word counts with
        those that look like it: the stemmer knows the endings of English only. A scope of up to OWN_STATISTICS chunks
        is ranked by its own statistics. Raises IndexDamaged.
        """
        if k <= 0 or not words:
            return []
        with self._reading(), self._index_seam():
            held = self._words_in_memory()
            try:
                return held.rank(
                    list(dict.fromkeys(self._tokens(words))),
                    k,
                    allowed=self._allowed(include, exclude),
                    among=_chunk_array(among),
                    own=self._frequencies_in,
                    forms=forms,
                )
            except LookupError as error:
                self._said = None
                raise IndexDamaged(path=self.path, reason=str(error)) from error

    def _words_in_memory(self) -> Postings:
        """The word index, as it stands in the file now."""
        if self._said is not None and self._new_words and min(self._new_words) <= self._said.last:
            self._said = None  # a passage that was known has changed or is gone
        if self._said is None:
            self._new_words.clear()
            self._open_vocabulary()
            held = Postings(read=self._passages_with, frequencies=self._frequencies)
            self._add_words(held, 0, None)
            if len(held) != self._total("passages", "SELECT count(*) FROM chunk"):
                raise IndexDamaged(path=self.path, reason="it does not hold the words of every passage")
            self._surroundings.clear()
            self._surround(held)
            self._said = held
        elif self._new_words:
            last, written = self._said.last, sorted(self._new_words)
            self._new_words.clear()
            try:
                self._add_words(self._said, last, self._count_words(written) if len(written) <= _TAKEN_UP else None)
            except BaseException:
                self._said = None
                raise
            self._context_changed = True
        if self._context_changed:
            self._surround(self._said)
        return self._said

    def _surround(self, held: Postings) -> None:
        """Tell the postings what surrounds the passages of documents that are new or have another title."""
        self._context_changed = False
        headed = dict(
            self._all(
                "SELECT CAST(substr(page.document, 2) AS INTEGER), count(*) FROM section "
                "JOIN page ON page.id = section.page GROUP BY page.document"
            )
        )
        plain: dict[int, tuple[str, ...]] = {}
        with_headings: list[str] = []
        for document, title, name, date, chunks in self._all("SELECT id, title, name, date, chunks FROM document"):
            number = int(document[1:])
            signature = (title, name, date, chunks, headed.get(number, 0))
            if self._surroundings.get(number) == signature:
                continue
            self._surroundings[number] = signature
            plain[number] = tuple(self._cut(_called(title, name, date), apsw.FTS5_TOKENIZE_DOCUMENT))
            if number in headed:
                with_headings.append(document)
        held.surround(plain)
        cut: dict[str, tuple[str, ...]] = {}
        for at in range(0, len(with_headings), _BATCH):
            contexts = self._contexts("chunk.document", with_headings[at : at + _BATCH], dated=True)
            for text in set(contexts.values()) - cut.keys():
                cut[text] = tuple(self._cut(text, apsw.FTS5_TOKENIZE_DOCUMENT))
            last = held.last
            held.surround({}, {chunk: cut[text] for chunk, text in contexts.items() if chunk <= last})

    def contexts(self, chunks: Collection[int]) -> dict[int, str]:
        """What surrounds each chunk: the title of its document and the headings above it, outermost first."""
        with self._reading():
            return self._contexts("chunk.id", sorted(chunks), dated=False)

    def _contexts(self, column: str, keys: Sequence[object], *, dated: bool) -> dict[int, str]:
        titles = {
            document: _called(title, name, date if dated else "")
            for document, title, name, date in self._all(
                "SELECT DISTINCT document.id, title, name, date FROM chunk "
                f"JOIN document ON document.id = chunk.document WHERE {column} IN (SELECT value FROM json_each(?))",
                (json.dumps(keys),),
            )
        }
        headings = _Headings(
            self._all(
                "SELECT page.document, page.number, section.start, section.level, section.title FROM section "
                "JOIN page ON page.id = section.page WHERE page.document IN (SELECT value FROM json_each(?)) "
                "ORDER BY page.document, page.number, section.start, section.rowid",
                (json.dumps(list(titles)),),
            )
        )
        rows = self._all(
            "SELECT chunk.id, chunk.document, page.number, chunk.start FROM chunk JOIN page ON page.id = chunk.page "
            f"WHERE {column} IN (SELECT value FROM json_each(?))",
            (json.dumps(keys),),
        )
        return {
            chunk: "\n".join(dict.fromkeys((titles[document], *headings.above(document, page, start))))
            for chunk, document, page, start in rows
        }

    def _add_words(self, held: Postings, after: int, words: Mapping[str, Mapping[int, int]] | None) -> None:
        rows = self._all(
            f"SELECT size.id, CAST(substr(chunk.document, 2) AS INTEGER), size.sz FROM {_SIZES} AS size "
            "LEFT JOIN chunk ON chunk.id = size.id WHERE size.id > ? ORDER BY size.id",
            (after,),
        )
        if any(row[1] is None for row in rows):
            raise IndexDamaged(path=self.path, reason="it holds the words of a passage that is not there")
        held.add([(chunk, document, _first_number(sizes)) for chunk, document, sizes in rows], words)

    def _count_words(self, chunks: Sequence[int]) -> dict[str, dict[int, int]]:
        """{word: {chunk: count}} of single chunks, cut like the index."""
        found: dict[str, dict[int, int]] = defaultdict(dict)
        for chunk in self.chunks(chunks).values():
            for word, count in Counter(self._cut(chunk.text, apsw.FTS5_TOKENIZE_DOCUMENT)).items():
                found[word][chunk.id] = count
        return found

    def _passages_with(self, word: str) -> NDArray[numpy.int64]:
        """The passages in which a word of the index stands, one item each time, ascending."""
        import numpy

        listed = self._db.execute(
            f"SELECT group_concat(doc, ' ') FROM temp.{_INSTANCES} WHERE term = ? AND col = 'text'", (word,)
        ).get
        return numpy.fromstring(listed or "", dtype=numpy.int64, sep=" ")

    def _frequencies(self) -> dict[str, int]:
        return dict(self._all(f"SELECT term, doc FROM temp.{_VOCABULARY} WHERE col = 'text'"))

    def _frequencies_in(self, chunks: NDArray[numpy.int64]) -> list[int]:
        return [len(passages) for passages in self._count_words(chunks.tolist()).values()]

    def _tokens(self, words: Iterable[str]) -> list[str]:
        return [token for word in words for token in self._cut(word, apsw.FTS5_TOKENIZE_QUERY)]

    def _cut(self, text: str, how: int) -> list[str]:
        tokenizer = self._db.fts5_tokenizer(schema.TOKENIZER[0], list(schema.TOKENIZER[1:]))
        cut = tokenizer(text.encode("utf-8", "replace"), how, None, include_offsets=False, include_colocated=False)
        return [str(token) for token in cut]

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
                            int(
                                db.execute(
                                    f"SELECT doc FROM temp.{_VOCABULARY} WHERE term = ? AND col = 'text'", (word,)
                                ).get
                                or 0
                            )
                        )
                found[term] = min(counts, default=0)
        return found

    def _open_vocabulary(self) -> None:
        self._db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{_VOCABULARY} "
            f"USING fts5vocab('main', '{schema.WORD_TABLE}', 'col')"
        )
        self._db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{_INSTANCES} "
            f"USING fts5vocab('main', '{schema.WORD_TABLE}', 'instance')"
        )

    # --- health ------------------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """How many of each kind the case holds; ``vectors`` of the current embedder."""
        with self._reading():
            found = {
                name: self._total(name, f"SELECT count(*) FROM {table}")
                for name, table in (
                    ("documents", "document WHERE status NOT IN ('failed', 'removed')"),
                    ("pages", f"page WHERE {_NOT_REMOVED}"),
                    ("chunks", f"chunk WHERE {_NOT_REMOVED}"),
                    ("hypotheses", "hypothesis"),
                    ("proposals", "proposal"),
                    ("evidence", "evidence"),
                    ("ratings", "rating"),
                )
            }
            current = self._current_model()
            return {**found, "vectors": self._vectors_of(current) if current else 0}

    def rebuild_index(self) -> None:
        """Make both search tables again from pages and vector rows, whatever state they are in.

        Vectors that cannot be searched are dropped: their passages are embedded anew.
        """
        self._near = self._said = None
        with self._writing() as db:
            self._drop_unfit_vectors()
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
                rows = self._all(
                    "SELECT id, dimensions FROM model WHERE fingerprint = ? AND dimensions IS NOT NULL", (current,)
                )
                if rows:
                    self._make_current(rows[0][0], current, rows[0][1])
                else:  # of no model that has vectors here
                    db.execute("DELETE FROM meta WHERE key = 'vector model'")
                    self._record("meta", {"vector model": None})
        self.rebuilds += 1

    def _drop_unfit_vectors(self) -> None:
        unfit = []
        rows = self._db.execute(
            "SELECT vector.rowid, vector.data, model.dimensions, chunk.id IS NOT NULL FROM vector "
            "JOIN model ON model.id = vector.model LEFT JOIN chunk ON chunk.id = vector.chunk"
        )
        for row, data, dimensions, there in rows:
            try:
                _check_vector(data, dimensions)
            except ValueError:
                unfit.append((row,))
            else:
                if not there:
                    unfit.append((row,))
        self._db.executemany("DELETE FROM vector WHERE rowid = ?", unfit)
        self._floors.clear()

    def _has(self, table: str) -> bool:
        return bool(self._db.execute("SELECT count(*) FROM sqlite_schema WHERE name = ?", (table,)).get)

    def _drop(self, table: str) -> None:
        """Take a search table out with its shadow tables, even when its own module no longer can."""
        if table == schema.WORD_TABLE:
            for view in (_VOCABULARY, _INSTANCES):
                self._db.execute(f"DROP TABLE IF EXISTS temp.{view}")
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


def _chunk_array(among: Collection[int] | None) -> NDArray[numpy.int64] | None:
    if among is None:
        return None
    import numpy

    return numpy.fromiter(among, dtype=numpy.int64, count=len(among))


def _first_number(sizes: bytes) -> int:
    """The first of SQLite's variable-length numbers (7 bits a byte, the highest bit says that more follow)."""
    value = 0
    for byte in sizes:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


def _called(title: str, name: str, date: str) -> str:
    return f"{title or _stem(name)} {date[:10]}".strip()


def _stem(name: str) -> str:
    """A file name without its ending."""
    stem, dot, ending = name.rpartition(".")
    return stem if dot and stem and len(ending) <= 5 else name


class _Headings:
    """The headings of documents, given as (document, page, start, level, title) in order of reading."""

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._paths: dict[str, list[tuple[str, ...]]] = {}
        above: list[tuple[int, str]] = []
        for document, page, start, level, title in rows:
            if document not in self._places:
                above = []
            above = [*(one for one in above if one[0] < level), (level, title)]
            self._places.setdefault(document, []).append((page, start))
            self._paths.setdefault(document, []).append(tuple(one[1] for one in above))

    def above(self, document: str, page: int, start: int) -> tuple[str, ...]:
        """The headings under which a place stands, outermost first; one that begins there is among them."""
        places = self._places.get(document)
        at = bisect_right(places, (page, start)) if places else 0
        return self._paths[document][at - 1] if at else ()
