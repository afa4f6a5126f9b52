"""Time from a folder of short texts to a searchable case, and searches in it.

    python -m tests.bench.ingest [DOCUMENTS] [--searches N]

Makes DOCUMENTS (default 1,000) invented texts of about 5 KB with a fixed seed, adds them with the real engines, and
prints documents, passages, seconds, passages a second, search latency (median, p95) and memory. Targets on two cores:
1,000 documents under 4 minutes; search p95 under 150 ms at 20,000 passages once warm (about 2,300 documents).
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

from core import launch, settings
from core.workbench import Workbench
from tests.bench.machine import describe, peak_mb

PEOPLE = ("the operator", "a guard", "the night engineer", "our contractor", "the harbour master", "an auditor")
THINGS = ("valve", "pump", "ledger", "badge reader", "camera", "container", "transformer", "server", "shipment", "gate")
ACTS = (
    "opened",
    "inspected",
    "denied touching",
    "replaced",
    "reported",
    "signed for",
    "photographed",
    "moved",
    "sealed",
)
PLACES = ("in hall 3", "at the north gate", "near the quay", "in the archive", "behind the substation", "at platform 7")
WHENS = ("before midnight", "on 3 May", "at 02:14", "after the alarm", "during the audit", "a week later", "on Sunday")


def text(rng: random.Random, size: int) -> str:
    sentences: list[str] = []
    length = 0
    while length < size:
        words = [rng.choice(PEOPLE), rng.choice(ACTS), "the", rng.choice(THINGS), f"no. {rng.randrange(900)}",
                 rng.choice(PLACES), rng.choice(WHENS)]  # fmt: skip
        sentence = " ".join(words).capitalize() + "."
        sentences.append(sentence + ("\n\n" if rng.random() < 0.15 else " "))
        length += len(sentences[-1])
    return "".join(sentences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="?", type=int, default=1000)
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--size", type=int, default=5000, help="characters a document")
    options = parser.parse_args()
    print(describe())
    rng = random.Random(7)
    engines = launch.build_engines(settings.load())
    with tempfile.TemporaryDirectory() as folder:
        inbox = Path(folder) / "inbox"
        inbox.mkdir()
        for number in range(options.documents):
            (inbox / f"{number:05}.txt").write_text(text(rng, options.size), "utf-8")
        with Workbench.create(Path(folder) / "bench.disconfirm", engines) as bench:
            report = bench.add_documents([inbox])
            counts = bench.case.counts()
            print(
                f"{len(report.documents)} documents, {counts['chunks']} passages, {len(report.problems)} problems: "
                f"{report.seconds:.1f} s ({counts['chunks'] / report.seconds:.0f} passages/s)"
            )
            queries = [text(rng, 90) for _ in range(options.searches)]
            bench.search(queries[0])
            times = []
            for query in queries:
                began = time.perf_counter()
                bench.search(query)
                times.append(1000 * (time.perf_counter() - began))
            times.sort()
            print(
                f"search at {counts['chunks']} passages: median {statistics.median(times):.0f} ms, "
                f"p95 {times[int(0.95 * len(times))]:.0f} ms, worst {times[-1]:.0f} ms"
            )
            began = time.perf_counter()
            again = bench.add_documents([inbox])
            assert {item.status for item in again.documents} == {"duplicate"}
            print(f"second run over the same folder: {time.perf_counter() - began:.1f} s")
            size = bench.path.stat().st_size
        launch.close(engines)
        print(f"case {size / 1e6:.1f} MB; this process peak {peak_mb():.0f} MB, largest child {peak_mb(True):.0f} MB")


if __name__ == "__main__":
    main()
