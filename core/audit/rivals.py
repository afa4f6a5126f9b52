"""Figures and days of a sentence beside others of their kind in its nearest source. Pure, and for English.

A source with two days or two amounts says each of another thing: of 'dated 5 June but received on 12 June', neither
'received on 5 June' nor 'dated 12 June' holds, though all words are there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.english import MONTHS, WEEKDAYS
from core.language.figures import Figure, agree, figures
from core.language.word_forms import are_forms
from core.search.ranking import STOP_WORDS
from core.text import BARE_WORD

_WEEKDAY = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})\b")
_MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b")
_BREAK = re.compile(r"[.;:!?,()]")
_DEGREE = re.compile(r"\b(?:more|most|less|fewer|least|fewest)\b(?!\sthan\s[\d$€£])", re.IGNORECASE)
_CLAUSE = re.compile(rf"{_BREAK.pattern}|\b(?:and|but)\b")
_PARTICLES = ("out", "up", "down", "off")  # of a verb: 'under control by five and out at seven'
_FAR = 1_000  # what a comma between two items adds to the characters between them


@dataclass(frozen=True, slots=True)
class _Item:
    figure: Figure
    kind: str
    governor: str  # the content word before it in the same clause, '' for none


def other_item(sentence: str, source: str) -> tuple[int, int] | None:
    """Return the span of a figure or day that the source has of something else than the sentence; else None."""
    claim, counterpart = _items(sentence), _items(source)
    for item in claim:
        same = [other for other in counterpart if _is_same(item, other)]
        rivals = [other for other in counterpart if other.kind == item.kind and not _is_same(item, other)]
        if not same or not rivals:
            continue
        is_of_rival = any(_is_form(item.governor, rival.governor) for rival in rivals)
        if is_of_rival and not any(_is_form(item.governor, other.governor) for other in same):
            return item.figure.start, item.figure.end
        if all(_is_of(sentence, source, rivals, other) for other in same):
            return item.figure.start, item.figure.end
        for partner in claim:
            partners = [other for other in counterpart if other.kind == partner.kind]
            if partner.kind == item.kind or not any(_is_same(partner, other) for other in partners):
                continue
            of_kind = [other for other in counterpart if other.kind == item.kind]
            if not any(_is_same(partner, _partner(source, place, of_kind, partners)) for place in same):
                return item.figure.start, item.figure.end
    return None


def _is_of(sentence: str, source: str, rivals: Sequence[_Item], item: _Item) -> bool:
    """Return whether what follows an item that begins a statement is not in the sentence, but what follows a rival."""
    words, own_words = _content(sentence), _following(source, item, rivals)
    if item.governor or not own_words or any(_is_form(word, other) for word in words for other in own_words):
        return False
    return any(
        _is_form(word, other)
        for rival in rivals
        if not rival.governor
        for other in _following(source, rival, [*rivals, item])
        for word in words
    )


def _following(text: str, item: _Item, others: Sequence[_Item]) -> list[str]:
    """Return the content words from an item to the next one of its kind."""
    end = min((other.figure.start for other in others if other.figure.start >= item.figure.end), default=len(text))
    return [word for word in _content(text[item.figure.end : end]) if not word[0].isdigit()]


def _partner(text: str, item: _Item, of_kind: Sequence[_Item], partners: Sequence[_Item]) -> _Item:
    """Return the item of another kind that belongs to one: the same in order of as many, or else the nearest."""
    if len(of_kind) == len(partners):
        return partners[of_kind.index(item)]
    return min(partners, key=lambda other: _distance(text, item, other))


def _items(text: str) -> list[_Item]:
    spans = [(figure, "day" if figure.kind == "date" else figure.kind) for figure in figures(text)]
    for match in _WEEKDAY.finditer(text):
        spans.append((_named(match, WEEKDAYS.index(match.group()), "weekday"), "weekday"))
    for match in _MONTH.finditer(text):
        if not any(figure.start <= match.start() < figure.end for figure, _ in spans):
            spans.append((_named(match, MONTHS.index(match.group()), "month"), "month"))
    for match in _DEGREE.finditer(text):
        spans.append((_named(match, int(match.group().casefold() in ("more", "most")), "degree"), "degree"))
    spans.sort(key=lambda span: span[0].start)
    plain = text
    for figure, _ in spans:
        plain = plain[: figure.start] + " " * (figure.end - figure.start) + plain[figure.end :]
    result: list[_Item] = []
    for figure, kind in spans:
        previous = next((item for item in reversed(result) if item.kind == kind), None)
        between = _content(plain[previous.figure.end : figure.start]) if previous is not None else []
        if previous is not None and all(word == previous.figure.unit for word in between):
            result.append(_Item(figure, kind, previous.governor))  # 'from 40 to 60', '31 degrees on Monday and 27'
        else:
            result.append(_Item(figure, kind, _governor(plain[: figure.start])))
    return result


def _named(match: re.Match[str], number: int, kind: str) -> Figure:
    return Figure(match.start(), match.end(), match.group(), number, number, kind)


def _governor(lead: str) -> str:
    """Return the last content word of what precedes an item in its clause, '' for none."""
    return next(iter(_content(_CLAUSE.split(lead)[-1])[::-1]), "")


def _content(text: str) -> list[str]:
    words = (match.group().casefold() for match in BARE_WORD.finditer(text))
    return [word for word in words if word not in STOP_WORDS or word in _PARTICLES]


def _is_same(item: _Item, other: _Item) -> bool:
    return item.kind == other.kind and agree(item.figure, other.figure)


def _is_form(word: str, candidate: str) -> bool:
    return bool(word) and (word == candidate or are_forms(word, candidate))


def _distance(text: str, item: _Item, other: _Item) -> int:
    left, right = sorted((item.figure, other.figure), key=lambda figure: figure.start)
    between = text[left.end : right.start]
    return len(between) + _FAR * len(_BREAK.findall(between))
