"""One row's worth, the scores of the hypotheses under each rule, ranks and ties.

Every formula of the arithmetic is here, with its source. The rules read a ``Table``: the ratings as columns of one
byte a cell, so that thousands of rows are counted at the speed of the interpreter's own loops.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul

from core.domain import GRADE_WEIGHTS, Level, Rating
from core.errors import BadInput, BadRating

PENALTY: dict[Rating, int] = {"CC": 0, "C": 0, "N": 0, "I": 1, "II": 2, "NA": 0}
LEVEL: dict[Level, float] = {"L": 1 / math.sqrt(2), "M": 1.0, "H": math.sqrt(2)}
LIKELIHOOD: dict[Rating, float] = {"CC": 0.95, "C": 0.80, "N": 0.50, "I": 0.20, "II": 0.05, "NA": 0.50}
# Value of a cell when rows are compared; NA has none, because a cell that does not bear cannot discriminate.
VALUE: dict[Rating, int] = {"CC": -2, "C": -1, "N": 0, "I": 1, "II": 2}
STEPS: tuple[Rating, ...] = ("CC", "C", "N", "I", "II")

# Sums are exact (fsum), but a product such as High x Low is 1 only up to rounding.
ROUNDING = 1e-9

# A cell as a byte: 0 unrated, 1..5 the steps CC..II, 6 NA.
NAMES: tuple[Rating | None, ...] = (None, *STEPS, "NA")
CODE: dict[object, int] = {name: code for code, name in enumerate(NAMES)}


def by_code(values: Mapping[Rating, int]) -> bytes:
    """Make a table for bytes.translate that turns codes into small numbers; what has no value becomes 0."""
    return bytes(values.get(name, 0) if name else 0 for name in NAMES).ljust(256, b"\0")


PENALTIES = by_code(PENALTY)
_SQUARES = by_code({"I": 1, "II": 4})
_AGAINST = by_code({"I": 1, "II": 1})
_RATED = by_code(dict.fromkeys((*STEPS, "NA"), 1))
_LOGS = tuple(math.log(LIKELIHOOD[name]) if name else 0.0 for name in NAMES)


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of evidence as the rules see it. ``ratings`` holds rated cells only.

    ``weight`` overrides the product of the two levels; ``source`` says where the evidence comes from, so that a
    conclusion that rests on one source can be told. Rows that share an ``upstream`` that is not empty form a cluster,
    which counts once. ``reliability`` is the Admiralty grade of the source (A-F, '' not given). ``marks`` are flags
    that the rules cannot see for themselves ('stale', 'superseded', 'unchecked', 'hidden', 'conflict').
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
    """Return the weight of a row in F2, with Admiralty grades read by the table ``weights`` (grade -> factor).

    c(relevance) * c(credibility). A Low, Medium or High for credibility stands; else it is the geometric mean of the
    factors of ``reliability`` (A-E) and ``information`` (1-5) that are given and judged. F and 6 say that nothing can
    be judged: they have no factor and are missing, never worst. Nothing given counts as Medium. The mapping is our own
    decision; the two grades are independent judgements.
    """
    if credibility is not None:
        factor = LEVEL[credibility]
    else:
        factors = [weights[grade] for grade in (reliability, information) if grade in weights and grade not in "F6"]
        factor = math.prod(factors) ** (1 / len(factors)) if factors else 1.0
    return factor * LEVEL[relevance or "M"]


def diagnosticity(ratings: Iterable[Rating]) -> float | None:
    """Return the population standard deviation of CC -2 .. II +2, NA excluded (after F8); None under two cells.

    A row that says the same about every hypothesis has 0, whichever way it points: it does not help to choose.
    """
    return separation(bytes(CODE[rating] for rating in ratings))[0]


def spread(ratings: Iterable[Rating]) -> float | None:
    """Return the largest minus the smallest of CC -2 .. II +2, NA excluded (F12); None under two cells."""
    return separation(bytes(CODE[rating] for rating in ratings))[1]


def between(ratings: Mapping[str, Rating], rivals: Sequence[str]) -> float | None:
    """Measure how far a row separates chosen rivals, by its spread over them alone.

    So a hypothesis that is out of the race does not make a row look decisive.
    """
    return spread(ratings[rival] for rival in rivals if rival in ratings)


def separation(line: bytes) -> tuple[float | None, float | None]:
    """Return ``diagnosticity`` and ``spread`` of a row of codes.

    In whole numbers up to the root: n * sum v^2 - (sum v)^2.
    """
    counts = [(value, line.count(code)) for code, value in enumerate((-2, -1, 0, 1, 2), start=1)]
    number = sum(count for _, count in counts)
    if number < 2:
        return None, None
    total = sum(value * count for value, count in counts)
    squares = sum(value * value * count for value, count in counts)
    counted = [value for value, count in counts if count]
    return math.sqrt(number * squares - total * total) / number, float(counted[-1] - counted[0])


# --- the ratings as columns ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """The table that the rules read.

    Hypotheses and rows are in the natural order of their ids, whatever order they came in, so that no sum and no list
    depends on it. ``lines`` has the codes of each row, ``columns`` those of each hypothesis; ``bearing`` counts the
    cells of a column that are rated and not NA. ``clusters`` are the positions of rows with one upstream (two or more).
    ``shares`` is 1 for a row that is alone, else 1 / the number of rows of its cluster that bear on something: a
    copy which nobody has rated yet takes nothing away. ``counting`` is weight * share.
    """

    hypotheses: tuple[str, ...]
    rows: tuple[Row, ...]
    lines: tuple[bytes, ...]
    columns: tuple[bytes, ...]
    bearing: tuple[int, ...]
    weights: tuple[float, ...]
    shares: tuple[float, ...]
    counting: tuple[float, ...]
    clusters: tuple[tuple[int, ...], ...]


def tabulate(hypotheses: Iterable[str], rows: Iterable[Row]) -> Table:
    """Make the table of ``rows``; ratings of other hypotheses are left out.

    Raises BadInput for repeated ids and for weights below 0 or not finite, BadRating for an unknown rating.
    """
    names = tuple(sorted(hypotheses, key=natural))
    in_order = tuple(sorted(rows, key=lambda row: natural(row.id)))
    _refuse_repeats("hypothesis", names)
    _refuse_repeats("piece of evidence", [row.id for row in in_order])
    weights = tuple(map(weight, in_order))
    for row, value in zip(in_order, weights, strict=True):
        if not 0 <= value < math.inf:
            raise BadInput(
                reason=f"The weight of {row.id} is not a number of 0 or more.",
                remedy="Correct the weight, or leave it out.",
            )
    lines = tuple(_line(row, names) for row in in_order)
    all_codes = b"".join(lines)
    columns = tuple(all_codes[index :: len(names)] for index in range(len(names)))
    together: dict[str, list[int]] = {}
    for index, row in enumerate(in_order):
        if row.upstream:
            together.setdefault(row.upstream, []).append(index)
    clusters = tuple(tuple(members) for members in together.values() if len(members) > 1)
    shares = [1.0] * len(in_order)
    for members in clusters:
        size = sum(bears(lines[index]) for index in members) or len(members)
        for index in members:
            shares[index] = 1 / size
    return Table(
        hypotheses=names,
        rows=in_order,
        lines=lines,
        columns=columns,
        bearing=tuple(len(in_order) - column.count(0) - column.count(6) for column in columns),
        weights=weights,
        shares=tuple(shares),
        counting=tuple(map(mul, weights, shares)),
        clusters=tuple(sorted(clusters)),
    )


def bears(line: bytes) -> bool:
    """Return whether a row of codes has a rating that is not NA."""
    return line.count(0) + line.count(6) < len(line)


def _line(row: Row, hypotheses: Sequence[str]) -> bytes:
    cells = map(row.ratings.get, hypotheses)
    try:
        return bytes(map(CODE.__getitem__, cells))
    except (KeyError, TypeError):
        unknown = next(rating for h in hypotheses if (rating := row.ratings.get(h)) not in NAMES)
        raise BadRating(value=unknown) from None


def _refuse_repeats(kind: str, ids: Sequence[str]) -> None:
    repeats = [id for id, times in Counter(ids).items() if times > 1]
    if repeats:
        raise BadInput(reason=f"There is more than one {kind} '{repeats[0]}'.", remedy="Give each its own id.")


# --- scores of the hypotheses: one number a column, in the order of the table ----------------------------------------


def inconsistency_count(table: Table) -> list[float]:
    """Score by F1, PARC's inconsistency count: IC(h) = sum over rows of p(rating), p(I) = 1, p(II) = 2, others 0.

    Printed by PARC as a negative number; positive here. Smaller is better. Source: help of the ACH tool of Burton.
    """
    return _counts(table, PENALTIES)


def weighted_inconsistency(table: Table) -> list[float]:
    """Score by F2, PARC's weighted inconsistency, the default.

    WIC(h) = sum of p(rating) * c(credibility) * c(relevance). Smaller is better. Consistency never counts, by design.
    Source: IARPA Good Judgment thread 2677 and the PARC weights of the ACH template v0.4 (its successor v0.6 doubles II
    twice and must not be followed).
    """
    return [math.fsum(map(mul, table.counting, column.translate(PENALTIES))) for column in table.columns]


def open_synthesis(table: Table) -> list[float]:
    """Score by F8, Open Synthesis: sum of (3 - x)^2 where x < 3 on the scale CC 5, C 4, N and NA 3, I 2, II 1.

    With one rater I adds 1 and II adds 4; credibility does not enter. Smaller is better. Source: openach/metrics.py.
    """
    return _counts(table, _SQUARES)


def arkham_count(table: Table) -> list[float]:
    """Score by F9, first sort key of ArkhamMirror: the number of cells rated I or II. For comparison only.

    Its weighted second key is left out: it would break ties by confirmation. Source: scoring.py of ArkhamMirror.
    """
    return _counts(table, _AGAINST)


def bayes(
    hypotheses: Sequence[str], rows: Sequence[Row], *, priors: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Score by F13, the Bayes reading: posterior proportional to prior * product of L(rating)^weight.

    Rows are taken as independent. L: CC .95, C .80, N and NA .50, I .20, II .05; equal priors unless given. Larger is
    better. A cell adds log L minus the mean of its row; the mean runs over the rated cells, so that an unrated cell
    moves nothing (an L of 1 would favour silence). Source: Schiller, toddschiller.com/artifacts/ach-bayesian. Raises
    BadInput for unusable priors.
    """
    table = tabulate(hypotheses, rows)
    result = dict(zip(table.hypotheses, posteriors(log_posteriors(table, priors)), strict=True))
    return {h: result[h] for h in hypotheses}


