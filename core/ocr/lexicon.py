"""The words of a language as the data of Tesseract holds them: is this one of them?

A data file NAME.traineddata is a header of offsets and parts one after the other; two of them are read here, the table
of letters and the graph of words that goes with the recognition network. Nothing is expanded: a word is looked up by
walking the graph in the bytes of the file (after Tesseract 5, ccutil/tessdatamanager and dict/dawg).
"""

from __future__ import annotations

import struct
import sys
from array import array

_WORDS, _LETTERS = 19, 21  # numbers of the parts
_MAGIC = 42
_LAST, _BACKWARDS, _ENDS = 1, 2, 4  # flags of an edge: the last of its node; not of words from the front; a word's last
_FLAGS = 3  # bits


class Lexicon:
    """The words of one data file. Raises ValueError for bytes that are none, or that hold no words."""

    def __init__(self, data: bytes) -> None:
        try:
            parts = _parts(data)
            self._letters = _letters(parts[_LETTERS])
            graph = parts[_WORDS]
            magic, size, count = struct.unpack_from("<hii", graph)
            if magic != _MAGIC or size < 1 or count < 1:
                raise ValueError("its words are of another form")
            self._edges = array("Q", graph[10 : 10 + 8 * count])
            if sys.byteorder == "big":
                self._edges.byteswap()
            if len(self._edges) != count:
                raise ValueError("its words are cut off")
        except (struct.error, KeyError, IndexError) as error:
            raise ValueError("it is no language data with words") from error
        # The lowest bits of an edge hold the letter, then come the flags, then the node it leads to.
        self._shift = size.bit_length()

    def __contains__(self, word: object) -> bool:
        node, ends = 0, False
        for index, letter in enumerate(str(word)):
            code = self._letters.get(letter)
            if code is None or (index and node == 0):
                return False
            edge = self._edge(node, code)
            if edge < 0:
                return False
            node, ends = edge >> self._shift + _FLAGS, bool(edge >> self._shift & _ENDS)
        return ends

    def _edge(self, node: int, code: int) -> int:
        """Return the edge of a node with a letter; -1: there is none."""
        mask = (1 << self._shift) - 1
        while node < len(self._edges):
            edge = self._edges[node]
            flags = edge >> self._shift
            if edge & mask == code and not flags & _BACKWARDS:
                return edge
            if flags & _LAST:
                break
            node += 1
        return -1


def _parts(data: bytes) -> dict[int, bytes]:
    (count,) = struct.unpack_from("<i", data)
    if not 1 <= count <= 64:
        raise ValueError("it is no language data")
    offsets = struct.unpack_from(f"<{count}q", data, 4)
    borders = sorted({offset for offset in offsets if 0 <= offset <= len(data)} | {len(data)})
    return {
        number: data[offset : borders[borders.index(offset) + 1]]
        for number, offset in enumerate(offsets)
        if 0 <= offset < len(data)
    }


def _letters(table: bytes) -> dict[str, int]:
    """Map every letter to its number; the first of two that are alike."""
    lines = table.decode("utf-8", "replace").split("\n")
    count = int(lines[0])
    if not 0 < count < len(lines):
        raise ValueError("its letters are of another form")
    numbers: dict[str, int] = {}
    for number, line in enumerate(lines[1 : count + 1]):
        numbers.setdefault(line.split(" ", 1)[0], number)
    return numbers
