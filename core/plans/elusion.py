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
    """``size`` passages nobody looked at, ``sample_size`` of them judged, ``relevant`` of those."""

    size: int
    sample_size: int
    relevant: int


@dataclass(frozen=True, slots=True)
class ElusionEstimate:
    """The number of relevant passages that were probably missed: ``expected``, between ``low`` and ``high``.

    ``recall`` is the share of all relevant ones that was found, between ``recall_low`` and ``recall_high`` (None if
    nothing relevant is known). ``judged`` passages were sampled of ``unread`` that nobody looked at; ``found`` are
    known to bear on it among those looked at.
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


def words(hypothesis: str, estimate: ElusionEstimate) -> str:
    """Put an estimate in words of whole passages, never surer than it is, or say what to do to get one."""
    if not estimate.unread:
        return f"Every passage was looked at for {hypothesis}: none can have been missed."
    if not estimate.judged:
        return (
            f"It is not known yet what was missed for {hypothesis}: judge some of the {estimate.unread:,} passages "
            "that nobody looked at."
        )
    sample_words = f"{estimate.judged:,} of {estimate.unread:,} unread passages judged"
    if estimate.recall is None or estimate.recall_low is None or estimate.recall_high is None:
        return f"Nothing that bears on {hypothesis} is known so far, found or missed: {sample_words}."
    low, high = max(0, math.floor(10 * estimate.recall_low)), min(10, math.ceil(10 * estimate.recall_high))
    sentence = (
        f"Of what bears on {hypothesis}, probably {_of_ten(estimate.recall)} passages were found "
        f"(between {low} and {high} of 10, at {100 * estimate.confidence:.0f}%): {sample_words}."
    )
    if high - low >= 8:
        sentence += " So few were judged that nearly anything is possible: judge more."
    return sentence


def _of_ten(share: float) -> str:
    """'8 of 10'; nothing is rounded to all or to none."""
    if share >= 1:
        return "all"
    tenths = round(10 * share)
    if tenths >= 10:
        return "more than 9 of 10"
    return f"{tenths} of 10" if tenths or share <= 0 else "fewer than 1 of 10"


def sample(next_ranked: Sequence[int], unread: Collection[int], size: int, *, seed: str) -> list[int]:
    """Draw passages to judge: half from those ranked next, half from all others.

    Their order says nothing about which is which. The same seed draws the same; a larger size keeps what a smaller one
    drew.
    """

    def in_order_of_lot(chunks: Collection[int]) -> list[int]:
        return sorted(set(chunks), key=lambda chunk: (_lot(seed, chunk), chunk))

    first, second = in_order_of_lot(next_ranked[:NEXT]), in_order_of_lot(set(unread) - set(next_ranked[:NEXT]))
    share = (size + 1) // 2
    selection = first[:share] + second[: size - min(share, len(first))]
    selection += first[share : share + size - len(selection)]
    return sorted(selection[:size], key=lambda chunk: (_lot(seed + "/order", chunk), chunk))


def estimate(relevant: int, strata: Sequence[Stratum], *, confidence: float = CONFIDENCE) -> ElusionEstimate:
    """Estimate what was missed, beside ``relevant`` passages known so far among those looked at.

    A stratum without a sample may hold anything. Raises ValueError for counts that cannot be.
    """
    mean = low = high = 0.0
    filled_strata = [stratum for stratum in strata if stratum.size]
    error = (1 - confidence) / max(1, len(filled_strata))
    for stratum in filled_strata:
        if not 0 <= stratum.relevant <= stratum.sample_size <= stratum.size:
            raise ValueError("more relevant than judged, or more judged than there are")
        left = stratum.size - stratum.sample_size
        below, above = interval(stratum.relevant, stratum.sample_size, 1 - error)
        share = stratum.relevant / stratum.sample_size if stratum.sample_size else 0.5
        mean += share * left + stratum.relevant
        low += max(below * stratum.size, stratum.relevant)
        high += min(above * stratum.size, stratum.relevant + left)
    sample_size = sum(stratum.sample_size for stratum in filled_strata)

    def recall(misses: float) -> float | None:
        return relevant / (relevant + misses) if relevant + misses > 0 else None

    unread = sum(stratum.size for stratum in filled_strata)
    shares = recall(mean), recall(high), recall(low)
    return ElusionEstimate(mean, low, high, *shares, sample_size, confidence, relevant, unread)


def interval(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return the exact two-sided interval of a share (Clopper and Pearson 1934); (0, 1) without trials."""
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
    total = math.lgamma(trials + 1)
    terms = (
        math.exp(total - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * up + (trials - k) * down)
        for k in range(hits + 1)
    )
    return min(1.0, math.fsum(terms))


def _lot(seed: str, chunk: int) -> bytes:
    return hashlib.sha256(f"{seed}/{chunk}".encode()).digest()
