"""Scans with a stamp of real text: they wait to be read in their picture; text over a ground does not."""

from __future__ import annotations

import pymupdf
import pytest

from core.domain import STAMP, LeftOut, PageText
from tests.core.engines.readers.test_pdf import LOREM, new, read

FULL, HALF = pymupdf.Rect(0, 0, 595, 842), pymupdf.Rect(0, 60, 595, 444)


def picture_of(rect: pymupdf.Rect, text: str = "Invoice 48,200 was not paid on 4 March 2024.\n" * 3) -> pymupdf.Pixmap:
    document = pymupdf.open()
    page = document.new_page(width=rect.width, height=rect.height)
    page.insert_text((50, 150), text)
    return page.get_pixmap(dpi=120)


def noise(width: int = 60, height: int = 40) -> pymupdf.Pixmap:
    """A picture as of a photograph: every grey, none of them paper."""
    samples = bytes((x * 37 + y * 91 + x * y * 13) % 256 for y in range(height) for x in range(width))
    return pymupdf.Pixmap(pymupdf.csGRAY, width, height, samples, False)


def page_of(document: pymupdf.Document) -> PageText:
    return next(item for item in read(document) if isinstance(item, PageText))


@pytest.mark.parametrize("rect", [FULL, HALF])
@pytest.mark.parametrize(
    "stamps",
    [
        [((400, 830), "ABC-000123", 0)],
        [((60, 20), "Case 1:20-cv-01234-ABC Document 45-3 Filed 03/04/24 Page 1 of 12", 0), ((10, 830), "SCAN", 0)],
        [((500, 400), "CONFIDENTIAL", 90)],
    ],
)
def test_a_scan_with_a_stamp_waits_to_be_read(rect, stamps):
    document, page = new()
    page.insert_image(rect, pixmap=picture_of(rect))
    for position, text, turn in stamps:
        page.insert_text(position, text, rotate=turn)
    result = page_of(document)
    assert (result.source, result.confidence) == ("embedded", STAMP)
    assert all(text in result.text for _, text, _ in stamps)


def test_text_over_a_ground_that_is_a_picture_stays_as_it_is():
    document, page = new()
    page.insert_image(FULL, pixmap=picture_of(FULL))
    page.insert_textbox((50, 300, 545, 700), LOREM * 6)
    result = page_of(document)
    assert (result.source, result.confidence) == ("embedded", None)


def test_an_even_ground_or_a_photograph_beside_a_caption_is_no_scan():
    document, page = new()
    page.insert_image(FULL, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, 2, 2, bytes((250, 251, 250, 251)), False))
    page.insert_text((72, 300), "Annual report", fontsize=30)
    assert page_of(document).confidence is None
    document, page = new()
    page.insert_image(HALF, pixmap=noise())
    page.insert_text((72, 500), "Figure 2: the yard at dawn")
    items = read(document)
    assert next(item for item in items if isinstance(item, PageText)).confidence is None
    assert LeftOut("picture", 1, "page 1") in items


def test_pages_are_looked_at_one_by_one():
    document, page = new()
    page.insert_textbox((50, 50, 545, 700), LOREM * 4)
    page = document.new_page(width=595, height=842)
    page.insert_image(FULL, pixmap=picture_of(FULL))
    page.insert_text((400, 830), "ABC-000124")
    assert [item.confidence for item in read(document) if isinstance(item, PageText)] == [None, STAMP]
