"""PDF pages made for tests."""

from __future__ import annotations

import pymupdf

from core.domain import PageText
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment

READER = FileReader()
LOREM = "The night guard wrote that the second pump had stopped at two in the morning and that nobody touched it."


def new(width: float = 595, height: float = 842) -> tuple[pymupdf.Document, pymupdf.Page]:
    document = pymupdf.open()
    return document, document.new_page(width=width, height=height)


def items(data: bytes, password: str = "") -> tuple[list[PageText], list[Attachment]]:
    read = list(READER.read(data, "a.pdf", password=password))[1:]
    return [x for x in read if isinstance(x, PageText)], [x for x in read if isinstance(x, Attachment)]


def pages(document: pymupdf.Document) -> list[PageText]:
    return items(document.tobytes())[0]


def hidden_parts(page: PageText) -> list[tuple[str, str]]:
    """What is hidden, and why."""
    return [(page.text[start:end], why) for (start, end), why in zip(page.hidden_spans, page.hidden_why, strict=True)]


def words(page: PageText) -> list[str]:
    return [page.text[word.start : word.end] for word in page.words]
