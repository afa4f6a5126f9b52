"""Separated values: the right separator, and quotation marks that quote nothing stay."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import PageText
from core.engines.readers import spreadsheet
from core.engines.readers.separated_text import rows, split


def test_a_line_that_states_the_separator_is_no_row():
    assert rows("sep=;\r\nname;sum\r\nAnn;1,5\r\n") == [["name", "sum"], ["Ann", "1,5"]]
    assert rows("sep=|\na|b,c\n") == [["a", "b,c"]]


def test_a_comma_in_numbers_separates_no_cells():
    assert rows("Ann;1,5\nBo;2,5\n") == [["Ann", "1,5"], ["Bo", "2,5"]]


def test_quotation_marks_that_quote_nothing_stay_and_swallow_no_rows():
    text = 'id\ttext\n1\t"Hello there\n2\tsecond\n3\tsaid "yes"\n4\t"a ""b""\tc"\n'
    assert split(text, "\t") == [
        ["id", "text"],
        ["1", '"Hello there'],
        ["2", "second"],
        ["3", 'said "yes"'],
        ["4", 'a "b"\tc'],
    ]


def test_a_line_end_in_quotation_marks_belongs_to_its_cell():
    assert rows('a,"b\nc"\nd,e\n') == [["a", "b\nc"], ["d", "e"]]
    assert split('a,"b\nc"\nd,"e\n', ",") == [["a", "b\nc"], ["d", '"e']]


STATEMENT = '''"Account";"DE21 3005"
"Period:";"01.02.2024 - 29.02.2024"
{gap}"Booked";"Payee";"Purpose";"Amount";"Currency"
"01.02.2024";"Ann & Co";"Bill 4711; part";"-1.234,56";"EUR"
"05.02.2024";"Works";"Rate ""May""";"-89,90";"EUR"
"14.02.2024";"Ines";"Return";"48.200,00";"EUR"
"Balance";"46.875,54"
'''


@pytest.mark.parametrize("gap", ["", "\n"])
def test_a_table_may_have_narrower_rows_around_it(gap):
    """Banks write the account and the period above, the balance below."""
    text = STATEMENT.format(gap=gap)
    table = [row for row in rows(text) if row]
    assert [len(row) for row in table] == [2, 2, 5, 5, 5, 5, 2]
    assert table[3] == ["01.02.2024", "Ann & Co", "Bill 4711; part", "-1.234,56", "EUR"]
    (page,) = [part for part in spreadsheet.read_rows(rows(text), "a.csv") if isinstance(part, PageText)]
    assert '05.02.2024 · Payee: Works · Purpose: Rate "May" · Amount: -89,90 · Currency: EUR' in page.text
    assert "Account · DE21 3005\n" in page.text
    assert "Balance" in page.text


def test_sentences_of_several_commas_are_no_table():
    assert rows("Dear Ann,\nhe came, saw, and left.\nNo one, they said.\nYours, Bo\n\nPS.\nMore.\nOnly words.\n") == []


def test_text_without_columns_is_no_table():
    assert rows("The pump stopped.\nNobody was there, they said.\n") == []
    assert rows("") == []


@given(st.lists(st.lists(st.text('ab", \n;', max_size=6), min_size=2, max_size=3), min_size=1, max_size=5))
def test_rows_that_were_written_well_are_read_back(table):
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
    assert split(out.getvalue(), ",") == table


@given(st.text('a"\n,', max_size=40))
def test_no_letter_is_lost(text):
    letters = "".join("".join(row) for row in split(text, ",")).count("a")
    assert letters == text.count("a")


def lines_of(text: str) -> list[str]:
    pages = [item for item in spreadsheet.read_rows(rows(text), "a.csv") if isinstance(item, PageText)]
    return pages[0].text.split("\n")[2:]


def test_no_value_stands_beside_a_heading_where_rows_have_a_cell_more_than_headings():
    shifted = "id,amount,who\n1,1,50,Holm\n2,2,75,Vasa\n3,3,00,Roth\n"  # a comma in the amounts, or names of rows
    assert lines_of(shifted)[1] == "1 · 1 · 50 · Holm"
    named = "id,amount,who,\n1,1,50,Holm\n2,2,75,Vasa\n3,3,00,Roth\n"  # the last column has an empty heading
    assert lines_of(named)[1] == "1 · amount: 1 · who: 50 · Holm"
    longer = "id,amount,who\n1,1,Holm\n2,2,Vasa,late\n3,3,Roth\n4,4,Lund\n5,5,Borg\n"
    assert lines_of(longer)[2] == "2 · amount: 2 · who: Vasa · late"


def test_headings_that_stand_again_below_are_no_values():
    text = "date;who;sum\n2024-03-12;Holm;5\n2024-03-13;Vasa;6\n"
    assert lines_of(text + text)[2:] == [
        "2024-03-13 · who: Vasa · sum: 6",
        "date · who · sum",
        "2024-03-12 · who: Holm · sum: 5",
        "2024-03-13 · who: Vasa · sum: 6",
    ]


def test_no_is_a_heading_above_numbers():
    assert lines_of("No;Text;Sum\n1;Rohr;120\n2;Tor;130\n")[1] == "1 · Text: Rohr · Sum: 120"
    assert lines_of("Rohr;no;120\nTor;yes;130\n")[0] == "Rohr · no · 120"
