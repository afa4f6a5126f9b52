"""Dates for a timeline: where each lies on the axis, and what it says in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from core.english import MONTHS

if TYPE_CHECKING:
    from core.language.dates import DateMention

MINUTES = 1_440  # of a day
LONG = {"month", "quarter", "half", "season", "year", "decade", "century"}  # drawn as bars


@dataclass(frozen=True, slots=True)
class TimeMark:
    """A date on the axis: from the day ``first`` to the day ``last``, both included, counted from the year 1.

    ``days`` are the candidates for a single day that is in doubt, ``minutes`` the time of that day, two where the half
    of the day is open. ``evidence`` are the rows of the matrix
    whose quote has it. ``target`` is (document, page, start, end).
    """

    first: int
    last: int
    words: str
    doubt: str
    description: str
    long: bool
    days: tuple[int, ...] = ()
    evidence: tuple[str, ...] = ()
    target: Any = None
    minutes: tuple[int, ...] = ()

    def moments(self) -> tuple[float, ...]:
        """Return where its dots stand, in days: at its time of day, else in the middle of what it leaves open."""
        if self.minutes:
            return tuple(self.first + minute / MINUTES for minute in self.minutes)
        return tuple(day + 0.5 for day in self.days) or ((self.first + self.last + 1) / 2,)

    def begin(self) -> float:
        """Return from when on it may be, in days."""
        return self.moments()[0] if self.minutes else self.first

    def is_in(self, begin: float, end: float) -> bool:
        """Return whether it is a time of day that may lie between two moments, in days."""
        return bool(self.minutes) and any(begin <= moment <= end for moment in self.moments())


@lru_cache(maxsize=100_000)
def day_number(iso: str) -> int:
    """Return the day of an ISO date or time."""
    return date.fromisoformat(iso[:10]).toordinal()


def day_words(day: int) -> str:
    """Return '18 May 2011'."""
    on = date.fromordinal(max(1, min(day, date.max.toordinal())))
    return f"{on.day} {MONTHS[on.month - 1]} {on.year}"


def clock_words(moment: float) -> str:
    """Return the time of day of a moment: '14:05'."""
    minute = int(moment % 1 * MINUTES)
    return f"{minute // 60:02}:{minute % 60:02}"


def date_words(mention: DateMention) -> str:
    """Return a date as a person says it, with both readings where there are two."""
    if mention.readings:
        return " or ".join(day_words(day_number(day)) for day in mention.readings)
    first, last = day_number(mention.earliest), day_number(mention.latest)
    if mention.precision == "time":
        times = dict.fromkeys((mention.earliest[11:16], mention.latest[11:16]))
        return f"{day_words(first)}, {' or '.join(times)}"
    if first == last:
        return day_words(first)
    begins, ends = date.fromordinal(first), date.fromordinal(last)
    whole_months = begins.day == 1 and date.fromordinal(last + 1).day == 1
    if whole_months and begins.month == 1 and ends.month == 12:
        return f"{begins.year}" if begins.year == ends.year else f"{begins.year}–{ends.year}"
    if whole_months:
        if (begins.year, begins.month) == (ends.year, ends.month):
            return f"{MONTHS[begins.month - 1]} {begins.year}"
        return f"{MONTHS[begins.month - 1]} {begins.year} – {MONTHS[ends.month - 1]} {ends.year}"
    return f"{day_words(first)} – {day_words(last)}"


def mark_of(
    mention: DateMention, doubts: dict[str, str], *, where: str, target: Any = None, evidence: Sequence[str] = ()
) -> TimeMark:
    """Return a mark for a date; ``where`` is its place in words."""
    first, last = day_number(mention.earliest), day_number(mention.latest)
    words = date_words(mention)
    doubt = doubts.get(mention.doubt, mention.doubt)
    days = tuple(day_number(day) for day in mention.readings)
    parts = [words]
    if mention.text and mention.text.strip() != words:
        parts.append(f"written “{' '.join(mention.text.split())}”")
    parts.append(where)
    if doubt:
        parts.append(f"in doubt: {doubt}")
    if evidence:
        parts.append(f"quoted in {', '.join(evidence)}")
    return TimeMark(
        first,
        last,
        words,
        doubt,
        "; ".join(parts),
        not days and (mention.precision in LONG or last > first),
        days,
        tuple(evidence),
        target,
        _minutes(mention) if mention.precision == "time" else (),
    )


def _minutes(mention: DateMention) -> tuple[int, ...]:
    """Return the minutes of the day at which a time may be."""
    times = dict.fromkeys((mention.earliest[11:16], mention.latest[11:16]))
    return tuple(int(time[:2]) * 60 + int(time[3:]) for time in times)
