"""Stretches of a passage that are judged by themselves: one to three sentences, as long as one clue is told.

A passage of six hundred characters often holds a clue for a hypothesis and another against it; read as a whole it comes
out as neither.
"""

from __future__ import annotations

from core.domain import Span
from core.text import sentences

WORDS = 40  # that a window aims at; a longer sentence is a window of its own
_PARAGRAPH = "\n\n"


def windows(text: str) -> list[Span]:
    """Return the windows of a passage in order, without blanks around them; each sentence lies in exactly one."""
    spans = [span for span in (_trim(text, sentence) for sentence in sentences(text)) if span.start < span.end]
    result: list[Span] = []
    for span in spans:
        if result:
            joint = Span(result[-1].start, span.end)
            between = text[result[-1].end : span.start]
            if len(text[joint.start : joint.end].split()) <= WORDS and _PARAGRAPH not in between:
                result[-1] = joint
                continue
        result.append(span)
    return result


def _trim(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
