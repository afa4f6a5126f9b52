"""How other programs write ratings, grades and dates, and what they mean here.

A value that means nothing known is never guessed and never taken from its neighbour: the caller reports it and leaves
the cell open. Sources of the spellings: PARC ('C C', 'I I'; Burton's Open Source ACH, import_action.php), tables of
ArkhamMirror ('++' to '--', 'N/A'; arkham_shard_ach/models.py), the letters of Heuer 1999, and words that people write.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from core.domain import Level, Rating

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"), "-")


def plain_form(text: str) -> str:
    """Return one spelling of a short value: compatibility forms, case, blanks and dashes made alike."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_DASHES).casefold().split())


def _spellings() -> dict[str, Rating]:
    words: dict[str, Rating] = {"cc": "CC", "c": "C", "n": "N", "i": "I", "ii": "II", "na": "NA"}
    words |= {"c c": "CC", "i i": "II", "++": "CC", "+ +": "CC", "+": "C", "--": "II", "- -": "II", "-": "I"}
    words |= dict.fromkeys(("n/a", "n.a.", "n / a", "not applicable", "does not apply", "irrelevant"), "NA")
    words |= dict.fromkeys(("neutral", "neither", "ambiguous", "\u00b1", "+/-"), "N")
    strong = ("very", "highly", "strongly", "very strongly", "extremely", "completely", "fully")
    for rating, strongly, adjectives in (("C", "CC", ("consistent", "supports", "supportive")),
                                   ("I", "II", ("inconsistent", "contradicts", "contradictory"))):  # fmt: skip
        for word in adjectives:
            words[word] = rating  # type: ignore[assignment]
            words |= {f"{very} {word}": strongly for very in strong}  # type: ignore[misc]
    return words


_SPELLINGS = _spellings()
_GAPS = frozenset(("", "?", "unrated", "not rated", "blank", "tbd", "t.b.d.", "open", "todo"))
_WITH_REMARK = re.compile(r"(cc|c c|ii|i i|na|n/a|c|n|i|\+\+|--|\+)\s*(?:\((.*)\)|[:;,]\s*(.+)|\s-\s(.+))", re.S | re.I)
_LETTERS = frozenset(("cc", "c c", "c", "i", "ii", "i i"))
_SIGNS = frozenset(("++", "+ +", "+", "--", "- -"))
_MAX_CHARS = 400  # characters of a cell that can be a rating with a remark


@dataclass(frozen=True, slots=True)
class Reading:
    """The meaning of one cell. ``is_known`` False: it is not empty and no rating."""

    rating: Rating | None = None
    is_known: bool = True
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """The way in which one file writes its ratings.

    ``numbers`` are those it explains; ``dash_is_gap`` where letters are used and a lone dash marks an open cell.
    """

    numbers: Mapping[str, Rating] = field(default_factory=dict)
    dash_is_gap: bool = False

    def read(self, text: str) -> Reading:
        """Read what a cell says."""
        if len(text) > _MAX_CHARS:
            return Reading(is_known=False)
        value = plain_form(text)
        if value in _GAPS or (value == "-" and self.dash_is_gap):
            return Reading()
        if value in _SPELLINGS:
            return Reading(_SPELLINGS[value])
        if number(value) is not None:
            rating = self.numbers.get(_number_key(value))
            return Reading(rating, is_known=rating is not None)
        match = _WITH_REMARK.fullmatch(" ".join(text.translate(_DASHES).split()))
        if match is not None:
            remark = next((part for part in match.groups()[1:] if part), "").strip()
            if plain_form(remark) in _SPELLINGS:  # 'CC (very consistent)'
                remark = ""
            return Reading(_SPELLINGS[match.group(1).casefold()], remark=remark)
        # 'Very Consistent (CC)'
        match = re.fullmatch(r"([a-z ]+?)\s*\((cc|c|n|i|ii|na)\)", value)
        if match is not None and _SPELLINGS.get(match.group(1)) == _SPELLINGS[match.group(2)]:
            return Reading(_SPELLINGS[match.group(2)])
        return Reading(is_known=False)


