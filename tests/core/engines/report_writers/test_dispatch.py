"""PDF, DOCX and XLSX as other programs read them: openpyxl, python-docx and the bare XML, MuPDF."""

from __future__ import annotations

import io
import json
import os
import re
import struct
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import docx
import openpyxl
import pymupdf
import pytest
from docx.enum.section import WD_ORIENT
from lxml import etree

from core import matrix
from core.domain import Evidence, Hypothesis
from core.engines.report_writers.dispatch import FileWriter, same_archive
from core.errors import BadInput, EngineStopped
from core.report import render_sheets, render_story, tell
from core.workers.engines import WriterClient
from tests.contracts import CropContract, WriterContract
from tests.core.report.cases import full_case, picture
from tests.core.report.test_report import PAYLOADS, _poison, empty_case, made_case
from tests.fakes import PlainReader, PlainWriter

ROOT = Path(__file__).parents[4]
PICTURES = {"E1": picture(800, 200), "E3": picture(400, 120, 90)}
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def told(data) -> dict[str, bytes]:
    story = render_story(data, figures_of=tuple(PICTURES))
    return {"pdf": story, "docx": story, "xlsx": render_sheets(data)}


def written(form: str, data=None, pictures=PICTURES) -> bytes:
    return FileWriter().write(form, told(data or full_case())[form], pictures)


class TestPlainWriter(WriterContract):
    @pytest.fixture
    def writer(self):
        return PlainWriter()

    @pytest.fixture
    def told(self):
        return told(made_case())


class TestFileWriter(WriterContract):
    @pytest.fixture
    def writer(self):
        return FileWriter()

    @pytest.fixture
    def told(self):
        return told(made_case())


@pytest.fixture(scope="module")
def client():
    made = WriterClient()
    yield made
    made.close()


class TestWriterApart(WriterContract):
    @pytest.fixture
    def writer(self, client):
        return client

    @pytest.fixture
    def told(self):
        return told(made_case())

    def test_it_gives_what_the_writer_gives_with_pictures(self, client):
        for form, report in told(full_case()).items():
            assert client.write(form, report, PICTURES) == FileWriter().write(form, report, PICTURES)

    def test_what_is_no_report_ends_the_child_and_not_the_program(self, client):
        with pytest.raises(EngineStopped):
            client.write("pdf", b"not JSON", {})
        assert client.write("xlsx", told(made_case())["xlsx"], {})


class TestCropOfThePlainReader(CropContract):
    @pytest.fixture
    def reader(self):
        return PlainReader()

    @pytest.fixture
    def document(self):
        return b"The pump stopped at 02:14.", "notes.txt"

    @pytest.fixture
    def box(self):
        return (20.0, 20.0, 60.0, 32.0)


# --- PDF -------------------------------------------------------------------------------------------------------------


def objects(raw: bytes) -> str:
    """Every object of a PDF as text, those in compressed streams included."""
    with pymupdf.open(stream=raw, filetype="pdf") as pdf:
        found = [pdf.xref_object(n, compressed=True) for n in range(1, pdf.xref_length())]
        return "\n".join([*found, pdf.xref_object(-1)])


def pdf_text(raw: bytes) -> str:
    with pymupdf.open(stream=raw, filetype="pdf") as pdf:
        return " ".join(" ".join(page.get_text() for page in pdf).split())


def test_no_word_of_a_pdf_runs_over_the_column_beside_it():
    """A moment stands as its day, and a word wider than its column is broken there."""
    data = made_case()
    wide = replace(data.documents[0], date="2014-03-21T22:02:34Z", kind="APPLICATION-WORDPERFECT")
    raw = written("pdf", replace(data, documents=(wide, *data.documents[1:])))
    with pymupdf.open(stream=raw, filetype="pdf") as pdf:
        (page,) = [page for page in pdf if "SHA-256 of the original" in page.get_text()]
        assert "2014-03-21" in page.get_text()
        assert "22:02" not in page.get_text()
        boxes = [pymupdf.Rect(word[:4]) for word in page.get_text("words")]
        overprinted = [
            (one, other)
            for at, one in enumerate(boxes)
            for other in boxes[at + 1 :]
            if (one & other).width > 0.5 and (one & other).height > 0.4 * min(one.height, other.height)
        ]
    assert overprinted == []


