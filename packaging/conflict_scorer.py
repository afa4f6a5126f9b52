r"""Fit the weights of pairs of statements that may contradict each other, and measure them on matters left out.

    python packaging/conflict_scorer.py ITEMS.jsonl
    python packaging/conflict_scorer.py ITEMS.jsonl --ask PAIRS.jsonl
    python packaging/conflict_scorer.py ITEMS.jsonl --verdicts ANSWERS.jsonl --judge FINGERPRINT \\
        --out resources/conflicts/scorer.json

A line of ITEMS is a matter: ``statements`` (``doc``, ``text``) and ``pairs`` of them (``a``, ``b``, ``label``
'conflict' or 'none'). Pairs of a matter without a label count as none at half the weight, alike pairs of two matters at
three times. Matters are split in two by a hash of their name; each half is measured with what the other teaches.

``--ask`` writes the pairs in both directions as 'disconfirm classify --jsonl' reads them; with its answers and the
judge's fingerprint its word becomes two features, and from where on pairs are shown is the least probability from which
half of those shown are conflicts, in each half with what the other taught. Where there is none, nothing is written for
that judge. Needs scikit-learn, which the program itself does not.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.conflicts import pairs
from core.conflicts.features import features, is_candidate, of_judge
from core.conflicts.scorer import Scorer
from core.conflicts.statements import Statement, is_negated, names_in, topical, words_of

UNLABELLED, ACROSS = 0.5, 3.0  # weights of pairs that nobody labelled
ALIKE = 6_000  # pairs of two matters
STRENGTH = 0.05  # the inverse of the regularisation
PRECISION, FEWEST = 0.5, 10  # share of conflicts among those shown, in each half, and how many of them there must be


@dataclass(frozen=True, slots=True)
class Example:
    """A pair as the scorer sees it."""

    left: Statement
    right: Statement
    values: dict[str, float]
    is_conflict: bool
    weight: float
    half: int


def statement(number: int, doc: str, text: str) -> Statement:
    """Return a statement of a matter."""
    tokens = words_of(text)
    return Statement(number, doc, 0, 1, 0, len(text), text, topical(tokens), names_in(text), is_negated(tokens))


def examples(items: Sequence[dict[str, Any]]) -> list[Example]:
    """Return the pairs that the program would weigh."""
    matters: list[list[Statement]] = []
    count = 0
    for item in items:
        matters.append([statement(count + n, row["doc"], row["text"]) for n, row in enumerate(item["statements"])])
        count += len(item["statements"])
    rarity = pairs.Rarity([line for matter in matters for line in matter])
    halves = [int(hashlib.sha256(item["id"].encode()).hexdigest(), 16) % 2 for item in items]
    rows: list[Example] = []

    def add(left: Statement, right: Statement, is_conflict: bool, weight: float, half: int) -> None:
        values = features(left, right, rarity)
        if is_candidate(left, right, values):
            rows.append(Example(left, right, values, is_conflict, weight, half))

    for item, matter, half in zip(items, matters, halves, strict=True):
        labels = {frozenset((pair["a"], pair["b"])): pair["label"] for pair in item["pairs"]}
        for a in range(len(matter)):
            for b in range(a + 1, len(matter)):
                label = labels.get(frozenset((a, b)))
                add(matter[a], matter[b], label == "conflict", 1.0 if label else UNLABELLED, half)
    owners = {line.number: n for n, matter in enumerate(matters) for line in matter}
    apart = [replace(line, document=f"matter {owners[line.number]}") for matter in matters for line in matter]
    for left, right in pairs.related(apart, rarity, limit=ALIKE):
        add(left, right, False, ACROSS, halves[owners[left.number]])
    return rows


def fit(rows: Sequence[Example], names: Sequence[str]) -> tuple[float, dict[str, float]]:
    """Return the bias and the weights; deterministic."""
    import numpy
    from sklearn.linear_model import LogisticRegression

    table = numpy.array([[row.values.get(name, 0.0) for name in names] for row in rows])
    mean, scale = table.mean(axis=0), table.std(axis=0)
    scale[scale == 0] = 1.0
    model = LogisticRegression(C=STRENGTH, max_iter=5_000)
    model.fit((table - mean) / scale, [row.is_conflict for row in rows], sample_weight=[row.weight for row in rows])
    weights = model.coef_[0] / scale
    return float(model.intercept_[0] - (weights * mean).sum()), dict(zip(names, map(float, weights), strict=True))


def measure(rows: Sequence[Example], scores: Sequence[float]) -> str:
    """Say how well a half is told apart."""
    from sklearn.metrics import roc_auc_score

    labels = [row.is_conflict for row in rows]
    top = [label for _, label in sorted(zip(scores, labels, strict=True), key=lambda pair: -pair[0])]
    area = roc_auc_score(labels, scores, sample_weight=[row.weight for row in rows])
    return (
        f"{len(rows):,} pairs, {sum(labels)} conflicts: area under the curve {area:.3f}, "
        f"{sum(top[:20])} of the first 20, {sum(top[:100])} of the first 100"
    )


def least_threshold(halves: Sequence[tuple[Sequence[Example], Sequence[float]]]) -> float | None:
    """Return the least probability from which enough of the pairs shown are conflicts, in both halves."""
    for percent in range(5, 100):
        groups = [
            [row.is_conflict for row, score in zip(rows, scores, strict=True) if score >= percent / 100]
            for rows, scores in halves
        ]
        if all(len(labels) >= FEWEST and sum(labels) >= PRECISION * len(labels) for labels in groups):
            return percent / 100
    return None


def with_verdicts(rows: Sequence[Example], file: Path) -> list[Example]:
    """Return the pairs that a judge read in both directions, with its word among their features."""
    answers = {
        row["id"]: float(row["probabilities"]["contradicts"])
        for row in map(json.loads, file.read_text("utf-8").splitlines())
    }
    ids = [(f"{row.left.number}:{row.right.number}", f"{row.right.number}:{row.left.number}") for row in rows]
    return [
        replace(row, values=row.values | of_judge(answers[forward], answers[backward]))
        for row, (forward, backward) in zip(rows, ids, strict=True)
        if forward in answers and backward in answers
    ]


def write_questions(rows: Sequence[Example], file: Path) -> None:
    """Write the pairs in both directions for the judge."""
    lines = [
        json.dumps({"id": f"{left.number}:{right.number}", "passage": left.line, "hypothesis": right.line})
        for row in rows
        for left, right in ((row.left, row.right), (row.right, row.left))
    ]
    file.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Fit, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--ask", type=Path)
    parser.add_argument("--verdicts", type=Path)
    parser.add_argument("--judge", default="")
    options = parser.parse_args()
    items = [json.loads(line) for line in options.items.read_text("utf-8").splitlines() if line.strip()]
    rows = examples(items)
    if options.ask:
        write_questions(rows, options.ask)
        return
    if options.verdicts:
        rows = with_verdicts(rows, options.verdicts)
    names = sorted({name for row in rows for name in row.values})
    halves = []
    for half in (0, 1):
        scorer = Scorer(*fit([row for row in rows if row.half != half], names), 1.0)
        left_out = [row for row in rows if row.half == half]
        halves.append((left_out, [scorer.probability(row.values) for row in left_out]))
    lines = [f"half {half}: {measure(*part)}" for half, part in enumerate(halves)]
    threshold = least_threshold(halves)
    print("\n".join(lines), f"threshold: {threshold}", sep="\n")
    if options.judge and options.out and threshold is not None:
        bias, weights = fit(rows, names)
        data = json.loads(options.out.read_text("utf-8")) if options.out.is_file() else {}
        data[options.judge] = {
            "bias": round(bias, 4),
            "threshold": threshold,
            "weights": {name: round(weight, 4) for name, weight in weights.items()},
            "measured": lines,
        }
        options.out.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
