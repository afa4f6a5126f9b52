"""Tables: a cell can be found by what the text says, and what is hidden is said to be."""

from __future__ import annotations

import datetime
import io
import zipfile

import openpyxl
import pytest

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from tests.core.engines.format_material import opendocument, packed, xls, xlsb

READER = FileReader()


def book(fill) -> bytes:
    workbook = openpyxl.Workbook()
    fill(workbook)
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()


def read(data, name):
    outline, *items = READER.read(data, name)
    return outline, [item for item in items if isinstance(item, PageText)]


def unseen(page) -> list[str]:
    return [page.text[start:end] for start, end in page.hidden_spans]


def budget(workbook):
    sheet = workbook.active
    sheet.title = "Budget"
    for row in (["Item", "Cost", "Paid"], ["Pump", 1200, True], ["Valve", 0.1, False], ["Pipe", 12.5, None]):
        sheet.append(row)
    sheet["B6"] = datetime.datetime(2024, 3, 5, 8, 30)
    sheet["C6"] = datetime.datetime(2024, 3, 5)
    sheet["D6"] = "two\nlines\tand a tab"
    workbook.properties.title = "Costs"
    workbook.properties.creator = "Ann Berg"


def words(page) -> list[list[str]]:
    return [[page.text[start:end] for start, end in row] for table in page.tables for row in table.rows]


def test_each_value_stands_beside_its_heading_and_each_cell_keeps_its_column_and_row():
    outline, (page,) = read(book(budget), "a.xlsx")
    assert (outline.kind, outline.pages, outline.title, outline.author) == ("xlsx", 1, "Costs", "Ann Berg")
    assert page.label == "Budget"
    assert page.text.split("\n") == [
        "Sheet Budget",
        "",
        "Item · Cost · Paid",
        "Pump · Cost: 1200 · Paid: TRUE",
        "Valve · Cost: 0.1 · Paid: FALSE",
        "Pipe · Cost: 12.5",
        "",
        "2024-03-05 8:30:00 · 2024-03-05 0:00:00 · two lines and a tab",
    ]
    first, second = page.tables
    assert (first.columns, first.letters, first.numbers) == (("Item", "Cost", "Paid"), ("A", "B", "C"), (2, 3, 4))
    assert (second.columns, second.letters, second.numbers) == (("", "", ""), ("B", "C", "D"), (6,))
    assert words(page) == [
        ["Pump", "1200", "TRUE"],
        ["Valve", "0.1", "FALSE"],
        ["Pipe", "12.5", ""],
        ["2024-03-05 8:30:00", "2024-03-05 0:00:00", "two lines and a tab"],
    ]


def test_a_cell_far_from_the_others_is_named_by_its_column():
    def fill(workbook):
        workbook.active["A2"], workbook.active["AB2"], workbook.active["AC2"] = "near", "far", "beside"
        workbook.active["Z9"] = "alone"

    _, (page,) = read(book(fill), "a.xlsx")
    assert page.text == "Sheet Sheet\n\nnear · far · beside\n\nalone"
    assert [table.letters for table in page.tables] == [("A", "AB", "AC"), ("Z",)]


def test_the_value_of_a_formula_is_read_and_not_the_formula():
    data = packed_sheet('<c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>WEBSERVICE("http://a")</f></c>')
    _, (page,) = read(data, "a.xlsx")
    assert page.text.endswith('\n\n2 · =WEBSERVICE("http://a") (not calculated)')


def packed_sheet(cells: str) -> bytes:
    data = book(lambda workbook: None)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/worksheets/sheet1.xml"] = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">'
        f"{cells}</row></sheetData></worksheet>"
    ).encode()
    return packed(parts)


def test_hidden_sheets_rows_and_columns_are_read_and_flagged():
    def fill(workbook):
        first = workbook.active
        first.title = "Open"
        for row in (["a", "secret column", "c"], ["secret row", "b", "c"], ["d", "e", "f"]):
            first.append(row)
        first.row_dimensions[2].hidden = True
        first.column_dimensions["B"].hidden = True
        second = workbook.create_sheet("Away")
        second["A1"] = "secret sheet"
        second.sheet_state = "veryHidden"

    _, (front, away) = read(book(fill), "a.xlsx")
    assert away.hidden_spans == ((0, len(away.text)),)
    assert "secret sheet" in away.text
    assert unseen(front) == ["secret column", "secret row · b · c", "e"]


