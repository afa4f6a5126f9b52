"""CPU time of scoring a matrix after a keystroke: all rules, flags, gaps and every single-change linchpin.

    python -m tests.bench.matrix [--repeats N]

Invented ratings, in the shapes that make the work differ: a clear leader; a close race; every hypothesis tied, so that
every cell is a linchpin; rows in clusters; every weight and every source its own. Prints the median and the worst CPU
milliseconds. Targets: under 50 ms for 500 x 10, under 1,000 ms for 5,000 x 30. Pairs of rows stand on their own, then
what moved the ranking between two moments, and the group of three people.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

from core.domain import RATINGS, Rating
from core.matrix import Row, build, changes, group
from tests.bench.machine import describe

SIZES = ((500, 10, 50.0), (5_000, 30, 1_000.0))


def matrix_of(rows: int, hypotheses: int, shape: str) -> tuple[list[str], list[Row]]:
    rng = random.Random(7)
    names = [f"H{n}" for n in range(1, hypotheses + 1)]
    every: list[Row] = []
    for n in range(rows):
        against = [0.1 + 0.3 * index / hypotheses if shape == "clear leader" else 0.25 for index in range(hypotheses)]
        cells: list[Rating] = [
            rng.choice(("I", "II")) if rng.random() < chance else rng.choice(("CC", "C", "N", "NA"))
            for chance in against
        ]
        if shape == "all tied":  # each block of rows gives every hypothesis the same cells in turn
            block = random.Random(n // hypotheses)
            ring = [block.choice(RATINGS) for _ in names]
            cells = [ring[(index + n) % hypotheses] for index in range(hypotheses)]
        has_own_weights = shape == "own weights and sources"
        every.append(
            Row(
                f"E{n + 1}",
                {h: cell for h, cell in zip(names, cells, strict=True) if shape == "all tied" or rng.random() < 0.97},
                None if has_own_weights or shape == "all tied" else rng.choice(("L", "M", "H")),
                None if has_own_weights or shape == "all tied" else rng.choice(("L", "M", "H")),
                rng.random() * 2 if has_own_weights else None,
                f"D{n if has_own_weights else rng.randrange(max(2, rows // 20))}",
                f"u{rng.randrange(rows // 3)}" if shape == "clusters" else "",
                reliability=rng.choice("ABCDEF"),
            )
        )
    return names, every


def close(names: list[str], rows: list[Row]) -> list[Row]:
    """A row that brings the runner-up to within 3 of the leader, so that few rows matter and many pairs do."""
    scores = build(names, rows, linchpins=False).scores["weighted_inconsistency"]
    first, second = sorted(names, key=scores.__getitem__)[:2]
    return [*rows, Row("E0", {first: "I", second: "N"}, weight=max(0.0, scores[second] - scores[first] - 3.0))]


def timed(label: str, repeats: int, work: Callable[[], object], target: float | None = None) -> None:
    spent = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        spent.append((time.process_time() - began) * 1000)
    beside = f"  target {target:,.0f}  {'met' if max(spent) < target else 'MISSED'}" if target else ""
    print(f"  {label:<44} median {statistics.median(spent):8.1f}  worst {max(spent):8.1f} ms CPU{beside}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    print(describe())
    for count, hypotheses, target in SIZES:
        print(f"{count:,} x {hypotheses}")
        for shape in ("clear leader", "close race", "all tied", "clusters", "own weights and sources"):
            names, rows = matrix_of(count, hypotheses, shape)
            if shape == "close race":
                rows = close(names, rows)
            timed(shape, repeats, lambda n=names, r=rows: build(n, r, pairs=False), target)
            single = build(names, rows, pairs=False).linchpin_counts
            print(f"    {sum(single.values()):,} linchpins")
        for shape in ("close race", "clusters", "own weights and sources"):
            names, rows = matrix_of(count, hypotheses, shape)
            rows = close(names, rows)
            timed(f"{shape}, with pairs", repeats, lambda n=names, r=rows: build(n, r))
            print(f"    {build(names, rows).linchpin_counts.get('pair', 0):,} pairs")
        names, rows = matrix_of(count, hypotheses, "close race")
        timed("scores alone", repeats, lambda n=names, r=rows: build(n, r, linchpins=False))
        later = [
            replace(row, ratings={**row.ratings, names[0]: "I"}) if n % 10 == 0 else row for n, row in enumerate(rows)
        ]
        moves = len(changes((names, rows, None), (names, later, None)))
        timed(
            f"what moved the ranking ({moves} changes)",
            repeats,
            lambda n=names, r=rows, s=later: changes((n, r, None), (n, s, None)),
        )
        people = {shape: matrix_of(count, hypotheses, shape)[1] for shape in ("clear leader", "close race", "all tied")}
        timed("group of three", max(1, repeats // 2), lambda n=names, p=people: group(n, p, {}))


if __name__ == "__main__":
    main()
