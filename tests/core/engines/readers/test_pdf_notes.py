"""Footnotes of a PDF: their figures in the text and before the notes, for whoever checks what a report cites."""

from __future__ import annotations

import pymupdf
import pytest

from core.audit.document_text import read
from core.domain import PageText
from core.engines.readers.dispatch import FileReader


def page_with_notes(document, sentences, notes, *, raised_heads=True):
    """A page of sentences, each with its raised figures (text, figure), and the notes (figure, text) at its foot."""
    page = document.new_page()
    y = 80.0
    for text, figure in sentences:
        page.insert_text((60, y), text, fontsize=11)
        width = pymupdf.get_text_length(text, fontsize=11)
        if figure:
            page.insert_text((60 + width, y - 4), figure, fontsize=6)
        y += 15
    y = 740.0
    for figure, text in notes:
        page.insert_text((60, y - 3 * raised_heads), figure, fontsize=5 if raised_heads else 8)
        page.insert_text((66, y), text, fontsize=8)
        y += 10


def texts(data, **options):
    return [item.text for item in FileReader().read(data, "report.pdf", **options) if isinstance(item, PageText)]


@pytest.fixture
def report():
    with pymupdf.open() as document:
        first = [("The pump stood still for a while.", "1"), ("Nobody saw it stop at 02:14.", "2"), ("It rained.", "")]
        page_with_notes(document, first, [("1", "access_log.txt, p. 1."), ("2", "memo.txt, p. 7.")])
        page_with_notes(document, [("The gate stood open.", "1"), ("See the list behind.", "9")], [("1", "D3, p. 2.")])
        yield document.tobytes()


def test_notes_are_marked_where_they_are_referred_to_and_where_they_stand(report):
    first, second = texts(report, note_marks=True)
    assert "for a while.[^1.1]" in first
    assert "02:14.[^1.2]" in first
    assert "It rained." in first
    assert "\n[^1.1]: access_log.txt, p. 1." in first
    assert "\n[^1.2]: memo.txt, p. 7." in first
    assert "open.[^2.1]" in second
    assert "[^2.1]: D3, p. 2." in second
    assert "behind.[^9]" in second  # its note stands elsewhere


def test_pages_of_a_case_are_read_as_they_stand(report):
    assert not any("[^" in text for text in texts(report))


def test_a_report_is_read_with_its_notes(report):
    pages = [item for item in FileReader().read(report, "report.pdf", note_marks=True) if isinstance(item, PageText)]
    paragraphs = read(pages).paragraphs
    notes = {paragraph.mark: paragraph.text for paragraph in paragraphs if paragraph.kind == "note"}
    assert notes == {"1.1": "access_log.txt, p. 1.", "1.2": "memo.txt, p. 7.", "2.1": "D3, p. 2."}


def test_figures_of_notes_that_stand_on_the_line_are_known_by_their_small_letters():
    with pymupdf.open() as document:
        page_with_notes(
            document, [("The pump stood still for a while.", "1")], [("1", "memo.txt.")], raised_heads=False
        )
        (text,) = texts(document.tobytes(), note_marks=True)
    assert "[^1.1]: memo.txt." in text


def test_what_is_raised_in_a_formula_or_stands_at_the_beginning_of_a_line_is_no_note():
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((60, 80), "2 pumps stood in an area of 40 m", fontsize=11)
        width = pymupdf.get_text_length("2 pumps stood in an area of 40 m", fontsize=11)
        page.insert_text((60 + width, 76), "2", fontsize=6)
        page.insert_text((60, 95), "1 relay was worn.", fontsize=11)
        (text,) = texts(document.tobytes(), note_marks=True)
    assert "[^" not in text
    assert text.startswith("2 pumps")
    assert "\n1 relay was worn." in text
