"""Speed of the judge: hypotheses against passages.

    python -m tests.bench.judge [--passages N] [--hypotheses N] [--size CHARACTERS] [--only pairs|law|verb]
                                [--plot FILE.svg]

Makes invented passages (default 30 of 600 characters) and hypotheses (default 5) with a fixed seed, asks about all
pairs in a child process as the program does, and prints tokens, seconds, tokens a second, time a pair and the child's
peak memory. Run it on a quiet machine: two threads that wait for each other lose much of their time to any third.

``law`` compares with the cost law: a passage of p tokens with a hypothesis of h tokens takes (p + h + 4) / R, where R
tokens are read a second; P passages with H hypotheses each take P * H times as long. It prints how far passages of each
length are from it; ``--plot`` draws it. Its times are those of the processor, the least of several runs, so that it
means something on a busy machine as well.

``verb`` times what a person waits for: proposals for the documents of the sample case, with their searches, the grid,
the sentences that are judged to choose quotes, and all that is kept; then the same again, and with one hypothesis more.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core import paths
from tests.bench import plot
from tests.bench.ingest import text
from tests.bench.machine import describe, peak_mb

_INSIDE = "--inside"  # this process is the child that measures


def pairs(passages: int, hypotheses: int, size: int) -> tuple[list[str], list[str]]:
    rng = random.Random(7)
    return (
        [text(rng, size).strip().replace("\n", " ") for _ in range(passages)],
        [text(rng, 60).strip() for _ in range(hypotheses)],
    )


def measure(passages: list[str], hypotheses: list[str]) -> dict[str, float]:
    """Figures of this process; it should be a fresh one, since its peak memory is one of them."""
    from core.engines.cross_encoder.judge import EncoderJudge

    began = time.perf_counter()
    judge = EncoderJudge(paths.reader())
    loading = time.perf_counter() - began
    tokens = sum(len(judge._ids(p)) + len(judge._ids(h)) + 4 for p in passages for h in hypotheses)
    times = []
    for passage in passages:
        began = time.perf_counter()
        judge.judge(passage, hypotheses)
        times.append(time.perf_counter() - began)
    times.sort()
    return {
        "loading": loading,
        "tokens": tokens,
        "seconds": sum(times),
        "median": times[len(times) // 2],
        "worst": times[-1],
        "peak": peak_mb(),
    }


LENGTHS = (75, 150, 300, 600, 1_200)  # characters of a passage
RUNS = 4


def law(hypotheses: list[str], picture: Path | None = None) -> None:
    from core.engines.cross_encoder.judge import EncoderJudge

    judge = EncoderJudge(paths.reader())
    points = []
    for size in LENGTHS:
        passages, _ = pairs(3, 1, size)
        tokens = sum(len(judge._ids(p)) + len(judge._ids(h)) + 4 for p in passages for h in hypotheses)
        best = math.inf
        for _ in range(RUNS):
            began = time.process_time()
            for passage in passages:
                judge.judge(passage, hypotheses)
            best = min(best, time.process_time() - began)
        points.append((tokens, best))
    # R by least squares through the origin, of relative errors: every length weighs the same.
    shares = [tokens / seconds for tokens, seconds in points]
    rate = sum(share**2 for share in shares) / sum(shares)
    print(f"law: 3 passages with {len(hypotheses)} hypotheses, R = {rate:.0f} tokens a processor second")
    for size, (tokens, seconds) in zip(LENGTHS, points, strict=True):
        due = tokens / rate
        print(f"  {size:5} characters: {tokens:6,} tokens, {seconds:.2f} s, law {due:.2f} s ({seconds / due - 1:+.0%})")
    if picture:
        panel = plot.Panel("Pairs of 75 to 1,200 characters", "tokens read", "s of processor", {"measured": points})
        plot.draw(picture, [panel])


ONE_MORE = "The control system was updated during the night and the update failed."
RIVALS = 5  # with one that the sample case does not have


def verb(passages: int) -> None:
    from core import sample_case
    from core.runtime import launch
    from core.settings import Settings
    from core.workbench import Workbench

    sample = json.loads((sample_case.FOLDER / "case.json").read_text("utf-8"))
    texts = [row["text"] for row in sample["hypotheses"]][: RIVALS - 1]
    texts.append("The pump was stopped by a failure of power.")
    engines = launch.build_engines(Settings())
    try:
        with tempfile.TemporaryDirectory() as folder:
            bench = Workbench.create(Path(folder) / "case.disconfirm", engines, title="T")
            bench.documents.add([sample_case.FOLDER / "documents"])
            for text in texts:
                bench.hypotheses.add(text)
            bench.search.passages_for("pump")  # the search model and its vectors are there
            for name in ("cold", "the same again", "one hypothesis more"):
                count, began = len(bench.verdicts.proposals()), time.perf_counter()
                report = bench.review.propose(passages=passages)
                seconds = time.perf_counter() - began
                print(
                    f"propose, {name}: {report.passages_judged} pairs, "
                    f"{len(bench.verdicts.proposals()) - count} proposals, "
                    f"{report.searches} searches in {seconds:.1f} s"
                )
                if name == "the same again":
                    bench.hypotheses.add(ONE_MORE)
            bench.close()
    finally:
        launch.close(engines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=30)
    parser.add_argument("--hypotheses", type=int, default=5)
    parser.add_argument("--size", type=int, default=600, help="characters a passage")
    parser.add_argument("--only", choices=("pairs", "law", "verb"), default="pairs")
    parser.add_argument("--plot", type=Path, help="with --only law: an SVG file of it")
    parser.add_argument(_INSIDE, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(measure(*pairs(options.passages, options.hypotheses, options.size))))
        return
    print(describe())
    if hasattr(os, "getloadavg"):
        print(f"load before: {os.getloadavg()[0]:.1f}")
    if options.only == "law":
        law(pairs(1, options.hypotheses, options.size)[1], options.plot)
        return
    if options.only == "verb":
        verb(options.passages)
        return
    pair_count = options.passages * options.hypotheses
    arguments = [sys.executable, "-m", "tests.bench.judge", _INSIDE]
    for name in ("passages", "hypotheses", "size"):
        arguments += [f"--{name}", str(getattr(options, name))]
    process = subprocess.run(arguments, check=True, capture_output=True, text=True)
    result = json.loads(process.stdout)
    rate, pair_ms = result["tokens"] / result["seconds"], 1000 * result["seconds"] / pair_count
    print(
        f"{options.passages} passages x {options.hypotheses} hypotheses, {result['tokens']:.0f} tokens in "
        f"{result['seconds']:.1f} s: {rate:.0f} tokens/s, {pair_ms:.0f} ms a pair\n"
        f"  a passage with all hypotheses: median {1000 * result['median']:.0f} ms, worst "
        f"{1000 * result['worst']:.0f} ms; loading {result['loading']:.1f} s; peak {result['peak']:.0f} MB"
    )


if __name__ == "__main__":
    main()
