"""Letters of a PDF page: raised figures, spaced words, text drawn twice, words struck through."""

from __future__ import annotations

import pymupdf
import pytest

from core.domain import PageText
from tests.core.engines.readers.test_pdf import new, read


def page_of(document: pymupdf.Document) -> PageText:
    page = next(item for item in read(document) if isinstance(item, PageText))
    assert "".join(page.text.split()) == "".join(page.text[w.start : w.end] for w in page.words)
    return page


def write(page: pymupdf.Page, *parts: tuple[str, float, float], position: tuple[float, float] = (72, 100)) -> None:
    """Write stretches of text one behind the other: text, size, how far above the line."""
    x, y = position
    for text, size, above in parts:
        page.insert_text((x, y - above), text, fontsize=size)
        x += pymupdf.get_text_length(text, fontsize=size)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ((("It holds 10", 11, 0), ("6", 7, 4), (" litres.", 11, 0)), "It holds 10⁶ litres."),
        ((("It holds 10", 11, 0), ("-6", 7, 4), (" litres.", 11, 0)), "It holds 10⁻⁶ litres."),
        ((("Paid in 2019", 11, 0), ("3", 7, 4), (" by him.", 11, 0)), "Paid in 2019³ by him."),
        ((("Much CO", 11, 0), ("2", 7, -2), (" was there.", 11, 0)), "Much CO₂ was there."),
        ((("On the 1", 11, 0), ("st", 7, 4), (" of May.", 11, 0)), "On the 1st of May."),
        ((("He paid 12", 11, 0), ("1/2", 7, 0), (" euros.", 11, 0)), "He paid 12 1/2 euros."),
        ((("He paid 12", 11, 0), ("10", 9.9, 0), (" euros.", 11, 0)), "He paid 1210 euros."),
    ],
)
def test_raised_and_lowered_figures_never_join_a_number(parts, text):
    document, page = new()
    write(page, *parts)
    assert page_of(document).text == text


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("S E C R E T   D R A F T   2 0 2 4", "SECRET DRAFT 2024"),
        ("G e s p e r r t   g e d r u c k t war das Wort.", "Gesperrt gedruckt war das Wort."),
        ("1 2 3 4 5 6", "1 2 3 4 5 6"),
    ],
)
def test_typed_blanks_between_letters_are_none_and_wider_ones_part_words(line, text):
    document, page = new()
    page.insert_text((72, 100), line, fontsize=12)
    assert page_of(document).text == text


def test_a_fraction_of_stacked_figures_is_one():
    document, page = new()
    page.insert_text((72, 100), "He paid 12", fontsize=11)
    x = 72 + pymupdf.get_text_length("He paid 12", fontsize=11)
    page.insert_text((x, 95), "1", fontsize=6)
    page.insert_text((x, 102), "2", fontsize=6)
    text = page_of(document).text
    assert "121" not in text
    assert "122" not in text


@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.3, 0.0), (0.4, 0.4)])
def test_text_that_is_drawn_twice_is_read_once(offset):
    document, page = new()
    for dx, dy in ((0.0, 0.0), offset):
        page.insert_text((72 + dx, 100 + dy), "Invoice 48,200 was not paid.")
    page.insert_text((72, 140), "Invoice 48,200 was not paid.")  # said once more
    assert page_of(document).text.split("\n\n") == ["Invoice 48,200 was not paid."] * 2


def spaced(page: pymupdf.Page, text: str, step: float, position: tuple[float, float] = (72, 100)) -> None:
    for place, letter in enumerate(text):
        if letter != " ":
            page.insert_text((position[0] + place * step, position[1]), letter, fontsize=14)


def test_spaced_letters_are_a_word_in_the_box_around_them():
    document, page = new()
    spaced(page, "CONFIDENTIAL REPORT", 18)
    page.insert_text((72, 140), "The pump was sabotaged.")
    result = page_of(document)
    assert result.text == "CONFIDENTIAL REPORT\n\nThe pump was sabotaged."
    first, second = list(result.words)[:2]
    assert first.x0 == pytest.approx(72, abs=2)
    assert 72 + 11 * 18 < first.x1 < second.x0 < 72 + 13 * 18 + 2


@pytest.mark.parametrize(
    ("text", "step"), [("ABCDEFGH", 18), ("MTWTFSS", 18), ("CONFIDENTIAL", 60), ("TONE", 18), ("17394628", 18)]
)
def test_letters_that_are_no_word_stay_apart(text, step):
    document, page = new(width=900)
    spaced(page, text, step)
    assert page_of(document).text.split() == list(text)


def struck(page: PageText) -> list[str]:
    return [page.text[start:end] for start, end in page.struck_spans]


def lined(page: pymupdf.Page, height: float, how: str) -> None:
    """Draw a line over 'was not' at a height."""
    x0 = 72 + pymupdf.get_text_length("The bill ", fontsize=11)
    x1 = x0 + pymupdf.get_text_length("was not", fontsize=11)
    if how == "line":
        page.draw_line((x0, height), (x1, height), width=0.7)
    elif how == "box":
        page.draw_rect((x0, height - 0.4, x1, height + 0.4), fill=(0, 0, 0), color=None)
    elif how == "note":
        page.add_strikeout_annot(pymupdf.Quad((x0, 90), (x1, 90), (x0, 103), (x1, 103)))
    else:
        page.draw_line((20, height), (570, height), width=0.7)


@pytest.mark.parametrize(
    ("how", "height", "words"),
    [
        ("line", 96.5, ["was not"]),
        ("box", 96.5, ["was not"]),
        ("note", 0, ["was not"]),
        ("line", 102.0, []),  # underlined
        ("line", 88.0, []),
        ("rule", 96.5, []),  # across the page
    ],
)
def test_words_with_a_line_through_them_are_struck(how, height, words):
    document, page = new()
    page.insert_text((72, 100), "The bill was not paid.", fontsize=11)
    lined(page, height, how)
    result = next(item for item in read(document) if isinstance(item, PageText))
    assert struck(result) == words
    assert result.text.startswith("The bill was not paid.")
