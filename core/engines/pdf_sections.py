"""Sections of a PDF: from its table of contents, else from lines that look like headings. Better none than wrong."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from typing import Any

from core.domain import Section
from core.engines import plain
from core.engines.pdf_text import Line, Written

MOST = 10_000  # entries of a table of contents
_TITLE = 300  # characters
_LONG = 20  # letters of a title that hardly ever begin a line by chance
_LARGER = 1.15  # times the letters of the text, from which on a line may be a heading
_FEWEST = 300  # characters of text on a page, without which there is no telling what its text is

_NUMBERED = re.compile(
    r"(?:(?:chapter|part|section|appendix|annex)\s+)?(\d{1,3}(?:\.\d{1,3}){0,4}|[IVXLC]+|[A-Z])[.)]?\s+\S",
    re.IGNORECASE,
)


def contents(document: Any) -> dict[int, list[tuple[int, str]]]:
    """The table of contents: (level, title) by page, from 1. Empty where there is none, or where it leads nowhere."""
    try:
        told = document.get_toc(simple=True)
    except MemoryError:
        raise
    except Exception:  # a damaged table of contents is no reason to refuse the pages
        return {}
    found: dict[int, list[tuple[int, str]]] = {}
    for level, title, page, *_ in told[:MOST]:
        shown = " ".join(plain.clean(str(title or "")).replace("\f", " ").split())[:_TITLE]
        if shown and 1 <= page <= document.page_count:
            found.setdefault(page, []).append((max(1, min(int(level), 99)), shown))
    return found


def placed(entries: Iterable[tuple[int, str]], page: Written) -> tuple[Section, ...]:
    """Entries of a table of contents where their headings stand on the page; where none is found, with the entry
    before, or at the beginning."""
    entries = tuple(entries)
    if not entries:
        return ()
    bare, ways = _bare(page.text)
    starts: dict[int, int] = {}  # where a line begins in the bare text, with or without its number, and in the text
    ends: set[int] = set()
    for begin, end, _ in page.lines:
        starts[bisect_left(ways, begin)] = begin
        ends.add(bisect_left(ways, end))
        number = _NUMBERED.match(page.text, begin, end)
        if number:
            starts.setdefault(bisect_left(ways, number.end() - 1), begin)
    found: list[Section] = []
    after = last = 0
    for level, title in entries:
        number = _NUMBERED.match(title)
        for words in (title, title[number.end() - 1 :] if number else ""):
            at = _find(bare, starts, ends, _bare(words)[0], after)
            if at is not None:
                after, last = at + 1, starts[at]
                break
        found.append(Section(level, title, last))
    return tuple(found)


def _find(bare: str, starts: Mapping[int, int], ends: Set[int], title: str, after: int) -> int | None:
    """Where ``title`` fills whole lines, from ``after`` on; a long one may have more behind it."""
    begins = None
    at = bare.find(title, after) if title else -1
    while at >= 0:
        if at in starts:
            if at + len(title) in ends:
                return at
            if begins is None and len(title) >= _LONG:
                begins = at
        at = bare.find(title, at + 1)
    return begins


def _bare(text: str) -> tuple[str, list[int]]:
    """Letters and digits alone, and where each stands."""
    kept = [(c.casefold()[:1], at) for at, c in enumerate(text) if c.isalnum()]
    return "".join(c for c, _ in kept), [at for _, at in kept]


class Headings:
    """Finds headings by the size and weight of their letters, page after page of one document."""

    def __init__(self) -> None:
        self._sizes: Counter[float] = Counter()
        self._seen: Counter[str] = Counter()

    def on(self, page: Written, height: float) -> tuple[Section, ...]:
        here: Counter[float] = Counter()
        for begin, end, line in page.lines:
            if line.size:
                here[round(line.size, 1)] += end - begin
        self._sizes.update(here)
        if sum(here.values()) < _FEWEST:
            return ()
        size = here.most_common(1)[0][0]
        if here[size] < 0.4 * sum(here.values()):
            size = self._sizes.most_common(1)[0][0]
        found: list[Section] = []
        lines = page.lines
        at = 0
        while at < len(lines):
            begin, end, line = lines[at]
            upto = at + 1
            while upto < len(lines) and _goes_on(lines[upto - 1][2], lines[upto][2], page.text[end : lines[upto][0]]):
                end = lines[upto][1]
                upto += 1
            level = _level(line, size)
            title = " ".join(page.text[begin:end].split())
            alone = at == 0 or "\n\n" in page.text[lines[at - 1][1] : begin]
            if (
                level
                and upto - at <= 3
                and alone
                and _is_title(title, level)
                and not any(other.hidden for _, _, other in lines[at:upto])
            ):
                self._seen[title.casefold()] += 1
                # What stands on top or at the foot of one page after another names the document, not a section.
                edge = line.y1 < 0.06 * height or line.y0 > 0.94 * height
                if not edge and self._seen[title.casefold()] <= 1:
                    found.append(Section(level, title[:_TITLE], begin))
            at = upto
        # Where every third line is one, size says something else on this page.
        return tuple(found) if len(found) <= max(2, len(lines) // 6) else ()


def _goes_on(line: Line, after: Line, gap: str) -> bool:
    return gap == "\n" and line.size > 0 and abs(line.size - after.size) < 0.05 * line.size and line.bold == after.bold


def _level(line: Line, size: float) -> int:
    """1 to 3 by how much larger the letters are than those of the text, 4 for bold ones as large; 0 for no heading."""
    ratio = line.size / size if size else 0.0
    if ratio >= 1.8:
        return 1
    if ratio >= 1.4:
        return 2
    if ratio >= _LARGER:
        return 3
    return 4 if line.bold and ratio >= 0.98 else 0


def _is_title(title: str, level: int) -> bool:
    letters = sum(c.isalpha() for c in title)
    if not (letters >= 3 and len(title) <= 150 and letters >= 0.5 * len(title.replace(" ", ""))):
        return False
    if title[-1] in ".,;:" or not (title[0].isupper() or title[0].isdigit() or not title[0].isascii()):
        return False
    return level < 4 or (bool(_NUMBERED.match(title)) and len(title) <= 100)
