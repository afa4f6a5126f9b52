"""The words of a page with the boxes that they stand in, packed."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


class Word(NamedTuple):
    """A word of a page: text[start:end] stands in the box (x0, y0)-(x1, y1), in points, origin top left, as shown."""

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
