"""Figures and days of a sentence beside others of their kind in its nearest source. Pure, and for English.

A source with two days or two amounts says each of another thing: of 'dated 5 June but received on 12 June', neither
'received on 5 June' nor 'dated 12 June' holds, though all words are there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.english import WEEKDAYS
from core.language.figures import Figure, agree, figures
from core.language.word_forms import are_forms
from core.search.ranking import STOP_WORDS
from core.text import BARE_WORD

_WEEKDAY = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})\b")
_BREAK = re.compile(r"[.;:!?,()]")
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
        for partner in claim:
            partners = [other for other in counterpart if other.kind == partner.kind]
            if partner.kind == item.kind or not any(_is_same(partner, other) for other in partners):
                continue
            of_kind = [other for other in counterpart if other.kind == item.kind]
            if not any(_is_same(partner, _partner(source, place, of_kind, partners)) for place in same):
                return item.figure.start, item.figure.end
    return None


def _partner(text: str, item: _Item, of_kind: Sequence[_Item], partners: Sequence[_Item]) -> _Item:
    """Return the item of another kind that belongs to one: the same in order of as many, or else the nearest."""
    if len(of_kind) == len(partners):
        return partners[of_kind.index(item)]
    return min(partners, key=lambda other: _distance(text, item, other))


def _items(text: str) -> list[_Item]:
    spans = [(figure, "day" if figure.kind == "date" else figure.kind) for figure in figures(text)]
    for match in _WEEKDAY.finditer(text):
        number = float(WEEKDAYS.index(match.group()))
        spans.append((Figure(match.start(), match.end(), match.group(), number, number, "weekday"), "weekday"))
    spans.sort(key=lambda span: span[0].start)
    plain = text
    for figure, _ in spans:
        plain = plain[: figure.start] + " " * (figure.end - figure.start) + plain[figure.end :]
    result: list[_Item] = []
    for figure, kind in spans:
        before = next((item for item in reversed(result) if item.kind == kind), None)
        between = _content(plain[before.figure.end : figure.start]) if before is not None else []
        if before is not None and all(word == before.figure.unit for word in between):
            result.append(_Item(figure, kind, before.governor))  # 'from 40 to 60', '31 degrees on Monday and 27'
        else:
            result.append(_Item(figure, kind, _governor(plain[: figure.start])))
    return result


def _governor(lead: str) -> str:
    """Return the last content word of what precedes an item in its clause, '' for none."""
    return next(iter(_content(_BREAK.split(lead)[-1])[::-1]), "")


def _content(text: str) -> list[str]:
    words = (match.group().casefold() for match in BARE_WORD.finditer(text))
    return [word for word in words if word not in STOP_WORDS]


def _is_same(item: _Item, other: _Item) -> bool:
    return item.kind == other.kind and agree(item.figure, other.figure)


def _is_form(word: str, candidate: str) -> bool:
    return bool(word) and (word == candidate or are_forms(word, candidate))


def _distance(text: str, item: _Item, other: _Item) -> int:
    left, right = sorted((item.figure, other.figure), key=lambda figure: figure.start)
    between = text[left.end : right.start]
    return len(between) + _FAR * len(_BREAK.findall(between))
