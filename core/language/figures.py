"""The figures and days of a text, as intervals that can be compared. Pure.

A figure is as exact as it is written: '4.2 million' may be any number that is rounded so, 'about 50' lies within a
tenth, 'more than 40' has no upper end. Ordinals, parts of names ('COVID-19', 'B2') and the word 'one' are no figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from core.english import MONTH_NUMBERS, NUMBERS, SCALES, SHORT_SCALES, any_of, spelled_number
from core.language.clock_times import clock_times_in
from core.language.dates import dates_in
from core.language.lexicon import words_of
from core.text import POWER, power_of_ten

_SCALES = SCALES | SHORT_SCALES | {"millions": 1e6, "billions": 1e9, "k": 1e3, "m": 1e6, "b": 1e9}
_NUMERAL = r"\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_WORDS = any_of((*NUMBERS, "dozen", "half", "hundred", "thousand", "million", "billion"))
_FIGURE = re.compile(
    rf"(?<![\w.,:/#\u2010\u2011-])(?P<sign>[-+\u2212])?[$€£¥]?\s?(?:{POWER}|(?P<number>{_NUMERAL}))"
    r"(?:(?:\s|-)?(?P<scale>hundred|thousand|millions?|billions?|trillion|mn|bn"
    r"|[kmb])\b(?!\.\w))?(?P<percent>\s?%|\s(?:percent|per cent)\b)?"
    r"(?![\w:/]|[.,]\d|-[A-Za-z]*\d)"
    rf"|\b(?P<words>(?:{_WORDS})(?:(?:[\s-]|\sand\s|(?<=half)\sa\s)(?:{_WORDS}))*)\b"
    r"(?P<wordpercent>\s(?:percent|per cent)\b)?",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\w.,:/])(?P<hour>[01]?\d"
    r"|2[0-3])(?P<sign>[:.])(?P<minute>[0-5]\d)(?::[0-5]\d)?(?P<half>\s?[ap]\.?\s?m\b)?(?![\d:/])",
    re.I,
)
_O_CLOCK = re.compile(r"(?<![\w.,:/])(?P<hour>1[0-2]|0?[1-9])\s?(?P<half>[ap]\.?\s?m\b)", re.I)
_MONTH = any_of(MONTH_NUMBERS)
_DAY = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month>{_MONTH})\b"
    rf"|\b(?P<month2>{_MONTH})\.?\s(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"(?:about|around|roughly|approximately|nearly|almost|some|circa|close to|ca\.|~)\s*[$€£¥]?$", re.I)
# Bounds: with the number itself, and without it. 'no more than' is an upper one, whatever is in it.
_NOT = r"(?:no|not|never|n['’]t)\s"
_FROM = re.compile(
    rf"(?:{_NOT}(?:less|fewer|under|below)(?:\sthan)?|at least|upwards? of|(?:a )?minimum of|>=|≥)\s*[$€£¥]?$", re.I
)
_TO = re.compile(
    rf"(?:{_NOT}(?:more|over|above|greater|exceed(?:ing|ed)?)(?:\sthan)?|at most|up to|as many as|as much as"
    r"|(?:a )?maximum of|<=|≤)\s*[$€£¥]?$",
    re.I,
)
_OVER = re.compile(r"(?:more than|greater than|over|above|exceed(?:s|ed|ing)?|beyond|>)\s*[$€£¥]?$", re.I)
_UNDER = re.compile(r"(?:less than|fewer than|under|below|short of|<)\s*[$€£¥]?$", re.I)
_AFTER = re.compile(r"\s(?:or|and)\s(?P<more>more|over|above)\b|\s(?:or|and)\s(?:fewer|less|under|below)\b", re.I)
_BEFORE = (_ABOUT, _FROM, _TO, _OVER, _UNDER)
_RANGE = re.compile(
    rf"(?<![\w.,:/#\u2010\u2011-])(?P<between>between\s)?(?P<currency>[$€£¥])?\s?(?P<low>{_NUMERAL})\s?%?\s?"
    rf"(?P<to>[-\u2013\u2014]|to|and|or)\s?[$€£¥]?\s?(?P<high>{_NUMERAL})"
    r"(?:\s?(?P<scale>thousand|millions?|billions?|mn|bn)\b)?(?P<percent>\s?%|\s(?:percent|per cent)\b)?"
    r"(?![\w:/]|[.,]\d|-)",
    re.IGNORECASE,
)
_STRICT = 1e-6  # the share by which 'more than 40' begins above 40
_ENDLESS = float("inf")
# Marks of a place in the case or of a page: they count nothing.
_PLACE = re.compile(
    r"(?:\b(?:pages?|pp?\.|lines?|no\.?|nos\.|section|figure|table|item|row|para(?:graph)?|chapter|season"
    r"|episode|volume|type|phase|factor|helper)\s*|#)$",
    re.I,
)
# A number behind a name belongs to it: 'BRCA 1', 'Apollo 11'; a share does not: 'COHb 17 %'.
_NAME_BEFORE = re.compile(
    r"\b(?!(?:The|In|On|At|By|Of|For|From|About|Some|Over|Only|And|But|All|After|With|These|Those"
    r"|Nearly|Almost|Around|Roughly|Approximately|Under|Between)\b)[A-Z]\w* $"
)
_MOVES = re.compile(r"\b(?:rose|fell|grew|from|increased?|up|down|dropped|cut|went)\b[^.]{0,20}$", re.I)
_ENUMERATOR = re.compile(r"\s*\(?\d{1,3}[.)]\s")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a text: text[start:end] lies between ``low`` and ``high``; ``unit`` is the word behind it.

    ``kind`` is 'number', 'percent', 'time' (minutes of the day), 'date' (days) or 'day' (of a year that is not named).
    """

    start: int
    end: int
    text: str
    low: float
    high: float
    kind: str
    unit: str = ""


