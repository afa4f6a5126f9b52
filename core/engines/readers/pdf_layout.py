"""The words of a page in reading order: lines, paragraphs, columns, and the text that is made of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pymupdf as _pymupdf

from core.domain import Words
from core.engines.readers import plain_text

pymupdf: Any = _pymupdf  # the library is only half typed

# Ligatures are taken apart, unknown glyphs become U+FFFD instead of a code that looks like a letter.
FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE

Box = tuple[float, float, float, float]
PlainWord = tuple[float, float, float, float, str]  # its box, and what it is
PlacedWord = tuple[int, int, float, float, float, float]  # as core.domain.Word, made a hundred thousand times


@dataclass(slots=True)
class Line:
    """A line of words as shown.

    ``block`` and ``number`` are MuPDF's, in the order of the file; ``hidden_words`` says of its words, by their place,
    why nobody sees them, ``struck_words`` which have a line through them; ``spans`` are MuPDF's, stretches of the line
    in one font and colour; ``direction`` is a vector of length 1 along which it is written.
    """

    block: int
    number: int
    words: list[PlainWord]
    x0: float
    y0: float
    x1: float
    y1: float
    hidden_words: Mapping[int, str] = field(default_factory=dict)
    struck_words: frozenset[int] = frozenset()
    spans: Sequence[Mapping[str, Any]] = ()
    direction: tuple[float, float] = (1.0, 0.0)

    @property
    def size(self) -> float:
        """Size of its letters in points, those of the longest stretch; 0 where it is not known."""
        return float(self._longest()["size"]) if self.spans else 0.0

    @property
    def bold(self) -> bool:
        """Return whether the longest stretch is set in bold."""
        if not self.spans:
            return False
        span = self._longest()
        return bool(span["flags"] & 16) or "bold" in span["font"].lower()

    def _longest(self) -> Mapping[str, Any]:
        return self.spans[0] if len(self.spans) == 1 else max(self.spans, key=lambda span: len(span["text"]))


@dataclass(frozen=True, slots=True)
class PlacedText:
    """The text of a page with its word boxes, what is hidden in it and why, where each line begins and ends.

    ``words`` are packed as in core.domain.Words, one after another; ``struck_spans`` have a line through them.
    """

    text: str
    words: Sequence[PlacedWord] = ()
    hidden_spans: plain_text.Reasons = field(default_factory=list)
    lines: Sequence[tuple[int, int, Line]] = ()
    struck_spans: Sequence[tuple[int, int]] = ()


def lines_of(words: Iterable[tuple[Any, ...]]) -> list[Line]:
    """Gather the words that MuPDF gives into lines, in the order of the file."""
    lines: list[Line] = []
    row = Line(0, 0, [], 0.0, 0.0, 0.0, 0.0)
    for x0, y0, x1, y1, word, block, line, _ in words:
        if not (-1e6 < x0 < 1e6 and -1e6 < y0 < 1e6 and -1e6 < x1 < 1e6 and -1e6 < y1 < 1e6):
            x0 = y0 = x1 = y1 = 0.0
        # A box without extent cannot be drawn or pointed at.
        if x1 - x0 < 0.1:
            x1 = x0 + 0.1
        if y1 - y0 < 0.1:
            y1 = y0 + 0.1
        if block != row.block or line != row.number or not lines:
            row = Line(block, line, [], x0, y0, x1, y1)
            lines.append(row)
        row.words.append((x0, y0, x1, y1, word))
        if x0 < row.x0:
            row.x0 = x0
        if y0 < row.y0:
            row.y0 = y0
        if x1 > row.x1:
            row.x1 = x1
        if y1 > row.y1:
            row.y1 = y1
    return lines


def place_text(lines: Iterable[Line]) -> PlacedText:
    """Write the text of ``lines``: they end with a newline, paragraphs with a blank line."""
    parts: list[str] = []
    words: list[PlacedWord] = []
    hidden_spans: plain_text.Reasons = []
    struck_spans: list[tuple[int, int]] = []
    places: list[tuple[int, int, Line]] = []
    previous: Line | None = None
    offset = last = 0  # where the word before ends
    for line in lines:
        if previous is not None:
            gap = _between(previous, line)
            parts.append(gap)
            offset += len(gap)
        begin = offset
        for place, (x0, y0, x1, y1, raw) in enumerate(line.words):
            word = raw if raw.isascii() and raw.isprintable() else _letters(raw)
            if place:
                parts.append(" ")
                offset += 1
            parts.append(word)
            end = offset + len(word)
            if end > offset:
                words.append((offset, end, x0, y0, x1, y1))
            if line.hidden_words:
                why = line.hidden_words.get(place)
                if why:
                    # From the word before, if that is hidden too, so that one hidden text is one span.
                    if hidden_spans and hidden_spans[-1][1] == last and hidden_spans[-1][2] == why:
                        hidden_spans[-1] = (hidden_spans[-1][0], end, why)
                    elif end > offset:
                        hidden_spans.append((offset, end, why))
            if line.struck_words and place in line.struck_words and end > offset:
                if struck_spans and struck_spans[-1][1] == last:
                    struck_spans[-1] = (struck_spans[-1][0], end)
                else:
                    struck_spans.append((offset, end))
            last = offset = end
        places.append((begin, offset, line))
        previous = line
    return PlacedText("".join(parts), words, hidden_spans, places, struck_spans)


def word_boxes(words: Iterable[PlacedWord]) -> Words:
    """Pack word boxes as pages keep them."""
    return Words.of(words)  # type: ignore[arg-type]


def is_unknown(text: str) -> bool:
    """Return whether most of a text is unknown characters."""
    unknown = text.count("\ufffd")
    return bool(unknown) and unknown > (len(text) - text.count(" ") - text.count("\n")) // 2


def set_spans(lines: Iterable[Line], blocks: Iterable[Mapping[str, Any]]) -> None:
    """Give each line its spans, from MuPDF's ``blocks``."""
    by_block = {block["number"]: block.get("lines", ()) for block in blocks}
    for line in lines:
        block_lines = by_block.get(line.block, ())
        if line.number < len(block_lines):
            line.spans = block_lines[line.number]["spans"]
            line.direction = block_lines[line.number]["dir"]


