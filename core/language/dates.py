"""Dates in texts: the words, the interval that they leave open, how exact they are, and what is in doubt. Pure.

Only dates with a year are found: 'on Tuesday' and '3 May' say nothing without the date of the text. Nothing is guessed
in silence: where the words leave two readings ('12/03/2011'), the interval holds both and ``doubt`` says so.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import cache, lru_cache

from core.language.identification import ENGLISH, language_of
from core.language.lexicon import words_of

# What is in doubt, with the words for it.
DOUBTS: dict[str, str] = {
    "order": "day and month may be the other way round",
    "century": "the year has two digits only and was taken to lie between 1941 and 2040",
    "about": "the text says that it is not exact",
    "range": "either a month or a range of years",
    "span": "either a decade or a century",
    "season": "the months of a season depend on the country",
    "day": "the text gives the time without its day",
    "no year": "the text gives no year; the one nearest to its document or the date before it was taken",
    "half": "either half of the day",
}


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date in a text: text[start:end] lies between ``earliest`` and ``latest``, both included.

    These are ISO 8601, with hour and minute (and the offset from UTC where the text has one) if ``precision`` is
    'time', 12 hours apart where the half of the day is open. Else it is 'day', 'month', 'quarter', 'half', 'season',
    'year', 'decade' or 'century'. ``doubt`` is '' or a key of DOUBTS; ``readings`` are the days it may be where its
    order is in doubt.
    """

    start: int
    end: int
    text: str
    earliest: str
    latest: str
    precision: str
    doubt: str = ""
    readings: tuple[str, ...] = ()


# --- the words -------------------------------------------------------------------------------------------------------

_NAMES = (
    "january jan jänner januar janvier janv enero ene gennaio gen janeiro januari styczeń stycznia январь января ledna",
    "february feb febr februar februari février févr febrero febbraio fevereiro fev luty lutego февраль февраля února",
    "march mar mär märz mrz mars marzo março maart mrt marzec marca март марта března",
    "april apr avril avr abril abr aprile kwiecień kwietnia апрель апреля dubna",
    "may mai mayo maggio mag maio mei maj maja май мая května",
    "june jun juni juin junio giugno giu junho czerwiec czerwca июнь июня června",
    "july jul juli juillet juil julio luglio lug julho lipiec lipca июль июля července",
    "august aug août aout agosto ago augustus sierpień sierpnia август августа srpna",
    "september sep sept septembre septiembre settembre set setembro wrzesień września сентябрь сентября září",
    "october oct okt oktober octobre octubre ottobre ott outubro październik października октябрь октября října",
    "november nov novembre noviembre novembro listopad listopada ноябрь ноября listopadu",
    "december dec dez dezember décembre déc diciembre dicembre dic dezembro grudzień grudnia декабрь декабря prosince",
)
_MONTHS = {word: number for number, names in enumerate(_NAMES, start=1) for word in names.split()}
# Words of other meaning in English: they are months only with a capital (some also in a whole date, where nothing else
# could be meant), and 'mars' only without.
_CAPITAL = {"may", "march", "mar", "jan", "gen", "set", "ago", "mag", "dec"}
_IN_WHOLE_DATES = {"may", "march", "mar", "jan", "dec"}
_SMALL = {"mars", "lug", "ott"}
# Where everyone writes the day first.
_DAY_FIRST = frozenset(
    re.findall(r"\w+", "de fr it pt nl ru uk pl cs sk sl hr sr bs bg ro da nb nn no fi et lv el tr ca gl he ar id vi")
)
_PARTS = {
    "early": "early", "beginning": "early", "start": "early", "anfang": "early", "début": "early", "mid": "mid",
    "middle": "mid", "mitte": "mid", "late": "late", "end": "late", "ende": "late", "fin": "late",
}  # fmt: skip
_QUARTERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4}
_ORDINALS = {
    word: number
    for number, word in enumerate(
        re.findall(
            r"\S+",
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first",
        ),
        start=1,
    )
}
_FIRST, _LAST = 1000, 2199  # years of a full date
_FIRST_ALONE, _LAST_ALONE = 1400, 2149  # years beside a month, a quarter or a cue


_JOINT = "\u0640"  # between the words of a month; a letter that only fills a line


@cache
def _arabic(kind: str) -> dict[str, int]:
    """Return the numbers of the months or days that words of Arabic mean."""
    rows = (row.translate(_DIGITS).partition(" ") for row in sorted(words_of("ar", kind)))
    return {word: int(number) for number, _, word in rows}


def _month(word: str, language: str, *, is_whole: bool = False) -> int:
    """Return the number of a month, 0 for any other word. ``is_whole``: a day and a whole year are beside it."""
    lower = word.lower()
    if _ARABIC.match(word):
        return _arabic("month").get(word.replace(_JOINT, " "), 0)
    if lower in _MONTHS:
        if lower in _CAPITAL and word.islower() and not (is_whole and lower in _IN_WHOLE_DATES):
            return 0
        if lower in _SMALL and not word.islower():
            return 0
        return _MONTHS[lower]
    return _foreign_month(lower, language) if language not in ("", "en") else 0


