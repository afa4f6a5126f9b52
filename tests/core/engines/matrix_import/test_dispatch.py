"""Matrices made elsewhere: every format in the layout of its own program, odd content, and files made to harm."""

from __future__ import annotations

import functools
import gzip
import io
import random
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import RATINGS
from core.engines.matrix_import import dispatch
from core.errors import BadInput, SeveralMatrices
from core.ports import MatrixFile
from tests.core.engines import matrix_material as material
from tests.core.engines.matrix_material import EVIDENCE, HYPOTHESES

ROOT = Path(__file__).resolve().parents[4]


def read(data: bytes, name: str = "matrix", choose: str = "") -> MatrixFile:
    return dispatch.read(data, name, choose)


def ratings(matrix: MatrixFile) -> list[list[str | None]]:
    return [[cell.rating for cell in row.cells] for row in matrix.rows]


def grades(matrix: MatrixFile) -> list[tuple[str | None, str | None]]:
    return [(row.credibility, row.relevance) for row in matrix.rows]


GIVEN = [list(row[1]) for row in EVIDENCE]


class TestEveryFormat:
    @pytest.mark.parametrize("name", material.everything())
    def test_texts_and_ratings_come_out_as_they_went_in(self, name):
        matrix = read(material.everything()[name], name)
        assert [h.text for h in matrix.hypotheses] == list(HYPOTHESES)
        assert [row.text for row in matrix.rows] == [row[0] for row in EVIDENCE]
        assert ratings(matrix) == GIVEN

    @pytest.mark.parametrize("name", ["stirparo-v0.4.xlsx", "stirparo-v0.6.xlsx", "table.csv", "own.json"])
    def test_grades_come_out_as_they_went_in(self, name):
        assert grades(read(material.everything()[name], name)) == [row[2:] for row in EVIDENCE]

    @pytest.mark.parametrize("name", ["parc.achz", "table.csv", "stirparo-v0.6.xlsx", "own.json"])
    def test_a_clean_file_has_no_problem(self, name):
        assert read(material.everything()[name], name).problems == ()


def test_the_document_reader_points_to_the_way_in():
    from core.engines.readers.dispatch import FileReader
    from core.errors import UnreadableDocument

    with pytest.raises(UnreadableDocument) as caught:
        list(FileReader().read(material.everything()["parc.achz"], "old.achz"))
    assert "disconfirm import" in caught.value.hint


# --- files that are broken or made to harm ---------------------------------------------------------------------------


def whole_or_refused(data: bytes, name: str) -> MatrixFile | None:
    """Reads it; anything but a whole matrix or a refusal with its remedy fails the test."""
    try:
        matrix = read(data, name)
    except (BadInput, SeveralMatrices) as error:
        refusal = error
    else:
        refusal = None
    if refusal is not None:
        assert refusal.sentence
        assert refusal.hint
        return None
    assert matrix.hypotheses
    for row in matrix.rows:
        assert len(row.cells) == len(matrix.hypotheses)
        assert all(cell.rating in (None, *RATINGS) for cell in row.cells)
        assert row.text
    return matrix


class TestBroken:
    @pytest.mark.parametrize("name", [n for n in material.everything() if not n.endswith(".csv")])
    def test_a_file_that_was_cut_off_is_refused(self, name):
        data = material.everything()[name]
        for length in range(1, len(data), max(1, len(data) // 60)):
            end = data[length:].strip()
            if end:
                assert whole_or_refused(data[:length], name) is None, length

    @pytest.mark.parametrize("name", material.everything())
    def test_flipped_bits(self, name):
        data = material.everything()[name]
        luck = random.Random(name)
        for _ in range(120):
            broken = bytearray(data)
            for _ in range(luck.choice((1, 1, 3, 20))):
                broken[luck.randrange(len(broken))] ^= 1 << luck.randrange(8)
            whole_or_refused(bytes(broken), name)

    @pytest.mark.parametrize("name", material.everything())
    def test_stretches_of_rubbish(self, name):
        data = material.everything()[name]
        luck = random.Random(name)
        for _ in range(40):
            cut = luck.randrange(len(data))
            whole_or_refused(
                data[:cut] + luck.randbytes(luck.randrange(1, 300)) + data[cut + luck.randrange(50) :], name
            )

    @settings(max_examples=150, deadline=None)
    @given(st.lists(st.lists(st.sampled_from(["", "C", "II", "-", "1", "Evidence", "H1", "Score", "Date", "x\ny", "NA"])
                             | st.text(max_size=8), max_size=6), max_size=12))  # fmt: skip
    def test_tables_of_anything(self, lines):
        whole_or_refused(material.comma_table(lines=lines), "any.csv")

    @settings(max_examples=60, deadline=None)
    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5),
                        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                            st.sampled_from(["hypotheses", "evidence", "ratings", "id", "text", "marks", "matrices"]),
                            inner, max_size=4), max_leaves=20))  # fmt: skip
    def test_json_of_anything(self, value):
        whole_or_refused(material.as_json(value), "any.json")

    @pytest.mark.parametrize(
        "data",
        [b"%PDF-1.7 ...", b"\x89PNG\r\n\x1a\n....", b"SQLite format 3\0....", b"<html><body>x</body></html>",
         b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 40, b"just some text", b"a,b,c\n1,2,3\n", b"{}", b"[]", b"[1]", b"null",
         b"<a><MATRIX></MATRIX></a>", b"\0" * 5_000, bytes(range(256)) * 40],
    )  # fmt: skip
    def test_foreign_files_are_refused(self, data):
        assert whole_or_refused(data, "foreign") is None


