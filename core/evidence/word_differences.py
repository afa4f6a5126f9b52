"""Differences between the words of a quote and those of a page, each of its kind. Pure."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Indel, Levenshtein

from core.english import CALENDAR, NUMBERS
from core.text import NEGATIONS

What = Literal["number", "date", "negation", "name", "word"]

_AROUND = re.compile(r"^\W+|\W+$")
_DATES = CALENDAR | frozenset(("mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun"))
_NUMBER_WORDS = (
    *("hundred", "hundreds", "thousand", "thousands", "million", "millions", "billion", "billions", "dozen", "dozens"),
    *("half", "quarter", "third", "first", "second", "both", "once", "twice"),
)
_NUMBERS = frozenset((*NUMBERS, *_NUMBER_WORDS))
# With a power, and a unit with one ('m²'); what is above a year numbers a note.
_RAISED = "[\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]"
_NOTE = re.compile(rf"{_RAISED}+$")
_FIGURE = re.compile(
    rf"(?<![\d.,:/])(?:1[5-9]|20)\d\d(?={_RAISED})"
    rf"|(?:(?<!\w)[-+±])?\d+(?:[.,:/]\d+)*{_RAISED}*|\b[^\W\d_]{{1,2}}{_RAISED}+"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where the quote and the page part; '' on the side where nothing is.

    ``what`` is 'number', 'date', 'negation', 'name', or 'word'; ``quote`` is the given text, ``page`` what the page
    says.
    """

    quote: str
    page: str
    what: What


Pair = tuple[int | None, int | None]  # places in the quote's and in the page's words; None: nothing is there

_EDGE = 8  # words to either side that may be the true first or last one
_FITS = 0.15  # share of characters that may differ where both end words are much alike


def borders(
    flat: str, words: Sequence[str], plain: str, window: Sequence[tuple[int, int]], start: int, end: int
) -> tuple[int, int]:
    """Return the first and the last word of the window between which the quote fits best, near plain[start:end]."""
    # A word counts as inside when its middle is.
    first = next((n for n, span in enumerate(window) if sum(span) > 2 * start), len(window) - 1)
    last = max(first, next((n for n in reversed(range(len(window))) if sum(window[n]) < 2 * end), 0))

    def apart(start: int, end: int, cutoff: int | None = None) -> int:
        return Levenshtein.distance(flat, plain[window[start][0] : window[end][1]], score_cutoff=cutoff)

    least = apart(first, last)
    ends = ((plain[slice(*window[first])], words[0]), (plain[slice(*window[last])], words[-1]))
    if least <= _FITS * len(flat) and all(2 * Levenshtein.distance(edge, two) <= len(two) for edge, two in ends):
        return first, last
    for _ in range(2):
        for stop in range(max(first, last - _EDGE), min(len(window), last + _EDGE + 1)):
            cost = apart(first, stop, least)
            if cost < least:
                least, last = cost, stop
        for begin in range(max(0, first - _EDGE), min(last, first + _EDGE) + 1):
            cost = apart(begin, last, least)
            if cost < least:
                least, first = cost, begin
    return first, last


def differences(words: Sequence[str], page_words: Sequence[str]) -> tuple[tuple[Difference, ...], int, int] | None:
    """List what differs between the words of the quote and those of the page.

    With the places in ``page_words`` of the first and the last word that the quote has too; None if there is none.
    What is outside of them is none of its business.
    """
    apart: list[list[Pair]] = []
    matches: list[int] = []
    for low, high, from_, to, is_equal in _steps(words, page_words):
        if is_equal:
            matches += (from_, to - 1)
            continue
        pairs = [
            (None if i is None else i + low, None if j is None else j + from_)
            for i, j in _align(words[low:high], page_words[from_:to])
        ]
        matches += [j for i, j in pairs if i is not None and j is not None]
        apart.append(pairs)
    if not matches:
        return None
    first, last = min(matches), max(matches)
    result: list[Difference] = []
    for pairs in apart:
        inside = [(i, j) for i, j in pairs if i is not None or first <= (j or 0) <= last]
        quote = " ".join(words[i] for i, _ in inside if i is not None)
        page = " ".join(page_words[j] for _, j in inside if j is not None)
        if quote.replace(" ", "") == page.replace(" ", ""):  # words broken or run together
            result += [Difference(quote, page, _kind_of_break(quote, page))] if quote != page else []
            continue
        for i, j in inside:
            word, page_word = "" if i is None else words[i], "" if j is None else page_words[j]
            if word != page_word:
                result.append(Difference(word, page_word, kind_of(word, page_word)))
    return tuple(result), first, last


