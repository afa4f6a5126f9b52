"""PDFs that go wrong: every file of a folder of odd ones against what is expected of it, and damaged copies of our own.

All of it through the child process: whatever a file does, the process of the program goes on.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from core.domain import PageText
from core.errors import EngineStopped, PasswordNeeded, UnreadableDocument
from core.workers.engines import ReaderClient
from tests.core.engines.pdf_material import LOREM, READER, new
from tests.core.engines.readers.test_dispatch import checked, mutants
from tests.core.engines.readers.test_pdf_annotations import noted_page

# What is expected of a kind of file in the folder: it is read and has text, is read as pictures, asks for a password,
# or may be refused.
EXPECTED = {
    "text_simple": "text",
    "multi_column": "text",
    "long_many_pages": "text",
    "scan_no_text": "pictures",
    "scan_rotated_or_skewed": "pictures",
    "scan_with_text_layer_or_hidden_text": "text",
    "rotated_text": "text",
    "right_to_left": "text",
    "cjk_or_non_latin": "text",
    "encrypted_needs_password": "password",
    "encrypted_opens_without_password": "text",
    "broken_or_malformed": "any",
    "forms_attachments_annotations": "text",
    "font_or_encoding_trouble": "text",
    "tables": "text",
}
UNREADABLE = {"ocrmypdf__invalid.pdf", "pdfjs__poppler-395-0-fuzzed.pdf", "pdfjs__REDHAT-1531897-0.pdf"}
PICTURES = {"unstructured__table-multi-row-column-cells.pdf"}  # a table, but a picture of one


@pytest.fixture(scope="module")
def reader() -> Iterator[ReaderClient]:
    client = ReaderClient()
    yield client
    client.close()


def outcome(reader: ReaderClient, data: bytes, name: str, password: str = "") -> tuple[str, str, int, int]:
    """What became of a file: (outcome, reason, pages, letters). Anything but these is a failure of the program."""
    try:
        items = list(reader.read(data, name, password=password))
    except PasswordNeeded as error:
        return "password", explained(error), 0, 0
    except UnreadableDocument as error:
        return "refused", explained(error), 0, 0
    except EngineStopped as error:
        return "stopped", error.sentence, 0, 0
    checked(items)
    pages = [item for item in items if isinstance(item, PageText)]
    letters = sum(len(page.text) for page in pages)
    return ("text" if letters else "pictures"), "", len(pages), letters


def explained(error: UnreadableDocument) -> str:
    """The sentence of a refusal, which comes with what to do."""
    assert error.sentence.endswith(".")
    assert error.hint.endswith(".")
    return error.sentence


def listed(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "manifest_dev.tsv").read_text("utf-8").splitlines(), delimiter="\t"))


@pytest.mark.development_data
@pytest.mark.slow
def test_every_file_of_the_folder_ends_as_expected(development_data, reader):
    folder = development_data / "pdf" / "varied"
    rows = listed(folder)
    assert len(rows) > 50
    counts: Counter[str] = Counter()
    wrong = []
    for row in rows:
        name = row["file"]
        data = (folder / "files" / name).read_bytes()
        ending, reason, pages, letters = outcome(reader, data, name)
        if ending == "password":
            second = outcome(reader, data, name, row["password"])[0]
            assert outcome(reader, data, name, "no " + row["password"])[0] == "password"
            if second != "text":
                wrong.append(f"{name}: its password opens it as {second}")
        counts[ending] += 1
        expected = "pictures" if name in PICTURES else EXPECTED[row["category"]]
        if expected == "any":
            expected = "refused" if name in UNREADABLE else "text"
        if ending != expected:
            wrong.append(f"{name}: {ending}, not {expected}")
        if row["pages"] and pages != int(row["pages"]):
            wrong.append(f"{name}: {pages} pages, not {row['pages']}")
        print(f"{name[:48]:48s} {ending:9s} {pages:4d} pages {letters:8d} letters  {reason}")
    print(dict(counts))
    assert not wrong, "\n".join(wrong)
    assert sum(counts.values()) == len(rows)


def fixtures() -> dict[str, bytes]:
    """Files of our own with all that a reader of PDFs must go through."""
    files: dict[str, bytes] = {}
    document, page = new()
    for x in (50, 310):
        page.insert_textbox((x, 60, x + 240, 790), " ".join([LOREM] * 12), fontsize=9)
    page.insert_text((50, 800), "white", color=(1, 1, 1))
    page.draw_rect((60, 100, 200, 120), fill=(0, 0, 0))
    document.set_toc([[1, "Night", 1]])
    files["columns"] = document.tobytes(deflate=True)
    document, page = noted_page()
    document.embfile_add("inside.txt", b"attached text")
    page.add_file_annot((400, 100), b"inside text", "pinned.txt")
    files["notes"] = document.tobytes()
    document, page = new()
    page.insert_htmlbox((50, 50, 500, 300), '<p dir="rtl">توقفت المضخة في الساعة الثانية</p><p>the o\ufb03ce</p>')
    page.insert_image((50, 400, 300, 600), pixmap=page.get_pixmap(dpi=40))
    page.set_rotation(90)
    document.set_page_labels([{"startpage": 0, "style": "r", "firstpagenum": 3}])
    files["fonts and pictures"] = document.tobytes()
    document, page = new()
    page.insert_text((50, 50), LOREM)
    files["locked"] = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw="")
    return files


def damaged(reader: ReaderClient, count: int, seed: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for number, (name, data) in enumerate(fixtures().items()):
        assert READER.read(data, name)
        for copy in mutants(data, count, seed + number):
            counts[outcome(reader, copy, f"{name}.pdf")[0]] += 1
    return counts


def test_damaged_copies_end_as_pages_or_a_reason(reader):
    counts = damaged(reader, 8, seed=11)
    assert sum(counts.values()) == 32
    assert counts["stopped"] <= 1, counts
    assert counts["text"] > 12, counts


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_three_hundred_damaged_copies_end_as_pages_or_a_reason(reader):
    counts = damaged(reader, 80, seed=1_000)
    assert sum(counts.values()) == 320
    assert counts["stopped"] <= 3, counts
    assert counts["text"] > 120, counts


def test_a_page_that_says_it_is_endless_is_no_end(reader):
    """A table of contents that leads to itself, a tree of pages with a loop, a form that draws itself."""
    loop = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R"
        b"/Resources<</XObject<</X 6 0 R>>/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"
        b"4 0 obj<</Length 48>>stream\nBT /F 12 Tf 20 100 Td (Words) Tj ET /X Do /X Do \nendstream endobj\n"
        b"5 0 obj<</First 7 0 R/Last 7 0 R>>endobj\n"
        b"6 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>/Length 11>>stream\n"
        b"/X Do /X Do\nendstream endobj\n"
        b"7 0 obj<</Title(Round)/Parent 5 0 R/Next 7 0 R/First 5 0 R/Dest[3 0 R/Fit]>>endobj\n"
        b"trailer<</Root 1 0 R>>\n%%EOF"
    )
    ending, reason, pages, _ = outcome(reader, loop, "loop.pdf")
    assert (ending, reason, pages) == ("text", "", 1)
