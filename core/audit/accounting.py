"""Accounting for a sentence: the words, names, figures, days and times that none of its sources has. Pure.

A sentence is supported only if each of its parts is in a source, whether or not a rule objects. A word counts in any of
its forms ('reject', 'rejected'); a figure, if the source's figure lies within it; a name, in the sentence itself, in a
neighbour of a sentence with 'he' or 'they', or as the author of a document that says 'I'. Conjunctions and verbs of
saying need no source.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from core.answers.question import names_in
from core.audit import alignment
from core.audit.bounds import other_bound
from core.audit.claims import has_verb
from core.audit.denial_scope import other_scope
from core.audit.rivals import other_item
from core.audit.rules import coverage
from core.english import FIRST_PERSON, NUMBERS
from core.language.denial import is_denial
from core.language.figures import Figure, bounds_of, figures, is_borne_out
from core.language.lexicon import words_of
from core.language.word_forms import are_forms
from core.search.ranking import STOP_WORDS
from core.text import BARE_WORD, CELL_BORDER, row_cells

_PRONOUN = re.compile(r"\b(?:he|she|they|him|her|them|his|their|who)\b", re.IGNORECASE)
_FREE = words_of("en", "joining")  # words of saying and of joining, which need no source of their own
# Function words that reverse or quantify a statement: they need a source like content words.
_TURNING = words_of("en", "turning")
_REPORTING = words_of("en", "saying") | {"according"}
_RESERVING = (
    (words_of("en", "reservation") | words_of("en", "qualifying") | words_of("en", "opinion"))
    - _REPORTING
    - words_of("en", "exception")
)
_EXCEPTING = words_of("en", "exception")
_CONDITIONS = words_of("en", "condition")
_CAUSES = words_of("en", "cause")
_BECAUSE = frozenset(("because", "consequently", "hence", "therefore", "thus"))  # those that are nothing else
_JOINT = re.compile(r"(?:;|,?\s(?:and|but|while|whereas))\s(?=(?:[A-Z]|the\s|an?\s|both\s|all\s|no\s))")
_OTHERS = re.compile(
    r"(?:those|the\s(?:ones?|others?|rest|former|latter))\s", re.IGNORECASE
)  # of whom the rest is not said
# Where one statement ends and another begins within a sentence, and between the lines of a list or a log.
_PARTING = re.compile(
    r";\s|,\s(?:but|while|whereas|and)\s|\s(?:while|whereas)\s|\n(?=\s*(?:\d|[-*•]\s))"
    rf"|,\s(?={_OTHERS.pattern})"
)
_FIRST_PERSON = re.compile(
    r"(?P<quoted>[“\"][^”\"]*[”\"])|\b(?P<word>I|[Mm]e|[Mm]y|[Mm]yself)\b(?:['’](?P<short>m|ve|d|ll)\b)?"
)
_FIRST_NAME = re.compile(r"^\W*([A-Z][\w’'-]+)")
_HAS = re.compile(r"\b(?:have|has|had)\s(?:the|an?|no|any|some|his|her|its|their|all|both)\b", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|was|were)\s(?:the|an?)\b", re.IGNORECASE)
_HAVING = re.compile(r"\b(?:have|has|had|having|with|without|of|owns?|owned|holds?|held)\b|['’]s\b", re.IGNORECASE)
_BEING = re.compile(r"\b(?:is|are|was|were|be|been|being|am|as|became|becomes?)\b|[,(:]", re.IGNORECASE)
_FIRST_FORMS = {"my": "'s", "m": " am", "ve": " have", "d": " had", "ll": " will"}
_DEMONSTRATIVE = re.compile(r"\b(?:it|its|itself|this|these|those|there|then)\b", re.IGNORECASE)
_REFUSING = words_of("en", "refusal")
_TITLES = words_of("en", "title")
# 'failed to lock', 'denied that', 'it is false that': they negate the rest.
_REFUSAL = re.compile(
    rf"\b(?:{'|'.join(sorted(_REFUSING))})\s+to\b|\bden(?:y|ies|ied|ying)\b|\b(?:false|untrue|incorrect|wrong)\s+that\b",
    re.IGNORECASE,
)
_DENIED_DENIAL = re.compile(
    rf"\b(?:not|never|\w+n['’]t)\s(?:\w+\s)?(?:den(?:y|ied|ies)|{'|'.join(sorted(_REFUSING))}|reject\w*|dispute\w*)\b",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(r"\b(?:all|every\w*|each|no\w*|any\w*)\b(?:\s\w+){0,3}\sbut\s(?!also\b)", re.IGNORECASE)
# Conjunctions whose halves cannot be exchanged without a change of meaning.
_RELATING = frozenset(("after", "because", "before", "than", "unless", "until", "when", "while"))
_LEADING = frozenset(("before", "until", "lest", "instead", "without", "had"))  # what follows need not have been
_COUNTING = frozenset(NUMBERS) | {"first", "second", "third", "last"}
_NEAR, _REACH = 6, 9  # content words between the first and the last of three in a sentence, and in a source
_PLACES = 6  # of a word in a source
_MOST = 0.5  # share of the words of a sentence that a source itself has if others are of the sentence before it
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
_RATE = re.compile(
    r"\b(?:an?|per|each|every)\s(?:second|minute|hour|day|night|week|month|year|head|person)\b", re.IGNORECASE
)
_PERCENT = re.compile(r"\d\s?(?:%|percent\b|per cent\b)", re.IGNORECASE)
_SAYING = "|".join(sorted(words_of("en", "saying") - {"put it", "puts it"}, key=lambda verb: (-len(verb), verb)))
_WHO = r"(?:[A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+)*|[Tt]he\s[a-z]\w+)"
# 'Aske said', 'the guard, Mr Aske, told me', 'said Aske', 'according to Aske': who says it
_SPEAKER = re.compile(
    rf"\b(?P<left>{_WHO})(?:,\s[^,;.]{{1,60}},)?\s(?:\w+ly\s|also\s|later\s)?(?:has\s|had\s)?(?:{_SAYING})\b"
    rf"|\b(?:{_SAYING}|[Aa]ccording\sto)\s(?!that\b)(?P<right>{_WHO})"
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
    words = {word for source in sources for word in _plain_words(_own_text(source, sentence))}
    words |= {name for source in sources for sign, names in _SIGNS.items() if sign in source.text for name in names}
    covered = [bounds_of(sentence, figure) for figure in claim_figures]
    nearest = _nearest(sentence, sources)
    is_table = nearest is not None and is_row(nearest.text)
    wrong_speaker = [] if is_table else _wrong_speaker(sentence, sources)
    if nearest is not None and not (is_table or wrong_speaker):  # who says it may be the author
        covered += [match.span("left" if match["left"] else "right") for match, _ in _speakers(sentence)]
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
    if is_table:
        parts += [part for source in sources if is_row(source.text) for part in _other_cell(sentence, source.text)]
    else:
        parts += _small_verb(sentence, sources)
        parts += _order(sentence, sources) or _swapped_words(sentence, sources) or wrong_speaker
    parts += _reservation(sentence, sources)
    parts += _cause(sentence, sources)
    parts += _exception(sentence, sources)
    parts += _bound(sentence, sources)
    parts += _signs(sentence, sources)
    parts = parts or _bonds(sentence, sources)
    return sorted(parts, key=lambda part: (part.start, part.end))


def least_missing(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """List the parts of a sentence that its sources lack where each of its statements has to be in one of them.

    Of two sources, each with some of its words, neither says what it says. A row of a table counts by itself, or with
    the rows whose first cells the sentence names. Sentences joined by 'and' may have a source each.
    """
    sources = [_in_third_person(source, sentence) for source in sources]
    borders = [match.span() for match in _JOINT.finditer(sentence)]
    whole = _of_one_source(sentence, sources)
    starts, ends = [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(sentence)]
    if not whole or not all(has_verb(sentence[start:end]) for start, end in zip(starts, ends, strict=True)):
        return whole
    parts = [
        replace(part, start=part.start + start, end=part.end + start if part.end else 0)
        for start, end in zip(starts, ends, strict=True)
        for part in _of_one_source(sentence[start:end], sources)
    ]
    return min(whole, parts, key=len)


def _of_one_source(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    if not _PARTING.search(sentence):
        sources = [
            replace(source, text=text, context=text if _OTHERS.match(text) else source.context)
            for source in sources
            for text in _statements(source.text)
        ]
    texts = [source.text for source in sources]
    choices: set[tuple[int, ...]] = {(index,) for index in range(len(texts))}
    choices |= {tuple(index for index in choice if is_row(texts[index])) for choice in source_choices(sentence, texts)}
    lists = (missing_parts(sentence, [sources[index] for index in choice]) for choice in sorted(choices) if choice)
    return min(lists, key=len, default=missing_parts(sentence, []))


def _small_verb(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return 'had' or 'was' before a noun if the nearest source says neither: it tells of another act."""
    source = _nearest(sentence, sources)
    for verb, counterpart in ((_HAS, _HAVING), (_IS, _BEING)):
        match = verb.search(sentence)
        if match and source is not None and not counterpart.search(source.text):
            return [MissingPart(match.group(), "word", *match.span())]
    return []


