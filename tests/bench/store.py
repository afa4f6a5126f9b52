"""How quickly a case file takes pages in and finds passages.

    python -m tests.bench.store [CHUNKS]

Targets on two cores: 5,000 chunks/s into pages, words and offsets; nearest p95 under 60 ms at 20,000 chunks of 384
dimensions with k = 300; opening a case under 0.3 s.
"""

from __future__ import annotations

import hashlib
import math
import random
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path

from core.domain import PageText, Span
from core.ports import Outline
from core.progress import silent
from core.store import CaseFile
from tests.bench.ingest import text as invented
from tests.bench.machine import describe, peak_mb

DIMENSIONS = 384


def unit(rng: random.Random) -> bytes:
    values = [rng.gauss(0, 1) for _ in range(DIMENSIONS)]
    norm = math.sqrt(sum(value * value for value in values))
    return struct.pack(f"<{DIMENSIONS}f", *(value / norm for value in values))


def _times(name: str, ask, questions: list[object]) -> None:
    ask(questions[0])
    times = []
    for question in questions:
        began = time.perf_counter()
        ask(question)
        times.append(1000 * (time.perf_counter() - began))
    times.sort()
    print(f"{name}: median {statistics.median(times):.1f} ms, p95 {times[int(0.95 * len(times))]:.1f} ms")


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    print(describe())
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.disconfirm"
        case = CaseFile.create(path)
        pages_each, chunks_each = 1000, 5
        count = 0
        seconds = 0.0
        while count < wanted:
            pages = []
            for number in range(1, pages_each + 1):
                text = invented(rng, 600 * chunks_each)
                spans = [Span(600 * n, 600 * n + 600) for n in range(chunks_each)]
                pages.append((PageText(number, text), spans))
            data = str(count).encode()
            began = time.perf_counter()
            document = case.documents.begin(
                name=f"{count}.txt", kind="text", sha256=hashlib.sha256(data).hexdigest(), data=data, reader="bench"
            )
            count += len(case.documents.put_pages(document, pages))
            case.documents.finish(document, Outline("text", pages_each))
            seconds += time.perf_counter() - began
        print(f"{count} chunks on {count // chunks_each} pages kept: {count / seconds:.0f} chunks/s")
        vectors = [(chunk, unit(rng)) for chunk in range(1, count + 1)]
        began = time.perf_counter()
        for start in range(0, count, 64):
            case.vectors.put("bench", vectors[start : start + 64])
        print(f"vectors kept: {count / (time.perf_counter() - began):.0f}/s in batches of 64")
        queries = [unit(rng) for _ in range(60)]
        excluded = [f"D{n}" for n in range(1, 3)]
        for k in (30, 120, 300):
            _times(f"nearest k={k}", lambda query, k=k: case.vectors.nearest("bench", query, k), queries)
            _times(
                f"nearest k={k}, two documents left out",
                lambda query, k=k: case.vectors.nearest("bench", query, k, exclude=excluded),
                queries,
            )
        matches = [" OR ".join(rng.sample(["valve", "hall", "ledger", "quay", "alarm", "auditor"], 4)) for _ in queries]
        _times("matching, four common words", case.words.matching, matches)
        _times(
            "document frequency of 8 words",
            lambda _: case.words.document_frequency(["a", "b", "hall", "pump", "x", "y", "z", "w"]),
            queries,
        )
        picks = [rng.sample(range(1, count + 1), 30) for _ in queries]
        _times("30 chunks", case.pages.chunks, picks)
        case.hypotheses.add("one")
        case.evidence.add(text="seen", source="x")
        _times("rate a cell", lambda n: case.ratings.rate("E1", "H1", ("C", "I")[n % 2]), list(range(1, 61)))
        began = time.perf_counter()
        check = case.verify(silent())
        print(f"verify: {time.perf_counter() - began:.1f} s, {'ok' if check.ok else check.problems}")
        began = time.perf_counter()
        case.rebuild_index()
        print(f"rebuild the index: {time.perf_counter() - began:.1f} s")
        began = time.perf_counter()
        case.close()
        print(f"close: {time.perf_counter() - began:.2f} s; the file has {path.stat().st_size / 1e6:.0f} MB")
        began = time.perf_counter()
        CaseFile.open(path).close()
        print(f"open and close: {time.perf_counter() - began:.2f} s; peak {peak_mb():.0f} MB")


if __name__ == "__main__":
    main()
