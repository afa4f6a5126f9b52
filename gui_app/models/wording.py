"""Probabilities in figures, the same in every list and screen."""

from __future__ import annotations

from core.domain import Verdict


def two_digits(value: float) -> str:
    """A probability as it stands in the window: '.81'. Never rounded up to certainty or down to impossibility."""
    return f"{min(0.99, max(0.01, value)):.2f}".removeprefix("0")


def probability_of(verdict: Verdict) -> float:
    """The probability of the label that the verdict amounts to; of its best one for 'ambiguous'."""
    p = verdict.probabilities
    by_label = {"supports": p.supports, "contradicts": p.contradicts, "neutral": p.neutral}
    return by_label.get(verdict.label, max(by_label.values()))
