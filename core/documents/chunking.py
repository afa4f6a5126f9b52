"""Passages of a page that are worth searching and judging on their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.domain import PageText, Span
from core.language import row_headings
from core.text import sentences

SIZE = 600  # characters a passage aims at
# The embedder reads 256 tokens: about 900 characters of English, about 250 of a script it has no words for, about 100
# of Korean, whose syllables it takes apart, and about 450 of addresses, numbers and codes.
ROOM = 900
_FOREIGN_COST = 3.5
_HANGUL_COST = 8.5
_CODE_COST = 2.0
_SHORTEST = 5  # a rest below a fifth of the size joins the passage before it
_HEADING = 100  # characters: a line that long without a full stop is a heading if something follows it

_FOREIGN = re.compile(r"[^\x00-\u024f\u2000-\u206f]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_CODE = re.compile(r"[^\s\u0250-\U0010ffff]{30,}")
_MEANS = re.compile(r"[^\W_]")
_CLOSED = re.compile(r"[.!?…;,。！？؟]['\"”’»)\]]*$")


def split(page: PageText, *, size: int = SIZE) -> list[Span]:
    """Cut ``page`` into passages in order, about ``size`` characters each, without overlap.

    A passage ends at a sentence end and never holds hidden text. A sentence too long for the embedder is cut at a word.
    A heading goes with what follows it. Rows of tables are measured as they are read. Stretches without a letter or
    digit are left out.
    """
    room = max(ROOM, size)
    spans: list[Span] = []
    for start, end in _visible(page):
        reading = row_headings.read(page.text, start, end, page.tables)
        groups = _group(reading.text, size, room)
        spans.extend(span for group in groups if (span := reading.span(group.start, group.end)) is not None)
    return [span for span in spans if _MEANS.search(page.text, span.start, span.end)]


def _visible(page: PageText) -> Iterator[tuple[int, int]]:
    """Yield the parts of a page between hidden spans."""
    offset = 0
    for start, end in sorted(page.hidden_spans):
        if start > offset:
            yield offset, start
        offset = max(offset, end)
    if offset < len(page.text):
        yield offset, len(page.text)


def _group(text: str, size: int, room: int) -> list[Span]:
    """Put the sentences of a text together to passages."""
    parts = [
        piece for sentence in sentences(text) for piece in _fitting(text, sentence.start, sentence.end, size, room)
    ]
    groups: list[list[Span]] = []
    current: list[Span] = []
    for part in parts:
        if current and not _belongs(text, current, part, size, room):
            heading_count = _headings(text, current, part)
            passage = current[: len(current) - heading_count]
            if passage:
                groups.append(passage)
                current = current[len(passage) :]
                if current and _cost(text, current[0].start, part.end) > room:
                    groups.append(current)
                    current = []
            else:
                groups.append(current)
                current = []
        current.append(part)
    if current:
        if groups and current[-1].end - current[0].start < size // _SHORTEST:
            previous = groups[-1]
            if _cost(text, previous[0].start, current[-1].end) <= room:
                groups[-1] = previous + current
                current = []
        if current:
            groups.append(current)
    return [Span(group[0].start, group[-1].end) for group in groups]


def _belongs(text: str, current: list[Span], part: Span, size: int, room: int) -> bool:
    """Return whether ``part`` goes into the passage that ``current`` has begun."""
    start = current[0].start
    if part.end - start <= size and _cost(text, start, part.end) <= room:
        # A new paragraph ends a passage that is long enough already.
        return current[-1].end - start < 0.6 * size or "\n\n" not in text[current[-1].end : part.start]
    # A little over the aim is better than a passage of one short sentence.
    return current[-1].end - start < size // 2 and _cost(text, start, part.end) <= room


def _headings(text: str, current: list[Span], part: Span) -> int:
    """Count the sentences at the end of ``current`` that are headings of ``part``."""
    count = 0
    following = part
    for span in reversed(current):
        if span.end - span.start > _HEADING or _CLOSED.search(text, span.start, span.end):
            break
        if "\n" not in text[span.end : following.start]:
            break
        count += 1
        following = span
        if count == 3:
            break
    return count


def _cost(text: str, start: int, end: int) -> float:
    """Measure a length as the embedder does: it has few words for other scripts and reads them letter by letter."""
    stretch = text[start:end]
    cost = float(end - start) + (_CODE_COST - 1.0) * sum(map(len, _CODE.findall(stretch)))
    if stretch.isascii():
        return cost
    hangul = len(_HANGUL.findall(stretch))
    foreign = len(_FOREIGN.findall(stretch)) - hangul
    return cost + (_FOREIGN_COST - 1.0) * foreign + (_HANGUL_COST - 1.0) * hangul


def _fitting(text: str, start: int, end: int, size: int, room: int) -> Iterator[Span]:
    """Yield the sentence itself, or pieces of it cut at words where it is too long for one passage."""
    while end - start > room or _cost(text, start, end) > room:
        least, longest = start + 1, min(end, start + size)
        while least < longest:  # the longest piece that costs no more than the aim
            middle = (least + longest + 1) // 2
            if _cost(text, start, middle) <= size:
                least = middle
            else:
                longest = middle - 1
        cut = least
        for offset in range(cut, max(start + 1, cut - size // 3), -1):
            if text[offset - 1].isspace():
                cut = offset
                break
        stop = cut
        while stop > start + 1 and text[stop - 1].isspace():
            stop -= 1
        yield Span(start, stop)
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield Span(start, end)