@lru_cache(maxsize=5_000)
def _foreign_month(word: str, language: str) -> int:
    """Return the number of the month that a word means in another language, 0 for any other word."""
    if len(word) < 3:
        return 0
    import dateparser

    settings = {"STRICT_PARSING": True, "DATE_ORDER": "DMY", "PARSERS": ["absolute-time"], "TIMEZONE": "UTC"}
    try:
        answers = [
            dateparser.parse(f"17 {word} {year}", languages=[language], settings=settings) for year in (1995, 2003)
        ]
    except Exception:  # a language that it does not know, or a word that its own rules stumble over
        return 0
    days = [(day.year, day.month, day.day) for day in answers if day is not None]
    fits = len(days) == 2 and days[0][0::2] == (1995, 17) and days[1][0::2] == (2003, 17) and days[0][1] == days[1][1]
    return days[0][1] if fits else 0


# --- intervals -------------------------------------------------------------------------------------------------------


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _last_day(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]


def _mention(
    match: re.Match[str], earliest: str | None, latest: str | None, precision: str, doubt: str = "", readings: str = ""
) -> DateMention | None:
    if earliest is None or latest is None or earliest > latest:
        return None
    return DateMention(
        match.start(), match.end(), match.group(), earliest, latest, precision, doubt, tuple(readings.split())
    )


def _months(
    match: re.Match[str], year: int, first: int, last: int, precision: str, doubt: str = ""
) -> DateMention | None:
    """Take whole months of a year."""
    return _mention(match, _day(year, first, 1), _day(year, last, _last_day(year, last)), precision, doubt)


def _years(match: re.Match[str], first: int, last: int, precision: str, doubt: str = "") -> DateMention | None:
    return _mention(match, _day(first, 1, 1), _day(last, 12, 31), precision, doubt)


def _full_year(digits: str) -> tuple[int, str]:
    """Read a year of four digits, or of two: then one between 1941 and 2040, in doubt."""
    digits = digits.strip("'’")
    if len(digits) == 4:
        return int(digits), ""
    year = int(digits)
    return year + (1900 if year > 40 else 2000), "century"


# --- the forms -------------------------------------------------------------------------------------------------------

_GAP = r"[ \t\xa0\u202f]*\n?[ \t\xa0\u202f]*"
_BLANK = r"(?:[ \t\xa0\u202f]+\n?[ \t]*|\n[ \t]*)"
_WORD = r"(?:[^\W\d_]{3,14}|اب)"  # of the shortest month of the Levant too
_ORDINAL = r"(?:st|nd|rd|th|er|º|ª|\.)?"
_TO = r"(?:[-–—]|to|until|till|through|and|bis|und|au|et|al|a|e|y|الى|حتى)"

