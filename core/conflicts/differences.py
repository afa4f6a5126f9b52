"""Differences between two statements: one figure, date, time, name or negation. Pure.

A difference is *alone* if nothing else of weight differs; it is a conflict by itself. Statements that are only alike
need a second opinion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from core.conflicts import gates
from core.conflicts.statements import (
    NUMBER_NAMES,
    Statement,
    dates_of,
    days_in,
    is_name,
    is_negation,
    plain_name,
    quantities_of,
    times_of,
    words_of,
)
from core.domain import Span
from core.language import clock_times, comparison
from core.language.dates import DateMention
from core.language.quantities import Quantity, are_incompatible, may_count_same
from core.search.ranking import STOP_WORDS

Kind = Literal["version", "quantity", "date", "time", "place", "role", "name", "denial", "hypotheses"]
KINDS: dict[Kind, str] = {
    "version": "two versions of one document",
    "quantity": "a figure",
    "date": "a date",
    "time": "a time of day",
    "place": "a place",
    "role": "who held a role",
    "name": "a name",
    "denial": "a statement and its denial",
    "hypotheses": "for and against a hypothesis",
}
COPY = 0.55  # likeness from which two statements are compared word by word
ALIKE = 0.3  # likeness from which two statements may be about one thing
LEAST_ALIKE = 0.15  # the same in a case about one matter
_DISTINCT = 0.23  # the same if the words that they share are rare in it, and they do not deny each other
_DATED = 0.4  # the same where they name different days
_SHARED_WORDS = 4
_WITHOUT_NAME = 6  # if no name is among them
_ON_ONE_DAY = 3  # if both name the same day
_IN_VERSIONS = 2  # if the two texts are versions of one, or all words are the same and rare in the case
_ON_OTHER_DAYS = 10  # if only a name differs in texts of two days, which have stock phrases
_WITHIN_ONE = 8  # in one document, which has lists
_OTHER_WORDS = 0.2  # share of the words that may differ besides a difference that is alone
_DENIED = 0.7  # share of what is denied that the other statement says
_SAME_STEP = 3  # days by which the steps of two dates may differ that move along with their documents
_SPELLING = 60  # of 100: likeness of two spellings of one name
_ONE_NAME = 80  # the same beside another difference
_MISREAD = 40  # the same for two readings of one word
_TOKEN = re.compile(
    r"[$€£]?\d+(?:[.,:/]\d+)*[\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]*|[^\W\d_]+(?:['’-][^\W\d_]+)*|%"
)
_PLACE_BEFORE = re.compile(r"\b(?:in|at|near|from|outside|inside|to)\s(?:the\s)?(?:[A-Z]\w+\s)*$")
_LETTERED_PLACE = re.compile(r"\b(?:in|at|near|from|outside|inside|to|into)\s(?:the\s)?[^\W\d_]+\s$")  # 'in hall B'
_ROLE = re.compile(
    r"\b(?:chief|director|operator|head|president|minister|chair(?:man|woman)|officer|spokes(?:man|woman)|manager"
    r"|secretary|captain|inspector|mayor|ambassador|commander|leader|founder|owner|author|judge|editor)\b[^.;]{0,20}$",
    re.IGNORECASE,
)
_HELPING = frozenset((
    "did", "does", "do", "was", "were", "is", "are", "has", "have", "had", "be", "been", "will", "would", "could",
    "can", "should", "ever", "any", "some",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Difference:
    """Two statements that cannot both be true, as far as rules can tell.

    ``left_span`` and ``right_span`` are the places in their texts that differ (empty for a denial), ``values`` their
    contents, normalised. ``is_alone``: nothing else of weight differs. ``likeness`` is in 0..1; ``extra_words`` counts
    the other words that differ. ``is_distinct``: the words that both have are too rare to be shared by chance.
    """

    kind: Kind
    left: Statement
    right: Statement
    left_span: Span
    right_span: Span
    values: tuple[str, str]
    likeness: float
    is_alone: bool
    heads: tuple[str, ...] = ()
    extra_words: int = 0
    is_distinct: bool = False


def differences(
    left: Statement,
    right: Statement,
    likeness: float,
    *,
    is_version: bool = False,
    is_distinct: bool = False,
) -> Iterator[Difference]:
    """Yield the differences of two statements, at most one of a kind.

    ``is_version``: they are from two versions of one text, so less has to be the same. It does, too, where the words
    that they share are too rare in the case to be shared by chance (``is_distinct``).
    """
    if left.line.casefold() == right.line.casefold():
        return
    sole = _sole_difference(left, right, likeness, is_version, is_distinct) if likeness >= COPY else None
    if sole is not None:
        yield sole
        return
    has_enough = len(left.words & right.words) >= _SHARED_WORDS and bool(left.names & right.names)
    is_alike = likeness >= _DISTINCT or (is_distinct and denies(left, right, surely=True))
    if (has_enough and likeness >= ALIKE) or (is_distinct and is_alike):
        yield from _possible_differences(left, right, likeness, is_distinct)


# --- the same but for one thing --------------------------------------------------------------------------------------


def _sole_difference(
    left: Statement, right: Statement, likeness: float, is_version: bool, is_distinct: bool
) -> Difference | None:
    """Return the only difference of two statements that are nearly identical; None for none or several."""
    left_tokens, right_tokens = list(_TOKEN.finditer(left.text)), list(_TOKEN.finditer(right.text))
    steps = Levenshtein.opcodes(
        [match.group().casefold() for match in left_tokens], [match.group().casefold() for match in right_tokens]
    )
    facts: list[Difference] = []
    extra_words = 0
    for step in steps:
        if step.tag == "equal":
            continue
        left_part = left_tokens[step.src_start : step.src_end]
        right_part = right_tokens[step.dest_start : step.dest_end]
        fact = _fact(left, right, left_part, right_part, likeness, is_version, is_distinct)
        if fact is not None:
            facts.append(fact)
            continue
        if _name_different_things(left_part, right_part):
            return None  # of somebody else
        weight = max(sum(map(_weighs, left_part)), sum(map(_weighs, right_part)))
        if any(match.group()[-1].isdigit() or is_negation(match.group()) for match in (*left_part, *right_part)):
            return None  # a figure or a negation more on one side: another statement
        extra_words += weight
    if len(facts) != 1 or extra_words > max(1, _OTHER_WORDS * min(len(left_tokens), len(right_tokens))):
        return None
    if left.document == right.document:
        least = _WITHIN_ONE
    else:
        least = _SHARED_WORDS if left.names & right.names else _WITHOUT_NAME
        least = _ON_ONE_DAY if _days_of(left) & _days_of(right) else least
    if is_version or (is_distinct and not extra_words and left.document != right.document):
        least = _IN_VERSIONS
    elif facts[0].kind in ("name", "place", "role") and left.day != right.day and left.day and right.day:
        least = _ON_OTHER_DAYS
    return replace(facts[0], extra_words=extra_words) if len(left.words & right.words) >= least else None


def _days_of(statement: Statement) -> set[str]:
    """Return the days that a statement names."""
    return {date.earliest for date in dates_of(statement.text) if date.precision == "day"}


def _weighs(match: re.Match[str]) -> bool:
    return match.group().casefold() not in STOP_WORDS


def _fact(
    left: Statement,
    right: Statement,
    left_part: Sequence[re.Match[str]],
    right_part: Sequence[re.Match[str]],
    likeness: float,
    is_version: bool,
    is_distinct: bool,
) -> Difference | None:
    """Return the difference in fact of two parts that differ in wording; None if it is no fact."""
    left_span, right_span = _span(left_part), _span(right_part)
    left_words, right_words = ([match.group() for match in part] for part in (left_part, right_part))

    def difference(kind: Kind, left_value: str, right_value: str, heads: tuple[str, ...] = ()) -> Difference:
        return Difference(
            kind,
            left, right, left_span or Span(0, 0), right_span or Span(0, 0), (left_value, right_value),
            likeness, True, heads,
        )  # fmt: skip

    if _only_denies(left_words, right_words) or _only_denies(right_words, left_words):
        return difference("denial", "no" if left.is_negated else "yes", "no" if right.is_negated else "yes")
    if left_span is None or right_span is None:
        return None
    times = _times(left, left_span), _times(right, right_span)
    if times[0] and times[1]:
        if clock_times.differ(times[0], times[1]):
            return difference("time", str(times[0].minute), str(times[1].minute))
        return None
    days = _overlapping(days_in(left.text), left_span), _overlapping(days_in(right.text), right_span)
    if days[0] and days[1]:
        values = left.text[slice(*days[0])].casefold(), right.text[slice(*days[1])].casefold()
        if values[0] == values[1] or not _are_different_days(*values) or _moves_along(left, right, *values):
            return None
        return difference("date", *values)
    numbers = _number(left, left_span), _number(right, right_span)
    if numbers[0] and numbers[1]:
        heads = numbers[0].heads or numbers[1].heads
        is_near = is_distinct or not gates.are_far_apart(left, right)
        is_same_event = is_near and not gates.may_develop(left, right, heads)
        if is_same_event and are_incompatible(numbers[0], numbers[1], is_rounded=False):
            return difference("quantity", _value(numbers[0]), _value(numbers[1]), heads)
        return None
    if all(len(words) == 1 and words[0] in ascii_uppercase for words in (left_words, right_words)):
        prefixes = left.text[: left_span.start], right.text[: right_span.start]
        if all(_LETTERED_PLACE.search(prefix) for prefix in prefixes):
            return difference("place", left_words[0].casefold(), right_words[0].casefold())
        return None
    if _are_names(left_words) and _are_names(right_words):
        names = _named(left, right, left_span, right_span, is_version)
        return difference(*names) if names is not None else None
    return None


def _span(matches: Sequence[re.Match[str]]) -> Span | None:
    return Span(matches[0].start(), matches[-1].end()) if matches else None


def _only_denies(denying: Sequence[str], plain_words: Sequence[str]) -> bool:
    """Return whether ``denying`` is ``plain_words``, which may be empty, with a negation."""
    if sum(map(is_negation, denying)) != 1 or any(map(is_negation, plain_words)):
        return False
    denying_rest = [word.casefold() for word in denying if not is_negation(word) and word.casefold() not in _HELPING]
    plain_rest = [word.casefold() for word in plain_words if word.casefold() not in _HELPING]
    if len(denying_rest) != len(plain_rest) or len(denying_rest) > 2:
        return not denying_rest and not plain_rest
    return all(a[:3] == b[:3] for a, b in zip(denying_rest, plain_rest, strict=True))


def _times(statement: Statement, span: Span) -> clock_times.ClockTime | None:
    return next((time for time in times_of(statement.text) if time.start < span.end and time.end > span.start), None)


def _overlapping(places: Sequence[tuple[int, int]], span: Span) -> tuple[int, int] | None:
    return next(((start, end) for start, end in places if start < span.end and end > span.start), None)


def _number(statement: Statement, span: Span) -> Quantity | None:
    hits = [row for row in quantities_of(statement.text) if row.start < span.end and row.end > span.start]
    return hits[0] if len(hits) == 1 else None


def _are_different_days(left: str, right: str) -> bool:
    """Return whether two names of days have the same form and exclude each other."""
    dates = dates_of(left), dates_of(right)
    if len(dates[0]) == 1 and len(dates[1]) == 1:
        return _disjoint(dates[0][0], dates[1][0])
    figures = [re.findall(r"\d+", text) for text in (left, right)]
    if bool(figures[0]) != bool(figures[1]) or left in right or right in left:
        return False
    return left[:3] != right[:3] or figures[0] != figures[1]


def _moves_along(left: Statement, right: Statement, left_text: str, right_text: str) -> bool:
    """Return whether two days differ by as much as the days of their documents: the next issue, the day of the week."""
    if not left.day or not right.day or left.day == right.day:
        return False
    dates = _with_year(left, left_text), _with_year(right, right_text)
    if len(dates[0]) != 1 or len(dates[1]) != 1:
        return not re.search(r"\d", left_text + right_text)
    documents = gates.days(right.day) - gates.days(left.day)
    return abs(gates.days(dates[1][0].earliest) - gates.days(dates[0][0].earliest) - documents) <= _SAME_STEP


def _with_year(statement: Statement, text: str) -> tuple[DateMention, ...]:
    """Read a day; one without a year is of the document's year."""
    return dates_of(text.title()) or dates_of(f"{text.title()} {statement.day[:4]}")


