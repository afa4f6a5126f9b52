"""Measure the judge on stance sets: accuracy, macro-F1, each label, calibration, withheld verdicts.

    python -m tests.eval.judge [--model FILE] [--adapter FILE] [--keep FILE] [--only-kept FILE] SET.jsonl[:N] ...

Without --model the merged judge of the set-up is measured. N draws a sample with seed 7. A line of a set has
``claim``, ``evidence`` and ``label`` (supports, contradicts or neutral; other labels are left out). --keep writes every
answer, one line a row; with --only-kept the model is not asked, and the figures are made from such a file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core import paths
from core.domain import Probabilities
from core.steps import classify

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
    """Figures of one set; the ``withheld`` ones after the margin rule of ``core.steps.classify``."""
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
    kept = [i for i, p in enumerate(answers) if classify.label(p) != "ambiguous"]
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
        "coverage": round(len(kept) / len(right), 3),
        "accuracy_of_kept": round(sum(right[i] for i in kept) / max(1, len(kept)), 3),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=paths.models() / paths.MERGED_JUDGE)
    parser.add_argument("--adapter", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only-kept", type=Path)
    parser.add_argument("sets", nargs="+")
    chosen = parser.parse_args(arguments)
    kept: dict[str, Probabilities] = {}
    for source in filter(None, (chosen.only_kept, chosen.keep)):
        if source.is_file():
            for line in source.read_text("utf-8").splitlines():
                row = json.loads(line)
                kept[row["key"]] = Probabilities(*row["p"])
    judge = None
    if chosen.only_kept is None:
        from core.engines.llama import LlamaJudge

        judge = LlamaJudge(chosen.model, chosen.adapter)
        print(judge.fingerprint, file=sys.stderr)
    for spec in chosen.sets:
        began = time.monotonic()
        rows = load(spec)
        answers = []
        for row in rows:
            if row.key not in kept:
                if judge is None:
                    parser.error(f"{chosen.only_kept} lacks a row of {spec}")
                answer = judge.judge(row.passage, [row.hypothesis])[0]
                kept[row.key] = answer
                if chosen.keep is not None:
                    p = [answer.supports, answer.contradicts, answer.neutral]
                    with chosen.keep.open("a", encoding="utf-8") as out:
                        out.write(json.dumps({"key": row.key, "set": row.set, "gold": row.gold, "p": p}) + "\n")
            answers.append(kept[row.key])
        figures = {"set": rows[0].set, **measure([row.gold for row in rows], answers)}
        figures["seconds"] = round(time.monotonic() - began, 1)
        print(json.dumps(figures), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