_ISO = re.compile(r"(?<![\d./-])(\d{4})([-/.:])(\d{1,2})\2(\d{1,2})(?![\d/-]|\.\d)")
_YEAR_MONTH = re.compile(r"(?<![\d./-])(\d{4})-(\d{2})(?![\d/-]|\.\d)")
_NUMERIC = re.compile(
    r"(?:(?<![\d./:-])|(?<=\d{5}/)|(?<=\d{4}[/-])(?=\d{1,2}\.))(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-]|\.\d)"
)
_JOINED = re.compile(r"(?<![\w.,/:-])(\d{1,2})([A-Za-z]{3})(\d{4}|(?<=[A-Z]{3})\d\d)(?!\w)")
_ROMAN = re.compile(r"(?<![\w.,/:-])(\d{1,2})\.[ ]?(I{1,3}|IV|VI{0,3}|IX|XI{0,2})\.[ ]?(\d{4})(?!\d)")
# Eight digits are a day where a time follows, or a word says so.
_PACKED = re.compile(
    r"(?<![\w.,/:+-])((?:19|20)\d\d)(\d\d)(\d\d)"
    r"(?=[ T_-]?[0-2]\d[0-5]\d(?:[0-5]\d)?(?:Z\b|(?!\w))|(?<=\bon .{8})(?!\w))"
)
_VERSION_BEFORE = re.compile(
    r"\b(?:versions?|vers?\.?|v\.?|releases?|firmware|build|patch|update|kernel|android|ios|macos|windows|ubuntu|section"
    r"|clause|paragraph|chapter|§)\s*$",
    re.IGNORECASE,
)
_DAY_MONTH = re.compile(
    rf"(?<![\d.,/:-])(?:(?P<first>\d{{1,2}}){_ORDINAL}(?:{_BLANK}(?:(?:of|de)[ ])?(?P<before>{_WORD}))?"
    rf"{_GAP}{_TO}{_GAP})?"
    rf"(?P<day>\d{{1,2}}){_ORDINAL}(?:{_BLANK}day)?(?:{_BLANK}(?:of|de))?(?:{_BLANK}|[-/.]|(?<=\.)(?=[^\W\d_]))"
    rf"(?P<month>{_WORD})\.?(?:,|{_BLANK}(?:de|del|of)|[-/])?{_GAP}(?P<year>\d{{4}}|['’]\d\d|(?<=[-/])\d\d)(?!\d)"
)
_MONTH_FIRST = re.compile(
    rf"(?<!\w)(?:(?P<before>{_WORD})\.?{_GAP}(?:[-–—]|\b(?:to|until|through|and|bis|und|et)\b){_GAP})?"
    rf"(?P<month>{_WORD})(?:\.?,?|{_BLANK}(?:of|de|del)){_BLANK}"
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:{_GAP}(?:[-–—]|to|and){_GAP}(?P<last>\d{{1,2}})(?:st|nd|rd|th)?)?,?{_BLANK})?"
    r"(?P<year>\d{4}|(?<=[ ])['’]\d\d)(?!\w|[.,]\d|%)"
)
_FAR_EAST = re.compile(r"(?<!\d)(\d{4})\s?[年년](?:\s?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日일])?)?")
_QUARTER = re.compile(
    rf"(?<![\w-])(?:[Qq]([1-4])(?:[ /-]|{_BLANK}of{_BLANK})?(\d{{4}})|(\d{{4}})[ /-]?[Qq]([1-4])"
    rf"|([1-4])[Qq][ ]?(\d{{4}}|\d{{2}})"
    rf"|([Hh])([12])[ /-]?(\d{{4}})|(?P<nth>[1-4][a-z]{{2}}|[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth|[Ll]ast)"
    rf"{_BLANK}(?P<part>quarter|half){_BLANK}(?:of{_BLANK})?(?P<year>\d{{4}}))(?!\w)"
)
_SEASON = re.compile(
    rf"(?<!\w)(spring|summer|autumn|fall|winter|Frühjahr|Frühling|Sommer|Herbst|Winter|printemps|été|automne|hiver)"
    rf"{_BLANK}(?:of{_BLANK}|de{_BLANK}|des Jahres{_BLANK})?(\d{{4}})(?:[-–/](\d{{2}}|\d{{4}}))?(?!\d|[.,]\d)",
    re.IGNORECASE,
)
_DECADE = re.compile(
    rf"(?<![\w'’])(?:(?P<part>early|mid|late)(?:[- ]to[- ](?P<until>mid|late))?[- ]{_GAP})?(?:the{_BLANK})?"
    r"(?:(?P<year>\d{3}0)(?:['’]?s|er(?:[ ]Jahren?)?)|(?P<short>['’]\d0)s|années[ ](?P<after>\d{3}0))(?!\w)",
    re.IGNORECASE,
)
_CENTURY = re.compile(
    rf"(?<!\w)(?:(?P<part>early|mid|late)[- ]{_GAP})?(?:the{_BLANK})?"
    rf"(?:(?P<number>\d{{1,2}})(?:st|nd|rd|th|e|ème|\.)|(?P<word>{'|'.join(sorted(_ORDINALS, key=len, reverse=True))}))"
    rf"(?:[- ]|{_BLANK})(?:century|centuries|Jahrhunderts?|siècle)(?!\w)(?!{_BLANK}B\.?C)",
    re.IGNORECASE,
)
_SPAN = re.compile(r"(?<![\w.,/:–—-])(\d{4})[ ]?[-–—][ ]?(\d{4}|\d{2})(?!\w|[-–—/]|[.,:]\d|%)")
_CUE = re.compile(
    rf"(?<!\w)(?P<cue>in|since|during|until|till|by|from|before|after|around|about|circa|c\.|ca\.|approximately|years?"
    rf"|early|mid|late|(?:end|beginning|middle|start|course){_BLANK}of|of|between|©|copyright|\(c\)|im[ ]Jahre?"
    rf"|seit|bis|um|anfang|mitte|ende|jahre?|en|depuis|avant|après|vers|l['’]année|début|fin|nel|desde|anno)"
    rf"(?:[- ]|{_BLANK})(?:the{_BLANK}year{_BLANK}|the{_BLANK})?(?P<year>\d{{4}})"
    rf"(?:{_BLANK}(?:and|to|until|und|bis|et|à|y){_BLANK}(?P<last>\d{{4}}))?(?![\w%/°$€£]|[-–—:][\w]|[.,]\d)",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"(?<=[(\[,;][ ])(\d{4})(?=[a-z]?[)\]])|(?<=[(\[])(\d{4})(?=[a-z]?[)\],;])")
