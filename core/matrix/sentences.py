"""Plain sentences about a matrix: who leads, which rules differ and why, and what to know before trusting it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.domain import DEFAULT_RULE, RULES, Comparison, Matrix
from core.matrix.rules import Row, natural, same

_NAMED = 8  # so many ids are named in a sentence before "and 12 more"


@dataclass(frozen=True, slots=True)
class Robustness:
    """The agreement of the rules.

    ``word`` is 'agree', 'differ' or 'none' (nothing leads); ``sentence`` says which rules differ, how, and why, or why
    nothing leads.
    """

    word: str
    sentence: str


def score_words(rule: str, score: float) -> str:
    """Return a score with two decimals; a probability never as a certainty: '> 99 %', '< 1 %'."""
    if rule == "bayes" and score >= 0.995:
        return ">\u00a099\u00a0%"
    if rule == "bayes" and score < 0.005:
        return "<\u00a01\u00a0%"
    return f"{score:.2f}"


def dependencies(matrix: Matrix) -> list[str]:
    """List the rows that the conclusion depends on: those without which another would lead, smallest change first.

    Where there is none, the rows of which a single step of one rating would do it. Larger changes are left to the
    sensitivity of the matrix.
    """
    flagged = {row.id: None for row in matrix.rows if "linchpin" in row.flags}
    alone = {pin.evidence: None for pin in matrix.linchpins if pin.change == "remove"} | flagged
    return list(alone or {pin.evidence: None for pin in matrix.linchpins if pin.change == "one_step"})


def outcome(leaders: Sequence[str], *, would: bool = False) -> str:
    """Word who leads, in the conditional if ``would``."""
    if not leaders:
        return "no hypothesis would lead" if would else "no hypothesis leads"
    if len(leaders) == 1:
        return f"{leaders[0]} would lead" if would else f"{leaders[0]} leads"
    return f"{both(leaders)} {'would be' if would else 'are'} tied"


def both(items: Sequence[str]) -> str:
    """Join ids: 'E1', 'E1 and E2', 'E1, E2 and E3', 'E1, ..., E8 and 12 more'."""
    if len(items) > _NAMED:
        return f"{', '.join(items[:_NAMED])} and {len(items) - _NAMED} more"
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def order(ranks: Mapping[str, int]) -> str:
    """Write an order: 'H1 = H2 > H3', the best first."""
    in_order = sorted(ranks, key=lambda h: (ranks[h], natural(h)))
    return "".join(
        h if index == 0 else f" {'=' if ranks[h] == ranks[in_order[index - 1]] else '>'} {h}"
        for index, h in enumerate(in_order)
    )


def provisional(comparison: Comparison) -> str:
    """Return the order on the rows that the hypotheses have in common, and what it is worth; '' without such rows."""
    if not comparison.provisional:
        return ""
    among = both(sorted((h for h, rows in comparison.rated.items() if rows), key=natural))
    rows = "the 1 row" if comparison.provisional_rows == 1 else f"the {comparison.provisional_rows:,} rows"
    return f"Provisional, from {rows} rated against {among}, least contradicted first: {order(comparison.provisional)}."


def rewording_warnings(cells: Iterable[tuple[str, str]]) -> list[str]:
    """Return how many ratings of each hypothesis, as (evidence, hypothesis), were given for other words."""
    rows: dict[str, list[str]] = {}
    for evidence, hypothesis in cells:
        rows.setdefault(hypothesis, []).append(evidence)
    return [
        f"{len(ids):,} ratings of {h} were given before {h} or the quote was reworded: "
        f"{both(sorted(ids, key=natural))}. They still count; rate them again, the same or otherwise."
        if len(ids) > 1
        else f"{ids[0]} was rated against {h} before {h} or the quote was reworded. "
        "The rating still counts; rate it again, the same or otherwise."
        for h, ids in sorted(rows.items(), key=lambda item: natural(item[0]))
    ]


def coverage(matrix: Matrix, hypothesis: str) -> str:
    """Write '3 of 22 rated': on how many rows a hypothesis is rated, which is beside every score."""
    count_of_rows = sum(hypothesis in row.ratings for row in matrix.rows)
    return f"{count_of_rows:,} of {len(matrix.rows):,} rated"


def fraction(share: float) -> str:
    """Write '1/3': what counts of one of several rows that share a source."""
    return "1" if share >= 1 else f"1/{round(1 / share)}"


def figure(value: float) -> str:
    """Write a number with up to three decimals."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def count(number: int, singular: str, many: str) -> str:
    """Write a number with its noun."""
    return f"{number:,} {singular if number == 1 else many}"


