"""How far a model and the people of a case agree, over what was rated so far.

What a model said of a passage is compared with what a person then rated in the matrix. It is no measure of the model
alone: people who see a verdict before they rate tend to follow it, and the rated passages are those that somebody
thought worth a row. It tells where to look twice, and, from ``ENOUGH`` ratings on, what the model's probabilities
would be if they had been fitted on this case. No verdict is ever changed by it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.domain import LABELS, Assessment, Evidence, Label, Probabilities, Proposal, Rating, Verdict
from core.stats import Proportion, newcombe_interval, wilson_interval

Meant = Literal["supports", "contradicts", "neutral"]
MEANT: tuple[Meant, ...] = ("supports", "contradicts", "neutral")
# What a rating says of hypothesis and evidence, in the judge's three words.
MEANING: dict[Rating, Meant] = {
    "CC": "supports",
    "C": "supports",
    "N": "neutral",
    "NA": "neutral",
    "I": "contradicts",
    "II": "contradicts",
}

ENOUGH = 30  # ratings from which on probabilities are fitted to the case
DRIFT_FROM = 20  # ratings with a verdict from which on the first half is held against the last
MOST_FITTED = 500  # the latest ratings
FOLDS = 10
_FLOOR = 1e-4  # of a probability, so that one certain mistake does not rule the fit
# How far the fit may lean from the identity before it costs: standard deviations of slope and of the two offsets.
_SPREAD = (0.5, 0.5, 0.5)


@dataclass(frozen=True, slots=True)
class Decision:
    """One person's rating of a cell that a model gave a verdict on.

    ``proposal`` has that verdict; ``blind``: it was hidden until the rating.
    """

    evidence: str
    hypothesis: str
    by: str
    at: str
    rating: Rating
    proposal: str
    verdict: Verdict
    blind: bool = False

    @property
    def meant(self) -> Meant:
        """Return what the rating says, in the judge's words."""
        return MEANING[self.rating]

    @property
    def agrees(self) -> bool:
        """Return whether the rating says what the verdict says."""
        return self.verdict.label == self.meant


@dataclass(frozen=True, slots=True)
class OfLabel:
    """The ratings of the cells that the model gave ``label``.

    ``meant`` counts how often people meant each of MEANT, in that order; ``right`` is how often the same as the model
    (for 'ambiguous' nothing is the same).
    """

    label: Label
    meant: tuple[int, ...]
    right: Proportion


@dataclass(frozen=True, slots=True)
class Drift:
    """Agreement in the first half of the ratings and in the last, by time; ``low`` and ``high`` bound the change."""

    first: Proportion
    last: Proportion
    change: float
    low: float
    high: float

    @property
    def sure(self) -> bool:
        """Return whether the interval leaves out that nothing changed."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class Fit:
    """A recalibration of the model's probabilities on the ratings of this case.

    Logits times ``slope`` plus an offset for support and contradiction. ``before`` and ``after`` are mean log losses on
    ratings that each fit had not seen (``FOLDS`` parts); a fit is only used where it ``helps``.
    """

    slope: float
    supports: float
    contradicts: float
    n: int
    before: float
    after: float

    @property
    def helps(self) -> bool:
        """Return whether the fit predicts ratings that it has not seen better than the model as it is."""
        return self.after < self.before


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of one model with the people of a case.

    ``right``: of the verdicts that committed themselves, how many the person shared; ``coverage``: how many did commit
    themselves. ``classes`` is the table, in the order of LABELS. ``fit`` None: fewer than ENOUGH ratings.
    """

    model: str
    decisions: tuple[Decision, ...]
    classes: tuple[OfLabel, ...]
    right: Proportion
    coverage: Proportion
    blind: int
    rejected: int
    drift: Drift | None
    fit: Fit | None

    def of(self, label: Label) -> OfLabel:
        """Return the row of the table for a label."""
        return next(row for row in self.classes if row.label == label)


# --- the comparison --------------------------------------------------------------------------------------------------


