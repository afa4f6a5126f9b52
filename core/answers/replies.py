"""Answers of the statement reader about the first sentences for a question.

Each of the best ranked sentences is read with its neighbours and the name of its document. Its figure is the
probability that this text answers the question, times that of its word that most likely belongs to the answer. It is
one feature among others (core.answers.judgement).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.answers.features import Context
from core.answers.sentences import RankedSentence
from core.domain import Span
from core.errors import BadInput
from core.text import sentences

if TYPE_CHECKING:
    from core.ports import StatementReader

WINDOWS = 5  # stretches that are read for a question
_AT_ONCE = 450  # characters of a stretch


def weigh(
    reader: StatementReader, question: str, ranking: Sequence[RankedSentence], contexts: Sequence[Context]
) -> list[float]:
    """Return a figure from 0 to 1 for each ranked sentence; 0 for sentences that were not read."""
    figures = [0.0] * len(ranking)
    is_read = [False] * len(ranking)
    windows = 0
    for index, context in enumerate(contexts):
        place = ranking[index].sentence
        if windows == WINDOWS:
            break
        if is_read[index]:
            continue
        windows += 1
        window = around(context.passage, place.span)
        head = f"{context.title}: "
        try:
            reply = reader.reply(head + context.passage[window.start : window.end], question)
        except BadInput:
            continue
        shift = window.start - len(head)
        for number, candidate in enumerate(ranking):
            span = candidate.sentence.span
            if candidate.sentence.passage != place.passage or span.start < window.start or span.end > window.end:
                continue
            values = [v for start, end, v in reply.words if start + shift < span.end and end + shift > span.start]
            figures[number] = max(figures[number], reply.chance * max(values, default=0.0))
            is_read[number] = True
    return figures


def around(text: str, span: Span) -> Span:
    """Return a sentence of a passage with as many neighbours as are read at once, as a span."""
    start, end = span.start, span.end
    parts = sentences(text)
    earlier, later = [part for part in parts if part.end <= start], [part for part in parts if part.start >= end]
    while earlier or later:
        is_earlier = bool(earlier) and (not later or span.start - earlier[-1].start <= later[0].end - span.end)
        part = earlier.pop() if is_earlier else later.pop(0)
        if max(end, part.end) - min(start, part.start) > _AT_ONCE:
            break
        start, end = min(start, part.start), max(end, part.end)
    return Span(start, min(end, start + max(_AT_ONCE, span.end - span.start)))