def coloured(workbook):
    from openpyxl.styles import Font, PatternFill
    from openpyxl.styles.colors import Color

    sheet = workbook.active
    sheet.append(["shown", "white on paper", "white on blue", "paper of the theme", "blue on blue", "formatted away"])
    white, blue = Font(color="FFFFFFFF"), PatternFill("solid", fgColor="FF1F4E79")
    sheet["B1"].font = white
    sheet["C1"].font, sheet["C1"].fill = white, blue
    sheet["D1"].font = Font(color=Color(theme=0))
    sheet["E1"].font, sheet["E1"].fill = Font(color="FF1F4E79"), blue
    sheet["F1"].number_format = ";;;"


def test_cells_in_the_colour_of_what_is_behind_them_are_flagged():
    _, (page,) = read(book(coloured), "a.xlsx")
    assert unseen(page) == ["white on paper", "paper of the theme", "blue on blue", "formatted away"]
    assert page.hidden_why == ("colour", "colour", "colour", "unseen")


def test_colours_prove_nothing_where_a_condition_may_change_them():
    from openpyxl.formatting.rule import CellIsRule
    from openpyxl.styles import PatternFill

    def fill(workbook):
        coloured(workbook)
        rule = CellIsRule(operator="greaterThan", formula=["0"], fill=PatternFill("solid", bgColor="FF1F4E79"))
        workbook.active.conditional_formatting.add("A1:F1", rule)

    _, (page,) = read(book(fill), "a.xlsx")
    assert unseen(page) == ["formatted away"]


def test_comments_stand_below_the_rows_with_their_cell_and_author():
    def fill(workbook):
        workbook.active["B2"] = "x"
        workbook.active["B2"].comment = openpyxl.comments.Comment("Who paid this?", "Bo Lind")

    _, (page,) = read(book(fill), "a.xlsx")
    assert page.text.endswith("\n\nB2, comment by Bo Lind: Who paid this?")


def test_a_long_sheet_becomes_several_pages_that_name_their_rows():
    def fill(workbook):
        for number in range(1, 2_501):
            workbook.active.append([f"reading {number}"])

    outline, pages = read(book(fill), "a.xlsx")
    assert outline.pages == len(pages) == 3
    assert [page.label for page in pages] == [
        "Sheet, rows 1 to 1000",
        "Sheet, rows 1001 to 2000",
        "Sheet, rows 2001 to 2500",
    ]
    assert pages[2].text.startswith("Sheet Sheet\n\nreading 2001\n\nreading 2002\n")
    assert pages[2].tables[0].numbers[:2] == (2001, 2002)
    assert sum(page.text.count("reading") for page in pages) == 2_500


def test_empty_sheets_are_no_pages_and_a_file_of_them_has_no_text():
    def fill(workbook):
        workbook.active["A1"] = "x"
        workbook.create_sheet("Empty")

    assert read(book(fill), "a.xlsx")[0].pages == 1
    with pytest.raises(UnreadableDocument, match="empty"):
        read(book(lambda workbook: None), "a.xlsx")


CELLS = {(0, 0): "Item", (0, 1): "Cost", (1, 0): "Pump — Ä", (1, 1): 1200.0, (2, 1): 0.5}
LINES = ["Item · Cost", "Pump — Ä · Cost: 1200", "Cost: 0.5"]


@pytest.mark.parametrize(("make", "name"), [(xls, "a.xls"), (xlsb, "a.xlsb"), (xls, "mail.bin"), (xlsb, "x.dat")])
def test_binary_tables_give_the_same_lines(make, name):
    outline, (page,) = read(make(CELLS), name)
    assert outline.kind in ("xls", "xlsb")
    assert page.text.split("\n")[2:] == LINES


def test_a_hidden_sheet_of_the_old_kind_is_flagged():
    _, (page,) = read(xls(CELLS, hidden=True), "a.xls")
    assert page.hidden_spans == ((0, len(page.text)),)


def ods(rows: str, *, columns: str = "", meta: str = "") -> bytes:
    return opendocument("spreadsheet", f'<table:table table:name="Budget">{columns}{rows}</table:table>', meta=meta)


