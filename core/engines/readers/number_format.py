"""Numbers, dates and times as a spreadsheet shows them: the format codes of ECMA-376 part 1, section 18.8.31."""

from __future__ import annotations

import datetime
import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache

# The formats that a file refers to by number alone (section 18.8.30); 14 and 22 follow the settings of the reader.
CODES: dict[int, str] = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd hh:mm", 37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;[Red](#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0",
    48: "##0.0E+0", 49: "@",
}  # fmt: skip
_ISO_DATE = range(27, 37), range(50, 59)  # dates of East Asian settings
_SYSTEM = re.compile(r"\[\$-(?:F800|F400|x-sysdate|x-systime)\]", re.IGNORECASE)

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<blank>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>General)|(?P<noon>AM/PM|A/P)|(?P<exponent>E[+-])|(?P<clock>[yY]+|[mM]+|[dD]+|[hH]+|[sS]+|[eE]+|[aA]{3,4})"
    r"|(?P<digit>[0#?]+)|(?P<point>\.)|(?P<comma>,)|(?P<percent>%)|(?P<slash>/)|(?P<text>@)|(?P<literal>.)",
    re.DOTALL | re.IGNORECASE,
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MOST = 2_958_466  # the day after the last day that a date may be, 9999-12-31
_WHOLE = re.compile(r"-?\d{1,30}")
_LONGEST = 500  # characters of a code
_PLACES = 30  # digits behind the point

Token = tuple[str, str]


def code_of(number: int, custom: dict[int, str]) -> str:
    """Return the code of a numbered format; ``custom`` are those that the file defines."""
    if number in custom:
        return custom[number]
    if any(number in numbers for numbers in _ISO_DATE):
        return "yyyy-mm-dd"
    return CODES.get(number, "General")


@lru_cache(maxsize=20_000)
def shown(raw: str, code: str, *, since_1904: bool = False) -> str:
    """Return a stored number as its format shows it, the stored text where it is no number."""
    try:
        number = Decimal(raw.strip())
    except InvalidOperation:
        return raw
    if not number.is_finite() or abs(number.adjusted()) > 400:
        return raw
    if code.strip() in ("", "General"):
        return general(raw)
    sections = _sections(code[:_LONGEST])
    tokens, is_absolute = _section_for(number, sections)
    if tokens is None:
        return general(raw)
    value = abs(number) if is_absolute else number
    if any(kind == "clock" or (kind == "bracket" and _elapsed(text)) or kind == "noon" for kind, text in tokens):
        return _clock(value, tokens, since_1904=since_1904) or general(raw)
    return _number(value, tokens)


def text_shown(text: str, code: str) -> str:
    """Return a text as the last section of its format shows it: '"Lot "@' puts words around it."""
    if "@" not in code or code == "@":
        return text
    for tokens in _sections(code[:_LONGEST]):
        if any(kind == "text" for kind, _ in tokens):
            return "".join(text if kind == "text" else _plain(kind, words) for kind, words in tokens).strip()
    return text


def general(raw: str) -> str:
    """Return a number without a format: what is stored, to fifteen digits, and in full where it is a whole number."""
    bare = raw.strip()
    if _WHOLE.fullmatch(bare):
        return bare
    try:
        number = float(bare)
    except ValueError:
        return bare
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    short = f"{number:.15g}"
    if "e" in short and 1e-9 < abs(number) < 1:
        return format(Decimal(short), "f")
    return short.upper().replace("E-0", "E-").replace("E+0", "E+")


def is_date(code: str) -> bool:
    """Return whether a format shows dates or times."""
    return any(
        kind in ("clock", "noon") or (kind == "bracket" and bool(_elapsed(text)))
        for tokens in _sections(code[:_LONGEST])[:1]
        for kind, text in tokens
    )


def iso_shown(stamp: str, code: str) -> str:
    """Return a date in ISO 8601 as its format shows it, what is stored where it has none."""
    try:
        moment = datetime.datetime.fromisoformat(stamp.strip().removesuffix("Z"))
    except ValueError:
        return stamp
    if not is_date(code):
        return stamp
    days = moment - datetime.datetime(1899, 12, 30)
    serial = Decimal(days.days) + Decimal(days.seconds * 1_000_000 + days.microseconds) / Decimal(86_400_000_000)
    return shown(str(serial), code) if serial > 60 else stamp