def sheet_xml(inner: str) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<?xml version="1.0"?><worksheet xmlns="{main}"><sheetData>{inner}</sheetData></worksheet>'.encode()


def package(sheet: bytes, *, shared: bytes = b"", extra: dict[str, bytes] | None = None) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets>'
            "</workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="r1" Type="x" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
        if shared:
            archive.writestr("xl/sharedStrings.xml", shared)
        for name, data in (extra or {}).items():
            archive.writestr(name, data)
    return stream.getvalue()


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


SMALL = sheet_xml(
    f'<row r="1">{cell("A1", "Evidence")}{cell("B1", "H1")}{cell("C1", "H2")}</row>'
    f'<row r="2">{cell("A2", "a")}{cell("B2", "C")}{cell("C2", "I")}</row>'
)
LAUGHS = "<!DOCTYPE l [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {chr(98 + n)} '{('&' + chr(97 + n) + ';') * 10}'>" for n in range(9)
) + "]>"  # fmt: skip


def lying(data: bytes, part: str, size: int) -> bytes:
    """The archive with a false unpacked size of one part in its directory and header."""
    info = zipfile.ZipFile(io.BytesIO(data)).getinfo(part)
    out = bytearray(data)
    struct.pack_into("<I", out, info.header_offset + 22, size)
    offset = data.index(part.encode(), data.index(b"PK\x01\x02")) - 46
    struct.pack_into("<I", out, offset + 24, size)
    return bytes(out)


def overlapping() -> bytes:
    """Two directory entries for the same bytes."""
    data = package(SMALL)
    start = data.index(b"PK\x01\x02")
    end = data.rindex(b"PK\x05\x06")
    directory = data[start:end]
    name = b"xl/worksheets/sheet1.xml"
    offset = directory.index(name) - 46
    entry = directory[offset : offset + 46 + len(name)]
    twin = entry.replace(name, b"xl/worksheets/sheet2.xml")
    tail = bytearray(data[end:])
    struct.pack_into("<HHII", tail, 8, 4, 4, len(directory) + len(twin), start)
    return data[:start] + directory + twin + bytes(tail)


def huge_gzip(megabytes: int) -> bytes:
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b"\0" * 1_000_000
    return b"".join([*(pack.compress(block) for _ in range(megabytes)), pack.flush()])


