"""The search by meaning: exact within its scope, the same order every time."""

from __future__ import annotations

import math
import random
import struct
from array import array

import pytest

from core.domain import PageText, Span
from core.errors import IndexDamaged
from core.ports import Outline
from core.progress import silent
from tests.core.store.material import EMBEDDER, TEXTS, add, embed, fill

MODEL = "model of 16"


def unit(rng: random.Random, dimensions: int = 16) -> bytes:
    values = [rng.gauss(0, 1) for _ in range(dimensions)]
    norm = math.sqrt(sum(value * value for value in values))
    return struct.pack(f"<{dimensions}f", *(value / norm for value in values))


def cosine(left: bytes, right: bytes) -> float:
    first, second = array("f", left), array("f", right)
    dot = sum(a * b for a, b in zip(first, second, strict=True))
    return dot / math.sqrt(sum(a * a for a in first) * sum(b * b for b in second))


@pytest.fixture
def spread(case):
    """Eight documents of 60 chunks, each with a random vector; some vectors stand more than once."""
    rng = random.Random(5)
    vectors = {}
    for number in range(8):
        document = add(case, f"{number}.txt", [f"Start {number}."], finish=False)
        text = "word " * 60
        ids = case.documents.put_pages(document, [(PageText(2, text), [Span(5 * n, 5 * n + 4) for n in range(60)])])
        case.documents.finish(document, Outline("text", 2))
        for chunk in case.pages.chunk_ids(document):
            vectors[chunk] = unit(rng) if rng.random() < 0.8 or not vectors else rng.choice(list(vectors.values()))
        assert ids
    items = list(vectors.items())
    for start in range(0, len(items), 100):
        case.vectors.put(MODEL, items[start : start + 100])
    return vectors


def oracle(vectors, query, k):
    ranked = sorted(
        ((chunk, cosine(query, data)) for chunk, data in vectors.items()), key=lambda hit: (-hit[1], hit[0])
    )
    return ranked[:k]


@pytest.mark.parametrize("k", [1, 7, 50, 480, 1000])
def test_nearest_is_exact_in_every_scope(case, spread, k):
    rng = random.Random(k)
    of = {chunk: passage.document for chunk, passage in case.pages.chunks(spread).items()}
    for include, exclude in ((None, ()), (["D1", "D3"], ()), (None, ["D2"]), (["D1", "D2"], ["D2"]), (["D99"], ())):
        query = unit(rng)
        allowed = {
            chunk: data
            for chunk, data in spread.items()
            if (include is None or of[chunk] in include) and of[chunk] not in exclude
        }
        hits = case.vectors.nearest(MODEL, query, k, include=include, exclude=exclude)
        expected = oracle(allowed, query, k)
        assert [value for _, value in hits] == pytest.approx([value for _, value in expected], abs=1e-5)
        assert len({chunk for chunk, _ in hits}) == len(hits)
        # Best first; equal cosines by chunk id.
        assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))
        assert hits == case.vectors.nearest(MODEL, query, k, include=include, exclude=exclude)


def test_ties_are_cut_by_chunk_id(case):
    document = add(case, "same.txt", ["x"], finish=False)
    case.documents.put_pages(document, [(PageText(2, "abc " * 400), [Span(4 * n, 4 * n + 3) for n in range(400)])])
    case.documents.finish(document, Outline("text", 2))
    same = unit(random.Random(1))
    ids = case.pages.chunk_ids(document)
    case.vectors.put(MODEL, [(chunk, same) for chunk in reversed(ids)])
    assert [chunk for chunk, _ in case.vectors.nearest(MODEL, same, 10)] == ids[:10]
    assert [chunk for chunk, _ in case.words.best(["abc"], 10)] == case.pages.chunk_ids(document)[1:11]


@pytest.mark.parametrize("room", [0, 800_000_000])
def test_as_many_neighbours_as_are_asked_for(case, spread, room):
    case.vectors.memory_for_search = room
    query = unit(random.Random(3))
    assert len(case.vectors.nearest(MODEL, query, 5000)) == len(spread)


def test_a_search_in_the_file_gives_what_a_search_in_memory_gives(case, spread):
    """Vectors that differ in the last bits of a number too: more of them than any answer asks for."""
    rng = random.Random(6)
    close = [array("f", unit(rng)) for _ in range(3)]
    for index, chunk in enumerate(sorted(spread)[:150]):
        vector = array("f", close[index % 3])
        vector[index % 16] *= 1 + 1e-7 * (index % 7)
        case.vectors.put(MODEL, [(chunk, vector.tobytes())])
    ids = sorted(spread)
    for query in (unit(rng), close[0].tobytes(), close[1].tobytes()):
        for k in (1, 20, 70, 479, 600):
            for scope in ({}, {"include": ["D1", "D7"]}, {"exclude": ["D2"]}, {"among": ids[40:300]}):
                case.vectors.memory_for_search = 800_000_000
                expected = case.vectors.nearest(MODEL, query, k, **scope)
                case.vectors.memory_for_search = 0
                assert case.vectors.nearest(MODEL, query, k, **scope) == expected


