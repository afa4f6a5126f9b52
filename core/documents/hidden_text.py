"""What a person sees of a page next to what its file says, where the two differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_APART = re.compile(r"\n[ \t\r]*\n\s*|\f\s*")  # between paragraphs
_TURN = re.compile(r"([\u202d\u202e])([^\u202c]*)\u202c?")


@dataclass(frozen=True, slots=True)
class Row:
    """A paragraph, text[start:end]. ``said`` is it as the file has it, ``seen`` what is left for a person who looks at
    the page ('' where nothing is). ``hidden`` are the stretches that make the difference: start and end in the text of
    the page, and why (a key of core.domain.HIDDEN).
    """

    start: int
    end: int
    seen: str
    said: str
    hidden: tuple[tuple[int, int, str], ...] = ()


BOX = "\u2588" * 5  # what is seen of words that a box blacks out, however long they are


def two_readings(text: str, hidden: Sequence[tuple[int, int]], why: Sequence[str]) -> tuple[Row, ...]:
    """The paragraphs of a page in their order, each in both readings; every hidden stretch is in one of them.

    ``hidden`` are spans of ``text`` in order that do not overlap, ``why`` has one reason each; a missing reason is
    'unseen'. Text that direction marks turn around is seen in the order in which a screen would show it.
    """
    reasons = list(why) + ["unseen"] * (len(hidden) - len(why))
    spans = [(start, end, reason) for (start, end), reason in zip(hidden, reasons, strict=False)]
    rows: list[Row] = []
    at = 0
    for start, end in _paragraphs(text):
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        inside: list[tuple[int, int, str]] = []
        for begin, stop, reason in spans[at:]:
            if begin >= end:
                break
            if max(begin, start) < min(stop, end):
                inside.append((max(begin, start), min(stop, end), reason))
        said = text[start:end]
        rows.append(Row(start, end, _seen(text, start, end, inside) if inside else said, said, tuple(inside)))
    return tuple(rows)


def _paragraphs(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = len(text) - len(text.lstrip(" \t\r\n\f"))
    for gap in _APART.finditer(text, at):
        if gap.start() > at:
            found.append((at, gap.start()))
        at = gap.end()
    if at < len(text):
        found.append((at, len(text)))
    return found


def _seen(text: str, start: int, end: int, hidden: Sequence[tuple[int, int, str]]) -> str:
    seen = ""
    at = start
    for begin, stop, reason in (*hidden, (end, end, "")):
        piece = text[at:begin]
        if at > start and seen[-1:] in ("", " ", "\n"):  # what was hidden had a blank on either side
            piece = piece.removeprefix(" ")
        seen += piece
        if reason == "direction":
            seen += _TURN.sub(_turned, text[begin:stop])
        elif reason == "blacked out":  # without it two halves of a sentence would read as one
            seen += BOX
        at = stop
    return "\n".join(line.rstrip() for line in seen.split("\n") if line.strip())


def _turned(marked: re.Match[str]) -> str:
    """An override to the right-to-left shows its characters backwards; one to the left-to-right in stored order."""
    return marked[2][::-1] if marked[1] == "\u202e" else marked[2]
