"""Two versions of a text side by side: what stayed, what changed, and which changes bear on facts.

Words are aligned in their plain form (see core.text), so that a new line break, a hyphen at the end of a line, a
ligature or another kind of quotation mark is no change; every offset is one of the texts as they were given.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Levenshtein

from core.english import MONTHS, WEEKDAYS
from core.text import normalise

Kind = Literal["same", "changed", "added", "removed"]
Reason = Literal["number", "date", "name", "negation"]
REASONS: tuple[Reason, ...] = ("number", "date", "name", "negation")


@dataclass(frozen=True, slots=True)
class Difference:
    """A piece of both texts.

    old[old_start:old_end] and new[new_start:new_end], with the white space that follows its last word. ``reasons``
    tells which facts it touches; a 'same' piece touches none.
    """

    kind: Kind
    old_start: int
    old_end: int
    new_start: int
    new_end: int
    reasons: tuple[Reason, ...] = ()


def compare(old: str, new: str) -> tuple[Difference, ...]:
    """List what is the same and what is not, in order, at the words. The pieces cover both texts without a gap.

    Two texts without any word are the same when there is nothing to see in either.
    """
    numbers: dict[str, int] = {}
    old_words, two = _Words(old, numbers), _Words(new, numbers)
    if not old and not new:
        return ()
    steps = list(_join(_align(old_words.keys, two.keys)))
    if not steps:
        return (Difference("same", 0, len(old), 0, len(new)),)
    names = _Names(old_words, two)
    differences = []
    for index, (same, old_from, old_to, new_from, new_to) in enumerate(steps):
        # The first piece begins and the last one ends with the text; between them a piece ends where the next begins.
        first, last = index == 0, index == len(steps) - 1
        ends = (
            0 if first else old_words.begin(old_from),
            len(old) if last else old_words.begin(old_to),
            0 if first else two.begin(new_from),
            len(new) if last else two.begin(new_to),
        )
        if same:
            differences.append(Difference("same", *ends))
            continue
        kind: Kind = "added" if old_from == old_to else "removed" if new_from == new_to else "changed"
        old_facts, new_facts = old_words.facts(old_from, old_to, names), two.facts(new_from, new_to, names)
        differences.append(
            Difference(kind, *ends, tuple(reason for reason in REASONS if old_facts[reason] != new_facts[reason]))
        )
    return tuple(differences)


def figures(differences: Sequence[Difference]) -> dict[str, int]:
    """Count the differences of each kind ('changed', 'added', 'removed') and for each reason."""
    count: Counter[str] = Counter(d.kind for d in differences if d.kind != "same")
    count.update(reason for d in differences for reason in d.reasons)
    return {name: count[name] for name in ("changed", "added", "removed", *REASONS)}


# --- aligning --------------------------------------------------------------------------------------------------------

_Step = tuple[bool, int, int, int, int]  # same, old from, old to, new from, new to (counted in words)

# Words times words that are compared one with one in a step. Longer texts are first cut where four words in a row stand
# once in either; a stretch without such a place is compared whole while that takes seconds, and beyond that not at all.
_QUICK_PAIRS = 10_000_000
_MOST_PAIRS = 100_000_000_000
_STRETCH = 1_000  # words between two cuts


def _align(old: Sequence[int], two: Sequence[int]) -> Iterator[_Step]:
    for old_from, old_to, new_from, new_to in _stretches(old, two):
        part, new_part = old[old_from:old_to], two[new_from:new_to]
        if len(part) * len(new_part) > _MOST_PAIRS:  # nothing in common that occurs once: shown as a whole
            yield False, old_from, old_to, new_from, new_to
            continue
        for step in Levenshtein.opcodes(part, new_part):
            yield (
                step.tag == "equal",
                old_from + step.src_start,
                old_from + step.src_end,
                new_from + step.dest_start,
                new_from + step.dest_end,
            )


def _stretches(old: Sequence[int], two: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the whole, or for long texts the stretches between words that occur once in both, in the same order."""
    old_from = new_from = 0
    if len(old) * len(two) > _QUICK_PAIRS:
        place, new_places = _single(old), _single(two)
        for old_at, new_at in _rising(
            [(old_at, new_places[four]) for four, old_at in place.items() if four in new_places]
        ):
            if min(old_at - old_from, new_at - new_from) >= _STRETCH:
                yield old_from, old_at, new_from, new_at
                old_from, new_from = old_at, new_at
    yield old_from, len(old), new_from, len(two)


