"""How quickly passages are found, side by side with sqlite-vec, rank-bm25 and FTS5 alone, with equal answers.

    python -m tests.bench.search [SIZE ...] [--model] [--peers N] [--plot FILE.svg]

For each SIZE (passages; default 20,000 and 100,000) a case is made of invented words with frequencies as in prose and
random unit vectors of 384 dimensions, written straight through the store. It is then opened by a fresh process, which
prints the time to the first result, the latency of hybrid queries, the time until a new document is found, and its
memory. ``--model`` embeds the queries with the search model, which runs in a process of its own; without it they are
random vectors. The same vectors are put into a table of vec0 in a file of its own and searched there; sizes up to
``--peers`` (default 40,000) are also searched by rank-bm25. At the end the times over all sizes are fitted by straight
lines, and drawn with ``--plot``.

Why vectors are rows of a plain table, and not in vec0 (processor time, 10,000 and 100,000 vectors): they are written
in 83 and 850 ms, in vec0 in 160 and 1,940; read into memory, with the first answer, in 33 and 416 ms, from vec0 in 102
and 1,280. Where there is no room in memory, sqlite-vec compares row by row: the 30 nearest in 12 and 188 ms, in vec0
in 8 and 73; the 1,000 nearest in 23 and 217, in vec0 in 30 and 251. They take 21 and 208 MB, in vec0 16 and 157, since
two of them fill a page of 4 kB to three quarters. When a case held both it had 50 and 493 MB and was made in 1.9 and
17.6 s; now 34 and 336 MB, in 1.7 and 16.7 s.

Targets on two cores: exact nearest in memory 8x faster than sqlite-vec over the same rows and 4x faster than vec0;
eight queries together 4x faster each than one by one; a sentence by words 50x faster than rank-bm25 at 40,000 passages;
p95 of a hybrid query under 60 ms at 20,000 and 150 ms at 100,000; first result after opening 100,000 under 2 s; a new
document in the next query in under 1 s; under 600 MB at 100,000. Comparisons are in time of the processor (cpu); on a
busy computer that says more of the rest too than the clock.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw
import numpy

from core import settings
from core.domain import PageText, Span
from core.ports import Engines, Outline
from core.runtime import launch
from core.search import ranking
from core.store import CaseFile, connection
from core.store.vector_matrix import Vectors
from core.workbench import Workbench
from tests.bench import plot
from tests.bench.machine import describe, peak_mb
from tests.fakes import PlainReader

DIMENSIONS = 384
WORDS_EACH = 90  # about 600 characters
VOCABULARY = 60_000
PAGES, CHUNKS = 40, 5  # of a document, of a page
MODEL = "bench"
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "ol", "ist", "um")]


def word(number: int) -> str:
    parts = []
    number += len(SYLLABLES)
    while number:
        number, rest = divmod(number, len(SYLLABLES))
        parts.append(SYLLABLES[rest])
    return "".join(parts)


class Prose:
    """Words whose frequencies fall like those of English prose."""

    def __init__(self, seed: int) -> None:
        self.rng = numpy.random.default_rng(seed)
        self.words = numpy.array([word(n) for n in range(VOCABULARY)], dtype=object)
        weights = 1.0 / (numpy.arange(VOCABULARY) + 2.7)
        self.cumulated = numpy.cumsum(weights / weights.sum())

    def numbers(self, count: int) -> numpy.ndarray:
        return numpy.searchsorted(self.cumulated, self.rng.random(count))

    def texts(self, count: int) -> list[str]:
        rows = self.words[self.numbers(count * WORDS_EACH)].reshape(count, WORDS_EACH)
        return [" ".join(row) for row in rows]

    def query(self) -> str:
        """A sentence of 14 words."""
        return " ".join(self.words[self.numbers(14)])


def unit_rows(rng: numpy.random.Generator, count: int) -> list[bytes]:
    rows = rng.standard_normal((count, DIMENSIONS), dtype=numpy.float32)
    rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
    return [row.tobytes() for row in rows]


class Given:
    """Random vectors for queries, where the search model is not asked."""

    fingerprint, dimensions = MODEL, DIMENSIONS

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [unit_rows(numpy.random.default_rng(len(text)), 1)[0] for text in texts]

    embed_queries = embed

    def pieces(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


class Own:
    """The search model, under the name of the vectors in the case."""

    def __init__(self, inner: object) -> None:
        self.inner, self.fingerprint, self.dimensions = inner, MODEL, DIMENSIONS
        self.embed, self.embed_queries = inner.embed, inner.embed_queries  # type: ignore[attr-defined]

    def pieces(self, texts: Sequence[str]) -> list[int]:
        self.inner.pieces(texts)  # type: ignore[attr-defined]
        return [len(text.split()) for text in texts]  # invented words: the weights are those of a known language


def add_document(case: CaseFile, prose: Prose, number: int, chunks: int) -> list[int]:
    data = str(number).encode()
    document = case.documents.begin(
        name=f"{number}.txt", kind="text", sha256=hashlib.sha256(data).hexdigest(), data=data,
        reader="bench",
    )  # fmt: skip
    pages = []
    texts = prose.texts(chunks)
    for page in range(0, chunks, CHUNKS):
        spans, offset = [], 0
        for text in texts[page : page + CHUNKS]:
            spans.append(Span(offset, offset + len(text)))
            offset += len(text) + 1
        pages.append((PageText(page // CHUNKS + 1, "\n".join(texts[page : page + CHUNKS])), spans))
    ids = case.documents.put_pages(document, pages)
    case.documents.finish(document, Outline("text", len(pages)))
    return ids


def build(path: Path, size: int) -> None:
    prose = Prose(7)
    with CaseFile.create(path) as case:
        count = 0
        while count < size:
            ids = add_document(case, prose, count, min(PAGES * CHUNKS, size - count))
            case.vectors.put(MODEL, list(zip(ids, unit_rows(prose.rng, len(ids)), strict=True)))
            count += len(ids)


def spent(ask: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    ask()
    return 1000 * (time.perf_counter() - began)


def cpu(ask: Callable[[], object]) -> float:
    """Milliseconds of the processor, which other work on the computer does not change much."""
    began = time.process_time()
    ask()
    return 1000 * (time.process_time() - began)


def described(times: Sequence[float]) -> str:
    ordered = sorted(times)
    return f"median {statistics.median(ordered):.1f} ms, p95 {ordered[int(0.95 * (len(ordered) - 1))]:.1f} ms"


# --- a fresh process opens the case ----------------------------------------------------------------------------------


def opened(path: Path, with_model: bool) -> None:
    """Prints one JSON object."""
    engines = launch.build_engines(settings.load()) if with_model else Engines(PlainReader())
    embedder = Own(engines.embedder) if with_model else Given()
    if with_model:
        embedder.embed(["so that the model is loaded"])
    prose = Prose(11)
    figures: dict[str, float] = {}
    began = time.perf_counter()
    with Workbench.open(path, Engines(PlainReader(), embedder=embedder)) as bench:  # type: ignore[arg-type]
        figures["open"] = 1000 * (time.perf_counter() - began)
        used = time.process_time()
        figures["first"] = spent(lambda: bench.search.passages_for(prose.query()))
        figures["first, cpu"] = 1000 * (time.process_time() - used)
        figures["new words"] = statistics.median(
            spent(lambda: bench.search.passages_for(prose.query())) for _ in range(20)
        )
        queries = [prose.query() for _ in range(40)]
        bench.search.search_many(queries)
        times = sorted(spent(lambda q=q: bench.search.passages_for(q)) for q in queries * 2)
        figures["median"], figures["p95"] = statistics.median(times), times[int(0.95 * (len(times) - 1))]
        used = time.process_time()
        for query in queries:
            bench.search.passages_for(query)
        figures["mean, cpu"] = 1000 * (time.process_time() - used) / len(queries)
        vector = embedder.embed([queries[0]])[0]
        figures["nearest"] = statistics.median(
            spent(lambda: bench.store.vectors.nearest(MODEL, vector, 30)) for _ in range(15)
        )
        figures["nearest 1000"] = statistics.median(
            spent(lambda: bench.store.vectors.nearest(MODEL, vector, 1000)) for _ in range(9)
        )
        words = [ranking.terms(query) for query in queries]
        figures["words"] = statistics.median(spent(lambda w=w: bench.store.words.best(w, 30)) for w in words)
        figures["resident"] = peak_mb()
        began = time.perf_counter()
        ids = add_document(bench.store, prose, 10**9, 20)
        bench.store.vectors.put(MODEL, [(chunk, vector) for chunk in ids])
        text = bench.store.pages.chunks(ids[:1])[ids[0]].text
        result = bench.search.passages_for(text)
        figures["added"] = 1000 * (time.perf_counter() - began)
        assert result.passages[0].chunk == ids[0]
        figures["vectors after"] = spent(lambda: bench.store.vectors.nearest(MODEL, vector, 30))
    print(json.dumps(figures))
    launch.close(engines)


def apart(*options: str) -> str:
    """What a fresh process prints, with one thread for products of matrices like the program itself."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.bench.search", *options]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout


