"""Passages that tell two hypotheses apart, those first from which the matrix would learn most.

A passage that is as near to both, or speaks as much for both, changes nothing between them, however relevant it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.domain import Matrix, Probabilities

_GUESS = (
    0.5  # what a difference of similarities counts beside one of verdicts: nearness is not yet a word for or against
)
_STEEP = 1.5  # of the weight of a pair, over the share of the whole range of penalties that lies between


@dataclass(frozen=True, slots=True)
class Separation:
    """What one passage may say between two hypotheses.

    ``leans`` is the hypothesis it speaks for, or is nearer to; ``strength`` lies in 0..1; ``judged`` says whether it
    rests on verdicts for both or on similarities alone. ``effect`` is ``strength`` times ``weight``, how much the pair
    matters now.
    """

    chunk: int
    pair: tuple[str, str]
    leans: str
    strength: float
    effect: float
    judged: bool


def weights(hypotheses: Sequence[str], penalties: Mapping[str, float] | None) -> dict[tuple[str, str], float]:
    """How much it matters now to tell each pair apart, in 0..1: 1 for two that share the lead.

    Of a pair both the distance to each other and that of the better one to the lead count, as shares of the range of
    all penalties. Without ratings every pair matters alike.
    """
    pairs = list(combinations(hypotheses, 2))
    if not penalties:
        return dict.fromkeys(pairs, 1.0)
    lead = min((penalties[h] for h in hypotheses if h in penalties), default=0.0)
    told = {h: penalties.get(h, lead) for h in hypotheses}
    span = max(told.values()) - lead or 1.0
    return {
        (a, b): math.exp(-_STEEP * (abs(told[a] - told[b]) + min(told[a], told[b]) - lead) / span) for a, b in pairs
    }


def separations(
    hypotheses: Sequence[str],
    similarity: Mapping[int, Mapping[str, float]],
    verdicts: Mapping[int, Mapping[str, Probabilities]] | None = None,
    penalties: Mapping[str, float] | None = None,
) -> list[Separation]:
    """For every pair and passage what it may say between them: most effect first, then by chunk id and pair.

    ``similarity`` has the cosine of each passage to each hypothesis; ``verdicts`` what the judge said, as far as it
    did. Similarities are compared after taking off each hypothesis's own mean over these passages, so that a
    hypothesis in general words does not win every passage.
    """
    given = verdicts or {}
    weight = weights(hypotheses, penalties)
    level = {}
    for h in hypotheses:
        values = [told[h] for told in similarity.values() if h in told]
        level[h] = math.fsum(values) / len(values) if values else 0.0
    made = []
    for chunk, told in similarity.items():
        stance = {h: p.supports - p.contradicts for h, p in given.get(chunk, {}).items()}
        for a, b in weight:
            judged = a in stance and b in stance
            if judged:
                difference = (stance[a] - stance[b]) / 2
            elif a in told and b in told:
                # A passage far from both says nothing between them.
                near = max(0.0, min(1.0, max(told[a], told[b])))
                difference = _GUESS * near * ((told[a] - level[a]) - (told[b] - level[b]))
            else:
                continue
            strength = min(1.0, abs(difference))
            if strength > 0:
                leans = a if difference > 0 else b
                made.append(Separation(chunk, (a, b), leans, strength, strength * weight[a, b], judged))
    return sorted(made, key=lambda s: (-round(s.effect, 12), s.chunk, s.pair))


def best(found: Sequence[Separation], limit: int) -> list[Separation]:
    """The ``limit`` passages with the most effect, each once, for the pair in which it has it; those that speak for one
    hypothesis and for another in turn, so that none is favoured by being asked about or by lying nearest to most."""
    first: dict[int, Separation] = {}
    for one in found:
        first.setdefault(one.chunk, one)
    by_hypothesis: dict[str, list[Separation]] = {}
    for one in first.values():
        by_hypothesis.setdefault(one.leans, []).append(one)
    # Each gives its first, its second, ...; rounds keep the order of effect inside.
    ranked = sorted(
        (
            (place, -round(one.effect, 12), one.chunk, one)
            for ones in by_hypothesis.values()
            for place, one in enumerate(ones)
        ),
        key=lambda item: item[:3],
    )
    return [item[3] for item in ranked[:limit]]


def penalties_of(matrix: Matrix, rule: str) -> dict[str, float] | None:
    """The penalties of a matrix under a rule, for those hypotheses on which something bears; None without ratings."""
    scores = matrix.scores.get(rule, {})
    told = {h: scores[h] for h in matrix.hypotheses if h in scores and h not in matrix.untested}
    return told or None
