"""Whether what is for one hypothesis and against another comes first among what tells hypotheses apart.

    python -m tests.eval.separating [FOLDER] [--questions N] [--half]

FOLDER holds the set healthver: claims on one question, and passages that people labelled for or against several of
them. A question with at least three passages that are for one of its four claims and against another is a case: its
claims are the hypotheses, its passages and ten of other questions are ranked as ``disconfirm discriminate`` ranks them.
Printed are, side by side with the order by nearness alone (before anything is judged), the mean precision of those
passages and the share of them among the first ten. ``--half`` shows the judge for each hypothesis only the nearer half,
as when plans look at a part of a case. Constants were chosen on the first seven questions (fit); the others are held.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from core import settings
from core.domain import Probabilities
from core.plans import discrimination
from core.ports import Engines
from core.runtime import launch

LEAST = 3  # separating passages of a case
STRANGERS = 10
FIT = 7  # questions
Labels = Mapping[str, Mapping[str, str]]


def separates(labels: Mapping[str, str], claims: Sequence[str]) -> bool:
    return {"supports", "contradicts"} <= {labels.get(claim, "") for claim in claims}


def cases(file: Path) -> list[tuple[str, list[str], list[str], set[int]]]:
    """(question, hypotheses, passages, places of those that are for one and against another)."""
    questions: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        questions[row["question"]][row["evidence"]][row["claim"]] = row["label"]
    everything = sorted({passage for labels in questions.values() for passage in labels})
    draw = random.Random(5)
    rows = []
    for question, labels in sorted(questions.items()):
        claims = sorted({claim for answers in labels.values() for claim in answers})
        chosen: list[str] = []
        while len(chosen) < min(4, len(claims)):
            chosen.append(max((c for c in claims if c not in chosen), key=lambda c: _worth([*chosen, c], labels)))
        passages = sorted(labels)
        wanted = {index for index, passage in enumerate(passages) if separates(labels[passage], chosen)}
        if len(wanted) >= LEAST:
            passages += draw.sample([passage for passage in everything if passage not in labels], STRANGERS)
            rows.append((question, chosen, passages, wanted))
    return rows


def _worth(claims: Sequence[str], labels: Labels) -> tuple[int, int]:
    passages = labels.values()
    return sum(separates(answers, claims) for answers in passages), sum(claims[-1] in answers for answers in passages)


def rank(
    hypotheses: Sequence[str],
    similarity: Mapping[int, Mapping[str, float]],
    verdicts: Mapping[int, Mapping[str, Probabilities]],
) -> list[int]:
    discriminations = discrimination.discriminations(hypotheses, similarity, verdicts)
    return [passage.chunk for passage in discrimination.best(discriminations, len(similarity))]


def figures(ranked: Sequence[int], wanted: set[int]) -> tuple[float, float]:
    """Mean precision, and the share among the first ten."""
    places = [place for place, index in enumerate(ranked, start=1) if index in wanted]
    precision = sum(number / place for number, place in enumerate(places, start=1)) / len(wanted)
    return precision, sum(place <= 10 for place in places) / min(10, len(wanted))


def evaluate(engines: Engines, questions: Sequence[tuple[str, list[str], list[str], set[int]]], *, half: bool) -> None:
    import numpy

    assert engines.embedder is not None
    assert engines.judge is not None
    scores: dict[str, list[tuple[float, float]]] = {"by nearness": [], "judged": []}
    for question, claims, passages, wanted in questions:
        names = [f"H{number}" for number in range(1, len(claims) + 1)]
        claim_vectors, rows = (
            numpy.array([numpy.frombuffer(vector, "<f4") for vector in vectors])
            for vectors in (engines.embedder.embed_queries(claims), engines.embedder.embed(passages))
        )
        near = rows @ claim_vectors.T
        similarity = {index: dict(zip(names, row.tolist(), strict=True)) for index, row in enumerate(near)}
        verdicts = {
            index: dict(zip(names, engines.judge.judge(passage, claims), strict=True))
            for index, passage in enumerate(passages)
        }
        if half:
            middle = dict(zip(names, numpy.median(near, axis=0).tolist(), strict=True))
            verdicts = {
                index: {
                    name: probability
                    for name, probability in probabilities.items()
                    if similarity[index][name] >= middle[name]
                }
                for index, probabilities in verdicts.items()
            }
        for way, judged in (("by nearness", {}), ("judged", verdicts)):
            scores[way].append(figures(rank(names, similarity, judged), wanted))
        print(
            f"  {scores['judged'][-1][0]:.3f} {scores['judged'][-1][1]:.3f} of {len(passages)}  {question}", flush=True
        )
    for part, of in (("fit", slice(FIT)), ("held", slice(FIT, None))):
        for way, pairs in scores.items():
            selected = pairs[of]
            if selected:
                means = [sum(column) / len(selected) for column in zip(*selected, strict=True)]
                print(
                    f"{part:5} {way:12} mean precision {means[0]:.3f}, in ten {means[1]:.3f}, {len(selected)} questions"
                )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data/stance"))
    parser.add_argument("--questions", type=int)
    parser.add_argument("--half", action="store_true")
    options = parser.parse_args()
    engines = launch.build_engines(settings.load())
    try:
        evaluate(engines, cases(options.folder / "healthver" / "dev.jsonl")[: options.questions], half=options.half)
    finally:
        launch.close(engines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
