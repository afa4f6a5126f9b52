"""Stretches of a passage that are judged by themselves: one to three sentences, as long as one clue is told.

A passage of six hundred characters often holds a clue for a hypothesis and another against it; read as a whole it comes
out as neither.
"""

from __future__ import annotations

from core.domain import Span
from core.text import sentences

WORDS = 40  # that a window aims at; a longer sentence is a window of its own
HEADING = 6  # words, below which a stretch says too little by itself: it goes with what follows, or with what precedes
_PARAGRAPH = "\n\n"


def windows(text: str) -> list[Span]:
    """Return the windows of a passage in order, without blanks around them; each sentence lies in exactly one."""
    result: list[Span] = []
    for span in sentences(text):
        if result:
            joint = Span(result[-1].start, span.end)
            is_near = _PARAGRAPH not in text[result[-1].end : span.start] and _words(text, joint) <= WORDS
            if is_near or _words(text, result[-1]) < HEADING:
                result[-1] = joint
                continue
        result.append(span)
    if len(result) > 1 and _words(text, result[-1]) < HEADING:
        result[-2:] = [Span(result[-2].start, result[-1].end)]
    return result


def _words(text: str, span: Span) -> int:
    return len(text[span.start : span.end].split())