_SHAPES = re.compile(r"[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]")


def _letters(word: str) -> str:
    """Write a word as it would be typed: some fonts name the shapes of Arabic letters and ligatures instead."""
    word = _SHAPES.sub(lambda shape: unicodedata.normalize("NFKC", shape.group()).strip() or shape.group(), word)
    return plain_text.clean(word).replace("\n", " ").replace("\f", " ")


def _between(previous: Line, line: Line) -> str:
    """Return a newline inside a paragraph, a blank line between two, a space or a tab inside one row of a block."""
    if (len(previous.hidden_words) == len(previous.words)) != (len(line.hidden_words) == len(line.words)):
        return "\n\n"
    height = min(previous.y1 - previous.y0, line.y1 - line.y0)
    if _is_initial(previous, line):
        # The rest of its word; but A, I and O are words of their own as well.
        return "" if previous.words[0][4] not in "AIO" and line.words[0][4][:1].islower() else "\n"
    if _is_initial(line, previous) and line.y0 > previous.y0:
        return "\n\n"
    if previous.block == line.block and min(previous.y1, line.y1) - max(previous.y0, line.y0) > 0.7 * height:
        apart = max(line.x0 - previous.x1, previous.x0 - line.x1)
        if apart > -0.3 * height:  # MuPDF begins a new line at every wide gap
            return " " if apart < 2.5 * height else "\t"
    if previous.block == line.block and line.number > previous.number:
        return "\n"
    ends = previous.words[-1][4][-1:] in ".!?:;؟。"
    alike = abs((line.y1 - line.y0) - (previous.y1 - previous.y0)) < 0.2 * height
    is_aligned = min(abs(line.x0 - previous.x0), abs(line.x1 - previous.x1)) < 3 * height
    if alike and is_aligned:
        # In widely spaced text every line is a block of its own: a full line without a stop goes on in the next.
        full = previous.x1 - previous.x0 > 0.8 * (line.x1 - line.x0) and len(previous.words) > 5 and not ends
        if -0.5 * height < line.y0 - previous.y1 < (1.3 if full else 0.6) * height:
            return "\n"
    # A sentence that goes on at the top of the next column.
    return "\n" if line.words[0][4][:1].islower() and not ends else "\n\n"


