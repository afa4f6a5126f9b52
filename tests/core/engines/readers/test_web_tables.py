"""Which tables of a web page hold data, and how their cells lie."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from core.engines.readers import web_tables


def grid(source: str):
    return web_tables.grid(LexborHTMLParser(f"<table>{source}</table>").css_first("table"))


@pytest.mark.parametrize(
    "source",
    ["<tr><th>a<th>b<tr><td>c<td>d", "<tr><td>a<td>b<tr><td>c<td>d", "<thead><tr><td>a<td>b</thead><tr><td>c<td>d"],
)
def test_a_table_of_data(source):
    rows = grid(source)
    assert [[cell.text() for cell in row.cells] for row in rows] == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize(
    "source",
    [
        "",
        "<tr><td>a<td>b",
        "<tr><td>a<tr><td>b",
        "<tr><td>a<td>b<tr><td>c",
        "<tr><th>a<th>b<tr><td>c<td><table><tr><td>d</table>",
        f"<tr><td>a<td>b<tr><td>c<td>{'word ' * 100}",
        "<tr><th>a<th>b" + "<tr><td colspan=900>x" * 30,
    ],
)
def test_no_table_of_data(source):
    assert grid(source) is None


@pytest.mark.parametrize(
    ("attributes", "expected"), [("", (1, 1)), ("colspan=2 rowspan=3", (2, 3)), ("colspan=x rowspan=0", (1, 1))]
)
def test_spans(attributes, expected):
    assert web_tables.spans(LexborHTMLParser(f"<table><td {attributes}>").css_first("td")) == expected


def test_cells_that_cover_a_page_are_not_laid_out():
    cell = "<th colspan=1000 rowspan=1000>a"
    assert grid(f"<tr>{cell * 20}" + "<tr></tr>" * 1_000) is None
    assert grid(f"<tr>{cell}<th>b" + "<tr></tr>" * 19) is None
    assert grid("<tr><th rowspan=3>a<th>b" + "<tr><td>c" * 2) is not None


def test_cells_that_reach_into_a_row():
    cells, reaching = [None], {1: (2, "a"), 3: (1, "b")}
    web_tables.fill(cells, reaching)
    assert (cells, reaching) == ([None, "a"], {1: (1, "a"), 3: (1, "b")})
    web_tables.fill(cells, reaching, to_end=True)
    assert [str(getattr(cell, "text", cell)) for cell in cells] == ["None", "a", "", "b"]
    assert reaching == {1: (1, "a")}
