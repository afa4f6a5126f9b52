"""From ranked sentences to points: sentences with the same answer are grouped, copies count once.

Pure. Sentences are compared by their names, dates and figures: two that differ in one of these never agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.answers.question import Question
from core.answers.sentences import RankedSentence
from core.answers.short_answers import short_answer
from core.domain import Span
from core.language.comparison import compare
from core.language.dates import dates_in
from core.text import WORD, sayings

SHOWN = 3  # points of an answer
_SAME = 0.8  # share of common words of a copy
_CLOCK = re.compile(r"\d{1,2} \d\d(?: \d\d)?")
_PERIOD = re.compile(r"(\d{4}-\d\d-\d\d)/(\d{4}-\d\d-\d\d)")
_ONE_MATTER = 0.5  # share of the other words that are common if two sentences have different values of one thing
_ONE_FIGURE = 0.35  # the same if a figure of one thing differs for sure, as 'fourteen drums' and 'nine drums' do
_FIGURES = {"how many": ("number",), "when": ("time", "date")}
_NEAR = 0.5  # share of the question's words that a sentence and its previous one must have to agree by value alone


@dataclass(frozen=True, slots=True)
class Point:
    """Sentences with the same answer, by their indices in the ranking, the best first.

    ``copies`` are those that repeat an earlier one almost verbatim; ``short`` is the span of the name, date or
    figure in the first that answers by itself.
    """

    members: tuple[int, ...]
    copies: frozenset[int] = frozenset()
    short: Span | None = None


def points(question: Question, ranking: Sequence[RankedSentence], *, limit: int = SHOWN) -> list[Point]:
    """Group ranked sentences into at most ``limit`` points, in the order of the best of each."""
    shorts = [short_of(question, row) for row in ranking]
    values = [value(row.sentence.text, short) for row, short in zip(ranking, shorts, strict=True)]
    groups: list[list[int]] = []
    copies: list[set[int]] = []
    for index, row in enumerate(ranking):
        for group, doubles in zip(groups, copies, strict=True):
            head = ranking[group[0]]
            if _is_copy(head.sentence.text, row.sentence.text):
                group.append(index)
                doubles.add(index)
                break
            agrees = (
                values[index]
                and values[index] == values[group[0]]
                and min(row.sentence.near, head.sentence.near) >= _NEAR
            )
            if agrees and _ONE_MATTER / 2 <= _overlap(head.sentence.text, row.sentence.text) < _SAME:
                group.append(index)
                break
        else:
            if len(groups) < limit:
                groups.append([index])
                copies.append(set())
    return [
        Point(tuple(group), frozenset(doubles), shorts[group[0]]) for group, doubles in zip(groups, copies, strict=True)
    ]


def alone(question: Question, ranking: Sequence[RankedSentence], index: int) -> Point:
    """Return the point of a single ranked sentence."""
    return Point((index,), short=short_of(question, ranking[index]))


def short_of(question: Question, row: RankedSentence) -> Span | None:
    """Find the short answer in a sentence that shares a word, or whose previous one does, with the question."""
    is_about = row.sentence.near or row.sentence.has_keys
    return short_answer(question, row.sentence.text) if is_about else None


def differing(
    question: Question, ranking: Sequence[RankedSentence], candidates: Sequence[Point]
) -> tuple[int, int] | None:
    """Return the indices of two points with different figures, dates or places of one thing, or None."""
    if question.kind not in ("how many", "when", "where"):
        return None
    for earlier, point in enumerate(candidates):
        for later, rival in enumerate(candidates[earlier + 1 :], start=earlier + 1):
            texts = ranking[point.members[0]].sentence.text, ranking[rival.members[0]].sentence.text
            values = value(texts[0], point.short), value(texts[1], rival.short)
            if all(values) and exclude(*values) and _are_of_one_thing(question, *texts):
                return earlier, later
    return None


def _are_of_one_thing(question: Question, left: str, right: str) -> bool:
    """Return whether two sentences have most words in common, or enough of them and surely a figure of one thing."""
    overlap = _overlap(left, right)
    kinds = _FIGURES.get(question.kind, ())
    return overlap >= _ONE_MATTER or (
        overlap >= _ONE_FIGURE and any(row.certain and row.kind in kinds for row in compare(left, right))
    )


def value(text: str, short: Span | None) -> str:
    """Return a short answer, normalised; '' for none."""
    if short is None:
        return ""
    words = text[short.start : short.end]
    dates = dates_in(words)
    if len(dates) == 1:
        return f"{dates[0].earliest}/{dates[0].latest}"
    return " ".join(WORD.findall(words.casefold().replace(",", "")))


def exclude(left: str, right: str) -> bool:
    """Return whether two values, as ``value`` writes them, exclude each other.

    A day and a time of day do not, nor do a period and a day in it.
    """
    if (_CLOCK.fullmatch(left) is None) != (_CLOCK.fullmatch(right) is None):
        return False
    periods = _PERIOD.fullmatch(left), _PERIOD.fullmatch(right)
    if periods[0] is None or periods[1] is None:
        return left != right
    (start, end), (first, last) = periods[0].groups(), periods[1].groups()
    return not (start <= first <= last <= end or first <= start <= end <= last)


def _is_copy(left: str, right: str) -> bool:
    return sayings(left) == sayings(right) and _overlap(left, right) >= _SAME


def _overlap(left: str, right: str) -> float:
    """Return the share of the words of two texts, figures left out, that both have."""
    a, b = ({word.casefold() for word in WORD.findall(text) if not word[0].isdigit()} for text in (left, right))
    return len(a & b) / len(a | b) if a | b else 0.0