def robustness(matrix: Matrix) -> Robustness:
    """Return whether the leaders are the same under every rule, and if not, which differ from the default and why."""
    if not matrix.leaders.get(DEFAULT_RULE):
        return Robustness("none", matrix.comparison.sentence or "No hypothesis leads under any rule.")
    groups: dict[tuple[str, ...], list[str]] = {}
    for rule, leaders in matrix.leaders.items():
        groups.setdefault(leaders, []).append(RULES[rule])
    if len(groups) == 1:
        (leaders,) = groups
        return Robustness("agree", f"All {len(matrix.leaders)} rules agree: {outcome(leaders)}.")
    says = [f"{outcome(leaders)} under {both(rules)}" for leaders, rules in groups.items()]
    reasons = _reasons(matrix)
    why = f", because {both(reasons)}" if reasons else ""
    return Robustness("differ", f"The conclusion depends on the scoring rule{why}: {'; '.join(says)}.")


def _reasons(matrix: Matrix) -> list[str]:
    """List why rules name other leaders than the default.

    A rule without weights differs because of them if it says the same as the plain count, and because of its own way to
    count if the plain count says the same as the default.
    """
    leaders = matrix.leaders
    default, plain = leaders[DEFAULT_RULE], leaders["inconsistency_count"]
    reasons = []
    if plain != default:
        blind = ("inconsistency_count", "open_synthesis", "arkham_count")
        names = [RULES[rule] for rule in blind if leaders[rule] == plain]
        reasons.append(f"{both(names)} {'ignores' if len(names) == 1 else 'ignore'} the weights of the evidence")
    if leaders["open_synthesis"] not in (default, plain):
        reasons.append(f"{RULES['open_synthesis']} lets one II count as much as four I")
    if leaders["arkham_count"] not in (default, plain):
        reasons.append(f"{RULES['arkham_count']} counts II the same as I")
    if leaders["bayes"] != default:
        also = " and the priors" if matrix.priors else ""
        reasons.append(f"{RULES['bayes']} also counts what is consistent{also}")
    return reasons


def warnings(matrix: Matrix, rows: Sequence[Row]) -> Iterable[str]:
    """Yield what a reader must know before trusting the ranking, gravest first."""
    leaders = matrix.leaders[DEFAULT_RULE]
    if matrix.comparison.sentence:
        yield matrix.comparison.sentence
    if not any(matrix.comparison.rated.values()):
        return
    if so_far := provisional(matrix.comparison):
        yield so_far
    yield from _tie(matrix, leaders)
    if matrix.unrated:
        cells = len(rows) * len(matrix.hypotheses)
        of = f"{matrix.unrated} of {count(cells, 'cell', 'cells')} {'is' if matrix.unrated == 1 else 'are'} unrated"
        yield f"{of}; an unrated cell counts for nothing, neither for nor against."
    if matrix.untested and leaders:
        is_single = len(matrix.untested) == 1
        yield (
            f"Nothing rated bears on {both(matrix.untested)}, so {'it ranks' if is_single else 'they rank'} last and "
            "cannot lead: silence is not support."
        )
    yield from _silence(matrix, leaders)
    agreement = robustness(matrix)
    if agreement.word == "differ":
        yield agreement.sentence
    pivotal = [row.id for row in matrix.rows if "linchpin" in row.flags]
    if len(pivotal) == 1:
        without = next(pin.leaders for pin in matrix.linchpins if pin.change == "remove")
        yield f"The conclusion depends on {pivotal[0]}: without it, {outcome(without)}."
    elif pivotal:
        yield f"The conclusion depends on {both(pivotal)}: removing any one of them changes who leads."
    if matrix.unattacked:
        yield (
            f"Nothing is rated against {both(matrix.unattacked)}; look for evidence that would speak against "
            f"{'it' if len(matrix.unattacked) == 1 else 'them'} before trusting the rank."
        )
    yield from _one_source(matrix, rows)
    yield from _alike(matrix)
    against_all = [row.id for row in matrix.rows if "all_I" in row.flags]
    if against_all and len(matrix.hypotheses) > 1:
        yield (
            f"{both(against_all)} {'speaks' if len(against_all) == 1 else 'speak'} against every hypothesis: challenge "
            "the evidence, or add the hypothesis that is missing."
        )
    nowhere = [row.id for row in matrix.rows if "all_NA" in row.flags]
    if nowhere:
        yield f"{both(nowhere)} {'bears' if len(nowhere) == 1 else 'bear'} on no hypothesis."
    for mark, what in (
        ("stale", "is no longer on the page as quoted"),
        ("superseded", "comes from a document that a newer version has superseded"),
        ("unchecked", "quotes words read by OCR that nobody has checked against the page"),
        ("hidden", "quotes words that are not visible on the page"),
        ("struck", "quotes words that are struck through on the page"),
        ("conflict", "contradicts, or is contradicted by, other statements, and nobody has resolved that"),
    ):
        flagged_rows = [row.id for row in matrix.rows if mark in row.flags]
        if flagged_rows:
            yield f"{both(flagged_rows)}: the evidence {what}."


