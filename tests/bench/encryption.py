"""What a passphrase costs: adding documents, opening, searching, scoring and checking, with it and without.

    python -m tests.bench.encryption [DOCUMENTS] [--repeats N] [--small]

Makes DOCUMENTS (default 200) invented texts of about 20 KB with a fixed seed and adds them with the real engines, with
--small with small ones in this process, which leaves little but the storing. Then closes and opens the case, searches
right after opening and once warm, scores a matrix of 60 rows right after opening, and checks the case. With and without
a passphrase in turn, so that what else the machine does falls on both; printed are the least times of N (default 5): by
the clock, and of the processor in this process alone, where all of the storing is done.

Target: the passphrase adds 15 % at most to adding, searching and scoring.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from core import settings
from core.passphrase import Passphrase
from core.ports import Engines
from core.progress import silent
from core.runtime import launch
from core.store import CaseKey
from core.workbench import Workbench, encryption
from tests.bench.ingest import text as invented
from tests.bench.machine import describe
from tests.fakes import HashEmbedder, PlainReader, PlainWriter, ScriptedJudge

QUERIES = (
    *("the valve in hall 3", "who opened the gate before midnight"),
    *("shipment signed for", "camera after the alarm"),
)
ROWS = 60


def _seconds(times: dict[str, tuple[float, float]], name: str, work) -> object:
    began, cpu = time.perf_counter(), time.process_time()
    result = work()
    times[name] = time.perf_counter() - began, time.process_time() - cpu
    return result


def _once(engines: Engines, folder: Path, texts: Path, key: CaseKey | None) -> dict[str, tuple[float, float]]:
    """Make a case and work on it; the seconds of each part, and those of the processor in this process."""
    times: dict[str, tuple[float, float]] = {}
    path = folder / "bench.disconfirm"
    with Workbench.create(path, engines, key=key) as bench:
        _seconds(times, "add the documents", lambda: bench.documents.add([texts]))
        for text in ("The operator did it.", "A guard did it.", "Nobody did it."):
            bench.hypotheses.add(text)
        for row in range(ROWS):
            bench.evidence.add(f"Row {row}", "bench")
            for hypothesis in ("H1", "H2", "H3"):
                bench.evidence.rate(f"E{row + 1}", hypothesis, ("C", "I", "N", "II")[row % 4])
    bench = _seconds(times, "open", lambda: Workbench.open(path, engines, key=key))
    _seconds(times, "first search", lambda: bench.search.passages_for(QUERIES[0]))
    _seconds(times, "40 searches", lambda: [bench.search.passages_for(QUERIES[n % 4]) for n in range(40)])
    bench.close()
    bench = Workbench.open(path, engines, key=key)
    _seconds(times, f"score a matrix of {ROWS} rows", bench.matrix.compute)
    _seconds(times, "make a backup", bench.backups.make)
    _seconds(times, "check the case", lambda: bench.case.verify(silent()))
    _seconds(times, "close", bench.close)
    return times


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("documents", type=int, nargs="?", default=200)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    print(describe())
    small = Engines(reader=PlainReader(), embedder=HashEmbedder(), judge=ScriptedJudge(), writer=PlainWriter())
    engines = small if args.small else launch.build_engines(settings.load())
    began = time.perf_counter()
    key = encryption.make_key(Passphrase("orchid tunnel seven gravel"))
    print(f"deriving the key, once at each opening: {time.perf_counter() - began:.2f} s")
    least: dict[tuple[str, bool], list[tuple[float, float]]] = defaultdict(list)
    try:
        with tempfile.TemporaryDirectory() as top:
            texts = Path(top) / "texts"
            texts.mkdir()
            rng = random.Random(7)
            for number in range(args.documents):
                (texts / f"{number}.txt").write_text(f"Report {number}.\n\n{invented(rng, 20_000)}", "utf-8")
            for _ in range(args.repeats):
                for with_key in (False, True):
                    with tempfile.TemporaryDirectory() as folder:
                        for name, seconds in _once(engines, Path(folder), texts, key if with_key else None).items():
                            least[name, with_key].append(seconds)
    finally:
        launch.close(engines)
    print(f"{args.documents} documents, least of {args.repeats}{', small engines' if args.small else ''}")
    for name, with_key in least:
        if not with_key:
            parts = []
            for index, unit in enumerate(("seconds", "of the processor")):
                clear, locked = (min(times[index] for times in least[name, is_locked]) for is_locked in (False, True))
                parts.append(f"{clear:.3f} -> {locked:.3f} {unit} ({100 * (locked / clear - 1):+.0f} %)")
            print(f"{name}: {', '.join(parts)}")


if __name__ == "__main__":
    main()
