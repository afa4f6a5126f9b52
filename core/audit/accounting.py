"""Accounting for a sentence: which of its words, names, figures, days and times none of its sources has. Pure.

A sentence is not borne out because no rule objects to it, but when each of its parts stands in a source. A word stands
there in itself or in another form of it ('reject', 'rejected'); a figure where the source gives one that lies within
it; a name in the very sentence, in one beside it that speaks of 'he' or 'they', or as the author of a document that
says 'I'. Words that only join others, and those that say who says something, need no source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.answers.question import names_in
from core.english import NUMBERS
from core.language.denial import is_denial
from core.language.figures import Figure, bounds_of, figures, is_borne_out
from core.language.lexicon import words_of
from core.language.word_forms import are_forms
from core.search.ranking import STOP_WORDS
from core.text import CELL_BORDER

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_PRONOUN = re.compile(r"\b(?:he|she|they|him|her|them|his|their|who)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|we|us|our)\b")
_FREE = words_of("en", "joining")  # words of saying and of joining, which need no source of their own
# Small words that turn what is said round, or say how much of it: they need a source like any other.
_TURNING = words_of("en", "turning")
_RESERVING = words_of("en", "reservation")
_EXCEPTING = words_of("en", "exception")
_REFUSING = words_of("en", "refusal")
_TITLES = words_of("en", "title")
# 'failed to lock', 'denied that', 'it is false that': they deny what follows.
_REFUSAL = re.compile(
    rf"\b(?:{'|'.join(sorted(_REFUSING))})\s+to\b|\bden(?:y|ies|ied|ying)\b|\b(?:false|untrue|incorrect|wrong)\s+that\b",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(r"\b(?:all|every\w*|each|no\w*|any\w*)\b(?:\s\w+){0,3}\sbut\s(?!also\b)", re.IGNORECASE)
# Words between two halves of a sentence that do not change places without changing what it says.
_RELATING = frozenset(("after", "because", "before", "than", "unless", "until", "when", "while"))
_COUNTING = frozenset(NUMBERS) | {"first", "second", "third", "last"}
_NEAR, _REACH = 6, 9  # content words between the first and the last of three in a sentence, and in a source
_PLACES = 6  # of one word in a source
_MOST_WORDS = 120  # of a sentence and of a source that are held against each other by their order
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
_SIGN = re.compile(r"[$€£¥]")
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
    words |= {name for source in sources for sign in _SIGN.findall(source.text) for name in _SIGNS[sign]}
    covered = [bounds_of(sentence, figure) for figure in own_figures]
    for match in _WORD.finditer(sentence):
        if any(start < match.end() and match.start() < end for start, end in covered):
            continue
        word = _plain(match.group())
        if match.span() in named:
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
    parts += _order(sentence, sources) or _turned(sentence, sources) or _other_speaker(sentence, sources)
    parts += _reservation(sentence, sources)
    parts += _exception(sentence, sources)
    parts += _signs(sentence, sources)
    return sorted(parts, key=lambda part: (part.start, part.end))


def is_row(text: str) -> bool:
    """Return whether a source is a row of a table."""
    return CELL_BORDER in text


def rows_apart(sentence: str, texts: Sequence[str]) -> list[tuple[int, ...]]:
    """List which of some sources may bear out a sentence together, by their places.

    What different rows of a table say is not said of one thing: beside the other sources stand the rows that the
    sentence names by their first cells, or one row.
    """
    rows = [at for at, text in enumerate(texts) if is_row(text)]
    others = tuple(at for at in range(len(texts)) if at not in rows)
    words = _plain_words(sentence)
    names = {at: _plain_words(texts[at].partition(CELL_BORDER)[0]) for at in rows}
    named = tuple(at for at in rows if names[at] and names[at] <= words)
    return [(*others, *named), *((*others, at) for at in rows if (at,) != named)]


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


def _exception(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return an exception that the nearest source makes, or how nearly it says a thing, where a sentence does not."""
    source = _nearest(sentence, sources)
    if source is None or _exception_in(sentence):
        return []
    word = _exception_in(source.text)
    return [MissingPart(word, "reservation", 0, 0)] if word else []


def _exception_in(text: str) -> str:
    bounds = [bounds_of(text, figure) for figure in figures(text)]  # 'nearly 50' is a number
    for match in _WORD.finditer(text):
        if _plain(match.group()) in _EXCEPTING and not any(start <= match.start() < end for start, end in bounds):
            return match.group()
    return "but" if _ALL_BUT.search(text) else ""