_COUNTED = re.compile(
    rf"{_GAP}(?:people|persons|men|women|children|soldiers|troops|workers|employees|residents|members|voters|deaths|cases"
    r"|pages?|words?|lines?|items?|units?|files?|copies|rows?|times|points?|shares|barrels|homes|houses|jobs|votes"
    r"|miles?|metres?|meters?|feet|foot|ft|km|m|cm|mm|kg|g|tons?|tonnes?|lit(?:re|er)s?|hectares|acres|degrees"
    r"|hours?|minutes?|seconds?|days|weeks|months|years|dollars?|euros?|pounds?|USD|EUR|GBP|MW|GW|kW|kWh|MHz|GHz|MB|GB"
    r"|Menschen|Personen|Euro|Stück|Seiten|Meter|personnes|habitants|mètres)(?!\w)",
    re.IGNORECASE,
)
_PAGES_BEFORE = re.compile(
    r"(?:\bpp?\.?|\bpages?|\bS\.|\bseiten?|\bno\.?|\bnos\.?|\bart\.?|\broom|:)\s?$", re.IGNORECASE
)
_TIME = re.compile(
    r"(?:,?[ ]?T?[ ]?(?:at[ ]|um[ ]|à[ ])?|:)(\d{1,2})(?:[:h.](\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)?"
    r"(?:[ ]?([ap])\.?m\b\.?)?(?:[ ]?(Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b))?(?![\d:])",
    re.IGNORECASE,
)
_DAY_BEFORE = re.compile(r"\d(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?$")
_ABOUT = re.compile(
    r"\b(?:about|around|circa|ca?\.|approximately|approx\.|roughly|um|vers|gegen)\s*(?:the\s)?$", re.IGNORECASE
)


def _iso(match: re.Match[str], language: str) -> DateMention | None:
    year, month, day = int(match.group(1)), int(match.group(3)), int(match.group(4))
    if not _FIRST <= year <= _LAST or (match.group(2) == ":" and len(match.group(3)) < 2):
        return None
    moment = _day(year, month, day)
    return _mention(match, moment, moment, "day")


def _year_month(match: re.Match[str], language: str) -> DateMention | None:
    """Read '2011-03' as a month, '1998-99' as a range of years, and '2010-11' as what may be either."""
    year, number = int(match.group(1)), int(match.group(2))
    if not _FIRST_ALONE <= year <= _LAST_ALONE or _PAGES_BEFORE.search(
        match.string, max(0, match.start() - 10), match.start()
    ):
        return None
    last = year - year % 100 + number
    if 1 <= number <= 12:
        return (
            _years(match, year, last, "year", "range") if last > year else _months(match, year, number, number, "month")
        )
    return _years(match, year, last, "year") if last > year else None


def _numeric(match: re.Match[str], language: str) -> DateMention | None:
    first, mark, second, digits = int(match.group(1)), match.group(2), int(match.group(3)), match.group(4)
    padded = len(match.group(3)) == 2 and (language in _DAY_FIRST or len(match.group(1)) == 2)
    if len(digits) == 2 and mark != "/" and not (mark == "." and padded):
        return None  # a version, a number of a section, a code
    if mark == "." and _VERSION_BEFORE.search(match.string, max(0, match.start() - 14), match.start()):
        return None
    year, doubt = _full_year(digits)
    if not _FIRST <= year <= _LAST:
        return None
    by_day, by_month = _day(year, second, first), _day(year, first, second)
    if by_day and language in _DAY_FIRST:
        by_month = None
    days = sorted({day for day in (by_day, by_month) if day})
    if not days:
        return None
    return _mention(
        match,
        days[0],
        days[-1],
        "day",
        doubt or ("order" if len(days) > 1 else ""),
        " ".join(days[:2] if len(days) > 1 else ()),
    )


def _day_month(match: re.Match[str], language: str) -> DateMention | None:
    month = _month(match.group("month"), language, is_whole=len(match.group("year")) == 4)
    if not month:
        return None
    year, doubt = _full_year(match.group("year"))
    if not _FIRST <= year <= _LAST:
        return None
    last = _day(year, month, int(match.group("day")))
    first, preceding = match.group("first"), match.group("before")
    if not first:
        return _mention(match, last, last, "day", doubt)
    month = _month(preceding, language) if preceding else month
    begins = _day(year, month, int(first)) if month else None
    if begins is None or last is None:
        return None
    if begins > last:  # from December to January
        begins = _day(year - 1, month, int(first)) if preceding else None
    return _mention(match, begins, last, "day", doubt)


def _month_first(match: re.Match[str], language: str) -> DateMention | None:
    day, last, preceding = match.group("day"), match.group("last"), match.group("before")
    month = _month(match.group("month"), language, is_whole=bool(day) and len(match.group("year")) == 4)
    if not month:
        return None
    year, doubt = _full_year(match.group("year"))
    if day:
        if not _FIRST <= year <= _LAST:
            return None
        begins, ends = _day(year, month, int(day)), _day(year, month, int(last or day))
        return _mention(match, begins, ends, "day", doubt)
    if not _FIRST_ALONE <= year <= _LAST_ALONE:
        return None
    if _DAY_BEFORE.search(match.string, max(0, match.start() - 12), match.start()):
        return None  # the month of a day that is none: '30 February 2011'
    begins_in = _month(preceding, language) if preceding else month
    if begins_in and begins_in > month:  # from December to February
        return _mention(match, _day(year - 1, begins_in, 1), _day(year, month, _last_day(year, month)), "month")
    mention = _months(match, year, begins_in, month, "month") if begins_in else None
    return replace(mention, doubt=doubt or mention.doubt) if mention is not None else None


