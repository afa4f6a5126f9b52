"""Binary workbooks: number formats, what is hidden, headers and drawings."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers import package_parts, xlsb_records, xlsx
from core.engines.readers.dispatch import FileReader
from core.engines.readers.ooxml_package import check_package
from tests.core.engines.format_material import contents, packed, relations


def record(kind: int, content: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 0x80 else bytes([(kind & 0x7F) | 0x80, kind >> 7])
    return head + bytes([len(content)]) + content


def words(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def row(number: int, *cells: bytes, is_hidden: bool = False) -> bytes:
    return record(0, struct.pack("<IIHBBB", number, 0, 300, 0, 0x10 if is_hidden else 0, 0) + bytes(4)) + b"".join(
        cells
    )


def cell(column: int, look: int, amount: float) -> bytes:
    return record(5, struct.pack("<IId", column, look, amount))


def workbook(
    rows: bytes, *, formats: tuple[str, ...] = (), above: bytes = b"", tail: bytes = b"", more=None, names: bytes = b"",
    title: str = "Data", state: int = 0, flags: int = 0, fonts: tuple[bytes, ...] = (),
) -> bytes:  # fmt: skip
    book = (
        record(131)
        + record(153, struct.pack("<II", flags, 0) + words(""))
        + record(143)
        + record(156, struct.pack("<II", state, 1) + words("rId1") + words(title))
    )
    styles = record(615, struct.pack("<I", len(formats)))
    styles += b"".join(record(44, struct.pack("<H", 170 + number) + words(code)) for number, code in enumerate(formats))
    styles += record(616) + b"".join(record(43, font) for font in fonts)
    looks = [0, *range(170, 170 + len(formats))]
    faces = [*range(max(len(looks), len(fonts)))]
    looks += [0] * (len(faces) - len(looks))
    styles += record(626, struct.pack("<I", 1)) + record(47, struct.pack("<HH", 0, 49) + bytes(12)) + record(627)
    styles += (
        record(617, struct.pack("<I", len(looks)))
        + b"".join(record(47, struct.pack("<HHH", 0, *look) + bytes(10)) for look in zip(looks, faces, strict=True))
        + record(618)
    )
    sheet = record(129) + record(148, struct.pack("<IIII", 0, 9, 0, 9)) + above + record(145) + rows + record(146)
    return packed(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.bin")),
            "xl/workbook.bin": book + record(144) + names + record(132),
            "xl/_rels/workbook.bin.rels": relations(
                ("rId1", "worksheet", "worksheets/sheet1.bin"),
                ("rId2", "styles", "styles.bin"),
                ("rId3", "sharedStrings", "sharedStrings.bin"),
            ),
            "xl/styles.bin": styles,
            "xl/worksheets/sheet1.bin": sheet + tail + record(130),
            **(more or {}),
        }
    )


def read(data: bytes) -> tuple[list[PageText], list[LeftOut]]:
    _, *items = FileReader().read(data, "a.xlsb")
    return [item for item in items if isinstance(item, PageText)], [item for item in items if isinstance(item, LeftOut)]


def test_numbers_are_read_as_they_are_shown_and_what_is_hidden_is_flagged():
    columns = record(60, struct.pack("<IIIIH", 2, 2, 0, 0, 1))
    rows = row(0, cell(0, 1, 0.125), cell(1, 2, 1234), cell(2, 0, 7)) + row(1, cell(0, 0, 8), is_hidden=True)
    (page,), lines = read(workbook(rows, formats=("0.0%", "00000"), above=columns))
    assert page.text.endswith("\n\n12.5% · 01234 · 7\n8")
    assert [page.text[start:end] for start, end in page.hidden_spans] == ["7", "8"]
    assert lines == []


def font(*, flags: int = 0, script: int = 0) -> bytes:
    return struct.pack("<HHHHBBBB", 220, flags, 400, script, 0, 2, 0, 0) + bytes(8) + b"\2" + words("Calibri")


FONTS = (font(), font(script=1), font(flags=8), font(script=2))


def uneven(text: str, *runs: tuple[int, int]) -> bytes:
    return b"\1" + words(text) + struct.pack("<I", len(runs)) + b"".join(struct.pack("<HH", *run) for run in runs)


def test_raised_lowered_and_struck_words_are_read_as_such():
    items = [uneven("ten to 106", (9, 1)), b"\0" + words("plain"), uneven("H2O was 400", (1, 3), (2, 0), (8, 2))]
    strings = record(159, struct.pack("<II", 3, 3)) + b"".join(record(19, item) for item in items)
    rows = row(
        0,
        *(record(7, struct.pack("<III", column, 0, column)) for column in range(3)),
        record(62, struct.pack("<II", 3, 0) + uneven("x2", (1, 1))),
        record(6, struct.pack("<II", 4, 2) + words("gone")),
        cell(5, 2, 7),
    )
    (page,), _ = read(workbook(rows, fonts=FONTS, more={"xl/sharedStrings.bin": strings}))
    assert page.text.endswith("\n\nten to 10⁶ · plain · H₂O was 400 · x² · gone · 7")
    assert [page.text[start:end] for start, end in page.struck_spans] == ["400", "gone", "7"]


def test_errors_are_read_where_no_value_is():
    rows = row(0, cell(0, 0, 1)) + row(2, record(3, struct.pack("<IIB", 1, 0, 7)))
    rows += row(3, cell(0, 0, 2), record(11, struct.pack("<IIB", 1, 0, 0x2A) + bytes(10)))
    (page,), _ = read(workbook(rows))
    assert page.text.endswith("\n\n1\n\n#DIV/0!\n2 · #N/A")


def test_dates_count_from_1904_where_the_workbook_says_so():
    (page,), _ = read(workbook(row(0, cell(0, 1, 39262)), formats=("yyyy-mm-dd",), flags=1))
    assert page.text.endswith("2011-06-30")


def test_headers_and_drawings_are_read_and_other_parts_named():
    header = record(479, b"\0\0" + words("&CSecret annex") + b"\xff\xff\xff\xff" * 5)
    more = {
        "xl/worksheets/_rels/sheet1.bin.rels": relations(("d", "drawing", "../drawings/drawing1.xml")),
        "xl/drawings/drawing1.xml": '<x xmlns:a="urn:a"><oneCellAnchor><sp><txBody><a:p><a:r><a:t>Draft</a:t></a:r>'
        "</a:p></txBody></sp></oneCellAnchor></x>",
        "xl/comments1.bin": "x",
    }
    (page,), lines = read(workbook(row(0, cell(0, 0, 1)), tail=header, more=more))
    assert page.text.endswith("\n\n1\n\nHeader: Secret annex\n\nText box: Draft")
    assert lines == [LeftOut("comment part", 1, "xl")]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0, 2, 3, 5, 7, 9, 11, 19, 43, 44, 47, 60, 62, 156, 479, 617]), st.binary(max_size=30)
        )
    ),
    st.binary(),
)
def test_no_record_makes_the_reading_fail(items, rest):
    data = b"".join(record(kind, content) for kind, content in items) + rest
    package = check_package(
        workbook(data, tail=rest, more={"xl/styles.bin": data, "xl/sharedStrings.bin": data}), "a.xlsb"
    )
    book = xlsx.Book(package, "a.xlsb", package_parts.Ledger())
    assert list(xlsb_records.read(package, "a.xlsb", book)) == ["Data"]


ONE = row(0, cell(0, 0, 1))
NOTHING = b"\xff\xff\xff\xff"
DRAWING = {"xl/worksheets/_rels/sheet1.bin.rels": relations(("d", "drawing", "../drawings/drawing1.xml"))}


def drawn(inside: str) -> bytes:
    part = f'<x xmlns:a="urn:a"><oneCellAnchor>{inside}</oneCellAnchor></x>'
    return workbook(ONE, more={**DRAWING, "xl/drawings/drawing1.xml": part})


PLACES = {  # and the line of the ledger that stands for one
    "text": (lambda w: workbook(row(0, record(6, struct.pack("<II", 0, 0) + words(w)))), ""),
    "text of a formula": (lambda w: workbook(row(0, record(8, struct.pack("<II", 0, 0) + words(w) + bytes(10)))), ""),
    "name of the sheet": (lambda w: workbook(ONE, title=w), ""),
    "name of a hidden sheet": (lambda w: workbook(ONE, title=w, state=1), ""),
    "unit of a number": (lambda w: workbook(row(0, cell(0, 1, 5)), formats=(f'0 "{w}"',)), ""),
    "hidden row": (lambda w: workbook(row(0, record(6, struct.pack("<II", 0, 0) + words(w)), is_hidden=True)), ""),
    "header": (lambda w: workbook(ONE, tail=record(479, b"\0\0" + words(f"&C{w}") + NOTHING * 5)), ""),
    "footer of the first page": (
        lambda w: workbook(ONE, tail=record(479, b"\0\0" + NOTHING * 5 + words(f"&L{w}"))), "",
    ),
    "text box": (lambda w: drawn(f"<sp><txBody><a:p><a:r><a:t>{w}</a:t></a:r></a:p></txBody></sp>"), ""),
    "description of a picture": (
        lambda w: drawn(f'<pic><nvPicPr><cNvPr id="1" name="p" descr="{w}"/></nvPicPr></pic>'), "",
    ),
    "name of a range": (
        lambda w: workbook(ONE, names=record(39, bytes(9) + words(w) + bytes(8))), "name of a range or formula",
    ),
    "tip of a link": (
        lambda w: workbook(ONE, tail=record(494, bytes(16) + words("r1") + words("") + words(w) + words(""))),
        "tip of a link",
    ),
    "rule for contents": (lambda w: workbook(ONE, tail=record(64, w.encode())), "rule for the contents of cells"),
    "rule for looks": (lambda w: workbook(ONE, tail=record(463, bytes(42) + words(w))), "rule for the look of cells"),
    "filter": (lambda w: workbook(ONE, tail=record(167, words(w))), "value of a filter"),
    "comment": (lambda w: workbook(ONE, more={"xl/comments1.bin": w}), "comment part"),
    "pivot table": (
        lambda w: workbook(ONE, more={"xl/pivotCache/records1.bin": w}), "stored source of a pivot table",
    ),
    "macro": (lambda w: workbook(ONE, more={"xl/vbaProject.bin": w}), "macro project"),
    "embedded file": (lambda w: workbook(ONE, more={"xl/embeddings/a.docx": w}), ""),
    "odd part": (lambda w: workbook(ONE, more={"odd/a.xyz": w}), "part of an unknown kind (.xyz)"),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_word_is_read_or_its_place_is_named(place):
    make, line = PLACES[place]
    text, left_out = contents(make("quartzword"), "a.xlsb")
    assert line in left_out if line else "quartzword" in text
