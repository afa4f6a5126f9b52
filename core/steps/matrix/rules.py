"""The arithmetic of competing hypotheses: rules, ties, what discriminates, and what the conclusion hangs on.

Pure functions on ratings. A cell nobody has rated is a gap: it is counted, it is warned about, and no rule reads it as
a neutral, a 3 or a zero. Rule numbers (F1, F2, ...) are those of the scoring reference: F1 and F2 are PARC's counts, F8
is Open Synthesis, F9 ArkhamMirror, F12 radarist, F13 the Bayes reading of Schiller.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.domain import GRADE_WEIGHTS, Level, Rating
from core.errors import BadInput

PENALTY: dict[Rating, int] = {"CC": 0, "C": 0, "N": 0, "I": 1, "II": 2, "NA": 0}
LEVEL: dict[Level, float] = {"L": 1 / math.sqrt(2), "M": 1.0, "H": math.sqrt(2)}
LIKELIHOOD: dict[Rating, float] = {"CC": 0.95, "C": 0.80, "N": 0.50, "I": 0.20, "II": 0.05, "NA": 0.50}
# Value of a cell when rows are compared; NA has none, because a cell that does not bear cannot discriminate.
VALUE: dict[Rating, int] = {"CC": -2, "C": -1, "N": 0, "I": 1, "II": 2}
STEPS: tuple[Rating, ...] = ("CC", "C", "N", "I", "II")

# Sums are exact (fsum), but a product such as High x Low is 1 only up to rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of evidence as the rules see it. ``ratings`` holds rated cells only.

    ``weight`` overrides the product of the two levels; ``source`` says where the evidence comes from, so that a
    conclusion that rests on one source can be told. Rows that share an ``upstream`` that is not empty form a cluster,
    which counts once. ``reliability`` is the Admiralty grade of the source (A-F, '' not given). ``marks`` are flags
    that the rules cannot see for themselves ('stale', 'superseded').
    """

    id: str
    ratings: Mapping[str, Rating]
    credibility: Level | None = None
    relevance: Level | None = None
    weight: float | None = None
    source: str = ""
    upstream: str = ""
    marks: tuple[str, ...] = ()
    reliability: str = ""


# --- one row ---------------------------------------------------------------------------------------------------------


def weight(row: Row) -> float:
    """c(credibility) * c(relevance) with c(Low) = 1/sqrt 2, c(Medium) = 1, c(High) = sqrt 2 (F2); missing = Medium."""
    if row.weight is not None:
        return row.weight
    return LEVEL[row.credibility or "M"] * LEVEL[row.relevance or "M"]


def graded_weight(
    credibility: Level | None,
    relevance: Level | None,
    reliability: str = "",
    information: str = "",
    weights: Mapping[str, float] = GRADE_WEIGHTS,
) -> float:
    """The weight of a row in F2, with Admiralty grades read by the table ``weights`` (grade -> factor).

    c(relevance) * c(credibility). A Low, Medium or High for credibility stands; else it is the geometric mean of the
    factors of ``reliability`` (A-E) and ``information`` (1-5) that are given and judged. F and 6 say that nothing can
    be judged: they have no factor and are missing, never worst. Nothing given counts as Medium. The mapping is our own
    decision; the two grades are independent judgements (F16).
    """
    if credibility is not None:
        factor = LEVEL[credibility]
    else:
        judged = [weights[grade] for grade in (reliability, information) if grade in weights and grade not in "F6"]
        factor = math.prod(judged) ** (1 / len(judged)) if judged else 1.0
    return factor * LEVEL[relevance or "M"]


def diagnosticity(ratings: Iterable[Rating]) -> float | None:
    """Population standard deviation of CC -2 .. II +2, NA excluded (after F8); None under two cells.

    A row that says the same of every hypothesis has 0, whichever way it points: it does not help to choose.
    """
    values = [VALUE[rating] for rating in ratings if rating != "NA"]
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


def spread(ratings: Iterable[Rating]) -> float | None:
    """Largest minus smallest of CC -2 .. II +2, NA excluded (F12); None under two cells."""
    values = [VALUE[rating] for rating in ratings if rating != "NA"]
    return float(max(values) - min(values)) if len(values) > 1 else None


def between(ratings: Mapping[str, Rating], rivals: Sequence[str]) -> float | None:
    """How far a row separates chosen rivals: its spread over them alone, so that a hypothesis that is out of the race
    does not make a row look decisive."""
    return spread(ratings[rival] for rival in rivals if rival in ratings)


# --- scores of the hypotheses ----------------------------------------------------------------------------------------


def inconsistency_count(hypotheses: Sequence[str], rows: Sequence[Row]) -> dict[str, float]:
    """F1, PARC's inconsistency count: IC(h) = sum over rows of p(rating), p(I) = 1, p(II) = 2, others 0.

    Printed by PARC as a negative number; positive here. Smaller is better. Source: help of the ACH tool of Burton.
    """
    return {h: float(sum(PENALTY[row.ratings[h]] for row in rows if h in row.ratings)) for h in hypotheses}


def weighted_inconsistency(hypotheses: Sequence[str], rows: Sequence[Row]) -> dict[str, float]:
    """F2, PARC's weighted inconsistency, the default: WIC(h) = sum of p(rating) * c(credibility) * c(relevance).

    Smaller is better. Consistency never counts, by design. Source: IARPA Good Judgment thread 2677 and the PARC weights
    of the ACH template v0.4 (its successor v0.6 doubles II twice and must not be followed).
    """
    return {h: math.fsum(weight(row) * PENALTY[row.ratings[h]] for row in rows if h in row.ratings) for h in hypotheses}


