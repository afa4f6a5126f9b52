"""Sections of a PDF, from its table of contents or from its headings."""

from __future__ import annotations

import pymupdf
import pytest

from core.domain import PageText
from core.engines.readers import pdf_outline
from tests.core.engines.pdf_material import LOREM, items, new, pages


def sections(result: list[PageText]) -> list[tuple[int, int, str, str]]:
    """Page, level, title, and what stands on the page where the section begins."""
    return [
        (page.number, section.level, section.title, page.text[section.start : section.start + 12])
        for page in result
        for section in page.sections
    ]


def report() -> pymupdf.Document:
    document = pymupdf.open()
    for number, heading in enumerate(("1. The night", "2. The pump", "3. Findings")):
        page = document.new_page()
        page.insert_text((50, 60), f"The report of the guard, page {number}", fontsize=9)
        page.insert_textbox((50, 80, 500, 200), " ".join([LOREM] * 4), fontsize=10)
        page.insert_text((50, 240), heading, fontsize=16)
        page.insert_textbox((50, 260, 500, 400), " ".join([LOREM] * 4), fontsize=10)
    return document


def test_the_table_of_contents_leads_to_the_headings():
    document = report()
    document.set_toc([[1, "The night", 1], [2, "2.  THE PUMP", 2], [2, "Not on the page", 2], [1, "Findings", 3]])
    assert sections(pages(document)) == [
        (1, 1, "The night", "1. The night"),
        (2, 2, "2. THE PUMP", "2. The pump\n"),
        (2, 2, "Not on the page", "2. The pump\n"),
        (3, 1, "Findings", "3. Findings\n"),
    ]


def test_without_one_larger_letters_make_a_heading():
    assert sections(pages(report())) == [
        (1, 2, "1. The night", "1. The night"),
        (2, 2, "2. The pump", "2. The pump\n"),
        (3, 2, "3. Findings", "3. Findings\n"),
    ]


def test_bold_numbered_lines_are_headings_and_bold_sentences_are_none():
    document, page = new()
    page.insert_textbox((50, 80, 500, 200), " ".join([LOREM] * 4), fontsize=10)
    page.insert_text((50, 230), "2.1 Markings on the valve", fontsize=10, fontname="hebo")
    page.insert_textbox((50, 260, 500, 400), " ".join([LOREM] * 4), fontsize=10)
    page.insert_text((50, 430), "Nobody touched it, he said.", fontsize=10, fontname="hebo")
    page.insert_textbox((50, 460, 500, 600), " ".join([LOREM] * 4), fontsize=10)
    assert sections(pages(document)) == [(1, 4, "2.1 Markings on the valve", "2.1 Markings")]


def test_what_stands_on_every_page_is_no_section():
    document = pymupdf.open()
    for _ in range(4):
        page = document.new_page()
        page.insert_text((50, 100), "Aviation Accident Report", fontsize=16)
        page.insert_textbox((50, 140, 500, 300), " ".join([LOREM] * 4), fontsize=10)
    assert [(page, title) for page, _, title, _ in sections(pages(document))] == [(1, "Aviation Accident Report")]


def test_a_page_of_large_letters_has_no_headings():
    document, page = new()
    for number in range(12):
        page.insert_text((50, 60 + 60 * number), "Large Letters Everywhere", fontsize=14 + number % 2 * 12)
    assert sections(pages(document)) == []


@pytest.mark.parametrize(
    "entries",
    [
        [[1, "Nowhere", -1, None], [1, "Beyond", 99, None]],
        [[0, "", 1, None], [1, "\n \f", 1, None]],
    ],
)
def test_entries_that_lead_nowhere_or_say_nothing_are_left_out(entries, monkeypatch):
    monkeypatch.setattr(pymupdf.Document, "get_toc", lambda *_, **__: entries)
    assert sections(pages(report())) == sections(pages(report()))
    assert pdf_outline.contents(report()) == {}


def test_a_table_of_contents_that_cannot_be_read_costs_no_page(monkeypatch):
    def fails(*_: object, **__: object) -> list[object]:
        raise RuntimeError("a circle")

    monkeypatch.setattr(pymupdf.Document, "get_toc", fails)
    read, _ = items(report().tobytes())
    assert len(read) == 3
