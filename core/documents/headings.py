"""Headings of a document that has no table of contents, by the size and weight of its letters. Pure.

What a page has that could be a heading is told by who reads it; which of that is one depends on the pages before it. So
the pages may be read side by side, and are looked through here one after another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain import Section

_LONGEST = 300  # characters of a title
_LARGER = 1.15  # times the letters of the text, from which on a line may be a heading
_FEWEST = 300  # characters of text on a page, without which there is no telling what its text is
_MAINLY = 0.4  # of the text of a page in letters of one size, without which the size is that of the document

NUMBERED = re.compile(
    r"(?:(?:chapter|part|section|appendix|annex)\s+)?(\d{1,3}(?:\.\d{1,3}){0,4}|[IVXLC]+|[A-Z])[.)]?\s+\S",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line, or up to three in the same letters, that could be a heading.

    ``size`` is that of its letters in points, ``title`` what it says and ``start`` where it begins. ``edge``: at the
    top or the foot of the page.
    """

    size: float
    bold: bool
    title: str
    start: int
    edge: bool


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a page, for its headings.

    How many characters it has in letters of each size (points, in the order in which they come), what could be a
    heading, and how many headings are too many to be any.
    """

    sizes: tuple[tuple[float, int], ...]
    candidates: tuple[Candidate, ...]
    limit: int


class Headings:
    """The headings of one document, found page after page."""

    def __init__(self) -> None:
        self._sizes: Counter[float] = Counter()
        self._title_counts: Counter[str] = Counter()

    def on(self, page: Lines) -> tuple[Section, ...]:
        """Return the headings on the next page."""
        for size, count in page.sizes:
            self._sizes[size] += count
        text = text_size(page.sizes)
        if text is None:
            return ()
        text = text or self._sizes.most_common(1)[0][0]
        headings: list[Section] = []
        for candidate in page.candidates:
            level = level_of(candidate.size, candidate.bold, text)
            if not level or not is_title(candidate.title, level):
                continue
            title = candidate.title.casefold()
            self._title_counts[title] += 1
            # What is on top or at the foot of one page after another names the document, not a section.
            if not candidate.edge and self._title_counts[title] <= 1:
                headings.append(Section(level, candidate.title[:_LONGEST], candidate.start))
        # Where every third line is one, size says something else on this page.
        return tuple(headings) if len(headings) <= page.limit else ()


def text_size(sizes: Sequence[tuple[float, int]]) -> float | None:
    """Return the size of the letters that the text of a page is in.

    0 where it is in no one size, None if there is too little of it.
    """
    total = sum(count for _, count in sizes)
    if total < _FEWEST:
        return None
    size, count = max(sizes, key=lambda item: item[1])
    return size if count >= _MAINLY * total else 0.0


def level_of(size: float, bold: bool, text: float) -> int:
    """Return 1 to 3 by how much larger the letters are than those of the text, 4 for bold ones as large; 0 for none."""
    ratio = size / text if text else 0.0
    if ratio >= 1.8:
        return 1
    if ratio >= 1.4:
        return 2
    if ratio >= _LARGER:
        return 3
    return 4 if bold and ratio >= 0.98 else 0


def is_title(title: str, level: int = 1) -> bool:
    """Return whether a line reads like a title; a bold one as large as the text (level 4) must be numbered, short."""
    letters = sum(c.isalpha() for c in title)
    if not (letters >= 3 and len(title) <= 150 and letters >= 0.5 * len(title.replace(" ", ""))):
        return False
    if title[-1] in ".,;:" or not (title[0].isupper() or title[0].isdigit() or not title[0].isascii()):
        return False
    return level < 4 or (bool(NUMBERED.match(title)) and len(title) <= 100)
