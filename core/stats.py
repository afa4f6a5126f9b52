"""Shares with their intervals of 95%, wherever something is counted as right or wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

_Z = 1.959964  # 97.5% of the normal distribution


def logistic(value: float) -> float:
    """Return the logistic of a value, which is bounded to 30 either way."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


@dataclass(frozen=True, slots=True)
class Proportion:
    """A figure in 0..1 with its interval of 95%; ``n`` answers are behind it."""

    value: float
    low: float
    high: float
    n: int


def wilson_interval(right: int, n: int) -> Proportion:
    """Return the share ``right`` of ``n`` with Wilson's interval; of nothing nothing is known: 0 in 0..1.

    Wilson 1927, Probable inference, the law of succession, and statistical inference.
    """
    if n == 0:
        return Proportion(0.0, 0.0, 1.0, 0)
    share = right / n
    middle = (share + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    margin = _Z / (1 + _Z * _Z / n) * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
    low, high = max(0.0, middle - margin), min(1.0, middle + margin)
    return Proportion(round(share, 4), round(min(low, share), 4), round(max(high, share), 4), n)


def newcombe_interval(earlier: Proportion, later: Proportion) -> tuple[float, float, float]:
    """Return how much greater ``later`` is than ``earlier``, with the interval, by Newcombe's tenth method.

    It joins two intervals of Wilson (Newcombe 1998, Interval estimation for the difference between independent
    proportions).
    """
    change = later.value - earlier.value
    low = change - math.hypot(later.value - later.low, earlier.high - earlier.value)
    high = change + math.hypot(later.high - later.value, earlier.value - earlier.low)
    return change, low, high


@dataclass(frozen=True, slots=True)
class Fit:
    """The weights of a regression over some signs: probability = 1 / (1 + exp(-(intercept + sum of weight * sign)))."""

    intercept: float
    weights: Mapping[str, float]

    def probability(self, signs: object) -> float:
        """Return how likely it is by these signs: the values of its attributes."""
        value = self.intercept + sum(weight * getattr(signs, name) for name, weight in self.weights.items())
        return logistic(value)