def _joined(match: re.Match[str], language: str) -> DateMention | None:
    month = _month(match.group(2).capitalize(), "")
    year, doubt = _full_year(match.group(3))
    if not month or not _FIRST <= year <= _LAST:
        return None
    day = _day(year, month, int(match.group(1)))
    return _mention(match, day, day, "day", doubt)


def _roman(match: re.Match[str], language: str) -> DateMention | None:
    months = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
    year = int(match.group(3))
    day = _day(year, months.index(match.group(2)) + 1, int(match.group(1))) if _FIRST <= year <= _LAST else None
    return _mention(match, day, day, "day")


def _packed(match: re.Match[str], language: str) -> DateMention | None:
    day = _day(int(match.group(1)), int(match.group(2)), int(match.group(3)))
    return _mention(match, day, day, "day")


def _far_east(match: re.Match[str], language: str) -> DateMention | None:
    year, month, day = int(match.group(1)), int(match.group(2) or 0), int(match.group(3) or 0)
    if not _FIRST <= year <= _LAST or month > 12:
        return None
    if day and month:
        moment = _day(year, month, day)
        return _mention(match, moment, moment, "day")
    return _months(match, year, month, month, "month") if month else _years(match, year, year, "year")


def _quarter(match: re.Match[str], language: str) -> DateMention | None:
    groups = match.groups()
    doubt = ""
    if groups[6]:
        part, number, year = "half", int(groups[7]), int(groups[8])
    elif match.group("nth"):
        part, year = match.group("part"), int(match.group("year"))
        number = _QUARTERS.get(match.group("nth").lower(), 0)
        if part == "half":
            number = 2 if match.group("nth").lower() == "last" else number
    else:
        part, number = "quarter", int(groups[0] or groups[3] or groups[4])
        year, doubt = _full_year(groups[1] or groups[2] or groups[5])
    size = 3 if part == "quarter" else 6
    if not 1 <= number <= 12 // size or not _FIRST_ALONE <= year <= _LAST_ALONE:
        return None
    return _months(match, year, (number - 1) * size + 1, number * size, part, doubt)


def _season(match: re.Match[str], language: str) -> DateMention | None:
    year, until = int(match.group(2)), match.group(3)
    if not _FIRST_ALONE <= year <= _LAST_ALONE:
        return None
    winter = match.group(1).lower() in ("winter", "hiver")
    last = int(until) + (0 if len(until) == 4 else year - year % 100) if until else year
    if until and not year <= last <= year + 1:
        return None
    # A winter ends in the next year, and the summer of the southern half of the world does.
    end = (
        (last + 1, 3) if not until and (winter or match.group(1).lower() in ("summer", "sommer", "été")) else (last, 12)
    )
    return _mention(match, _day(year, 1, 1), _day(end[0], end[1], 31), "season", "season")


def _decade(match: re.Match[str], language: str) -> DateMention | None:
    digits = match.group("year") or match.group("after")
    year, doubt = (int(digits), "") if digits else _full_year(match.group("short")[1:])
    if not _FIRST_ALONE <= year <= _LAST_ALONE:
        return None
    part, until = (match.group("part") or "").lower(), (match.group("until") or "").lower()
    if year % 100 == 0 and not part and not match.group("after"):
        return _years(match, year, year + 99, "century", "span")
    first = {"": 0, "early": 0, "mid": 3, "late": 5}[part]
    last = {"": 9, "early": 4, "mid": 6, "late": 9}[until or part]
    return _years(match, year + first, year + last, "decade", doubt)


def _century(match: re.Match[str], language: str) -> DateMention | None:
    number = int(match.group("number") or 0) or _ORDINALS.get((match.group("word") or "").lower(), 0)
    if not 5 <= number <= 22:
        return None
    first, last = {"": (1, 100), "early": (1, 50), "mid": (30, 70), "late": (51, 100)}[
        (match.group("part") or "").lower()
    ]
    return _years(match, (number - 1) * 100 + first, (number - 1) * 100 + last, "century")


def _span(match: re.Match[str], language: str) -> DateMention | None:
    first, digits = int(match.group(1)), match.group(2)
    last = int(digits) if len(digits) == 4 else first - first % 100 + int(digits)
    if not (_FIRST_ALONE <= first < last <= _LAST_ALONE) or last - first > 150:
        return None
    if _PAGES_BEFORE.search(match.string, max(0, match.start() - 10), match.start()):
        return None
    if len(digits) == 2 and 1 <= int(digits) <= 12:
        return _years(match, first, last, "year", "range")
    return None if _COUNTED.match(match.string, match.end()) else _years(match, first, last, "year")


_WEAK = frozenset(
    {"by", "of", "from", "about", "around", "approximately", "um", "en", "bis", "fin", "before", "after", "to"}
)