def _steps(words: Sequence[str], page_words: Sequence[str]) -> list[tuple[int, int, int, int, bool]]:
    """List the stretches that are equal or differ, as places in both lists.

    Stretches that adjoin are one where they share a word but for its marks: else a word too many in the quote would
    be laid over its neighbour on the page.
    """
    steps: list[tuple[int, int, int, int, bool]] = []
    for is_equal, group in itertools.groupby(Levenshtein.opcodes(words, page_words), lambda step: step.tag == "equal"):
        changes = [(step.src_start, step.src_end, step.dest_start, step.dest_end, is_equal) for step in group]
        low, high, from_, to = changes[0][0], changes[-1][1], changes[0][2], changes[-1][3]
        bare = [{_AROUND.sub("", word) for word in part} - {""} for part in (words[low:high], page_words[from_:to])]
        steps += changes if is_equal or bare[0].isdisjoint(bare[1]) else [(low, high, from_, to, False)]
    return steps


def _align(words: Sequence[str], page_words: Sequence[str]) -> list[Pair]:
    """Lay one list of words over another in the cheapest way (Needleman and Wunsch 1970).

    A word costs its characters where it is missing on one side, else half the characters that are in one of the two
    alone.
    """
    if not words or not page_words:
        return [(i, None) for i in range(len(words))] + [(None, j) for j in range(len(page_words))]
    rows, columns = len(words), len(page_words)
    lengths = [len(word) for word in page_words]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    came = [[0] * (columns + 1) for _ in range(rows + 1)]  # 1 both, 2 quote only, 3 page only
    for j in range(1, columns + 1):
        best[0][j], came[0][j] = best[0][j - 1] + lengths[j - 1], 3
    for i in range(1, rows + 1):
        word = words[i - 1]
        above, here, back = best[i - 1], best[i], came[i]
        here[0], back[0] = above[0] + len(word), 2
        for j in range(1, columns + 1):
            both = above[j - 1] + _change(word, page_words[j - 1])
            quote_only = above[j] + len(word)
            page_only = here[j - 1] + lengths[j - 1]
            here[j] = min(both, quote_only, page_only)
            back[j] = 1 if here[j] == both else 2 if here[j] == quote_only else 3
    i, j = rows, columns
    pairs: list[Pair] = []
    while i > 0 or j > 0:
        step = came[i][j]
        i, j = i - (step != 3), j - (step != 2)
        pairs.append((i if step != 3 else None, j if step != 2 else None))
    return pairs[::-1]


@functools.lru_cache(maxsize=65_536)
def _change(word: str, page_word: str) -> float:
    return 0.0 if word == page_word else Indel.distance(word, page_word) / 2 + 0.01  # equal words win over like ones


def _kind_of_break(quote: str, page: str) -> What:
    """Return the kind of a difference in spaces alone: '1 500' is not '1500', 'no table' not 'notable'."""
    if _FIGURE.findall(quote) != _FIGURE.findall(page):
        return "number"
    denials = [sum(_denies(_AROUND.sub("", w).casefold()) for w in text.split()) for text in (quote, page)]
    return "negation" if denials[0] != denials[1] else "word"


def kind_of(quote: str, page: str) -> What:
    """Return the kind of a difference, the gravest first."""
    if _FIGURE.findall(quote) != _FIGURE.findall(page):
        return "number"
    words = [_NOTE.sub("", _AROUND.sub("", word)) for word in (quote, page)]
    bare = [word.casefold() for word in words]
    if bare[0] == bare[1]:
        return "word"
    if not _NUMBERS.isdisjoint(part for word in bare for part in word.split("-")):
        return "number"
    if _denies(bare[0]) != _denies(bare[1]) or _is_denying_form(*bare):
        return "negation"
    if any(word[:1].isupper() for word in words):
        return "name" if _DATES.isdisjoint(bare) else "date"
    return "word"


def _denies(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")


def _is_denying_form(word: str, other_word: str) -> bool:
    """Return whether one word is the other with a denying prefix: likely, unlikely."""
    short, long = sorted((word, other_word), key=len)
    return bool(short) and any(
        long == prefix + short for prefix in ("un", "in", "im", "il", "ir", "dis", "non", "non-")
    )
