"""Speed of the judge: hypotheses against passages, with the merged weights and with base model and adapter apart.

    python -m tests.bench.judge [--passages N] [--hypotheses N] [--size CHARACTERS] [--only merged|apart]

Makes invented passages (default 30 of 600 characters) and hypotheses (default 4) with a fixed seed, asks about all
pairs in a child process as the program does, and prints tokens, seconds, tokens a second, time a pair and the child's
peak memory. A passage is read once for all its hypotheses, so its tokens count once. Run it on a quiet machine: two
threads that wait for each other lose much of their time to any third.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

from core import paths
from tests.bench.ingest import text
from tests.bench.machine import describe, peak_mb

_INSIDE = "--inside"  # this process is the child that measures


def pairs(passages: int, hypotheses: int, size: int) -> tuple[list[str], list[str]]:
    rng = random.Random(7)
    return (
        [text(rng, size).strip().replace("\n", " ") for _ in range(passages)],
        [text(rng, 60).strip() for _ in range(hypotheses)],
    )


def measure(model: Path, adapter: Path | None, passages: list[str], hypotheses: list[str]) -> dict[str, float]:
    """Figures of this process; it should be a fresh one, since its peak memory is one of them."""
    from core.engines.llama import _AFTER_HYPOTHESIS, _BEFORE_HYPOTHESIS, _BEFORE_PASSAGE, LlamaJudge, threads

    began = time.perf_counter()
    judge = LlamaJudge(model, adapter)
    loading = time.perf_counter() - began
    tokens = 0
    for passage in passages:
        tokens += len(judge._tokens(_BEFORE_PASSAGE + passage + _BEFORE_HYPOTHESIS))
        tokens += sum(len(judge._tokens(" " + hypothesis + _AFTER_HYPOTHESIS)) for hypothesis in hypotheses)
    judge.judge(passages[0], hypotheses)  # the first call sets up what later ones find
    took = []
    for passage in passages:
        began = time.perf_counter()
        judge.judge(passage, hypotheses)
        took.append(time.perf_counter() - began)
    took.sort()
    return {
        "loading": loading,
        "tokens": tokens,
        "seconds": sum(took),
        "median": took[len(took) // 2],
        "worst": took[-1],
        "threads": threads(),
        "peak": peak_mb(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=30)
    parser.add_argument("--hypotheses", type=int, default=4)
    parser.add_argument("--size", type=int, default=600, help="characters a passage")
    parser.add_argument("--only", choices=("merged", "apart"))
    parser.add_argument(_INSIDE, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    ways = {
        "merged": (paths.models() / paths.MERGED_JUDGE, None),
        "apart": (paths.models() / paths.JUDGE, paths.RESOURCES / "models" / paths.ADAPTER),
    }
    if options.inside:
        made = pairs(options.passages, options.hypotheses, options.size)
        print(json.dumps(measure(*ways[options.only], *made)))
        return
    print(describe())
    if hasattr(os, "getloadavg"):
        print(f"load before: {os.getloadavg()[0]:.1f}")
    asked = options.passages * options.hypotheses
    for way in [options.only] if options.only else ways:
        arguments = [sys.executable, "-m", "tests.bench.judge", _INSIDE, "--only", way]
        for name in ("passages", "hypotheses", "size"):
            arguments += [f"--{name}", str(getattr(options, name))]
        done = subprocess.run(arguments, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        rate, each = found["tokens"] / found["seconds"], 1000 * found["seconds"] / asked
        print(
            f"{way}: {options.passages} passages x {options.hypotheses} hypotheses, {found['tokens']:.0f} tokens in "
            f"{found['seconds']:.1f} s with {found['threads']:.0f} threads: {rate:.0f} tokens/s, {each:.0f} ms a pair\n"
            f"  a passage with all hypotheses: median {1000 * found['median']:.0f} ms, worst "
            f"{1000 * found['worst']:.0f} ms; loading {found['loading']:.1f} s; peak {found['peak']:.0f} MB"
        )


if __name__ == "__main__":
    main()
