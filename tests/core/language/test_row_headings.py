"""Rows of a table are read with the headings of their columns, and lead back to the words of the page alone."""

from __future__ import annotations

from core.domain import Span, Table
from core.language import row_headings

TEXT = "Gate\n\ntime\tvehicle\tguard\n\n07:58\twhite\nvan\tBrandt\n\n\tlorry\tOkafor\n\nSigned."


def cell(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


END = cell("Brandt")[1]
TABLE = Table(
    ("time", "vehicle", "guard"),
    ((cell("07:58"), cell("white\nvan"), cell("Brandt")), ((END, END), cell("lorry"), cell("Okafor"))),
)


def test_values_stand_beside_their_headings_and_the_rest_stays():
    reading = row_headings.read(TEXT, 0, len(TEXT), [TABLE])
    assert reading.text == (
        "Gate\n\ntime\tvehicle\tguard\n\n07:58 · vehicle: white van · guard: Brandt\n\n\t"
        "vehicle: lorry · guard: Okafor\n\nSigned."
    )


def test_a_place_leads_back_to_the_page_and_a_heading_nowhere():
    reading = row_headings.read(TEXT, 6, len(TEXT), [TABLE])
    row = reading.text.index("07:58")
    assert reading.span(row, reading.text.index("Brandt") + 6) == Span(cell("07:58")[0], END)
    value = reading.text.index("Brandt")
    assert reading.span(value, value + 6) == Span(*cell("Brandt"))
    assert reading.is_verbatim(value, value + 6)
    heading = reading.text.index("guard: Brandt")
    assert reading.span(heading, heading + 5) is None
    assert not reading.is_verbatim(heading, heading + 5)
    assert not reading.is_verbatim(heading, heading + 13)


def test_a_row_that_is_cut_has_the_headings_of_the_cells_that_begin_in_the_stretch():
    start, end = cell("white\nvan")
    assert row_headings.read(TEXT, start, END, [TABLE]).text == "vehicle: white van · guard: Brandt"
    assert row_headings.read(TEXT, start + 6, END, [TABLE]).text == "van\tguard: Brandt"
    assert row_headings.read(TEXT, 0, end - 4, [TABLE]).text == TEXT[: start - 1] + " · vehicle: white"


def test_a_page_that_has_its_headings_stays_as_it_is():
    text = "07:58 · vehicle: white van"
    table = Table(("time", "vehicle"), (((0, 5), (17, 26)),))
    assert row_headings.read(text, 0, len(text), [table]).text == text
    text, table = "vehicle: white van", Table(("time", "vehicle"), (((0, 0), (9, 18)),))
    assert row_headings.read(text, 0, len(text), [table]).text == text
    assert row_headings.read(TEXT, 0, len(TEXT), []).text == TEXT