def open_synthesis(hypotheses: Sequence[str], rows: Sequence[Row]) -> dict[str, float]:
    """F8, Open Synthesis: sum of (3 - x)^2 where x < 3 on the scale CC 5, C 4, N and NA 3, I 2, II 1.

    With one rater I adds 1 and II adds 4; credibility does not enter. Smaller is better. Source: openach/metrics.py.
    """
    return {h: float(sum(PENALTY[row.ratings[h]] ** 2 for row in rows if h in row.ratings)) for h in hypotheses}


def open_synthesis_order(hypothesis: str, rows: Sequence[Row]) -> tuple[float, float, float, float]:
    """F8's sort key (inconsistency, -consistency, share of NA, share unrated).

    It orders the display inside a tie and never names a winner. Source: openach/metrics.py.
    """
    ratings = [row.ratings[hypothesis] for row in rows if hypothesis in row.ratings]
    against = sum(PENALTY[rating] ** 2 for rating in ratings)
    in_favour = sum({"C": 1, "CC": 4}.get(rating, 0) for rating in ratings)
    total = max(1, len(rows))
    return (float(against), -float(in_favour), ratings.count("NA") / total, 1 - len(ratings) / total)


def arkham_count(hypotheses: Sequence[str], rows: Sequence[Row]) -> dict[str, float]:
    """F9, first sort key of ArkhamMirror: the number of cells rated I or II. For comparison only.

    Its weighted second key is left out: it would break ties by confirmation. Source: scoring.py of ArkhamMirror.
    """
    return {h: float(sum(PENALTY[row.ratings[h]] > 0 for row in rows if h in row.ratings)) for h in hypotheses}


def bayes(
    hypotheses: Sequence[str], rows: Sequence[Row], *, priors: Mapping[str, float] | None = None
) -> dict[str, float]:
    """F13, the Bayes reading: posterior proportional to prior * product of L(rating)^weight, rows taken as independent.

    L: CC .95, C .80, N and NA .50, I .20, II .05; equal priors unless given. Larger is better. A cell adds log L minus
    the mean of its row; the mean runs over the rated cells, so that an unrated cell moves nothing (an L of 1 would
    favour silence). Source: Schiller, toddschiller.com/artifacts/ach-bayesian.
    """
    logs = log_posteriors(hypotheses, rows, priors)
    top = max(logs.values(), default=0.0)
    raised = {h: math.exp(value - top) for h, value in logs.items()}
    total = math.fsum(raised.values())
    return {h: value / total for h, value in raised.items()}


def log_posteriors(
    hypotheses: Sequence[str], rows: Sequence[Row], priors: Mapping[str, float] | None
) -> dict[str, float]:
    """Logarithms up to a constant. Ranks are made of these: tiny posteriors all print as 0, but are not tied."""
    prior = _checked_priors(hypotheses, priors)
    parts: dict[str, list[float]] = {h: [] for h in hypotheses}
    for row in rows:
        logs = {h: math.log(LIKELIHOOD[row.ratings[h]]) for h in hypotheses if h in row.ratings}
        if len(logs) < 2:
            continue
        mean = math.fsum(logs.values()) / len(logs)
        for h, value in logs.items():
            parts[h].append(weight(row) * (value - mean))
    return {
        h: math.fsum(parts[h]) + math.log(prior[h]) if prior[h] > 0 else -math.inf  # a prior of 0 stays 0
        for h in hypotheses
    }


def _checked_priors(hypotheses: Sequence[str], priors: Mapping[str, float] | None) -> dict[str, float]:
    if priors is None:
        return dict.fromkeys(hypotheses, 1.0)
    values = {h: priors.get(h, math.nan) for h in hypotheses}
    if not all(math.isfinite(value) and value >= 0 for value in values.values()) or not any(values.values()):
        raise BadInput(
            reason="The prior probabilities cannot be used: each hypothesis needs one, 0 or more, not all 0.",
            remedy="Give one number for each hypothesis, or none to treat them alike.",
        )
    return values


SCORES: dict[str, Callable[[Sequence[str], Sequence[Row]], dict[str, float]]] = {
    "weighted_inconsistency": weighted_inconsistency,
    "inconsistency_count": inconsistency_count,
    "open_synthesis": open_synthesis,
    "arkham_count": arkham_count,
}


# --- ranks, ties -----------------------------------------------------------------------------------------------------


def natural(id: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts H2 before H10."""
    parts = re.split(r"([0-9]+)", id)
    return tuple((0, int(part), "") if part[:1].isdigit() else (1, 0, part) for part in parts if part)


def same(a: float, b: float) -> bool:
    return a == b or (math.isfinite(a - b) and abs(a - b) <= _ROUNDING * max(1.0, abs(a), abs(b)))


def rank(costs: Mapping[str, float]) -> dict[str, int]:
    """Competition ranks (1, 1, 3), smallest cost first; equal up to rounding is a tie."""
    ranks: dict[str, int] = {}
    first = 0.0
    for place, h in enumerate(sorted(costs, key=lambda h: costs[h]), start=1):
        if place == 1 or not same(costs[h], first):
            first, position = costs[h], place
        ranks[h] = position
    return ranks


def leaders(costs: Mapping[str, float]) -> tuple[str, ...]:
    """Every hypothesis with the smallest cost, in id order."""
    best = min(costs.values(), default=0.0)
    return tuple(sorted((h for h, cost in costs.items() if same(cost, best)), key=natural))
