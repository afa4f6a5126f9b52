"""Accounting for a sentence: which of its words, names, figures, days and times none of its sources has. Pure.

A sentence is not borne out because no rule objects to it, but when each of its parts stands in a source. A word stands
there in itself or in another form of it ('reject', 'rejected'); a figure where the source gives one that lies within
it; a name in the very sentence, in one beside it that speaks of 'he' or 'they', or as the author of a document that
says 'I'. Words that only join others, and those that say who says something, need no source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.answers.question import names_in
from core.audit.figures import Figure, bounds_of, figures, is_borne_out
from core.language.lexicon import words_of
from core.search.ranking import STOP_WORDS

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_PRONOUN = re.compile(r"\b(?:he|she|they|him|her|them|his|their|who)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|we|us|our)\b")
# What may follow the part that two forms of one word share.
_ENDINGS = frozenset(
    (
        "",
        "s",
        "es",
        "ed",
        "d",
        "ing",
        "er",
        "ers",
        "or",
        "ors",
        "ion",
        "ions",
        "ation",
        "ations",
        "ly",
        "al",
        "ally",
        "e",
    )
) | {"y", "ies", "ied", "ying", "ment", "ments", "ness", "able", "ive", "t"}
_LEAST_STEM = 3
_FREE = words_of("en", "joining")  # words of saying and of joining, which need no source of their own
# Small words that turn what is said round, or say how much of it: they need a source like any other.
_TURNING = words_of("en", "turning")
_DENYING = words_of("en", "denial")
_RESERVING = words_of("en", "reservation")
_NAME = re.compile(r"\b(?!(?:The|A|An|In|On|At|By|Of|For|From)\b)[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|got)\b[^.;]*\bby\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source as it is held against a sentence: its own words, those around it, and what its document is called.

    ``about`` holds the document's title, author and date in ISO 8601.
    """

    text: str
    around: str = ""
    about: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class MissingPart:
    """A part of a sentence that no source has: text[start:end].

    ``kind`` is 'word', 'name', 'number', 'date', 'order', 'denial' or 'reservation'. What stands in the source alone
    has an empty span: a denial or a reservation that the sentence leaves out.
    """

    text: str
    kind: str
    start: int
    end: int


ONLY_THERE, ELSEWHERE = "(only in the source)", "(elsewhere in the source)"  # behind what the source has otherwise


def in_words(part: MissingPart) -> str:
    """Return the words of a part; of what its source has, but not so, with how that differs."""
    if part.kind == "order":
        return f"{part.text} {ELSEWHERE}"
    return part.text if part.end > part.start else f"{part.text} {ONLY_THERE}"


