"""The words of scans that a person should check, ordered by what an error in them would change, never by page.

A word is in doubt when two engines read it differently, when its engine was unsure, or when it is a figure, which no
neighbour corrects. Quotes of the case go first, then what changes the sense of a sentence: figures, negations, dates,
names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from core.domain import Page, Reading, Words
from core.ports import UNREAD

UNSURE = 0.9  # below this a word is in doubt; on clean pages a word in fourteen is
_AROUND = 90  # characters of the page on either side of a word

_NEGATIONS = frozenset(
    (
        *("no", "not", "never", "none", "nor", "neither", "nobody", "nothing", "nowhere", "without", "cannot"),
        *("denied", "denies", "deny", "failed", "refused", "lacks", "false"),
        *("nicht", "kein", "keine", "keinen", "nie", "niemals", "niemand", "nichts"),
        *("ne", "pas", "jamais", "aucun", "nunca", "jamás", "ningún"),
    )
)
_DATES = frozenset(
    (
        *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october"),
        *("november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    )
)
_ENDS = ".!?:;"
# What makes an error in a word change what its sentence says, the gravest first.
_GRAVE = ("a figure", "a negation", "a date", "a name")


@dataclass(frozen=True, slots=True)
class Doubt:
    """A word to check: the ``word``-th of its page, ``text`` = page text[start:end] as it stands now.

    ``box`` is (x0, y0, x1, y1) in points of the page as shown; ``confidence`` (0..1) and ``alternatives`` are those of
    the engine whose reading made the text; ``other`` is what the other engine read, '' where it agrees or there is
    none, UNREAD where it saw nothing. ``reasons`` say in words why it is here; ``cited`` are the ids of the evidence
    whose quote holds it; ``context`` is what stands before and after it on the page.
    """

    page_id: int
    document: str
    page: int
    word: int
    text: str
    start: int
    end: int
    box: tuple[float, float, float, float]
    confidence: float
    alternatives: tuple[str, ...]
    other: str
    reasons: tuple[str, ...]
    cited: tuple[str, ...]
    context: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Alike:
    """Doubts in which the engines differ in the same way. ``what`` is that difference, 'rn/m'; for words that only one
    engine read it is the word itself."""

    what: str
    doubts: tuple[Doubt, ...]


def doubts(
    page: Page,
    reading: Reading,
    words: Words,
    decided: Collection[int],
    cited: Sequence[tuple[int, int, str]] = (),
) -> list[Doubt]:
    """The words of one page that nobody has decided about yet and that are in doubt, the gravest first.

    ``reading`` is the one that made the text, ``words`` stand for its words, one each, as they are on the page now.
    ``decided`` are places of words, ``cited`` the (start, end, id) of quotes from the page. Raises ValueError when
    words and reading are not of one page.
    """
    if len(words) != len(reading.words):
        raise ValueError(f"page {page.id} has {len(words)} words, its reading has {len(reading.words)}")
    found = []
    began = True
    for place, (word, confidence) in enumerate(zip(words, reading.confidences, strict=True)):
        text = page.text[word.start : word.end]
        starts, began = began, text.rstrip("\"'”’)")[-1:] in _ENDS
        if place in decided or not text:
            continue
        other = reading.others[place] if reading.others else ""
        inside = tuple(identity for start, end, identity in cited if start < word.end and end > word.start)
        reasons = _reasons(text, other, round(confidence, 2), starts)
        if not reasons:
            continue
        found.append(
            Doubt(
                page_id=page.id,
                document=page.document,
                page=page.number,
                word=place,
                text=text,
                start=word.start,
                end=word.end,
                box=(word.x0, word.y0, word.x1, word.y1),
                confidence=round(confidence, 4),
                alternatives=reading.alternatives[place] if reading.alternatives else (),
                other=other,
                reasons=reasons,
                cited=inside,
                context=_context(page.text, word.start, word.end),
            )
        )
    return in_order(found)


def in_order(found: Iterable[Doubt]) -> list[Doubt]:
    """Doubts of any pages, the one whose error would change most first; equal ones by page and word."""
    return sorted(found, key=_order)


def _order(doubt: Doubt) -> tuple[bool, int, int, float, int, int]:
    grave = min((_GRAVE.index(reason) for reason in doubt.reasons if reason in _GRAVE), default=len(_GRAVE))
    unsure = round(doubt.confidence, 2) < UNSURE
    if doubt.other:
        rank = 0
    elif grave < len(_GRAVE) and unsure:
        rank = 1
    elif unsure:
        rank = 2
    else:
        rank = 3  # a figure of which nobody doubts anything but that it is one
    return (not doubt.cited, rank, grave, round(doubt.confidence, 2), doubt.page_id, doubt.word)


def _reasons(text: str, other: str, confidence: float, starts: bool) -> tuple[str, ...]:
    """Why a word is in doubt, in words; none when it is not."""
    said = []
    if other == UNREAD:
        said.append("only one engine saw it")
    elif other:
        said.append("the engines differ")
    # What the other engine read counts as well: "not" is no less a negation when it was read as "hot".
    kinds = {_kind(text, starts), _kind(other, starts)} - {""}
    if confidence < UNSURE:
        said.append(f"{confidence:.0%} sure")
    if not said and "a figure" not in kinds:
        return ()
    said += [kind for kind in _GRAVE if kind in kinds]
    return tuple(said)


def _kind(text: str, starts: bool) -> str:
    bare = re.sub(r"^\W+|\W+$", "", text)
    if not bare or text == UNREAD:
        return ""
    if re.search(r"\d", bare):
        return "a figure"
    folded = bare.casefold()
    if folded in _NEGATIONS or folded.endswith(("n't", "n’t")):
        return "a negation"
    if folded in _DATES and bare[0].isupper():
        return "a date"
    if bare[0].isupper() and len(bare) > 1 and not starts:
        return "a name"
    return ""


def _context(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and after on one line, whole words, with an ellipsis where the page goes on."""
    before = text[max(0, start - _AROUND) : start]
    after = text[end : end + _AROUND]
    if start > _AROUND:
        before = "… " + before.partition(" ")[2]
    if end + _AROUND < len(text):
        after = after.rpartition(" ")[0] + " …"
    return " ".join(before.split()), " ".join(after.split())


def apart(text: str, other: str) -> tuple[int, int, int]:
    """Where two readings of a word part: text[first:end] is other[first:other_end], everything around is the same."""
    shortest = min(len(text), len(other))
    first = next((at for at in range(shortest) if text[at] != other[at]), shortest)
    last = next((at for at in range(shortest - first) if text[-1 - at] != other[-1 - at]), shortest - first)
    return first, len(text) - last, len(other) - last


def difference(text: str, other: str) -> str:
    """In what two readings of a word differ: 'rn/m' for 'modern' and 'modem'. '' where they do not, or one is none."""
    if not other or other == UNREAD or text == other:
        return ""
    first, end, other_end = apart(text, other)
    return f"{text[first:end]}/{other[first:other_end]}"


def alike(found: Iterable[Doubt]) -> list[Alike]:
    """Doubts gathered by what is doubtful in them, in the order of the first of each."""
    groups: dict[tuple[bool, str], list[Doubt]] = {}
    for doubt in found:
        what = difference(doubt.text, doubt.other)
        groups.setdefault((bool(what), what or doubt.text), []).append(doubt)
    return [Alike(what, tuple(group)) for (_, what), group in groups.items()]
