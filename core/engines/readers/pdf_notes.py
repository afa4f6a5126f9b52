"""Footnotes of a page: the small raised figures that lead to them, marked as '[^3]' here and before the note itself.

Only for checking what a text cites; pages of a case are read without marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.engines.readers.pdf_layout import Line

_RAISED = 1  # the flag of MuPDF for a stretch above the line
_SMALLER = 0.9  # of the size of the text is that of a note, at most
_FIGURE = re.compile(r"\d{1,3}|[*†‡§]{1,3}")
_BEGINS = re.compile(r"(\d{1,3}|[*†‡§]{1,3})[.)]?")
_ENDS = (*".,;:!?)]”’\"'", "")  # what a figure that leads to a note is behind


def mark(lines: Sequence[Line], page: int) -> None:
    """Put marks into the words of the lines of a page, in the order of the file.

    A note at the foot of its page has a mark of that page ('[^12.3]'), since figures may begin again on each; a figure
    whose note is elsewhere has its own ('[^3]'), where it does not end a word, as in 'm2'.
    """
    sizes = sorted(line.size for line in lines for _ in line.words)
    size = sizes[len(sizes) // 2] if sizes else 0.0
    references = [(line, place, figure) for line in lines for place, figure in _references(line)]
    heads: dict[str, Line] = {}
    for line in lines:
        begins = _BEGINS.fullmatch(line.words[0][4]) or (_first_raised(line) and _BEGINS.match(line.words[0][4]))
        if not begins or (line.size > _SMALLER * size and not _first_raised(line)):
            continue
        if any(figure == begins[1] and ref.y0 < line.y0 and ref is not line for ref, _, figure in references):
            heads.setdefault(begins[1], line)
    for line, place, figure in references:
        if figure in heads and heads[figure] is not line:
            _write(line, place, figure, f"[^{page}.{figure}]")
        elif figure not in heads and line.words[place][4].removesuffix(figure)[-1:] in _ENDS:
            _write(line, place, figure, f"[^{figure}]")
    for figure, line in heads.items():
        x0, y0, x1, y1, word = line.words[0]
        remainder = word[len(figure) :].lstrip(".)")
        line.words[0] = (x0, y0, x1, y1, f"[^{page}.{figure}]:" + (f" {remainder}" if remainder else ""))


def _references(line: Line) -> Iterator[tuple[int, str]]:
    """Yield the words that a raised figure ends, or is, by their places."""
    for span in _raised(line):
        x0, x1 = span["bbox"][0], span["bbox"][2]
        figure = str(span["text"]).strip()
        for place, word in enumerate(line.words):
            if word[0] <= (x0 + x1) / 2 <= word[2] and figure in word[4]:
                yield place, figure
                break


def _raised(line: Line) -> Iterator[Mapping[str, Any]]:
    for span in line.spans:
        is_small = float(span["size"]) < _SMALLER * line.size
        if int(span["flags"]) & _RAISED and is_small and _FIGURE.fullmatch(str(span["text"]).strip()):
            yield span


def _first_raised(line: Line) -> bool:
    return bool(line.spans) and any(span is line.spans[0] for span in _raised(line))


def _write(line: Line, place: int, figure: str, words: str) -> None:
    x0, y0, x1, y1, word = line.words[place]
    prefix, _, suffix = word.rpartition(figure)
    line.words[place] = (x0, y0, x1, y1, f"{prefix}{words}{suffix}")