@lru_cache(maxsize=2_000)
def _sections(code: str) -> tuple[tuple[Token, ...], ...]:
    """Cut a code into its sections, and those into tokens."""
    if _SYSTEM.search(code):  # the settings of the reader decide; a date is written so that nobody mistakes it
        code = "hh:mm:ss" if "f400" in code.lower() or "systime" in code.lower() else "yyyy-mm-dd"
    sections: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code):
        kind = str(match.lastgroup)
        words = match.group(kind)
        if kind == "literal" and words == ";":
            sections.append([])
        else:
            sections[-1].append((kind, words))
    return tuple(tuple(_minutes(section)) for section in sections[:4])


def _minutes(section: list[Token]) -> list[Token]:
    """Mark each m that means minutes: behind hours, or before seconds."""
    result = list(section)
    clocks = [
        index
        for index, (kind, words) in enumerate(section)
        if kind == "clock" or (kind == "bracket" and _elapsed(words)) or kind == "noon"
    ]
    for place, index in enumerate(clocks):
        words = section[index][1].lower()
        if section[index][0] != "clock" or words[0] != "m" or len(words) > 2:
            continue
        previous = section[clocks[place - 1]][1].lower().strip("[]") if place else ""
        following = section[clocks[place + 1]][1].lower() if place + 1 < len(clocks) else ""
        if previous[:1] == "h" or following[:1] == "s":
            result[index] = ("clock", "n" * len(words))
    return result


def _elapsed(bracket: str) -> str:
    """Return the unit of a bracket that counts elapsed time ('hh'), '' for any other."""
    return bracket.lower() if re.fullmatch(r"h+|m+|s+", bracket, re.IGNORECASE) else ""


_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")


def _condition(tokens: tuple[Token, ...]) -> tuple[str, Decimal] | None:
    for kind, words in tokens:
        if kind == "bracket" and (match := _CONDITION.fullmatch(words.strip())):
            return match.group(1), Decimal(match.group(2))
    return None


def _holds(number: Decimal, condition: tuple[str, Decimal]) -> bool:
    sign, bound = condition
    return {
        "<": number < bound, ">": number > bound, "=": number == bound, "<=": number <= bound, ">=": number >= bound,
        "<>": number != bound,
    }[sign]  # fmt: skip


def _section_for(number: Decimal, sections: tuple[tuple[Token, ...], ...]) -> tuple[tuple[Token, ...] | None, bool]:
    """Return the section that shows a number, and whether it shows it without its sign."""
    numeric = [tokens for tokens in sections if not any(kind == "text" for kind, _ in tokens)][:3]
    if not numeric:
        return None, False
    conditions = [_condition(tokens) for tokens in numeric]
    if any(conditions):
        for tokens, condition in zip(numeric, conditions, strict=True):
            if condition is None or _holds(number, condition):
                return tokens, condition is not None and number < 0 and condition[0] in ("<", "<=") and condition[
                    1
                ] <= 0
        return numeric[-1], False
    if len(numeric) == 1:
        return numeric[0], False
    if number < 0:
        return numeric[1], True
    return (numeric[2] if number == 0 and len(numeric) > 2 else numeric[0]), False


def _plain(kind: str, words: str) -> str:
    """Return the text that a token other than a digit shows."""
    match kind:
        case "quoted" | "escaped" | "literal" | "slash" | "percent" | "clock" | "noon" | "point" | "comma" | "exponent":
            return words
        case "bracket" if words.startswith("$"):  # a currency and a language
            return words[1:].rpartition("-")[0] if "-" in words else words[1:]
        case "blank":
            return " " if words == " " else ""
    return ""


# --- numbers ---------------------------------------------------------------------------------------------------------


def _number(number: Decimal, tokens: tuple[Token, ...]) -> str:
    kinds = [kind for kind, _ in tokens]
    if "general" in kinds:
        words = (general(str(number)) if kind == "general" else _plain(kind, text) for kind, text in tokens)
        return "".join(words).strip()
    if "digit" not in kinds:
        sign = "-" if number < 0 and not any(kind in ("quoted", "escaped", "literal") for kind in kinds) else ""
        return (sign + "".join(_plain(kind, text) for kind, text in tokens)).strip()
    first = kinds.index("digit")
    last = len(kinds) - 1 - kinds[::-1].index("digit")
    if kinds[last + 1 : last + 2] == ["slash"]:  # a bottom of a fraction that is a number, as in # ?/8
        last += 1
        while last + 1 < len(kinds) and tokens[last + 1][0] == "literal" and tokens[last + 1][1].isdigit():
            last += 1
    number *= 100 ** min(4, kinds.count("percent"))
    end = last
    while end + 1 < len(kinds) and kinds[end + 1] == "comma":  # each divides by a thousand
        end += 1
        number /= 1000
    start = first - 1 if first and kinds[first - 1] == "point" else first
    sign = "-" if number < 0 else ""
    number = abs(number)
    core = tokens[start : last + 1]
    if "exponent" in kinds[start : last + 1]:
        digits = _scientific(number, core)
    elif "slash" in kinds[start : last + 1]:
        digits = _fraction(number, core)
    else:
        digits = _fixed(number, core)
    if sign and not re.search(r"[1-9/]", digits):
        sign = ""
    prefix = "".join(_plain(*token) for token in tokens[:start])
    suffix = "".join(_plain(*token) for token in tokens[end + 1 :])
    return f"{sign}{prefix}{digits}{suffix}".strip()


