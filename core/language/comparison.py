"""What two sentences say differently: figures, times, days, a denial, a word and its opposite. Pure, and for English.

A difference is no contradiction by itself: the sentences may speak of two things. Whoever asks weighs how likely it is
that they speak of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.english import WEEKDAYS
from core.language.denial import is_denial
from core.language.figures import Figure, agree, bounds_of, figures
from core.language.lexicon import opposites_in, words_of
from core.language.word_forms import are_forms
from core.text import BARE_WORD

Kind = Literal["number", "time", "date", "denial", "opposite"]
_CLAUSE_END = re.compile(r"[.;:!?,()\u2013\u2014]|\b(?:and|but|because|when|while|which|who)\b", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})s?\b")
_SMALL = words_of("en", "joining") | words_of("en", "turning") | words_of("en", "stop")
_SCOPE = 7  # words behind a denial that it may deny
_REACH = 3  # words before one of two opposites in which a denial turns it round
_NUMBER = re.compile(r"\.?\s?\d")  # behind 'no' that stands for 'number'
_HALF = 0.5
_FEWEST = 2  # words of what is denied that a sentence has to say before a denial of it is certain
_NEAR = 240  # minutes between two times that may be of one event
_LEAST = 3  # letters of a word that says what a sentence is about


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two sentences, and its place in each; ``certain``: each says it of the same word.

    ``common`` are the words of which they say it: what is denied and said, what is counted. ``share`` is that of the
    words denied that the sentence without the denial has, 1 for other kinds.
    """

    kind: Kind
    left: tuple[int, int]
    right: tuple[int, int]
    certain: bool
    common: tuple[str, ...] = ()
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int


def compare(left: str, right: str) -> list[Difference]:
    """List what two sentences say differently, by kind."""
    return [*_of_figures(left, right), *_of_denials(left, right), *_of_opposites(left, right)]


def agreements(left: str, right: str) -> set[str]:
    """Return the kinds of figures of which two sentences share a value: 'number', 'time', 'date'."""
    return {
        _kind(left_figure)
        for left_figure in _figures(left)
        for right_figure in _figures(right)
        if _kind(left_figure) == _kind(right_figure) and agree(left_figure, right_figure)
    }


def _kind(figure: Figure) -> Kind:
    if figure.kind in ("date", "day"):
        return "date"
    return "time" if figure.kind == "time" else "number"


def _of_figures(left: str, right: str) -> Iterator[Difference]:
    shared = agreements(left, right)
    sides = _figures(left), _figures(right)
    kinds: tuple[Kind, ...] = ("number", "time", "date")
    for kind in kinds:
        left_figures, right_figures = ([figure for figure in side if _kind(figure) == kind] for side in sides)
        if not left_figures or not right_figures or kind in shared:
            continue
        if kind == "number":
            pairs = [
                (left_figure, right_figure)
                for left_figure in left_figures
                for right_figure in right_figures
                if left_figure.kind == right_figure.kind and left_figure.unit and right_figure.unit
                and (left_figure.unit == right_figure.unit or are_forms(left_figure.unit, right_figure.unit))
            ]  # fmt: skip
            certain = bool(pairs)
        elif kind == "time":
            pairs = [
                (left_figure, right_figure)
                for left_figure in left_figures
                for right_figure in right_figures
                if _gap(left_figure, right_figure) <= _NEAR
            ]
            certain = len(left_figures) == len(right_figures) == 1
        else:
            pairs, certain = [], len(left_figures) == len(right_figures) == 1
        left_figure, right_figure = (pairs or [(left_figures[0], right_figures[0])])[0]
        common = (left_figure.unit,) if kind == "number" and pairs else ()
        certain = certain and (kind == "date" or bool(pairs))
        yield Difference(
            kind, (left_figure.start, left_figure.end), (right_figure.start, right_figure.end), certain, common
        )
    if "date" not in shared:
        days = [list(_WEEKDAY.finditer(text)) for text in (left, right)]
        names = [{match.group().rstrip("s").casefold() for match in side} for side in days]
        if names[0] and names[1] and not names[0] & names[1]:
            yield Difference("date", days[0][0].span(), days[1][0].span(), len(names[0]) == len(names[1]) == 1)