def _in_third_person(source: SourceText, sentence: str) -> SourceText:
    """Return a source with its author's name, as the sentence has it, for 'I', 'me' and 'my': who did it to whom."""
    author = _plain_words(re.sub(r"<[^>]*>", "", source.author))
    names = [
        name
        for name in (*names_in(sentence), *_FIRST_NAME.findall(sentence))
        if (words := _plain_words(name) - _TITLES) and words <= author
    ]
    if not names or not _FIRST_PERSON.search(source.text):
        return source

    def named(match: re.Match[str]) -> str:
        if match["quoted"]:
            return match.group()
        return f"{names[0]}{_FIRST_FORMS.get((match['short'] or match['word']).casefold(), '')}"

    text, context = _FIRST_PERSON.sub(named, source.text), _FIRST_PERSON.sub(named, source.context)
    return replace(source, text=text, context=context)


def _statements(text: str) -> list[str]:
    """Cut a sentence of a source at what joins statements, and a list at its lines: what one says is not of another."""
    return [text] if is_row(text) else [part for part in _PARTING.split(text) if BARE_WORD.search(part)]


def _own_text(source: SourceText, sentence: str) -> str:
    """Return the text of a source, after what it refers to in what precedes, and of a row with the title above it."""
    if is_row(source.text):
        return f"{source.text} {source.about}"
    refers = _PRONOUN.search(source.text) or _DEMONSTRATIVE.search(source.text)
    # What precedes says who 'he' is and what 'it' is; it does not say the rest.
    return f"{_preceding(source)} {source.text}" if refers and coverage(sentence, source.text) >= _MOST else source.text


