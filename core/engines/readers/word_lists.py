"""The lists of an old Word document, whose numbers stand in no text ([MS-DOC] 2.4.6.3, 2.9.131 to 2.9.150, 2.9.271)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace

from core.engines.readers.docx_numbering import Level, Numbering

_LISTS = 10_000
_KINDS = {
    0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal",
    6: "cardinalText", 7: "ordinalText", 22: "decimalZero", 23: "bullet", 57: "numberInDash", 255: "none",
}  # fmt: skip
_LIST, _LEVEL = 0x460B, 0x260A  # changes of a format that put a paragraph into a list, and on a level of it
NONE = 0


def numbering(lists: bytes, uses: bytes) -> Numbering:
    """Read the lists and their uses, which paragraphs name by their place. Raises struct.error for damaged ones."""
    definitions = _definitions(lists)
    numbers: dict[str, tuple[str, dict[int, Level], dict[int, int]]] = {}
    (count,) = struct.unpack_from("<I", uses)
    count = min(count, _LISTS)
    place = 4 + 16 * count
    for number in range(count):
        (identity,) = struct.unpack_from("<i", uses, 4 + 16 * number)
        levels: dict[int, Level] = {}
        starts: dict[int, int] = {}
        place += 4
        for _ in range(uses[4 + 16 * number + 12]):
            start, flags = struct.unpack_from("<iI", uses, place)
            place += 8
            if flags & 0x20:
                levels[flags & 15], place = _level(uses, place)
            elif flags & 0x10:
                starts[flags & 15] = start
        numbers[str(number + 1)] = (str(identity), levels, starts)
    return Numbering.of_lists(definitions, numbers)


def _definitions(data: bytes) -> dict[str, dict[int, Level]]:
    (count,) = struct.unpack_from("<H", data)
    count = min(count, _LISTS)
    place = 2 + 28 * count
    definitions: dict[str, dict[int, Level]] = {}
    for number in range(count):
        (identity,) = struct.unpack_from("<i", data, 2 + 28 * number)
        levels: dict[int, Level] = {}
        for index in range(1 if data[2 + 28 * number + 26] & 1 else 9):
            levels[index], place = _level(data, place)
        definitions[str(identity)] = levels
    return definitions


def _level(data: bytes, place: int) -> tuple[Level, int]:
    """Return a level of a list, and where it ends."""
    start, kind, flags = struct.unpack_from("<iBB", data, place)
    characters, paragraph, restart = struct.unpack_from("<BBB", data, place + 24)
    place += 28 + paragraph + characters
    (length,) = struct.unpack_from("<H", data, place)
    raw = data[place + 2 : place + 2 + 2 * length].decode("utf-16-le", "replace")
    text = "".join(f"%{ord(sign) + 1}" if sign < "\t" else sign for sign in raw)
    level = Level(start, _KINDS.get(kind, "decimal"), text, is_legal=bool(flags & 4))
    return (replace(level, restart=restart) if flags & 8 else level), place + 2 + 2 * length


def styles(sheet: bytes) -> dict[int, tuple[int, int]]:
    """Return the list and the level of the styles of paragraphs that have one, by the numbers of the styles."""
    definitions: dict[int, tuple[int, dict[int, int]]] = {}  # the style that one is based on, and its changes
    (size,) = struct.unpack_from("<H", sheet)
    count, base_size = struct.unpack_from("<HH", sheet, 2)
    place = 2 + size
    for number in range(count):
        if place + 2 > len(sheet):
            break
        (length,) = struct.unpack_from("<H", sheet, place)
        style, place = sheet[place + 2 : place + 2 + length], place + 2 + length
        if length < base_size + 2 or struct.unpack_from("<H", style, 2)[0] & 15 != 1:
            continue
        (letters,) = struct.unpack_from("<H", style, base_size)
        begin = base_size + 4 + 2 * letters
        begin += begin % 2
        (changes,) = struct.unpack_from("<H", style, begin) if begin + 2 <= length else (0,)
        definitions[number] = (
            struct.unpack_from("<H", style, 2)[0] >> 4,
            dict(of_format(style[begin + 4 : begin + 2 + changes])),
        )
    result: dict[int, tuple[int, int]] = {}
    for number in definitions:
        values: dict[int, int] = {}
        style_number, seen = number, set[int]()
        while style_number in definitions and style_number not in seen:
            seen.add(style_number)
            style_number, changes_here = definitions[style_number]
            values = {**changes_here, **values}
        if values.get(_LIST, NONE) != NONE:
            result[number] = values[_LIST], values.get(_LEVEL, 0)
    return result


_SIZES = (1, 1, 2, 4, 2, 2, -1, 3)  # bytes of an operand, by the highest bits of its code; -1: it says so itself


def changes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the changes of a format: code and operand."""
    place = 0
    while place + 2 < len(data):
        (code,) = struct.unpack_from("<H", data, place)
        place += 2
        size = _SIZES[code >> 13]
        if size < 0:
            size = (
                struct.unpack_from("<H", data, place)[0] - 1
                if code == 0xD608 and place + 2 <= len(data)
                else data[place]
            )
            place += 2 if code == 0xD608 else 1
        yield code, data[place : place + size]
        place += size


def of_format(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the changes of a format that put a paragraph into a list or on a level of it."""
    for code, operand in changes(data):
        if code == _LIST and len(operand) == 2:
            number = int.from_bytes(operand, "little")
            yield code, number if number < 0x7FF else NONE
        elif code == _LEVEL:
            yield code, min(int.from_bytes(operand, "little"), 8)


def place_of(data: bytes) -> tuple[int | None, int | None]:
    """Return the list and the level that a format gives a paragraph; None where it leaves them to the style."""
    values = dict(of_format(data))
    return values.get(_LIST), values.get(_LEVEL)