def scale_of(values: Iterable[str], numbers: Mapping[str, Rating] | None = None) -> Scale:
    """Derive the scale of a file from all its cells. A lone dash is a gap where it writes letters and no signs.

    ArkhamMirror's tables write signs, '-' for inconsistent; people who write letters put '-' where nothing is rated.
    """
    spellings = {plain_form(value) for value in values if len(value) <= 5}
    return Scale(numbers or {}, dash_is_gap=bool(spellings & _LETTERS) and not spellings & _SIGNS)


_MAY_EXPLAIN = re.compile(r"\d\s*(?:[=:\u2010-\u2014\u2212-]|means|is)\s*[A-Za-z]")
_NUMBER_MEANING = re.compile(
    r"(?<![\w.+-])([+-]?\d)\s*(?:=|:|-|means|is)\s*([a-z][a-z /]*?)(?=\s*(?:$|[,;|.()\n]|[+-]?\d))"
)


def number_meanings(texts: Iterable[str]) -> dict[str, Rating]:
    """Find what numbers stand for, where a text says so: '1 = very inconsistent ... 5 = very consistent', or '5 = CC'.

    With both ends known, the steps between are filled in. Numbers that nothing explains are no ratings: some sheets
    count from 1 for the best, others for the worst.
    """
    ratings: dict[str, Rating] = {}
    chars_read = 0
    for text in texts:
        if len(text) > 400 or not _MAY_EXPLAIN.search(text):
            continue
        chars_read += len(text)
        if chars_read > 500_000:  # characters; no legend is that long
            break
        for digits, words in _NUMBER_MEANING.findall(plain_form(text)):
            rating = _SPELLINGS.get(words.strip())
            if rating is None:
                continue
            if ratings.get(_number_key(digits), rating) != rating:
                return {}  # it says two things
            ratings[_number_key(digits)] = rating
    steps: tuple[Rating, ...] = ("II", "I", "N", "C", "CC")
    for low, high in ((1, 5), (-2, 2), (0, 4)):
        for order in (steps, steps[::-1]):
            if ratings.get(str(low)) == order[0] and ratings.get(str(high)) == order[-1]:
                for index, rating in enumerate(order):
                    if ratings.setdefault(str(low + index), rating) != rating:
                        return {}
    return ratings if len(ratings) >= 2 else {}


def number(text: str) -> float | None:
    """Parse a number written with digits, '%' or a decimal comma; None for anything else."""
    match = re.fullmatch(r"([+-]?\d{1,15}(?:[.,]\d{1,15})?)\s*(%?)", text.strip())
    if match is None:
        return None
    value = float(match.group(1).replace(",", "."))
    return value / 100 if match.group(2) else value


def _number_key(text: str) -> str:
    value = number(text)
    return text if value is None or value != int(value) else str(int(value))


_LEVELS: dict[str, Level] = {"l": "L", "low": "L", "m": "M", "med": "M", "medium": "M", "moderate": "M", "h": "H"}
_LEVELS |= {"high": "H", "very high": "H", "very low": "L", "average": "M"}
_NO_GRADE = frozenset(("", "-", "na", "n/a", "unknown", "none", "not given", "?"))


def level(text: str) -> tuple[Level | None, bool]:
    """Read low, medium or high from a letter or word; return it, and whether it was understood."""
    value = plain_form(text)
    return _LEVELS.get(value), value in _LEVELS or value in _NO_GRADE


def level_of_share(share: float) -> Level:
    """Turn a number from 0 to 1 into a level, in thirds.

    The case keeps three levels, the weights of F2 know no others.
    """
    return "L" if share < 1 / 3 else "M" if share < 2 / 3 else "H"


