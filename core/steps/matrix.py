"""The arithmetic of competing hypotheses: rules, ties, what discriminates, and what the conclusion hangs on.

Pure functions on ratings. A cell nobody has rated is a gap: it is counted, it is warned about, and no rule reads it as
a neutral, a 3 or a zero. Rule numbers (F1, F2, ...) are those of the scoring reference: F1 and F2 are PARC's counts, F8
is Open Synthesis, F9 ArkhamMirror, F12 radarist, F13 the Bayes reading of Schiller.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain import DEFAULT_RULE, RATINGS, RULES, Level, Linchpin, Matrix, MatrixRow, Rating
from core.errors import BadInput, BadRating

PENALTY: dict[Rating, int] = {"CC": 0, "C": 0, "N": 0, "I": 1, "II": 2, "NA": 0}
LEVEL: dict[Level, float] = {"L": 1 / math.sqrt(2), "M": 1.0, "H": math.sqrt(2)}
LIKELIHOOD: dict[Rating, float] = {"CC": 0.95, "C": 0.80, "N": 0.50, "I": 0.20, "II": 0.05, "NA": 0.50}
# Value of a cell when rows are compared; NA has none, because a cell that does not bear cannot discriminate.
VALUE: dict[Rating, int] = {"CC": -2, "C": -1, "N": 0, "I": 1, "II": 2}
STEPS: tuple[Rating, ...] = ("CC", "C", "N", "I", "II")

# Sums are exact (fsum), but a product such as High x Low is 1 only up to rounding.
_ROUNDING = 1e-9
_NAMED = 8  # so many ids are named in a sentence before "and 12 more"


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of evidence as the rules see it. ``ratings`` holds rated cells only.

    ``weight`` overrides the product of the two levels; ``source`` says where the evidence comes from, so that a
    conclusion that rests on one source can be told.
    """

    id: str
    ratings: Mapping[str, Rating]
    credibility: Level | None = None
    relevance: Level | None = None
    weight: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Robustness:
    """``word`` is 'agree', 'differ' or 'none' (nothing leads); ``sentence`` says which rules and how."""

    word: str
    sentence: str


# --- one row ---------------------------------------------------------------------------------------------------------


def weight(row: Row) -> float:
    """c(credibility) * c(relevance) with c(Low) = 1/sqrt 2, c(Medium) = 1, c(High) = sqrt 2 (F2); missing = Medium."""
    if row.weight is not None:
        return row.weight
    return LEVEL[row.credibility or "M"] * LEVEL[row.relevance or "M"]


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
    logs = _log_posteriors(hypotheses, rows, priors)
    top = max(logs.values(), default=0.0)
    raised = {h: math.exp(value - top) for h, value in logs.items()}
    total = math.fsum(raised.values())
    return {h: value / total for h, value in raised.items()}