def test_pdf_says_what_the_story_says():
    data = made_case()
    text = re.sub(r"\s", "", pdf_text(written("pdf", data)))
    for section in json.loads(told(data)["pdf"])["story"]["sections"]:
        for block in section["blocks"]:
            for part in (block.get("text", ""), *block.get("items", ())):
                if part and block["kind"] != "figure":
                    assert re.sub(r"\s", "", part) in text, part
    for document in data.documents:
        assert document.sha256 in text


ACTIVE = ("/JS", "/JavaScript", "/Launch", "/OpenAction", "/EmbeddedFile", "/AA", "/URI", "/SubmitForm", "/GoToR")


@pytest.mark.parametrize("data", [made_case(), full_case()], ids=["made", "with letters that no font here has"])
def test_pdf_is_tagged_and_carries_nothing_active(data):
    raw = written("pdf", data)
    everything = objects(raw)
    for active in ACTIVE:
        assert not re.search(rf"{active}\b", everything), active
    assert "/StructTreeRoot" in everything
    assert re.search(r"/Marked\s*true", everything)
    assert re.search(r"/Lang\s*\(en", everything)
    assert "/Alt" in everything
    with pymupdf.open(stream=raw, filetype="pdf") as pdf:
        assert [entry[1] for entry in pdf.get_toc() if entry[0] == 1][:3] == [
            "Bottom line",
            "Hypotheses, least contradicted first",
            "What the conclusion hangs on",
        ]
        assert pdf.metadata["creationDate"].startswith("D:20261104073000")
        assert "Who opened gate 2?" in pdf.metadata["title"]
        assert {link["kind"] for page in pdf for link in page.get_links()} <= {pymupdf.LINK_GOTO, pymupdf.LINK_NAMED}
        shapes = [(page.rect.width > page.rect.height, "Diagnosticity" in page.get_text()) for page in pdf]
        assert (True, True) in shapes  # the matrix lies on its side
        assert shapes[0][0] is False


def test_pdf_with_letters_of_the_programs_fonts_is_archival_and_accessible():
    with pymupdf.open(stream=written("pdf", made_case()), filetype="pdf") as pdf:
        xmp = pdf.get_xml_metadata()
    assert "<pdfaid:part>2</pdfaid:part>" in xmp
    assert "<pdfaid:conformance>A</pdfaid:conformance>" in xmp
    assert "<pdfuaid:part>1</pdfuaid:part>" in xmp


def test_pdf_shows_the_pictures_of_pages():
    with pymupdf.open(stream=written("pdf"), filetype="pdf") as pdf:
        sizes = {(image[2], image[3]) for page in pdf for image in page.get_images()}
    assert sizes == {struct.unpack(">II", png[16:24]) for png in PICTURES.values()}


def test_pdf_takes_any_text_as_text():
    code = '#panic() #read("/etc/passwd") $x$ *b* _i_ `c` @ref <label> #eval("1") \\u{202e} = head // note /* more'
    shown = re.sub(r"[\s\u200b]", "", pdf_text(written("pdf", _poison(made_case(), code), {})))
    assert shown.count(re.sub(r"\s", "", code)) > 20
    for odd in ("a" * 3_000, "שלום ابجد \U0001f600\U00020000\ue000\ufffe\x00\x1b"):
        data = replace(made_case(), title=odd, evidence=(replace(made_case().evidence[0], text=odd, quote=odd),))
        assert written("pdf", data, {})


def test_the_head_of_the_matrix_stands_on_every_page_of_it():
    ids = ["H1", "H2"]
    rows = [matrix.Row(f"E{n}", {"H1": "I", "H2": "C"}) for n in range(1, 121)]
    data = replace(
        empty_case(),
        hypotheses=tuple(Hypothesis(h, h) for h in ids),
        evidence=tuple(Evidence(row.id, f"fact {row.id}", "", "manual", None, None) for row in rows),
        matrix=matrix.build(ids, rows),
    )
    with pymupdf.open(stream=written("pdf", data, {}), filetype="pdf") as pdf:
        wide = [page.get_text() for page in pdf if page.rect.width > page.rect.height]
    assert len(wide) > 2
    assert all("Diagnosticity" in text for text in wide[:-1])


# --- DOCX ------------------------------------------------------------------------------------------------------------