def admiralty(text: str) -> tuple[str, str] | None:
    """Read reliability A-F and credibility 1-6 from 'B2', 'B', '2' or 'B/2'; None if it is none of these.

    'completely reliable' and the like are the words of the same scale (MISP taxonomies, admiralty-scale).
    """
    value = plain_form(text)
    match = re.fullmatch(r"([a-f]?)\s*[-/ ]?\s*([1-6]?)(?:\.0)?", value)
    if match is not None and value:
        return match.group(1).upper(), match.group(2)
    words = {
        "completely reliable": "A", "usually reliable": "B", "fairly reliable": "C", "not usually reliable": "D",
        "unreliable": "E", "reliability cannot be judged": "F", "cannot be judged": "F",
    }  # fmt: skip
    facts = {
        "confirmed": "1", "confirmed by other sources": "1", "probably true": "2", "possibly true": "3",
        "doubtful": "4", "doubtfully true": "4", "improbable": "5", "truth cannot be judged": "6",
    }  # fmt: skip
    if value in words or value in facts:
        return words.get(value, ""), facts.get(value, "")
    return None


# --- dates -----------------------------------------------------------------------------------------------------------

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {m: n for n, m in enumerate(_MONTH_NAMES, start=1)}
_NUMERIC = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})")


def day_first(texts: Iterable[str]) -> bool | None:
    """Return whether dates such as 03/04/2020 begin with the day, as far as the others in the same column tell."""
    first = second = False
    for text in texts:
        match = _NUMERIC.match(text.strip())
        if match is not None:
            first |= int(match.group(1)) > 12
            second |= int(match.group(2)) > 12
            if "." in match.group():  # dots are written where the day comes first
                first = True
    return None if first == second else first


def iso_date(text: str, *, days_first: bool | None = None, epoch_1904: bool = False) -> str | None:
    """Write a date of people and spreadsheets as ISO 8601; '' for none, None if it cannot be told."""
    value = " ".join(unicodedata.normalize("NFKC", text).translate(_DASHES).split())
    if not value or plain_form(value) in _NO_GRADE:
        return ""
    if re.fullmatch(r"\d{4}", value):
        return value
    match = re.fullmatch(
        r"(\d{4})-(\d{2})(?:-(\d{2}))?(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?", value
    )
    if match is not None:
        return _valid_date(value.replace(" ", "T", 1), match.group(1), match.group(2), match.group(3) or "1")
    serial = number(value)
    if serial is not None and 10_000 <= serial < 80_000:  # a spreadsheet's count of days: 1927 to 2119
        begin = datetime(1904, 1, 1) if epoch_1904 else datetime(1899, 12, 30)
        moment = begin + timedelta(days=serial)
        return moment.strftime("%Y-%m-%d") if serial == int(serial) else moment.strftime("%Y-%m-%dT%H:%M:%S")
    match = _NUMERIC.fullmatch(value)
    if match is not None:
        first, two, year = match.groups()
        if "." in value or int(first) > 12:
            days_first = True
        elif int(two) > 12:
            days_first = False
        if days_first is None and first != two:
            return None
        day, month = (first, two) if days_first is not False else (two, first)
        return _valid_date(f"{year}-{int(month):02}-{int(day):02}", year, month, day)
    match = re.fullmatch(
        r"(?:(\d{1,2})(?:st|nd|rd|th)?\.? )?([a-z]{3})[a-z]*\.?,? (?:(\d{1,2})(?:st|nd|rd|th)?,? )?(\d{4})",
        value.casefold(),
    )
    if match is not None and match.group(2) in _MONTHS:
        day, year = match.group(1) or match.group(3), match.group(4)
        name = f"{year}-{_MONTHS[match.group(2)]:02}"
        return _valid_date(f"{name}-{int(day):02}", year, str(_MONTHS[match.group(2)]), day) if day else name
    return None


def _valid_date(iso: str, year: str, month: str, day: str) -> str | None:
    try:
        datetime(int(year), int(month), int(day))
    except ValueError:
        return None
    return iso


def date_of_milliseconds(text: str) -> str | None:
    """Return the day of a count of milliseconds since 1970 in UTC; '' for 0 (PARC's way to say none)."""
    match = re.fullmatch(r"-?\d{1,15}", text.strip())
    if not text.strip():
        return ""
    if match is None:
        return None
    count = int(match.group())
    if not count:
        return ""
    if abs(count) > 8_000_000_000_000:  # beyond the years 1717 to 2223
        return None
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=count)).strftime("%Y-%m-%d")
