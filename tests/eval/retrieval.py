"""How well search finds what people judged relevant: nDCG@10 and recall@30 of each leg and of their fusion.

    python -m tests.eval.retrieval [FOLDER] [--sets scifact ...] [--queries fit|held|all] [--keep FOLDER] [--pin]
                                   [--rerank own|MODEL [--weights .1 .3 1]]

FOLDER holds the sets scifact, cranfield and xquad (corpus, queries, judgements). Every document becomes a file of a
case and is read, cut, embedded and searched like any other; it stands where its best passage stands. Weights and
thresholds were chosen on every second query that has judgements (fit); figures are stated on the others (held).

The floors stand in retrieval.json beside this file, with the hash of each corpus: the program fails where a figure
falls below its floor, or the fusion below the better leg. ``--keep`` keeps vectors from run to run, ``--pin`` writes
new floors. ``--rerank`` also tells what ranking the best hundred anew is worth, by a model's folder or by the token
vectors of the search model itself (MaxSim: Khattab and Zaharia, 2020), at several weights, and what a query then takes.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import json
import math
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core import settings
from core.ports import Embedder, Reranker
from core.runtime import launch
from core.search import ranking
from core.search.service import MODES
from core.workbench import Workbench
from core.workers.engines import RerankerClient

FLOORS = Path(__file__).with_suffix(".json")
SETS = ("scifact", "cranfield", "xquad_en", "xquad_de", "xquad_ru", "xquad_ar")
MEASURES = ("nDCG@10", "recall@30")
Grades = Mapping[str, Mapping[str, int]]
SLACK = 0.002  # below the figures at the time of pinning: another machine adds up in another order


class Keeping:
    """An embedder that keeps vectors on disk by the text they are of."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._inner, self._folder = embedder, folder
        self.fingerprint, self.dimensions = embedder.fingerprint, embedder.dimensions
        folder.mkdir(parents=True, exist_ok=True)

    def _path(self, text: str) -> Path:
        return self._folder / hashlib.sha256(f"{self.fingerprint}\n{text}".encode()).hexdigest()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        missing = [text for text in dict.fromkeys(texts) if not self._path(text).is_file()]
        for text, vector in zip(missing, self._inner.embed(missing), strict=True):
            self._path(text).write_bytes(vector)
        return [self._path(text).read_bytes() for text in texts]

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        return self._inner.embed_queries(texts)

    def pieces(self, texts: Sequence[str]) -> list[int]:
        return self._inner.pieces(texts)


class OwnTokens:
    """A reranker of the search model's own token vectors, which were not trained for it."""

    fingerprint = "token vectors of the search model"

    def __init__(self, folder: Path) -> None:
        import numpy
        import sentence_transformers

        self._numpy = numpy
        self._model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        self._known: dict[str, Any] = {}

    def _vectors(self, text: str) -> Any:
        if text not in self._known:
            vectors = self._model.encode(text, output_value="token_embeddings", show_progress_bar=False).numpy()[1:-1]
            lengths = self._numpy.linalg.norm(vectors, axis=1, keepdims=True)
            self._known[text] = (vectors / lengths).astype(self._numpy.float16)
        return self._known[text].astype(self._numpy.float32)

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        query_vectors = self._vectors(query)
        return [float((query_vectors @ self._vectors(passage).T).max(axis=1).mean()) for passage in passages]


class Remembering:
    """A reranker that is asked once about a query and a passage; ``seconds`` are those that it took."""

    def __init__(self, inner: Reranker) -> None:
        self._inner, self._known, self.seconds = inner, dict[tuple[str, str], float](), 0.0
        self.fingerprint = inner.fingerprint

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        began = time.process_time()
        missing = [passage for passage in dict.fromkeys(passages) if (query, passage) not in self._known]
        for passage, score in zip(missing, self._inner.score(query, missing), strict=True):
            self._known[query, passage] = score
        self.seconds += time.process_time() - began
        return [self._known[query, passage] for passage in passages]


def reranked(
    bench: Workbench, reranker: Remembering, weights: Sequence[float], queries: Mapping[str, str], grades: Grades
) -> None:
    bench.engines = replace(bench.engines, reranker=reranker)
    for weight in weights:
        ranking.RERANK_WEIGHT = weight
        results = bench.search.search_many(list(queries.values()), k=30, per_document=1, mode="hybrid")
        figures = [
            measure(grades[query], [Path(p.name).stem for p in result.passages])
            for query, result in zip(queries, results, strict=True)
        ]
        means = [sum(column) / len(column) for column in zip(*figures, strict=True)]
        line = "  ".join(f"{m} {value:.4f}" for m, value in zip(MEASURES, means, strict=True))
        print(f"  ranked anew at {weight:g}: {line}", flush=True)
    print(f"  {1000 * reranker.seconds / len(queries):.0f} ms of processor a query, each passage read once")


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _id(row: dict[str, str]) -> str:
    return str(row.get("_id") or row.get("id"))


def load(folder: Path, name: str) -> tuple[dict[str, dict[str, str]], dict[str, str], dict[str, dict[str, int]], str]:
    """Documents, queries, grades by query, and the hash of the corpus."""
    kind, _, language = name.partition("_")
    corpus = folder / kind / (f"{language}_corpus.jsonl" if language else "corpus.jsonl")
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    if language:
        rows = _rows(folder / kind / f"{language}_questions.jsonl")
        for row in rows:
            grades[_id(row)][row["para"]] = 1
    else:
        rows = _rows(next((folder / kind).glob("queries*.jsonl")))
        for line in next((folder / kind).glob("qrels*.tsv")).read_text("utf-8").splitlines()[1:]:
            query, document, grade = line.split("\t")
            if int(grade) > 0:
                grades[query][document] = int(grade)
    documents = {_id(row): row for row in _rows(corpus)}
    return documents, {_id(row): row["text"] for row in rows}, grades, hashlib.sha256(corpus.read_bytes()).hexdigest()


