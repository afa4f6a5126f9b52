"""Words of a PDF in reading order: columns, rows, large first letters."""

from __future__ import annotations

import pymupdf
import pytest

from tests.core.engines.readers.test_pdf import new, read


def test_text_written_sideways_is_read():
    document, page = new()
    page.insert_text((300, 500), "Sideways words here", rotate=90)
    (result,) = read(document)
    assert result.text == "Sideways words here"


def columns(page: pymupdf.Page, order: str) -> None:
    left = [f"Left line {n} tells what the guard saw that night" for n in range(12)]
    right = [f"Right line {n} tells what the inspector found later" for n in range(12)]
    lines = [(50, 100 + 14 * n, text) for n, text in enumerate(left)]
    lines_right = [(320, 100 + 14 * n, text) for n, text in enumerate(right)]
    if order == "woven":
        placed = [line for pair in zip(lines, lines_right, strict=True) for line in pair]
    elif order == "backwards":
        placed = (lines + lines_right)[::-1]
    else:
        placed = lines + lines_right
    if order != "backwards":
        page.insert_text((50, 60), "A title that runs over both columns of this page and is long", fontsize=14)
    for x, y, text in placed:
        page.insert_text((x, y), text, fontsize=9)
    if order == "backwards":
        page.insert_text((50, 60), "A title that runs over both columns of this page and is long", fontsize=14)


@pytest.mark.parametrize("order", ["natural", "woven", "backwards"])
def test_two_columns_are_read_one_after_the_other(order):
    document, page = new()
    columns(page, order)
    (result,) = read(document)
    offsets = [result.text.index(f"Left line {n} ") for n in range(12)]
    offsets += [result.text.index(f"Right line {n} ") for n in range(12)]
    assert offsets == sorted(offsets)
    assert result.text.startswith("A title")


def test_a_sentence_goes_on_over_the_column_break():
    document, page = new()
    page.insert_textbox((50, 50, 250, 300), "The guard said that the pump in the cellar was")
    page.insert_textbox((320, 50, 520, 300), "already broken on Monday. He left.")
    (result,) = read(document)
    assert "\n\n" not in result.text


@pytest.mark.parametrize(
    ("letter", "rest", "read_as"), [("T", "he night", "The night"), ("A", "pump ran", "A\npump ran")]
)
def test_a_large_first_letter_belongs_to_its_word(letter, rest, read_as):
    document, page = new()
    page.insert_text((50, 90), "Words of the page before it all.", fontsize=10)
    page.insert_text((50, 128), letter, fontsize=34)
    page.insert_text((75, 112), f"{rest} and nobody saw what had", fontsize=10)
    page.insert_text((75, 126), "happened in the cellar.", fontsize=10)
    (result,) = read(document)
    assert f"{read_as} and nobody" in result.text
    start = result.text.index(read_as)
    assert next(result.text[w.start : w.end] for w in result.words.within(start, start + 3)) == letter


def test_words_on_one_line_with_wide_gaps_are_a_row():
    document, page = new()
    writer = pymupdf.TextWriter(page.rect)
    for x, text in ((50, "Pump"), (200, "stopped"), (350, "02:14")):
        writer.append((x, 100), text)
    writer.write_text(page)
    (result,) = read(document)
    assert result.text in ("Pump\tstopped\t02:14", "Pump\n\nstopped\n\n02:14")


def test_ligatures_are_letters():
    document, page = new()
    page.insert_htmlbox((50, 50, 500, 200), "<p>the o\ufb03ce was \ufb01lled</p>")
    (result,) = read(document)
    assert result.text == "the office was filled"


def test_glyphs_without_letters_count_as_no_text():
    from core.engines.readers import pdf_layout

    line = pdf_layout.Line(0, 0, [(0, 0, 1, 1, "\ufffd\ufffd\ufffd"), (2, 0, 3, 1, "a")], 0, 0, 3, 1)
    assert pdf_layout.is_unknown(pdf_layout.place_text([line]).text)
    assert not pdf_layout.is_unknown("a\ufffd b")
