"""Tables as text: each value beside its heading, each cell and row a stretch of the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engines.readers import table_text, text_flow
from core.engines.readers.table_text import column_headings, flat, heading_rows, lay_out

GATE = [
    ["time", "vehicle", "direction"],
    ["07:58", "white van", "in"],
    ["08:10", "", "out"],
    ["", "lorry", "in"],
]


def test_a_cell_with_a_border_in_it_does_not_read_as_several():
    rows = [["time", "vehicle", "to · from"], ["07:58", "van · driver: Bob", "in"], ["08:58", "car", "out ·"]]
    grid = table_text.lay_out(rows, 1)
    assert grid.text.splitlines() == [
        "time · vehicle · “to · from”",
        "07:58 · vehicle: “van · driver: Bob” · “to · from”: in",
        "08:58 · vehicle: car · “to · from”: “out ·”",
    ]
    assert [[grid.text[start:end] for start, end in row] for row in grid.cells] == rows


def words(grid):
    return [[grid.text[start:end] for start, end in row] for row in grid.table.rows]


def test_each_value_stands_beside_its_heading_and_the_first_names_the_row():
    grid = lay_out(GATE)
    assert grid.text.split("\n") == [
        "time · vehicle · direction",
        "07:58 · vehicle: white van · direction: in",
        "08:10 · direction: out",
        "vehicle: lorry · direction: in",
    ]
    assert grid.table.columns == ("time", "vehicle", "direction")
    assert words(grid) == GATE[1:]
    assert [grid.text[start:end] for start, end in grid.cells[0]] == GATE[0]


def test_a_table_without_headings_is_its_cells():
    grid = lay_out([["Ann Berg", "Oslo"], ["Bo Lind", "Basel"], ["", "Rome"]])
    assert grid.text == "Ann Berg · Oslo\nBo Lind · Basel\nRome"
    assert grid.table.columns == ("", "")
    assert words(grid) == [["Ann Berg", "Oslo"], ["Bo Lind", "Basel"], ["", "Rome"]]


def test_the_caller_may_know_the_headings():
    rows = [["Ann Berg", "Oslo"], ["Bo Lind", "Basel"]]
    assert lay_out(rows, 1).text == "Ann Berg · Oslo\nBo Lind · Oslo: Basel"
    assert lay_out(GATE, 0).text.startswith("time · vehicle · direction\n07:58 · white van · in\n")


def test_rows_of_one_cell_stand_apart_so_that_no_sentence_runs_over_two():
    assert lay_out([["The valve was"], ["open all night"]]).text == "The valve was\n\nopen all night"


def test_line_ends_in_a_cell_become_blanks_of_the_same_length():
    grid = lay_out([["a", "  two\r\nlines\tand a tab\n"]])
    assert grid.text == "a · two  lines and a tab"
    start, end = grid.cells[0][1]
    assert end - start == len("two\r\nlines\tand a tab")


def test_wide_headings_stand_before_those_below_them():
    rows = [["Plant", "Deaths", None, "Wounded", None], ["", "May", "June", "May", "June"]]
    rows += [["two", "417", "3", "8", "9"], ["three", "1", "2", "3", "4"]]
    assert heading_rows(rows) == 2
    grid = lay_out(rows)
    assert grid.text.split("\n")[1:3] == [
        "May · June · May · June",
        "two · Deaths May: 417 · Deaths June: 3 · Wounded May: 8 · Wounded June: 9",
    ]
    assert column_headings([["a", None, "b"]], 3) == ("a", "a", "b")


def test_a_long_heading_is_brief_beside_a_value_and_whole_above():
    question = "How often did you see a person " * 5
    grid = lay_out([["id", question], ["1", "twice"]], 1)
    assert question.strip() in grid.text.split("\n")[0]
    assert len(grid.text.split("\n")[1]) < 110
    assert grid.text.endswith("…: twice")


def test_sheets_name_their_columns_and_rows():
    table = lay_out(GATE, letters=["B", "C", "D"], numbers=[3, 4, 5, 9]).table
    assert (table.letters, table.numbers) == (("B", "C", "D"), (4, 5, 9))


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (GATE, 1),
        ([["Fahrer", "Strecke"], ["Ann", "12,5"], ["Bo", "9,0"]], 1),
        ([["vehicle", "direction"], ["van", "in"], ["car", "out"]], 1),
        ([["case_id", "holderName"], ["x", "Ann"], ["y", "Bo"]], 1),
        ([["", "2021", "2022", "2023"], ["Deaths", "5", "7", "8"]], 1),
        ([["Ann Berg", "Oslo"], ["Bo Lind", "Basel"], ["Cy Moe", "Basel"]], 0),
        ([["Ann", "n/a"], ["Bo", "5"], ["Cy", "6"]], 0),
        ([["07:58", "white van"], ["08:10", "lorry"]], 0),
        ([["van", "in"], ["car", "out"], ["van", "out"], ["bus", "in"]], 0),
        ([["a", "a"], ["1", "2"], ["3", "4"]], 0),
        ([["sum", "=SUM(B2:B3) (not calculated)"], ["share", "#DIV/0!"]], 0),
        ([["sum", "#REF!"], ["share", "7"], ["rest", "8"]], 0),
        ([["name", "share"], ["a", "#DIV/0!"], ["b", "=B1+1 (not calculated)"]], 1),
        ([["1999", "2004", "2007"], ["2001", "2003", "2005"]], 0),
        ([["Costs of the year"], ["12"], ["13"]], 0),
        ([["only"]], 0),
        ([], 0),
    ],
)
def test_headings_are_words_above_what_is_something_else(rows, count):
    assert heading_rows(rows) == count


CELLS = st.lists(st.lists(st.none() | st.text(max_size=12), max_size=5), max_size=6)


@given(CELLS, st.none() | st.integers(0, 3))
def test_every_cell_is_a_stretch_of_the_text(rows, headings):
    grid = lay_out(rows, headings)
    assert len(grid.cells) == len(rows)
    for row, spans in zip(rows, grid.cells, strict=True):
        assert [grid.text[start:end] for start, end in spans] == [flat(cell or "") for cell in row]
    for row in grid.table.rows:
        assert len(row) == len(grid.table.columns)
        assert all(0 <= start <= end <= len(grid.text) for start, end in row)


def test_a_table_is_cut_between_its_rows():
    grid = lay_out(GATE, numbers=[1, 2, 3, 4])
    whole = text_flow.join([text_flow.Piece("above"), text_flow.Piece(grid.text, tables=(grid.table,))], "\n\n")
    offset = whole.text.index("08:10")
    below = whole.cut(offset, len(whole.text))
    assert below.tables[0].numbers == (3, 4)
    start, end = below.tables[0].rows[0][2]
    assert below.text[start:end] == "out"
    assert whole.cut(0, offset + 5).tables[0].numbers == (2,)
    assert whole.cut(0, 12).tables == ()


def test_what_is_hidden_or_struck_in_a_cell_is_so_in_the_row():
    secret = text_flow.Piece("  a secret\nword ", ((4, 10, "tiny"),), (), ((11, 15),))
    piece = table_text.piece([[text_flow.Piece("key"), None, secret]], 0)
    assert piece.text == "key · a secret word"
    assert [piece.text[s:e] for s, e, _ in piece.hidden_spans] == ["secret"]
    assert [piece.text[s:e] for s, e in piece.struck_spans] == ["word"]
    assert piece.text[slice(*piece.tables[0].rows[0][2])] == "a secret word"


def test_a_table_without_words_is_no_grid():
    piece = table_text.piece([[text_flow.Piece(""), None], []])
    assert (piece.text, piece.tables) == ("", ())
