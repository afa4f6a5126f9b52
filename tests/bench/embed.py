"""Embedding measured beside sentence-transformers: speed, likeness of the vectors, starting, memory, and what is not
computed again.

    python -m tests.bench.embed [FOLDER OF RETRIEVAL SETS] [--passages 2000] [--rounds 7] [--plot FILE.svg]

The peer is SentenceTransformer of the same folder on torch in float32 with its defaults (batches of 32, sorted by
length); both run in one process with as many threads, in turn, so that what else the computer does meets both alike.
Processor time is told beside the clock for that reason. ``law`` embeds few and many passages, whole and cut short: the
time goes with their pieces (tokens); a text of a few words costs more for each, since none is padded to another.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from core import settings
from core.documents import chunking as chunk
from core.domain import PageText
from core.engines.embedding import bert_onnx
from core.model_files.embedding_folder import look_at
from core.workbench import Workbench
from tests.bench import plot
from tests.bench.machine import describe
from tests.fakes import PlainReader

THREADS = str(min(2, os.cpu_count() or 1))
SLICE = 40  # passages of a turn


def passages(folder: Path, count: int) -> list[str]:
    """Passages as the program cuts them, of abstracts: real sentences, some 200 pieces each."""
    texts: list[str] = []
    for row in (folder / "scifact" / "corpus.jsonl").read_text("utf-8").splitlines():
        text = json.loads(row)["text"]
        texts += [text[span.start : span.end] for span in chunk.split(PageText(1, text))]
        if len(texts) >= count:
            return texts[:count]
    return texts


def timed(work: Callable[[], object]) -> tuple[float, float]:
    wall, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - busy


def speed(texts: Sequence[str], rounds: int) -> bool:
    import numpy
    import sentence_transformers
    import torch

    torch.set_num_threads(int(THREADS))
    folder = look_at(settings.load().embedder_folder)
    embedder = bert_onnx.EncoderEmbedder(folder)
    peer = sentence_transformers.SentenceTransformer(str(folder.path), device="cpu", local_files_only=True)
    pieces = sum(min(count + 2, folder.most_pieces or 1 << 30) for count in embedder.pieces(texts))
    print(f"{len(texts)} passages, {pieces / len(texts):.0f} pieces each, {THREADS} threads")

    vectors = numpy.array([numpy.frombuffer(vector, "<f4") for vector in embedder.embed(texts)])
    wanted = peer.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    cosines = (vectors * wanted).sum(axis=1)
    nearest, expected = (numpy.argsort(-(m @ m[:200].T), axis=0, kind="stable")[:10] for m in (vectors, wanted))
    overlap = statistics.mean(len(set(a) & set(b)) / 10 for a, b in zip(nearest.T, expected.T, strict=True))
    print(f"cosine with the peer: least {cosines.min():.7f}, mean {cosines.mean():.7f}; top 10 in common {overlap:.4f}")
    batch = embedder.embed(texts[:50])
    alone = [embedder.embed([text])[0] for text in texts[:50]]
    print(f"the same bytes alone and among others: {batch == alone}")

    # In turn, a slice each, over all texts: the same work for both, and what else runs meets both.
    walls: dict[str, list[float]] = {"sentence-transformers": [], "this program": []}
    busies: dict[str, list[float]] = {name: [] for name in walls}
    for turn in range(rounds):
        part = texts[turn * SLICE % len(texts) :][:SLICE]
        for name, work in (
            ("sentence-transformers", lambda part=part: peer.encode(list(part), show_progress_bar=False)),
            ("this program", lambda part=part: embedder.embed(part)),
        ):
            wall, busy = timed(work)
            walls[name].append(wall / len(part) * 1000)
            busies[name].append(busy / len(part) * 1000)
    for name in walls:
        wall, busy = statistics.median(walls[name]), statistics.median(busies[name])
        print(f"  {name:22} {wall:8.2f} ms a passage by the clock, {busy:8.2f} ms of processor time")
    first, second = walls
    wall = statistics.median(a / b for a, b in zip(walls[first], walls[second], strict=True))
    busy = statistics.median(a / b for a, b in zip(busies[first], busies[second], strict=True))
    print(f"  ratio: {wall:.2f} by the clock, {busy:.2f} in processor time (median of {rounds})")
    return bool(cosines.min() >= 0.97 and overlap >= 0.9 and busy >= 2 and batch == alone)


STARTS = {
    "sentence-transformers": "import sentence_transformers as s\n"
    "s.SentenceTransformer(sys.argv[1], device='cpu', local_files_only=True).encode(['a query'])",
    "this program": "from pathlib import Path\nfrom core.workers.server import ENGINES\n"
    "ENGINES['embedder']({'folder': sys.argv[1]}).embed_queries(['a query'])",
}


def starting() -> None:
    """From nothing to the vector of a query, in a new process."""
    folder = str(settings.load().embedder_folder)
    for name, code in STARTS.items():
        rows = []
        for _ in range(3):
            whole = (
                "import resource, sys, time\nbegan = time.perf_counter()\n"
                f"{code}\nused = resource.getrusage(resource.RUSAGE_SELF)\n"
                "print(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
            )
            run = subprocess.run(
                [sys.executable, "-c", whole, folder], capture_output=True, text=True, check=True, timeout=300
            )
            rows.append([float(number) for number in run.stdout.split()[-3:]])
        wall, busy, memory = (min(column) for column in zip(*rows, strict=True))
        print(f"  {name:22} {wall:6.2f} s, {busy:6.2f} s of processor time, {memory:6.0f} MB at most (best of 3)")


def law(texts: Sequence[str], picture: Path | None) -> bool:
    """Processor time against the pieces that the model reads, in samples of several sizes and lengths."""
    folder = look_at(settings.load().embedder_folder)
    embedder = bert_onnx.EncoderEmbedder(folder)
    embedder.embed(texts[:20])
    lines: dict[str, list[tuple[float, float]]] = {}
    for name, words in (("whole passages", 10_000), ("their first 60 words", 60), ("their first 15 words", 15)):
        cut = [" ".join(text.split()[:words]) for text in texts]
        for count in (50, 100, 200, 400):
            part = cut[:count]
            pieces = sum(min(number + 2, folder.most_pieces or 1 << 30) for number in embedder.pieces(part))
            busy = min(timed(lambda part=part: embedder.embed(part))[1] for _ in range(3))
            lines.setdefault(name, []).append((pieces / 1000, busy))
    fits = {name: plot.fit(points) for name, points in lines.items()}
    for name, fit in fits.items():
        print(f"  {name}: {fit.start:.2f} + {fit.slope:.3f} s of processor each 1,000 pieces, R2 {fit.r2:.4f}")
    if picture:
        title = "Embedding: nothing is padded, each text goes by itself"
        plot.draw(picture, [plot.Panel(title, "pieces, thousands", "s of processor", lines, tuple(lines))])
    return all(fit.r2 >= 0.98 for fit in fits.values())


class Counted:
    """An embedder that counts the passages it is asked for."""

    def __init__(self, inner: bert_onnx.EncoderEmbedder) -> None:
        self._inner, self.asked = inner, 0
        self.fingerprint, self.dimensions = inner.fingerprint, inner.dimensions
        self.embed_queries, self.pieces = inner.embed_queries, inner.pieces

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.asked += len(texts)
        return self._inner.embed(texts)


def again(texts: Sequence[str]) -> bool:
    """The first import of a folder, the second of the same, and one where a page was edited."""
    from core.ports import Engines

    embedder = Counted(bert_onnx.EncoderEmbedder(look_at(settings.load().embedder_folder)))
    with tempfile.TemporaryDirectory() as place:
        inbox = Path(place) / "inbox"
        inbox.mkdir()
        for start in range(0, len(texts), 10):
            (inbox / f"{start:05}.txt").write_text("\f".join(texts[start : start + 10]), "utf-8")
        with Workbench.create(Path(place) / "bench.disconfirm", Engines(PlainReader(), embedder)) as bench:
            model = embedder.fingerprint
            runs = []
            for step in ("first import", "the same again", "one page edited"):
                count = embedder.asked
                if step == "one page edited":
                    edited = [*texts[:10]]
                    edited[4] = "A page of which every word was changed by hand."
                    (inbox / "00000.txt").write_text("\f".join(edited), "utf-8")
                wall, _ = timed(lambda: bench.documents.add([inbox]))
                runs.append((wall, embedder.asked - count))
                print(f"  {step:16} {wall:8.2f} s, {runs[-1][1]:6} passages through the model")
            chunks = bench.store.counts()["chunks"]
            ids = bench.store.pages.chunk_ids("D1")
            vectors = [bench.store.vectors.get(model, chunk) for chunk in ids]
            same = vectors == embedder.embed([c.text for c in bench.store.pages.chunks(ids).values()])
        print(f"  {chunks} passages; again {runs[0][0] / runs[1][0]:.0f} times as fast; vectors byte-equal: {same}")
    return same and runs[1][1] == 0 and runs[0][0] / runs[1][0] >= 50 and 0 < runs[2][1] < 10


def three_processes(texts: Sequence[str]) -> bool:
    """The same texts in three new processes, with one thread and with two."""
    code = (
        "import hashlib, json, sys\nfrom core.workers.server import ENGINES\n"
        "given = ENGINES['embedder']({'folder': sys.argv[1]}).embed(json.load(sys.stdin))\n"
        "print(hashlib.sha256(b''.join(given)).hexdigest())"
    )
    digests = set()
    for threads in ("1", "2", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code, str(settings.load().embedder_folder)],
            input=json.dumps(list(texts)),
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
            env={**os.environ, "OMP_NUM_THREADS": threads},
        )
        digests.add(run.stdout.strip())
    print(f"  {', '.join(sorted(digests))}")
    return len(digests) == 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data/retrieval"))
    parser.add_argument("--passages", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", choices=("speed", "start", "again", "bytes", "law"))
    parser.add_argument("--plot", type=Path, help="an SVG file of the law")
    options = parser.parse_args()
    # Read by libraries that are loaded later. Waiting threads that spin would make the peer slower beside other work.
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, THREADS)
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    print(describe())
    texts = passages(options.folder, options.passages)
    parts: dict[str, Callable[[], object]] = {
        "speed": lambda: speed(texts, options.rounds),
        "start": starting,
        "again": lambda: again(texts[: max(200, options.passages // 5)]),
        "bytes": lambda: three_processes(texts[:100]),
        "law": lambda: law(texts, options.plot),
    }
    failed = False
    for name, part in parts.items():
        if options.only in (None, name):
            print(f"{name}:")
            failed |= part() is False
    print("A target was missed." if failed else "All targets are met.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
