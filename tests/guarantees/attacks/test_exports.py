"""Hostile texts in every field of every form of report, opened by independent readers (rows F1 to F3)."""

from __future__ import annotations

import csv
import io

import openpyxl
import pytest

from tests.guarantees.attacks import exports, other_programs


@pytest.mark.parametrize("form", exports.QUICK)
def test_no_hostile_text_becomes_anything_but_text(form, record_property):
    texts = exports.TEXTS[::9]
    assert {text: faults for text in texts if (faults := exports.faults_of(form, text))} == {}
    record_property("n", len(texts))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("form", [*exports.QUICK, *exports.SLOW])
def test_no_hostile_text_of_all_becomes_anything_but_text(form, record_property):
    assert {text: faults for text in exports.TEXTS if (faults := exports.faults_of(form, text))} == {}
    assert len(exports.TEXTS) >= 100
    record_property("n", len(exports.TEXTS))


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (exports.web_page, b"<p onclick=x()>a"), (exports.web_page, b"<a href=//evil>a</a>"),
        (exports.web_page, b"<svg><script>1</script></svg>"), (exports.markdown, b"a <script>1</script>"),
        (exports.markdown, b"[a](http://evil)"), (exports.table, b"a,=1+1\r\n"), (exports.table, "＝1\r\n".encode()),
    ],
)  # fmt: skip
def test_a_reader_finds_what_is_active(read, data):
    assert list(read(data))


# --- opened by other programs ----------------------------------------------------------------------------------------

# Each tells the page that holds it that it ran, or asks for a picture, where it is not text.
RUNNING = tuple(
    text.replace("RUN", "top.postMessage('ran', '*')")
    for text in (
        "<script>RUN</script>",
        '"><script>RUN</script>',
        "</style><script>RUN</script>",
        "--><script>RUN</script>",
        '<img src=x onerror="RUN">',
        '<input autofocus onfocus="RUN">',
        "' onfocus=RUN autofocus '",
        '" onfocus="RUN" autofocus "',
        '<svg onload="RUN">',
        "<svg><script>RUN</script></svg>",
        '<math><style><img src=x onerror="RUN"></style>',
        '<details open ontoggle="RUN">',
        '<iframe srcdoc="<script>RUN</script>"></iframe>',
        '<a href="javascript:RUN">a</a>',
        '<meta http-equiv=refresh content="0;url=javascript:RUN">',
        "<img src=http://canary.example/a.png>",
        "<link rel=stylesheet href=http://canary.example/a.css>",
        "<style>@import 'http://canary.example/b.css'; *{background:url(http://canary.example/b.png)}</style>",
        "<base href=http://canary.example/>",
        "<object data=http://canary.example/c></object>",
        "<video poster=http://canary.example/d.png>",
        '<body background="http://canary.example/e.png">',
    )
)
no_browser = pytest.mark.skipif(not other_programs.browser(), reason="Chromium is not installed")
no_office = pytest.mark.skipif(bool(other_programs.absent("soffice")), reason="LibreOffice is not installed")
POPPLER = other_programs.absent("pdftotext", "pdfinfo", "pdfdetach")
no_poppler = pytest.mark.skipif(bool(POPPLER), reason=f"{POPPLER} of Poppler: not installed")
every_text = pytest.mark.timeout(3600)


@pytest.mark.slow
@every_text
@no_browser
@pytest.mark.parametrize("form", ["html", "pack.html"])
def test_no_hostile_text_runs_or_asks_for_anything_in_chromium(form, tmp_path, record_property):
    make, _ = exports.QUICK[form]
    texts = (*RUNNING, *exports.TEXTS)
    assert other_programs.browsed({text: make(exports.poisoned(text)) for text in texts}, tmp_path) == []
    record_property("n", len(texts))


@pytest.mark.slow
@no_browser
def test_the_browser_tells_what_runs_and_what_is_asked_for(tmp_path):
    """Pages that hold what the program writes as text: nearly all of it acts."""
    lines = other_programs.browsed({text: f"<p>{text}</p>".encode() for text in RUNNING}, tmp_path)
    assert len([line for line in lines if line.startswith("ran")]) >= 8
    assert len([line for line in lines if "canary.example" in line]) >= 4


@pytest.mark.slow
@every_text
@no_office
def test_every_text_of_a_workbook_is_that_text_in_libreoffice(tmp_path, record_property):
    make, _ = exports.SLOW["xlsx"]
    books = {f"{number}.xlsx": make(exports.poisoned(text)) for number, text in enumerate(exports.TEXTS)}
    folder = other_programs.converted(books, other_programs.EVERY_SHEET, tmp_path)
    lost = []
    for name, data in books.items():
        texts = {
            seen(cell)
            for file in folder.glob(f"{name.removesuffix('.xlsx')}-*.csv")
            for row in csv.reader(io.StringIO(file.read_text("utf-8"), newline=""))
            for cell in row
        }
        for sheet in openpyxl.load_workbook(io.BytesIO(data)):
            cells = {seen(cell.value) for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)}
            lost += [(name, sheet.title, cell) for cell in cells - texts]
    assert lost == []
    record_property("n", len(books))


def seen(text: str) -> str:
    """A text without what a table of text cannot hold as it is."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


@pytest.mark.slow
@every_text
@no_office
def test_no_cell_of_a_table_becomes_a_formula_in_libreoffice(tmp_path, record_property):
    make, _ = exports.QUICK["csv"]
    tables = {f"{number}.csv": make(exports.poisoned(text)) for number, text in enumerate(exports.TEXTS)}
    folder = other_programs.converted(tables, "xlsx", tmp_path)
    assert len(list(folder.iterdir())) == len(tables)
    assert {file.name: wrong for file in folder.iterdir() if (wrong := list(exports.workbook(file.read_bytes())))} == {}
    record_property("n", len(tables))


@pytest.mark.slow
@no_office
def test_a_formula_in_a_table_is_noticed_in_libreoffice(tmp_path):
    folder = other_programs.converted({"a.csv": b"a,=1+1\r\n"}, "xlsx", tmp_path)
    assert list(exports.workbook((folder / "a.xlsx").read_bytes())) == ["a B1: a formula"]


@pytest.mark.slow
@every_text
@no_office
def test_no_document_runs_or_leads_outside_in_libreoffice(tmp_path, record_property):
    make, _ = exports.SLOW["docx"]
    documents = {f"{number}.docx": make(exports.poisoned(text)) for number, text in enumerate(exports.TEXTS)}
    folder = other_programs.converted(documents, "odt", tmp_path)
    assert len(list(folder.iterdir())) == len(documents)
    assert {file.name: parts for file in folder.iterdir() if (parts := other_programs.active_parts(file))} == {}
    record_property("n", len(documents))


@pytest.mark.slow
@every_text
@no_poppler
def test_a_pdf_keeps_its_words_and_does_nothing_in_poppler(tmp_path, record_property):
    page, make = tmp_path / "a.pdf", exports.SLOW["pdf"][0]
    texts = exports.TEXTS[::4]
    for text in texts:
        page.write_bytes(make(exports.poisoned(f"plain words {text}")))
        assert "plain words" in other_programs.printed_words(page), text
        assert other_programs.printed_actions(page) == [], text
    record_property("n", len(texts))
