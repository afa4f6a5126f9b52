"""Old workbooks: number formats, what is hidden, comments and boxes; what holds no text is counted."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers import package_parts, xls_records
from core.engines.readers.dispatch import FileReader
from tests.core.engines.format_material import compound


def record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def wide(text: str, size: str = "<H") -> bytes:
    return struct.pack(size, len(text)) + b"\1" + text.encode("utf-16-le")


def text_object(number: int, kind: int, words: str) -> bytes:
    head = struct.pack("<HHHH", 0x15, 18, kind, number) + bytes(14)
    return (
        record(0x5D, head)
        + record(0x1B6, struct.pack("<HH6sHH", 0, 0, bytes(6), len(words), 16) + bytes(4))
        + record(0x3C, b"\1" + words.encode("utf-16-le"))
    )


def workbook(*cells: bytes, formats: tuple[str, ...] = (), book: bytes = b"", storages=None) -> bytes:
    """An old workbook of one sheet named Data."""
    begin = record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))
    looks = b"".join(record(0x41E, struct.pack("<H", 170 + number) + wide(code)) for number, code in enumerate(formats))
    looks += record(0xE0, struct.pack("<HH", 0, 0) + bytes(16))
    looks += b"".join(record(0xE0, struct.pack("<HH", 0, 170 + number) + bytes(16)) for number in range(len(formats)))
    head = record(0x809, struct.pack("<HHHHII", 0x600, 0x05, 0, 0, 0, 0)) + looks + book
    sheet_entry = struct.pack("<H", 0) + b"\4\0Data"
    place = len(head) + 4 + 4 + len(sheet_entry) + 4
    data = head + record(0x85, struct.pack("<I", place) + sheet_entry) + record(0x0A)
    data += begin + record(0x200, struct.pack("<IIHHH", 0, 9, 0, 9, 0)) + b"".join(cells) + record(0x0A)
    return compound({"Workbook": data.ljust(4_200, b"\0"), **(storages or {})})


def number(row: int, column: int, look: int, amount: float) -> bytes:
    return record(0x203, struct.pack("<HHHd", row, column, look, amount))


def read(data: bytes) -> tuple[list[PageText], list[LeftOut]]:
    _, *items = FileReader().read(data, "a.xls")
    return [item for item in items if isinstance(item, PageText)], [item for item in items if isinstance(item, LeftOut)]


def test_numbers_are_read_as_they_are_shown():
    cells = [
        number(0, 0, 1, 0.125),
        record(0x27E, struct.pack("<HHHI", 0, 1, 2, 1234 << 2 | 2)),
        record(0xBD, struct.pack("<HHHIHIH", 0, 2, 3, 30 << 2 | 2, 0, 7 << 2 | 2, 3)),
    ]
    (page,), _ = read(workbook(*cells, formats=("0.0%", "00000", '0 "days"')))
    assert page.text.endswith("\n\n12.5% · 01234 · 30 days · 7")


def test_hidden_rows_columns_and_cells_are_flagged():
    cells = [
        record(0x7D, struct.pack("<HHHHHH", 1, 1, 0, 0, 1, 0)),
        record(0x208, struct.pack("<HHHHHHI", 1, 0, 3, 0, 0, 0, 0x20)),
        number(0, 0, 0, 1), number(0, 1, 0, 2), number(0, 2, 1, 3), number(1, 0, 0, 4),
    ]  # fmt: skip
    (page,), _ = read(workbook(*cells, formats=(";;;",)))
    assert [page.text[start:end] for start, end in page.hidden_spans] == ["2", "3", "4"]


def font(*, flags: int = 0, script: int = 0, colour: int = 0x7FFF) -> bytes:
    return record(0x31, struct.pack("<HHHHH", 200, flags, colour, 400, script) + bytes(4) + b"\5\0Arial")


def style(number: int, *, pattern: int = 0, colour: int = 0x40) -> bytes:
    return record(0xE0, struct.pack("<HH", number, 0) + bytes(10) + struct.pack("<IH", pattern << 26, colour))


# Fonts 0 to 3 are plain; 4 is no number of a font.
FONTS = font() * 4 + font(script=1) + font(flags=8) + font(script=2) + font(colour=9)
RAISED, STRUCK, LOWERED, WHITE = 5, 6, 7, 8


def uneven(text: str, *runs: tuple[int, int], is_wide: bool = False) -> bytes:
    head = struct.pack("<HBH", len(text), 9 if is_wide else 8, len(runs))
    return head + text.encode("utf-16-le" if is_wide else "latin-1") + b"".join(struct.pack("<HH", *r) for r in runs)


def string(row: int, column: int, look: int, index: int) -> bytes:
    return record(0xFD, struct.pack("<HHHI", row, column, look, index))


def test_raised_lowered_and_struck_words_are_read_as_such():
    plain = struct.pack("<HB", 5, 0) + b"plain"
    items = uneven("ten to 106", (9, RAISED)) + plain + uneven("H2O was 400", (1, LOWERED), (2, 0), (8, STRUCK))
    table = record(0xFC, struct.pack("<II", 3, 3) + items)
    cells = [*(string(0, column, 0, column) for column in range(3)), string(0, 3, 1, 1), number(0, 4, 1, 7)]
    (page,), _ = read(workbook(*cells, book=FONTS + style(STRUCK) + table))
    assert page.text.endswith("\n\nten to 10⁶ · plain · H₂O was 400 · plain · 7")
    assert [page.text[start:end] for start, end in page.struck_spans] == ["400", "plain", "7"]


@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize("length", range(3, 60, 2))
def test_strings_go_on_in_further_records(is_wide, length):
    text = "first words of 106 and then some"
    item = uneven(text, (17, RAISED), (18, 0), is_wide=is_wide)
    content = struct.pack("<II", 2, 2) + item
    start, end = 8 + 5, 8 + 5 + len(text) * (1 + is_wide)
    cut = min(start + length // (1 + is_wide) * (1 + is_wide), end - 2)
    # What goes on within the characters begins with their width, which may be another.
    further = (
        b"\1" + content[cut:end].decode("latin-1").encode("utf-16-le") if not is_wide else b"\1" + content[cut:end]
    )
    table = (
        record(0xFC, content[:cut]) + record(0x3C, further + content[end:]) + record(0x3C, uneven("x2", (1, RAISED)))
    )
    (page,), _ = read(workbook(string(0, 0, 0, 0), string(0, 1, 0, 1), book=FONTS + table))
    assert page.text.endswith("first words of 10⁶ and then some · x²")


def test_errors_are_read_where_no_value_is():
    error = record(0x06, struct.pack("<HHH", 3, 1, 0) + bytes((2, 0, 0x2A, 0, 0, 0, 255, 255)) + bytes(8))
    first, last = (record(0x205, struct.pack("<HHHBB", row, 1, 0, 7, 1)) for row in (2, 5))
    (page,), _ = read(workbook(number(0, 0, 0, 1), first, number(3, 0, 0, 2), error, last))
    assert page.text.endswith("\n\n1\n\n#DIV/0!\n2 · #N/A\n\n#DIV/0!")


@pytest.mark.parametrize(
    ("book", "cells", "unseen"),
    [
        (style(WHITE), (), True),
        (style(WHITE, pattern=1, colour=9), (), True),
        (style(WHITE, pattern=1, colour=10), (), False),
        (style(WHITE, pattern=4, colour=9), (), False),
        (record(0x92, struct.pack("<H", 2) + bytes(4) + b"\x80\0\0\0") + style(WHITE), (), False),
        (style(WHITE), (record(0x1B0, bytes(14)),), False),
        (style(0), (), False),
    ],
)
def test_words_in_the_colour_of_the_paper_are_flagged(book, cells, unseen):
    (page,), _ = read(workbook(number(0, 0, 1, 1), number(0, 1, 0, 2), *cells, book=FONTS + book))
    assert [page.text[start:end] for start, end in page.hidden_spans] == (["1"] if unseen else [])


PLACES = {
    "comment": lambda w: workbook(
        number(0, 0, 0, 1), text_object(5, 0x19, w), record(0x1C, struct.pack("<HHHH", 0, 0, 0, 5) + wide("Bo") + b"\0")
    ),
    "author": lambda w: workbook(
        number(0, 0, 0, 1), text_object(5, 0x19, "x"), record(0x1C, struct.pack("<HHHH", 0, 0, 0, 5) + wide(w) + b"\0")
    ),
    "text box": lambda w: workbook(number(0, 0, 0, 1), text_object(5, 0x06, w)),
    "header": lambda w: workbook(number(0, 0, 0, 1), record(0x14, wide(f"&C{w}"))),
    "footer": lambda w: workbook(number(0, 0, 0, 1), record(0x15, wide(f"&L&P&R{w}"))),
    "sheet Data": lambda w: workbook(
        number(0, 0, 0, 1), record(0x809, struct.pack("<HHHHII", 0x600, 0x20, 0, 0, 0, 0)), record(0x100D, wide(w)),
        record(0x0A),
    ),
    "sheet Data, tip of a link": lambda w: workbook(number(0, 0, 0, 1), record(0x800, w.encode("utf-16-le"))),
    "sheet Data, rule for the contents of cells": lambda w: workbook(number(0, 0, 0, 1), record(0x1BE, w.encode())),
    "sheet Data, scenario": lambda w: workbook(number(0, 0, 0, 1), record(0xAF, w.encode())),
    "sheet Data, value of a filter": lambda w: workbook(number(0, 0, 0, 1), record(0x9E, w.encode())),
    "workbook": lambda w: workbook(number(0, 0, 0, 1), storages={"_VBA_PROJECT_CUR": {"dir": w.encode()}}),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=10)
@given(word=st.from_regex(r"[a-z]{6}q[a-z]{3}", fullmatch=True))
def test_a_word_is_read_or_its_place_is_named(place, word):
    pages, lines = read(PLACES[place](word))
    assert any(word in page.text for page in pages) or place in {
        where for line in lines for where in (line.where, f"{line.where}, {line.what}")
    }


def test_pictures_and_links_are_counted():
    pictures = struct.pack("<HHI", 0xF, 0xF000, 24) + struct.pack("<HHI", 0, 0xF006, 0)
    pictures += struct.pack("<HHI", 3 << 4 | 0xF, 0xF001, 8)
    _, lines = read(workbook(number(0, 0, 0, 1), book=record(0xEB, pictures) + record(0x1AE, bytes(8))))
    assert set(lines) == {LeftOut("picture", 3, "workbook"), LeftOut("link to other workbooks", 1, "workbook")}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    0x809,
                    0x0A,
                    0x85,
                    0x41E,
                    0xE0,
                    0x1C,
                    0x5D,
                    0x1B6,
                    0x3C,
                    0xBD,
                    0x06,
                    0x14,
                    0x31,
                    0x92,
                    0xFC,
                    0xFD,
                    0x205,
                ]
            ),
            st.binary(max_size=30),
        )
    )
)
def test_no_record_makes_the_reading_fail(items):
    data = compound({"Workbook": b"".join(record(kind, content) for kind, content in items).ljust(4_200, b"\0")})
    ledger = package_parts.Ledger()
    assert isinstance(xls_records.read(data, "a.xls", ledger), xls_records.Workbook)
