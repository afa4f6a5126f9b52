"""Stretches of a page as they are read: the rows of a table have the headings of their columns beside their values.

The page has them so where its reader wrote the table; a ruled table of a PDF is the text of its cells alone. What is
read is never quoted: ``Reading.span`` leads back to the words of the page, and a heading that was put in leads nowhere.
Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.domain import Span, Table
from core.text import CELL_BORDER


@dataclass(frozen=True, slots=True)
class Reading:
    """A text to be read. ``pieces`` are its verbatim stretches: where each begins in it and on the page, its length."""

    text: str
    pieces: tuple[tuple[int, int, int], ...]

    def span(self, start: int, end: int) -> Span | None:
        """Return the stretch of the page from the first verbatim character of text[start:end] to the last."""
        inside = [
            (page + max(start - offset, 0), page + min(end - offset, length))
            for offset, page, length in self.pieces
            if offset < end and offset + length > start
        ]
        return Span(inside[0][0], inside[-1][1]) if inside else None

    def is_verbatim(self, start: int, end: int) -> bool:
        """Return whether text[start:end] lies in one verbatim stretch."""
        return any(offset <= start and end <= offset + length for offset, _, length in self.pieces)


def read(text: str, start: int, end: int, tables: Sequence[Table]) -> Reading:
    """Return text[start:end] of a page; cells of a table that lie in it are written behind their headings."""
    parts: list[str] = []
    pieces: list[tuple[int, int, int]] = []
    length = 0

    def put(words: str, place: int = -1) -> None:
        nonlocal length
        if place >= 0 and words:
            pieces.append((length, place, len(words)))
        parts.append(words)
        length += len(words)

    offset = start
    for cells in _bare_rows(text, start, end, tables):
        put(text[offset : cells[0][1]], offset)
        for number, (heading, first, last) in enumerate(cells):
            put((CELL_BORDER if number else "") + (f"{heading}: " if heading else ""))
            put(text[first:last].replace("\n", " "), first)
        offset = cells[-1][2]
    put(text[offset:end], offset)
    return Reading("".join(parts), tuple(pieces))


def with_headings(text: str, start: int, end: int, tables: Sequence[Table]) -> str:
    """Return text[start:end] as it is read; '' where the page has it so."""
    passage = text[start:end]
    reading = read(text, start, end, tables).text if tables else passage
    return "" if reading == passage else reading


def _bare_rows(text: str, start: int, end: int, tables: Sequence[Table]) -> Iterator[list[tuple[str, int, int]]]:
    """Yield the rows in a stretch whose text is that of their cells alone: of each filled cell its heading and span.

    The first column names the row and has no heading. A row that the stretch cuts has the cells that begin in it. The
    text of a sheet always has the headings.
    """
    for table in tables:
        if table.letters or not table.rows or not any(table.columns[1:]):
            continue
        for row in table.rows[bisect_right(table.rows, start, key=lambda row: row[-1][1]) :]:
            if row[0][0] >= end:
                break
            if CELL_BORDER in text[row[0][0] : row[-1][1]]:
                continue
            cells = [
                (heading if number else "", first, min(last, end))
                for number, (heading, (first, last)) in enumerate(zip(table.columns, row, strict=True))
                if start <= first < min(last, end)
            ]
            gaps = (text[left[2] : right[1]] for left, right in pairwise(cells))
            if cells and not any(gap.strip() for gap in gaps) and not text.endswith(": ", 0, cells[0][1]):
                yield cells