def cell(text: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'


def row(*texts: str, more: str = "") -> str:
    return f"<table:table-row{more}>{''.join(map(cell, texts))}</table:table-row>"


def test_an_opendocument_table_is_read_with_what_it_hides():
    data = ods(
        row("Item", "Cost") + row("Pump", "12", more=' table:visibility="collapse"') + row("Valve", "3"),
        columns='<table:table-column/><table:table-column table:visibility="collapse"/>',
        meta="<dc:title>Costs</dc:title><meta:initial-creator>Ann</meta:initial-creator><dc:date>2024-03-05</dc:date>",
    )
    outline, (page,) = read(data, "a.ods")
    assert (outline.kind, outline.title, outline.author, outline.file_date) == ("ods", "Costs", "Ann", "2024-03-05")
    assert page.text.split("\n")[2:] == [
        "Item · Cost",
        "Pump · Cost: 12",
        "Valve · Cost: 3",
    ]
    assert unseen(page) == ["Cost", "Pump · Cost: 12", "3"]


def test_comments_of_an_opendocument_table_stand_below_its_rows():
    note = "<office:annotation><dc:creator>Bo Lind</dc:creator><text:p>Who paid this?</text:p></office:annotation>"
    _, (page,) = read(ods(row("a") + row("b", "c").replace("<text:p>c", f"{note}<text:p>c")), "a.ods")
    assert page.text.endswith("b · c\n\nB2, comment by Bo Lind: Who paid this?")


def test_rows_that_are_repeated_keep_their_numbers():
    data = ods(
        row("a") + '<table:table-row table:number-rows-repeated="4"><table:table-cell/></table:table-row>' + row("b")
    )
    _, (page,) = read(data, "a.ods")
    assert page.text.endswith("\n\na\n\nb")
    assert [table.numbers for table in page.tables] == [(1,), (6,)]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (xlsb({(0, 0): "a", (1_048_575, 16_383): "b"}), "a.xlsb"),
        (
            ods(
                row("x", more=' table:number-rows-repeated="9999"').replace(
                    "<table:table-cell ", '<table:table-cell table:number-columns-repeated="16000" '
                )
            ),
            "a.ods",
        ),
        (
            ods(row("x").replace("<table:table-cell ", '<table:table-cell table:number-columns-repeated="99999999" ')),
            "a.ods",
        ),
    ],
)
def test_a_table_made_to_fill_the_memory_is_refused_before_it_does(data, name):
    with pytest.raises(UnreadableDocument) as caught:
        read(data, name)
    assert "cells" in caught.value.sentence
    assert caught.value.hint


def test_copies_of_a_row_beyond_a_bound_are_counted():
    data = ods(row("x", more=' table:number-rows-repeated="99999999"') + row("y"))
    items = list(FileReader().read(data, "a.ods"))
    lines = [line for item in items if isinstance(item, PageText) for line in item.text.splitlines()]
    (count,) = [item.count for item in items if isinstance(item, LeftOut) and item.what.startswith("row that repeats")]
    assert lines.count("x") + count == 99_999_999
    assert lines.count("x") <= 10_001
    assert lines.count("y") == 1


def test_cells_far_apart_take_no_room():
    rows = '</row><row r="1048576"><c r="XFD1048576"><v>2</v></c>'
    _, (page,) = read(packed_sheet(f'<c r="A1"><v>1</v></c>{rows}'), "a.xlsx")
    assert page.text.endswith("\n\n1\n\n2")
    assert page.tables[1].letters == ("XFD",)


def test_cells_without_content_far_away_do_no_harm():
    _, (page,) = read(packed_sheet('<c r="A1"><v>1</v></c><c r="XFD1048576" s="1"/>'), "a.xlsx")
    assert page.text.endswith("\n\n1")


def test_entities_are_refused():
    data = book(budget)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for part in ("xl/workbook.xml", "xl/worksheets/sheet1.xml"):
        bad = {**parts, part: b'<!DOCTYPE a [<!ENTITY b "c">]>' + parts[part]}
        with pytest.raises(UnreadableDocument, match="entities"):
            read(packed(bad), "a.xlsx")


def test_a_locked_table_says_so():
    data = opendocument("spreadsheet", "", more={"META-INF/manifest.xml": "<m><encryption-data/></m>"})
    with pytest.raises(UnreadableDocument, match="password"):
        read(data, "a.ods")
