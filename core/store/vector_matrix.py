"""The vectors of one embedder in memory, for an exact search: one product of matrices for all queries at once.

The rows of the table ``vector`` stay the truth. Nothing here is kept; losing it costs the time to load it again.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from core import cpu

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

# One thread reads a matrix about as fast as the memory gives it, and the cores are wanted for the window and the
# engines: on a busy computer several threads wait for each other and take ten times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@cache
def _wide() -> bool:
    """Return whether OpenBLAS uses AVX-512 here: then it multiplies small matrices as they lie, not copied first."""
    if os.environ.get("OPENBLAS_CORETYPE", "SkylakeX").lower() not in ("skylakex", "cooperlake", "sapphirerapids"):
        return False  # a person chose other kernels
    return cpu.instructions() >= {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}


_SMALL = 1024  # rows times queries that it takes so, at 384 dimensions
# Without them every row is copied before it is multiplied, which pays for more queries than this. A few of them are
# cheaper one by one, on a piece of the rows that stays in the processor's cache meanwhile.
_FEW, _CACHED = 8, 128

BLOCK = 16_384  # rows: a block of 384 dimensions has 25 MB, and only the part that is filled takes memory

# float32 products of unit vectors are right to about 1e-6: what lies closer to the last hit than this is looked at
# again in float64, so that neither the order nor the cut depends on how a product was computed.
MARGIN = 2e-5
# Queries in one product: the more, the less each costs (at 100,000 rows 5.4 ms alone, 1.3 of 8, 1.1 of 16; without
# AVX-512 2.8 of 8, 2.0 of 16, 1.3 of 40), but their scores stay within 20 MB.
_TOGETHER, _SCORES = 16, 5_000_000


class Vectors:
    """Rows of unit length with their chunk and document; a document is a number, 0 for a row that is gone."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._blocks: list[NDArray[numpy.float32]] = []
        self._size = 0
        self._chunks = Column("int64")
        self._documents = Column("int32")
        self._lengths = Column("float32")
        self._removals = 0

    def __len__(self) -> int:
        return self._size

    def add(self, rows: Sequence[tuple[int, int, bytes]]) -> None:
        """Take in (chunk, document, float32) rows. Raises ValueError for one without a direction."""
        import numpy

        if not rows:
            return
        data = numpy.frombuffer(b"".join(row[2] for row in rows), dtype="<f4").reshape(len(rows), self.dimensions)
        lengths = numpy.sqrt(numpy.einsum("ij,ij->i", data, data, dtype=numpy.float64))
        if not (numpy.abs(lengths - 1.0) <= 0.5).all():  # NaN is not <= either
            raise ValueError("a vector in it has no direction")
        start = 0
        while start < len(rows):
            within = self._size % BLOCK
            if within == 0:
                self._blocks.append(numpy.empty((BLOCK, self.dimensions), dtype=numpy.float32))
            take = min(BLOCK - within, len(rows) - start)
            self._blocks[-1][within : within + take] = data[start : start + take]
            self._size += take
            start += take
        self._chunks.add([row[0] for row in rows])
        self._documents.add([row[1] for row in rows])
        self._lengths.add(lengths)

    def put(self, rows: Sequence[tuple[int, int, bytes]], removals: Iterable[int] = ()) -> None:
        """Take in rows that are new or changed, and leave out the chunks ``removals``."""
        import numpy

        chunks = numpy.array([*(row[0] for row in rows), *removals], dtype=numpy.int64)
        documents = self._documents.values
        documents[numpy.isin(self._chunks.values, chunks)] = 0
        self._removals = int((documents == 0).sum())
        self.add(rows)

    @property
    def worn(self) -> bool:
        """Return whether so many rows are gone that loading again is worth it."""
        return self._removals > 1000 + self._size // 4

    def chunks(self) -> NDArray[numpy.int64]:
        """Return the chunks that can be found, in no order."""
        return self._chunks.values[self._documents.values > 0]

    def nearest(
        self,
        queries: Sequence[bytes],
        k: int,
        *,
        document_mask: NDArray[numpy.bool_] | None = None,
        among: NDArray[numpy.int64] | None = None,
    ) -> list[list[tuple[int, float]]]:
        """Find the ``k`` nearest rows of each query as (chunk, cosine), best first, ties by chunk.

        ``document_mask`` says of every document number whether it is searched, ``among`` names the chunks that are. The
        answer to a query does not depend on what else is asked.
        """
        import numpy

        left_out = self._left_out(document_mask, among)
        hits: list[list[tuple[int, float]]] = []
        query_matrix = numpy.frombuffer(b"".join(queries), dtype="<f4").reshape(len(queries), self.dimensions)
        together = _TOGETHER if _wide() else max(_TOGETHER, _SCORES // max(1, self._size))
        for first in range(0, len(queries), together):
            part = query_matrix[first : first + together]
            scores = numpy.empty((len(part), self._size), dtype=numpy.float32)
            for number, block in enumerate(self._blocks):
                start = number * BLOCK
                stop = min(start + BLOCK, self._size)
                _products(block[: stop - start], part, scores[:, start:stop])
            for row, query in zip(scores, part, strict=True):
                row /= self._lengths.values
                if left_out is not None:
                    numpy.copyto(row, -numpy.inf, where=left_out)
                hits.append(self._best(row, query, k))
        return hits

    def cosines(self, query: bytes, chunks: Collection[int]) -> dict[int, float]:
        """Return how near some chunks are; those without a row are left out."""
        import numpy

        chunk_array = numpy.fromiter(chunks, dtype=numpy.int64, count=len(chunks))
        places = numpy.flatnonzero(numpy.isin(self._chunks.values, chunk_array) & (self._documents.values > 0))
        query_vector = numpy.frombuffer(query, dtype="<f4")
        length = float(numpy.sqrt((query_vector.astype(numpy.float64) ** 2).sum()))
        values = self._exact(places, query_vector) / length
        return dict(zip(self._chunks.values[places].tolist(), values.tolist(), strict=True))

    def _left_out(
        self, document_mask: NDArray[numpy.bool_] | None, among: NDArray[numpy.int64] | None
    ) -> NDArray[numpy.bool_] | None:
        import numpy

        if document_mask is None and among is None and not self._removals:
            return None
        left_out = scope_mask(self._documents.values, document_mask)
        if among is not None:
            left_out &= numpy.isin(self._chunks.values, among)
        return numpy.logical_not(left_out, out=left_out)

    def _best(self, scores: NDArray[numpy.float32], query: NDArray[numpy.float32], k: int) -> list[tuple[int, float]]:
        import numpy

        k = min(k, len(scores))
        if k <= 0:
            return []
        length = float(numpy.sqrt((query.astype(numpy.float64) ** 2).sum()))
        if k < len(scores):
            last = float(scores[numpy.argpartition(scores, len(scores) - k)[len(scores) - k :]].min())
            floor = last - MARGIN * length if numpy.isfinite(last) else -numpy.inf
            places = numpy.flatnonzero(scores >= floor)
        else:
            places = numpy.arange(len(scores))
        places = places[scores[places] > -numpy.inf]
        chunks = self._chunks.values[places]
        exact = self._exact(places, query) / length
        order = numpy.lexsort((chunks, -exact))[:k]
        return list(zip(chunks[order].tolist(), exact[order].tolist(), strict=True))

    def _exact(self, places: NDArray[Any], query: NDArray[numpy.float32]) -> NDArray[numpy.float64]:
        """Multiply in float64 with rows at ascending places, each by itself: the same number in whatever company."""
        import numpy

        values = numpy.empty(len(places), dtype=numpy.float64)
        query64 = query.astype(numpy.float64)
        for number in range(places[0] // BLOCK if len(places) else 0, len(self._blocks)):
            first, last = numpy.searchsorted(places, (number * BLOCK, (number + 1) * BLOCK))
            for start in range(first, last, 4096):
                part = slice(start, min(start + 4096, last))
                rows = self._blocks[number][places[part] - number * BLOCK].astype(numpy.float64)
                values[part] = (rows * query64).sum(axis=1) / numpy.sqrt((rows * rows).sum(axis=1))
        return values


def _products(rows: NDArray[numpy.float32], queries: NDArray[numpy.float32], out: NDArray[numpy.float32]) -> None:
    """``out[q, r]``: the product of each query with each row."""
    import numpy

    number, aligned = len(queries), 0
    if number == 1:
        numpy.matmul(rows, queries[0], out=out[0])
        return
    if _wide():
        piece = max(1, _SMALL // (1 << (number - 1).bit_length()))
        aligned = len(rows) // piece * piece
        cut = rows[:aligned].reshape(-1, piece, rows.shape[1])
        out[:, :aligned] = numpy.matmul(cut, queries.T).reshape(aligned, number).T
    elif number <= _FEW:
        aligned = len(rows) // _CACHED * _CACHED
        pieces = rows[:aligned].reshape(-1, 1, _CACHED, rows.shape[1])
        products = numpy.matmul(pieces, queries[None, :, :, None])  # piece by piece, within it query by query
        out[:, :aligned] = products[..., 0].transpose(1, 0, 2).reshape(number, aligned)
    numpy.matmul(queries, rows[aligned:].T, out=out[:, aligned:])


def scope_mask(documents: NDArray[Any], document_mask: NDArray[numpy.bool_] | None) -> NDArray[numpy.bool_]:
    """Return which rows are searched; the last item of ``document_mask`` is that of all higher numbers."""
    import numpy

    mask: NDArray[numpy.bool_]
    mask = documents > 0 if document_mask is None else document_mask[numpy.minimum(documents, len(document_mask) - 1)]
    return mask


class Column:
    """Numbers that are added at the end; room grows by an eighth."""

    def __init__(self, kind: str) -> None:
        import numpy

        self._room: NDArray[Any] = numpy.empty(0, dtype=kind)
        self._size = 0

    @property
    def values(self) -> NDArray[Any]:
        """Return the numbers, which a later ``add`` may leave behind."""
        return self._room[: self._size]

    def add(self, values: Sequence[int] | NDArray[Any]) -> None:
        """Put numbers at the end."""
        import numpy

        end = self._size + len(values)
        if end > len(self._room):
            room = numpy.empty(end + end // 8 + 64, dtype=self._room.dtype)
            room[: self._size] = self.values
            self._room = room
        self._room[self._size : end] = values
        self._size = end
