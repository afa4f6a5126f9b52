"""Figures on a case: a share or a count, how many items are behind it, and what it was measured on.

There is no single accuracy of a case. Shares of fewer than ``MIN_FOR_PERCENT`` items are said as counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.stats import Proportion, wilson_interval

Part = Literal["sources", "scans", "retrieval", "verdicts", "answers", "conflicts", "audits"]
PARTS: dict[Part, str] = {
    "sources": "Sources",
    "scans": "Scans",
    "retrieval": "Search",
    "verdicts": "Verdicts of the model",
    "answers": "Answers",
    "conflicts": "Conflicts",
    "audits": "Audits",
}
Basis = Literal["counted here", "judged here", "estimated here", "measured elsewhere"]
BASES: dict[Basis, str] = {
    "counted here": "counted in this case",
    "judged here": "what people decided in this case",
    "estimated here": "estimated from a sample of this case",
    "measured elsewhere": "measured on other texts, not on this case",
}
MIN_FOR_PERCENT = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    ``value`` is a share in 0..1 with its interval of 95% where ``is_share``, else a number; None: not known, and
    ``note`` says why. ``n`` is the number of items behind it.
    """

    part: Part
    name: str
    value: float | None
    n: int
    basis: Basis
    low: float | None = None
    high: float | None = None
    is_share: bool = True
    note: str = ""

    @property
    def text(self) -> str:
        """Write the value as a person reads it: '70% (52% to 83%) of 30', '3 of 7', '12', 'not known'."""
        if self.value is None:
            return "not known"
        if not self.is_share:
            return f"{self.value:,.1f}".rstrip("0").rstrip(".")
        if self.n < MIN_FOR_PERCENT:
            return f"{round(self.value * self.n):,} of {self.n:,}"
        interval = ""
        if self.low is not None and self.high is not None:
            interval = f" ({_per_cent(self.low)} to {_per_cent(self.high)})"
        return f"{_per_cent(self.value)}{interval} of {self.n:,}"


def share(part: Part, name: str, count: int, n: int, basis: Basis, note: str = "") -> Figure:
    """Return a share with Wilson's interval; one of nothing is not known.

    What was counted to the last item has no interval: nothing of it is uncertain.
    """
    if not n:
        return Figure(part, name, None, 0, basis, note=note)
    if basis == "counted here":
        return Figure(part, name, round(count / n, 4), n, basis, note=note)
    return of_proportion(part, name, wilson_interval(count, n), basis, note)


def of_proportion(part: Part, name: str, of: Proportion, basis: Basis, note: str = "") -> Figure:
    """Return a share that was worked out elsewhere, with its interval."""
    if not of.n:
        return Figure(part, name, None, 0, basis, note=note)
    return Figure(part, name, of.value, of.n, basis, of.low, of.high, note=note)


def number(part: Part, name: str, value: float, n: int, note: str = "") -> Figure:
    """Return a number that was counted in the case."""
    return Figure(part, name, value, n, "counted here", is_share=False, note=note)


def middle(values: Sequence[int]) -> float | None:
    """Return the median; None of nothing."""
    if not values:
        return None
    ascending = sorted(values)
    middle = len(ascending) // 2
    return float(ascending[middle]) if len(ascending) % 2 else (ascending[middle - 1] + ascending[middle]) / 2


def _per_cent(value: float) -> str:
    return f"{100 * value:.0f}%"