def _signs(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return the signs of money that no source has, in itself or as a word, and per cent for percentage points."""
    source_words = " ".join(f"{source.text} {source.around}" for source in sources).casefold()
    parts = [
        MissingPart(match.group(), "number", *match.span())
        for match in _SIGN.finditer(sentence)
        if match.group() not in source_words and not any(name in source_words for name in _SIGNS[match.group()])
    ]
    source = _nearest(sentence, sources)
    if source is not None and bool(_POINTS.search(sentence)) != bool(_POINTS.search(source.text)):
        match = _POINTS.search(sentence) or _PERCENT.search(sentence)
        if match is not None:
            parts.append(MissingPart(match.group(), "number", *match.span()))
    return parts


def _other_speaker(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return who says a thing in a sentence and does not say it in the nearest source, or says it of another's words.

    Only where the source names who speaks.
    """
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


def _turned(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return a word whose place is changed with that of another around a third one: who did what to whom.

    'The supplier paid the contractor' does not bear out 'the contractor paid the supplier'.
    """
    source = _nearest(sentence, sources)
    if source is None:
        return []
    claim_words, source_words = _content(sentence), _content(source.text)
    places = [
        [at for at, (other, _) in enumerate(source_words) if _is_same(word, other)][:_PLACES] for word, _ in claim_words
    ]
    is_by, is_by_there = _agent(sentence), _agent(source.text)
    if (is_by is None) != (is_by_there is None):
        match_place = _first_in_order(
            places, is_turned=False, agent=(is_by, is_by_there), claim_words=claim_words, source_words=source_words
        )
    elif bool(_MADE.search(sentence)) != bool(_MADE.search(source.text)):
        return []
    else:
        match_place = _first_in_order(
            places, is_turned=True, agent=(None, None), claim_words=claim_words, source_words=source_words
        )
    if match_place is None:
        return []
    match = claim_words[match_place][1]
    return [MissingPart(match.group(), "order", *match.span())]


def _first_in_order(
    places: Sequence[Sequence[int]],
    *,
    is_turned: bool,
    agent: tuple[int | None, int | None],
    claim_words: Sequence[tuple[str, re.Match[str]]],
    source_words: Sequence[tuple[str, re.Match[str]]],
) -> int | None:
    """Return the first of three words that stand in a source only in the other order, or only in the same one.

    ``agent`` is where somebody stands by whom a thing is done: the last of three words, in one of the texts.
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
    """Yield every three words of a sentence near each other that stand in a source, none of them twice the same."""
    places_in_source = [at for at, matches in enumerate(places) if matches]
    for first in places_in_source:
        following = [at for at in places_in_source if first < at <= first + _NEAR]
        for second, third in combinations(following, 2):
            sets = set(places[first]), set(places[second]), set(places[third])
            if len(set.union(*sets)) == sum(map(len, sets)):
                yield first, second, third


def _content(text: str) -> list[tuple[str, re.Match[str]]]:
    """Return the words of a text that say what it is about, its numbers, and what relates its halves."""
    small = (STOP_WORDS | _FREE) - _RELATING - _COUNTING
    words = [(_plain(match.group()), match) for match in _WORD.finditer(text)]
    return [(word, match) for word, match in words if word not in small][:_MOST_WORDS]


def _is_same(word: str, other: str) -> bool:
    return word == other or are_forms(word, other)


def _agent(text: str) -> int | None:
    """Return where 'by' stands that says by whom a thing is done, None where none does."""
    verb = _MADE.search(text) if _PASSIVE.search(text) else None
    by = _BY.search(text, verb.end()) if verb else None
    return by.start() if by else None


def _denial(text: str) -> re.Match[str] | None:
    bounds = [bounds_of(text, figure) for figure in figures(text)]  # 'no more than 40' denies nothing
    for match in _WORD.finditer(text):
        if is_denial(_plain(match.group())) and not any(start <= match.start() < end for start, end in bounds):
            return match
    return _REFUSAL.search(text)


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
    text = "\n".join(source.text for source in sources)
    return [
        MissingPart(
            sentence[figure.start : figure.end].strip(),
            "date" if figure.kind in ("date", "day", "time") else "number",
            figure.start,
            figure.end,
        )
        for figure in own_figures
        if not (is_borne_out(figure, source_figures) or _is_label(sentence, figure, text))
    ]


def _is_label(sentence: str, figure: Figure, source: str) -> bool:
    """Return whether a number stands in a source behind the same word: there 'Press 7' is a name."""
    words = _WORD.findall(sentence[: figure.start])
    if figure.kind != "number" or not words or words[-1].casefold() in STOP_WORDS:
        return False
    number = sentence[figure.start : figure.end].strip()
    return bool(re.search(rf"\b{re.escape(words[-1])}\s{re.escape(number)}\b", source, re.IGNORECASE))


def _named(sentence: str) -> set[tuple[int, int]]:
    """Return the places of the words of names in a sentence."""
    places: set[tuple[int, int]] = set()
    for name in names_in(sentence):
        for match in re.finditer(re.escape(name), sentence):
            places |= {
                (match.start() + word.start(), match.start() + word.end()) for word in _WORD.finditer(match.group())
            }
    # The first word has its capital from its place: 'Although Ekhaug agreed'.
    return {place for place in places if place[0] or _plain(sentence[slice(*place)]) not in _FREE}


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
    return word in words or any(are_forms(word, candidate) for candidate in words)
