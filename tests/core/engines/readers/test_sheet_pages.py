"""Sheets as pages: several tables on a sheet, headings that last as long as they are sure, pages between rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.engines.readers import sheet_pages, text_flow
from core.engines.readers.sheet_pages import Cell, Row, Sheet, pages
from core.text import column_letters


def rows(*lines: list[str]) -> list[Row]:
    """Return rows of cells; an empty list is an empty row."""
    return [
        Row(number, [Cell(column, text) for column, text in enumerate(line) if text])
        for number, line in enumerate(lines)
    ]


def text(*lines: list[str]) -> str:
    (page,) = pages([Sheet("S", rows(*lines))], "a.xlsx")
    return page.text.removeprefix("Sheet S\n\n")


def test_a_title_stands_above_a_table_and_is_none_of_its_rows():
    assert text(["Costs of the year"], ["item", "sum"], ["pump", "5"], ["pipe", "7"]) == (
        "Costs of the year\n\nitem · sum\npump · sum: 5\npipe · sum: 7"
    )


def test_rows_below_a_gap_keep_their_headings_only_where_numbers_show_it():
    table = ["item", "sum"], ["pump", "5"], ["pipe", "7"]
    assert text(*table, [], ["all", "12"]).endswith("\n\nall · sum: 12")
    assert text(*table, [], ["Source", "Police"]).endswith("\n\nSource · Police")
    assert text(*table, [], ["name", "age"], ["Ann", "31"], ["Bo", "44"]).endswith(
        "\n\nname · age\nAnn · age: 31\nBo · age: 44"
    )


def test_pages_are_cut_between_rows_and_keep_the_headings(monkeypatch):
    monkeypatch.setattr(sheet_pages, "ROWS", 2)
    lines = [["item", "sum"], ["pump", "5"], ["pipe", "7"], ["wire", "8"]]
    first, second = pages([Sheet("S", rows(*lines))], "a.xlsx")
    assert (first.label, second.label) == ("S, rows 1 to 2", "S, rows 3 to 4")
    assert second.text == "Sheet S\n\npipe · sum: 7\nwire · sum: 8"
    assert second.tables[0].numbers == (3, 4)
    assert (len(first.sections), len(second.sections)) == (1, 0)


def test_remarks_stand_on_the_page_of_their_row_and_the_rest_below(monkeypatch):
    monkeypatch.setattr(sheet_pages, "ROWS", 1)
    sheet = Sheet(
        "S", rows(["a"], ["b"]), remarks=[(0, text_flow.Piece("A1, comment: x"))], below=[text_flow.Piece("Footer: y")]
    )
    first, second = pages([sheet], "a.xlsx")
    assert first.text.endswith("a\n\nA1, comment: x")
    assert second.text.endswith("b\n\nFooter: y")


@given(st.lists(st.lists(st.sampled_from(["", "a", "7", "sum", "word"]), max_size=4), max_size=12))
def test_each_cell_is_a_span_of_its_row_and_column(lines):
    whole = [row for row in rows(*lines) if row.cells]
    cells = {(row.number + 1, column_letters(cell.column)): cell.text for row in whole for cell in row.cells}
    spans = {
        (number, letter): page.text[start:end]
        for page in pages([Sheet("S", whole)], "a.xlsx")
        for table in page.tables
        for number, row in zip(table.numbers, table.rows, strict=True)
        for letter, (start, end) in zip(table.letters, row, strict=True)
        if start < end
    }
    assert spans.items() <= cells.items()
    words = [page.text for page in pages([Sheet("S", whole)], "a.xlsx")]
    assert all(cell in "\n".join(words) for cell in cells.values())
