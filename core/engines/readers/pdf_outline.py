"""Sections of a PDF: from its table of contents, else from lines that look like headings. Better none than wrong."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from itertools import compress
from typing import Any

from core.documents import headings
from core.domain import Section
from core.engines.readers import plain_text
from core.engines.readers.pdf_layout import Line, PlacedText

MAX_ENTRIES = 10_000  # entries of a table of contents
_TITLE = 300  # characters
_LONG = 20  # letters of a title that hardly ever begin a line by chance


def contents(document: Any) -> dict[int, list[tuple[int, str]]]:
    """Return the table of contents: (level, title) by page, from 1.

    Empty where there is none, or where it leads nowhere.
    """
    try:
        rows = document.get_toc(simple=True)
    except MemoryError:
        raise
    except Exception:  # a damaged table of contents is no reason to refuse the pages
        return {}
    by_page: dict[int, list[tuple[int, str]]] = {}
    for level, title, page, *_ in rows[:MAX_ENTRIES]:
        text = " ".join(plain_text.clean(str(title or "")).replace("\f", " ").split())[:_TITLE]
        if text and 1 <= page <= document.page_count:
            by_page.setdefault(page, []).append((max(1, min(int(level), 99)), text))
    return by_page


def place_sections(entries: Iterable[tuple[int, str]], page: PlacedText) -> tuple[Section, ...]:
    """Place the entries of a table of contents at their headings on the page.

    Where none is found, with the entry before, or at the beginning.
    """
    entries = tuple(entries)
    if not entries:
        return ()
    bare, ways = _bare(page.text)
    starts: dict[int, int] = {}  # where a line begins in the bare text, with or without its number, and in the text
    ends: set[int] = set()
    for begin, end, _ in page.lines:
        starts[bisect_left(ways, begin)] = begin
        ends.add(bisect_left(ways, end))
        number = headings.NUMBERED.match(page.text, begin, end)
        if number:
            starts.setdefault(bisect_left(ways, number.end() - 1), begin)
    sections: list[Section] = []
    after = last = 0
    for level, title in entries:
        number = headings.NUMBERED.match(title)
        for words in (title, title[number.end() - 1 :] if number else ""):
            index = _find(bare, starts, ends, _bare(words)[0], after)
            if index is not None:
                after, last = index + 1, starts[index]
                break
        sections.append(Section(level, title, last))
    return tuple(sections)


def _find(bare: str, starts: Mapping[int, int], ends: Set[int], title: str, after: int) -> int | None:
    """Find where ``title`` fills whole lines, from ``after`` on; a long one may have more behind it."""
    begins = None
    index = bare.find(title, after) if title else -1
    while index >= 0:
        if index in starts:
            if index + len(title) in ends:
                return index
            if begins is None and len(title) >= _LONG:
                begins = index
        index = bare.find(title, index + 1)
    return begins


def _bare(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits alone, and the offset of each."""
    letters = "".join(filter(str.isalnum, text))
    bare = letters.casefold()
    if len(bare) != len(letters):  # a letter that becomes two, as ß
        bare = "".join(c.casefold()[:1] for c in letters)
    return bare, list(compress(range(len(text)), map(str.isalnum, text)))


def lines(page: PlacedText, height: float) -> headings.Lines:
    """Gather what a page has that could be headings."""
    here: Counter[float] = Counter()
    for begin, end, line in page.lines:
        if line.size:
            here[round(line.size, 1)] += end - begin
    sizes = tuple(here.items())
    text = headings.text_size(sizes)
    if text is None:
        return headings.Lines(sizes, (), 0)
    candidates: list[headings.Candidate] = []
    rows = page.lines
    start = 0
    while start < len(rows):
        begin, end, line = rows[start]
        stop = start + 1
        while stop < len(rows) and _goes_on(rows[stop - 1][2], rows[stop][2], page.text[end : rows[stop][0]]):
            end = rows[stop][1]
            stop += 1
        if (
            stop - start <= 3
            and (not text or headings.level_of(line.size, line.bold, text))
            and (start == 0 or "\n\n" in page.text[rows[start - 1][1] : begin])
            and not any(row.hidden_words for _, _, row in rows[start:stop])
        ):
            title = " ".join(page.text[begin:end].split())
            if headings.is_title(title):
                edge = line.y1 < 0.06 * height or line.y0 > 0.94 * height
                candidates.append(headings.Candidate(line.size, line.bold, title, begin, edge))
        start = stop
    return headings.Lines(sizes, tuple(candidates), max(2, len(rows) // 6))


def _goes_on(line: Line, after: Line, gap: str) -> bool:
    return gap == "\n" and line.size > 0 and abs(line.size - after.size) < 0.05 * line.size and line.bold == after.bold
