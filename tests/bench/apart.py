"""How long it takes to rank what tells hypotheses apart, and to say what each passage would change in the matrix.

    python -m tests.bench.apart

The slow, plain way (one comparison after the other) is run beside it, and both must name the same passages.
"""

from __future__ import annotations

import bisect
import math
import random
import time
from itertools import combinations

from core import matrix
from core.domain import Probabilities
from core.matrix import Row
from core.plans import discrimination


def plainly(hypotheses, similarity, verdicts, penalties):
    """The same figures, a pair at a time: {(chunk, pair): effect}."""
    weight = discrimination.weights(hypotheses, penalties)
    ordered = {h: sorted(nearness[h] for nearness in similarity.values()) for h in hypotheses}
    level = {h: math.fsum(values) / len(values) for h, values in ordered.items()}
    effects = {}
    for chunk, nearness in similarity.items():
        probabilities = verdicts.get(chunk, {})
        shares = {}
        for h in hypotheses:
            share = bisect.bisect_right(ordered[h], nearness[h]) / len(similarity)
            probability = probabilities.get(h, Probabilities(0.2, 0.2, 0.6))
            shares[h] = probability.supports * share, probability.contradicts * share
        for a, b in combinations(hypotheses, 2):
            if a in probabilities or b in probabilities:
                (for_a, against_a), (for_b, against_b) = shares[a], shares[b]
                strength = for_a * against_b - against_a * for_b + 0.05 * (against_b - against_a)
            else:
                near = max(0.0, min(1.0, max(nearness[a], nearness[b])))
                strength = 0.1 * near * (nearness[a] - level[a] - nearness[b] + level[b])
            effects[chunk, (a, b)] = abs(strength) * weight[a, b]
    return effects


def main() -> None:
    draw = random.Random(5)
    hypotheses = [f"H{n}" for n in range(1, 31)]
    ratings = ["C", "N", "I", "II", None]
    rows = [Row(f"E{n}", {h: r for h in hypotheses if (r := draw.choice(ratings)) is not None}) for n in range(1, 5001)]
    scored = matrix.build(hypotheses, rows, pairs=False, linchpins=False)
    penalties = discrimination.penalties_of(scored, "weighted_inconsistency")
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
        effects = plainly(hypotheses, similarity, verdicts, penalties)
        times["plain"].append(time.perf_counter() - began)
        began = time.perf_counter()
        discriminations = discrimination.discriminations(hypotheses, similarity, verdicts, penalties, each=50)
        best = discrimination.best(discriminations, 50, discrimination.weights(hypotheses, penalties))
        times["ranked"].append(time.perf_counter() - began)
        began = time.perf_counter()
        for passage in best:
            rated = {h: "I" if p.contradicts > 0.5 else "C" for h, p in verdicts.get(passage.chunk, {}).items()}
            discrimination.outcome(hypotheses, penalties, rated, matrix.PENALTY, matrix.rank)
        times["outcomes of 50"].append(time.perf_counter() - began)
    assert all(abs(s.effect - effects[s.chunk, s.pair]) < 1e-9 for s in discriminations)
    for pair in combinations(hypotheses, 2):
        least = min(s.effect for s in discriminations if s.pair == pair)
        assert sum(effect > least + 1e-9 for (_, of), effect in effects.items() if of == pair) < 50
    print("5,000 rows x 30 hypotheses, 3,000 passages, 1,000 of them judged; seconds, least of 3")
    for name, seconds in times.items():
        print(f"  {name:16} {min(seconds):8.3f}")


if __name__ == "__main__":
    main()
