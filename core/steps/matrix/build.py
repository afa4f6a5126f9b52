"""The whole matrix."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain import DEFAULT_RULE, RULES, Matrix, MatrixRow
from core.errors import BadInput
from core.steps.matrix.linchpins import linchpins as find_linchpins
from core.steps.matrix.rules import (
    PENALTY,
    SCORES,
    Row,
    bayes,
    diagnosticity,
    log_posteriors,
    natural,
    open_synthesis_order,
    rank,
    same,
    spread,
    weight,
)
from core.steps.matrix.rules import leaders as leaders_of
from core.steps.matrix.words import both, count, figure, outcome


@dataclass(frozen=True, slots=True)
class Robustness:
    """``word`` is 'agree', 'differ' or 'none' (nothing leads); ``sentence`` says which rules and how."""

    word: str
    sentence: str


def build(hypotheses: Sequence[str], rows: Sequence[Row], *, priors: Mapping[str, float] | None = None) -> Matrix:
    """Score, rank and examine ``rows`` against ``hypotheses`` (ids, in the order of the columns).

    Ratings of hypotheses that are not listed are ignored. A hypothesis on which nothing bears (unrated or NA
    throughout) stands last and cannot lead: silence is not support. Raises BadInput for repeated ids and for unusable
    weights or priors.
    """
    hypotheses = tuple(hypotheses)
    _refuse_repeats("hypothesis", hypotheses)
    _refuse_repeats("piece of evidence", [row.id for row in rows])
    known = set(hypotheses)
    rows = [replace(row, ratings={h: r for h, r in row.ratings.items() if h in known}) for row in rows]
    for row in rows:
        if not (math.isfinite(weight(row)) and weight(row) >= 0):
            raise BadInput(
                reason=f"The weight of {row.id} is not a number of 0 or more.",
                remedy="Correct the weight, or leave it out.",
            )

    bearing = Counter(h for row in rows for h, rating in row.ratings.items() if rating != "NA")
    tested = [h for h in hypotheses if bearing[h]]
    untested = tuple(sorted((h for h in hypotheses if not bearing[h]), key=natural))

    costs = {rule: score(hypotheses, rows) for rule, score in SCORES.items()}
    costs["bayes"] = {h: -value for h, value in log_posteriors(hypotheses, rows, priors).items()}
    scores = {rule: {h: round(value, 12) for h, value in costs[rule].items()} for rule in SCORES}
    scores["bayes"] = bayes(hypotheses, rows, priors=priors)
    ranks: dict[str, dict[str, int]] = {}
    leaders: dict[str, tuple[str, ...]] = {}
    for rule in RULES:
        of_tested = {h: costs[rule][h] for h in tested}
        places = rank(of_tested)
        ranks[rule] = {h: places.get(h, len(tested) + 1) for h in hypotheses}
        leaders[rule] = leaders_of(of_tested)
    order = sorted(hypotheses, key=lambda h: (ranks[DEFAULT_RULE][h], open_synthesis_order(h, rows), natural(h)))

    linchpins = find_linchpins(tested, rows, bearing, costs[DEFAULT_RULE])
    hanging = {linchpin.evidence for linchpin in linchpins if linchpin.change == "remove"}
    scored = tuple(
        MatrixRow(
            id=row.id,
            ratings={h: row.ratings[h] for h in hypotheses if h in row.ratings},
            weight=weight(row),
            diagnosticity=diagnosticity(row.ratings.values()),
            spread=spread(row.ratings.values()),
            flags=_flags(row, hypotheses, row.id in hanging),
        )
        for row in rows
    )
    matrix = Matrix(
        hypotheses=hypotheses,
        rows=scored,
        scores={rule: scores[rule] for rule in RULES},
        ranks=ranks,
        leaders=leaders,
        linchpins=linchpins,
        unrated=sum(len(hypotheses) - len(row.ratings) for row in scored),
        rules_agree=len(set(leaders.values())) == 1,
        order=tuple(order),
        untested=untested,
    )
    return replace(matrix, warnings=tuple(_warnings(matrix, rows)))


def _refuse_repeats(kind: str, ids: Sequence[str]) -> None:
    repeated = [id for id, times in Counter(ids).items() if times > 1]
    if repeated:
        raise BadInput(reason=f"There is more than one {kind} '{repeated[0]}'.", remedy="Give each its own id.")


def _flags(row: Row, hypotheses: Sequence[str], linchpin: bool) -> tuple[str, ...]:
    """What the analyst should know of a row (F12). The 'all' flags and 'uniform' need every cell rated."""
    flags = []
    found = set(row.ratings.values())
    if hypotheses and len(row.ratings) == len(hypotheses):
        for flag, those in (("all_NA", {"NA"}), ("all_C", {"C", "CC"}), ("all_N", {"N"}), ("all_I", {"I", "II"})):
            if found <= those:
                flags.append(flag)
        if spread(row.ratings.values()) == 0:
            flags.append("uniform")
    elif hypotheses:
        flags.append("unrated")
    if linchpin:
        flags.append("linchpin")
    return tuple(flags)


def robustness(matrix: Matrix) -> Robustness:
    """Whether the leaders are the same under every rule, and if not, which rules say what."""
    if not matrix.leaders.get(DEFAULT_RULE):
        return Robustness("none", "No hypothesis leads under any rule.")
    groups: dict[tuple[str, ...], list[str]] = {}
    for rule, leaders in matrix.leaders.items():
        groups.setdefault(leaders, []).append(RULES[rule])
    if len(groups) == 1:
        (leaders,) = groups
        return Robustness("agree", f"All {len(matrix.leaders)} rules agree: {outcome(leaders)}.")
    says = [f"{outcome(leaders)} under {both(rules)}" for leaders, rules in groups.items()]
    return Robustness("differ", f"The conclusion depends on the scoring rule: {'; '.join(says)}.")


def _warnings(matrix: Matrix, rows: Sequence[Row]) -> Iterable[str]:
    """What a reader must know before trusting the ranking, gravest first."""
    if not matrix.hypotheses:
        yield "There is no hypothesis yet."
        return
    leaders = matrix.leaders[DEFAULT_RULE]
    rated = any(row.ratings for row in rows)
    if not rows:
        yield "There is no evidence yet and nothing is rated yet, so no hypothesis leads."
        return
    if not rated:
        yield f"Nothing is rated yet ({count(matrix.unrated, 'cell is', 'cells are')} open), so no hypothesis leads."
        return
    if not leaders:
        yield "Every rated cell is NA: nothing bears on any hypothesis, so no hypothesis leads."
    if len(matrix.hypotheses) == 1:
        yield f"{matrix.hypotheses[0]} has no rival, so there is nothing to compare it with."
    if len(leaders) > 1:
        score = figure(matrix.scores[DEFAULT_RULE][leaders[0]])
        each = "both have" if len(leaders) == 2 else "each has"
        yield f"{both(leaders)} cannot be separated: {each} a weighted inconsistency of {score}."
    if matrix.unrated:
        cells = len(rows) * len(matrix.hypotheses)
        of = f"{matrix.unrated} of {count(cells, 'cell', 'cells')} {'is' if matrix.unrated == 1 else 'are'} unrated"
        yield f"{of}; an unrated cell counts for nothing, neither for nor against."
    if matrix.untested and leaders:
        one = len(matrix.untested) == 1
        yield (
            f"Nothing rated bears on {both(matrix.untested)}, so {'it stands' if one else 'they stand'} last and "
            "cannot lead: silence is not support."
        )
    yield from _silence(matrix, leaders)
    light = robustness(matrix)
    if light.word == "differ":
        yield light.sentence
    hanging = [row.id for row in matrix.rows if "linchpin" in row.flags]
    if len(hanging) == 1:
        without = next(pin.leaders for pin in matrix.linchpins if pin.change == "remove")
        yield f"The conclusion hangs on {hanging[0]}: without it, {outcome(without)}."
    elif hanging:
        yield f"The conclusion hangs on {both(hanging)}: removing any one of them changes who leads."
    spared = [
        h
        for h in matrix.hypotheses
        if h not in matrix.untested and not any(PENALTY[row.ratings.get(h, "NA")] for row in rows)
    ]
    if spared:
        yield (
            f"Nothing is rated against {both(spared)}; look for evidence that would speak against "
            f"{'it' if len(spared) == 1 else 'them'} before trusting the rank."
        )
    yield from _one_source(matrix, rows)
    against_all = [row.id for row in matrix.rows if "all_I" in row.flags]
    if against_all and len(matrix.hypotheses) > 1:
        yield (
            f"{both(against_all)} {'speaks' if len(against_all) == 1 else 'speak'} against every hypothesis: challenge "
            "the evidence, or add the hypothesis that is missing."
        )
    nowhere = [row.id for row in matrix.rows if "all_NA" in row.flags]
    if nowhere:
        yield f"{both(nowhere)} {'bears' if len(nowhere) == 1 else 'bear'} on no hypothesis."


def _silence(matrix: Matrix, leaders: Sequence[str]) -> Iterable[str]:
    """Leaders whose open cells could still undo the result, were the evidence to speak against them."""
    rivals = [h for h in matrix.hypotheses if h not in leaders and h not in matrix.untested]
    scores = matrix.scores[DEFAULT_RULE]
    next_best = min((scores[h] for h in rivals), default=math.inf)
    for h in leaders:
        open_rows = [row for row in matrix.rows if h not in row.ratings and row.weight > 0]
        worst = scores[h] + math.fsum(2 * row.weight for row in open_rows)
        if open_rows and (len(leaders) > 1 or worst >= next_best or same(worst, next_best)):
            which, it = both([row.id for row in open_rows]), "this" if len(open_rows) == 1 else "these"
            yield f"{h} has no rating for {which}; rated against it, {it} could undo its lead."


def _one_source(matrix: Matrix, rows: Sequence[Row]) -> Iterable[str]:
    """Conclusions that two or more rows carry but one source wrote."""
    bearing = [row for row in rows if any(rating != "NA" for rating in row.ratings.values())]
    sources = {row.source for row in bearing}
    if len(bearing) > 1 and len(sources) == 1 and "" not in sources:
        yield f"Everything rests on one source: {bearing[0].source}."
        return
    for h in matrix.hypotheses:
        against = [row for row in rows if PENALTY[row.ratings.get(h, "NA")]]
        if len(against) > 1 and len({row.source for row in against}) == 1 and against[0].source:
            yield f"All that speaks against {h} comes from one source: {against[0].source}."
