"""Numbers in texts as intervals: '47 minutes' is 47, 'about 50' may be 45 to 55, 'more than 40' has no upper end.

Pure, and for English. Numbers of dates, times of day, codes and lists are not read here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.english import NUMBERS, SCALES, SHORT_SCALES, any_of, spelled_number
from core.language.lexicon import words_of
from core.text import POWER, power_of_ten

_SCALES = SCALES | SHORT_SCALES
_SCALE = any_of(_SCALES)
_WORDED = rf"(?:half(?=\sa\s)|{any_of((*NUMBERS, 'dozen', 'hundred', 'thousand', 'million', 'billion'))})"
_CURRENCY = r"US\$|C\$|A\$|HK\$|[$€£¥]"
_AMOUNT = re.compile(
    rf"(?<![\w.,:/#+])(?<![A-Za-z]-)(?P<sign>(?<!\S)-(?=\d))?(?P<currency>{_CURRENCY})?\s?"
    rf"(?:(?:{POWER}|(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<fraction>\s\d/\d{{1,2}})?)"
    rf"(?:\s?(?P<scale>(?:{_SCALE})\b)|(?P<letter>[mk])\b)?"
    rf"|(?P<words>\b{_WORDED}(?:(?:[\s-]|\sand\s)(?:a\s)?{_WORDED})*)\b)"
    r"(?![:/]\d|\w|-\d+-|-?(?-i:[A-Z])|[\"')]{0,2}(?-i:[A-Z])|,\d|\.\d)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_IN_YEAR = re.compile(r"\b(?:in|of|since|by|until|from|during|year|and|to)\s$", re.IGNORECASE)
# Before the number of a page, a form, a cable.
_REFERENCE = re.compile(
    r"(?:\b(?:pp?|pages?|no|nos|number|section|paragraph|para|chapter|room|item|volume|vol|article|form|line|box|file)\b\.?"
    r"|#|\b(?-i:[A-Z]{2,6}))\s?$",
    re.IGNORECASE,
)
_BEFORE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"(?:{words})\s(?:the\s|a\s)?$", re.IGNORECASE))
    for kind, words in (
        (
            "more",
            r"not? (?:fewer|less) than|(?<!no )(?<!not )more than|upwards? of|at least|over|above"
            r"|exceeding|exceeds?|beyond",
        ),
        (
            "less",
            r"not? more than|(?<!no )(?<!not )(?:fewer|less) than|at most|as (?:many|much) as|up to|under|below"
            r"|within|maximum of",
        ),
        ("nearly", "nearly|almost|close to|just under|not quite"),
        ("about", "about|around|approximately|roughly|some|circa|an estimated|estimated|or so"),
    )
)
_AFTER = re.compile(r"\s(?:or|and)\s(?:(?P<more>more|over|above)|fewer|less|under|below)\b", re.IGNORECASE)
_MOVES = re.compile(  # before what is no range: 'rose from 47 to 74'
    r"\b(?:rose|fell|grew|from|increased?|up|down|dropped|cut)\b[^.]{0,25}$", re.IGNORECASE
)
_RANGE = re.compile(r"^\s?(?:[-–—]|to|and|or)\s?$", re.IGNORECASE)
_HEAD = re.compile(r"(?:\s|-)((?:[A-Za-z][a-z]+|%)(?:[\s-][a-z]+){0,2})")
_PERCENT = re.compile(r"\s?(?:%|percent\b|per cent\b|percentage points?\b)")
_NO_UNITS = words_of("en", "no_unit")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: text[start:end] is ``value``, with its bounds ``low`` and ``high``.

    ``heads`` are the next words, singular, that may name the unit, or '%' or the sign of a currency. ``qualifier`` is
    '', 'about', 'nearly', 'more', 'less' or 'range'; ``step`` is the place value of the last digit.
    """

    start: int
    end: int
    text: str
    value: float
    low: float
    high: float
    heads: tuple[str, ...]
    qualifier: str = ""
    step: float = 1.0

    def rounded(self) -> tuple[float, float]:
        """Return the bounds of a number that may have been rounded to its last digit, as larger numbers are."""
        if self.qualifier or (abs(self.value) < 1_000 and self.value.is_integer()):
            return self.low, self.high
        half = self.step / 2
        return self.value - half, self.value + half


def quantities_in(text: str) -> tuple[Quantity, ...]:
    """Find the numbers of a text in order, without those of dates and codes; a range is one number."""
    singles = list(_singles(text))
    result: list[Quantity] = []
    index = 0
    while index < len(singles):
        quantity = singles[index]
        successor = singles[index + 1] if index + 1 < len(singles) else None
        if successor is not None and _is_range(text, quantity, successor):
            range_text, heads = text[quantity.start : successor.end], successor.heads or quantity.heads
            low, high = quantity.value, successor.value
            result.append(
                Quantity(quantity.start, successor.end, range_text, low, low, high, heads, "range", successor.step)
            )
            index += 2
            continue
        result.append(quantity)
        index += 1
    return tuple(result)


