"""Words that OCR read in charts and maps: labels and figures that are alone, line after line.

They are many, they are read badly, and few of them matter; so they are set aside until somebody asks for them.
"""

from __future__ import annotations

import re

LEAST_LINES = 6  # lines one after the other that make a chart
MOST_WORDS = 2  # words in each of them
_LINE = re.compile(r"[^\n\f]+")


def chart_spans(text: str) -> list[tuple[int, int]]:
    """Find the stretches of a page of OCR that look like a chart: six and more lines of one or two words each.

    Blank lines between them do not count. A column of figures in a table is found as well, where OCR gave each a line.
    """
    spans: list[tuple[int, int]] = []
    run: list[re.Match[str]] = []
    for line in [*_LINE.finditer(text), None]:
        words = len(line.group().split()) if line is not None else MOST_WORDS + 1
        if line is not None and words == 0:
            continue
        if line is not None and words <= MOST_WORDS:
            run.append(line)
            continue
        if len(run) >= LEAST_LINES:
            spans.append((run[0].start(), run[-1].end()))
        run = []
    return spans


def is_inside(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    """Return whether a word lies in one of the spans."""
    return any(first <= start and end <= last for first, last in spans)