def figures(text: str) -> list[Figure]:
    """List the figures of a text in order of place."""
    result: list[Figure] = []
    is_free = [True] * (len(text) + 1)

    def take(figure: Figure) -> None:
        if all(is_free[figure.start : figure.end]):
            result.append(figure)
            for offset in range(figure.start, figure.end):
                is_free[offset] = False

    for date in dates_in(text):
        low, high, end = _days(date.earliest), _days(date.latest), date.end
        if date.precision == "time" and (clock := _CLOCK.search(text, date.start, date.end)):
            end = clock.start()  # the time of the day is a figure of its own
        take(Figure(date.start, end, text[date.start : end], low, high + 0.9, "date"))
    for match in _DAY.finditer(text):
        day, month = int(match["day"] or match["day2"]), MONTH_NUMBERS[(match["month"] or match["month2"]).lower()]
        name = match["month"] or match["month2"]
        if 1 <= day <= 31 and not (name.lower() in ("may", "march", "mar") and name.islower()):
            take(Figure(match.start(), match.end(), match.group(), month * 31 + day, month * 31 + day, "day"))
    for match in (*_CLOCK.finditer(text), *_O_CLOCK.finditer(text)):
        half = (match["half"] or "").lower().replace(".", "").strip()
        if match.groupdict().get("sign") == "." and not half:
            continue
        minute = int(match.groupdict().get("minute") or 0)
        hour = int(match["hour"]) % 12 + (12 if half.startswith("p") else 0) if half else int(match["hour"])
        value = 60 * hour + minute
        # Without a.m. or p.m. a time before noon may be either.
        later = value + 720 if not half and 1 <= hour < 12 and not match["hour"].startswith("0") else value
        take(Figure(match.start(), match.end(), match.group(), value, later, "time"))
    for time in clock_times_in(text):
        later = time.minute if time.is_certain else (time.minute + 720) % 1_440
        low, high = min(time.minute, later), max(time.minute, later)
        take(Figure(time.start, time.end, time.text, low, high, "time"))
    for match in _RANGE.finditer(text):
        if (figure := _range(match, text)) is not None:
            take(figure)
    enumerator = _ENUMERATOR.match(text)
    for match in _FIGURE.finditer(text, enumerator.end() if enumerator else 0):
        take_or_none = _figure(match, text)
        if take_or_none is not None:
            take(take_or_none)
    return sorted(result, key=lambda figure: figure.start)