def _is_initial(line: Line, beside: Line) -> bool:
    """Return whether a line is one large letter at the beginning of a text, two lines high or more."""
    letter = line.words[0][4]
    if len(line.words) != 1 or len(letter) != 1 or not letter.isupper():
        return False
    return line.y1 - line.y0 > 1.8 * (beside.y1 - beside.y0) and line.size > 1.8 * beside.size > 0


# --- reading order ---------------------------------------------------------------------------------------------------


def in_reading_order(lines: list[Line]) -> list[Line]:
    """Return the lines in the order of the file, or by columns where that order jumps about."""
    if len(lines) < 4:
        return lines
    if not (_jumps(lines) or _weaves(lines)):
        return lines
    return _by_columns(lines, depth=0)


def _jumps(lines: list[Line]) -> bool:
    """Return whether the file goes back up in the same column more than the odd header at the end would explain."""
    back = sum(
        below.y1 <= above.y0 + 0.3 * (above.y1 - above.y0)
        and min(above.x1, below.x1) - max(above.x0, below.x0) > 0.5 * min(above.x1 - above.x0, below.x1 - below.x0)
        for above, below in pairwise(lines)
    )
    return back >= max(2, 0.1 * len(lines))


def _weaves(lines: list[Line]) -> bool:
    """Return whether lines of two columns come by turns: left, right, left, right."""
    turns = sum(
        abs(right.y0 - left.y0) < 0.5 * (left.y1 - left.y0)
        and right.x0 - left.x1 > 0.5 * (left.y1 - left.y0)
        and len(left.words) >= 4
        and len(right.words) >= 4
        for left, right in pairwise(lines)
    )
    return turns >= max(3, 0.3 * len(lines))


def _by_columns(lines: list[Line], depth: int) -> list[Line]:
    """Order lines by a recursive X-Y cut.

    Columns left to right where a gutter runs through, else the parts above and below a gap.
    """
    if len(lines) < 2 or depth > 40:
        return sorted(lines, key=lambda line: (round(line.y0 / 2), line.x0))
    gutter = _widest_gap(lines, 0)
    if gutter is not None:
        left = [line for line in lines if (line.x0 + line.x1) / 2 < gutter]
        right = [line for line in lines if (line.x0 + line.x1) / 2 >= gutter]
        if len(left) > 1 and len(right) > 1:
            return _by_columns(left, depth + 1) + _by_columns(right, depth + 1)
    # Cut off the top at the first gap below which the rest falls into columns (a title over two columns), ...
    gaps = _gaps(lines, 1, 0.0)
    for edge, _ in gaps[:12]:
        below = [line for line in lines if (line.y0 + line.y1) / 2 >= edge]
        above = [line for line in lines if (line.y0 + line.y1) / 2 < edge]
        if above and len(below) > 3 and _widest_gap(below, 0) is not None:
            return _by_columns(above, depth + 1) + _by_columns(below, depth + 1)
    # ... else cut at the widest gap.
    if gaps:
        edge = max(gaps, key=lambda gap: gap[1])[0]
        above = [line for line in lines if (line.y0 + line.y1) / 2 < edge]
        below = [line for line in lines if (line.y0 + line.y1) / 2 >= edge]
        if above and below:
            return _by_columns(above, depth + 1) + _by_columns(below, depth + 1)
    return sorted(lines, key=lambda line: (round(line.y0 / 2), line.x0))


def _gaps(lines: list[Line], axis: int, least: float) -> list[tuple[float, float]]:
    """List the stretches of an axis (0 across, 1 down) where no line lies: their middle and width, in order."""
    spans = sorted((line.x0, line.x1) if axis == 0 else (line.y0, line.y1) for line in lines)
    gaps: list[tuple[float, float]] = []
    reach = spans[0][1]
    for start, end in spans:
        if start - reach > least:
            gaps.append(((start + reach) / 2, start - reach))
        reach = max(reach, end)
    return gaps


def _widest_gap(lines: list[Line], axis: int) -> float | None:
    heights = sorted(line.y1 - line.y0 for line in lines)
    gaps = _gaps(lines, axis, 0.6 * heights[len(heights) // 2])
    return max(gaps, key=lambda gap: gap[1])[0] if gaps else None