def decisions(
    evidence: Iterable[Evidence],
    proposals: Sequence[Proposal],
    assessments: Iterable[Assessment],
    blind: Sequence[tuple[str, bool]] = (),
) -> dict[str, list[Decision]]:
    """Match the verdicts with people's ratings, by model and in order of time.

    A cell has the verdict of the proposal for its hypothesis with the same quote, else with one that overlaps it, else
    from the same passage: a verdict is about the whole passage. ``blind`` are the times from which on verdicts were
    hidden, and shown again.
    """
    exact: dict[tuple[str, int, int, int], Proposal] = {}
    pages: dict[tuple[str, int], list[Proposal]] = {}
    passages: dict[tuple[str, int], Proposal] = {}
    by_id = {proposal.id: proposal for proposal in proposals}
    for proposal in proposals:
        quote = proposal.quote
        exact.setdefault((proposal.hypothesis, quote.page_id, quote.start, quote.end), proposal)
        pages.setdefault((proposal.hypothesis, quote.page_id), []).append(proposal)
        passages.setdefault((proposal.hypothesis, proposal.chunk), proposal)
    rows = {row.id: row for row in evidence if row.page_id is not None}
    by_model: dict[str, list[Decision]] = {}
    for rating in sorted(assessments, key=lambda rating: (rating.at, rating.evidence, rating.hypothesis, rating.by)):
        row = rows.get(rating.evidence)
        if row is None or row.page_id is None or row.start is None or row.end is None:
            continue
        match = exact.get((rating.hypothesis, row.page_id, row.start, row.end))
        if match is None:
            start, end = row.start, row.end
            candidates = pages.get((rating.hypothesis, row.page_id), ())
            match = max(candidates, key=lambda p: _overlap(p, start, end), default=None)
            if match is None or _overlap(match, start, end) <= 0:
                source = by_id.get(row.proposal or "")
                match = passages.get((rating.hypothesis, source.chunk)) if source else None
        if match is None:
            continue
        is_blind = _blind_at(blind, rating.at)
        for verdict in (match.verdict, *(further.verdict for further in match.others)):
            by_model.setdefault(verdict.model, []).append(
                Decision(
                    rating.evidence, rating.hypothesis, rating.by, rating.at, rating.rating, match.id, verdict, is_blind
                )
            )
    return by_model


def _overlap(proposal: Proposal, start: int, end: int) -> int:
    return min(proposal.quote.end, end) - max(proposal.quote.start, start)


def _blind_at(times: Sequence[tuple[str, bool]], moment: str) -> bool:
    is_blind = False
    for since, value in times:
        if since > moment:
            break
        is_blind = value
    return is_blind


# --- counting ------------------------------------------------------------------------------------------------------


def agreement(model: str, ratings: Sequence[Decision], *, rejections: int = 0) -> Agreement:
    """Count how far ``model`` and the people agree.

    ``ratings`` come in order of time; ``rejections`` counts the model's verdicts for or against that were set aside.
    """
    classes = []
    for label in LABELS:
        of_label = [rating for rating in ratings if rating.verdict.label == label]
        meanings = tuple(sum(rating.meant == name for rating in of_label) for name in MEANT)
        classes.append(
            OfLabel(label, meanings, wilson_interval(sum(rating.agrees for rating in of_label), len(of_label)))
        )
    committal = [rating for rating in ratings if rating.verdict.label != "ambiguous"]
    return Agreement(
        model,
        tuple(ratings),
        tuple(classes),
        wilson_interval(sum(rating.agrees for rating in committal), len(committal)),
        wilson_interval(len(committal), len(ratings)),
        sum(rating.blind for rating in ratings),
        rejections,
        _drift(committal),
        _fit(tuple(ratings[-MOST_FITTED:])) if len(ratings) >= ENOUGH else None,
    )


def _drift(ratings: Sequence[Decision]) -> Drift | None:
    if len(ratings) < DRIFT_FROM:
        return None
    middle = len(ratings) // 2
    first, last = (
        wilson_interval(sum(rating.agrees for rating in part), len(part))
        for part in (ratings[:middle], ratings[len(ratings) - middle :])
    )
    return Drift(first, last, *newcombe_interval(first, last))


# --- probabilities in this case ------------------------------------------------------------------------------------

