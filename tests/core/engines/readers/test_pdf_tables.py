"""Tables of a PDF: cells are stretches of the text, which stays as it is; where anything is in doubt there is none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pymupdf
import pytest

from core.domain import PageText
from tests.core.engines.pdf_material import new, pages

XS, YS = (60, 180, 300, 420), (100, 130, 160, 190)
ROWS = (("time", "vehicle", "direction"), ("07:58", "white van", "in"), ("08:14", "lorry", "out"))


def rule(page: pymupdf.Page, xs: Sequence[float] = XS, ys: Sequence[float] = YS) -> None:
    for x in xs:
        page.draw_line((x, ys[0]), (x, ys[-1]))
    for y in ys:
        page.draw_line((xs[0], y), (xs[-1], y))


def write(page: pymupdf.Page, rows=ROWS, xs=XS, ys=YS, *, bold_rows: int = 0) -> None:
    for number, row in enumerate(rows):
        for x, words in zip(xs, row, strict=False):
            font = "hebo" if number < bold_rows else "helv"
            for line, text in enumerate(words.split("\n")):
                page.insert_text((x + 5, ys[number] + 12 + 11 * line), text, fontsize=9, fontname=font)


def around(page: pymupdf.Page) -> None:
    page.insert_text((60, 60), "The log of the gate for the whole day.")
    page.insert_text((60, 700), "Signed by the guard at the end of it.")


def read(document: pymupdf.Document) -> PageText:
    (page,) = pages(document)
    return page


def cells(page: PageText) -> list[list[list[str]]]:
    return [[[" ".join(page.text[s:e].split()) for s, e in row] for row in table.rows] for table in page.tables]


def table_page(draw=rule, rows=ROWS, **how) -> PageText:
    document, page = new()
    around(page)
    draw(page)
    write(page, rows, **how)
    return read(document)


def test_a_table_that_is_read_from_right_to_left_has_its_first_column_on_the_right():
    document, page = new()
    around(page)
    rule(page)
    for number, row in enumerate(ROWS):
        for x, words in zip(XS[2::-1], row, strict=False):
            page.insert_text((x + 5, YS[number] + 12), words, fontsize=9)
    (table,) = read(document).tables
    assert table.columns == ROWS[0]
    assert cells(read(document)) == [[list(row) for row in ROWS[1:]]]


def test_rows_in_both_directions_are_no_table():
    document, page = new()
    rule(page)
    for number, row in enumerate(ROWS):
        for x, words in zip(XS[2::-1] if number == 1 else XS, row, strict=False):
            page.insert_text((x + 5, YS[number] + 12), words, fontsize=9)
    assert read(document).tables == ()


def test_cells_between_lines_are_spans_of_the_text_which_stays_as_it_is():
    document, page = new()
    around(page)
    write(page)
    plain = read(document)
    rule(page)
    ruled = read(document)
    assert plain.tables == ()
    assert ruled.text == plain.text
    assert ruled.words == plain.words
    (grid,) = cells(ruled)
    assert grid == [list(row) for row in ROWS[1:]]
    assert ruled.tables[0].columns == ROWS[0]
    offsets = [offset for row in ruled.tables[0].rows for span in row for offset in span]
    assert offsets == sorted(offsets)


def boxes(page: pymupdf.Page) -> None:
    for x0, x1 in pairwise(XS):
        for y0, y1 in pairwise(YS):
            page.draw_rect((x0 + 0.5, y0 + 0.5, x1 - 0.5, y1 - 0.5))


def filled_lines(page: pymupdf.Page) -> None:
    for x in XS:
        page.draw_rect((x, YS[0], x + 0.5, YS[-1]), fill=(0, 0, 0), color=None)
    for y in YS:
        page.draw_rect((XS[0], y, XS[-1], y + 0.5), fill=(0, 0, 0), color=None)


def pieces(page: pymupdf.Page) -> None:
    for x in XS:
        for y0, y1 in pairwise(YS):
            page.draw_line((x, y0), (x, y1))
    for y in YS:
        for x0, x1 in pairwise(XS):
            page.draw_line((x0, y), (x1, y))


def open_sides(page: pymupdf.Page) -> None:
    for x in XS[1:-1]:
        page.draw_line((x, YS[0]), (x, YS[-1]))
    for y in YS:
        page.draw_line((XS[0], y), (XS[-1], y))


def head_on_a_ground(page: pymupdf.Page) -> None:
    page.draw_rect((XS[0], YS[0], XS[-1], YS[1]), fill=(0.7, 0.8, 0.9), color=None)
    for x in XS:
        page.draw_line((x, YS[0]), (x, YS[-1]))
    for y in YS[2:]:
        page.draw_line((XS[0], y), (XS[-1], y))


def with_an_underlined_word(page: pymupdf.Page) -> None:
    rule(page)
    page.draw_line((XS[1] + 5, YS[1] + 14), (XS[1] + 50, YS[1] + 14))


@pytest.mark.parametrize("draw", [boxes, filled_lines, pieces, open_sides, head_on_a_ground, with_an_underlined_word])
def test_lines_are_drawn_in_many_ways(draw):
    assert cells(table_page(draw)) == [[list(row) for row in ROWS[1:]]]


def test_a_cell_of_several_lines_is_one_stretch():
    rows = (ROWS[0], ("07:58", "a white van of\nthe bakery there", "in"), ROWS[2])
    assert cells(table_page(rows=rows))[0][0] == ["07:58", "a white van of the bakery there", "in"]


def test_a_cell_across_columns_fills_the_first_of_them():
    def draw(page: pymupdf.Page) -> None:
        for y in YS:
            page.draw_line((XS[0], y), (XS[-1], y))
        for x in (XS[0], XS[1], XS[3]):
            page.draw_line((x, YS[0]), (x, YS[-1]))
        for y0, y1 in ((YS[0], YS[1]), (YS[2], YS[3])):
            page.draw_line((XS[2], y0), (XS[2], y1))

    page = table_page(draw, (ROWS[0], ("07:58", "no entry in the log of that day here"), ROWS[2]))
    assert cells(page)[0][0] == ["07:58", "no entry in the log of that day here", ""]


def test_empty_cells_are_spans_without_length_and_empty_rows_are_left_out():
    page = table_page(rows=(ROWS[0], ("07:58", "", "in"), ("08:14", "lorry", "")))
    assert cells(page) == [[["07:58", "", "in"], ["08:14", "lorry", ""]]]
    grid = table_page(lambda page: rule(page, ys=(*YS, 220)))
    assert len(grid.tables[0].rows) == 2


WORDS = (("Guard", "Gate", "Car"), ("Ann", "North", "blue"), ("Bram", "South", "red"))


def ground(page: pymupdf.Page) -> None:
    page.draw_rect((XS[0], YS[0], XS[-1], YS[1]), fill=(0.7, 0.8, 0.9), color=None)
    rule(page)


@pytest.mark.parametrize(
    ("draw", "rows", "bold_rows", "has_headings"),
    [
        (rule, WORDS, 1, True),
        (rule, WORDS, 3, False),
        (rule, (("Ann", "North", "blue"), *WORDS[1:]), 0, False),
        (ground, WORDS, 0, True),
        (rule, (("Guard", "Gate", "Hours"), ("Ann", "North", "7.5"), ("Bram", "South", "8")), 0, True),
        (rule, (("7", "8", "9"), ("1", "2", "3"), ("4", "5", "6")), 1, False),
        (rule, (("Guard", "Guard", "Car"), *WORDS[1:]), 1, False),
    ],
)
def test_the_first_row_heads_the_columns_where_it_is_marked(draw, rows, bold_rows, has_headings):
    page = table_page(draw, rows, bold_rows=bold_rows)
    assert page.tables[0].columns == (rows[0] if has_headings else ("",) * 3)
    assert cells(page)[0] == [list(row) for row in rows[has_headings:]]


def across_the_edge(page: pymupdf.Page) -> None:
    rule(page)
    page.insert_text((XS[-1] - 20, YS[1] + 24), "Rotterdamseweg", fontsize=9)


def stub_of_a_line(page: pymupdf.Page) -> None:
    for y in YS:
        page.draw_line((XS[0], y), (XS[-1], y))
    for x in (XS[0], XS[1], XS[3]):
        page.draw_line((x, YS[0]), (x, YS[-1]))
    page.draw_line((XS[2], YS[0]), (XS[2], YS[1] + 10))


def lines_that_go_on(page: pymupdf.Page) -> None:
    for x in XS:
        page.draw_line((x, YS[0] - 40), (x, YS[-1] + 25))
    for y in YS:
        page.draw_line((XS[0], y), (XS[-1], y))
    page.draw_line((XS[0] - 50, YS[1]), (XS[0], YS[1]))


def a_note_in_between(page: pymupdf.Page) -> None:
    rule(page)
    write(page, ROWS[:2])
    page.insert_text((450, YS[1] + 12), "a note", fontsize=9)
    write(page, ROWS[2:], ys=YS[2:])


def by_columns(page: pymupdf.Page) -> None:
    rule(page)
    for column in range(3):
        for row in range(3):
            page.insert_text((XS[column] + 5, YS[row] + 12), ROWS[row][column], fontsize=9)


@pytest.mark.parametrize(
    ("draw", "rows"),
    [
        (rule, (ROWS[0], ("07:58", "Rotterdamsewegverkeersbruggen"), ROWS[2])),
        (rule, (ROWS[0], ("07:58", "lorry", "Rotterdamsewegverkeersbruggen"), ROWS[2])),
        (across_the_edge, ROWS),
        (stub_of_a_line, (ROWS[0], ("07:58", "white van", "of the baker"), ROWS[2])),
        (lines_that_go_on, ROWS),
        (a_note_in_between, ()),
        (by_columns, ()),
        (rule, (ROWS[0],)),
        (rule, (("time",), ("07:58",), ("08:14",))),
        (rule, (ROWS[0], ("07:58\n08:14", "van\nlorry", "in\nout"), ROWS[2])),
        (lambda page: page.draw_rect((60, 100, 420, 190)), ROWS),
        (lambda page: [page.draw_line((60, y), (420, y)) for y in YS], ROWS),
    ],
)
def test_where_anything_is_in_doubt_there_is_no_table(draw, rows):
    page = table_page(draw, rows)
    assert page.tables == ()
    assert "time" in page.text


def test_a_drawing_of_many_lines_is_none():
    document, page = new()
    shape = page.new_shape()
    for n in range(2_100):
        shape.draw_line((60 + n % 50 * 9, 300 + n // 50 * 12), (66 + n % 50 * 9, 300 + n // 50 * 12))
        shape.finish()
    shape.commit()
    rule(page)
    write(page)
    assert read(document).tables == ()


def test_two_tables_of_a_page_are_in_order_of_place():
    document, page = new()
    write(page)
    low = [y + 300 for y in YS]
    rule(page, ys=low)
    rule(page)
    page.insert_text((60, 300), "And the day after it was as follows.")
    write(page, WORDS, ys=low, bold_rows=1)
    assert [table.columns for table in read(document).tables] == [ROWS[0], WORDS[0]]
