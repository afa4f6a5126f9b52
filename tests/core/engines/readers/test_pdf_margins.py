"""Numbers of lines at the margin of a page: no part of its sentences, and counted."""

from __future__ import annotations

import pytest

from core.domain import LeftOut, PageText
from tests.core.engines.readers.test_pdf import new, read

LINES = [
    "THE COURT: Did you see the witness close the",
    "gate before the alarm was raised on the night",
    "of 4 May, or did you only hear about it later",
    "from the guard who was on duty at the time?",
    "THE WITNESS: I did not see him close the gate,",
    "and I never said that I had. The report is",
    "wrong on that point, which I told the inspector.",
]


@pytest.mark.parametrize("first", [1, 14])
@pytest.mark.parametrize("order", ["rows", "columns"])
def test_numbers_of_lines_stand_in_no_sentence(order, first):
    document, page = new()
    page.insert_text((250, 50), "In the matter of 3 pumps")
    numbers = [(60, 100 + 24 * index, f"{first + index:2}") for index in range(len(LINES))]
    texts = [(100, 100 + 24 * index, line) for index, line in enumerate(LINES)]
    pairs = zip(numbers, texts, strict=True)
    for x, y, text in [*numbers, *texts] if order == "columns" else [entry for pair in pairs for entry in pair]:
        page.insert_text((x, y), text)
    items = read(document)
    result = next(item for item in items if isinstance(item, PageText))
    assert "\n".join(LINES) in result.text
    assert "In the matter of 3 pumps" in result.text
    assert LeftOut("line number", len(LINES), "left margin, page 1") in items
    assert [result.text[w.start : w.end] for w in result.words] == result.text.split()


@pytest.mark.parametrize(
    "rows",
    [
        [f"Ann Smith {40 + index} Kelm" for index in range(9)],
        [f"The {noun} was closed." for noun in ("gate", "valve", "door", "lid", "road", "case", "file")],
    ],
)
def test_numbers_of_rows_and_items_stay(rows):
    document, page = new()
    for index, row in enumerate(rows):
        page.insert_text((60, 100 + 24 * index), str(index + 1))
        page.insert_text((100, 100 + 24 * index), row)
    items = read(document)
    result = next(item for item in items if isinstance(item, PageText))
    assert all(str(index + 1) in result.text.split() for index in range(len(rows)))
    assert not any(isinstance(item, LeftOut) for item in items)


@pytest.mark.parametrize(("every", "is_prose"), [(5, True), (2, True), (5, False)])
def test_numbers_of_every_fifth_line_stand_in_no_sentence_and_a_scale_stays(every, is_prose):
    document, page = new()
    line = "which he said of the pump" if is_prose else "Kelm."
    for number in range(1, 21):
        if number % every == 0:
            page.insert_text((60, 60 + 20 * number), str(number))
        page.insert_text((100, 60 + 20 * number), line)
    items = read(document)
    result = next(item for item in items if isinstance(item, PageText))
    assert (LeftOut("line number", 20 // every, "left margin, page 1") in items) is is_prose
    assert ("5" in result.text.split() or "2" in result.text.split()) is not is_prose


def test_two_pages_of_a_transcript_on_one_sheet_have_a_margin_each():
    document, page = new()
    for index, line in enumerate(LINES):
        for x, number in ((40, index + 1), (300, index + 8)):
            page.insert_text((x, 100 + 24 * index), str(number), fontsize=9)
            page.insert_text((x + 20, 100 + 24 * index), line, fontsize=9)
    items = read(document)
    result = next(item for item in items if isinstance(item, PageText))
    assert " ".join(result.text.split()).count(" ".join(LINES)) == 2
    assert LeftOut("line number", 14, "left margin, page 1") in items