def _cue(match: re.Match[str], language: str) -> DateMention | None:
    cue, year, last = match.group("cue").lower(), int(match.group("year")), match.group("last")
    weak = cue in _WEAK or (cue == "in" and year % 100 == 0)
    if not (1900 if weak else 1600) <= year <= (2049 if weak else 2100) or _COUNTED.match(match.string, match.end()):
        return None
    if last and not year < int(last) <= _LAST_ALONE:
        return None
    if cue == "between" and not last:
        return None
    about = cue in ("around", "about", "circa", "c.", "ca.", "approximately", "um", "vers")
    part = _PARTS.get(cue.split()[0], "") if not cue.startswith(("end of", "start of")) else _PARTS[cue.split()[0]]
    if last or not part:
        mention = _years(match, year, int(last or year), "year", "about" if about else "")
    else:
        first_month, last_month = {"early": (1, 6), "mid": (4, 9), "late": (7, 12)}[part]
        mention = _months(match, year, first_month, last_month, "year")
    if mention is None or part or about:
        return mention
    start = match.start("year")  # a word that only leads to the year is no part of the date
    return replace(mention, start=start, text=match.string[start : match.end()])


def _bracket(match: re.Match[str], language: str) -> DateMention | None:
    year = int(match.group(1) or match.group(2))
    return _years(match, year, year, "year") if 1600 <= year <= 2100 else None


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], DateMention | None]], ...] = (
    (_ISO, _iso), (_NUMERIC, _numeric), (_DAY_MONTH, _day_month), (_MONTH_FIRST, _month_first), (_FAR_EAST, _far_east),
    (_QUARTER, _quarter), (_SEASON, _season), (_DECADE, _decade), (_CENTURY, _century), (_YEAR_MONTH, _year_month),
    (_SPAN, _span), (_CUE, _cue), (_BRACKET, _bracket), (_JOINED, _joined), (_PACKED, _packed), (_ROMAN, _roman),
)  # fmt: skip


def dates_in(text: str, *, language: str = "") -> tuple[DateMention, ...]:
    """Find the dates of a text in order, without overlap.

    ``language`` (ISO 639-1) tells the order of '12/03/2011' where all who write it agree, and the names of months
    beyond those of the larger languages of Europe.
    """
    plain = _plain(text)
    if _NUMBER.search(plain) is None:
        return ()
    language = language or _language(text)
    candidates = sorted(
        _candidates(plain, language), key=lambda candidate: (candidate[0].start, -candidate[0].end, candidate[1])
    )
    result: list[DateMention] = []
    for mention, _ in candidates:
        if not result or mention.start >= result[-1].end:
            result.append(mention)
    return tuple(replace(mention, text=text[mention.start : mention.end]) for mention in result)


def _language(text: str) -> str:
    """Return the language of a text where its own words tell it, '' otherwise."""
    language = language_of(text)
    return "" if language == ENGLISH else language


_DIGITS = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹أإآ", "01234567890123456789ااا")
_ARABIC = re.compile(r"[\u0600-\u06ff]")


def _plain(text: str) -> str:
    """Return a text of the same length in which Arabic dates are as others do: digits, a month as one word."""
    if not _ARABIC.search(text):
        return text
    text = text.translate(_DIGITS)
    months, days = _arabic("month"), _arabic("day")
    double = "|".join(word for word in months if " " in word)
    text = re.sub(rf"(?<!\w)(?:{double})(?!\w)", lambda match: match[0].replace(" ", _JOINT), text)
    in_words = "|".join(sorted(days, key=len, reverse=True))
    text = re.sub(
        rf"(?<!\w)({in_words})(?= (?:من|شهر|{'|'.join(months)})\b)",
        lambda match: str(days[match[0]]).ljust(len(match[0])),
        text,
    )
    return re.sub(r"(?<=[\d ])(?: من)?(?: شهر)?(?= +[ء-ي])|(?<= )(?:من )?(?:عام|سنة)(?= \d{4})", _blanks, text)


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _candidates(text: str, language: str) -> Iterator[tuple[DateMention, int]]:
    for start, end in _near_numbers(text):
        for rank, (form, read) in enumerate(_FORMS):
            offset = start
            while (match := form.search(text, offset, end)) is not None:
                mention = read(match, language)
                if mention is None:
                    offset = _again(match)
                    continue
                offset = match.end()
                yield _with_time(_with_part(mention, text), text), rank


_NUMBER = re.compile(r"\d+|[Cc]entur|CENTUR|siècle|Jahrhundert")
_AROUND = 80  # characters: more than any form has on either side of its number


