"""Measure the judge on stance sets: accuracy, macro-F1, each label, calibration, withheld verdicts.

    python -m tests.eval.judge [--model FILE] [--keep FILE] [--only-kept FILE] [--fit] SET.jsonl[:N] ...

Without --model the judge that comes with the program is measured. N draws a sample with seed 7. A line of a set has
``claim``, ``evidence`` and ``label`` (supports, contradicts or neutral; other labels are left out). --keep writes every
answer, one line a row; with --only-kept the model is not asked, and the figures are made from such a file. --fit prints
what the judge's card holds beside the figures: temperature, margin, and the probability from which each label is right
in nine of ten cases, every set weighing the same; then what these do on a set that they were not fitted on, and the
share of right verdicts among the surest ones.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core import paths
from core.domain import Probabilities
from core.errors import BadInput
from core.verdicts import labels
from core.workers import server

LABELS = ("supports", "contradicts", "neutral")


@dataclass(frozen=True, slots=True)
class Row:
    set: str
    passage: str
    hypothesis: str
    gold: str

    @property
    def key(self) -> str:
        return hashlib.sha256(f"{self.passage}\0{self.hypothesis}".encode()).hexdigest()[:24]


def load(spec: str) -> list[Row]:
    """The rows of ``PATH[:N]``; with N a sample of that size, always the same one."""
    name, _, count = spec.partition(":")
    path = Path(name)
    rows = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row.get("label") in LABELS and isinstance(row.get("evidence"), str):
                rows.append(Row(f"{path.parent.name}/{path.stem}", row["evidence"], row["claim"], row["label"]))
    random.Random(7).shuffle(rows)
    return rows[: int(count)] if count else rows


def measure(golds: Sequence[str], answers: Sequence[Probabilities]) -> dict[str, object]:
    """Figures of one set; the ``withheld`` ones after the margin rule of ``core.verdicts.labels``."""
    best = [max(LABELS, key=lambda label, p=p: getattr(p, label)) for p in answers]
    confidence = [max(p.supports, p.contradicts, p.neutral) for p in answers]
    scores = []
    for label in LABELS:
        both = sum(b == g == label for b, g in zip(best, golds, strict=True))
        named = sum(b == label for b in best) + sum(g == label for g in golds)
        scores.append(2 * both / max(1, named))
    right = [b == g for b, g in zip(best, golds, strict=True)]
    error = 0.0
    for low in range(10):
        inside = [i for i, c in enumerate(confidence) if min(int(c * 10), 9) == low]
        if inside:
            error += abs(sum(right[i] for i in inside) - sum(confidence[i] for i in inside)) / len(right)
    decided = [i for i, p in enumerate(answers) if labels.label(p) != "ambiguous"]
    contradictions = sum(g == "contradicts" for g in golds)
    flipped = sum(b == "supports" and g == "contradicts" for b, g in zip(best, golds, strict=True))
    return {
        "n": len(golds),
        "accuracy": round(sum(right) / len(right), 3),
        "macro_f1": round(sum(scores) / 3, 3),
        "supports_f1": round(scores[0], 3),
        "contradicts_f1": round(scores[1], 3),
        "neutral_f1": round(scores[2], 3),
        "calibration_error": round(error, 3),
        "contradictions_called_support": round(flipped / max(1, contradictions), 3),
        "coverage": round(len(decided) / len(right), 3),
        "accuracy_of_kept": round(sum(right[i] for i in decided) / max(1, len(decided)), 3),
    }


def fit(sets: Sequence[Sequence[tuple[str, Probabilities]]], temperature: float) -> dict[str, object]:
    """What is set by these answers, which were given at ``temperature``; each set is (gold, answer) a row.

    The temperature has the least mean surprise (negative log-likelihood, the mean of the sets' means). The margin is
    the largest multiple of 0.01 at which nine of ten verdicts of the mean set are still shown: those nearer are right
    hardly more often than the next label. ``sure`` has, a label,
    the least probability from which it was right in at least 90 % of its cases, with that share, the share of the
    label's verdicts that it keeps and their number; None where no probability with 30 cases reaches it.
    """
    logs = [
        [(gold, [math.log(max(getattr(p, name), 1e-9)) * temperature for name in LABELS]) for gold, p in rows]
        for rows in sets
    ]

    def soften(values: Sequence[float], degree: float) -> list[float]:
        weights = [math.exp((value - max(values)) / degree) for value in values]
        return [weight / math.fsum(weights) for weight in weights]

    def surprise(degree: float) -> float:
        means = [
            math.fsum(-math.log(max(soften(v, degree)[LABELS.index(g)], 1e-12)) for g, v in rows) / len(rows)
            for rows in logs
        ]
        return math.fsum(means) / len(means)

    best = min((round(0.5 + 0.05 * step, 2) for step in range(71)), key=surprise)
    fitted = [[(gold, soften(values, best)) for gold, values in rows] for rows in logs]

    def coverage(margin: float) -> float:
        shares = [sum(sorted(p)[-1] - sorted(p)[-2] >= margin for _, p in rows) / len(rows) for rows in fitted]
        return sum(shares) / len(shares)

    margin = max((step / 100 for step in range(60) if coverage(step / 100) >= 0.9), default=0.0)
    sure: list[dict[str, object]] = []
    for label, name in enumerate(LABELS):
        named = sorted(
            ((p[label], gold == name, 1 / len(rows)) for rows in fitted for gold, p in rows if max(p) == p[label]),
            key=lambda row: -row[0],
        )
        whole = math.fsum(weight for _, _, weight in named)
        row: dict[str, object] = {"label": name, "threshold": None}
        right = weights = 0.0
        for count, (probability, correct, weight) in enumerate(named, start=1):
            right, weights = right + weight * correct, weights + weight
            last = count == len(named) or named[count][0] < probability
            if last and count >= 30 and right / weights >= 0.9:
                row |= {"threshold": probability, "precision": right / weights, "coverage": weights / whole, "n": count}
        sure.append({key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()})
    return {"temperature": best, "surprise": round(surprise(best), 4), "threshold": margin, "sure": sure}


def left_out(sets: Sequence[Sequence[tuple[str, Probabilities]]], temperature: float) -> list[dict[str, object]]:
    """Fit on all sets but one, each in turn, and count on it: coverage of the margin, and what is sure and right."""
    rows = []
    for index, held_out in enumerate(sets):
        fitted = fit([rest for rest in sets if rest is not held_out], temperature)
        degree = float(str(fitted["temperature"])) / temperature
        answers = [
            (gold, [value ** (1 / degree) for value in (p.supports, p.contradicts, p.neutral)]) for gold, p in held_out
        ]
        scaled = [(gold, [value / math.fsum(values) for value in values]) for gold, values in answers]
        margins = [sorted(values)[-1] - sorted(values)[-2] >= float(str(fitted["threshold"])) for _, values in scaled]
        row: dict[str, object] = {"left_out": index, "coverage": round(sum(margins) / len(margins), 3)}
        for label, limits in enumerate(fitted["sure"]):  # type: ignore[arg-type, var-annotated]
            if limits["threshold"] is not None:
                right = [
                    gold == limits["label"]
                    for gold, v in scaled
                    if max(v) == v[label] and v[label] >= limits["threshold"]
                ]
                row[limits["label"]] = [sum(right), len(right)]
        rows.append(row)
    return rows


def abstention(sets: Sequence[Sequence[tuple[str, Probabilities]]]) -> dict[str, float]:
    """Compute the share of right verdicts among the surest tenths of each set, as the mean of the sets."""
    shares = {}
    for tenths in range(1, 11):
        means = []
        for rows in sets:
            surest = sorted(rows, key=lambda row: -max(row[1].supports, row[1].contradicts, row[1].neutral))
            part = surest[: max(1, round(len(rows) * tenths / 10))]
            means.append(
                sum(getattr(p, gold) == max(p.supports, p.contradicts, p.neutral) for gold, p in part) / len(part)
            )
        shares[f"{tenths * 10}%"] = round(math.fsum(means) / len(means), 3)
    return shares


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=paths.reader())
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only-kept", type=Path)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("sets", nargs="+")
    chosen = parser.parse_args(arguments)
    answer_of: dict[str, Probabilities] = {}
    for source in filter(None, (chosen.only_kept, chosen.keep)):
        if source.is_file():
            for line in source.read_text("utf-8").splitlines():
                row = json.loads(line)
                answer_of[row["key"]] = Probabilities(*row["p"])
    judge = None
    if chosen.only_kept is None:
        judge = server.ENGINES["judge"]({"model": str(chosen.model)})
        print(judge.fingerprint, file=sys.stderr)
    answered = []
    for spec in chosen.sets:
        began = time.monotonic()
        rows = load(spec)
        answers = []
        for row in rows:
            if row.key not in answer_of:
                if judge is None:
                    parser.error(f"{chosen.only_kept} lacks a row of {spec}")
                try:
                    answer = judge.judge(row.passage, [row.hypothesis])[0]
                except BadInput as error:  # the model cannot take it: nothing is known, and that counts as wrong
                    print(f"{row.set}: {error.sentence}", file=sys.stderr)
                    answer = Probabilities(1 / 3, 1 / 3, 1 / 3)
                answer_of[row.key] = answer
                if chosen.keep is not None:
                    p = [answer.supports, answer.contradicts, answer.neutral]
                    with chosen.keep.open("a", encoding="utf-8") as out:
                        out.write(json.dumps({"key": row.key, "set": row.set, "gold": row.gold, "p": p}) + "\n")
            answers.append(answer_of[row.key])
        answered.append([(row.gold, answer) for row, answer in zip(rows, answers, strict=True)])
        figures = {"set": rows[0].set, **measure([row.gold for row in rows], answers)}
        figures["seconds"] = round(time.monotonic() - began, 1)
        print(json.dumps(figures), flush=True)
    if chosen.fit:
        degree = labels.card().temperature if chosen.model == paths.reader() else 1.0
        print(json.dumps(fit(answered, degree)))
        print(json.dumps({"left_out": left_out(answered, degree), "right_among_the_surest": abstention(answered)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