def _preceding(source: SourceText) -> str:
    return source.context.partition(source.text)[0] if source.text and source.text in source.context else ""


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
    named_rows = tuple(index for index in rows if _is_named(texts[index], sentence))
    return [(*prose, *named_rows), *((*prose, index) for index in rows if (index,) != named_rows)]


def _is_named(row: str, sentence: str) -> bool:
    """Return whether a sentence has the words of the first cell of a row."""
    words = _plain_words(row.partition(CELL_BORDER)[0])
    return bool(words) and words <= _plain_words(sentence)


def _nearest(sentence: str, sources: Sequence[SourceText]) -> SourceText | None:
    """Return the source whose own words hold most of a sentence's; the first of equals."""
    words = _plain_words(sentence) - STOP_WORDS
    return max(sources, key=lambda source: len(words & _plain_words(source.text)), default=None)


def _denials(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return the denial that either the sentence or its nearest source has and the other lacks."""
    source = _nearest(sentence, sources)
    claim, counterpart = _denial(sentence), _denial(source.text) if source is not None else None
    if bool(claim) == bool(counterpart):
        if source is not None and claim and (span := other_scope(sentence, source.text)) is not None:
            return [MissingPart(sentence[slice(*span)], "scope", *span)]
        twice = [bool(_DENIED_DENIAL.search(text)) for text in (sentence, source.text if source is not None else "")]
        if twice[0] == twice[1]:
            return []
    match = claim or counterpart
    assert match is not None
    return [MissingPart(match.group(), "denial", *(claim.span() if claim else (0, 0)))]


def _reservation(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return a condition, a doubt or a speaker of the nearest source that a sentence leaves out: an empty span."""
    source = _nearest(sentence, sources)
    if source is None:
        return []
    claim_words = _plain_words(sentence)
    words = [_plain(match.group()) for match in BARE_WORD.finditer(source.text) if match.group() != "May"]
    if words and words[0] in _LEADING and words[0] not in claim_words:
        return [MissingPart(words[0], "reservation", 0, 0)]
    for kind in (_CONDITIONS, _RESERVING, _REPORTING):
        if not kind & claim_words:
            lost = next((word for word in words if word in kind), "")
            if lost:
                return [MissingPart(lost, "reservation", 0, 0)]
    return []


def _cause(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return a word of cause if the nearest source tells of none."""
    source = _nearest(sentence, sources)
    match = next((match for match in BARE_WORD.finditer(sentence) if _plain(match.group()) in _BECAUSE), None)
    if match is None or source is None or _CAUSES & _plain_words(source.text):
        return []
    return [MissingPart(match.group(), "word", *match.span())]


def _exception(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return an exception or an approximation of the nearest source that a sentence leaves out."""
    source = _nearest(sentence, sources)
    if source is None or _exception_in(sentence):
        return []
    word = _exception_in(source.text)
    return [MissingPart(word, "reservation", 0, 0)] if word else []


def _bound(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return the bound of a share, a day or a time that a sentence and its nearest source do not have in common."""
    source = _nearest(sentence, sources)
    words = other_bound(sentence, source.text) if source is not None else ""
    return [MissingPart(words, "reservation", 0, 0)] if words else []


def _exception_in(text: str) -> str:
    bounds = [bounds_of(text, figure) for figure in figures(text)]  # 'nearly 50' is a number
    for match in BARE_WORD.finditer(text):
        if _plain(match.group()) in _EXCEPTING and not any(start <= match.start() < end for start, end in bounds):
            return match.group()
    return "but" if _ALL_BUT.search(text) else ""


def _bonds(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return the words that the nearest source has in another role, or of something else."""
    source = _nearest(sentence, sources)
    if source is None or is_row(source.text):
        return []
    if (span := other_item(sentence, source.text)) is not None:
        return [MissingPart(sentence[slice(*span)].strip(), "order", *span)]
    return [
        MissingPart(
            bond.words or sentence[bond.start : bond.end], "order" if bond.end else "reservation", bond.start, bond.end
        )
        for bond in alignment.bonds(sentence, source.text)
    ]


def _signs(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return the signs of money that no source has, in itself or as a word, and per cent for percentage points."""
    source_words = " ".join(f"{source.text} {source.context}" for source in sources).casefold()
    parts = [
        MissingPart(sign, "number", offset, offset + 1)
        for offset, sign in enumerate(sentence)
        if sign in _SIGNS and not any(name in source_words for name in (sign, *_SIGNS[sign]))
    ]
    source = _nearest(sentence, sources)
    rate = _RATE.search(source.text) if source is not None and not is_row(source.text) else None
    if rate is not None and any(map(str.isdigit, sentence)) and not _RATE.search(sentence):
        parts.append(MissingPart(rate.group(), "reservation", 0, 0))
    if source is not None and bool(_POINTS.search(sentence)) != bool(_POINTS.search(source.text)):
        match = _POINTS.search(sentence) or _PERCENT.search(sentence)
        if match is not None:
            parts.append(MissingPart(match.group(), "number", *match.span()))
    return parts


def is_turned(sentence: str, texts: Sequence[str]) -> bool:
    """Return whether the nearest of some texts says most of a sentence, but under a condition, a bound or a denial.

    A reader that takes the sentence for borne out may have passed over it.
    """
    nearest = max(texts, key=lambda text: coverage(sentence, text), default="")
    if not nearest or is_row(nearest) or coverage(sentence, nearest) < _MOST:
        return False
    is_conditional = bool(_CONDITIONS & _plain_words(nearest)) and not _CONDITIONS & _plain_words(sentence)
    return (
        is_conditional
        or bool(other_bound(sentence, nearest))
        or other_scope(sentence, nearest) is not None
        or other_item(sentence, nearest) is not None
    )


def _other_cell(sentence: str, row: str) -> list[MissingPart]:
    """Return a word of the sentence that heads a column of a row, if the sentence has the figure of another column."""
    claim_figures, words = figures(sentence), _plain_words(sentence) - STOP_WORDS
    cells = row_cells(row)
    named = [cell for cell in cells if any(_has_form(word, words) for word in _plain_words(cell.heading) - STOP_WORDS)]
    named_values = [figures(row[cell.start : cell.end]) for cell in named]
    numbers = [figure for figure in claim_figures if figure.kind in ("number", "percent")]
    elsewhere = [
        figure for cell in cells if cell not in named and cell.heading for figure in figures(row[cell.start : cell.end])
    ]
    for figure in numbers:
        is_named = any(is_borne_out(figure, values) for values in named_values)
        if not is_named and any(named_values) and is_borne_out(figure, elsewhere):
            return [MissingPart(sentence[figure.start : figure.end].strip(), "order", figure.start, figure.end)]
    return []


def _wrong_speaker(sentence: str, sources: Sequence[SourceText]) -> list[MissingPart]:
    """Return the speaker of a sentence if the nearest source is not shown to be his words.

    He says it there, or writes it as its author, or is the one before whom 'he' or 'she' stands for.
    """
    source = _nearest(sentence, sources)
    if source is None:
        return []
    speakers = [_plain_words(name) for _, name in _speakers(source.text)]
    count = sum(1 for _ in _speakers(sentence))
    for match, name in _speakers(sentence):
        words = _plain_words(name) - _TITLES - STOP_WORDS - _FREE
        is_direct = len(speakers) <= count or speakers[-1] & _plain_words(sentence)
        is_speaker = bool(is_direct) and any(words & names for names in speakers)
        is_author = not speakers and _has_any(words, f"{source.author} {source.about}")
        is_before = bool(_PRONOUN.search(source.text)) and _has_any(words, _preceding(source))
        is_label = bool(re.match(rf"\W*(?:\w+\s)?(?:{'|'.join(map(re.escape, words))})\s?:", source.text.casefold()))
        if words and not (is_speaker or is_author or is_before or is_label or is_row(source.text)):
            return [MissingPart(name, "order", *match.span())]
    return []


def _speakers(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield who a text says that said something."""
    for match in _SPEAKER.finditer(text):
        yield match, match["left"] or match["right"]


def _has_any(words: frozenset[str], text: str) -> bool:
    return bool(words & _plain_words(text))


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
    own_figures = [(source.text, figure) for source in sources for figure in figures(source.text)]
    # A day may be at the head of what follows; a number or a time is that of its sentence.
    own_figures += [
        ("", figure)
        for source in sources
        for figure in figures(f"{_preceding(source)}\n{source.about}")
        if figure.kind in ("date", "day")
    ]
    source_figures = [figure for _, figure in own_figures]
    # A bound holds of figures of many rows: those of a row that the sentence does not name are of something else.
    of_bounds = [figure for row, figure in own_figures if not is_row(row) or _is_named(row, sentence)]
    text = "\n".join(source.text for source in sources)
    return [
        MissingPart(
            sentence[figure.start : figure.end].strip(),
            "date" if figure.kind in ("date", "day", "time") else "number",
            figure.start,
            figure.end,
        )
        for figure in claim_figures
        if not (
            is_borne_out(figure, of_bounds if _is_open(figure) else source_figures) or _is_label(sentence, figure, text)
        )
    ]


def _is_open(figure: Figure) -> bool:
    """Return whether a figure is a bound, 'at most 40', rather than a number or about one."""
    return math.isinf(figure.high) or figure.low <= 0 < figure.high


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
    if _PRONOUN.search(source.text) and _has_form(word, _plain_words(_preceding(source))):
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
