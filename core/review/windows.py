"""Stretches of a passage that are judged by themselves: one to three sentences, as long as one clue is told.

A passage of six hundred characters often holds a clue for a hypothesis and another against it; read as a whole it comes
out as neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.domain import Span
from core.text import sentences

WORDS = 40  # that a window aims at; a longer sentence is a window of its own
HEADING = 6  # words, below which a stretch says too little by itself: it goes with what follows, or with what precedes
_PARAGRAPH = "\n\n"


def windows(text: str, furniture: Sequence[Span] = ()) -> list[Span]:
    """Return the windows of a passage in order, without blanks around them; each sentence lies in exactly one.

    ``furniture`` is what of it states nothing: it is in no window, unless there is nothing else.
    """
    result: list[Span] = []
    spans = list(_outside(text, furniture))
    for span in spans or sentences(text):
        if result and not (spans and _lies_between(furniture, result[-1].end, span.start)):
            joint = Span(result[-1].start, span.end)
            is_near = _PARAGRAPH not in text[result[-1].end : span.start] and _words(text, joint) <= WORDS
            if is_near or _words(text, result[-1]) < HEADING:
                result[-1] = joint
                continue
        result.append(span)
    if len(result) > 1 and _words(text, result[-1]) < HEADING:
        last, preceding = result[-1], result[-2]
        if not _lies_between(furniture, preceding.end, last.start):
            result[-2:] = [Span(preceding.start, last.end)]
    return result


def _outside(text: str, furniture: Sequence[Span]) -> Iterator[Span]:
    """Yield the sentences, or what of them is left, that are no furniture."""
    for sentence in sentences(text):
        start, end = sentence.start, sentence.end
        for part in furniture:
            if part.start <= start < part.end:
                start = part.end
            elif part.start < end <= part.end:
                end = part.start
        words = text[start:end]
        if words.strip():
            yield Span(start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip()))


def _lies_between(furniture: Sequence[Span], start: int, end: int) -> bool:
    return any(start <= part.start < end for part in furniture)


def _words(text: str, span: Span) -> int:
    return len(text[span.start : span.end].split())