def missing_parts(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """List the parts of a sentence that none of its sources has, in order of place."""
    own_figures = figures(sentence)
    parts = _missing_figures(sentence, own_figures, sources)
    named = _named(sentence)
    words = {word for source in sources for word in _plain_words(f"{source.text} {source.around} {source.about}")}
    covered = [bounds_of(sentence, figure) for figure in own_figures]
    for match in _WORD.finditer(sentence):
        if any(start < match.end() and match.start() < end for start, end in covered):
            continue
        word = _plain(match.group())
        if match.span() in named:
            if not any(_names(word, source) for source in sources):
                parts.append(MissingPart(match.group(), "name", *match.span()))
        elif any(char.isdigit() for char in word):
            if word not in words:
                parts.append(MissingPart(match.group(), "number", *match.span()))
        elif word in _DENYING or word.endswith("n't"):
            continue
        elif (word in _TURNING or word not in STOP_WORDS | _FREE) and not _has_form(word, words):
            parts.append(MissingPart(match.group(), "word", *match.span()))
    parts += _denials(sentence, sources)
    parts += _order(sentence, sources)
    parts += _reservation(sentence, sources)
    return sorted(parts, key=lambda part: (part.start, part.end))


def _nearest(sentence: str, sources: Sequence[SourceText]) -> SourceText | None:
    """Return the source whose own words hold most of a sentence's; the first of equals."""
    words = _plain_words(sentence) - STOP_WORDS
    return max(sources, key=lambda source: len(words & _plain_words(source.text)), default=None)


def _denials(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return the denial that either the sentence or its nearest source has and the other lacks."""
    source = _nearest(sentence, sources)
    claim, counterpart = _denial(sentence), _denial(source.text) if source is not None else None
    if bool(claim) == bool(counterpart):
        return []
    match = claim or counterpart
    assert match is not None
    return [MissingPart(match.group(), "denial", *(claim.span() if claim else (0, 0)))]


def _reservation(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return a condition or a doubt of the nearest source that a sentence leaves out: an empty span."""
    source = _nearest(sentence, sources)
    if source is None or _RESERVING & _plain_words(sentence):
        return []
    words = (_plain(match.group()) for match in _WORD.finditer(source.text) if match.group() != "May")
    return next(([MissingPart(word, "reservation", 0, 0)] for word in words if word in _RESERVING), [])


def _denial(text: str) -> re.Match[str] | None:
    bounds = [bounds_of(text, figure) for figure in figures(text)]  # 'no more than 40' denies nothing
    for match in _WORD.finditer(text):
        word = _plain(match.group())
        is_denial = word in _DENYING or word.endswith("n't")
        if is_denial and not any(start <= match.start() < end for start, end in bounds):
            return match
    return None


def _order(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return a name that stands on the other side of another one than in the nearest source: who did it to whom."""
    source = _nearest(sentence, sources)
    if source is None or bool(_PASSIVE.search(sentence)) != bool(_PASSIVE.search(source.text)):
        return []
    names = [
        match
        for match in _NAME.finditer(sentence)
        if re.search(rf"\b{re.escape(match.group())}\b", source.text)
        and (match.start() or source.text.find(match.group()))  # the first word of both has its capital from there
    ]
    if len(names) != 2 or names[0].group() == names[1].group():
        return []
    first, second = names
    if source.text.index(first.group()) < source.text.index(second.group()):
        return []
    return [MissingPart(first.group(), "order", *first.span())]


def _missing_figures(sentence: str, own_figures: Sequence[Figure], sources: Sequence[SourceText]) -> list[MissingPart]:
    source_figures = [
        figure for source in sources for figure in figures(f"{source.text}\n{source.around}\n{source.about}")
    ]
    return [
        MissingPart(
            sentence[figure.start : figure.end].strip(),
            "date" if figure.kind in ("date", "day", "time") else "number",
            figure.start,
            figure.end,
        )
        for figure in own_figures
        if not is_borne_out(figure, source_figures)
    ]


def _named(sentence: str) -> set[tuple[int, int]]:
    """Return the places of the words of names in a sentence."""
    places: set[tuple[int, int]] = set()
    for name in names_in(sentence):
        for match in re.finditer(re.escape(name), sentence):
            places |= {
                (match.start() + word.start(), match.start() + word.end()) for word in _WORD.finditer(match.group())
            }
    return places


def _names(word: str, source: SourceText) -> bool:
    """Return whether a source names somebody or something by a word."""
    if _has_form(word, _plain_words(source.text)):
        return True
    if _PRONOUN.search(source.text) and _has_form(word, _plain_words(source.around)):
        return True
    if _FIRST_PERSON.search(source.text):
        return _has_form(word, _plain_words(source.author))
    return _has_form(word, _plain_words(source.about)) and word not in _plain_words(source.author)


def _plain_words(text: str) -> frozenset[str]:
    return frozenset(_plain(word) for word in _WORD.findall(text))


def _plain(word: str) -> str:
    return word.casefold().replace("’", "'").removesuffix("'s")


def _has_form(word: str, words: frozenset[str] | set[str]) -> bool:
    """Return whether a word, or another form of it, is among some."""
    if word in words:
        return True
    return any(_same_stem(word, candidate) for candidate in words if candidate[:_LEAST_STEM] == word[:_LEAST_STEM])


def _same_stem(left: str, right: str) -> bool:
    common = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        common += 1
    if common < _LEAST_STEM:
        return False
    stems = (common, common - 1)  # 'stopped' and 'stop', 'cities' and 'city', 'decide' and 'deciding'
    return any(stem >= _LEAST_STEM and _ending(left, stem) and _ending(right, stem) for stem in stems)


def _ending(word: str, stem: int) -> bool:
    rest = word[stem:]
    if rest in _ENDINGS:
        return True
    return len(rest) > 1 and rest[0] == word[stem - 1] and rest[1:] in _ENDINGS  # a doubled letter
