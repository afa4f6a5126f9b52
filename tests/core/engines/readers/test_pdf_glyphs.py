"""Letters of a PDF page that stand right by where their glyphs do: accents, ligatures, numbers from right to left."""

from __future__ import annotations

import pymupdf
import pytest

from tests.core.engines.readers.test_pdf import new
from tests.core.engines.readers.test_pdf_letters import page_of

SIZE = 12


def width(text: str) -> float:
    return float(pymupdf.get_text_length(text, fontsize=SIZE))


def accented(page: pymupdf.Page, before: str, accent: str, letter: str, after: str, *, first: bool = True) -> None:
    """Write a word as TeX does: the accent over the middle of a letter, before or after it in the file."""
    x = 72 + width(before)
    middle = x + (width(letter) - width(accent)) / 2
    page.insert_text((72, 100), before, fontsize=SIZE)
    drawn = [(middle, accent), (x, letter)]
    for place, text in drawn if first else reversed(drawn):
        page.insert_text((place, 100), text, fontsize=SIZE)
    page.insert_text((x + width(letter), 100), after, fontsize=SIZE)


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        (("S", "¨", "a", "ckinger"), "Säckinger"),
        (("L", "´", "a", "szlo"), "Lászlo"),
        (("Fran", "¸", "c", "ois"), "François"),
        (("", "`", "A", " la"), "À la"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_an_accent_over_a_letter_joins_it(parts, word, first):
    document, page = new()
    accented(page, *parts, first=first)
    assert page_of(document).text == word


@pytest.mark.parametrize("text", ["Norway´s coast", "a ´b´ c", "x~y and ^z", "the ¨x¨ of"])
def test_an_accent_beside_a_letter_stays(text):
    document, page = new()
    page.insert_text((72, 100), text, fontsize=SIZE)
    assert page_of(document).text == text


def test_an_accent_over_a_letter_that_has_none_such_stays():
    document, page = new()
    accented(page, "x", "¨", "q", "s")
    assert page_of(document).text == "x¨qs"


def meaning(document: pymupdf.Document, page: pymupdf.Page, letters: dict[str, str]) -> None:
    """Have the letters of the page's only font stand for others."""
    rows = "".join(f"<{ord(code):02x}> <{text.encode('utf-16-be').hex()}>\n" for code, text in letters.items())
    table = document.get_new_xref()
    document.update_object(table, "<<>>")
    head = "1 begincodespacerange <00> <ff> endcodespacerange"
    document.update_stream(table, f"begincmap {head} {len(letters)} beginbfchar\n{rows}endbfchar endcmap".encode())
    document.xref_set_key(page.get_fonts()[0][0], "ToUnicode", f"{table} 0 R")


@pytest.mark.parametrize(
    ("drawn", "text"),
    [("MLK", "كلام"), ("MLA", "الام"), ("TML", "لامت"), ("MK LA", "الا كم"), ("MGK", "كلللهم"), ("MAK", "كام")],
)
def test_a_ligature_of_a_text_from_right_to_left_is_in_order(drawn, text):
    document, page = new()
    page.insert_text((72, 100), drawn, fontsize=SIZE)
    letters = {"M": "م", "L": "لا", "K": "ك", "A": "ا", "T": "ت", "G": "للله"}
    meaning(document, page, letters)
    assert page_of(document).text == text


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["19", "/", "09", "/", "1403"], "1403/09/19"),
        (["50", ".", "3"], "3.50"),
        (["7", "-"], "7 -"),
    ],
)
def test_a_number_written_from_right_to_left_is_read_as_it_stands(parts, text):
    document, page = new()
    x = 200.0
    for part in parts:
        x -= width(part)
        page.insert_text((x, 100), part, fontsize=SIZE)
    assert page_of(document).text == text


def test_numbers_in_columns_stay_apart():
    document, page = new()
    for place, part in enumerate(["19", "/", "09"]):
        page.insert_text((200 - 40 * place, 100), part, fontsize=SIZE)
    assert "19" in page_of(document).text.split()
