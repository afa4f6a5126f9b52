"""Probabilities in figures, the same in every list and screen."""

from __future__ import annotations

from core.domain import Verdict
from core.verdicts.labels import ModelCard


def two_digits(value: float) -> str:
    """Word a probability as '.81', never rounded up to certainty or down to impossibility."""
    return f"{min(0.99, max(0.01, value)):.2f}".removeprefix("0")


def exam_words(card: ModelCard) -> str:
    """Return what a model reached in its exam, for the line below its name."""
    if card.right is None:
        return "It has not taken the exam."
    value, low, high = card.right
    if card.clues is None:
        return f"In its exam {value:.0%} right ({low:.0%} to {high:.0%}; chance is 33%)"
    right, least, highest, chance = card.clues
    return (
        f"In its exam direct statements {value:.0%} right ({low:.0%} to {high:.0%}; chance is 33%), "
        f"indirect evidence {right:.0%} ({least:.0%} to {highest:.0%}; chance is {chance:.0%})"
    )


def probability_of(verdict: Verdict) -> float:
    """Return the probability of the label that the verdict amounts to; of its best one for 'ambiguous'."""
    p = verdict.probabilities
    match verdict.label:
        case "supports":
            return p.supports
        case "contradicts":
            return p.contradicts
        case "neutral":
            return p.neutral
    return max(p.supports, p.contradicts, p.neutral)