def measure(grades: Mapping[str, int], names: Sequence[str]) -> tuple[float, float]:
    gains = [grades.get(name, 0) for name in names]
    ideal = sum(g / math.log2(n + 2) for n, g in enumerate(sorted(grades.values(), reverse=True)[:10]))
    return sum(g / math.log2(n + 2) for n, g in enumerate(gains[:10])) / ideal, sum(map(bool, gains)) / len(grades)


def build(bench: Workbench, documents: dict[str, dict[str, str]], inbox: Path) -> None:
    inbox.mkdir()
    for name, row in documents.items():
        title, text = html.escape(row.get("title") or ""), html.escape(row["text"])
        if text.strip():
            page = f"<html><head><meta charset=utf-8><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>"
            (inbox / f"{name}.html").write_text(page, "utf-8")
    bench.documents.add([inbox])


def evaluate(
    folder: Path, name: str, which: str, engines: launch.Engines, reranker: Reranker | None, weights: Sequence[float]
) -> tuple[dict[str, list[float]], str]:
    """{mode: figures} of one set, and the hash of its corpus."""
    documents, queries, grades, digest = load(folder, name)
    judged = [query for query in queries if grades.get(query)]
    chosen = {"fit": judged[0::2], "held": judged[1::2], "all": judged}[which]
    figures: dict[str, list[float]] = {}
    with (
        tempfile.TemporaryDirectory() as place,
        Workbench.create(Path(place) / "eval.disconfirm", engines) as bench,
    ):
        build(bench, documents, Path(place) / "inbox")
        counts = bench.store.counts()
        print(f"{name}: {counts['documents']} documents, {counts['chunks']} passages, {len(chosen)} queries ({which})")
        for mode in MODES:
            results = bench.search.search_many([queries[q] for q in chosen], k=30, per_document=1, mode=mode)
            levels: dict[str, list[bool]] = defaultdict(list)
            rows = []
            for query, result in zip(chosen, results, strict=True):
                rows.append(measure(grades[query], [Path(p.name).stem for p in result.passages]))
                for passage in result.passages:
                    levels[passage.confidence].append(Path(passage.name).stem in grades[query])
            figures[mode] = [sum(column) / len(column) for column in zip(*rows, strict=True)]
            line = "  ".join(f"{m} {value:.4f}" for m, value in zip(MEASURES, figures[mode], strict=True))
            rates = ", ".join(f"{level} {sum(v) / len(v):.2f} of {len(v)}" for level, v in sorted(levels.items()))
            print(f"  {mode:8} {line}  relevant: {rates}", flush=True)
        if reranker is not None:
            reranked(bench, Remembering(reranker), weights, {q: queries[q] for q in chosen}, grades)
    return figures, digest


def faults(name: str, figures: dict[str, list[float]], digest: str, pinned: dict[str, object]) -> list[str]:
    """What is worse than it was, and where the fusion is worse than a leg."""
    messages = [
        f"{name}: {measure} of hybrid {hybrid:.4f} is below {mode} {leg:.4f}"
        for mode in ("vector", "lexical")
        for measure, hybrid, leg in zip(MEASURES, figures["hybrid"], figures[mode], strict=True)
        if hybrid < leg
    ]
    if not pinned:
        return [*messages, f"{name}: no floors are pinned"]
    if pinned["corpus"] != digest:
        return [*messages, f"{name}: the corpus is another than the one the floors were measured on"]
    floors: dict[str, list[float]] = pinned["floors"]  # type: ignore[assignment]
    messages += [
        f"{name}: {measure} of {mode} {value:.4f} is below its floor {floor:.4f}"
        for mode, values in figures.items()
        for measure, value, floor in zip(MEASURES, values, floors[mode], strict=True)
        if value < floor
    ]
    return messages


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data/retrieval"))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--queries", choices=("fit", "held", "all"), default="held")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--rerank", help="'own' or the folder of a model")
    parser.add_argument("--weights", type=float, nargs="+", default=(0.1, 0.3, 1.0))
    options = parser.parse_args()
    engines = launch.build_engines(settings.load())
    used = engines
    if options.keep and engines.embedder is not None:
        used = replace(engines, embedder=Keeping(engines.embedder, options.keep))
    reranker: Reranker | None = None
    if options.rerank == "own":
        reranker = OwnTokens(settings.load().embedder_folder)
    elif options.rerank:
        reranker = RerankerClient(Path(options.rerank))
    pinned = json.loads(FLOORS.read_text("utf-8")) if FLOORS.is_file() else {}
    problems = []
    try:
        for name in options.sets:
            figures, digest = evaluate(options.folder, name, options.queries, used, reranker, options.weights)
            if options.queries != "held":  # floors are of those
                continue
            if options.pin:
                floors = {mode: [round(value - SLACK, 4) for value in values] for mode, values in figures.items()}
                pinned[name] = {"corpus": digest, "floors": floors}
                FLOORS.write_text(json.dumps(pinned, indent=1, sort_keys=True) + "\n", "utf-8")
            problems += faults(name, figures, digest, pinned.get(name, {}))
    finally:
        launch.close(engines)
    print("\n".join(problems) or "No figure is below its floor, and the fusion is nowhere below a leg.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
