"""From ranked sentences to points: what says the same stands together, copies count once, other values stand apart.

Pure. Sentences are compared by the names, dates and figures in them: two that are alike but for one of these never say
the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.answers.question import Question
from core.answers.sentences import RankedSentence
from core.answers.short_answers import short_answer
from core.domain import Span
from core.language.dates import dates_in
from core.text import sayings

SHOWN = 3  # points of an answer
_SAME = 0.8  # share of the words of two sentences that are the same where one is a copy of the other
_CLOCK = re.compile(r"\d{1,2} \d\d(?: \d\d)?")
_PERIOD = re.compile(r"(\d{4}-\d\d-\d\d)/(\d{4}-\d\d-\d\d)")
_ONE_MATTER = 0.5  # share of their other words where they say a different figure or date of one thing
_NEAR = 0.5  # share of the question's words that a sentence holds with the one before it, to agree by its answer alone
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Point:
    """Sentences that say the same, by their positions among the ranked ones, the best first.

    ``copies`` are those among them that repeat an earlier one almost word by word; ``short`` is the place of the name,
    date or figure in the first that answers by itself.
    """

    members: tuple[int, ...]
    copies: frozenset[int] = frozenset()
    short: Span | None = None


def points(question: Question, ranking: Sequence[RankedSentence], *, most: int = SHOWN) -> list[Point]:
    """Group ranked sentences into at most ``most`` points, in the order of the best of each."""
    shorts = [short_of(question, one) for one in ranking]
    values = [value(one.sentence.text, short) for one, short in zip(ranking, shorts, strict=True)]
    groups: list[list[int]] = []
    copies: list[set[int]] = []
    for at, one in enumerate(ranking):
        for group, doubles in zip(groups, copies, strict=True):
            head = ranking[group[0]]
            if _is_copy(head.sentence.text, one.sentence.text):
                group.append(at)
                doubles.add(at)
                break
            agrees = (
                values[at] and values[at] == values[group[0]] and min(one.sentence.near, head.sentence.near) >= _NEAR
            )
            if agrees and _ONE_MATTER / 2 <= _overlap(head.sentence.text, one.sentence.text) < _SAME:
                group.append(at)
                break
        else:
            if len(groups) < most:
                groups.append([at])
                copies.append(set())
    return [
        Point(tuple(group), frozenset(doubles), shorts[group[0]]) for group, doubles in zip(groups, copies, strict=True)
    ]


def alone(question: Question, ranking: Sequence[RankedSentence], at: int) -> Point:
    """Return the point that one ranked sentence makes by itself."""
    return Point((at,), short=short_of(question, ranking[at]))


def short_of(question: Question, one: RankedSentence) -> Span | None:
    """Find the short answer in a sentence that is about the question: it or the one before holds a word of it."""
    return short_answer(question, one.sentence.text) if one.sentence.near else None


def differing(
    question: Question, ranking: Sequence[RankedSentence], candidates: Sequence[Point]
) -> tuple[int, int] | None:
    """Return the positions of two points that give different figures or dates of one thing; None where none do."""
    if question.kind not in ("how many", "when"):
        return None
    for at, one in enumerate(candidates):
        for later, other in enumerate(candidates[at + 1 :], start=at + 1):
            texts = ranking[one.members[0]].sentence.text, ranking[other.members[0]].sentence.text
            values = value(texts[0], one.short), value(texts[1], other.short)
            if all(values) and exclude(*values) and _overlap(*texts) >= _ONE_MATTER:
                return at, later
    return None


def value(text: str, short: Span | None) -> str:
    """Return a short answer in one way of writing; '' for none."""
    if short is None:
        return ""
    words = text[short.start : short.end]
    dates = dates_in(words)
    if len(dates) == 1:
        return f"{dates[0].earliest}/{dates[0].latest}"
    return " ".join(_WORD.findall(words.casefold().replace(",", "")))


def exclude(left: str, right: str) -> bool:
    """Return whether of two values, as ``value`` writes them, only one can be right.

    A day and a time of day can both be, and so can a period and a day in it.
    """
    if (_CLOCK.fullmatch(left) is None) != (_CLOCK.fullmatch(right) is None):
        return False
    periods = _PERIOD.fullmatch(left), _PERIOD.fullmatch(right)
    if periods[0] is None or periods[1] is None:
        return left != right
    (start, end), (first, last) = periods[0].groups(), periods[1].groups()
    return not (start <= first <= last <= end or first <= start <= end <= last)


def _is_copy(one: str, other: str) -> bool:
    return sayings(one) == sayings(other) and _overlap(one, other) >= _SAME


def _overlap(one: str, other: str) -> float:
    """Return the share of the words of two texts, figures apart, that stand in both."""
    left, right = ({word.casefold() for word in _WORD.findall(text) if not word[0].isdigit()} for text in (one, other))
    return len(left & right) / len(left | right) if left | right else 0.0