def measured(path: Path, with_model: bool) -> dict[str, float]:
    return dict(json.loads(apart("--open", str(path), *(["--model"] if with_model else [])).splitlines()[-1]))


# --- the peers -------------------------------------------------------------------------------------------------------


class Vec0:
    """The vectors of a case in a table of vec0, in a file of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.db = apsw.Connection(str(path))
        connection.settle(self.db)
        self.db.execute(f"CREATE VIRTUAL TABLE near USING vec0(v float[{DIMENSIONS}] distance_metric=cosine)")

    def add(self, rows: Sequence[tuple[int, bytes]]) -> None:
        with self.db:
            self.db.executemany("INSERT INTO near (rowid, v) VALUES (?, ?)", rows)

    def nearest(self, query: bytes, k: int) -> list[int]:
        hits = self.db.execute("SELECT rowid, distance FROM near WHERE v MATCH ? AND k = ?", (query, k)).fetchall()
        return [chunk for chunk, _ in sorted(hits, key=lambda hit: (hit[1], hit[0]))]

    def into_memory(self) -> Vectors:
        vectors = Vectors(DIMENSIONS)
        rows = self.db.execute("SELECT rowid, 1, v FROM near")
        while batch := list(itertools.islice(rows, 250)):
            vectors.add(batch)
        return vectors


def _kept_once(case: CaseFile, peer: Vec0) -> None:
    """What each way to keep vectors costs: as the rows that they are, or in a table of vec0 alone."""
    vectors = case.db.rows("SELECT chunk, data FROM vector ORDER BY chunk")
    plain = apsw.Connection(str(peer.path.with_name("rows")))
    connection.settle(plain)
    plain.execute(
        "CREATE TABLE vector (model INTEGER NOT NULL, chunk INTEGER NOT NULL, data BLOB NOT NULL, "
        "UNIQUE (model, chunk)) STRICT"
    )
    plain.execute("CREATE INDEX vector_chunk ON vector (chunk)")

    def put(rows: Sequence[tuple[int, bytes]]) -> None:
        with plain:
            plain.executemany("INSERT INTO vector VALUES (1, ?, ?)", rows)

    rows_ms = vec0_ms = 0.0
    for start in range(0, len(vectors), 500):
        part = vectors[start : start + 500]
        rows_ms += cpu(lambda part=part: put(part))
        vec0_ms += cpu(lambda part=part: peer.add(part))
    plain.close()
    sizes = [path.stat().st_size / 1e6 for path in (peer.path.with_name("rows"), peer.path)]
    _row("vectors written", [rows_ms], "vec0", [vec0_ms])
    print(f"  their file                         {sizes[0]:.1f} MB; vec0: {sizes[1]:.1f} MB", flush=True)


def peers(path: Path, *, words: bool) -> None:
    """Every comparison alternates, after the answers were checked to be the same. The last line is one JSON object:
    the median of the peer in ms by the name of the row."""
    prose = Prose(11)
    with CaseFile.open(path) as case, tempfile.TemporaryDirectory() as folder:
        peer = Vec0(Path(folder) / "vec0")
        _kept_once(case, peer)
        queries = unit_rows(prose.rng, 16)
        for k in (30, 1000):
            for query in queries[:4]:
                # vec0 adds up in float32, so what lies within a millionth may stand in another order.
                own_scores, peer_scores = dict(case.vectors.nearest(MODEL, query, k + 5)), peer.nearest(query, k)
                exact = [own_scores.get(chunk, -1.0) for chunk in peer_scores]
                assert all(a >= b - 1e-6 for a, b in itertools.pairwise(exact)), "vec0 ranks otherwise"
                assert exact[-1] >= sorted(own_scores.values(), reverse=True)[k - 1] - 1e-6, "vec0 finds others"
                assert _in_file(case, query, k) == case.vectors.nearest(MODEL, query, k)
            ours_ms, file_ms, vec0_ms = [], [], []
            for query in queries[:9]:
                ours_ms.append(cpu(lambda q=query, k=k: case.vectors.nearest(MODEL, q, k)))
                file_ms.append(cpu(lambda q=query, k=k: _in_file(case, q, k)))
                vec0_ms.append(cpu(lambda q=query, k=k: peer.nearest(q, k)))
            _row(f"nearest {k}", ours_ms, "vec0", vec0_ms)
            _row(f"nearest {k}, in the file", file_ms, "vec0", vec0_ms)
        loaded, streamed = [], []
        for query in queries[:5]:
            case.vectors.forget_memory()
            loaded.append(cpu(lambda q=query: case.vectors.nearest(MODEL, q, 30)))
            streamed.append(cpu(lambda q=query: peer.into_memory().nearest([q], 30)))
        _row("nearest 30, vectors read first", loaded, "vec0 read into memory", streamed)
        together, single = [], []
        for _ in range(9):
            together.append(cpu(lambda: case.vectors.nearest_many(MODEL, queries[:8], 30)) / 8)
            single.append(cpu(lambda: [case.vectors.nearest(MODEL, query, 30) for query in queries[:8]]) / 8)
        assert case.vectors.nearest_many(MODEL, queries[:8], 30) == [
            case.vectors.nearest(MODEL, q, 30) for q in queries[:8]
        ]
        _row("8 queries together, each", together, "one by one", single)
        if words:
            _word_peers(case, peer, prose)
        peer.db.close()


def _word_peers(case: CaseFile, peer: Vec0, prose: Prose) -> None:
    from rank_bm25 import BM25Okapi

    ids = [row[0] for row in case.db.rows("SELECT id FROM chunk ORDER BY id")]
    texts = case.pages.chunks(ids)
    tokens = [case.words._cut(texts[chunk].text, 4) for chunk in ids]
    began = time.process_time()
    oracle = BM25Okapi(tokens)
    rebuilt = 1000 * (time.process_time() - began)
    queries = [ranking.terms(prose.query()) for _ in range(15)]
    cold, warm, okapi, overlaps = [], [], [], []
    for words in queries:
        cut = list(dict.fromkeys(case.words._tokens(words)))
        cold.append(cpu(lambda w=words: case.words.best(w, 30)))
        warm.append(cpu(lambda w=words: case.words.best(w, 30)))
        okapi.append(cpu(lambda c=cut: _okapi(oracle, ids, c)))
        own_chunks = {chunk for chunk, _ in case.words.best(words, 30)}
        overlaps.append(len(own_chunks & set(_okapi(oracle, ids, cut))) / 30)
    assert min(overlaps) >= 0.95, f"rank-bm25 finds other passages: {min(overlaps):.2f}"
    _row("a sentence by words", warm, "rank-bm25", okapi)
    _row("  words never asked for before", cold, "rank-bm25", okapi)
    _hybrid(case, peer, oracle, ids, prose)
    fresh = []
    for number in range(5):
        new = add_document(case, prose, 2 * 10**9 + number, 20)
        fresh.append(cpu(lambda: case.words.best(queries[0], 30)))
        ids += new
    _row("20 new passages in the next query", fresh, "rank-bm25 built anew", [rebuilt])


def _hybrid(case: CaseFile, peer: Vec0, oracle: object, ids: Sequence[int], prose: Prose) -> None:
    """Both legs, their fusion and the texts of the best 30, against the same made of rank-bm25 and vec0."""
    bench = Workbench(case, Engines(PlainReader(), embedder=Given()))  # type: ignore[arg-type]

    def naive(query: str) -> list[int]:
        cut = list(dict.fromkeys(case.words._tokens(ranking.terms(query))))
        words = [(chunk, 0.0) for chunk in _okapi(oracle, ids, cut, 120)]
        near = [(chunk, 0.0) for chunk in peer.nearest(Given().embed([query])[0], 120)]
        weight = ranking.vector_weight(query, len(query.split()))
        best = [hit.chunk for hit in ranking.fuse(near, words, weight=weight)[:30]]
        case.pages.chunks(best)
        return best

    own_times, peer_times, same = [], [], []
    for query in [prose.query() for _ in range(15)]:
        chunks = [passage.chunk for passage in bench.search.passages_for(query, per_document=30).passages]
        same.append(len(set(chunks[:10]) & set(naive(query)[:10])) / 10)
        own_times.append(cpu(lambda q=query: bench.search.passages_for(q, per_document=30)))
        peer_times.append(cpu(lambda q=query: naive(q)))
    assert statistics.mean(same) >= 0.95, f"the same ten passages are fused in {statistics.mean(same):.2f}"
    _row("a hybrid query", own_times, "rank-bm25 and vec0", peer_times)


def _in_file(case: CaseFile, query: bytes, k: int) -> list[tuple[int, float]]:
    """As where there is no room in memory."""
    room, case.vectors.memory_for_search = case.vectors.memory_for_search, 0
    vectors, case.vectors._near = case.vectors._near, None
    try:
        return case.vectors.nearest(MODEL, query, k)
    finally:
        case.vectors.memory_for_search, case.vectors._near = room, vectors


def _okapi(oracle: object, ids: Sequence[int], words: Sequence[str], k: int = 30) -> list[int]:
    scores = oracle.get_scores(words)  # type: ignore[attr-defined]
    best = numpy.argpartition(scores, len(scores) - 2 * k)[-2 * k :]
    return sorted((ids[index] for index in best), key=lambda chunk: (-scores[chunk - ids[0]], chunk))[:k]


_THEIRS: dict[str, float] = {}


def _row(name: str, own_times: Sequence[float], peer: str, peer_times: Sequence[float]) -> None:
    _THEIRS[name] = statistics.median(peer_times)
    ratio = statistics.median(peer_times) / statistics.median(own_times)
    print(f"  {name:34} {described(own_times):34} {peer}: {described(peer_times)}; {ratio:.1f}x", flush=True)


# --- all together ----------------------------------------------------------------------------------------------------

COLUMNS = {
    "open": "ms", "first": "ms", "first, cpu": "ms", "new words": "ms", "median": "ms", "p95": "ms", "mean, cpu": "ms",
    "nearest": "ms", "nearest 1000": "ms",
    "words": "ms", "added": "ms", "vectors after": "ms", "resident": "MB",
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="*")
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--peers", type=int, default=40_000, help="rank-bm25 up to this size")
    parser.add_argument("--plot", type=Path, help="an SVG file of the laws")
    parser.add_argument("--open", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--compare", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--words", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.open:
        opened(options.open, options.model)
        return
    if options.compare:
        peers(options.compare, words=options.words)
        print(json.dumps(_THEIRS))
        return
    print(describe())
    table: dict[int, dict[str, float]] = {}
    peer_table: dict[int, dict[str, float]] = {}
    for size in options.sizes or [20_000, 100_000]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bench.disconfirm"
            began = time.perf_counter()
            build(path, size)
            costs = {"made": time.perf_counter() - began, "file": path.stat().st_size / 1e6}
            print(f"{size:,} passages, made in {costs['made']:.0f} s, {costs['file']:.0f} MB", flush=True)
            table[size] = {**measured(path, options.model), **costs}
            words = ["--words"] if size <= options.peers else []
            *rows, last = apart("--compare", str(path), *words).splitlines()
            print("\n".join(rows), flush=True)
            peer_table[size] = json.loads(last)
    print(f"{'passages':>10} " + " ".join(f"{name:>13}" for name in COLUMNS))
    for size, figures in table.items():
        print(f"{size:>10,} " + " ".join(f"{figures[name]:>10.1f} {unit}" for name, unit in COLUMNS.items()))
    if len(table) > 2:
        fitted = ("nearest", "nearest 1000", "words", "median", "mean, cpu", "first, cpu", "resident")
        units = {**{name: COLUMNS[name] for name in fitted}, "made": "s", "file": "MB"}
        for name, unit in units.items():
            law = plot.fit([(size, figures[name]) for size, figures in table.items()])
            sentence = f"{law.start:.2f} + {1e5 * law.slope:.2f} {unit} each 100,000 passages"
            print(f"{name}: {sentence}, R2 {law.r2:.4f}, farthest point {100 * law.worst:.0f}% off")
    if options.plot:
        draw(options.plot, table, peer_table)


def draw(path: Path, table: dict[int, dict[str, float]], peer_table: dict[int, dict[str, float]]) -> None:
    """The laws of PERFORMANCE: nearest and words linear in passages, beside the peers; storage and making, too."""

    def ours(name: str) -> list[tuple[float, float]]:
        return [(size / 1000, figures[name]) for size, figures in table.items()]

    def peer(name: str) -> list[tuple[float, float]]:
        return [(size / 1000, figures[name]) for size, figures in peer_table.items() if name in figures]

    def panel(title: str, unit: str, lines: dict[str, list[tuple[float, float]]]) -> plot.Panel:
        lines = {name: points for name, points in lines.items() if points}
        fitted = [name for name, points in lines.items() if len(points) > 1]
        return plot.Panel(title, "passages, thousands", unit, lines, fitted)

    nearest = {"30 nearest": ours("nearest"), "1,000 nearest": ours("nearest 1000")}
    vec0 = {"vec0, 30": peer("nearest 30"), "vec0, 1,000": peer("nearest 1000")}
    words = {"words": ours("words")}
    plot.draw(
        path,
        [
            panel("Nearest passages, exact", "ms", nearest),
            panel("The same beside vec0", "ms", {**nearest, **vec0}),
            panel("A sentence by words (BM25)", "ms", words),
            panel("The same beside rank-bm25", "ms", {**words, "rank-bm25": peer("a sentence by words")}),
            panel("Both and their fusion", "ms", {"median": ours("median"), "95th percentile": ours("p95")}),
            panel("First search after opening", "ms", {"first": ours("first")}),
            panel("The case on the disk", "MB", {"file": ours("file")}),
            panel("Written by the store", "s", {"made": ours("made")}),
        ],
    )


if __name__ == "__main__":
    main()
