"""Several analysts side by side: one cell for the group, how far they disagree, and one coherent aggregate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from core.domain import Dispute, Group, Opinion, Rating
from core.matrix.coverage import compare
from core.matrix.rules import STEPS, Row, leaders, log_posteriors, natural, posteriors, tabulate, weighted_inconsistency

# F7 of OSACH. Its NA counted as 0 there; here it is no value at all.
_OPINION: dict[Rating, float] = {"II": -2.0, "I": -1.5, "N": 0.0, "C": 1.5, "CC": 2.0}
# Upper ends of the levels of dispute, by the population standard deviation.
_LEVELS = ((0.25, "consensus"), (1.0, "mild"), (1.74, "large"), (math.inf, "extreme"))


def group_rating(ratings: Sequence[Rating]) -> Rating:
    """Return one rating for several, at least one.

    NA where more than half say NA, else the median of CC-C-N-I-II of the others; of two middle ones the one nearer N,
    and N itself when they lie on both sides of it.
    """
    values = sorted(STEPS.index(rating) for rating in ratings if rating != "NA")
    if 2 * len(values) < len(ratings):
        return "NA"
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    neutral = STEPS.index("N")
    if low <= neutral <= high:
        return "N"
    return STEPS[high if high < neutral else low]


def group_words(ratings: Sequence[Rating]) -> str:
    """Word the one rating for several and where it comes from.

    'I (2 of 3)', or 'N, the middle of CC and II' where fewer than half gave it.
    """
    middle = group_rating(ratings)
    steps = sorted({rating for rating in ratings if rating != "NA"}, key=STEPS.index)
    if 2 * ratings.count(middle) > len(ratings) or len(steps) == 1:
        return f"{middle} ({ratings.count(middle)} of {len(ratings)})"
    return f"{middle}, the middle of {', '.join(steps[:-1])} and {steps[-1]}"


def dispute(ratings: Mapping[str, Rating]) -> tuple[str, float, bool]:
    """Measure how far people (keys) disagree on a cell: (level, deviation, bearing).

    F7, OSACH: population standard deviation of II -2, I -1.5, N 0, C 1.5, CC 2; at most .25 is consensus, 1.0 mild,
    1.74 large, else extreme. NA is left out (OSACH reads it as 0); ``bearing`` is False where some say NA and others do
    not. Source: getGroupRating and getStDev of OSACH's functions.php.
    """
    values = [_OPINION[rating] for rating in ratings.values() if rating != "NA"]
    deviation = 0.0
    if values:
        mean = math.fsum(values) / len(values)
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    level = next(name for limit, name in _LEVELS if deviation <= limit)
    return level, deviation, len(values) in (0, len(ratings))


def coherent(values: Sequence[float]) -> list[float]:
    """Return the probabilities nearest to ``values`` (Euclid) that sum to 1, none below 0: F21, coherentisation.

    Projection onto the simplex: subtract one number from all, cut at 0. Sources: Mandel, Karvetski and Dhami 2018 for
    the use, Held, Wolfe and Crowder 1974 for the method. An empty list stays empty.
    """
    total, shift = 0.0, 0.0
    for count, value in enumerate(sorted(values, reverse=True), start=1):
        total += value
        if value - (total - 1.0) / count > 0:
            shift = (total - 1.0) / count
    cut_values = [max(0.0, value - shift) for value in values]
    mass = math.fsum(cut_values)
    return [value / mass for value in cut_values]


def group(
    hypotheses: Sequence[str], by: Mapping[str, Sequence[Row]], likelihoods: Mapping[str, Mapping[str, float]]
) -> Group:
    """Gather everyone's opinion, the disputed cells, the plain mean and the coherent aggregate.

    ``by`` has each person's own rows, ``likelihoods`` those (0..1) that a person stated, each for itself, so that they
    need not sum to 1. What somebody left unstated is read from their ratings (F13). The ``mean`` is that of the values
    as given; the ``aggregate`` first makes each person coherent (F21), then takes the mean, everyone alike: the one
    treatment of ACH judgements with a measured benefit (61 % less absolute error; Mandel, Karvetski and Dhami 2018).
    Who has neither rated nor stated anything is shown, but counts in neither.
    """
    hypotheses = tuple(hypotheses)
    opinions: list[Opinion] = []
    values_of_people: list[list[float]] = []
    coherent_values: list[list[float]] = []
    for person in sorted({*by, *likelihoods}, key=natural):
        table = tabulate(hypotheses, by.get(person, ()))
        read = dict(zip(table.hypotheses, posteriors(log_posteriors(table, None)), strict=True))
        cell_count = sum(len(column) - column.count(0) for column in table.columns)
        stated = {h: value for h, value in likelihoods.get(person, {}).items() if h in read}
        values = [stated.get(h, read[h]) for h in hypotheses]
        coherent_opinion = coherent(values)
        costs = zip(table.hypotheses, weighted_inconsistency(table), table.bearing, strict=True)
        comparison = compare(table)
        leading = leaders({h: cost for h, cost, bearing in costs if bearing})
        opinions.append(
            Opinion(
                by=person,
                read={h: read[h] for h in hypotheses},
                coherent=dict(zip(hypotheses, coherent_opinion, strict=True)),
                stated=stated or None,
                leaders=leading if comparison.state == "complete" else (),
                rated=cell_count,
                comparison=comparison,
            )
        )
        if cell_count or stated:
            values_of_people.append(values)
            coherent_values.append(coherent_opinion)
    return Group(
        opinions=tuple(opinions),
        disputes=_disputes(hypotheses, by),
        mean=_mean(hypotheses, values_of_people),
        aggregate=_mean(hypotheses, coherent_values),
    )


def _mean(hypotheses: Sequence[str], values: Sequence[Sequence[float]]) -> dict[str, float]:
    if not values:
        return {}
    return {h: math.fsum(column) / len(values) for h, column in zip(hypotheses, zip(*values, strict=True), strict=True)}


def _disputes(hypotheses: Sequence[str], by: Mapping[str, Sequence[Row]]) -> tuple[Dispute, ...]:
    """List every cell with two raters or more, most disputed first."""
    cells: dict[tuple[str, str], dict[str, Rating]] = {}
    for person in sorted(by, key=natural):
        for row in by[person]:
            for h in hypotheses:
                if h in row.ratings:
                    cells.setdefault((row.id, h), {})[person] = row.ratings[h]
    by_ratings: dict[tuple[Rating, ...], tuple[Rating, str, float, bool]] = {}  # the same ratings come again and again
    disputes = []
    for (evidence, h), ratings in cells.items():
        if len(ratings) > 1:
            all_ratings = tuple(ratings.values())
            if all_ratings not in by_ratings:
                by_ratings[all_ratings] = (group_rating(all_ratings), *dispute(ratings))
            disputes.append(Dispute(evidence, h, ratings, *by_ratings[all_ratings]))
    disputes.sort(key=lambda cell: (-cell.deviation, cell.bearing, natural(cell.evidence), natural(cell.hypothesis)))
    return tuple(disputes)