def _tie(matrix: Matrix, leaders: Sequence[str]) -> Iterable[str]:
    """Return a sentence on a tie at the top, and which missing rating could end it."""
    if len(leaders) < 2:
        return
    score = figure(matrix.scores[DEFAULT_RULE][leaders[0]])
    subject = "both have" if len(leaders) == 2 else "each has"
    yield f"{both(leaders)} cannot be separated: {subject} a weighted inconsistency of {score}."
    if matrix.gaps:
        cells = [f"{gap.evidence} against {gap.hypothesis}" for gap in matrix.gaps[:3]]
        yield f"A missing rating could separate them: {' or '.join(cells)}, if it were I or II."
    else:
        yield "No missing rating could separate them: it takes new evidence, or a second look at what is rated."


def _silence(matrix: Matrix, leaders: Sequence[str]) -> Iterable[str]:
    """Warn of a sole leader whose open cells could still undo the result, were the evidence to speak against it."""
    if len(leaders) != 1:
        return
    (h,) = leaders
    scores = matrix.scores[DEFAULT_RULE]
    next_best = min((scores[rival] for rival in scores if rival != h and rival not in matrix.untested), default=None)
    open_rows = [row for row in matrix.rows if h not in row.ratings and row.weight > 0]
    if next_best is None or not open_rows:
        return
    worst = scores[h] + math.fsum(2 * row.weight * row.share for row in open_rows)
    if worst >= next_best or same(worst, next_best):
        which, it = both([row.id for row in open_rows]), "this" if len(open_rows) == 1 else "these"
        yield f"{h} has no rating for {which}; rated against it, {it} could undo its lead."


def _one_source(matrix: Matrix, rows: Sequence[Row]) -> Iterable[str]:
    """Warn of conclusions that two or more rows carry but one source wrote."""
    sources = set(matrix.one_source.values())
    bearing = len(matrix.hypotheses) - len(matrix.untested)
    if len(matrix.one_source) == bearing and len(sources) == 1:
        yield f"Everything rests on one source: {sources.pop()}."
        return
    for h in matrix.hypotheses:
        if h in matrix.one_source:
            yield f"All that is rated on {h} comes from one source: {matrix.one_source[h]}."
            continue
        against = [row.source for row in rows if row.ratings.get(h) in ("I", "II")]
        if len(against) > 1 and len(set(against)) == 1 and against[0]:
            yield f"All that speaks against {h} comes from one source: {against[0]}."


def _alike(matrix: Matrix) -> Iterable[str]:
    """Warn of hypotheses that the ratings cannot tell apart, and of rows that are one report."""
    for group in matrix.overlaps:
        yield f"{both(group)} are rated alike everywhere: sharpen the difference between them, or join them."
    for cluster in matrix.clusters[:3]:
        yield f"{both(cluster)} share a source and count once."
    if len(matrix.clusters) > 3:
        more = len(matrix.clusters) - 3
        those = count(more, "more cluster", "more clusters")
        yield f"{those} of rows that share a source {'counts' if more == 1 else 'count'} once, too."
