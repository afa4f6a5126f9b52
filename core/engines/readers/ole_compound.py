"""Compound files hold old office files and Outlook messages. Checked before a library follows their chains."""

from __future__ import annotations

import struct
from array import array

from core.errors import UnreadableDocument

_HEAD = 512
_HEAD_TABLES = 109  # tables named in the head; the others are named in a chain of their own
_LAST = 0xFFFFFFFA  # from here on a number marks an end and is no sector


def check_chains(data: bytes, name: str) -> None:
    """Raise UnreadableDocument where two chains of sectors meet or one runs in a circle.

    The libraries follow chains without counting: a circle would fill the memory, a crossing multiply the file.
    """
    shift, mini_shift = struct.unpack_from("<HH", data.ljust(_HEAD, b"\0"), 30)
    if shift not in (9, 12) or mini_shift != 6:
        raise _damaged_file(name)
    size = 1 << shift
    count = -(-len(data) // size)
    table_count, directory_start = struct.unpack_from("<II", data, 44)
    cutoff, mini_start = struct.unpack_from("<II", data, 56)
    next_table, _ = struct.unpack_from("<II", data, 68)

    def sector(number: int) -> bytes:
        return data[(number + 1) * size : (number + 2) * size].ljust(size, b"\0")

    table_sectors = list(struct.unpack_from(f"<{_HEAD_TABLES}I", data, 76))
    chain_sectors: set[int] = set()
    while next_table < min(_LAST, count):
        if next_table in chain_sectors:
            raise _damaged_file(name)
        chain_sectors.add(next_table)
        *numbers, next_table = struct.unpack(f"<{size // 4}I", sector(next_table))
        table_sectors += numbers
    tables = [number for number in table_sectors if number < min(_LAST, count)]
    if len(set(tables)) != len(tables) or table_count > count:
        raise _damaged_file(name)
    table = array("I", b"".join(sector(number) for number in tables))
    marks = bytearray(len(table))
    chain = _follow(table, marks, directory_start, name)
    entries = b"".join(sector(number) for number in chain)
    small_table = array("I", b"".join(sector(number) for number in _follow(table, marks, mini_start, name)))
    small_used = bytearray(len(small_table))
    for offset in range(0, len(entries), 128):
        kind = entries[offset + 66]
        start, length = struct.unpack_from("<II", entries, offset + 116)
        if kind not in (2, 5) or not length:
            continue
        if kind == 5 or length >= cutoff:
            _follow(table, marks, start, name)
        else:
            _follow(small_table, small_used, start, name)


def _follow(table: array[int], marks: bytearray, start: int, name: str) -> list[int]:
    """List the sectors of a chain, and mark each as used."""
    sectors = []
    while start < len(table):
        if marks[start]:
            raise _damaged_file(name)
        marks[start] = 1
        sectors.append(start)
        start = table[start]
    return sectors


def _damaged_file(name: str) -> UnreadableDocument:
    return UnreadableDocument(
        reason=f"{name} is damaged: its parts are out of order.",
        remedy="Open it in the program that made it and save it again, or as PDF, and add that.",
    )