def _single(words: Sequence[int]) -> dict[tuple[int, ...], int]:
    """Map each four words in a row that occur once to their place, in order."""
    fours = list(zip(words, words[1:], words[2:], words[3:], strict=False))
    count = Counter(fours)
    return {four: index for index, four in enumerate(fours) if count[four] == 1}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest run of pairs that rises in both numbers; the first numbers rise already. Patience sorting."""
    tops: list[int] = []
    piles: list[int] = []
    earlier: list[int] = []
    for index, (_, value) in enumerate(pairs):
        pile = bisect_left(tops, value)
        earlier.append(piles[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(value)
            piles.append(index)
        else:
            tops[pile], piles[pile] = value, index
    run: list[tuple[int, int]] = []
    index = piles[-1] if piles else -1
    while index >= 0:
        run.append(pairs[index])
        index = earlier[index]
    return run[::-1]


def _join(steps: Iterator[_Step]) -> Iterator[_Step]:
    """Join neighbours of one kind.

    A stretch that is the same, but shorter than what differs on either side of it, joins them: a rewritten sentence is
    one change, not one for every 'the' that stayed.
    """
    pieces: list[_Step] = []
    for step in steps:
        if step[1] == step[2] and step[3] == step[4]:
            continue
        pieces.append(step)
        while len(pieces) > 1 and pieces[-1][0] == pieces[-2][0]:
            last = pieces.pop()
            pieces[-1] = (last[0], pieces[-1][1], last[2], pieces[-1][3], last[4])
            if len(pieces) > 2 and not last[0] and _length(pieces[-2]) < min(_length(pieces[-3]), _length(pieces[-1])):
                last, _ = pieces.pop(), pieces.pop()
                pieces[-1] = (False, pieces[-1][1], last[2], pieces[-1][3], last[4])
        if len(pieces) > 2 and not step[0] and _length(pieces[-2]) < min(_length(pieces[-3]), _length(pieces[-1])):
            last, _ = pieces.pop(), pieces.pop()
            pieces[-1] = (False, pieces[-1][1], last[2], pieces[-1][3], last[4])
    yield from pieces


def _length(step: _Step) -> int:
    return max(step[2] - step[1], step[4] - step[3])


# --- words and facts -------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"\w+(?:[.,:/'\-]\w+)*|[^\w\s]")
# Raised and lowered figures and fractions would lose their place in the plain form: 10 to the 6th is not 106. They are
# compared as signs of their own.
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉¼½¾⅓⅔⅛⅜⅝⅞"
_KEPT = str.maketrans({char: chr(0xE100 + index) for index, char in enumerate(_RAISED)})
_OWN_SIGNS = f"{chr(0xE100)}-{chr(0xE100 + len(_RAISED) - 1)}"

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember)"
)
_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s?(?:of\s)?{_MONTH}\b\.?(?:,?\s\d{{4}}\b)?"
    rf"|\b{_MONTH}\b\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?"
    rf"|\b{_MONTH}\b\.?,?\s\d{{4}}\b"
    r"|\b\d{4}-\d{1,2}-\d{1,2}(?!\d)"
    r"|\b\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d\d)\b"
    rf"|\b(?:{'|'.join(WEEKDAYS)})\b"
    r"|\b(?:january|february|april|june|july|september|october|november|december)\b"
    r"|\b(?:19|20)\d\d\b(?![.,:/]\d)",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"(?<![\w-])[-+](?=\d)|\d+(?:[.,:/]\d+)*|[%‰€$£¥{_OWN_SIGNS}]"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundreds?|thousands?|millions?|billions?|dozens?|half|twice)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|non|never|none|nor|neither|nobody|nothing|nowhere|without|cannot|unable|hardly|barely|\w+n't"
    r"|nicht|kein\w*|nie|niemals|niemand|nichts|ohne|weder|ne|pas|jamais|aucune?|sans|nunca|ningún|ninguna|sin)\b",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"\b[^\W\d_a-zß-öø-ÿ][\w'’-]*")
_LOWER = re.compile(r"\b[^\W\d_A-ZÀ-ÖØ-Þ][\w'’-]*")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_BEFORE_STOP = re.compile(r"([^\W\d_]+)\.$")
_TITLES = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "gen", "col", "capt", "lt", "sen", "rep", "no", "vs"))
_NO_NAMES = re.compile("|".join(("i", *WEEKDAYS, *MONTHS)).lower())


class _Words:
    """The words of a text with what is needed to compare them and to find the way back."""

    def __init__(self, text: str, numbers: dict[str, int]) -> None:
        self.plain, self._back = normalise(text.translate(_KEPT))
        spans = [match.span() for match in _TOKEN.finditer(self.plain)]
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]
        self.keys = [numbers.setdefault(self.plain[start:end], len(numbers)) for start, end in spans]
        self._paragraphs = {bisect_left(self._back.starts, match.end()) for match in _BLANK_LINE.finditer(text)}
        self._length = len(text)
        self._dates = [match.span() for match in _DATE.finditer(self.plain)]
        self._date_ends = [end for _, end in self._dates]

    def begin(self, word: int) -> int:
        """Return where a word begins in the text as given; for the one behind the last, the end of the text."""
        return self._back[self._starts[word]] if word < len(self._starts) else self._length

    def facts(self, first: int, behind: int, names: _Names) -> dict[Reason, Counter[str]]:
        """Count the figures, dates, names and negations in words [first:behind]."""
        facts_of: dict[Reason, Counter[str]] = {reason: Counter() for reason in REASONS}
        if first == behind:
            return facts_of
        start, end = self._starts[first], self._ends[behind - 1]
        dates = []
        index = bisect_right(self._date_ends, start)
        while index < len(self._dates) and self._dates[index][0] < end:
            dates.append(self._dates[index])
            index += 1
        facts_of["date"].update(" ".join(self.plain[a:b].casefold().replace(",", " ").split()) for a, b in dates)
        for match in _NUMBER.finditer(self.plain, start, min(len(self.plain), end + 1)):
            if match.start() < end and not any(a <= match.start() < b for a, b in dates):
                facts_of["number"][re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", match.group().casefold())] += 1
        facts_of["negation"].update(
            match.group().casefold() for match in _NEGATION.finditer(self.plain[:end], start) if match.start() < end
        )
        facts_of["name"].update(names.inside(self, start, end))
        return facts_of

    def begins_sentence(self, start: int) -> bool:
        """Return whether the word at ``start`` of the plain form is the first of a sentence or paragraph."""
        if start in self._paragraphs:
            return True
        preceding = self.plain[max(0, start - 16) : start].rstrip(" \"'([{-")
        if not preceding:
            return True
        if preceding[-1] not in ".!?:;":
            return False
        if preceding[-1] != ".":
            return True
        word = _BEFORE_STOP.search(preceding)
        # 'J. Smith', 'Dr. Smith': a full stop that ends no sentence.
        return word is None or (len(word.group(1)) > 1 and word.group(1).lower() not in _TITLES)


class _Names:
    """The words with a capital that are names: those that have one where no sentence begins.

    At the beginning of a sentence only abbreviations, and words that have a capital wherever else they occur.
    """

    def __init__(self, *texts: _Words) -> None:
        self._texts = texts
        self._elsewhere: frozenset[str] | None = None

    def inside(self, words: _Words, start: int, end: int) -> Iterator[str]:
        """Yield the names in words.plain[start:end]."""
        for match in _CAPITAL.finditer(words.plain, start, end):
            word = match.group().removesuffix("'s")
            if _NO_NAMES.fullmatch(word.lower()):
                continue
            abbreviation = len(word) > 1 and word.isupper()
            if abbreviation or not words.begins_sentence(match.start()) or word in self._elsewhere_names():
                yield word

    def _elsewhere_names(self) -> frozenset[str]:
        if self._elsewhere is None:
            capital: set[str] = set()
            small: set[str] = set()
            for text in self._texts:
                small.update(_LOWER.findall(text.plain))
                for match in _CAPITAL.finditer(text.plain):
                    word = match.group().removesuffix("'s")
                    if word not in capital and not text.begins_sentence(match.start()):
                        capital.add(word)
            self._elsewhere = frozenset(word for word in capital if word.lower() not in small)
        return self._elsewhere
