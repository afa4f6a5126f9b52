"""Where a passage stands, and the words that cite it."""

from __future__ import annotations

import io

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.documents.sections import cells, citation, majority_language, path
from core.domain import Section
from core.engines.readers.dispatch import FileReader

OUTLINE = [
    (1, Section(1, "1 Summary", 0)),
    (1, Section(1, "2 The night", 50)),
    (1, Section(2, "2.1 Timeline", 80)),
    (3, Section(2, "2.2 Guards", 10)),
    (3, Section(4, "A note", 20)),
    (3, Section(3, "2.2.1 Shifts", 40)),
    (4, Section(1, "3 End", 5)),
]


@pytest.mark.parametrize(
    ("page", "offset", "titles"),
    [
        (1, 0, ("1 Summary",)),
        (1, 49, ("1 Summary",)),
        (1, 50, ("2 The night",)),
        (1, 79, ("2 The night",)),
        (1, 80, ("2 The night", "2.1 Timeline")),
        (2, 0, ("2 The night", "2.1 Timeline")),
        (3, 9, ("2 The night", "2.1 Timeline")),
        (3, 10, ("2 The night", "2.2 Guards")),
        (3, 30, ("2 The night", "2.2 Guards", "A note")),
        (3, 40, ("2 The night", "2.2 Guards", "2.2.1 Shifts")),
        (4, 4, ("2 The night", "2.2 Guards", "2.2.1 Shifts")),
        (4, 5, ("3 End",)),
        (9, 0, ("3 End",)),
    ],
)
def test_the_sections_of_a_place(page, offset, titles):
    assert path(OUTLINE, page, offset) == titles
    assert path(OUTLINE[::-1], page, offset) == titles


def test_before_the_first_heading_there_is_no_section():
    assert path([(2, Section(1, "One", 3))], 2, 2) == ()
    assert path([(2, Section(1, "One", 3))], 1, 99) == ()
    assert path([], 1, 0) == ()


@given(
    st.lists(st.tuples(st.integers(1, 4), st.builds(Section, st.integers(1, 5), st.just("t"), st.integers(0, 20)))),
    st.integers(1, 5),
    st.integers(0, 25),
)
def test_a_path_never_holds_more_than_the_headings_before_it(sections, page, offset):
    headings = path(sections, page, offset)
    earlier_sections = [section for number, section in sections if (number, section.start) <= (page, offset)]
    assert len(headings) <= min(5, len(earlier_sections))
    assert bool(headings) == bool(earlier_sections)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"page": 5, "label": "iv", "path": ("2 The night", "2.1 Timeline")}, "a.pdf, p. iv (5), section 2.1 Timeline"),
        ({"page": 5}, "a.pdf, p. 5"),
        ({"page": 5, "label": "5"}, "a.pdf, p. 5"),
        ({"page": 3, "label": "message 3", "kind": "mbox", "path": ("Pump",)}, "a.pdf, message 3, section Pump"),
        ({"page": 2, "label": "part 2", "kind": "text"}, "a.pdf, part 2"),
        ({"page": 1, "kind": "html", "pages": 1, "path": ("The dam",)}, "a.pdf, section The dam"),
        ({"page": 1, "kind": "html", "pages": 3}, "a.pdf, p. 1"),
        ({"page": 1, "kind": "docx", "pages": 1}, "a.pdf, p. 1"),
        ({"page": 7, "kind": "pptx", "path": ("Pumps",)}, "a.pdf, slide 7, section Pumps"),
        (
            {"page": 2, "label": "Costs", "kind": "xlsx", "path": ("Costs",), "cells": "C12"},
            "a.pdf, sheet Costs, cell C12",
        ),
        ({"page": 2, "label": "Costs", "kind": "ods", "cells": "C12:D13"}, "a.pdf, sheet Costs, cells C12:D13"),
        ({"page": 2, "label": "Costs, rows 1001 to 1200", "kind": "xls"}, "a.pdf, sheet Costs, rows 1001 to 1200"),
        ({"page": 1, "path": ("x" * 200,)}, "a.pdf, p. 1, section " + "x" * 79 + "…"),
    ],
)
def test_a_citation(fields, words):
    page = fields.pop("page")
    assert citation("a.pdf", page, **fields) == words


# --- cells -----------------------------------------------------------------------------------------------------------


def sheet_page():
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "Costs, row 2 a"
    sheet.append(["Item", "Cost", "Paid"])
    sheet.append([None, "second", None, "fourth"])
    sheet["A4"], sheet["AB4"], sheet["AC4"] = "near", "far", "beside"
    sheet["B5"] = "Z5: not the cell Z5"
    sheet["C6"] = "C6: really"
    sheet["D7"].comment = openpyxl.comments.Comment("who paid this?", "Ann")
    sheet["D7"] = 12
    out = io.BytesIO()
    workbook.save(out)
    _, page = FileReader().read(out.getvalue(), "a.xlsx")
    return page


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ("Item", "A1"),
        ("Cost · Paid", "B1:C1"),
        ("Ite", "A1"),
        ("second", "B2"),
        ("fourth", "D2"),
        ("near", "A4"),
        ("far", "AB4"),
        ("beside", "AC4"),
        ("not the cell", "B5"),
        ("really", "C6"),
        ("who paid this?", "D7"),
        ("12", "D7"),
        ("Sheet", ""),
    ],
)
def test_the_cell_of_a_quote(words, where):
    page = sheet_page()
    start = page.text.rindex(words)
    assert cells(page.text, start, start + len(words), page.tables) == where


def test_cells_of_a_quote_over_rows_and_of_what_is_no_sheet():
    page = sheet_page()
    text = page.text
    assert cells(text, text.index("Item"), text.index("fourth") + 6, page.tables) == "A1:D2"
    assert cells("Just a text,\nx, row 1: of words", 20, 25) == ""
    assert cells("", 0, 0) == ""


@pytest.mark.parametrize(("words", "where"), [("Bo", "A2"), ("fourth", "D2"), ("far", "AB4"), ("beside", "AC4")])
def test_the_cell_of_a_quote_from_a_page_of_an_older_case(words, where):
    text = "Sheet Costs\n\nCosts, row 1: Item\tCost\nCosts, row 2: Bo\t\t\tfourth\nCosts, row 4: \tAB4: far\tbeside"
    assert cells(text, text.index(words), text.index(words) + len(words)) == where


def test_cells_of_separated_values_are_named_by_the_file_and_headings_belong_to_their_value():
    _, page = FileReader().read(b"name;age\nAnn;31\n\nBo;44\n", "in.zip/people.csv")
    assert page.text == "Sheet people\n\nname · age\nAnn · age: 31\n\nBo · age: 44"
    where = cells(page.text, page.text.index("44"), page.text.index("44") + 2, page.tables)
    start = page.text.rindex("age")
    assert cells(page.text, start, start + 3, page.tables) == where
    words = citation(
        "people.csv", 1, label=page.label, path=path([(1, page.sections[0])], 1, 9), cells=where, kind="csv"
    )
    assert words == "people.csv, sheet people, cell B4"


# --- languages -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pages", "language"),
    [
        ([], ""),
        ([("", 9_000)], ""),
        ([("en", 10), ("", 9_000)], "en"),
        ([("en", 100), ("de", 99)], "en"),
        ([("en", 100), ("de", 100)], ""),
        ([("en", 100), ("de", 60), ("fr", 60)], ""),
        ([("de", 50), ("en", 60), ("de", 50)], "de"),
    ],
)
def test_the_language_of_most_of_a_document(pages, language):
    assert majority_language(pages) == language
