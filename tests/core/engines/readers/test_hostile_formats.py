"""Damaged and hostile files of every format: pages, a refusal, or one child that ends. Never more, never for ever."""

from __future__ import annotations

import io

import openpyxl
import pytest
from PIL import Image

from core.engines.readers.dispatch import FileReader
from core.errors import EngineStopped, UnreadableDocument
from core.ports import Attachment
from tests.core.engines.format_material import (
    epub,
    message,
    mhtml,
    opendocument,
    packed,
    shape,
    slide,
    slides,
    warc,
    xls,
    xlsb,
)
from tests.core.engines.readers.test_dispatch import checked, mutants

TEXT = "The dosing pump stopped at 02:14. "


def book() -> bytes:
    workbook, file = openpyxl.Workbook(), io.BytesIO()
    for number in range(20):
        workbook.active.append([TEXT, number, number / 7])
    workbook.active.column_dimensions["B"].hidden = True
    workbook.save(file)
    return file.getvalue()


def tiff() -> bytes:
    file = io.BytesIO()
    pages = [Image.new("L", (40, 40), n) for n in (255, 128)]
    pages[0].save(file, "TIFF", save_all=True, append_images=pages[1:])
    return file.getvalue()


def mbox() -> bytes:
    head = (
        b"From a Tue Mar 5 08:00:00 2024\nFrom: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
    )
    part = b"--b\nContent-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\nJVBERi0=\n--b--\n\n"
    return (head + b"--b\n\n" + TEXT.encode() + b"\n" + part) * 3


ROWS = "".join(
    f"<table:table-row><table:table-cell office:value-type='string'><text:p>{TEXT}{n}</text:p></table:table-cell>"
    "</table:table-row>"
    for n in range(9)
)
CELLS = {(row, column): f"{TEXT}{row}" if column else float(row) for row in range(9) for column in range(3)}
RTF = (
    r"{\rtf1\ansi{\fonttbl{\f0\fcharset204 A;}}{\colortbl;\red255\green255\blue255;}{\info{\title T}}"
    rf"{{\v {TEXT}}}\par{{\footnote {TEXT}}}\trowd a\cell b\cell\row \u8364?\'e4\bin3 abc}}"
).encode()
MATERIAL = {
    "a.xlsx": book(),
    "a.xls": xls(CELLS),
    "a.xlsb": xlsb(CELLS),
    "a.ods": opendocument("spreadsheet", f'<table:table table:name="A">{ROWS}</table:table>'),
    "a.odt": opendocument("text", f"<text:p>{TEXT}</text:p><table:table>{ROWS}</table:table>"),
    "a.pptx": slides(slide(shape(TEXT, kind="title"), shape(TEXT)), notes={1: TEXT}),
    "a.rtf": RTF,
    "a.epub": epub(f"<p>{TEXT * 5}</p>"),
    "a.tif": tiff(),
    "a.mhtml": mhtml(f"<p>{TEXT}</p>", frame=f"<p>{TEXT}</p>"),
    "a.warc": warc(("https://a.b/c", "text/html", TEXT.encode()), ("https://a.b/d", "text/plain", TEXT.encode())),
    "a.warc.gz": warc(("https://a.b/c", "text/html", TEXT.encode()), zipped=True),
    "a.mbox": mbox(),
    "a.msg": message({0x37: "x", 0x1000: TEXT, 0x39: 133_540_992_000_000_000}, attached=(("a.txt", b"one" * 2_000),)),
    "a.zip": packed({"one.txt": TEXT, "two/three.html": f"<p>{TEXT}</p>"}),
}
COUNTS = [3, pytest.param(60, marks=pytest.mark.slow)]


def refused(error: UnreadableDocument) -> None:
    """A refusal says why and what to do."""
    assert error.sentence
    assert error.hint.endswith(".")


