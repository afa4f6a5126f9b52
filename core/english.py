"""The words of English for numbers, months and days of the week."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

_UP_TO_NINETEEN = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBERS: dict[str, float] = {
    **{word: float(value) for value, word in enumerate(_UP_TO_NINETEEN)},
    **{word: 10.0 * tens for tens, word in enumerate(_TENS, start=2)},
}
COUNTS = _UP_TO_NINETEEN[1:13]  # those that are mostly written as words
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
SHORT_SCALES = {"mn": 1e6, "bn": 1e9}
VOWELS = frozenset("aeiouy")
FIRST_PERSON = re.compile(r"\b(?:I|me|my|we|us|our)\b")
MONTHS = (  # those of strftime follow the computer's language
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTH_NUMBERS = {
    **{month.lower(): number for number, month in enumerate(MONTHS, start=1)},
    **{month[:3].lower(): number for number, month in enumerate(MONTHS, start=1)},
    "sept": 9,
}
CALENDAR = frozenset((*MONTH_NUMBERS, *(day.lower() for day in WEEKDAYS)))


def any_of(words: Iterable[str]) -> str:
    """Return the pattern of any of some words, longer ones first."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def spelled_number(words: str) -> tuple[float, float] | None:
    """Return the value of a number in words and the worth of its last word; None for what is none ('two three')."""
    total = part = 0.0
    last, step = math.inf, 1.0
    for word in re.findall(r"[a-z]+", words.casefold()):
        scale = SCALES.get(word, 12.0 if word == "dozen" else 0.0)
        if scale:
            part = (part or 1.0) * scale
            if scale >= 1e3:
                total, part = total + part, 0.0
            last, step = math.inf, scale
        elif word not in ("a", "and"):
            value = 0.5 if word == "half" else NUMBERS.get(word, last)
            if value >= last or last < 20:
                return None
            part += value
            last, step = value, 1.0
    return total + part, step