def _disjoint(left: DateMention, right: DateMention) -> bool:
    return left.latest[:10] < right.earliest[:10] or right.latest[:10] < left.earliest[:10]


def _value(quantity: Quantity) -> str:
    return f"{quantity.low:g}..{quantity.high:g}"


def _are_names(words: Sequence[str]) -> bool:
    content = [word for word in words if word.casefold() not in STOP_WORDS]
    return 0 < len(content) <= 4 and all(is_name(word) and len(word) > 2 for word in content)


def _named(
    left: Statement, right: Statement, left_span: Span, right_span: Span, is_version: bool
) -> tuple[Kind, str, str] | None:
    """Return the kind of two names that differ, and both; None if they may be one, or each statement has both."""
    left_text, right_text = left.text[left_span.start : left_span.end], right.text[right_span.start : right_span.end]
    left_names, right_names = (set(map(plain_name, re.split(r"[\s-]", text))) for text in (left_text, right_text))
    if left_names & right_names or fuzz.ratio(left_text.casefold(), right_text.casefold()) >= _SPELLING:
        return None
    tokens = ({plain_name(word) for word in words_of(statement.text)} for statement in (left, right))
    if not is_version and any(names & words for names, words in zip((right_names, left_names), tokens, strict=True)):
        return None  # each statement names both: they describe two sides of one thing
    if _shortens(left_text, right_text) or _shortens(right_text, left_text):
        return None
    prefixes = left.text[: left_span.start], right.text[: right_span.start]
    kind: Kind = "name"
    if _ROLE.search(prefixes[0]) and _ROLE.search(prefixes[1]):
        kind = "role"
    elif _PLACE_BEFORE.search(prefixes[0]) and _PLACE_BEFORE.search(prefixes[1]):
        kind = "place"
    return kind, left_text.casefold(), right_text.casefold()


