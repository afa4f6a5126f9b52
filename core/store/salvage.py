"""Rows read out of a damaged database, page by page, without its library: one fault hides only what is there.

The file format is that of sqlite.org/fileformat2.html. A page is read with what the write-ahead log holds of it. Rows
are found from the root of their table on, and then, in pages that no root leads to any more, by their shape: the types
of their columns and the form of their ids. Nothing that is read here is believed: whoever asks compares it with hashes.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_TABLE_LEAF, _TABLE_INTERIOR, _INDEX_LEAF, _INDEX_INTERIOR = 13, 5, 10, 2
_HEADER = 100  # bytes at the beginning of the first page
_PAGE_SIZE = 4096  # of every case that this program made
_MOST_BYTES = 1_000_000_000  # of one row
_MOST_READ = 4  # times its size that is read of a file: rows that share their pages, as in no real one, are left out
MOST_NUMBERS = 1 << 40  # beyond which no number of a row is

Values = tuple[Any, ...]
Decrypt = Callable[[int, bytes], bytes | None]  # number and bytes of a page -> its plain bytes; None: it is altered


@dataclass(frozen=True, slots=True)
class Shape:
    """The columns of a table, each 'INTEGER', 'REAL', 'TEXT' or 'BLOB', and of each whether it may be NULL.

    ``least`` is how many columns a row of an older format has; ``forms`` are those of columns that hold ids.
    ``has_rowid``: its rows are under numbers, which are the values of column ``number`` where that is not -1.
    """

    types: tuple[str, ...]
    may_be_null: tuple[bool, ...]
    least: int
    forms: Mapping[int, str] = field(default_factory=dict)
    number: int = -1
    has_rowid: bool = True

    def fits(self, row: Values) -> bool:
        """Return whether a row may be one of this table."""
        if not self.least <= len(row) <= len(self.types):
            return False
        for index, value in enumerate(row):
            if value is None:
                if not self.may_be_null[index] and index != self.number:
                    return False
            elif not isinstance(value, _PYTHON[self.types[index]]) or index == self.number:
                return False
        return all(re.fullmatch(form, str(row[index])) for index, form in self.forms.items())


_PYTHON: dict[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (float, int), "TEXT": (str,), "BLOB": (bytes,)}


@dataclass(slots=True)
class Salvage:
    """The rows of every table by their numbers, and where something is missing.

    ``damage``: how many pages of a table, or rows whose page is there, cannot be read. ``unread_pages`` are those of
    which not even that is known.
    """

    rows: dict[str, dict[int, Values]]
    damage: dict[str, int]
    unread_pages: int = 0
    version: int = 0  # of the format, as its header says; 0: unknown


class Pages:
    """The pages of a file as they were at the last change that its write-ahead log ends with."""

    def __init__(self, path: Path, *, decrypt: Decrypt | None = None) -> None:
        self._path = path
        self._decrypt = decrypt
        self._frames: dict[int, bytes] = {}
        head = self._bytes(0, _HEADER)
        size = struct.unpack(">H", head[16:18])[0] if len(head) == _HEADER else 0
        size = 65536 if size == 1 else size
        self.size = size if size in (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536) else _PAGE_SIZE
        self.usable = self.size - (32 if decrypt is not None else 0)
        self._size_of_file = path.stat().st_size
        self.count = -(-self._size_of_file // self.size)
        self._take_in_log(path.with_name(f"{path.name}-wal"))

    def _bytes(self, offset: int, length: int) -> bytes:
        """Read a stretch of the file; what the medium does not give is zeros."""
        with self._path.open("rb", buffering=0) as file:
            try:
                file.seek(offset)
                return file.read(length)
            except OSError:
                return bytes(length)

    def page(self, number: int) -> bytes:
        """Return a page, as long as every page; zeros where it cannot be had."""
        data = self._frames.get(number)
        if data is None:
            data = self._bytes((number - 1) * self.size, self.size) if 1 <= number <= self.count else b""
        if self._decrypt is not None:
            data = self._decrypt(number, data) or b""
        return data.ljust(self.size, b"\0")

    def _take_in_log(self, wal: Path) -> None:
        """Take in the frames of the log up to its last whole transaction; their check sums are chained."""
        try:
            log = wal.read_bytes()
        except OSError:
            return
        if len(log) < 32 or log[:4] not in (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83"):
            return
        order = ">" if log[3] & 1 else "<"
        sums = _check_sum(order, log[:24], (0, 0))
        if sums != struct.unpack(">2I", log[24:32]) or struct.unpack(">I", log[8:12])[0] != self.size:
            return
        open_frames: dict[int, bytes] = {}
        for offset in range(32, len(log) - 23 - self.size, 24 + self.size):
            frame = log[offset : offset + 24 + self.size]
            number, page_count, *salts = struct.unpack(">4I", frame[:16])
            sums = _check_sum(order, frame[24:], _check_sum(order, frame[:8], sums))
            if tuple(salts) != struct.unpack(">2I", log[16:24]) or sums != struct.unpack(">2I", frame[16:24]):
                break
            open_frames[number] = frame[24:]
            if page_count:
                self._frames |= open_frames
                open_frames.clear()
                self.count = min(page_count, max(-(-self._size_of_file // self.size), *self._frames))


def _check_sum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, two = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for index in range(0, len(words), 2):
        first = (first + words[index] + two) & 0xFFFFFFFF
        two = (two + words[index + 1] + first) & 0xFFFFFFFF
    return first, two


class _Unreadable(Exception):
    """Bytes that are not what they should be."""


def _number(data: bytes, offset: int) -> tuple[int, int]:
    """Read a number of variable length; return it and where it ends. Raises _Unreadable."""
    value = 0
    for count in range(9):
        if offset >= len(data):
            raise _Unreadable
        byte = data[offset]
        offset += 1
        if count == 8:
            value = value << 8 | byte
            break
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return (value - (1 << 64) if value >= 1 << 63 else value), offset


_INTEGER_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def _record(payload: bytes) -> Values:
    """Read the columns of a row. Raises _Unreadable."""
    head, offset = _number(payload, 0)
    if not offset <= head <= len(payload):
        raise _Unreadable
    kinds = []
    while offset < head:
        kind, offset = _number(payload, offset)
        kinds.append(kind)
    values: list[Any] = []
    place = head
    for kind in kinds:
        size = _INTEGER_SIZES.get(kind, 8 if kind == 7 else (kind - 12) // 2 if kind >= 12 else 0)
        data = payload[place : place + size]
        if len(data) != size or kind in (10, 11) or kind < 0:
            raise _Unreadable
        place += size
        if kind == 0:
            values.append(None)
        elif kind in _INTEGER_SIZES:
            values.append(int.from_bytes(data, "big", signed=True))
        elif kind == 7:
            values.append(struct.unpack(">d", data)[0])
        elif kind in (8, 9):
            values.append(kind - 8)
        elif kind % 2:
            try:
                values.append(data.decode())
            except UnicodeDecodeError as error:
                raise _Unreadable from error
        else:
            values.append(data)
    if place != len(payload):
        raise _Unreadable
    return tuple(values)


class _Tree:
    """The pages of the tables: which cells they hold, and which pages they lead to."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._room = _MOST_READ * (pages.count + 1) * pages.size  # bytes of rows that may still be read

    def kind(self, number: int) -> int:
        """Return what kind of page it is; 0 for one that is none."""
        page = self._pages.page(number)
        kind = page[_HEADER if number == 1 else 0]
        return kind if kind in (_TABLE_LEAF, _TABLE_INTERIOR, _INDEX_LEAF, _INDEX_INTERIOR) else 0

    def cells(self, number: int) -> Iterator[tuple[int, bytes]]:
        """Yield where each cell of a page begins, and its bytes. A place that cannot be is left out."""
        page = self._pages.page(number)
        base = _HEADER if number == 1 else 0
        head = base + (12 if page[base] in (_TABLE_INTERIOR, _INDEX_INTERIOR) else 8)
        count = min(struct.unpack(">H", page[base + 3 : base + 5])[0], (len(page) - head) // 2)
        for offset in struct.unpack(f">{count}H", page[head : head + 2 * count]):
            yield (
                offset,
                (page[offset : self._pages.usable] if head + 2 * count <= offset < self._pages.usable else b""),
            )

    def children(self, number: int) -> list[int]:
        """List the pages that an interior page leads to, in order."""
        page = self._pages.page(number)
        base = _HEADER if number == 1 else 0
        below = [struct.unpack(">I", cell[:4])[0] for _, cell in self.cells(number) if len(cell) >= 4]
        return [*below, struct.unpack(">I", page[base + 8 : base + 12])[0]]

    def rows(self, number: int) -> Iterator[tuple[int, Values | None]]:
        """Yield the rows of a page of a table by their numbers; None for one that cannot be read."""
        for _, cell in self.cells(number):
            try:
                length, offset = _number(cell, 0)
                rowid, offset = _number(cell, offset)
            except _Unreadable:
                yield -1, None
                continue
            try:
                yield rowid, _record(self._payload(cell[offset:], length, self._pages.usable - 35))
            except _Unreadable:
                yield rowid, None

    def keys(self, number: int) -> Iterator[Values | None]:
        """Yield the rows of a page of a table that is its own index; None for one that cannot be read."""
        is_interior = self.kind(number) == _INDEX_INTERIOR
        for _, cell in self.cells(number):
            try:
                length, offset = _number(cell, 4 if is_interior else 0)
                yield _record(self._payload(cell[offset:], length, (self._pages.usable - 12) * 64 // 255 - 23))
            except _Unreadable:
                yield None

    def _payload(self, cell: bytes, length: int, limit: int) -> bytes:
        """Return a row's bytes, with those on further pages. Raises _Unreadable."""
        usable = self._pages.usable
        if not 0 <= length <= min(_MOST_BYTES, self._room, self._pages.count * usable):
            raise _Unreadable
        self._room -= length
        if length <= limit:
            if len(cell) < length:
                raise _Unreadable
            return cell[:length]
        least = (usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (usable - 4)
        local = local if local <= limit else least
        if len(cell) < local + 4:
            raise _Unreadable
        parts, missing = [cell[:local]], length - local
        following = struct.unpack(">I", cell[local : local + 4])[0]
        while missing > 0:
            if not 1 <= following <= self._pages.count:
                raise _Unreadable
            page = self._pages.page(following)
            following = struct.unpack(">I", page[:4])[0]
            parts.append(page[4 : 4 + min(missing, usable - 4)])
            missing -= usable - 4
        return b"".join(parts)


def salvage(path: Path, shapes: Mapping[str, Shape], *, decrypt: Decrypt | None = None) -> Salvage:
    """Read every row of these tables that can be read; the file itself is only read."""
    pages = Pages(path, decrypt=decrypt)
    tree = _Tree(pages)
    result = Salvage({name: {} for name in shapes}, dict.fromkeys(shapes, 0))
    version = struct.unpack(">i", pages.page(1)[60:64])[0]
    result.version = version if 0 < version < 10_000 else 0
    visited_pages = {1}
    for name, root in _roots(tree).items():
        _read_tree(tree, pages.count, root, visited_pages, result, name, shapes.get(name))
    for number in range(2, pages.count + 1):
        if number not in visited_pages and tree.kind(number) in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR):
            _read_stray(tree, number, result, shapes)
    return result


def _roots(tree: _Tree) -> dict[str, int]:
    """Read from the schema where each table begins."""
    roots: dict[str, int] = {}
    waiting, visited_pages = [1], set()
    while waiting:
        number = waiting.pop()
        if number in visited_pages:
            continue
        visited_pages.add(number)
        if tree.kind(number) == _TABLE_INTERIOR:
            waiting += tree.children(number)
        elif tree.kind(number) == _TABLE_LEAF:
            for _, row in tree.rows(number):
                if row is not None and len(row) == 5 and row[0] == "table" and isinstance(row[3], int) and row[3] > 1:
                    roots[str(row[1])] = row[3]
    return roots


def _read_tree(
    tree: _Tree, count: int, root: int, visited_pages: set[int], result: Salvage, name: str, shape: Shape | None
) -> None:
    """Read the rows that a root leads to. Of a table that nobody asks for only its pages are noted."""
    waiting = [root]
    while waiting:
        number = waiting.pop()
        if number in visited_pages:
            continue
        kind = tree.kind(number) if 1 <= number <= count else 0
        kinds = (_TABLE_LEAF, _TABLE_INTERIOR) if shape is None or shape.has_rowid else (_INDEX_LEAF, _INDEX_INTERIOR)
        if kind not in kinds:
            if shape is not None:
                result.damage[name] += 1
            continue
        visited_pages.add(number)
        if kind in (_TABLE_INTERIOR, _INDEX_INTERIOR):
            waiting += tree.children(number)
        if shape is not None:
            _read_page(tree, number, result, name, shape)


def _read_page(tree: _Tree, number: int, result: Salvage, name: str, shape: Shape) -> None:
    rows = result.rows[name]
    if not shape.has_rowid:
        for row in tree.keys(number):
            if row is None or not shape.fits(row):
                result.damage[name] += 1
            else:
                rows[len(rows)] = row
    elif tree.kind(number) == _TABLE_LEAF:
        for rowid, row in tree.rows(number):
            if row is None or not shape.fits(row) or (shape.number >= 0 and not 0 <= rowid < MOST_NUMBERS):
                result.damage[name] += 1
            else:
                rows.setdefault(rowid if shape.number >= 0 else len(rows), row)


def _read_stray(tree: _Tree, number: int, result: Salvage, shapes: Mapping[str, Shape]) -> None:
    """Read a page that no root leads to: all its rows are of one table, the one whose shape fits most of them."""
    is_index = tree.kind(number) != _TABLE_LEAF
    rows = [
        row for row in (tree.keys(number) if is_index else (row for _, row in tree.rows(number))) if row is not None
    ]
    fitting = {
        name: sum(map(shape.fits, rows)) for name, shape in shapes.items() if shape.has_rowid is not is_index and rows
    }
    best = max(fitting, key=lambda name: fitting[name], default="")
    if best and fitting[best]:
        _read_page(tree, number, result, best, shapes[best])
    elif rows and not is_index:
        result.unread_pages += 1