def _figure(match: re.Match[str], text: str) -> Figure | None:
    preceding = text[max(0, match.start() - 24) : match.start()]
    after = re.match(r"[\s-]*([^\W\d_]+)", text[match.end() :])
    unit = after.group(1).casefold() if after else ""
    if match["words"]:
        number = spelled_number(match["words"])
        if number is None or match["words"].lower() in ("one", "half", "zero"):
            return None
        low = high = value = number[0]
        kind = "percent" if match["wordpercent"] else "number"
    else:
        if _PLACE.search(preceding) or (_NAME_BEFORE.search(preceding) and not match["percent"]):
            return None
        digits = re.sub(r"[,\u00a0\u202f]", "", match["number"] or match["mantissa"] or "1")
        scale = _SCALES.get((match["scale"] or "").lower(), 1.0)
        if (
            match["scale"]
            and len(match["scale"]) == 1
            and not re.search(r"[$€£¥]\s?$|[$€£¥]", preceding[-2:] + match.group())
        ):
            scale = 1.0  # '5 m' is a length
        if match["exponent"]:
            scale *= power_of_ten(None, match["exponent"])
        value = float(digits) * scale
        if match["sign"] in ("-", "\u2212"):
            value = -value
        whole, _, decimals = digits.partition(".")
        zeros = len(whole) - len(whole.rstrip("0")) if not decimals else 0
        half_step = 0.499 * scale * 10.0 ** -len(decimals)
        exact = not decimals and scale == 1.0
        loose = 0.5 * 10.0**zeros if exact and zeros >= 2 and value >= 1000 else 0.0 if exact else half_step
        low, high = value - loose, value + loose
        kind = "percent" if match["percent"] else "number"
    if _ABOUT.search(preceding):
        low, high = min(low, 0.9 * value), max(high, 1.1 * value)
    else:
        low, high = _bounded(preceding, low, high, value)
        if bound := _AFTER.match(text, match.end()):
            low, high = (low, _ENDLESS) if bound["more"] else (min(0.0, low), high)
    return Figure(match.start(), match.end(), match.group(), low, high, kind, unit)


def _bounded(lead: str, low: float, high: float, value: float) -> tuple[float, float]:
    """Return the interval of a number by the words of a bound before it."""
    step = _STRICT * max(1.0, abs(value))
    if _FROM.search(lead):
        return low, _ENDLESS
    if _TO.search(lead):
        return min(0.0, low), high
    if _OVER.search(lead):
        return value + step, _ENDLESS
    if _UNDER.search(lead):
        return min(0.0, low), value - step
    return low, high


def _range(match: re.Match[str], text: str) -> Figure | None:
    """Return '20-30', '20 to 30' or 'between 20 and 30' as one figure; None for what is no range."""
    low, high = (float(re.sub(r"[,\u00a0\u202f]", "", match[name])) for name in ("low", "high"))
    joined = match["to"].casefold()
    if low >= high or (joined in ("and", "or") and not match["between"]):
        return None
    if joined == "to" and _MOVES.search(text[max(0, match.start() - 30) : match.start()]):
        return None  # it rose from one to the other: two figures
    is_code = joined not in ("and", "or", "to") and not match["percent"] and (match["low"][0] == "0" or high >= 1e6)
    is_years = 1500 <= low < high < 2100 and not match["scale"] and not match["currency"]
    lead = text[max(0, match.start() - 24) : match.start()]
    if is_code or is_years or _PLACE.search(lead) or (joined == "-" and _NAME_BEFORE.search(lead)):
        return None
    scale = _SCALES.get((match["scale"] or "").lower(), 1.0)
    after = re.match(r"[\s-]*([^\W\d_]+)", text[match.end() :])
    unit = after.group(1).casefold() if after else ""
    kind = "percent" if match["percent"] else "number"
    start = match.end("between") if match["between"] else match.start()
    return Figure(start, match.end(), text[start : match.end()], low * scale, high * scale, kind, unit)


def _days(iso: str) -> float:
    year, month, day = (int(part) for part in iso[:10].split("-"))
    return year * 372.0 + month * 31 + day