def _gap(left: Figure, right: Figure) -> float:
    return min(abs(a - b) for a in (left.low, left.high) for b in (right.low, right.high))


def _of_denials(left: str, right: str) -> Iterator[Difference]:
    """Yield what one sentence denies and the other says without a denial; the words of it that both have are marked."""
    words = _words(left), _words(right)
    for side, texts in enumerate(((left, right), (right, left))):
        own_words, other_words = words[side], words[1 - side]
        best: Difference | None = None
        for denial, scope in _denied(texts[0], own_words):
            hits = [(word, match) for word in scope if (match := _form_among(word, other_words)) is not None]
            if not hits or any(_is_denied(texts[1], other_words, match) for _, match in hits):
                continue
            if best is None or len(hits) > len(best.common):
                spans = (denial.start, max(denial.end, hits[-1][0].end)), (hits[0][1].start, hits[0][1].end)
                left_span, right_span = spans if side == 0 else spans[::-1]
                common = tuple(word.text for word, _ in hits)
                share = len(hits) / len(scope)
                best = Difference(
                    "denial", left_span, right_span, len(hits) >= _FEWEST and share >= _HALF, common, share
                )
        if best is not None:
            yield best


def _denied(text: str, words: Sequence[_Word]) -> Iterator[tuple[_Word, list[_Word]]]:
    """Yield each denial of a sentence with the words of weight that it denies."""
    bounds = [bounds_of(text, figure) for figure in _figures(text)]  # 'no more than 40' denies nothing
    for index, word in enumerate(words):
        if (
            not is_denial(word.text)
            or _NUMBER.match(text, word.end)
            or any(start <= word.start < end for start, end in bounds)
        ):
            continue
        end = _CLAUSE_END.search(text, word.end)
        stop = end.start() if end else len(text)
        behind = [
            scope_word
            for scope_word in words[index + 1 : index + 1 + _SCOPE]
            if scope_word.start < stop and _has_weight(scope_word.text)
        ]
        ahead = [scope_word for scope_word in words[max(0, index - _SCOPE) : index] if _has_weight(scope_word.text)]
        yield word, behind or ahead[-_FEWEST:]


def _is_denied(text: str, words: Sequence[_Word], word: _Word) -> bool:
    return any(word in scope for _, scope in _denied(text, words))


def _of_opposites(left: str, right: str) -> Iterator[Difference]:
    words = _words(left), _words(right)
    texts = [{word.text for word in side} for side in words]
    for left_word in words[0]:
        for opposite in opposites_in("en", "opposites").get(left_word.text, ()):
            if opposite in texts[0] or left_word.text in texts[1] or opposite not in texts[1]:
                continue
            opposite_word = next(word for word in words[1] if word.text == opposite)
            if _is_turned(words[0], left_word) == _is_turned(words[1], opposite_word):
                yield Difference(
                    "opposite", (left_word.start, left_word.end), (opposite_word.start, opposite_word.end), True
                )


def _is_turned(words: Sequence[_Word], word: _Word) -> bool:
    index = words.index(word)
    return any(is_denial(near_word.text) for near_word in words[max(0, index - _REACH) : index])


def _form_among(word: _Word, words: Sequence[_Word]) -> _Word | None:
    return next(
        (candidate for candidate in words if candidate.text == word.text or are_forms(candidate.text, word.text)), None
    )


def _has_weight(word: str) -> bool:
    return len(word) >= _LEAST and word[0].isalpha() and word not in _SMALL and not is_denial(word)


@lru_cache(maxsize=50_000)
def _words(text: str) -> tuple[_Word, ...]:
    words = BARE_WORD.finditer(text)
    return tuple(_Word(word.group().casefold().replace("’", "'"), word.start(), word.end()) for word in words)


@lru_cache(maxsize=50_000)
def _figures(text: str) -> tuple[Figure, ...]:
    return tuple(figures(text))


def forget() -> None:
    """Forget what was read of sentences, once they have been compared."""
    _words.cache_clear()
    _figures.cache_clear()