@functools.cache
def bombs() -> dict[str, bytes]:
    """Small files that unpack to much, or say much with little. Made once: that takes a few seconds."""
    zeros = b"<x>" + b" " * 80_000_000
    gzipped, sheet = huge_gzip(300), package(zeros)
    many = {f"p{n}": b"" for n in range(6_000)}
    return {
        "gzip.achz": gzipped,
        "gzip-in-gzip.achz": gzip.compress(gzipped),
        "laughs.achz": material.achz(material.parc_xml(head=LAUGHS).replace("Pump two", "&j;")),
        "quadratic.achz": material.achz(
            material.parc_xml(head=f"<!DOCTYPE a [<!ENTITY a '{'x' * 50_000}'>]>").replace("Pump two", "&a;" * 50_000)
        ),
        "external.achz": material.achz(
            material.parc_xml(head='<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/hostname">]>').replace(
                "Pump two", "&a;"
            )
        ),
        "deep.achz": material.achz("<a>" * 250_000 + "</a>" * 250_000),
        "many-elements.achz": material.achz("<a>" + "<b/>" * 5_000_000 + "</a>"),
        "sheet.xlsx": sheet,
        "sheet-with-a-false-size.xlsx": lying(sheet, "xl/worksheets/sheet1.xml", 1_000),
        "doctype.xlsx": package(SMALL.replace(b"<worksheet", LAUGHS.encode() + b"<worksheet", 1)),
        "doctype-utf16.xlsx": package(SMALL.decode().replace("<worksheet", LAUGHS + "<worksheet", 1).encode("utf-16")),
        "far-cell.xlsx": package(sheet_xml(f'<row r="1048576">{cell("XFD1048576", "C")}</row>')),
        "far-cells.xlsx": package(SMALL.replace(b'r="2"', b'r="20000"').replace(b"C2", b"OJ20000")),
        "many-cells.xlsx": package(sheet_xml("<row>" + "<c><v>1</v></c>" * 3_000_000 + "</row>")),
        "shared.xlsx": package(
            sheet_xml("".join(f'<row r="{n}">' + '<c t="s"><v>0</v></c>' * 30 + "</row>" for n in range(1, 9_000))),
            shared=b"<sst><si><t>" + b"x" * 9_000_000 + b"</t></si></sst>",
        ),
        "many-parts.xlsx": package(SMALL, extra=many),
        "nested.xlsx": package(SMALL, extra={"a.zip": sheet})[:-30],
        "overlap.xlsx": overlapping(),
        "deep.json": b"[" * 10_000_000,
        "many.json": b"[" + b"[]," * 5_000_000 + b"[]]",
        "digits.json": b'{"hypotheses":[' + b"9" * 20_000_000 + b"]}",
        "commas.csv": b"," * 30_000_000,
        "lines.csv": b"Evidence,H1,H2\n" + b"a,C,I\n" * 4_000_000,
        "quote.csv": b'Evidence,H1\n"' + b"a" * 30_000_000,
        "wide.csv": b"Evidence" + b",H" * 4_000_000 + b"\na" + b",C" * 4_000_000,
        "legend.csv": b"Evidence,H1\n" + (b"1 = " + b"a" * 395 + b",C\n") * 60_000,
    }


MEASURED = """
import re, sys
from core.engines.matrix_import import dispatch as matrix_files
from core.errors import AppError
import lxml.etree
data = open(sys.argv[1], "rb").read()
try:
    matrix_files.read(data, "bomb")
    what = "read"
except AppError as error:
    what = type(error).__name__
print(what, int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1)) // 1024)
"""


FEW_BOMBS = ("nested.xlsx", "many.json", "lines.csv", "wide.csv")


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read where Linux tells it")
@pytest.mark.parametrize("names", [FEW_BOMBS, pytest.param((), marks=pytest.mark.slow)])
def test_bombs_are_refused_in_little_memory(tmp_path, names):
    """Refused within 300 MB."""
    results = {}
    for name, data in bombs().items():
        if names and name not in names:
            continue
        file = tmp_path / name
        file.write_bytes(data)
        process = subprocess.run(
            [sys.executable, "-c", MEASURED, str(file)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        assert process.returncode == 0, (name, process.stderr[-500:])
        outcome, megabytes = process.stdout.split()
        results[name] = (outcome, int(megabytes))
        print(name, results[name])
    assert {name: r for name, r in results.items() if r[0] != "BadInput"} == {}
    assert {name: r for name, r in results.items() if r[1] > 300} == {}


@pytest.mark.parametrize("count", [1_000, pytest.param(5_000, marks=pytest.mark.slow)])
def test_a_large_honest_matrix_is_read(count):
    """Thousands of pieces of evidence against 30 hypotheses, as a table and as a workbook."""
    luck = random.Random(1)
    lines = [["Evidence", *(f"Hypothesis {n}" for n in range(1, 31)), "Notes"]]
    lines += [[f"Evidence {n}", *luck.choices(RATINGS, k=30), "n" * 200] for n in range(1, count + 1)]
    matrix = read(material.comma_table(lines=lines), "large.csv")
    assert (len(matrix.rows), len(matrix.hypotheses), matrix.problems) == (count, 30, ())
    assert ratings(read(material.workbook({"A": lines}), "large.xlsx")) == ratings(matrix)


def test_a_report_in_markdown_is_no_matrix():
    report = b"# Report\n\n| Evidence | H1 | H2 |\n|---|---|---|\n| E1 badge | C | I |\n"
    with pytest.raises(BadInput, match="Markdown"):
        dispatch.read(report, "report.md")