@pytest.mark.parametrize("name", MATERIAL)
def test_the_material_itself_is_read(reader, name):
    items = list(reader.read(MATERIAL[name], name))
    checked(items)
    if name != "a.tif":
        assert any("pump stopped" in page.text or "one.txt" in page.text or "a.b" in page.text for page in items[1:2])
    assert items == list(FileReader().read(MATERIAL[name], name)), "the child gives what the reader gives"


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", MATERIAL)
def test_damaged_copies_end_as_pages_or_a_problem(reader, name, count):
    outcomes = {"read": 0, "refused": 0, "stopped": 0}
    for copy in mutants(MATERIAL[name], count, seed=len(name)):
        try:
            checked(list(reader.read(copy, name)))
            outcomes["read"] += 1
        except UnreadableDocument as error:
            refused(error)
            outcomes["refused"] += 1
        except EngineStopped:
            outcomes["stopped"] += 1
    assert sum(outcomes.values()) == count
    assert outcomes["stopped"] <= max(1, count // 20), outcomes


@pytest.mark.parametrize("parts", [(0.6,), pytest.param((0.02, 0.3, 0.6, 0.95), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", MATERIAL)
def test_copies_that_were_cut_off_end_as_pages_or_a_problem(reader, name, parts):
    data = MATERIAL[name]
    for part in parts:
        try:
            checked(list(reader.read(data[: int(len(data) * part)], name)))
        except UnreadableDocument as error:
            refused(error)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", MATERIAL)
def test_a_name_that_lies_does_no_harm(reader, name, step):
    names = list(MATERIAL)
    for false_name in names[names.index(name) % step :: step]:
        try:
            checked(list(reader.read(MATERIAL[name], false_name)))
        except UnreadableDocument as error:
            refused(error)


DEEP = "<table:table><table:table-row><table:table-cell>" * 80


def test_a_compound_file_whose_chains_run_in_a_circle_or_meet_is_refused():
    import struct

    for name, content in (("a.msg", message({0x1000: "x" * 5_000})), ("a.xls", xls({(0, 0): "x" * 5_000}))):
        data = bytearray(content)
        table = (struct.unpack_from("<I", data, 76)[0] + 1) * 512
        assert struct.unpack_from("<2I", data, table) == (1, 2)
        assert list(FileReader().read(bytes(data), name))
        data[table + 4 : table + 8] = struct.pack("<I", 0)
        with pytest.raises(UnreadableDocument, match="damaged") as caught:
            list(FileReader().read(bytes(data), name))
        refused(caught.value)


def test_tables_inside_tables_end(reader):
    data = opendocument(
        "text", DEEP + f"<text:p>{TEXT}</text:p>" + "</table:table-cell></table:table-row></table:table>" * 80
    )
    try:
        checked(list(reader.read(data, "a.odt")))
    except UnreadableDocument as error:
        refused(error)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("many.rtf", b"{\\rtf1 " + b"\\par\\u8364?\\'e4{\\i x}" * 20_000 + b"}"),
        ("many.mbox", b"From a Tue Mar 5 2024\nTo: b\n\nx\n\n" * 3_000),
        ("open.mbox", b"From a\n" * 300_000),
        (
            "many.mhtml",
            b"Content-Type: multipart/related; boundary=b\n\n" + b"--b\nContent-Type: text/html\n\n<p>x\n" * 5_000,
        ),
        ("many.warc", warc(*((f"https://a.b/{n}", "text/html", b"<p>x") for n in range(3_000)))),
        ("many.zip", packed({f"{n}.txt": b"x" for n in range(3_000)})),
        ("wide.pptx", slides(slide(*(shape("x") for _ in range(5_000))))),
    ],
)
def test_many_small_things_are_read_or_refused(reader, name, data):
    try:
        items = list(reader.read(data, name))
        checked(items)
        assert sum(isinstance(item, Attachment) for item in items) <= 2_001
    except UnreadableDocument as error:
        refused(error)