@pytest.mark.parametrize("bad", [struct.pack("<16f", *[0.0] * 16), struct.pack("<16f", *[math.nan] * 16), b"\0" * 60])
@pytest.mark.parametrize("room", [0, 800_000_000])
def test_a_vector_that_cannot_be_searched_is_told(case, spread, bad, room):
    case.db.execute("UPDATE vector SET data = ? WHERE chunk = 30", (bad,))
    case.vectors.memory_for_search = room
    with pytest.raises(IndexDamaged):
        case.vectors.nearest(MODEL, unit(random.Random(1)), 5)
    (problem,) = (problem for problem in case.verify(silent()).problems if problem.where == "vectors")
    assert ("1 cannot be searched. The first is that of passage 30:" in problem.what, "rebuild" in problem.hint) == (
        True,
        True,
    )
    case.rebuild_index()
    assert case.vectors.get(MODEL, 30) is None
    assert len(case.vectors.nearest(MODEL, unit(random.Random(1)), 5)) == 5
    assert [problem.where for problem in case.verify(silent()).problems] == []


def test_a_vector_of_a_judge_or_of_no_passage_is_told(case, spread):
    case.db.execute("PRAGMA foreign_keys = OFF").fetchall()
    judge = case.models.keep("a judge", None)
    case.db.execute("UPDATE vector SET model = ? WHERE chunk = 30", (judge,))
    case.db.execute("UPDATE vector SET chunk = 99999 WHERE chunk = 31")
    (problem,) = (problem for problem in case.verify(silent()).problems if problem.where == "vectors")
    assert problem.what == "2 cannot be searched. The first is that of passage 30: it is of no search model."
    case.rebuild_index()
    assert [problem.where for problem in case.verify(silent()).problems if problem.where == "vectors"] == []
    assert case.vectors.count(MODEL) == len(spread) - 2


def test_a_vector_stands_in_the_file_once(case, spread):
    tables = {name for (name,) in case.db.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert not [name for name in tables if "vector" in name and name != "vector"]
    case.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    vector = next(iter(set(spread.values())))
    assert case.path.read_bytes().count(vector) == list(spread.values()).count(vector)


@pytest.mark.parametrize(
    "data", [struct.pack("<4f", 1, 0, 0, math.nan), struct.pack("<4f", 3, 0, 0, 0), struct.pack("<3f", 1, 0, 0), b""]
)
def test_bad_vectors_are_refused_whole(case, data):
    add(case, "a.txt", [TEXTS[0]])
    first, second = case.pages.chunk_ids("D1")
    good = struct.pack("<4f", 1, 0, 0, 0)
    with pytest.raises(ValueError):
        case.vectors.put("m", [(first, good), (second, data)])
    assert case.vectors.models() == []
    assert case.vectors.count_without("m") == 2


def test_another_embedder_takes_over_and_the_old_vectors_stay(case):
    fill(case)
    query = EMBEDDER.embed(["pump stopped"])[0]
    previous_hits = case.vectors.nearest(EMBEDDER.fingerprint, query, 5)
    rng = random.Random(2)
    chunks = case.vectors.chunks_without(MODEL, 100)
    case.vectors.put(MODEL, [(chunk.id, unit(rng)) for chunk in chunks])
    assert case.vectors.models() == [MODEL, EMBEDDER.fingerprint]
    assert len(case.vectors.nearest(MODEL, unit(rng), 5)) == 5
    later_hits = case.vectors.nearest(EMBEDDER.fingerprint, query, 5)
    assert [chunk for chunk, _ in later_hits] == [chunk for chunk, _ in previous_hits]
    assert [value for _, value in later_hits] == pytest.approx([value for _, value in previous_hits], abs=1e-6)
    assert case.verify(silent()).ok


def test_a_vector_may_be_put_again(case):
    fill(case)
    (chunk, *_) = case.pages.chunk_ids("D1")
    vector = EMBEDDER.embed(["quite another text"])[0]
    case.vectors.put(EMBEDDER.fingerprint, [(chunk, vector)])
    assert case.vectors.get(EMBEDDER.fingerprint, chunk) == vector
    assert case.vectors.nearest(EMBEDDER.fingerprint, vector, 1)[0][0] == chunk
    assert case.vectors.count_without(EMBEDDER.fingerprint) == 0


def test_chunks_without_vector_come_once_each_in_order(case):
    fill(case)
    add(case, "new.txt", [TEXTS[0] + " More."])
    assert case.vectors.count_without(EMBEDDER.fingerprint) == 2
    assert [c.id for c in case.vectors.chunks_without(EMBEDDER.fingerprint, 1)] == case.pages.chunk_ids("D4")[:1]
    embed(case)
    assert case.vectors.chunks_without(EMBEDDER.fingerprint, 10) == []
    assert len(case.vectors.chunks_without("unknown model", 100)) == 14
