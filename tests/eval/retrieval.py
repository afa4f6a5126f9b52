"""How well search finds what people judged relevant: nDCG@10, recall@30 and MRR of each leg and of their fusion.

    python -m tests.eval.retrieval FOLDER [--queries N]

FOLDER holds corpus.jsonl ({"id" or "_id", "title", "text"}), one queries*.jsonl ({"id" or "_id", "text"}) and one
qrels*.tsv (query, document, grade). Every document becomes a file of a case and is read, cut, embedded and searched
like any other; a document is found where its best passage stands.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
from collections import defaultdict
from pathlib import Path

from core import launch, settings
from core.searching import MODES
from core.workbench import Workbench


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _id(row: dict[str, str]) -> str:
    return str(row.get("_id") or row.get("id") or row.get("doc_id"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=200, help="random sample, seed 7")
    options = parser.parse_args()
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in next(options.folder.glob("qrels*.tsv")).read_text("utf-8").splitlines():
        parts = line.split("\t")
        if len(parts) >= 3 and parts[-1].lstrip("-").isdigit() and int(parts[-1]) > 0:
            grades[parts[0]][parts[-2]] = int(parts[-1])
    queries = {_id(row): row["text"] for row in _rows(next(options.folder.glob("queries*.jsonl")))}
    chosen = sorted(query for query in queries if grades.get(query))
    random.Random(7).shuffle(chosen)
    chosen = chosen[: options.queries]
    engines = launch.build_engines(settings.load())
    with tempfile.TemporaryDirectory() as folder:
        inbox = Path(folder) / "inbox"
        inbox.mkdir()
        for row in _rows(options.folder / "corpus.jsonl"):
            words = f"{row.get('title') or ''}\n\n{row['text']}".strip()
            if words:
                (inbox / f"{_id(row)}.txt").write_text(words, "utf-8")
        with Workbench.create(Path(folder) / "eval.disconfirm", engines) as bench:
            report = bench.add_documents([inbox])
            print(
                f"{len(report.documents)} documents, {bench.case.counts()['chunks']} passages, {report.seconds:.0f} s"
            )
            for mode in MODES:
                figures: dict[str, list[float]] = defaultdict(list)
                levels: dict[str, list[bool]] = defaultdict(list)
                for query in chosen:
                    passages = bench.search(queries[query], k=30, mode=mode).passages
                    found = list(dict.fromkeys(Path(passage.name).stem for passage in passages))
                    gains = [grades[query].get(name, 0) for name in found]
                    ideal = sorted(grades[query].values(), reverse=True)[:10]
                    best = sum(g / math.log2(at + 2) for at, g in enumerate(ideal))
                    figures["nDCG@10"].append(sum(g / math.log2(at + 2) for at, g in enumerate(gains[:10])) / best)
                    figures["recall@30"].append(sum(g > 0 for g in gains) / len(grades[query]))
                    figures["MRR"].append(next((1 / (at + 1) for at, g in enumerate(gains) if g), 0.0))
                    for passage in passages:
                        levels[passage.confidence].append(Path(passage.name).stem in grades[query])
                print(
                    mode,
                    " ".join(f"{name}={sum(v) / len(v):.3f}" for name, v in figures.items()),
                    {level: f"{sum(v)}/{len(v)}" for level, v in sorted(levels.items())},
                )
        launch.close(engines)


if __name__ == "__main__":
    main()
