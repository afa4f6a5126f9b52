"""Reports with a hostile text in every field, opened by readers that are not ours.

Each reader says what it found that is active, leads outside, or is not text; [] is what is right.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator

import docx
import openpyxl
import pypdf
from lxml import etree, html

from core import report as reports
from core.report import Exhibit, ReportData
from tests.core.engines.report_writers.test_dispatch import written
from tests.core.report.cases import full_case, picture
from tests.core.report.test_report import PAYLOADS, _poison

FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\0=1", "＝1+1", "＋1", "＠a", '=HYPERLINK("http://x","y")')
FIELDS = (
    '{INCLUDETEXT "file"}',
    'DDEAUTO c:\\\\cmd.exe "/k calc"',
    '#read("/etc/passwd")',
    "$x$ #eval(1)",
    "[x](//evil)",
)
TEXTS = (*FORMULAS, *FIELDS, *PAYLOADS)
_INSIDE = re.compile(r"^(#|data:image/png;base64,)")
_ACTIVE = ("/JS", "/JavaScript", "/Launch", "/OpenAction", "/EmbeddedFile", "/AA", "/URI", "/SubmitForm", "/GoToR")


def poisoned(text: str) -> ReportData:
    """Put a text into every field of a full report."""
    return _poison(full_case(), text)


def web_page(data: bytes) -> Iterator[str]:
    """Read a web page with lxml, which mends it as a browser would."""
    tree = html.document_fromstring(data.decode("utf-8"))
    for node in tree.iter():
        if not isinstance(node.tag, str):
            yield f"a comment or an instruction: {etree.tostring(node)[:40]!r}"
            continue
        if node.tag in ("script", "iframe", "object", "embed", "form", "base", "link", "video", "template", "input"):
            yield f"<{node.tag}>"
        for name, value in node.attrib.items():
            if name.startswith("on") or (name in ("href", "src", "srcset", "action") and not _INSIDE.match(value)):
                yield f"{node.tag} {name}={value[:40]}"
            if name == "http-equiv" and value.lower() != "content-security-policy":
                yield f"{node.tag} {name}={value}"


def markdown(data: bytes) -> Iterator[str]:
    """Read Markdown as HTML would be read in it: no tag and no link outside may be left."""
    text = re.sub(r"`[^`\n]*`", "", data.decode("utf-8"))
    yield from re.findall(r"(?<!\\)<(?:script|img|svg|iframe|style|form|a)\b[^>]*>", text, re.IGNORECASE)
    yield from re.findall(r"(?<!\\)\]\((?!#)[^)]*\)", text)


def table(data: bytes) -> Iterator[str]:
    """Read a CSV: no cell begins as a formula does."""
    for row in csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")):
        yield from (cell[:30] for cell in row if cell[:1] in tuple("=+-@\t\r\0＝＋－＠") and not _number(cell))


def _number(cell: str) -> bool:
    return bool(re.fullmatch(r"-?\d+([.,]\d+)?", cell))


def workbook(data: bytes) -> Iterator[str]:
    """Read a workbook with openpyxl."""
    book = openpyxl.load_workbook(io.BytesIO(data))
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    yield f"{sheet.title} {cell.coordinate}: a formula"
                if cell.hyperlink is not None and cell.hyperlink.target:
                    yield f"{sheet.title} {cell.coordinate}: a link to {cell.hyperlink.target}"
    yield from package(data)


def package(data: bytes) -> Iterator[str]:
    """Read the parts of an office file: nothing outside, no macro, no field but page numbers."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for name in file.namelist():
            content = file.read(name)
            if "vba" in name.lower() or "embeddings" in name or "activeX" in name:
                yield name
            if b'TargetMode="External"' in content or b"ddeLink" in content:
                yield f"{name}: leads outside"
            for field in re.findall(rb"<w:instrText[^>]*>([^<]*)<|w:instr=\"([^\"]*)\"", content):
                if (b"".join(field)).split()[:1] not in ([b"PAGE"], [b"NUMPAGES"], []):
                    yield f"{name}: field {field}"


def document(data: bytes) -> Iterator[str]:
    """Read a document with python-docx."""
    if not any(paragraph.text for paragraph in docx.Document(io.BytesIO(data)).paragraphs):
        yield "no text"
    yield from package(data)


def printed(data: bytes) -> Iterator[str]:
    """Read a PDF with pypdf."""
    reader = pypdf.PdfReader(io.BytesIO(data))
    if not reader.pages[0].extract_text().strip():
        yield "no text"
    if reader.attachments:
        yield "an attached file"
    for number in range(1, len(reader.xref_objStm) + sum(len(stream) for stream in reader.xref.values()) + 1):
        try:
            text = str(reader.get_object(number))
        except Exception:
            continue
        yield from (f"object {number}: {word}" for word in _ACTIVE if re.search(rf"'{word}'", text))


def as_json(data: bytes) -> Iterator[str]:
    """Read JSON."""
    import json

    if not isinstance(json.loads(data), dict):
        yield "no object"


Reader = Callable[[bytes], Iterator[str]]
# Each form: how it is made, and who reads it. Those of the second table take seconds each.
QUICK: dict[str, tuple[Callable[[ReportData], bytes], Reader]] = {
    "html": (reports.render_html, web_page),
    "pack.html": (lambda data: reports.render_pack(data, {"E1": Exhibit(picture(), 120, 40)}), web_page),
    "md": (reports.render_markdown, markdown),
    "csv": (reports.render_csv, table),
    "json": (reports.render_json, as_json),
}
SLOW: dict[str, tuple[Callable[[ReportData], bytes], Reader]] = {
    "xlsx": (lambda data: written("xlsx", data, {}), workbook),
    "docx": (lambda data: written("docx", data, {}), document),
    "pdf": (lambda data: written("pdf", data, {}), printed),
}


def faults_of(form: str, text: str) -> list[str]:
    """Make a report of one hostile text, and say what is wrong with it."""
    make, read = {**QUICK, **SLOW}[form]
    return list(read(make(poisoned(text))))
