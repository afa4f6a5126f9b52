"""How many relevant passages a search has probably missed, from a sample that a person judged.

Passages nobody looked at are drawn from two strata: those that the search ranked next, and all others. In each the
share of relevant ones is estimated with an exact interval (Clopper and Pearson 1934); the bounds are added at half the
error each (Bonferroni), so that the whole interval holds at least as often as it says.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

CONFIDENCE = 0.90
NEXT = 200  # passages that the search ranked next: what was missed is most likely among them


@dataclass(frozen=True, slots=True)
class Stratum:
    """``size`` passages nobody looked at, ``judged`` of them in the sample, ``relevant`` of those."""

    size: int
    judged: int
    relevant: int


@dataclass(frozen=True, slots=True)
class ElusionEstimate:
    """Relevant passages that were probably missed (``expected``, between ``low`` and ``high``), and the share of all
    relevant ones that was found (``recall``, between ``recall_low`` and ``recall_high``; None where nothing relevant is
    known). ``judged`` passages were sampled of ``unread`` that nobody looked at; ``found`` are known to bear on it
    among those looked at.
    """

    expected: float
    low: float
    high: float
    recall: float | None
    recall_low: float | None
    recall_high: float | None
    judged: int
    confidence: float = CONFIDENCE
    found: int = 0
    unread: int = 0


def words(hypothesis: str, told: ElusionEstimate) -> str:
    """The estimate in words of whole passages, never surer than it is; what to do where nothing is known yet."""
    if not told.unread:
        return f"Every passage was looked at for {hypothesis}: none can have been missed."
    if not told.judged:
        return (
            f"It is not known yet what was missed for {hypothesis}: judge some of the {told.unread:,} passages "
            "that nobody looked at."
        )
    judged = f"{told.judged:,} of {told.unread:,} unread passages judged"
    if told.recall is None or told.recall_low is None or told.recall_high is None:
        return f"Nothing that bears on {hypothesis} is known so far, found or missed: {judged}."
    low, high = max(0, math.floor(10 * told.recall_low)), min(10, math.ceil(10 * told.recall_high))
    said = (
        f"Of what bears on {hypothesis}, probably {_of_ten(told.recall)} passages were found (between {low} and {high} "
        f"of 10, at {100 * told.confidence:.0f}%): {judged}."
    )
    if high - low >= 8:
        said += " So few were judged that nearly anything is possible: judge more."
    return said


def _of_ten(share: float) -> str:
    """'8 of 10'; nothing is rounded to all or to none."""
    if share >= 1:
        return "all"
    tenths = round(10 * share)
    if tenths >= 10:
        return "more than 9 of 10"
    return f"{tenths} of 10" if tenths or share <= 0 else "fewer than 1 of 10"


def sample(next_ranked: Sequence[int], others: Collection[int], size: int, *, seed: str) -> list[int]:
    """Which passages to judge: half from those ranked next, half from all others, in an order that says nothing about
    which is which. The same seed draws the same; a larger size keeps what a smaller one drew.
    """

    def drawn(chunks: Collection[int]) -> list[int]:
        return sorted(set(chunks), key=lambda chunk: (_lot(seed, chunk), chunk))

    first, second = drawn(next_ranked[:NEXT]), drawn(set(others) - set(next_ranked[:NEXT]))
    half = (size + 1) // 2
    taken = first[:half] + second[: size - min(half, len(first))]
    taken += first[half : half + size - len(taken)]
    return sorted(taken[:size], key=lambda chunk: (_lot(seed + "/order", chunk), chunk))


def estimate(found: int, strata: Sequence[Stratum], *, confidence: float = CONFIDENCE) -> ElusionEstimate:
    """``found``: relevant passages known so far among those looked at. A stratum without a sample may hold anything.

    Raises ValueError for counts that cannot be.
    """
    expected = low = high = 0.0
    used = [stratum for stratum in strata if stratum.size]
    error = (1 - confidence) / max(1, len(used))
    for stratum in used:
        if not 0 <= stratum.relevant <= stratum.judged <= stratum.size:
            raise ValueError("more relevant than judged, or more judged than there are")
        left = stratum.size - stratum.judged
        below, above = interval(stratum.relevant, stratum.judged, 1 - error)
        share = stratum.relevant / stratum.judged if stratum.judged else 0.5
        expected += share * left + stratum.relevant
        low += max(below * stratum.size, stratum.relevant)
        high += min(above * stratum.size, stratum.relevant + left)
    judged = sum(stratum.judged for stratum in used)

    def recall(missed: float) -> float | None:
        return found / (found + missed) if found + missed > 0 else None

    unread = sum(stratum.size for stratum in used)
    shares = recall(expected), recall(high), recall(low)
    return ElusionEstimate(expected, low, high, *shares, judged, confidence, found, unread)


def interval(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """The exact two-sided interval of a share (Clopper and Pearson 1934); (0, 1) without trials."""
    if trials == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else _solve(lambda p: 1 - _at_most(hits - 1, trials, p), tail)
    high = 1.0 if hits == trials else _solve(lambda p: 1 - _at_most(hits, trials, p), 1 - tail)
    return low, high


def _solve(rising: Callable[[float], float], target: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < target else (low, middle)
    return (low + high) / 2


def _at_most(hits: int, trials: int, share: float) -> float:
    """P(X <= hits) for X ~ Binomial(trials, share), in logarithms: large samples do not underflow."""
    if share <= 0:
        return 1.0
    if share >= 1:
        return float(hits >= trials)
    up, down = math.log(share), math.log1p(-share)
    whole = math.lgamma(trials + 1)
    terms = (
        math.exp(whole - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * up + (trials - k) * down)
        for k in range(hits + 1)
    )
    return min(1.0, math.fsum(terms))


def _lot(seed: str, chunk: int) -> bytes:
    return hashlib.sha256(f"{seed}/{chunk}".encode()).digest()
