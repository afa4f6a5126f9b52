"""Definitions in running text: abbreviations, roles of persons, and terms that a text says the meaning of.

"X is a Y" is not among the patterns: Navigli and Velardi 2010 found it mostly noise. Abbreviations are found as
Schwartz and Hearst 2003 do it, with two capitals asked for in the short form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.domain import Span
from core.english import MONTHS, WEEKDAYS
from core.text import sentences

Kind = Literal["abbreviation", "role", "meaning"]
KINDS: dict[Kind, str] = {"abbreviation": "what it stands for", "role": "who this is", "meaning": "what is meant by it"}
LONGEST_SENTENCE = 600  # characters; longer ones are tables and lists
_MOST_WORDS = 12  # of a role or a long form

_BRACKETS = re.compile(r"\(([^()\n]{2,80})\)")
_BEGINS_NO_NAME = re.compile(r"(?:for|of|the|a|an|in|on|and|or|to|by|with|from)\b", re.IGNORECASE)
_SHORT = re.compile(r"[A-Za-z][A-Za-z0-9&./-]{1,9}")
_WORD = re.compile(r"[\w’'-]+")
_NAME = r"(?:[A-Z][\w’'-]+(?:\s+(?:de|van|von|der|bin|al|[A-Z]\.|[A-Z][\w’'-]*)){1,3})"
_ROLE = re.compile(
    rf"(?P<name>{_NAME}),\s+(?P<role>(?:an?|the)\s+[a-z][^,;:.()\n“”\"]{{3,90}})(?=[,;.]|\s+(?:said|says|told)\b)"
)
_NO_NAME = re.compile(
    r"^(?:The|A|An|In|On|At|So|Now|Then|Still|Even|Like|Not|Yet|Also|Mr|Mrs|Ms|Dr|But|And|For|After|Before|When|While|If|"
    rf"As|By|From|With|Since|Although|{'|'.join((*WEEKDAYS, *MONTHS))})\b|\b(?:Mr|Mrs|Ms)\."
)
_CUT = re.compile(r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Gov|Sen|Rep|St|Jr|No)$")  # at the stop of an abbreviation
# The noun that a role is: most words for persons end so, and few others do.
_HEAD_ENDS = re.compile(r"\s(?:of|for|with|at|in|on|who|whom|whose|that|which|to|from|by|and|under|working)\s")
_PERSON = re.compile(
    r"\w*(?:man|men|woman|person|or|er|ist|ian|eer|ee|chief|head|judge|president|pilot|lawyer|nurse|attorney|deputy|"
    r"clerk|aide|analyst|mayor|coach|expert|guard|witness|daughter|wife|husband|sister|captain|sheriff|general|"
    r"sergeant|colonel|graduate|student|resident|agent|assistant|consultant|accountant|correspondent|superintendent|"
    r"lieutenant|patient|client|spokesperson|star|host|saint|priest|monk|king|boss|champion|veteran|official|son)s?"
)
_NO_PERSON = frozenset((
    "number", "paper", "newspaper", "center", "power", "letter", "order", "matter", "error", "floor", "factor",
    "sector", "quarter", "chapter", "offer", "tower", "river", "water", "computer", "corner", "winter", "summer",
    "september", "other", "another", "former", "latter", "door", "minor", "major", "committee", "year", "color",
    "labor", "harbor", "career", "layer", "shelter", "disaster", "theater", "meter", "filter", "cluster",
))  # fmt: skip
_SAID = r"(?:means|shall mean|is defined as|are defined as|refers to|shall be taken to mean)"
_MEANING = re.compile(rf"[“\"](?P<term>[^“”\"\n]{{2,60}})[”\"]\s+(?:here\s+)?{_SAID}\s+(?P<what>[^;\n]{{8,300}})")
_CALLED = re.compile(
    r"(?P<what>[A-Z][^()“”\"\n]{8,120}?)\s+"
    r"\((?:the\s+|hereinafter\s+(?:the\s+)?)[“\"](?P<term>[^“”\"\n]{2,60})[”\"]\)"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A term with its meaning, both spans of the text, in the ``sentence`` that says so."""

    kind: Kind
    term: Span
    meaning: Span
    sentence: Span