def _rounded(number: Decimal, places: int) -> Decimal:
    try:
        return number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    except InvalidOperation:  # more digits than the arithmetic has
        return number


def _fixed(number: Decimal, core: tuple[Token, ...]) -> str:
    """Put the digits of a number into their places; words between them stay where they are, as in 000-00-0000."""
    point_index = next((point_index for point_index, (kind, _) in enumerate(core) if kind == "point"), len(core))
    behind = "".join(words for kind, words in core[point_index:] if kind == "digit")[:_PLACES]
    integer, _, decimals = format(_rounded(number, len(behind)), "f").partition(".")
    places = "".join(words for kind, words in core[:point_index] if kind == "digit")
    has_groups = any(kind == "comma" for kind, _ in core[:point_index])
    least = len(places) - len(places.lstrip("#"))
    least = sum(place != "#" for place in places) if "0" in places or "?" in places else 0
    if has_groups and not any(kind not in ("digit", "comma") for kind, _ in core[:point_index]):
        padding = integer.lstrip("0").rjust(least, "0")
        groups = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", padding)
        front = groups
    else:
        front = _into_places(integer.lstrip("0"), core[:point_index])
    while decimals and behind and behind[len(decimals) - 1] == "#" and decimals[-1] == "0":
        decimals = decimals[:-1]
    decimals = "".join(digit for digit in decimals)
    point = "." if point_index < len(core) and (decimals or "0" in behind or behind == "") else ""
    words_behind = "".join(
        _plain(kind, words) for kind, words in core[point_index + 1 :] if kind not in ("digit", "comma", "point")
    )
    return f"{front}{point}{decimals}{words_behind}"


def _into_places(digits: str, core: tuple[Token, ...]) -> str:
    """Fill places from the right; remaining digits go before the first of them."""
    result: list[str] = []
    remaining = digits
    count = sum(len(words) for kind, words in core if kind == "digit")
    for kind, words in reversed(core):
        if kind != "digit":
            has_more = remaining or any("0" in text for k, text in core if k == "digit")
            result.append(_plain(kind, words) if has_more and kind != "comma" else "")
            continue
        for place in reversed(words):
            count -= 1
            if remaining:
                result.append(remaining if not count else remaining[-1])
                remaining = "" if not count else remaining[:-1]
            elif place == "0":
                result.append("0")
    return "".join(reversed(result))


def _scientific(number: Decimal, core: tuple[Token, ...]) -> str:
    mark = next(mark for mark, (kind, _) in enumerate(core) if kind == "exponent")
    point = next((place for place, (kind, _) in enumerate(core[:mark]) if kind == "point"), mark)
    wide = max(1, sum(len(words) for kind, words in core[:point] if kind == "digit"))
    behind = min(_PLACES, sum(len(words) for kind, words in core[point:mark] if kind == "digit"))
    power = number.adjusted() if number else 0
    power -= power % wide if wide > 1 else 0
    short = _rounded(number.scaleb(-power), behind)
    if short >= 10**wide:
        power += wide
        short = _rounded(number.scaleb(-power), behind)
    digits = sum(len(words) for kind, words in core[mark:] if kind == "digit")
    sign = "-" if power < 0 else "+" if core[mark][1].endswith("+") else ""
    return f"{format(short, 'f')}E{sign}{str(abs(power)).rjust(digits, '0')}"


