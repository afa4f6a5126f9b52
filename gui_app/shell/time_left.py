"""How long a job still takes, from how fast it went so far: said only where that is worth something."""

from __future__ import annotations

LEAST_STEPS = 2  # steps done before a rate is believed
LEAST_SECONDS = 4.0  # and time that they took
MEMORY = 0.7  # weight of the rate before against that of the newest steps


class TimeLeft:
    """The pace of one job. It begins again with another total, which is another stage."""

    def __init__(self) -> None:
        self._total = 0
        self._first = (0, 0.0)  # count and time at which the stage began
        self._last = (0, 0.0)
        self._pace = 0.0  # seconds a step

    def take(self, count: int, total: int, now: float) -> str:
        """Take in how far the job is at ``now`` (seconds); return how long it still takes in words, '' if unknown."""
        if total != self._total or count < self._last[0]:
            self._total, self._first, self._last, self._pace = total, (count, now), (count, now), 0.0
        steps = count - self._last[0]
        if steps > 0:
            newest = (now - self._last[1]) / steps
            self._pace = newest if not self._pace else MEMORY * self._pace + (1 - MEMORY) * newest
            self._last = (count, now)
        if not total or count >= total or count - self._first[0] < LEAST_STEPS:
            return ""
        if now - self._first[1] < LEAST_SECONDS:
            return ""
        overall = (self._last[1] - self._first[1]) / (self._last[0] - self._first[0])
        return in_words((total - count) * (self._pace + overall) / 2)


def in_words(seconds: float) -> str:
    """Word a time that is left, no more exactly than it is known."""
    if seconds < 50:
        return "less than a minute left"
    minutes = round(seconds / 60)
    if minutes < 90:
        step = 1 if minutes < 10 else 5
        minutes = max(1, round(minutes / step) * step)
        return f"about {minutes} min left"
    hours = seconds / 3600
    return f"about {hours:.0f} h left" if hours >= 9.5 else f"about {round(hours * 2) / 2:g} h left"
