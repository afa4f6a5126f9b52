"""Passages that tell two hypotheses apart, those first from which the matrix would learn most.

A passage that is as near to both, or speaks as much for both, changes nothing between them, however relevant it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import combinations

from core.domain import Matrix, Probabilities, Rating

# What a difference of similarities counts beside one of verdicts: nearness is not yet a word for or against.
_SIMILARITY_WEIGHT = 0.1
# What the judge would say, for and against each, of a hypothesis that it was not asked about.
_UNJUDGED_PRIOR = 0.2
# What speaking against one alone counts, as against speaking for the other too.
_ONE_SIDED_WEIGHT = 0.05
# All three, the shares of nearness and the turns of pairs were chosen on passages that people had labelled for several
# claims on one question, seven questions of tests/eval/separating.py: there the mean precision of passages for one
# claim and against another rose from .55 to .76, judged throughout, and from .50 to .75, judged by half; on eight other
# questions from .56 to .73, both ways.
_PAIR_WEIGHT_DECAY = 1.5  # of the weight of a pair, over the share of the whole range of penalties that lies between


@dataclass(frozen=True, slots=True)
class Discrimination:
    """The word of one passage between two hypotheses.

    ``leans`` is the hypothesis it speaks for, or is nearer to; ``strength`` lies in 0..1; ``judged`` says whether it
    rests on a verdict for one of them at least, or on similarities alone. ``effect`` is how much the pair matters now
    times ``strength``.
    """

    chunk: int
    pair: tuple[str, str]
    leans: str
    strength: float
    effect: float
    judged: bool


def weights(hypotheses: Sequence[str], penalties: Mapping[str, float] | None) -> dict[tuple[str, str], float]:
    """Weigh how much it matters now to tell each pair apart, in 0..1: 1 for two that share the lead.

    Of a pair both the distance to each other and that of the better one to the lead count, as shares of the range of
    all penalties. Without ratings every pair matters alike.
    """
    pairs = list(combinations(hypotheses, 2))
    if not penalties:
        return dict.fromkeys(pairs, 1.0)
    lead = min((penalties[h] for h in hypotheses if h in penalties), default=0.0)
    penalty = {h: penalties.get(h, lead) for h in hypotheses}
    span = max(penalty.values()) - lead or 1.0
    return {
        (a, b): math.exp(
            -_PAIR_WEIGHT_DECAY * (abs(penalty[a] - penalty[b]) + min(penalty[a], penalty[b]) - lead) / span
        )
        for a, b in pairs
    }


def discriminations(
    hypotheses: Sequence[str],
    similarity: Mapping[int, Mapping[str, float]],
    verdicts: Mapping[int, Mapping[str, Probabilities]] | None = None,
    penalties: Mapping[str, float] | None = None,
    *,
    each: int | None = None,
) -> list[Discrimination]:
    """Return the effect of each passage on each pair: largest effect first, then by chunk id and pair.

    ``similarity`` has the cosine of each passage to each hypothesis; ``verdicts`` what the judge said, as far as it
    did. Judged, the strength is how much likelier a passage is for the one and against the other than the other way
    round; a verdict counts by the share of the passages that are no nearer to its hypothesis, because of what is far
    from it a judge says much by mistake. Else similarities are compared after taking off each hypothesis's own mean
    over these passages, so that a hypothesis in general words does not win every passage. ``each`` is the number of
    passages kept of a pair, those with most effect; None keeps all.
    """
    import numpy as np  # 3,000 passages and 30 hypotheses are 1.3 million comparisons

    chunks, pairs = sorted(similarity), list(combinations(hypotheses, 2))
    if not chunks or not pairs:
        return []
    weight = weights(hypotheses, penalties)
    probabilities = verdicts or {}
    place = {h: index for index, h in enumerate(hypotheses)}
    shape = (len(chunks), len(hypotheses))
    near, has_verdict = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    supports, contradicts = np.full(shape, _UNJUDGED_PRIOR), np.full(shape, _UNJUDGED_PRIOR)
    for row, chunk in enumerate(chunks):
        for h, cosine in similarity[chunk].items():
            if h in place:
                near[row, place[h]] = cosine
        for h, verdict in probabilities.get(chunk, {}).items():
            if h in place:
                has_verdict[row, place[h]] = True
                supports[row, place[h]], contradicts[row, place[h]] = verdict.supports, verdict.contradicts
    level = np.zeros(len(hypotheses))
    for index, column in enumerate(near.T):
        present = np.sort(column[~np.isnan(column)])
        if len(present):
            level[index] = math.fsum(present.tolist()) / len(present)
            share = np.searchsorted(present, column, side="right") / len(present)
            share[np.isnan(column)] = 0.5  # nobody knows
            supports[:, index] *= share
            contradicts[:, index] *= share
    apart = near - level
    rows = []
    for left, right in pairs:
        a, b = place[left], place[right]
        is_judged = has_verdict[:, a] | has_verdict[:, b]
        contrast = supports[:, a] * contradicts[:, b] - contradicts[:, a] * supports[:, b]
        contrast += _ONE_SIDED_WEIGHT * (contradicts[:, b] - contradicts[:, a])
        # A passage far from both says nothing between them.
        both = np.clip(np.maximum(near[:, a], near[:, b]), 0.0, 1.0)
        difference = np.nan_to_num(
            np.where(is_judged, contrast, _SIMILARITY_WEIGHT * both * (apart[:, a] - apart[:, b]))
        )
        strength = np.minimum(1.0, np.abs(difference))
        effect = strength * weight[left, right]
        order = np.argsort(-np.round(effect, 12), kind="stable")[:each]
        rows += [
            Discrimination(
                *(chunks[row], (left, right), left if difference[row] > 0 else right),
                *(float(strength[row]), float(effect[row]), bool(is_judged[row])),
            )
            for row in order.tolist()
            if strength[row] > 0
        ]
    return sorted(rows, key=lambda s: (-round(s.effect, 12), s.chunk, s.pair))


def best(
    candidates: Sequence[Discrimination], limit: int, weight: Mapping[tuple[str, str], float] | None = None
) -> list[Discrimination]:
    """Choose the ``limit`` passages with the most effect, each once: those of every pair in turn.

    So none is favoured by lying nearest to most or by what the judge finds easy. Of a single pair those for the one and
    for the other come in turn. A pair of half the ``weight`` has half as many turns.
    """
    single = len({candidate.pair for candidate in candidates}) == 1
    by_turn: dict[tuple[str, ...], list[Discrimination]] = {}
    for candidate in candidates:
        by_turn.setdefault((candidate.leans,) if single else candidate.pair, []).append(candidate)
    waiting = {key: iter(ones) for key, ones in by_turn.items()}
    share = weight or {}
    used_chunks: set[int] = set()
    selection: list[Discrimination] = []
    turns: list[tuple[float, float, int, tuple[str, ...], int, Discrimination]] = []

    def queue(key: tuple[str, ...], turn: int) -> None:
        candidate = next((candidate for candidate in waiting[key] if candidate.chunk not in used_chunks), None)
        if candidate is not None:
            heappush(
                turns,
                (
                    turn / share.get(candidate.pair, 1.0),
                    -round(candidate.effect, 12),
                    candidate.chunk,
                    key,
                    turn,
                    candidate,
                ),
            )

    for key in waiting:
        queue(key, 1)
    while turns and len(selection) < limit:
        *_, key, turn, candidate = heappop(turns)
        if candidate.chunk in used_chunks:  # another pair had it since
            queue(key, turn)
        else:
            used_chunks.add(candidate.chunk)
            selection.append(candidate)
            queue(key, turn + 1)
    return selection


def penalties_of(matrix: Matrix, rule: str) -> dict[str, float] | None:
    """Return the penalties of a matrix under a rule, for those hypotheses on which something bears.

    None if nothing leads, as then no row more could say who would.
    """
    if not matrix.leaders.get(rule):
        return None
    scores = matrix.scores.get(rule, {})
    penalties = {h: scores[h] for h in matrix.hypotheses if h in scores and h not in matrix.untested}
    return penalties or None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The change in the matrix were a passage a row of it, rated with ``ratings``.

    Who would lead, and which hypotheses would have another rank, as (hypothesis, rank now, rank then).
    """

    ratings: tuple[tuple[str, Rating], ...]
    before: tuple[str, ...]
    leaders: tuple[str, ...]
    moved: tuple[tuple[str, int, int], ...]

    @property
    def changes_lead(self) -> bool:
        """Return whether others would lead than lead now."""
        return self.leaders != self.before


def outcome(
    hypotheses: Sequence[str],
    penalties: Mapping[str, float],
    ratings: Mapping[str, Rating],
    cost: Mapping[Rating, float],
    rank: Callable[[Mapping[str, float]], Mapping[str, int]],
) -> Outcome:
    """Rank with one row more of the usual weight.

    ``penalties`` are those of hypotheses on which something bears, ``cost`` that of each rating, ``rank`` ranks as the
    matrix does. A hypothesis on which nothing bears is last.
    """
    then = dict(penalties)
    for h in hypotheses:
        if ratings.get(h, "NA") != "NA":
            then[h] = penalties.get(h, 0.0) + cost.get(ratings[h], 0.0)
    places = []
    for costs in (penalties, then):
        ranks = rank(costs)
        places.append({h: ranks.get(h, len(costs) + 1) for h in hypotheses})
    now, after = places
    return Outcome(
        tuple((h, ratings[h]) for h in hypotheses if h in ratings),
        tuple(h for h in hypotheses if h in penalties and now[h] == 1),
        tuple(h for h in hypotheses if h in then and after[h] == 1),
        tuple((h, now[h], after[h]) for h in hypotheses if now[h] != after[h]),
    )