_Logs = tuple[float, float, float]  # of the probabilities, in the order of MEANT


def in_this_case(fit: Fit, probabilities: Probabilities) -> Probabilities:
    """Return what the model's probabilities would be if they had been fitted on the ratings of this case."""
    return Probabilities(*_shares((fit.slope, fit.supports, fit.contradicts), _logs(probabilities)))


def _logs(probabilities: Probabilities) -> _Logs:
    values = (probabilities.supports, probabilities.contradicts, probabilities.neutral)
    first, second, third = (math.log(max(_FLOOR, value)) for value in values)
    return first, second, third


def _shares(weights: Sequence[float], logs: _Logs) -> _Logs:
    slope, supports, contradicts = weights
    exponents = (slope * logs[0] + supports, slope * logs[1] + contradicts, slope * logs[2])
    top = max(exponents)
    first, second, third = (math.exp(value - top) for value in exponents)
    total = first + second + third
    return first / total, second / total, third / total


@functools.lru_cache(maxsize=8)
def _fit(ratings: tuple[Decision, ...]) -> Fit:
    pairs = [(_logs(rating.verdict.probabilities), MEANT.index(rating.meant)) for rating in ratings]
    same = (1.0, 0.0, 0.0)
    old_loss = after = 0.0
    for fold in range(FOLDS):
        # Every tenth, so that each part has early and late ratings; those of one piece of evidence stay together.
        rows = sorted({rating.evidence for rating in ratings}, key=lambda row: (len(row), row))
        out = {row for index, row in enumerate(rows) if index % FOLDS == fold}
        training = [pair for pair, rating in zip(pairs, ratings, strict=True) if rating.evidence not in out]
        test = [pair for pair, rating in zip(pairs, ratings, strict=True) if rating.evidence in out]
        if test:
            old_loss += _loss(same, test)
            after += _loss(_newton(training), test)
    weights = _newton(pairs)
    parameters = [round(value, 4) for value in weights]
    return Fit(
        parameters[0],
        parameters[1],
        parameters[2],
        len(ratings),
        round(old_loss / len(ratings), 4),
        round(after / len(ratings), 4),
    )


def _loss(weights: Sequence[float], pairs: Iterable[tuple[_Logs, int]]) -> float:
    """Sum over ``pairs`` minus the log of the probability that the true answer was given."""
    return -math.fsum(math.log(max(_FLOOR, _shares(weights, logs)[truth])) for logs, truth in pairs)


def _newton(pairs: Sequence[tuple[_Logs, int]]) -> tuple[float, float, float]:
    """Return the weights of greatest likelihood, held near the identity by a normal prior (_SPREAD).

    Convex, so Newton's steps with halving end at the one optimum; the same pairs give the same weights.
    """
    weights = (1.0, 0.0, 0.0)

    def cost(point: tuple[float, float, float]) -> float:
        ground = math.fsum(((a - b) / s) ** 2 / 2 for a, b, s in zip(point, (1.0, 0.0, 0.0), _SPREAD, strict=True))
        return _loss(point, pairs) + ground

    now = cost(weights)
    for _ in range(30):
        slope = [(a - b) / (s * s) for a, b, s in zip(weights, (1.0, 0.0, 0.0), _SPREAD, strict=True)]
        curve = [[1 / (s * s) if i == j else 0.0 for j in range(3)] for i, s in enumerate(_SPREAD)]
        for logs, truth in pairs:
            # The slope multiplies the log of each answer, an offset is in its own answer alone.
            first, second, third = _shares(weights, logs)
            mean = first * logs[0] + second * logs[1] + third * logs[2]
            slope[0] += mean - logs[truth]
            slope[1] += first - (truth == 0)
            slope[2] += second - (truth == 1)
            curve[0][0] += first * logs[0] ** 2 + second * logs[1] ** 2 + third * logs[2] ** 2 - mean * mean
            curve[0][1] += first * (logs[0] - mean)
            curve[0][2] += second * (logs[1] - mean)
            curve[1][1] += first * (1 - first)
            curve[1][2] -= first * second
            curve[2][2] += second * (1 - second)
        curve[1][0], curve[2][0], curve[2][1] = curve[0][1], curve[0][2], curve[1][2]
        step = _solve(curve, slope)
        length = 1.0
        while length > 1e-6:
            candidate = (weights[0] - length * step[0], weights[1] - length * step[1], weights[2] - length * step[2])
            then = cost(candidate)
            if then <= now:
                break
            length /= 2
        else:
            break
        shift = max(abs(a - b) for a, b in zip(candidate, weights, strict=True))
        weights, now = candidate, then
        if shift < 1e-8:
            break
    return weights