def _near_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Find the stretches that may hold a date: most of a text is far from any number."""
    start = end = -1
    for match in _NUMBER.finditer(text):
        if start < 0:
            start = max(0, match.start() - _AROUND)
        elif match.start() - _AROUND > end:
            yield start, end
            start = match.start() - _AROUND
        end = match.end() + _AROUND
    if start >= 0:
        yield start, end


def _again(match: re.Match[str]) -> int:
    """Return where to look on after what was no date: a part of it may be one ('on 12 and 3 May 2011')."""
    for name in ("day", "month"):
        if name in match.re.groupindex and match.start(name) > match.start():
            return match.start(name)
    return match.end()


_PART_BEFORE = re.compile(
    rf"(?<!\w)(early|mid|late|(?:(?:the{_BLANK})?(?:beginning|start|middle|end){_BLANK}of)|anfang|mitte|ende|début|fin)"
    rf"(?:[- ]|{_BLANK})(?:in{_BLANK})?$",
    re.IGNORECASE,
)


def _with_part(mention: DateMention, text: str) -> DateMention:
    """Make the interval smaller or doubtful by what is before: 'early March 2011', 'about 12 May 1963'."""
    preceding = text[max(0, mention.start - 30) : mention.start]
    if (
        mention.precision == "month"
        and mention.earliest[:7] == mention.latest[:7]
        and (part := _PART_BEFORE.search(preceding))
    ):
        first, last = {"early": (1, 15), "mid": (10, 20), "late": (16, 31)}[
            _PARTS[part.group(1).lower().replace("the ", "").split()[0]]
        ]
        start = mention.start - len(preceding) + part.start()
        earliest = f"{mention.earliest[:8]}{first:02}"
        latest = min(mention.latest, f"{mention.latest[:8]}{last:02}")
        return replace(mention, start=start, text=text[start : mention.end], earliest=earliest, latest=latest)
    if mention.precision in ("day", "month", "year") and not mention.doubt and _ABOUT.search(preceding):
        return replace(mention, doubt="about")
    return mention


def _with_time(mention: DateMention, text: str) -> DateMention:
    """Add the time of day that is right behind a day."""
    if mention.precision != "day" or mention.earliest != mention.latest or mention.doubt:
        return mention
    match = _TIME.match(text, mention.end)
    if match is None or (match.group(2) is None and match.group(4) is None):
        return mention
    hour, minute, second = int(match.group(1)), int(match.group(2) or 0), match.group(3)
    half, zone = (match.group(4) or "").lower(), (match.group(5) or "").upper()
    if half and not 1 <= hour <= 12:
        return mention
    hour = hour % 12 + (12 if half == "p" else 0) if half else hour
    if hour > 23 or minute > 59 or int(second or 0) > 59:
        return mention
    offset = "" if not zone else "+00:00" if zone in ("Z", "UTC", "GMT") else f"{zone[:3]}:{zone[-2:]}"
    moment = f"{mention.earliest}T{hour:02}:{minute:02}{':' + second if second else ''}{offset}"
    return replace(
        mention,
        end=match.end(),
        text=text[mention.start : match.end()],
        earliest=moment,
        latest=moment,
        precision="time",
    )


# --- a single date --------------------------------------------------------------------------------------

_OF_PDF = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(Z|[+-]\d\d'?\d\d)?.{0,10}")
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?(Z|[+-]\d\d:?\d\d)?)?")
_ALONE = re.compile(r"((?:about|around|circa|ca?\.?|approx\.|~)\s*)?(\d{3,4})(?:\s*(?:AD|CE))?", re.IGNORECASE)
_TWO = re.compile(r"\s*(?:/|\.\.|–|—|\s-\s|\bto\b|\buntil\b|\bbis\b)\s*")
_DRESS = re.compile(
    r"(?:on|the|in|dated|date:?|am|den|die|le|les)\s+|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[.,]?\s+",
    re.IGNORECASE,
)


def interval(text: str, *, language: str = "") -> DateMention | None:
    """Read a text that is a date and nothing else, as in a field of a mail, a file or a form; None for any other."""
    start = len(text) - len(text.lstrip())
    bare = text.strip().rstrip(".;,")
    if not bare or len(bare) > 200:
        return None
    whole = DateMention(start, start + len(bare), bare, "", "", "")
    plain = _plain(bare)
    if _NUMBER.search(plain) is None:
        return None
    mention = _exactly(plain, language) or _from_mail(bare) or _from_to(plain, language)
    if mention is None:
        return None
    return replace(mention, start=whole.start, end=whole.end, text=bare)


def _exactly(bare: str, language: str) -> DateMention | None:
    if stamp := _OF_PDF.fullmatch(bare) or _COMPACT.fullmatch(bare):
        return _from_stamp(stamp)
    if alone := _ALONE.fullmatch(bare):
        year = int(alone.group(2))
        return _years(alone, year, year, "year", "about" if alone.group(1) else "") if year else None
    offset = 0
    while dress := _DRESS.match(bare, offset):
        offset = dress.end()
    for mention in dates_in(bare[offset:], language=language):
        if mention.start == 0 and mention.end == len(bare) - offset:
            return mention
        rest = bare[offset + mention.end :]
        if (
            mention.start == 0
            and mention.precision == "time"
            and re.fullmatch(r"\s*(?:\([A-Z]{2,5}\)|[A-Z]{2,5})", rest)
        ):
            return mention  # the name of a time zone in brackets
    return None


def _from_stamp(stamp: re.Match[str]) -> DateMention | None:
    """Read 'D:20110312101500+01'00'', '20110312', '20110312T101500Z'."""
    year, month, day = int(stamp.group(1)), int(stamp.group(2) or 0), int(stamp.group(3) or 0)
    if not _FIRST <= year <= _LAST or month > 12:
        return None
    if not month:
        return _years(stamp, year, year, "year")
    if not day:
        return _months(stamp, year, month, month, "month")
    moment = _day(year, month, day)
    if moment is None or stamp.group(4) is None:
        return _mention(stamp, moment, moment, "day")
    hour, minute, second, zone = stamp.group(4), stamp.group(5), stamp.group(6), (stamp.group(7) or "").replace("'", "")
    if int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
        return _mention(stamp, moment, moment, "day")
    offset = "" if not zone else "+00:00" if zone == "Z" else f"{zone[:3]}:{zone[-2:]}"
    moment += f"T{hour}:{minute}{':' + second if second else ''}{offset}"
    return _mention(stamp, moment, moment, "time")


def _from_mail(bare: str) -> DateMention | None:
    """Read the date of a mail in any of the forms that mail programs write."""
    if not re.search(r"[A-Za-z]{3} .*\d:\d\d", bare):
        return None
    try:
        moment: datetime = parsedate_to_datetime(bare)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if not _FIRST <= moment.year <= _LAST:
        return None
    if moment.tzinfo is not None and bare.rstrip().endswith("-0000"):
        moment = moment.astimezone(UTC)
    return DateMention(0, len(bare), bare, moment.isoformat(), moment.isoformat(), "time")


def _from_to(bare: str, language: str) -> DateMention | None:
    """Read '2011-03-12/2011-04-01', 'March 2011 to May 2012'."""
    ends = _TWO.split(bare)
    if len(ends) != 2:
        return None
    first, last = (_exactly(end.strip(), language) for end in ends)
    if first is None or last is None or first.doubt or last.doubt or first.earliest > last.latest:
        return None
    return replace(first, latest=last.latest, precision=first.precision if first.precision == last.precision else "day")


def within(mention: DateMention, first: str, last: str) -> bool:
    """Return whether a date may lie between two days (ISO 8601, both included).

    One that leaves open more than a month, and more than all of that time, says too little: 'in 1963' is no word on the
    third of October 1963, though it is one on the years from 1960 to 1965.
    """
    if mention.readings:
        return any(first <= day <= last for day in mention.readings)
    begins, ends = mention.earliest[:10], mention.latest[:10]
    if ends < first or begins > last:
        return False
    return _length(begins, ends) <= max(31, _length(first, last))


def years_of(first: str, last: str) -> re.Pattern[str]:
    """Make a pattern of what is in every text that names a date ``within`` these days.

    That is the last two digits of a year, or of a decade, that it may begin or end in. Most texts can be passed over by
    this without a look at their dates.
    """
    around = max(31, _length(first, last)) // 365 + 1
    years = range(int(first[:4]) - around, int(last[:4]) + around + 1)
    if len(years) >= 100:
        return _NUMBER
    endings = sorted({f"{year % 100:02}" for year in years} | {f"{year // 10 % 10}0" for year in years})
    # Digits of other scripts, and centuries, which are numbered otherwise, are looked at.
    return re.compile(rf"{'|'.join(endings)}|[^\W\D0-9]|[Cc]entur|CENTUR|siècle|Jahrhundert")


def _length(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days + 1


def order(mention: DateMention) -> tuple[str, str]:
    """Return a key that puts dates on a line of time: by when they begin, the exact ones first."""
    return mention.earliest[:10], mention.latest


# --- without a year -------------------------------------------------------------------------------------------------

_WITHOUT_YEAR = (
    re.compile(
        r"(?<![\w.,:/-])(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?(?P<month>[^\W\d_]{3,})(?![\w/]|[.,:-]\d)"
    ),
    re.compile(r"(?<![\w-])(?P<month>[^\W\d_]{3,})\.?\s(?P<day>\d{1,2})(?:st|nd|rd|th)?(?![\w/]|[.,:-]\d)"),
)


def days_without_year(text: str, near: str) -> tuple[DateMention, ...]:
    """Find the days that a text gives without their year, each as it is nearest to the day ``near`` (ISO 8601).

    Days that have a year are among them.
    """
    anchor = date.fromisoformat(near[:10])
    rows: list[DateMention] = []
    for match in (match for form in _WITHOUT_YEAR for match in form.finditer(text)):
        number = _month(match["month"], ENGLISH)
        moments = (_day(anchor.year + step, number, int(match["day"])) for step in (0, -1, 1)) if number else ()
        nearest = min(
            (moment for moment in moments if moment),
            key=lambda moment: abs((date.fromisoformat(moment) - anchor).days),
            default=None,
        )
        if nearest is not None and not any(row.start < match.end() and match.start() < row.end for row in rows):
            rows.append(DateMention(*match.span(), match[0], nearest, nearest, "day", "no year"))
    return tuple(sorted(rows, key=lambda row: row.start))
