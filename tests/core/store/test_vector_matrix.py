"""Vectors in memory: exact, in every company the same, and what sqlite-vec gives in the file."""

from __future__ import annotations

import struct

import numpy
import pytest

from core.errors import IndexDamaged
from core.store import CaseFile
from core.store import vector_matrix as in_memory
from tests.core.store.material import EMBEDDER, clock, fill, tamper
from tests.core.store.random_case import MODEL, brute, units, with_chunks


@pytest.fixture
def case(tmp_path):
    with CaseFile.create(tmp_path / "a.disconfirm", who="ann", now=clock()) as new_case:
        yield new_case


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("count", [1, 31, 700, 20_000])
def test_vectors_in_memory_are_exact_and_those_of_sqlite_vec(case, count, wide, monkeypatch):
    monkeypatch.setattr(in_memory, "_wide", lambda: wide)  # both ways to multiply give the same on every processor
    rng = numpy.random.default_rng(count)
    documents = max(1, count // 500)
    chunks = [
        chunk for n in range(documents) for chunk in with_chunks(case, f"{n}.txt", ["word"] * (count // documents))[1]
    ]
    rows = dict(zip(chunks, units(rng, len(chunks)), strict=True))
    rows[chunks[-1]] = rows[chunks[0]]  # a tie
    case.vectors.put(MODEL, list(rows.items()))
    queries = [*units(rng, 5), rows[chunks[0]]]
    for k in (1, 30, 100):
        assert case.vectors.nearest_many(MODEL, [*units(rng, 17), *queries], k)[17:] == case.vectors.nearest_many(
            MODEL, queries, k
        )
        together = case.vectors.nearest_many(MODEL, queries, k)
        for query, hits in zip(queries, together, strict=True):
            expected = brute(rows, query, k)
            assert [chunk for chunk, _ in hits] == [chunk for chunk, _ in expected]
            assert [cosine for _, cosine in hits] == pytest.approx([cosine for _, cosine in expected], abs=1e-12)
            # To the last bit the same alone as in company.
            assert case.vectors.nearest(MODEL, query, k) == hits
    expected_hits = [[chunk for chunk, _ in hits] for hits in case.vectors.nearest_many(MODEL, queries, 30)]
    case.vectors.memory_for_search = 0
    assert [[chunk for chunk, _ in hits] for hits in case.vectors.nearest_many(MODEL, queries, 30)] == expected_hits
    assert case.vectors._cache is None


def test_vectors_that_cannot_be_searched_are_found_and_dropped(tmp_path):
    path = tmp_path / "a.disconfirm"
    query = EMBEDDER.embed(["pump stopped"])[0]
    with CaseFile.create(path, now=clock()) as case:
        fill(case)
        count = case.counts()["vectors"]
    for bad in (b"\0" * 256, struct.pack("<64f", *[float("nan")] * 64)):
        tamper(path, f"UPDATE vector SET data = x'{bad.hex()}' WHERE chunk = 3")
        with CaseFile.open(path) as case:
            with pytest.raises(IndexDamaged):
                case.vectors.nearest(EMBEDDER.fingerprint, query, 5)
            case.rebuild_index()
            assert 3 not in [chunk for chunk, _ in case.vectors.nearest(EMBEDDER.fingerprint, query, 50)]
            assert [chunk.id for chunk in case.vectors.chunks_without(EMBEDDER.fingerprint, 9)] == [3]
            case.vectors.put(EMBEDDER.fingerprint, [(3, query)])
            assert case.vectors.nearest(EMBEDDER.fingerprint, query, 1)[0][0] == 3
            assert case.counts()["vectors"] == count