def _name_different_things(left: Sequence[re.Match[str]], right: Sequence[re.Match[str]]) -> bool:
    """Return whether two parts are names of different people or things, rather than spellings of one name."""
    left_words, right_words = ([match.group() for match in part] for part in (left, right))
    left_name, right_name = " ".join(left_words), " ".join(right_words)
    if not (_are_names(left_words) and _are_names(right_words)) or _shortens(left_name, right_name):
        return False
    if set(map(plain_name, left_words)) & set(map(plain_name, right_words)):
        return False
    return fuzz.ratio(left_name.casefold(), right_name.casefold()) < _ONE_NAME


def _shortens(short: str, long: str) -> bool:
    """Return whether a name is made of the first letters of another."""
    letters = "".join(word[0] for word in long.split() if word[:1].isupper())
    return len(letters) > 1 and short.replace(".", "").upper() == letters.upper()


# --- alike -----------------------------------------------------------------------------------------------------------


def _possible_differences(
    left: Statement, right: Statement, likeness: float, is_distinct: bool
) -> Iterator[Difference]:
    """Yield the possible differences of two statements about one thing."""
    if left.names - right.names and right.names - left.names:
        return  # each has a name that the other lacks

    def difference(kind: Kind, spans: tuple[Span, Span], values: tuple[str, str]) -> Difference:
        return Difference(kind, left, right, *spans, values, likeness, False, is_distinct=is_distinct)

    is_other_day = _on_different_days(left, right)
    left_quantities, right_quantities = quantities_of(left.text), quantities_of(right.text)
    pair = _incompatible_numbers(left_quantities, right_quantities)
    if pair is not None and not is_other_day and (is_distinct or not gates.are_far_apart(left, right)):
        is_steady = left.names == right.names or not gates.is_changing(pair[0].heads)
        if is_steady and not gates.may_develop(left, right, pair[0].heads):
            row = difference("quantity", (_place(pair[0]), _place(pair[1])), (_value(pair[0]), _value(pair[1])))
            yield replace(row, is_alone=is_distinct and differ_in_figure_alone(left, right))
    dates = dates_of(left.text), dates_of(right.text)
    if len(dates[0]) == 1 and len(dates[1]) == 1 and likeness >= _DATED and _disjoint(dates[0][0], dates[1][0]):
        first, second = dates[0][0], dates[1][0]
        if first.precision == second.precision and not first.doubt and not second.doubt:
            yield difference("date", (_place(first), _place(second)), (first.earliest, second.earliest))
    times = times_of(left.text), times_of(right.text)
    is_single = len(times[0]) == 1 and len(times[1]) == 1
    if is_single and clock_times.differ(times[0][0], times[1][0]) and not is_other_day:
        values = str(times[0][0].minute), str(times[1][0].minute)
        yield difference("time", (_place(times[0][0]), _place(times[1][0])), values)
    if left.is_negated != right.is_negated or (is_distinct and denies(left, right)):
        yield difference("denial", (Span(0, 0), Span(0, 0)), ("no", "yes") if left.is_negated else ("yes", "no"))


