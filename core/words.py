"""The words of a page with the boxes that they are in, packed; its headings and tables, and why text is hidden."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


class Word(NamedTuple):
    """A word of a page: text[start:end] is in the box (x0, y0)-(x1, y1), in points, origin top left, as shown."""

    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float


_WORD = struct.Struct("<2I4f")
WORD_BYTES = _WORD.size


@dataclass(frozen=True, slots=True)
class Words:
    """The word boxes of a page in reading order, packed as 24 bytes a word (2 uint32, 4 float32, little endian).

    Packed because a long document has hundreds of thousands of them, and they cross a pipe and a database as they are.
    """

    buffer: bytes = b""

    @classmethod
    def of(cls, words: Iterable[Word]) -> Words:
        """Pack words."""
        return cls(b"".join(_WORD.pack(*word) for word in words))

    def __len__(self) -> int:
        return len(self.buffer) // _WORD.size

    def __iter__(self) -> Iterator[Word]:
        return (Word(*values) for values in _WORD.iter_unpack(self.buffer))

    def within(self, start: int, end: int) -> list[Word]:
        """List the words that share at least one character with text[start:end]."""
        return [word for word in self if word.start < end and word.end > start]


NO_WORDS = Words()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading or an entry of a table of contents: where its section begins on its page; ``level`` 1 is outermost."""

    level: int
    title: str
    start: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table on a page, as a grid: the headings of its columns, and for each row the span of each cell in the text.

    A row has one (start, end) a column; an empty cell is a pair of equal numbers. ``columns`` are the words of the
    headings ('' where a column has none), which the page text repeats beside each value or states once above.
    ``letters`` and ``numbers`` name the columns ('A') and rows (1) of a sheet, and are empty for any other table.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[int, int], ...], ...]
    letters: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


# Why a person looking at the page would not see a stretch of its text, with the words for it.
HIDDEN: dict[str, str] = {
    "invisible": "drawn with invisible ink",
    "colour": "in the colour of what is behind it",
    "tiny": "too small to read",
    "outside": "outside the page",
    "transparent": "fully transparent",
    "behind": "behind a picture or a shape",
    "blacked out": "under a box that blacks it out",
    "zero width": "made of characters without width",
    "direction": "turned around by direction marks",
    "cut off": "cut off by the edge of what is drawn",
    "layer": "in a layer that is switched off",
    "unseen": "not visible on the page",
}

# What is to be known of a quote besides its words, as it is said beside it.
MARKS: dict[str, str] = {
    "struck": "struck through in the source",
    "hidden": "hidden in the source",
    "raised": "with raised or lowered characters",
}
