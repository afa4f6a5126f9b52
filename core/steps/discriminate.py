"""Passages that tell two hypotheses apart, those first from which the matrix would learn most.

A passage that is as near to both, or speaks as much for both, changes nothing between them, however relevant it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.domain import Matrix, Probabilities, Rating

_GUESS = (
    0.5  # what a difference of similarities counts beside one of verdicts: nearness is not yet a word for or against
)
_STEEP = 1.5  # of the weight of a pair, over the share of the whole range of penalties that lies between


@dataclass(frozen=True, slots=True)
class Separation:
    """What one passage may say between two hypotheses.

    ``leans`` is the hypothesis it speaks for, or is nearer to; ``strength`` lies in 0..1; ``judged`` says whether it
    rests on verdicts for both or on similarities alone. ``effect`` is how much the pair matters now times ``strength``;
    where it was judged, times the mean of that and of how much more it speaks against the one than the other.
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
    *,
    each: int | None = None,
) -> list[Separation]:
    """For every pair and passage what it may say between them: most effect first, then by chunk id and pair.

    ``similarity`` has the cosine of each passage to each hypothesis; ``verdicts`` what the judge said, as far as it
    did. Similarities are compared after taking off each hypothesis's own mean over these passages, so that a
    hypothesis in general words does not win every passage. ``each`` is the number of pairs kept of a passage, those
    first in which it has most effect; None keeps all.
    """
    import numpy as np  # 3,000 passages and 30 hypotheses are 1.3 million comparisons

    chunks, pairs = sorted(similarity), list(combinations(hypotheses, 2))
    if not chunks or not pairs:
        return []
    weight = weights(hypotheses, penalties)
    given = verdicts or {}
    place = {h: at for at, h in enumerate(hypotheses)}
    shape = (len(chunks), len(hypotheses))
    near, stance, against = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    for row, chunk in enumerate(chunks):
        for h, cosine in similarity[chunk].items():
            if h in place:
                near[row, place[h]] = cosine
        for h, told in given.get(chunk, {}).items():
            if h in place:
                stance[row, place[h]] = told.supports - told.contradicts
                against[row, place[h]] = told.contradicts
    columns = ([v for v in column.tolist() if v == v] for column in near.T)
    level = np.array([math.fsum(values) / len(values) if values else 0.0 for values in columns])
    one, other = (np.array([place[pair[side]] for pair in pairs]) for side in (0, 1))
    judged = ~np.isnan(stance[:, one]) & ~np.isnan(stance[:, other])
    # A passage far from both says nothing between them.
    both = np.clip(np.maximum(near[:, one], near[:, other]), 0.0, 1.0)
    apart = near - level
    guessed = _GUESS * both * (apart[:, one] - apart[:, other])
    difference = np.where(judged, (stance[:, one] - stance[:, other]) / 2, guessed)
    strength = np.nan_to_num(np.minimum(1.0, np.abs(difference)))
    # Only what speaks against a hypothesis moves it in the matrix, so of what was judged that counts beside the stance.
    moves = np.where(judged, (strength + np.abs(against[:, one] - against[:, other])) / 2, strength)
    effect = moves * np.array([weight[pair] for pair in pairs])
    order = np.argsort(-np.round(effect, 12), axis=1, kind="stable")[:, : len(pairs) if each is None else each]
    made = [
        Separation(
            chunk,
            pairs[at],
            pairs[at][0] if difference[row, at] > 0 else pairs[at][1],
            float(strength[row, at]),
            float(effect[row, at]),
            bool(judged[row, at]),
        )
        for row, chunk in enumerate(chunks)
        for at in order[row].tolist()
        if strength[row, at] > 0
    ]
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What would follow were a passage a row of the matrix, rated with ``ratings``: who would lead, and which
    hypotheses would have another rank, as (hypothesis, rank now, rank then)."""

    ratings: tuple[tuple[str, Rating], ...]
    before: tuple[str, ...]
    leaders: tuple[str, ...]
    moved: tuple[tuple[str, int, int], ...]

    @property
    def changes_lead(self) -> bool:
        return self.leaders != self.before


def outcome(
    hypotheses: Sequence[str],
    penalties: Mapping[str, float],
    ratings: Mapping[str, Rating],
    cost: Mapping[Rating, float],
    rank: Callable[[Mapping[str, float]], Mapping[str, int]],
) -> Outcome:
    """The ranking with one row more of the usual weight; ``penalties`` of those on which something bears, ``cost`` of
    each rating, ``rank`` as the matrix ranks. A hypothesis on which nothing bears stands last."""
    then = dict(penalties)
    for h in hypotheses:
        if ratings.get(h, "NA") != "NA":
            then[h] = penalties.get(h, 0.0) + cost.get(ratings[h], 0.0)
    places = []
    for costs in (penalties, then):
        told = rank(costs)
        places.append({h: told.get(h, len(costs) + 1) for h in hypotheses})
    now, after = places
    return Outcome(
        tuple((h, ratings[h]) for h in hypotheses if h in ratings),
        tuple(h for h in hypotheses if h in penalties and now[h] == 1),
        tuple(h for h in hypotheses if h in then and after[h] == 1),
        tuple((h, now[h], after[h]) for h in hypotheses if now[h] != after[h]),
    )
