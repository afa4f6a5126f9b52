"""Differences between two statements: one figure, date, time, name or negation. Pure.

Two statements are the same *but for* it where nothing else of weight differs; that is a conflict by itself. Statements
that are only alike need a second opinion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from core.conflicts import gates
from core.conflicts.quantities import Quantity, apart, same_thing
from core.conflicts.statements import (
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
from core.language import clock_times
from core.language.dates import DateMention
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
COPY = 0.55  # likeness from which two statements are held word by word
ALIKE = 0.3  # likeness from which two statements may be about one thing
_DATED = 0.4  # the same where they name different days
_SHARED_WORDS = 4
_WITHOUT_NAME = 6  # where no name is among them
_ON_ONE_DAY = 3  # where both name the same day
_IN_VERSIONS = 2  # where the two texts are versions of one
_ON_OTHER_DAYS = 10  # where only a name differs in texts of two days, which have standing phrases
_WITHIN_ONE = 8  # in one document, which has lists
_OTHER_WORDS = 0.2  # share of the words that may differ otherwise where two statements are the same but for one thing
_SAME_STEP = 3  # days by which the steps of two dates may differ that move along with their documents
_SPELLING = 60  # of 100: likeness of two spellings of one name
_ONE_NAME = 80  # the same beside another difference
_MISREAD = 40  # the same for two readings of one word
_TOKEN = re.compile(
    r"[$€£]?\d+(?:[.,:/]\d+)*[\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]*|[^\W\d_]+(?:['’-][^\W\d_]+)*|%"
)
_PLACE_BEFORE = re.compile(r"\b(?:in|at|near|from|outside|inside|to)\s(?:the\s)?(?:[A-Z]\w+\s)*$")
_ROLE = re.compile(
    r"\b(?:chief|director|operator|head|president|minister|chair(?:man|woman)|officer|spokes(?:man|woman)|manager"
    r"|secretary|captain|inspector|mayor|ambassador|commander|leader|founder|owner|author|judge|editor)\b[^.;]{0,20}$",
    re.IGNORECASE,
)
_HELPING = frozenset(
    [
        "did",
        "does",
        "do",
        "was",
        "were",
        "is",
        "are",
        "has",
        "have",
        "had",
        "be",
        "been",
        "will",
        "would",
        "could",
        "can",
        "should",
        "ever",
        "any",
        "some",
    ]
)


@dataclass(frozen=True, slots=True)
class Difference:
    """Two statements that cannot both be true, as far as rules can tell.

    ``one_span`` and ``other_span`` are the places in their texts that differ (empty ones for a denial), ``values`` what
    stands there in one way of writing. ``is_alone``: nothing else of weight differs. ``likeness`` lies in 0..1;
    ``others`` counts the words that differ besides.
    """

    kind: Kind
    one: Statement
    other: Statement
    one_span: Span
    other_span: Span
    values: tuple[str, str]
    likeness: float
    is_alone: bool
    heads: tuple[str, ...] = ()
    others: int = 0


def differences(one: Statement, other: Statement, likeness: float, *, is_version: bool = False) -> Iterator[Difference]:
    """Yield what two statements say differently, at most one difference of a kind.

    ``is_version``: they stand in two versions of one text, so that less has to be the same.
    """
    if one.line.casefold() == other.line.casefold():
        return
    if likeness >= COPY and (exact := _but_for_one(one, other, likeness, is_version)) is not None:
        yield exact
        return
    if likeness < ALIKE or len(one.words & other.words) < _SHARED_WORDS or not one.names & other.names:
        return
    yield from _alike(one, other, likeness)


# --- the same but for one thing --------------------------------------------------------------------------------------


def _but_for_one(one: Statement, other: Statement, likeness: float, is_version: bool) -> Difference | None:
    """Return the one thing that two statements that are nearly word for word the same do not share."""
    left, right = list(_TOKEN.finditer(one.text)), list(_TOKEN.finditer(other.text))
    steps = Levenshtein.opcodes(
        [match.group().casefold() for match in left], [match.group().casefold() for match in right]
    )
    facts: list[Difference] = []
    others = 0
    for step in steps:
        if step.tag == "equal":
            continue
        mine, theirs = left[step.src_start : step.src_end], right[step.dest_start : step.dest_end]
        fact = _fact(one, other, mine, theirs, likeness, is_version)
        if fact is not None:
            facts.append(fact)
            continue
        if _are_other_names(mine, theirs):
            return None  # of somebody else
        weight = max(sum(map(_weighs, mine)), sum(map(_weighs, theirs)))
        if any(match.group()[-1].isdigit() or is_negation(match.group()) for match in (*mine, *theirs)):
            return None  # a figure or a negation more on one side: another statement
        others += weight
    if len(facts) != 1 or others > max(1, _OTHER_WORDS * min(len(left), len(right))):
        return None
    if one.document == other.document:
        least = _WITHIN_ONE
    else:
        least = _SHARED_WORDS if one.names & other.names else _WITHOUT_NAME
        least = _ON_ONE_DAY if _days_of(one) & _days_of(other) else least
    if is_version:
        least = _IN_VERSIONS
    elif facts[0].kind in ("name", "place", "role") and one.day != other.day and one.day and other.day:
        least = _ON_OTHER_DAYS
    return replace(facts[0], others=others) if len(one.words & other.words) >= least else None


def _days_of(statement: Statement) -> set[str]:
    """Return the days that a statement names."""
    return {date.earliest for date in dates_of(statement.text) if date.precision == "day"}


def _weighs(match: re.Match[str]) -> bool:
    return match.group().casefold() not in STOP_WORDS


def _fact(
    one: Statement,
    other: Statement,
    mine: Sequence[re.Match[str]],
    theirs: Sequence[re.Match[str]],
    likeness: float,
    is_version: bool,
) -> Difference | None:
    """Return what a stretch that differs says differently; None where it is no fact."""
    span, other_span = _span(mine), _span(theirs)
    words, other_words = ([match.group() for match in part] for part in (mine, theirs))

    def difference(kind: Kind, one_value: str, other_value: str, heads: tuple[str, ...] = ()) -> Difference:
        return Difference(
            kind,
            one,
            other,
            span or Span(0, 0),
            other_span or Span(0, 0),
            (one_value, other_value),
            likeness,
            True,
            heads,
        )

    if _only_denies(words, other_words) or _only_denies(other_words, words):
        return difference("denial", "no" if one.is_negated else "yes", "no" if other.is_negated else "yes")
    if span is None or other_span is None:
        return None
    times = _times(one, span), _times(other, other_span)
    if times[0] and times[1]:
        if clock_times.differ(times[0], times[1]):
            return difference("time", str(times[0].minute), str(times[1].minute))
        return None
    days = _inside(days_in(one.text), span), _inside(days_in(other.text), other_span)
    if days[0] and days[1]:
        values = one.text[slice(*days[0])].casefold(), other.text[slice(*days[1])].casefold()
        is_other = values[0] != values[1] and _other_day(*values) and not _moves_along(one, other, *values)
        return difference("date", *values) if is_other else None
    numbers = _number(one, span), _number(other, other_span)
    if numbers[0] and numbers[1]:
        heads = numbers[0].heads or numbers[1].heads
        is_other = apart(numbers[0], numbers[1], is_rounded=False) and not gates.far_apart(one, other)
        if is_other and not gates.develops(one, other, heads):
            return difference("quantity", _value(numbers[0]), _value(numbers[1]), heads)
        return None
    if _are_names(words) and _are_names(other_words):
        names = _named(one, other, span, other_span, is_version)
        return difference(*names) if names is not None else None
    return None


def _span(matches: Sequence[re.Match[str]]) -> Span | None:
    return Span(matches[0].start(), matches[-1].end()) if matches else None


def _only_denies(words: Sequence[str], other_words: Sequence[str]) -> bool:
    """Return whether the first words deny, and the second, or nothing, say the same without."""
    if sum(map(is_negation, words)) != 1 or any(map(is_negation, other_words)):
        return False
    rest = [word.casefold() for word in words if not is_negation(word) and word.casefold() not in _HELPING]
    plain = [word.casefold() for word in other_words if word.casefold() not in _HELPING]
    if len(rest) != len(plain) or len(rest) > 2:
        return not rest and not plain
    return all(a[:3] == b[:3] for a, b in zip(rest, plain, strict=True))


def _times(statement: Statement, span: Span) -> clock_times.ClockTime | None:
    return next((one for one in times_of(statement.text) if one.start < span.end and one.end > span.start), None)


def _inside(places: Sequence[tuple[int, int]], span: Span) -> tuple[int, int] | None:
    return next(((start, end) for start, end in places if start < span.end and end > span.start), None)


def _number(statement: Statement, span: Span) -> Quantity | None:
    hits = [one for one in quantities_of(statement.text) if one.start < span.end and one.end > span.start]
    return hits[0] if len(hits) == 1 else None


def _other_day(one: str, other: str) -> bool:
    """Return whether two ways of naming a day are of the same sort and leave no day that both may be."""
    dates = dates_of(one), dates_of(other)
    if len(dates[0]) == 1 and len(dates[1]) == 1:
        return _disjoint(dates[0][0], dates[1][0])
    figures = [re.findall(r"\d+", text) for text in (one, other)]
    if bool(figures[0]) != bool(figures[1]) or one in other or other in one:
        return False
    return one[:3] != other[:3] or figures[0] != figures[1]


def _moves_along(one: Statement, other: Statement, text: str, other_text: str) -> bool:
    """Return whether a day differs as the days of the two documents do: the next issue, the day of the week."""
    if not one.day or not other.day or one.day == other.day:
        return False
    dates = _with_year(one, text), _with_year(other, other_text)
    if len(dates[0]) != 1 or len(dates[1]) != 1:
        return not re.search(r"\d", text + other_text)
    documents = gates.days(other.day) - gates.days(one.day)
    return abs(gates.days(dates[1][0].earliest) - gates.days(dates[0][0].earliest) - documents) <= _SAME_STEP


def _with_year(statement: Statement, text: str) -> tuple[DateMention, ...]:
    """Read a day, in the year of its document where it names none."""
    return dates_of(text.title()) or dates_of(f"{text.title()} {statement.day[:4]}")


def _disjoint(one: DateMention, other: DateMention) -> bool:
    return one.latest[:10] < other.earliest[:10] or other.latest[:10] < one.earliest[:10]


def _value(quantity: Quantity) -> str:
    return f"{quantity.low:g}..{quantity.high:g}"


def _are_names(words: Sequence[str]) -> bool:
    plain = [word for word in words if word.casefold() not in STOP_WORDS]
    return 0 < len(plain) <= 4 and all(is_name(word) and len(word) > 2 for word in plain)


def _named(
    one: Statement, other: Statement, span: Span, other_span: Span, is_version: bool
) -> tuple[Kind, str, str] | None:
    """Return what sort of name differs, and both names; None where both may be of the same, or both are in both."""
    text, other_text = one.text[span.start : span.end], other.text[other_span.start : other_span.end]
    mine, theirs = ({plain_name(word) for word in re.split(r"[\s-]", part)} for part in (text, other_text))
    if mine & theirs or fuzz.ratio(text.casefold(), other_text.casefold()) >= _SPELLING:
        return None
    tokens = ({plain_name(word) for word in words_of(each.text)} for each in (one, other))
    if not is_version and any(names & words for names, words in zip((theirs, mine), tokens, strict=True)):
        return None  # both are named in both: the sentences are about other sides of one thing
    if _shortens(text, other_text) or _shortens(other_text, text):
        return None
    before = one.text[: span.start], other.text[: other_span.start]
    kind: Kind = "name"
    if _ROLE.search(before[0]) and _ROLE.search(before[1]):
        kind = "role"
    elif _PLACE_BEFORE.search(before[0]) and _PLACE_BEFORE.search(before[1]):
        kind = "place"
    return kind, text.casefold(), other_text.casefold()


def _are_other_names(mine: Sequence[re.Match[str]], theirs: Sequence[re.Match[str]]) -> bool:
    """Return whether two stretches name somebody or something else, and not the same in another spelling."""
    words, other_words = ([match.group() for match in part] for part in (mine, theirs))
    if not (_are_names(words) and _are_names(other_words)) or _shortens(" ".join(words), " ".join(other_words)):
        return False
    if {plain_name(word) for word in words} & {plain_name(word) for word in other_words}:
        return False
    return fuzz.ratio(" ".join(words).casefold(), " ".join(other_words).casefold()) < _ONE_NAME


def _shortens(short: str, long: str) -> bool:
    """Return whether a name is made of the first letters of another."""
    letters = "".join(word[0] for word in long.split() if word[:1].isupper())
    return len(letters) > 1 and short.replace(".", "").upper() == letters.upper()


# --- alike -----------------------------------------------------------------------------------------------------------


def _alike(one: Statement, other: Statement, likeness: float) -> Iterator[Difference]:
    """Yield what two statements about one thing may say differently."""
    if one.names - other.names and other.names - one.names:
        return  # each names somebody whom the other does not

    def difference(kind: Kind, spans: tuple[Span, Span], values: tuple[str, str]) -> Difference:
        return Difference(kind, one, other, *spans, values, likeness, False)

    is_other_time = _other_time(one, other)
    mine, theirs = quantities_of(one.text), quantities_of(other.text)
    pair = _numbers_apart(mine, theirs)
    if pair is not None and not is_other_time and not gates.far_apart(one, other):
        is_steady = one.names == other.names or not gates.is_changing(pair[0].heads)
        if is_steady and not gates.develops(one, other, pair[0].heads):
            yield difference("quantity", (_place(pair[0]), _place(pair[1])), (_value(pair[0]), _value(pair[1])))
    dates = dates_of(one.text), dates_of(other.text)
    if len(dates[0]) == 1 and len(dates[1]) == 1 and likeness >= _DATED and _disjoint(dates[0][0], dates[1][0]):
        first, second = dates[0][0], dates[1][0]
        if first.precision == second.precision and not first.doubt and not second.doubt:
            yield difference("date", (_place(first), _place(second)), (first.earliest, second.earliest))
    times = times_of(one.text), times_of(other.text)
    is_one_each = len(times[0]) == 1 and len(times[1]) == 1
    if is_one_each and clock_times.differ(times[0][0], times[1][0]) and not is_other_time:
        values = str(times[0][0].minute), str(times[1][0].minute)
        yield difference("time", (_place(times[0][0]), _place(times[1][0])), values)
    if one.is_negated != other.is_negated:
        yield difference("denial", (Span(0, 0), Span(0, 0)), ("no", "yes") if one.is_negated else ("yes", "no"))


def _place(mention: Quantity | DateMention | clock_times.ClockTime) -> Span:
    return Span(mention.start, mention.end)


def _numbers_apart(mine: Sequence[Quantity], theirs: Sequence[Quantity]) -> tuple[Quantity, Quantity] | None:
    """Return the first figures of one thing that cannot both be true, where no other of the same thing agrees."""
    for one in mine:
        if not one.heads:
            continue
        same = [other for other in theirs if same_thing(one, other)]
        family = [each for each in mine if same_thing(one, each)]
        if same and all(apart(each, other) for each in family for other in same):
            return one, same[0]
    return None


def _other_time(one: Statement, other: Statement) -> bool:
    """Return whether two statements name days that cannot be the same."""
    dates = dates_of(one.text), dates_of(other.text)
    if dates[0] and dates[1]:
        return all(_disjoint(mine, theirs) for mine in dates[0] for theirs in dates[1])
    days = [{text.text[s:e].casefold() for s, e in days_in(text.text)} for text in (one, other)]
    return bool(days[0] and days[1] and not days[0] & days[1])


# --- scans -----------------------------------------------------------------------------------------------------------


def reads_differently(one: str, other: str) -> bool:
    """Return whether two stretches differ only as a scan may misread them: a confusable sign, or a letter or two."""
    mine, theirs = ("".join(c for c in text if c.isalnum()) for text in (one, other))
    if mine.casefold() == theirs.casefold():
        return True
    if any(c.isdigit() for c in mine + theirs):
        return Levenshtein.distance(mine, theirs) <= max(1, len(mine) // 4)
    return fuzz.ratio(mine.casefold(), theirs.casefold()) >= _MISREAD
