"""Accounting for a sentence: the words, names, figures, days and times that none of its sources has. Pure.

A sentence is supported only if each of its parts is in a source, whether or not a rule objects. A word counts in any of
its forms ('reject', 'rejected'); a figure, if the source's figure lies within it; a name, in the sentence itself, in a
neighbour of a sentence with 'he' or 'they', or as the author of a document that says 'I'. Conjunctions and verbs of
saying need no source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.answers.question import names_in
from core.english import FIRST_PERSON, NUMBERS
from core.language.denial import is_denial
from core.language.figures import Figure, bounds_of, figures, is_borne_out
from core.language.lexicon import words_of
from core.language.word_forms import are_forms
from core.search.ranking import STOP_WORDS
from core.text import BARE_WORD, CELL_BORDER

_PRONOUN = re.compile(r"\b(?:he|she|they|him|her|them|his|their|who)\b", re.IGNORECASE)
_FREE = words_of("en", "joining")  # words of saying and of joining, which need no source of their own
# Function words that reverse or quantify a statement: they need a source like content words.
_TURNING = words_of("en", "turning")
_RESERVING = words_of("en", "reservation")
_EXCEPTING = words_of("en", "exception")
_REFUSING = words_of("en", "refusal")
_TITLES = words_of("en", "title")
# 'failed to lock', 'denied that', 'it is false that': they negate the rest.
_REFUSAL = re.compile(
    rf"\b(?:{'|'.join(sorted(_REFUSING))})\s+to\b|\bden(?:y|ies|ied|ying)\b|\b(?:false|untrue|incorrect|wrong)\s+that\b",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(r"\b(?:all|every\w*|each|no\w*|any\w*)\b(?:\s\w+){0,3}\sbut\s(?!also\b)", re.IGNORECASE)
# Conjunctions whose halves cannot be exchanged without a change of meaning.
_RELATING = frozenset(("after", "because", "before", "than", "unless", "until", "when", "while"))
_COUNTING = frozenset(NUMBERS) | {"first", "second", "third", "last"}
_NEAR, _REACH = 6, 9  # content words between the first and the last of three in a sentence, and in a source
_PLACES = 6  # of a word in a source
_MOST_WORDS = 120  # of a sentence and of a source whose order of words is compared
_MADE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|got)\s(?:\w+ly\s|also\s|then\s|later\s)?"
    r"\w+(?:ed|en|wn|old|ght|uck|ung|ade|ept|elt|ost|und|ot|ut|id|one)\b",
    re.IGNORECASE,
)
_BY = re.compile(r"\bby\b", re.IGNORECASE)
_SIGNS = {
    "$": ("dollar", "usd"), "€": ("euro", "eur"), "£": ("pound", "gbp", "sterling"),
    "¥": ("yen", "yuan", "jpy", "cny", "renminbi"),
}  # fmt: skip
_POINTS = re.compile(r"\bpercentage[- ]points?\b|\d\s?pp\b", re.IGNORECASE)
_PERCENT = re.compile(r"\d\s?(?:%|percent\b|per cent\b)", re.IGNORECASE)
_SPEAKER = re.compile(
    r"\b([A-Z][\w'’-]+)\s(?:\w+ly\s|also\s|later\s)?"
    r"(?:said|says|told|tells|stated|states|claimed|claims|reported|reports|testified|wrote|writes|admitted|announced)\b"
)
_NAME = re.compile(r"\b(?!(?:The|A|An|In|On|At|By|Of|For|From)\b)[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|got)\b[^.;]*\bby\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source in the form that a sentence is compared with: its text, its context, its document's description.

    ``about`` holds the document's title, author and date in ISO 8601.
    """

    text: str
    context: str = ""
    about: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class MissingPart:
    """A part of a sentence that no source has: text[start:end].

    ``kind`` is 'word', 'name', 'number', 'date', 'order', 'denial' or 'reservation'. A denial or reservation of the
    source that the sentence leaves out has an empty span.
    """

    text: str
    kind: str
    start: int
    end: int


ONLY_IN_SOURCE, ELSEWHERE = "(only in the source)", "(elsewhere in the source)"  # for words that differ


