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