def agree(left: Figure, right: Figure) -> bool:
    """Return whether two figures may be the same: their intervals meet."""
    if {left.kind, right.kind} == {"date", "day"}:
        date, day = (left, right) if left.kind == "date" else (right, left)
        return date.high - date.low > 31 or (date.low % 372) == day.low
    if left.kind != right.kind:
        kinds = {left.kind, right.kind}
        if kinds == {"number", "percent"}:
            percent, number = (left, right) if left.kind == "percent" else (right, left)
            return _meet(percent.low, percent.high, number.low, number.high) or _meet(
                percent.low / 100, percent.high / 100, number.low, number.high
            )
        return kinds == {"date", "number"} and _is_year(left, right)
    if left.kind == "time":
        return left.low == right.low or left.high == right.high or left.low == right.high or left.high == right.low
    return _meet(left.low, left.high, right.low, right.high)


def _is_year(left: Figure, right: Figure) -> bool:
    date, number = (left, right) if left.kind == "date" else (right, left)
    is_exact = number.low == number.high  # 'at least 60' is no year, however late
    return is_exact and int(date.low // 372) <= number.high and number.low <= int(date.high // 372)


def _meet(low: float, high: float, other_low: float, other_high: float) -> bool:
    slack = 1e-9 * max(1.0, abs(low), abs(other_low))
    return low <= other_high + slack and other_low <= high + slack


def missing(figures: Sequence[Figure], source_figures: Iterable[Figure]) -> list[Figure]:
    """List those of some figures that agree with none of others."""
    others = list(source_figures)
    return [figure for figure in figures if not any(agree(figure, source) for source in others)]


def lacking(text: str, source: str) -> int:
    """Count the figures of a text that a source does not hold."""
    return len(missing(figures(text), figures(source)))


def bounds_of(text: str, figure: Figure) -> tuple[int, int]:
    """Return the span of a figure with the words that bound it: 'no more than 40', '40 or more'."""
    first = max(0, figure.start - 24)
    starts = [match.start() + first for form in _BEFORE if (match := form.search(text[first : figure.start]))]
    after = _AFTER.match(text, figure.end)
    return min(starts, default=figure.start), after.end() if after else figure.end


def is_borne_out(figure: Figure, source: Iterable[Figure]) -> bool:
    """Return whether a figure says no more than one of others: all that it may be lies within the figure."""
    return any(_within(candidate, figure) for candidate in source)


_CONVERTED = 0.01  # by which a figure may be rounded that is given in another unit


def _within(inner: Figure, outer: Figure) -> bool:
    if inner.kind != outer.kind or inner.kind == "time":
        return agree(inner, outer)
    scale = 1.0
    if inner.unit != outer.unit and inner.unit in _measures() and outer.unit in _measures():
        (what, factor), (outer_what, outer_factor) = _measures()[inner.unit], _measures()[outer.unit]
        if what != outer_what:
            return False
        scale = factor / outer_factor
    low, high = inner.low * scale, inner.high * scale
    width = outer.high - outer.low
    slack = 1e-9 * max(1.0, abs(low), abs(outer.low)) + (0.02 * width if width < _ENDLESS else 0.0)
    slack += _CONVERTED * abs(low) if scale != 1.0 else 0.0
    return outer.low - slack <= low and high <= outer.high + slack


@cache
def _measures() -> dict[str, tuple[str, float]]:
    """Return what each unit measures, and how many of its base unit it is."""
    rows = (line.split() for line in words_of("en", "measures"))
    return {name: (what, float(factor)) for name, what, factor in rows}


def same_slot(figure: Figure, candidates: Iterable[Figure]) -> Iterator[Figure]:
    """Yield those that count the same thing by the word behind them, or are of the same kind of day or time."""
    for candidate in candidates:
        if figure.kind in ("date", "day", "time"):
            if candidate.kind == figure.kind or {figure.kind, candidate.kind} == {"date", "day"}:
                yield candidate
        elif candidate.kind in ("number", "percent") and (
            (figure.kind == candidate.kind == "percent") or (figure.unit and candidate.unit[:5] == figure.unit[:5])
        ):
            yield candidate
