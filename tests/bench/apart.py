"""How long it takes to rank what tells hypotheses apart, and to say what each passage would change in the matrix.

    python -m tests.bench.apart

The slow, plain way (one comparison after the other) is run beside it, and both must name the same passages.
"""

from __future__ import annotations

import math
import random
import time
from itertools import combinations

from core.domain import Probabilities
from core.steps import discriminate, matrix
from core.steps.matrix import Row


def plainly(hypotheses, similarity, verdicts, penalties):
    """The same figures, a pair at a time."""
    weight = discriminate.weights(hypotheses, penalties)
    level = {h: math.fsum(told[h] for told in similarity.values()) / len(similarity) for h in hypotheses}
    best = {}
    for chunk, told in similarity.items():
        known = verdicts.get(chunk, {})
        for a, b in combinations(hypotheses, 2):
            if a in known and b in known:
                stance = [known[h].supports - known[h].contradicts for h in (a, b)]
                strength = min(1.0, abs(stance[0] - stance[1]) / 2)
                effect = (strength + abs(known[a].contradicts - known[b].contradicts)) / 2 * weight[a, b]
            else:
                near = max(0.0, min(1.0, max(told[a], told[b])))
                effect = abs(0.5 * near * (told[a] - level[a] - told[b] + level[b])) * weight[a, b]
            if effect > best.get(chunk, (0.0,))[0] + 1e-12:
                best[chunk] = (effect, (a, b))
    return best


def main() -> None:
    draw = random.Random(5)
    hypotheses = [f"H{n}" for n in range(1, 31)]
    ratings = ["C", "N", "I", "II", None]
    rows = [Row(f"E{n}", {h: r for h in hypotheses if (r := draw.choice(ratings)) is not None}) for n in range(1, 5001)]
    built = matrix.build(hypotheses, rows, pairs=False, linchpins=False)
    penalties = discriminate.penalties_of(built, "weighted_inconsistency")
    assert penalties is not None
    similarity = {n: {h: draw.random() for h in hypotheses} for n in range(3000)}
    verdicts = {}
    for chunk in range(0, 3000, 3):
        verdicts[chunk] = {}
        for h in hypotheses:
            a, b = sorted((draw.random(), draw.random()))
            verdicts[chunk][h] = Probabilities(a, b - a, 1 - b)
    times = {"plain": [], "ranked": [], "outcomes of 50": []}
    for _ in range(3):
        began = time.perf_counter()
        told = plainly(hypotheses, similarity, verdicts, penalties)
        times["plain"].append(time.perf_counter() - began)
        began = time.perf_counter()
        found = discriminate.separations(hypotheses, similarity, verdicts, penalties, each=1)
        best = discriminate.best(found, 50)
        times["ranked"].append(time.perf_counter() - began)
        began = time.perf_counter()
        for one in best:
            rated = {h: "I" if p.contradicts > 0.5 else "C" for h, p in verdicts.get(one.chunk, {}).items()}
            discriminate.outcome(hypotheses, penalties, rated, matrix.PENALTY, matrix.rank)
        times["outcomes of 50"].append(time.perf_counter() - began)
    assert {s.chunk: round(s.effect, 9) for s in found} == {c: round(e, 9) for c, (e, _) in told.items()}
    print("5,000 rows x 30 hypotheses, 3,000 passages, 1,000 of them judged; seconds, least of 3")
    for name, seconds in times.items():
        print(f"  {name:16} {min(seconds):8.3f}")


if __name__ == "__main__":
    main()