def denies(left: Statement, right: Statement, *, surely: bool = False) -> bool:
    """Return whether one statement denies most of what the other says, or says the opposite; ``surely``: all of it."""
    rows = [row for row in comparison.compare(left.line, right.line) if row.kind in ("denial", "opposite")]
    if surely:
        return any(row.certain and row.share == 1 for row in rows)
    return any(row.certain or row.share >= _DENIED for row in rows)


def differ_in_figure_alone(left: Statement, right: Statement) -> bool:
    """Return whether one statement says no more than the other does, with another figure of the same word."""
    words = left.words - NUMBER_NAMES, right.words - NUMBER_NAMES
    is_part = words[0] <= words[1] or words[1] <= words[0]
    return is_part and any(row.certain and row.kind == "number" for row in comparison.compare(left.line, right.line))


def _place(mention: Quantity | DateMention | clock_times.ClockTime) -> Span:
    return Span(mention.start, mention.end)


def _incompatible_numbers(left: Sequence[Quantity], right: Sequence[Quantity]) -> tuple[Quantity, Quantity] | None:
    """Return the first numbers of one thing that are incompatible, if no other numbers of that thing agree."""
    for quantity in left:
        if not quantity.heads:
            continue
        left_numbers, right_numbers = ([row for row in side if may_count_same(quantity, row)] for side in (left, right))
        if right_numbers and all(are_incompatible(a, b) for a in left_numbers for b in right_numbers):
            return quantity, right_numbers[0]
    return None


def _on_different_days(left: Statement, right: Statement) -> bool:
    """Return whether two statements name days that exclude each other."""
    dates = dates_of(left.text), dates_of(right.text)
    if dates[0] and dates[1]:
        return all(_disjoint(left_date, right_date) for left_date in dates[0] for right_date in dates[1])
    days = [{statement.text[s:e].casefold() for s, e in days_in(statement.text)} for statement in (left, right)]
    return bool(days[0] and days[1] and not days[0] & days[1])


# --- scans -----------------------------------------------------------------------------------------------------------


def is_possible_misreading(left: str, right: str) -> bool:
    """Return whether two texts differ by no more than a misread scan: a confusable sign, or a letter or two."""
    left_letters, right_letters = ("".join(c for c in text if c.isalnum()) for text in (left, right))
    if left_letters.casefold() == right_letters.casefold():
        return True
    if any(c.isdigit() for c in left_letters + right_letters):
        return Levenshtein.distance(left_letters, right_letters) <= max(1, len(left_letters) // 4)
    return fuzz.ratio(left_letters.casefold(), right_letters.casefold()) >= _MISREAD