def in_words(part: MissingPart) -> str:
    """Return the words of a part, marked if the source has them in another way."""
    if part.kind == "order":
        return f"{part.text} {ELSEWHERE}"
    return part.text if part.end > part.start else f"{part.text} {ONLY_IN_SOURCE}"


def missing_parts(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """List the parts of a sentence that none of its sources has, in order of place."""
    claim_figures = figures(sentence)
    parts = _missing_figures(sentence, claim_figures, sources)
    name_spans = _named(sentence)
    words = {word for source in sources for word in _plain_words(f"{source.text} {source.context} {source.about}")}
    words |= {name for source in sources for sign, names in _SIGNS.items() if sign in source.text for name in names}
    covered = [bounds_of(sentence, figure) for figure in claim_figures]
    for match in BARE_WORD.finditer(sentence):
        if any(start < match.end() and match.start() < end for start, end in covered):
            continue
        word = _plain(match.group())
        if match.span() in name_spans:
            if word not in _TITLES and not any(_names(word, source) for source in sources):
                parts.append(MissingPart(match.group(), "name", *match.span()))
        elif any(char.isdigit() for char in word):
            if word not in words:
                parts.append(MissingPart(match.group(), "number", *match.span()))
        elif is_denial(word):
            continue
        elif (word in _TURNING or word not in STOP_WORDS | _FREE) and not _has_form(word, words):
            parts.append(MissingPart(match.group(), "word", *match.span()))
    parts += _denials(sentence, sources)
    parts += _order(sentence, sources) or _swapped_words(sentence, sources) or _wrong_speaker(sentence, sources)
    parts += _reservation(sentence, sources)
    parts += _exception(sentence, sources)
    parts += _signs(sentence, sources)
    return sorted(parts, key=lambda part: (part.start, part.end))


def is_row(text: str) -> bool:
    """Return whether a source is a row of a table."""
    return CELL_BORDER in text


def source_choices(sentence: str, texts: Sequence[str]) -> list[tuple[int, ...]]:
    """List the groups of sources, as indices, that may support a sentence together.

    Different rows of a table are about different things: beside the other sources, a group has the rows whose first
    cells the sentence names, or one row.
    """
    rows = [index for index, text in enumerate(texts) if is_row(text)]
    prose = tuple(index for index in range(len(texts)) if index not in rows)
    words = _plain_words(sentence)
    names = {index: _plain_words(texts[index].partition(CELL_BORDER)[0]) for index in rows}
    named_rows = tuple(index for index in rows if names[index] and names[index] <= words)
    return [(*prose, *named_rows), *((*prose, index) for index in rows if (index,) != named_rows)]


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
    words = (_plain(match.group()) for match in BARE_WORD.finditer(source.text) if match.group() != "May")
    return next(([MissingPart(word, "reservation", 0, 0)] for word in words if word in _RESERVING), [])


def _exception(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return an exception or an approximation of the nearest source that a sentence leaves out."""
    source = _nearest(sentence, sources)
    if source is None or _exception_in(sentence):
        return []
    word = _exception_in(source.text)
    return [MissingPart(word, "reservation", 0, 0)] if word else []


def _exception_in(text: str) -> str:
    bounds = [bounds_of(text, figure) for figure in figures(text)]  # 'nearly 50' is a number
    for match in BARE_WORD.finditer(text):
        if _plain(match.group()) in _EXCEPTING and not any(start <= match.start() < end for start, end in bounds):
            return match.group()
    return "but" if _ALL_BUT.search(text) else ""


def _signs(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return the signs of money that no source has, in itself or as a word, and per cent for percentage points."""
    source_words = " ".join(f"{source.text} {source.context}" for source in sources).casefold()
    parts = [
        MissingPart(sign, "number", offset, offset + 1)
        for offset, sign in enumerate(sentence)
        if sign in _SIGNS and not any(name in source_words for name in (sign, *_SIGNS[sign]))
    ]
    source = _nearest(sentence, sources)
    if source is not None and bool(_POINTS.search(sentence)) != bool(_POINTS.search(source.text)):
        match = _POINTS.search(sentence) or _PERCENT.search(sentence)
        if match is not None:
            parts.append(MissingPart(match.group(), "number", *match.span()))
    return parts


def _wrong_speaker(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return the speaker of a sentence if the nearest source names another, or only a second-hand one."""
    source = _nearest(sentence, sources)
    claim_words = list(_SPEAKER.finditer(sentence))
    if source is None or not claim_words:
        return []
    source_words = [match.group(1) for match in _SPEAKER.finditer(source.text)]
    is_second_hand = (
        len(claim_words) < len(source_words)
        and re.search(
            rf"\b{re.escape(source_words[-1])}\b", sentence[: claim_words[0].start()] + sentence[claim_words[0].end() :]
        )
        is None
    )
    for match in claim_words:
        name = match.group(1)
        if (
            source_words
            and re.search(rf"\b{re.escape(name)}\b", source.text)
            and (name not in source_words or is_second_hand)
        ):
            return [MissingPart(name, "order", *match.span(1))]
    return []


def _swapped_words(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return a word that has changed places with another around a third one: who did what to whom.

    'The supplier paid the contractor' does not support 'the contractor paid the supplier'.
    """
    source = _nearest(sentence, sources)
    if source is None:
        return []
    claim_words, source_words = _content(sentence), _content(source.text)
    places = [
        [index for index, (candidate, _) in enumerate(source_words) if _is_same(word, candidate)][:_PLACES]
        for word, _ in claim_words
    ]
    agent, source_agent = _agent(sentence), _agent(source.text)
    if (agent is None) != (source_agent is None):
        position = _first_in_order(
            places, is_turned=False, agent=(agent, source_agent), claim_words=claim_words, source_words=source_words
        )
    elif bool(_MADE.search(sentence)) != bool(_MADE.search(source.text)):
        return []
    else:
        position = _first_in_order(
            places, is_turned=True, agent=(None, None), claim_words=claim_words, source_words=source_words
        )
    if position is None:
        return []
    match = claim_words[position][1]
    return [MissingPart(match.group(), "order", *match.span())]


def _first_in_order(
    places: Sequence[Sequence[int]],
    *,
    is_turned: bool,
    agent: tuple[int | None, int | None],
    claim_words: Sequence[tuple[str, re.Match[str]]],
    source_words: Sequence[tuple[str, re.Match[str]]],
) -> int | None:
    """Return the first of three words that a source has only in reverse order, or only in the same order.

    ``agent`` is the offset of the agent of a passive in each text; it must be next to the last of the three words.
    """
    for first, second, third in _triples(places):
        if agent[0] is not None and (
            claim_words[third][1].start() < agent[0] or claim_words[second][1].start() > agent[0]
        ):
            continue
        spans = [
            (a, b, c)
            for a in places[first]
            for b in places[second]
            for c in places[third]
            if abs(a - c) <= _REACH and (a < b < c or c < b < a)
        ]
        if not spans or any((a < b) == is_turned for a, b, _ in spans):
            continue
        if agent[1] is not None and not any(
            source_words[b][1].start() < agent[1] < source_words[c][1].start() for _, b, c in spans
        ):
            continue
        return first
    return None


def _triples(places: Sequence[Sequence[int]]) -> Iterator[tuple[int, int, int]]:
    """Yield all triples of nearby words of a sentence that a source has, without repeated words."""
    indices = [index for index, matches in enumerate(places) if matches]
    for first in indices:
        successors = [index for index in indices if first < index <= first + _NEAR]
        for second, third in combinations(successors, 2):
            sets = set(places[first]), set(places[second]), set(places[third])
            if len(set.union(*sets)) == sum(map(len, sets)):
                yield first, second, third


def _content(text: str) -> list[tuple[str, re.Match[str]]]:
    """Return the content words of a text, with its numbers and the conjunctions that relate its halves."""
    small = (STOP_WORDS | _FREE) - _RELATING - _COUNTING
    words = [(_plain(match.group()), match) for match in BARE_WORD.finditer(text)]
    return [(word, match) for word, match in words if word not in small][:_MOST_WORDS]


def _is_same(word: str, candidate: str) -> bool:
    return word == candidate or are_forms(word, candidate)


def _agent(text: str) -> int | None:
    """Return the offset of the 'by' of a passive, or None."""
    verb = _MADE.search(text) if _PASSIVE.search(text) else None
    match = _BY.search(text, verb.end()) if verb else None
    return match.start() if match else None


def _denial(text: str) -> re.Match[str] | None:
    bounds = [bounds_of(text, figure) for figure in figures(text)]  # 'no more than 40' denies nothing
    for match in BARE_WORD.finditer(text):
        if is_denial(_plain(match.group())) and not any(start <= match.start() < end for start, end in bounds):
            return match
    return _REFUSAL.search(text)


def _order(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return a name that is on the other side of a second name than in the nearest source: who did it to whom."""
    source = _nearest(sentence, sources)
    if source is None or bool(_PASSIVE.search(sentence)) != bool(_PASSIVE.search(source.text)):
        return []
    names = [
        match
        for match in _NAME.finditer(sentence)
        if re.search(rf"\b{re.escape(match.group())}\b", source.text)
        and (match.start() or source.text.find(match.group()))  # a first word is capitalised by its position
    ]
    if len(names) != 2 or names[0].group() == names[1].group():
        return []
    first, second = names
    if source.text.index(first.group()) < source.text.index(second.group()):
        return []
    return [MissingPart(first.group(), "order", *first.span())]


def _missing_figures(
    sentence: str, claim_figures: Sequence[Figure], sources: Sequence[SourceText]
) -> list[MissingPart]:
    source_figures = [
        figure for source in sources for figure in figures(f"{source.text}\n{source.context}\n{source.about}")
    ]
    text = "\n".join(source.text for source in sources)
    return [
        MissingPart(
            sentence[figure.start : figure.end].strip(),
            "date" if figure.kind in ("date", "day", "time") else "number",
            figure.start,
            figure.end,
        )
        for figure in claim_figures
        if not (is_borne_out(figure, source_figures) or _is_label(sentence, figure, text))
    ]


def _is_label(sentence: str, figure: Figure, source: str) -> bool:
    """Return whether a source has a number after the same word, as a label: 'Press 7'."""
    words = BARE_WORD.findall(sentence[: figure.start])
    if figure.kind != "number" or not words or words[-1].casefold() in STOP_WORDS:
        return False
    number = sentence[figure.start : figure.end].strip()
    return bool(re.search(rf"\b{re.escape(words[-1])}\s{re.escape(number)}\b", source, re.IGNORECASE))


def _named(sentence: str) -> set[tuple[int, int]]:
    """Return the spans of the words that belong to names in a sentence."""
    places: set[tuple[int, int]] = set()
    for name in names_in(sentence):
        for match in re.finditer(re.escape(name), sentence):
            places |= {
                (match.start() + word.start(), match.start() + word.end()) for word in BARE_WORD.finditer(match.group())
            }
    # The first word has its capital from its place: 'Although Ekhaug agreed'.
    return {place for place in places if place[0] or _plain(sentence[slice(*place)]) not in _FREE}


def _names(word: str, source: SourceText) -> bool:
    """Return whether a source has a word as a name."""
    if _has_form(word, _plain_words(source.text)):
        return True
    if _PRONOUN.search(source.text) and _has_form(word, _plain_words(source.context)):
        return True
    if FIRST_PERSON.search(source.text):
        return _has_form(word, _plain_words(source.author))
    return _has_form(word, _plain_words(source.about)) and word not in _plain_words(source.author)


def _plain_words(text: str) -> frozenset[str]:
    return frozenset(_plain(word) for word in BARE_WORD.findall(text))


def _plain(word: str) -> str:
    return word.casefold().replace("’", "'").removesuffix("'s")


def _has_form(word: str, words: frozenset[str] | set[str]) -> bool:
    """Return whether a set of words has a word or a form of it."""
    return word in words or any(are_forms(word, candidate) for candidate in words)