def parts(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_docx_has_headings_a_landscape_matrix_and_heads_that_repeat():
    data = full_case()
    document = docx.Document(io.BytesIO(written("docx", data)))
    heads = [p.text for p in document.paragraphs if p.style.name == "Heading 1"]
    assert heads == [section.title for section in tell(data).sections]
    assert any(p.style.name == "Heading 2" and "E1" in p.text for p in document.paragraphs)
    assert [s.orientation for s in document.sections] == [
        WD_ORIENT.PORTRAIT, WD_ORIENT.LANDSCAPE, WD_ORIENT.PORTRAIT
    ]  # fmt: skip
    assert document.sections[1].page_width > document.sections[1].page_height
    grid = next(t for t in document.tables if t.rows[0].cells[-1].text == "Diagnosticity")
    assert len(grid.rows) == 1 + len(data.evidence)
    order = [data.matrix.order.index(h) for h in data.matrix.order]
    for row, scored in zip(grid.rows[1:], data.matrix.rows, strict=True):
        cells = [cell.text.split(" ")[0] for cell in row.cells[2:-1]]
        assert [scored.ratings.get(data.matrix.order[at]) for at in order] == [
            cell if cell not in ("?", "(I)") else None for cell in cells
        ]
    head = grid.rows[0]._tr.find(f"{W}trPr")
    assert head.find(f"{W}tblHeader") is not None
    for table in document.tables:
        caption = table._tbl.tblPr.find(f"{W}tblCaption")
        if caption is not None:
            assert table.rows[0]._tr.find(f"{W}trPr/{W}tblHeader") is not None
    shades = {s.get(f"{W}fill") for s in grid._tbl.iter(f"{W}shd")}
    assert shades <= {"8DBBE8", "CFE3F6", "ECEFF2", "FBD3A6", "EF9A4A"}


def test_docx_pictures_carry_words():
    document = docx.Document(io.BytesIO(written("docx")))
    found = [shape._inline.docPr.get("descr") for shape in document.inline_shapes]
    assert len(found) == 2
    assert "inspection_2021.pdf, page 4" in found[0]


def test_docx_leads_nowhere_outside_and_says_nothing_of_the_computer():
    data = replace(_poison(full_case(), "</w:t><w:r/> & \" '"), as_of="2026-11-04T07:30:00Z")
    raw = written("docx", data)
    members = parts(raw)
    for name, content in members.items():
        if name.endswith((".xml", ".rels")):
            root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
            assert not [e for e in root.iter() if e.get("TargetMode") == "External"], name
            for field in [*root.iter(f"{W}fldSimple"), *root.iter(f"{W}instrText")]:
                assert (field.get(f"{W}instr") or field.text).strip() in ("PAGE", "NUMPAGES")
    assert not [name for name in members if "vba" in name.lower() or "thumbnail" in name or "embeddings" in name]
    marks = {m.get(f"{W}name") for m in etree.fromstring(members["word/document.xml"]).iter(f"{W}bookmarkStart")}
    links = {m.get(f"{W}anchor") for m in etree.fromstring(members["word/document.xml"]).iter(f"{W}hyperlink")}
    assert links <= marks
    core = members["docProps/core.xml"].decode()
    assert "python-docx" not in core
    assert core.count("2026-11-04T07:30:00Z") >= 2


def test_docx_of_hostile_text_is_well_formed_and_keeps_every_word():
    for payload in (*PAYLOADS[::9], "שלום עולם", "\ufffe\uffff\x0b\x1f", "a\r\nb\fc"):
        raw = written("docx", _poison(made_case(), payload), {})
        text = "\n".join(p.text for p in docx.Document(io.BytesIO(raw)).paragraphs)
        assert text
    right = docx.Document(io.BytesIO(written("docx", _poison(made_case(), "שלום עולם"), {})))
    assert any(p._p.find(f".//{W}bidi") is not None for p in right.paragraphs)


# --- XLSX ------------------------------------------------------------------------------------------------------------


def workbook(data=None):
    return openpyxl.load_workbook(io.BytesIO(written("xlsx", data, {})))


def test_xlsx_grid_is_frozen_filtered_noted_and_checked():
    data = full_case()
    sheet = workbook(data)["Matrix"]
    head = [cell.value for cell in sheet[1]]
    columns = [head.index(f"{h.id}: {h.text}") for h in data.hypotheses]
    assert sheet.freeze_panes == "C2"
    assert sheet.auto_filter.ref == f"A1:{openpyxl.utils.get_column_letter(len(head))}{len(data.evidence) + 1}"
    for n, row in enumerate(data.matrix.rows, start=2):
        assert sheet.cell(n, 1).value == row.id
        assert [sheet.cell(n, at + 1).value for at in columns] == [row.ratings.get(h.id) for h in data.hypotheses]
        assert sheet.cell(n, head.index("Weight") + 1).value == pytest.approx(row.weight, abs=1e-6)
    first = sheet.cell(2, columns[0] + 1)
    assert data.evidence[0].quote[:60] in first.comment.text
    assert "A. Analyst, 2026-11-03 11:00" in first.comment.text
    lists = {str(rule.sqref): rule.formula1 for rule in sheet.data_validations.dataValidation}
    last = len(data.evidence) + 1
    for at in columns:
        letter = openpyxl.utils.get_column_letter(at + 1)
        assert lists[f"{letter}2:{letter}{last}"] == '"CC,C,N,I,II,NA"'
    rules = [rule for area in sheet.conditional_formatting for rule in area.rules]
    fills = {rule.formula[0].split('"')[1]: rule.dxf.fill.bgColor.rgb[-6:] for rule in rules}
    assert fills == {"CC": "8DBBE8", "C": "CFE3F6", "N": "ECEFF2", "I": "FBD3A6", "II": "EF9A4A", "NA": "FFFFFF"}


def test_xlsx_has_every_rule_and_every_rating():
    data = full_case()
    book = workbook(data)
    summary = book["Summary"]
    head = [cell.value for cell in summary[1]]
    for n, h in enumerate(data.matrix.order, start=2):
        assert summary.cell(n, 2).value == h
        assert summary.cell(n, head.index("Bayes") + 1).value == pytest.approx(data.matrix.scores["bayes"][h], abs=1e-6)
    assert book["Ratings"].max_row == 1 + len(data.assessments)
    assert book.properties.created.isoformat() == "2026-11-04T07:30:00"
    assert not book.properties.creator


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t=", "\r=", "\0=", "＝", "＋", "－", "＠", "=HYPERLINK(", "http://"]
)
def test_no_cell_of_a_workbook_is_a_formula_or_a_link(start):
    book = workbook(_poison(full_case(), f"{start}1+1"))
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type in ("s", "n"), (sheet.title, cell.coordinate)
                assert cell.hyperlink is None
                if cell.data_type == "s" and cell.value.lstrip()[:1] in "=+-@＝＋－＠":
                    assert cell.quotePrefix or cell.column == 1 or sheet.title


def test_a_text_that_begins_like_a_formula_keeps_its_words_and_its_mark():
    data = full_case()
    data = replace(data, evidence=(replace(data.evidence[0], text="=1+1"), *data.evidence[1:]))
    cell = workbook(data)["Matrix"].cell(2, 2)
    assert (cell.value, cell.data_type, cell.quotePrefix) == ("=1+1", "s", True)
    xml = parts(written("xlsx", data, {}))
    assert not any(b"<f>" in content for name, content in xml.items() if name.startswith("xl/worksheets/sheet"))


def test_xlsx_leads_nowhere_outside():
    for name, content in parts(written("xlsx", _poison(full_case(), "http://evil.example"), {})).items():
        if name.endswith((".xml", ".rels")):
            assert b'TargetMode="External"' not in content, name
    assert not [name for name in parts(written("xlsx")) if "external" in name.lower() or "vba" in name.lower()]


def test_an_empty_case_can_be_written_in_every_form():
    for form in ("pdf", "docx", "xlsx"):
        assert written(form, empty_case(), {})


# --- the same bytes --------------------------------------------------------------------------------------------------


def test_the_bytes_depend_on_nothing_but_the_report():
    code = (
        "import hashlib; from tests.core.engines.report_writers.test_dispatch import *; "
        "print([hashlib.sha256(written(form)).hexdigest() for form in ('pdf', 'docx', 'xlsx')])"
    )
    found = set()
    for seed, zone, language in (("1", "Asia/Tokyo", "C"), ("2", "America/New_York", "de_DE.UTF-8")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": language}
        made = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
        )
        found.add(made.stdout.strip())
    assert len(found) == 1


def test_an_archive_has_fixed_times_and_order():
    raw = written("docx")
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = archive.namelist()
        assert {item.date_time for item in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert names[0] == "[Content_Types].xml"
    assert names[1:] == sorted(names[1:])
    assert same_archive(raw) == raw


def test_another_time_gives_another_file_and_nothing_else_changes():
    data = full_case()
    later = replace(data, as_of="2026-12-24T00:00:00.000Z")
    assert written("pdf", data) != written("pdf", later)
    assert json.loads(render_story(later))["generated_at"].startswith("2026-12-24")


def test_a_form_that_there_is_not_is_refused():
    with pytest.raises(BadInput, match="exe"):
        FileWriter().write("exe", b"{}", {})