def log_posteriors(table: Table, priors: Mapping[str, float] | None) -> list[float]:
    """Return logarithms of the posteriors, up to a constant.

    Ranks are made of these: tiny posteriors all print as 0, but are not tied.
    """
    prior = _check_priors(table.hypotheses, priors)
    means = map(_mean_log, table.lines)
    less = [-(value * mean) for value, mean in zip(table.counting, means, strict=True)]
    return [
        math.fsum(
            itertools.chain(
                map(mul, table.counting, map(_LOGS.__getitem__, column)), map(mul, less, column.translate(_RATED))
            )
        )
        + math.log(prior[h])
        if prior[h] > 0
        else -math.inf  # a prior of 0 stays 0
        for h, column in zip(table.hypotheses, table.columns, strict=True)
    ]


def posteriors(logs: Sequence[float]) -> list[float]:
    """Return probabilities that sum to 1, from logarithms up to a constant."""
    top = max(logs, default=0.0)
    exponentials = [math.exp(value - top) for value in logs]
    total = math.fsum(exponentials)
    return [value / total for value in exponentials]


def _counts(table: Table, values: bytes) -> list[float]:
    """Sum share * value of the cell; without clusters every share is 1."""
    if not table.clusters:
        return [float(sum(column.translate(values))) for column in table.columns]
    return [math.fsum(map(mul, table.shares, column.translate(values))) for column in table.columns]


