"""The axis of a timeline in days counted from the year 1: the stretch on show, zoomed and moved, and its ticks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from gui_app.search.timeline_model import MINUTES, TimeMark

_NEAREST = 4.0  # days: no closer
_NEAREST_HOURS = 1 / 12  # days: no closer where there are times of day
_HOURS = 3.0  # days on show up to which times of day are told apart
_TICK_ROOM = 84  # pixels from one tick to the next, for its words
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@dataclass(slots=True)
class TimeAxis:
    """The days from ``begin`` to ``end`` are on show, out of the ``span`` of all dates."""

    begin: float = 0.0
    end: float = 1.0
    span: tuple[float, float] = (0.0, 1.0)
    nearest: float = _NEAREST

    def has_hours(self) -> bool:
        """Return whether so little is on show that times of day are told apart."""
        return self.nearest < _NEAREST and self.width() <= _HOURS

    def width(self) -> float:
        """Return how many days are on show."""
        return self.end - self.begin

    def show_marks(self, marks: Sequence[TimeMark], *, keep: bool) -> None:
        """Take the span of these dates, and show where most of them lie; ``keep`` the stretch on show."""
        self.span = whole(marks)
        self.nearest = _NEAREST_HOURS if any(mark.minutes for mark in marks) else _NEAREST
        if not keep or self.end <= 1:  # nothing was on show
            self.begin, self.end = hours(marks) or dense(marks, self.span)

    def show_whole(self) -> None:
        """Show all dates."""
        self.begin, self.end = self.span

    def zoom(self, factor: float, around: float | None = None) -> None:
        """Show less where ``factor`` is over 1; ``around`` is the day that stays where it is."""
        middle = (self.begin + self.end) / 2 if around is None else around
        wide = min(max(self.width() / factor, self.nearest), (self.span[1] - self.span[0]) * 1.2)
        share = (middle - self.begin) / self.width()
        self.begin = middle - share * wide
        self.end = self.begin + wide
        self._hold()

    def pan(self, share: float) -> None:
        """Move the stretch on show by a share of its width."""
        shift = share * self.width()
        self.begin, self.end = self.begin + shift, self.end + shift
        self._hold()

    def bring(self, day: float) -> bool:
        """Bring a day into the middle unless it is on show; return whether anything moved."""
        if self.begin <= day <= self.end:
            return False
        wide = self.width()
        self.begin, self.end = day - wide / 2, day + wide / 2
        self._hold()
        return True

    def _hold(self) -> None:
        """Keep something of the dates on show."""
        wide = self.width()
        low, high = self.span[0] - wide * 0.5, self.span[1] + wide * 0.5
        if self.begin < low:
            self.begin, self.end = low, low + wide
        elif self.end > high:
            self.begin, self.end = high - wide, high

    def ticks(self, room: float) -> Iterator[tuple[float, str, bool]]:
        """Yield (day, words, whether a greater unit begins), so far apart that the words have room.

        ``room`` is the width of the axis in pixels.
        """
        least = _TICK_ROOM * self.width() / room  # days between two ticks
        first = date.fromordinal(max(1, int(self.begin)))
        last = min(int(self.end) + 1, date.max.toordinal())
        if least <= 0.5 and self.has_hours():
            yield from _hours(self.begin, min(self.end, float(last)), least)
            return
        if least <= 15:
            yield from _days(max(1, int(self.begin)), last, least)
            return
        months = next((count for count in (1, 2, 3, 6) if count * 30 >= least), 0)
        if months:
            yield from _months(first, last, months)
            return
        years = next((count for count in (1, 2, 5, 10, 20, 50, 100, 200) if count * 365 >= least), 500)
        year = max(1, first.year // years * years)
        while year <= 9999 and (day := date(year, 1, 1).toordinal()) <= last:
            yield day, str(year), year % (10 * years) == 0
            year += years


def _hours(begin: float, end: float, least: float) -> Iterator[tuple[float, str, bool]]:
    """Yield the hours from ``begin`` to ``end``; the first, and each midnight, has its day with it."""
    step = next(minutes for minutes in (5, 10, 15, 30, 60, 120, 180, 240, 360, 720) if minutes / MINUTES >= least)
    first = minute = -(-int(max(1.0, begin) * MINUTES) // step) * step
    while minute / MINUTES <= end:
        day, rest = divmod(minute, MINUTES)
        on, has_day = date.fromordinal(day), rest == 0 or minute == first
        words = [f"{on.day} {_MONTHS[on.month - 1]} {on.year}"] * has_day
        yield minute / MINUTES, ", ".join([*words, *[f"{rest // 60:02}:{rest % 60:02}"] * bool(rest)]), has_day
        minute += step


def _days(day: int, last: int, least: float) -> Iterator[tuple[int, str, bool]]:
    step = next(days for days in (1, 2, 5, 7, 15) if days >= least or days == 15)
    while day <= last:
        on = date.fromordinal(day)
        if step == 1 or on.day == 1 or ((on.day - 1) % step == 0 and on.day + step // 2 <= 30):
            yield day, f"{on.day} {_MONTHS[on.month - 1]} {on.year}", on.day == 1
        day += 1


def _months(first: date, last: int, months: int) -> Iterator[tuple[int, str, bool]]:
    year, month = first.year, (first.month - 1) // months * months + 1
    while (day := date(year, month, 1).toordinal()) <= last:
        yield day, f"{_MONTHS[month - 1]} {year}", month == 1
        month += months
        year, month = year + (month - 1) // 12, (month - 1) % 12 + 1


def dense(marks: Sequence[TimeMark], span: tuple[float, float]) -> tuple[float, float]:
    """Return the shortest stretch in which nine of ten dates lie, where it is a small part of the span.

    One date far off would press all others into one column.
    """
    days = sorted((mark.first + mark.last) / 2 for mark in marks if mark.last - mark.first < 370)
    many = -(-9 * len(days) // 10)
    if many < 5 or many == len(days):
        return span
    start = min(range(len(days) - many + 1), key=lambda n: (days[n + many - 1] - days[n], n))
    first, last = days[start], days[start + many - 1] + 1
    if last - first > (span[1] - span[0]) / 4:
        return span
    room = max(7.0, (last - first) * 0.05)
    return max(span[0], first - room), min(span[1], last + room)


def hours(marks: Sequence[TimeMark]) -> tuple[float, float] | None:
    """Return the shortest stretch with nine of ten times of day, where nine of ten days named are one or two in a row.

    None for dates of longer than that, and for too few times.
    """
    days = sorted(mark.first for mark in marks if mark.first == mark.last)
    times = sorted(moment for mark in marks if len(mark.minutes) == 1 for moment in mark.moments())
    if len(times) < 3 or max(bisect_right(days, day + 1) - index for index, day in enumerate(days)) < 0.9 * len(days):
        return None
    many = -(-9 * len(times) // 10)
    start = min(range(len(times) - many + 1), key=lambda n: (times[n + many - 1] - times[n], n))
    first, last = times[start], times[start + many - 1]
    room = max(0.5 / 24, (last - first) * 0.05)
    return first - room, last + room


def whole(marks: Sequence[TimeMark]) -> tuple[float, float]:
    """Return the stretch from shortly before the first date to shortly after the last.

    Bars longer than ten years do not widen it while there are shorter ones.
    """
    short = [mark for mark in marks if mark.last - mark.first < 3700] or list(marks)
    if not short:
        return 0.0, 1.0
    first, last = min(mark.first for mark in short), max(mark.last for mark in short) + 1
    least = 0.25 if any(mark.minutes for mark in short) and last - first <= _HOURS else 2.0
    room = max(least, (last - first) * 0.03)
    return first - room, last + room
