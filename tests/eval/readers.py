"""How far people agree on a stance set whose lines hold their votes: what no judge of its labels need beat.

    python -m tests.eval.readers SET.jsonl

Each vote stands for a reader and is compared with what most of the others said of the same pair; where the others are
divided evenly, each of their answers counts in part. A line has ``votes``, a number for supports, contradicts, neutral.
"""

from __future__ import annotations

import collections
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

LABELS = ("supports", "contradicts", "neutral")


def one_against_the_others(votes: Iterable[Mapping[str, int]]) -> dict[str, float]:
    """Accuracy and macro-F1 of a reader, the share of its contradictions that the others share, and the votes used."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()  # (the others, the reader)
    for pair in votes:
        for label in LABELS:
            others = {label_of_rest: pair.get(label_of_rest, 0) - (label_of_rest == label) for label_of_rest in LABELS}
            greatest = max(others.values())
            if not pair.get(label) or greatest < 1:
                continue
            likeliest = [label_of_rest for label_of_rest in LABELS if others[label_of_rest] == greatest]
            for label_of_rest in likeliest:
                counts[label_of_rest, label] += pair[label] / len(likeliest)
    total = sum(counts.values())

    def said(label: str) -> float:
        return sum(counts[label_of_rest, label] for label_of_rest in LABELS)

    def f1(label: str) -> float:
        return 2 * counts[label, label] / max(1.0, said(label) + sum(counts[label, by] for by in LABELS))

    return {
        "votes": total,
        "accuracy": sum(counts[label, label] for label in LABELS) / total,
        "macro_f1": sum(map(f1, LABELS)) / len(LABELS),
        "contradictions_shared": counts["contradicts", "contradicts"] / said("contradicts"),
    }


def main(path: str) -> None:
    rows = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    figures = one_against_the_others([row["votes"] for row in rows if row.get("votes")])
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