def _solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve linear equations by Gauss's elimination; the matrix is positive definite, since the prior is in it."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for index in range(3):
        for below in range(index + 1, 3):
            factor = rows[below][index] / rows[index][index]
            rows[below] = [a - factor * b for a, b in zip(rows[below], rows[index], strict=True)]
    solution = [0.0, 0.0, 0.0]
    for index in (2, 1, 0):
        solution[index] = (
            rows[index][3] - math.fsum(rows[index][k] * solution[k] for k in range(index + 1, 3))
        ) / rows[index][index]
    return solution


# --- in words ------------------------------------------------------------------------------------------------------

_VERBS: Mapping[Label, str] = {"supports": "support", "contradicts": "contradiction", "neutral": "neither"}


def share(of: Proportion) -> str:
    """Write a share with its interval: '21 of 30 (70%, 52% to 83%)'."""
    if not of.n:
        return "0 of 0"
    return f"{round(of.value * of.n)} of {of.n} ({of.value:.0%}, {of.low:.0%} to {of.high:.0%})"


def lines(result: Agreement) -> list[str]:
    """Put all of it in plain sentences, what a reader should mind among them."""
    n = len(result.decisions)
    if not n:
        return ["No cell on which the model gave a verdict has been rated yet, so its agreement here is not known."]
    commitments = result.coverage.n and round(result.coverage.value * result.coverage.n)
    sentences = [
        f"People shared the model’s verdict in {share(result.right)} of the rated cells on which it gave one; "
        f"on {n - commitments} of {n} it gave none."
    ]
    for label in ("contradicts", "supports", "neutral"):
        row = result.of(label)
        if row.right.n:
            sentences.append(f"Where it found {_VERBS[row.label]}, people rated so in {share(row.right)}.")
    if result.rejected:
        were = "verdict for or against was" if result.rejected == 1 else "verdicts for or against were"
        sentences.append(f"{result.rejected} further {were} set aside without a rating.")
    if result.drift is None:
        sentences.append(f"Whether it changes over time is shown from {DRIFT_FROM} rated verdicts on.")
    else:
        drift = result.drift
        how = "a change" if drift.sure else "no change that chance would not explain"
        sentences.append(
            f"First half {drift.first.value:.0%}, last half {drift.last.value:.0%}: {how} "
            f"({drift.change:+.0%}, {drift.low:+.0%} to {drift.high:+.0%})."
        )
    sentences.append(_fit_line(result))
    sentences.append(mind(result))
    return sentences


def _fit_line(result: Agreement) -> str:
    fit = result.fit
    if fit is None:
        n = len(result.decisions)
        return f"Its probabilities are fitted to this case from {ENOUGH} rated cells on; {n} are there."
    losses = f"mean log loss {fit.before:.2f} as they are, {fit.after:.2f} fitted, on ratings that were left out"
    if not fit.helps:
        return f"Its probabilities fit this case as they are: a fit on {fit.n} ratings does no better ({losses})."
    return (
        f"Fitted to {fit.n} ratings of this case its probabilities come nearer ({losses}); what they would be is shown "
        "beside a verdict as “in this case”, and no verdict is changed."
    )


def mind(result: Agreement) -> str:
    """Return why it is not the model's accuracy."""
    n = len(result.decisions)
    in_sight = n - result.blind
    if not in_sight:
        return f"All {n} ratings were given before the verdict was shown."
    amount = "All" if in_sight == n else f"{in_sight} of"
    return (
        f"{amount} {n} ratings were given with the verdict in sight, and people who see a verdict tend to "
        "follow it: this "
        "is agreement, not the model’s accuracy."
    )