def _log_posteriors(
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


_SCORES: dict[str, Callable[[Sequence[str], Sequence[Row]], dict[str, float]]] = {
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


def _same(a: float, b: float) -> bool:
    return a == b or (math.isfinite(a - b) and abs(a - b) <= _ROUNDING * max(1.0, abs(a), abs(b)))


def rank(costs: Mapping[str, float]) -> dict[str, int]:
    """Competition ranks (1, 1, 3), smallest cost first; equal up to rounding is a tie."""
    ranks: dict[str, int] = {}
    first = 0.0
    for place, h in enumerate(sorted(costs, key=lambda h: costs[h]), start=1):
        if place == 1 or not _same(costs[h], first):
            first, position = costs[h], place
        ranks[h] = position
    return ranks


def _leaders(costs: Mapping[str, float]) -> tuple[str, ...]:
    """Every hypothesis with the smallest cost, in id order."""
    best = min(costs.values(), default=0.0)
    return tuple(sorted((h for h, cost in costs.items() if _same(cost, best)), key=natural))


# --- the whole matrix ------------------------------------------------------------------------------------------------


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

    costs = {rule: score(hypotheses, rows) for rule, score in _SCORES.items()}
    costs["bayes"] = {h: -value for h, value in _log_posteriors(hypotheses, rows, priors).items()}
    scores = {rule: {h: round(value, 12) for h, value in costs[rule].items()} for rule in _SCORES}
    scores["bayes"] = bayes(hypotheses, rows, priors=priors)
    ranks: dict[str, dict[str, int]] = {}
    leaders: dict[str, tuple[str, ...]] = {}
    for rule in RULES:
        of_tested = {h: costs[rule][h] for h in tested}
        places = rank(of_tested)
        ranks[rule] = {h: places.get(h, len(tested) + 1) for h in hypotheses}
        leaders[rule] = _leaders(of_tested)
    order = sorted(hypotheses, key=lambda h: (ranks[DEFAULT_RULE][h], open_synthesis_order(h, rows), natural(h)))

    linchpins = _linchpins(tested, rows, bearing, costs[DEFAULT_RULE])
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


# --- what the conclusion hangs on ------------------------------------------------------------------------------------


def _linchpins(
    tested: Sequence[str], rows: Sequence[Row], bearing: Mapping[str, int], costs: Mapping[str, float]
) -> tuple[Linchpin, ...]:
    """Every single removal of a row and every single step of a cell on CC-C-N-I-II that changes the leaders under F2.

    Smallest first, by the penalty moved; a cell goes before a row. Totals change by differences, so that 200 rows and 8
    hypotheses stay far under a tenth of a second. A tie that becomes a lead, or a lead that becomes a tie, is a change.
    """
    before = {h: costs[h] for h in tested}
    leaders = _leaders(before)
    found: list[Linchpin] = []
    for row in rows:
        w = weight(row)
        left = {
            h: cost - w * PENALTY[row.ratings[h]] if h in row.ratings else cost
            for h, cost in before.items()
            if bearing[h] > (row.ratings.get(h, "NA") != "NA")
        }
        after = _leaders(left)
        if after != leaders:
            size = math.fsum(w * PENALTY[rating] for rating in row.ratings.values())
            sentence = f"Without {row.id}, {_outcome(after)}."
            found.append(Linchpin("remove", row.id, after, size=round(size, 12), sentence=sentence))
        for h, old in row.ratings.items():
            if old == "NA":
                continue
            at = STEPS.index(old)
            for new in STEPS[max(0, at - 1) : at] + STEPS[at + 1 : at + 2]:
                moved = w * (PENALTY[new] - PENALTY[old])
                if not moved or (moved > 0 and h not in leaders):
                    continue
                after = _leaders(before | {h: before[h] + moved})
                if after != leaders:
                    sentence = f"If {row.id} against {h} were {new} instead of {old}, {_outcome(after, would=True)}."
                    found.append(Linchpin("one_step", row.id, after, h, old, new, round(abs(moved), 12), sentence))
    found.sort(
        key=lambda c: (c.size, c.change != "one_step", natural(c.evidence), natural(c.hypothesis or ""), c.after or "")
    )
    return tuple(found)


def _outcome(leaders: Sequence[str], *, would: bool = False) -> str:
    if not leaders:
        return "nothing bears on any hypothesis"
    if len(leaders) == 1:
        return f"{leaders[0]} would lead" if would else f"{leaders[0]} leads"
    return f"{_and(leaders)} {'would be' if would else 'are'} tied"


# --- plain sentences -------------------------------------------------------------------------------------------------


def _and(items: Sequence[str]) -> str:
    """'E1', 'E1 and E2', 'E1, E2 and E3', 'E1, ..., E8 and 12 more'."""
    if len(items) > _NAMED:
        return f"{', '.join(items[:_NAMED])} and {len(items) - _NAMED} more"
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def _figure(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def robustness(matrix: Matrix) -> Robustness:
    """Whether the leaders are the same under every rule, and if not, which rules say what."""
    if not matrix.leaders.get(DEFAULT_RULE):
        return Robustness("none", "No hypothesis leads under any rule.")
    groups: dict[tuple[str, ...], list[str]] = {}
    for rule, leaders in matrix.leaders.items():
        groups.setdefault(leaders, []).append(RULES[rule])
    if len(groups) == 1:
        (leaders,) = groups
        return Robustness("agree", f"All {len(matrix.leaders)} rules agree: {_outcome(leaders)}.")
    says = [f"{_outcome(leaders)} under {_and(rules)}" for leaders, rules in groups.items()]
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
        yield f"Nothing is rated yet ({_count(matrix.unrated, 'cell is', 'cells are')} open), so no hypothesis leads."
        return
    if not leaders:
        yield "Every rated cell is NA: nothing bears on any hypothesis, so no hypothesis leads."
    if len(matrix.hypotheses) == 1:
        yield f"{matrix.hypotheses[0]} has no rival, so there is nothing to compare it with."
    if len(leaders) > 1:
        score = _figure(matrix.scores[DEFAULT_RULE][leaders[0]])
        each = "both have" if len(leaders) == 2 else "each has"
        yield f"{_and(leaders)} cannot be separated: {each} a weighted inconsistency of {score}."
    if matrix.unrated:
        cells = len(rows) * len(matrix.hypotheses)
        of = f"{matrix.unrated} of {_count(cells, 'cell', 'cells')} {'is' if matrix.unrated == 1 else 'are'} unrated"
        yield f"{of}; an unrated cell counts for nothing, neither for nor against."
    if matrix.untested and leaders:
        one = len(matrix.untested) == 1
        yield (
            f"Nothing rated bears on {_and(matrix.untested)}, so {'it stands' if one else 'they stand'} last and "
            "cannot lead: silence is not support."
        )
    yield from _silence(matrix, leaders)
    light = robustness(matrix)
    if light.word == "differ":
        yield light.sentence
    hanging = [row.id for row in matrix.rows if "linchpin" in row.flags]
    if len(hanging) == 1:
        without = next(pin.leaders for pin in matrix.linchpins if pin.change == "remove")
        yield f"The conclusion hangs on {hanging[0]}: without it, {_outcome(without)}."
    elif hanging:
        yield f"The conclusion hangs on {_and(hanging)}: removing any one of them changes who leads."
    spared = [
        h
        for h in matrix.hypotheses
        if h not in matrix.untested and not any(PENALTY[row.ratings.get(h, "NA")] for row in rows)
    ]
    if spared:
        yield (
            f"Nothing is rated against {_and(spared)}; look for evidence that would speak against "
            f"{'it' if len(spared) == 1 else 'them'} before trusting the rank."
        )
    yield from _one_source(matrix, rows)
    against_all = [row.id for row in matrix.rows if "all_I" in row.flags]
    if against_all and len(matrix.hypotheses) > 1:
        yield (
            f"{_and(against_all)} {'speaks' if len(against_all) == 1 else 'speak'} against every hypothesis: challenge "
            "the evidence, or add the hypothesis that is missing."
        )
    nowhere = [row.id for row in matrix.rows if "all_NA" in row.flags]
    if nowhere:
        yield f"{_and(nowhere)} {'bears' if len(nowhere) == 1 else 'bear'} on no hypothesis."


def _silence(matrix: Matrix, leaders: Sequence[str]) -> Iterable[str]:
    """Leaders whose open cells could still undo the result, were the evidence to speak against them."""
    rivals = [h for h in matrix.hypotheses if h not in leaders and h not in matrix.untested]
    scores = matrix.scores[DEFAULT_RULE]
    next_best = min((scores[h] for h in rivals), default=math.inf)
    for h in leaders:
        open_rows = [row for row in matrix.rows if h not in row.ratings and row.weight > 0]
        worst = scores[h] + math.fsum(2 * row.weight for row in open_rows)
        if open_rows and (len(leaders) > 1 or worst >= next_best or _same(worst, next_best)):
            which, it = _and([row.id for row in open_rows]), "this" if len(open_rows) == 1 else "these"
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


# --- in and out as JSON ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Given:
    """A matrix read from JSON: ids, texts and rows."""

    id: str
    title: str
    hypotheses: dict[str, str]
    evidence: dict[str, str]
    rows: tuple[Row, ...]


def from_json(data: object) -> dict[str, object]:
    """Score one matrix, or several, given as JSON values; the result is JSON too.

    One matrix is an object with ``hypotheses`` [{id, text}] and ``evidence`` [{id, text, ratings, w?, credibility?,
    relevance?, credibility_num?, relevance_num?, source?}]; several are a list of such, or an object with ``matrices``.
    One gives the JSON of ``disconfirm matrix``, several give {"matrices": [...]}. Raises BadInput and BadRating.
    """
    several = data.get("matrices") if isinstance(data, dict) else data
    if isinstance(several, list):
        return {"matrices": [_scored(read_matrix(item)) for item in several]}
    return _scored(read_matrix(data))


def _scored(given: Given) -> dict[str, object]:
    result = to_json(build(tuple(given.hypotheses), given.rows), given.hypotheses, evidence=given.evidence)
    return {"id": given.id, "title": given.title, **result}


def to_json(
    matrix: Matrix, hypotheses: Mapping[str, str], *, evidence: Mapping[str, str] | None = None
) -> dict[str, object]:
    """The JSON of ``disconfirm matrix``. ``hypotheses`` and ``evidence`` give the texts by id."""
    light = robustness(matrix)
    return {
        "hypotheses": [
            {
                "id": h,
                "text": hypotheses.get(h, ""),
                "scores": {rule: matrix.scores[rule][h] for rule in matrix.scores},
                "rank": {rule: matrix.ranks[rule][h] for rule in matrix.ranks},
            }
            for h in matrix.hypotheses
        ],
        "evidence": [
            {
                "id": row.id,
                **({"text": evidence.get(row.id, "")} if evidence is not None else {}),
                "ratings": dict(row.ratings),
                "weight": round(row.weight, 12),
                "diagnosticity": row.diagnosticity,
                "spread": row.spread,
                "flags": list(row.flags),
            }
            for row in matrix.rows
        ],
        "leaders": {rule: list(leaders) for rule, leaders in matrix.leaders.items()},
        "linchpins": [
            {
                "change": pin.change,
                "evidence": pin.evidence,
                "hypothesis": pin.hypothesis,
                "from": pin.before,
                "to": pin.after,
                "leaders": list(pin.leaders),
                "size": pin.size,
                "sentence": pin.sentence,
            }
            for pin in matrix.linchpins
        ],
        "warnings": list(matrix.warnings),
        "unrated": matrix.unrated,
        "order": list(matrix.order),
        "untested": list(matrix.untested),
        "rules_agree": matrix.rules_agree,
        "robustness": {"word": light.word, "sentence": light.sentence},
    }


def read_matrix(data: object) -> Given:
    """Check one matrix in JSON form. Raises BadInput with what is wrong and where, BadRating for an unknown rating."""
    given = _object(data, "The matrix")
    hypotheses: dict[str, str] = {}
    for item in _list(given.get("hypotheses"), "'hypotheses'"):
        hypothesis = _object(item, "A hypothesis")
        id = _id(hypothesis, "hypothesis")
        if id in hypotheses:
            raise _bad(f"There is more than one hypothesis '{id}'.")
        hypotheses[id] = str(hypothesis.get("text", ""))
    texts: dict[str, str] = {}
    rows: list[Row] = []
    for item in _list(given.get("evidence"), "'evidence'"):
        evidence = _object(item, "A piece of evidence")
        id = _id(evidence, "piece of evidence")
        if id in texts:
            raise _bad(f"There is more than one piece of evidence '{id}'.")
        texts[id] = str(evidence.get("text", ""))
        ratings: dict[str, Rating] = {}
        for h, value in _object(evidence.get("ratings", {}), f"'ratings' of {id}").items():
            if h not in hypotheses:
                raise _bad(f"{id} is rated against '{h}', which is not a hypothesis of this matrix.")
            if value is None or value == "":
                continue  # a gap
            if value not in RATINGS:
                raise BadRating(value=value)
            ratings[h] = value
        rows.append(
            Row(
                id,
                ratings,
                credibility=_level(evidence, "credibility", id),
                relevance=_level(evidence, "relevance", id),
                weight=_weight(evidence, id),
                source=str(evidence.get("source", "")),
            )
        )
    return Given(str(given.get("id", "")), str(given.get("title", "")), hypotheses, texts, tuple(rows))


def _bad(reason: str) -> BadInput:
    return BadInput(
        reason=reason, remedy="Give a matrix as an object with 'hypotheses' and 'evidence', as README shows."
    )


def _object(data: object, what: str) -> dict[str, object]:
    if not isinstance(data, dict):
        raise _bad(f"{what} is not a JSON object.")
    return data


def _list(data: object, what: str) -> list[object]:
    if not isinstance(data, list):
        raise _bad(f"{what} is missing or not a list.")
    return data


def _id(item: Mapping[str, object], kind: str) -> str:
    id = item.get("id")
    if not isinstance(id, str) or not id:
        raise _bad(f"A {kind} has no id.")
    return id


def _level(item: Mapping[str, object], name: str, id: str) -> Level | None:
    value = item.get(name)
    if value is None or value == "":
        return None
    if value not in ("L", "M", "H"):
        raise _bad(f"The {name} of {id} is not L, M or H.")
    return value


def _weight(item: Mapping[str, object], id: str) -> float | None:
    """``w`` as given, else the product of the numeric grades, else None: the letters decide."""
    if item.get("w") is not None:
        return _number(item["w"], f"'w' of {id}")
    grades = [
        _number(item[name], f"'{name}' of {id}")
        for name in ("credibility_num", "relevance_num")
        if item.get(name) is not None
    ]
    return math.prod(grades) if grades else None


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise _bad(f"{what} is not a number of 0 or more.")
    return float(value)