def definitions(text: str) -> list[Definition]:
    """Find the definitions of a text, by place."""
    results: list[Definition] = []
    for sentence in sentences(text):
        if sentence.end - sentence.start > LONGEST_SENTENCE:
            continue
        line = text[sentence.start : sentence.end]
        for kind, term, meaning in (*_abbreviations(line), *_roles(line), *_meanings(line)):
            results.append(Definition(kind, _moved(term, sentence.start), _moved(meaning, sentence.start), sentence))
    return sorted(results, key=lambda definition: (definition.term.start, definition.meaning.start, definition.kind))


def _abbreviations(line: str) -> Iterator[tuple[Kind, Span, Span]]:
    """Yield 'long form (SF)' and 'SF (long form)'."""
    for match in _BRACKETS.finditer(line):
        inside = match[1].strip()
        start = match.start(1) + match[1].index(inside)
        preceding = line[: match.start()].rstrip(" \t\"'”’“‘")
        if _is_short(inside):
            long = _long_form(inside, preceding)
            if long is not None:
                yield "abbreviation", Span(start, start + len(inside)), long
            continue
        word = re.search(r"[A-Za-z][A-Za-z0-9&./-]{1,9}$", preceding)
        if word is not None and _is_short(word[0]) and " " in inside:
            long = _long_form(word[0], inside)
            if long is not None and long.start == 0:
                yield "abbreviation", Span(*word.span()), Span(start, start + len(inside))


def _is_short(text: str) -> bool:
    """Return whether a text can be an abbreviation: one word with at least two capitals."""
    return bool(_SHORT.fullmatch(text)) and sum(c.isupper() for c in text) >= 2


def _long_form(short: str, preceding: str) -> Span | None:
    """Return the words at the end of ``preceding`` whose letters give the short form; the first begins a word."""
    words = list(_WORD.finditer(preceding))
    least = max(0, len(words) - min(len(short) + 5, len(short) * 2))
    letters = [c for c in short.casefold() if c.isalnum()]
    letter, place = len(letters) - 1, len(preceding) - 1
    start = words[least].start() if words else 0
    while letter >= 0:
        while place >= start and not (
            preceding[place].casefold() == letters[letter]
            and (letter > 0 or place == 0 or not (preceding[place - 1].isalnum() or preceding[place - 1] in "-’'"))
        ):
            place -= 1
        if place < start:
            return None
        letter, place = letter - 1, place - 1
    begin = place + 1
    long = preceding[begin:]
    few = 2 <= len(re.findall(r"[^\s-]+", long)) <= min(len(letters) + 5, _MOST_WORDS)
    is_name = few and len(long) > len(short) and not set(",()") & set(long) and not _BEGINS_NO_NAME.match(long)
    if not is_name or short.casefold() in long.casefold().split():
        return None
    return Span(begin, len(preceding))


def _roles(line: str) -> Iterator[tuple[Kind, Span, Span]]:
    """Yield 'Name, a role,'."""
    for match in _ROLE.finditer(line):
        name, role = match["name"], match["role"].rstrip()
        head = _HEAD_ENDS.split(role)[0].split()[-1].casefold()
        is_person = bool(_PERSON.fullmatch(head)) and head not in _NO_PERSON
        if not is_person or _NO_NAME.search(name) or len(role.split()) > _MOST_WORDS or _CUT.search(role):
            continue
        start = match.start("role")
        yield "role", Span(*match.span("name")), Span(start, start + len(role))


def _meanings(line: str) -> Iterator[tuple[Kind, Span, Span]]:
    """Yield '“Term” means ...' and '... (the “Term”)'."""
    for match in _MEANING.finditer(line):
        end = match.start("what") + len(match["what"].rstrip(" .,"))
        yield "meaning", Span(*match.span("term")), Span(match.start("what"), end)
    for match in _CALLED.finditer(line):
        yield "meaning", Span(*match.span("term")), Span(*match.span("what"))


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
