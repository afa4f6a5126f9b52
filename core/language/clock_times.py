"""Times of day in texts: '02:41', '4.10 p.m.', 'half past two', 'a quarter to three', 'two in the morning', 'noon'.

Pure, and for English. Without 'a.m.' or 'p.m.' a time in words may be of either half of the day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.english import COUNTS, any_of

_HOUR_OF = {word: number for number, word in enumerate(COUNTS, start=1)}
_MINUTES = {"quarter": 15, "a quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30, **_HOUR_OF}
_HOUR = rf"(?:{any_of(COUNTS)}|\d{{1,2}})"
_FIGURES = re.compile(
    r"(?<![\d:.,/$€£-])(\d{1,2})[:.](\d{2})(?::\d{2})?(?:\s?([ap])\.?\s?m\b\.?|\s?(?:h|hours|hrs|o'clock)\b)?(?![\d:%]|[.,/]\d)",
    re.IGNORECASE,
)
_ALONE = re.compile(r"(?<![\d:.,/$€£-])(\d{1,2})\s?([ap])\.?\s?m\b\.?", re.IGNORECASE)
_WORDED = re.compile(
    rf"\b((?:{'|'.join(sorted(map(re.escape, _MINUTES), key=len, reverse=True))})|\d{{1,2}})(?:\sminutes?)?\s"
    rf"(past|to|before|after)\s({_HOUR})\b(?!\s(?:minutes|people|years|days|hours|weeks|months|percent))",
    re.IGNORECASE,
)
_AT = re.compile(r"\b(?:at|around|about|by|until|till|before|after|from|since)\s$", re.IGNORECASE)
_OF_A_HALF = re.compile(
    rf"\b({_HOUR})(?:\so['’]clock)?\s(?:in\sthe\s(morning|afternoon|evening)|at\s(night))\b", re.IGNORECASE
)
_HALF = re.compile(r"\s(?:in\sthe\s(morning|afternoon|evening)|at\s(night))\b", re.IGNORECASE)
_NAMES = re.compile(r"\b(noon|midday|midnight)\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:about|around|approximately|roughly|circa|shortly (?:before|after)|before|after|by)\s(?:at\s)?(?:a\s)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day in a text: text[start:end] is ``minute`` of the day, give or take ``slack`` minutes.

    ``is_certain``: which half of the day is known.
    """

    start: int
    end: int
    text: str
    minute: int
    is_certain: bool
    slack: int = 0


def clock_times_in(text: str) -> tuple[ClockTime, ...]:
    """Find the times of day of a text, in order and without overlap."""
    rows: list[ClockTime] = []
    for match in _FIGURES.finditer(text):
        hour, minute = int(match.group(1)), int(match.group(2))
        half = (match.group(3) or "").lower()
        has_colon = text[match.start(2) - 1] == ":"
        if minute > 59 or hour > 23 or (not has_colon and not half) or (half and not 1 <= hour <= 12):
            continue
        is_certain = bool(half) or hour > 12 or len(match.group(1)) == 2
        rows.append(_time(text, match, _of_day(hour, half) * 60 + minute, is_certain))
    for match in _ALONE.finditer(text):
        if 1 <= int(match.group(1)) <= 12:
            rows.append(_time(text, match, _of_day(int(match.group(1)), match.group(2).lower()) * 60, True))
    for match in _WORDED.finditer(text):
        amount = match.group(1).casefold()
        minutes = _MINUTES.get(amount) or (int(amount) if amount.isdigit() else 0)
        word = match.group(3).casefold()
        hour = _HOUR_OF.get(word) or (int(word) if word.isdigit() else 0)
        if not 1 <= hour <= 12 or not 0 < minutes < 60:
            continue
        if (amount.isdigit() and word.isdigit()) and not _AT.search(text, 0, match.start()):
            continue  # 'levels 2 to 4'
        sign = 1 if match.group(2).casefold() in ("past", "after") else -1
        half = _HALF.match(text, match.end())
        hour, day = (_in_half(hour, half), 1_440) if half else (hour % 12, 720)
        rows.append(_time(text, match, (hour * 60 + sign * minutes) % day, half is not None, slack=1))
    for match in _OF_A_HALF.finditer(text):
        word = match.group(1).casefold()
        hour = _HOUR_OF.get(word) or (int(word) if word.isdigit() else 0)
        if 1 <= hour <= 12:
            rows.append(_time(text, match, _in_half(hour, match, group=2) * 60, True))
    for match in _NAMES.finditer(text):
        rows.append(_time(text, match, 0 if match.group(1).casefold() == "midnight" else 720, True))
    result: list[ClockTime] = []
    for row in sorted(rows, key=lambda row: (row.start, -row.end)):
        if not result or row.start >= result[-1].end:
            result.append(row)
    return tuple(result)


def differ(left: ClockTime, right: ClockTime) -> bool:
    """Return whether two times of day cannot be the same."""
    day = 1_440 if left.is_certain and right.is_certain else 720
    gap = abs(left.minute - right.minute) % day
    return min(gap, day - gap) > left.slack + right.slack


def _of_day(hour: int, half: str) -> int:
    return hour % 12 + (12 if half == "p" else 0) if half else hour


def _in_half(hour: int, match: re.Match[str], *, group: int = 1) -> int:
    """Return an hour in the half of the day that two groups of a match name: nine at night is 21, two at night is 2."""
    is_late = 6 <= hour < 12 if match.group(group + 1) else match.group(group).casefold() != "morning"
    return _of_day(hour, "p" if is_late else "a")


def _time(text: str, match: re.Match[str], minute: int, is_certain: bool, *, slack: int = 0) -> ClockTime:
    if _ABOUT.search(text[max(0, match.start() - 24) : match.start()]):
        slack = 15
    return ClockTime(match.start(), match.end(), match.group(), minute, is_certain, slack)