def _fraction(number: Decimal, core: tuple[Token, ...]) -> str:
    """Return a number with a fraction, apart from its whole part: 12 1/2."""
    slash = next(slash for slash, (kind, _) in enumerate(core) if kind == "slash")
    bottom_words = re.match(r"\d+", "".join(words for _, words in core[slash + 1 :]).strip())
    has_whole = sum(kind == "digit" for kind, _ in core[:slash]) > 1
    integer = int(number) if has_whole else 0
    part = Fraction(number) - integer
    if bottom_words and int(bottom_words.group()):
        bottom = int(bottom_words.group()[:6])
        top = int(part * bottom + Fraction(1, 2))
    else:
        width = min(4, sum(len(words) for kind, words in core[slash + 1 :] if kind == "digit"))
        best = part.limit_denominator(10 ** max(1, width) - 1)
        top, bottom = best.numerator, best.denominator
    if has_whole and bottom and top >= bottom:
        integer, top = integer + top // bottom, top % bottom
    if not top:
        return str(integer)
    return f"{integer} {top}/{bottom}" if integer else f"{top}/{bottom}"


# --- dates and times -------------------------------------------------------------------------------------------------


def _clock(number: Decimal, tokens: tuple[Token, ...], *, since_1904: bool) -> str:
    """Return a moment, '' where there is none of that number."""
    counter = next((unit for kind, text in tokens if kind == "bracket" and (unit := _elapsed(text))), "")
    if number < 0 and not counter:
        return ""
    places = 0
    for index, (kind, words) in enumerate(tokens):
        if kind == "digit" and index and tokens[index - 1][0] == "point" and set(words) == {"0"}:
            places = min(3, len(words))
    # To the smallest unit that is shown; half a second is rounded as the programs do.
    has_seconds = any(
        (kind == "clock" and text[0] in "sS") or (kind == "bracket" and _elapsed(text)[:1] == "s")
        for kind, text in tokens
    )
    seconds = _rounded(abs(number) * 86_400, places if has_seconds else 0)
    total = int(seconds)
    day, time = divmod(total, 86_400)
    if day >= _MOST:
        return ""
    moment = _day(day, since_1904=since_1904)
    has_meridiem = any(kind == "noon" for kind, _ in tokens)
    hours, minutes, second = time // 3600, time // 60 % 60, time % 60
    parts: list[str] = ["-"] if number < 0 and total else []
    for index, (kind, words) in enumerate(tokens):
        match kind:
            case "bracket" if unit := _elapsed(words):
                count = total // {"h": 3600, "m": 60, "s": 1}[unit[0]]
                parts.append(str(count).rjust(len(unit), "0"))
            case "noon":
                mark = "PM" if hours >= 12 else "AM"
                parts.append(mark if len(words) > 3 else mark[0])
            case "clock":
                hour = (hours - 1) % 12 + 1 if has_meridiem else hours
                parts.append(_unit(words.lower(), moment, hour, minutes, second))
            case "digit" if index and tokens[index - 1][0] == "point":
                parts.append(f"{seconds:.{places}f}".rpartition(".")[2] if places else "")
            case "digit" | "text" | "general":
                continue
            case "point" if index + 1 < len(tokens) and tokens[index + 1][0] == "digit" and not places:
                continue
            case _:
                parts.append(_plain(kind, words))
    return "".join(parts).strip()


def _unit(words: str, moment: tuple[int, int, int, int], hour: int, minutes: int, second: int) -> str:
    year, month, day, weekday = moment
    size = len(words)
    match words[0]:
        case "y" | "e":
            return f"{year % 100:02}" if size < 3 and words[0] == "y" else str(year)
        case "m":
            name = _MONTHS[month - 1]
            return str(month) if size == 1 else f"{month:02}" if size == 2 else _month(name, size)
        case "d":
            name = _DAYS[weekday]
            return str(day) if size == 1 else f"{day:02}" if size == 2 else name[:3] if size == 3 else name
        case "a":
            return _DAYS[weekday][:3] if size == 3 else _DAYS[weekday]
    number = {"h": hour, "n": minutes, "s": second}[words[0]]
    return str(number) if size == 1 else f"{number:02}"


def _month(name: str, size: int) -> str:
    return name[:3] if size == 3 else name[0] if size == 5 else name


def _day(day: int, *, since_1904: bool) -> tuple[int, int, int, int]:
    """Return year, month, day and weekday (0 is Monday) of a numbered day.

    The calendar from 1900 on has a 29 February 1900, which is day 60, and a day 0.
    """
    if since_1904:
        date = datetime.date(1904, 1, 1) + datetime.timedelta(days=min(day, _MOST - 1_463))
    elif day == 60:
        return 1900, 2, 29, 2
    elif day == 0:
        return 1900, 1, 0, 5
    else:
        date = datetime.date(1899, 12, 31 if day < 60 else 30) + datetime.timedelta(days=day)
    return date.year, date.month, date.day, date.weekday()
