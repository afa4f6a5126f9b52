"""What a person sees of a page next to what its file says, where the two differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_APART = re.compile(r"\n[ \t\r]*\n\s*|\f\s*")  # between paragraphs
_TURN = re.compile(r"([\u202d\u202e])([^\u202c]*)\u202c?")


@dataclass(frozen=True, slots=True)
class Row:
    """A paragraph of a page in both readings.

    ``text`` is page.text[start:end], as the file has it; ``visible`` what is left of it for a person who looks at the
    page ('' where nothing is). ``hidden_spans`` make the difference: start and end in the text of the page, and why (a
    key of core.domain.HIDDEN).
    """

    start: int
    end: int
    visible: str
    text: str
    hidden_spans: tuple[tuple[int, int, str], ...] = ()


BOX = "\u2588" * 5  # what is seen of words that a box blacks out, however long they are


def two_readings(text: str, hidden_spans: Sequence[tuple[int, int]], why: Sequence[str]) -> tuple[Row, ...]:
    """List the paragraphs of a page in their order, each in both readings; every hidden span is in one of them.

    ``hidden_spans`` are parts of ``text`` in order that do not overlap, ``why`` has one reason each; a missing reason
    is 'unseen'. Text that direction marks turn around is seen in the order in which a screen would show it.
    """
    reasons = list(why) + ["unseen"] * (len(hidden_spans) - len(why))
    spans = [(start, end, reason) for (start, end), reason in zip(hidden_spans, reasons, strict=False)]
    rows: list[Row] = []
    offset = 0
    for start, end in _paragraphs(text):
        while offset < len(spans) and spans[offset][1] <= start:
            offset += 1
        inside: list[tuple[int, int, str]] = []
        for begin, stop, reason in spans[offset:]:
            if begin >= end:
                break
            if max(begin, start) < min(stop, end):
                inside.append((max(begin, start), min(stop, end), reason))
        part = text[start:end]
        rows.append(Row(start, end, _visible(text, start, end, inside) if inside else part, part, tuple(inside)))
    return tuple(rows)


def _paragraphs(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    offset = len(text) - len(text.lstrip(" \t\r\n\f"))
    for gap in _APART.finditer(text, offset):
        if gap.start() > offset:
            spans.append((offset, gap.start()))
        offset = gap.end()
    if offset < len(text):
        spans.append((offset, len(text)))
    return spans


def _visible(text: str, start: int, end: int, hidden_spans: Sequence[tuple[int, int, str]]) -> str:
    visible = ""
    offset = start
    for begin, stop, reason in (*hidden_spans, (end, end, "")):
        piece = text[offset:begin]
        if offset > start and visible[-1:] in ("", " ", "\n"):  # what was hidden had a blank on either side
            piece = piece.removeprefix(" ")
        visible += piece
        if reason == "direction":
            visible += _TURN.sub(_screen_order, text[begin:stop])
        elif reason == "blacked out":  # without it two halves of a sentence would read as one
            visible += BOX
        offset = stop
    return "\n".join(line.rstrip() for line in visible.split("\n") if line.strip())


def _screen_order(override: re.Match[str]) -> str:
    """Return the characters of an override as a screen shows them: those of one to the right-to-left backwards."""
    return override[2][::-1] if override[1] == "\u202e" else override[2]
