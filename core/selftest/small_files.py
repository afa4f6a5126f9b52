"""The small files that the self-test has its readers read: one of each kind, and all with the same sentence.

They come with the program, in ``resources/selftest``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core import formats, paths
from core.domain import PageText
from core.ports import Attachment

FOLDER = paths.RESOURCES / "selftest"
SENTENCE = "The pump stopped at 02:14 on the fifth of March."
PASSWORD = "selftest"
LOCKED = "locked.docx"
SCAN = "scan.png"
SCAN_SIZE = (420.0, 200.0)  # points
PICTURES = (SCAN, "scan.jpg", "scan.tif")
# What each is called in the table, by its file.
FILES = dict(sample for row in formats.FORMATS for sample in row.samples)


def load(name: str) -> bytes:
    """Return the bytes of a small file. Raises OSError where it is not there."""
    return Path(FOLDER, name).read_bytes()


def text_of(items: Iterable[Any]) -> tuple[int, str]:
    """Return the number of pages that a reader gave, and their text with that of the text files inside."""
    pages, texts = 0, []
    for item in items:
        if isinstance(item, PageText):
            pages += 1
            texts.append(item.text)
        elif isinstance(item, Attachment):
            texts.append(item.data.decode("utf-8", "replace"))
    return pages, " ".join(" ".join(texts).split())