def are_incompatible(left: Quantity, right: Quantity, *, is_rounded: bool = True) -> bool:
    """Return whether the bounds of two numbers exclude each other; ``is_rounded``: larger ones may be rounded."""
    left_low, left_high = left.rounded() if is_rounded else (left.low, left.high)
    right_low, right_high = right.rounded() if is_rounded else (right.low, right.high)
    if left.value == right.value:
        return False
    if not is_rounded and left.qualifier == right.qualifier != "about":
        return True  # of two sentences that are the same word by word, 'more than 40' and 'more than 60' differ
    if left_high < right_low or right_high < left_low:
        return True
    return (left_high == right_low != left_low) or (right_high == left_low != left_high)


def may_count_same(left: Quantity, right: Quantity) -> bool:
    """Return whether two numbers may count the same thing, by their units."""
    return bool(set(left.heads) & set(right.heads)) if left.heads and right.heads else False


def _singles(text: str) -> Iterator[Quantity]:
    for match in _AMOUNT.finditer(text):
        value, step = _value(match)
        if value is None:
            continue
        heads = _heads(text, match)
        digits = match.group("digits")
        if digits and not match.group("currency") and not heads and _YEAR.fullmatch(digits):
            continue
        if _REFERENCE.search(text[max(0, match.start() - 12) : match.start() + 1].rstrip("0123456789")):
            continue
        is_year = bool(digits and _YEAR.fullmatch(digits) and heads != ("%",))
        if is_year and _IN_YEAR.search(text[max(0, match.start() - 8) : match.start()]):
            continue
        qualifier = _qualifier(text[max(0, match.start() - 22) : match.start()])
        if bound := _AFTER.match(text, match.end()):
            qualifier = "more" if bound["more"] else "less"
        low, high = _interval(value, qualifier)
        start = match.start() + (len(match.group()) - len(match.group().lstrip()))
        yield Quantity(start, match.end(), text[start : match.end()], value, low, high, heads, qualifier, step)


def _value(match: re.Match[str]) -> tuple[float | None, float]:
    words = match.group("words")
    if words:
        value, step = spelled_number(words) or (0.0, 1.0)
        is_pronoun = words.casefold() == "one"  # as often as a number
        return (None if is_pronoun else value or None), step
    if match.group("exponent"):
        value = power_of_ten(match.group("mantissa"), match.group("exponent"))
        return -value if match.group("sign") else value, power_of_ten(None, match.group("exponent"))
    digits = match.group("digits").replace(",", "")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        return None, 1.0
    letter = (match.group("letter") or "").casefold()
    if letter and not match.group("currency"):
        return None, 1.0  # metres, as often as millions
    scale = _SCALES.get((match.group("scale") or "").casefold(), {"m": 1e6, "k": 1e3}.get(letter, 1.0))
    whole, _, decimals = digits.partition(".")
    value = float(digits)
    zeros = len(whole) - len(whole.rstrip("0")) if not decimals and value else 0
    step = 10.0 ** (-len(decimals) if decimals else zeros)
    if match.group("fraction"):
        numerator, _, denominator = match.group("fraction").strip().partition("/")
        if not int(denominator):
            return None, 1.0
        value += int(numerator) / int(denominator)
        step = 1 / int(denominator)
    return (-value if match.group("sign") else value) * scale, step * scale


def _heads(text: str, match: re.Match[str]) -> tuple[str, ...]:
    if _PERCENT.match(text, match.end()):
        return ("%",)
    currency = match.group("currency")
    if currency:
        return (currency[-1],)
    head = _HEAD.match(text, match.end())
    if head is None or head.group(1)[0].isupper():
        return ()
    heads = []
    for word in re.split(r"[\s-]", head.group(1)):
        if word in _NO_UNITS or len(word) < 3 or word.endswith("ly"):
            break
        heads.append(_singular(word))
    return tuple(heads)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word in ("people", "persons"):
        return "person"
    if word in ("men", "women"):
        return word[:-2] + "an"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _qualifier(prefix: str) -> str:
    return next((kind for kind, form in _BEFORE if form.search(prefix)), "")


def _interval(value: float, qualifier: str) -> tuple[float, float]:
    match qualifier:
        case "about":
            return value - abs(value) * 0.1, value + abs(value) * 0.1
        case "nearly":
            return value - abs(value) * 0.15, value
        case "more":
            return value, math.inf
        case "less":
            return -math.inf, value
        case _:
            return value, value


def _is_range(text: str, lower: Quantity, upper: Quantity) -> bool:
    between = text[lower.end : upper.start]
    if not _RANGE.match(between) or lower.value >= upper.value or (lower.heads and lower.heads != upper.heads):
        return False
    if between.strip() == "and":
        return bool(re.search(r"\bbetween\s(?:\w+\s)?$", text[max(0, lower.start - 20) : lower.start], re.IGNORECASE))
    if between.strip() == "to":
        return not _MOVES.search(text[max(0, lower.start - 40) : lower.start])
    return True
