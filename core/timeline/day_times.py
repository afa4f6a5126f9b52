"""Times of day in texts, each on the day it belongs to: 'At 07:58' in a log of 3 May 2026. Pure.

A time in the sentence of a day is of that day. Any other is of the day named last before it, and else of the day of
its document; unless the text leads on from that day, the day is in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from core.domain import Span
from core.english import CALENDAR, WEEKDAYS
from core.language.clock_times import ClockTime, clock_times_in
from core.language.dates import DateMention
from core.language.lexicon import words_of
from core.text import sentences

_HALF = 720  # minutes of half a day
_ABOUT = 15  # minutes from which a time is not exact
_OF_24_HOURS = re.compile(r"(?:1[3-9]|2[0-3]):\d\d")
_WORD = re.compile(r"[^\W\d_]+")
_CLOSED = (".", "!", "?", "…")


@dataclass(frozen=True, slots=True)
class _Day:
    """The day that a text has come to, and how far what follows is of that day too."""

    day: str
    until: Literal["", "paragraph", "next day"] = ""


def with_times(passages: Sequence[tuple[str, Sequence[DateMention]]], own_day: str) -> list[tuple[DateMention, ...]]:
    """Return the dates of each passage (text, dates) of a document, with the times of day that have a day.

    ``passages`` are in order of reading, ``own_day`` is the day of the document, '' where it has none. A day with
    times in its sentence stands in these alone.
    """
    days = {mention.earliest[:10] for _, mentions in passages for mention in mentions if _is_day(mention)}
    if not days and not own_day:
        return [tuple(mentions) for _, mentions in passages]
    has_24_hours = any(_OF_24_HOURS.search(text) for text, _ in passages)
    current = _Day(own_day)
    result = []
    for text, mentions in passages:
        row, current = _in_passage(text, mentions, current, is_only=len(days) == 1, has_24_hours=has_24_hours)
        result.append(row)
        current = _without_paragraph(current)
    return result


def _in_passage(
    text: str, mentions: Sequence[DateMention], current: _Day, *, is_only: bool, has_24_hours: bool
) -> tuple[tuple[DateMention, ...], _Day]:
    """Return the dates and times of one passage, and the day that it ends with."""
    days = [mention for mention in mentions if _is_day(mention)]
    times = [
        time
        for time in clock_times_in(text)
        if not any(time.start < mention.end and mention.start < time.end for mention in mentions)
    ]
    if not times and not days:
        return tuple(mentions), current
    rows, days_with_time = list(mentions), set()
    end = 0
    for span in sentences(text):
        if "\n\n" in text[end : span.start]:
            current = _without_paragraph(current)
        end = span.end
        own_days = [mention for mention in days if span.start <= mention.start < span.end]
        own_times = [time for time in times if span.start <= time.start < span.end]
        if not own_days and _names_another_day(text, span, current.day):
            current = replace(current, until="")
        for time in own_times:
            if own_days:
                before = [mention for mention in own_days if mention.start < time.start]
                mention = before[-1] if before else own_days[0]
                days_with_time.add(mention)
                row = _mention(time, mention.earliest[:10], sure=True, has_24_hours=has_24_hours)
                rows.append(replace(row, doubt=row.doubt or mention.doubt))
            elif current.day:
                rows.append(_mention(time, current.day, sure=bool(current.until), has_24_hours=has_24_hours))
        if own_days:
            has_time = bool(own_times) or any(mention.precision == "time" for mention in own_days)
            current = _Day(own_days[-1].earliest[:10], _reach(text, span, has_time=has_time, is_only=is_only))
    result = (row for row in rows if row not in days_with_time or row.precision == "time")
    return tuple(sorted(result, key=lambda row: (row.start, row.end))), current


def _without_paragraph(current: _Day) -> _Day:
    return replace(current, until="") if current.until == "paragraph" else current


def _reach(text: str, span: Span, *, has_time: bool, is_only: bool) -> Literal["", "paragraph", "next day"]:
    """Return how far what follows a sentence is of its day: a heading or the only day holds until the next."""
    if _is_record(text, span):
        return ""
    is_heading = not text[span.start : span.end].endswith(_CLOSED)
    return "next day" if is_only or is_heading else "paragraph" if has_time else ""


def _is_day(mention: DateMention) -> bool:
    is_sure = mention.doubt in ("", "no year")
    return mention.precision in ("day", "time") and is_sure and mention.earliest[:10] == mention.latest[:10]


def _is_record(text: str, span: Span) -> bool:
    """Return whether a sentence says when a statement was taken: what it tells of was on another day."""
    words = {word.casefold() for word in _WORD.findall(text[span.start : span.end])}
    return bool(words & words_of("en", "recording"))


def _names_another_day(text: str, span: Span, day: str) -> bool:
    """Return whether a sentence without a date has a word for another day: 'Friday', '3 May', 'the next morning'."""
    own = WEEKDAYS[date.fromisoformat(day).weekday()] if day else ""
    words = _WORD.findall(text[span.start : span.end])
    return any(
        (word[0].isupper() and word.casefold() in CALENDAR and word != own)
        or word.casefold() in words_of("en", "other_day")
        for word in words
    )


def _mention(time: ClockTime, day: str, *, sure: bool, has_24_hours: bool) -> DateMention:
    """Put a time of day on a day; of either half where the text leaves that open."""
    is_certain = time.is_certain or (has_24_hours and time.text[:1].isdigit() and ":" in time.text)
    first = time.minute if is_certain else time.minute % _HALF
    last = first if is_certain else first + _HALF
    doubt = "about" if time.slack >= _ABOUT else "" if is_certain else "half"
    return DateMention(
        *(time.start, time.end, time.text, f"{day}T{_clock(first)}", f"{day}T{_clock(last)}", "time"),
        doubt if sure else "day",
    )


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