def _mean_log(line: bytes) -> float:
    number = len(line) - line.count(0)
    return math.fsum(map(_LOGS.__getitem__, line)) / number if number else 0.0


def _check_priors(hypotheses: Sequence[str], priors: Mapping[str, float] | None) -> dict[str, float]:
    if priors is None:
        return dict.fromkeys(hypotheses, 1.0)
    values = {h: priors.get(h, math.nan) for h in hypotheses}
    if not all(math.isfinite(value) and value >= 0 for value in values.values()) or not any(values.values()):
        raise BadInput(
            reason="The prior probabilities cannot be used: each hypothesis needs one, 0 or more, not all 0.",
            remedy="Give one number for each hypothesis, or none to treat them alike.",
        )
    return values


# --- ranks, ties -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def natural(id: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts H2 before H10. No two ids have the same one, so that it settles every order."""
    parts = re.split(r"([0-9]{1,18})", id)
    key = [(0, int(part), "") if "0" <= part[0] <= "9" else (1, 0, part) for part in parts if part]
    return (*key, (-1, 0, id))


def tolerance(*values: float) -> float:
    """Return how far apart two sums may be and still be equal up to rounding."""
    return ROUNDING * max(1.0, *map(abs, values))


def same(a: float, b: float) -> bool:
    """Return whether two costs are equal up to rounding: a tie."""
    return a == b or (math.isfinite(a - b) and abs(a - b) <= tolerance(a, b))


def rank(costs: Mapping[str, float]) -> dict[str, int]:
    """Rank by competition (1, 1, 3), smallest cost first; equal up to rounding is a tie."""
    ranks: dict[str, int] = {}
    first = 0.0
    for place, h in enumerate(sorted(costs, key=lambda h: costs[h]), start=1):
        if place == 1 or not same(costs[h], first):
            first, position = costs[h], place
        ranks[h] = position
    return ranks


def leaders(costs: Mapping[str, float]) -> tuple[str, ...]:
    """List every hypothesis with the smallest cost, in id order."""
    best = min(costs.values(), default=0.0)
    return tuple(sorted((h for h, cost in costs.items() if same(cost, best)), key=natural))
