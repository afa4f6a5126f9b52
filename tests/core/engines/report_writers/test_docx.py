"""Reports as DOCX: headings, a matrix on its side, pictures with words, nothing that leads outside."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import docx
from docx.enum.section import WD_ORIENT
from lxml import etree

from core.report import tell
from tests.core.engines.report_writers.test_dispatch import written
from tests.core.report.cases import full_case
from tests.core.report.test_report import PAYLOADS, _poison, made_case

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


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
        assert [scored.ratings.get(data.matrix.order[index]) for index in order] == [
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
    descriptions = [shape._inline.docPr.get("descr") for shape in document.inline_shapes]
    assert len(descriptions) == 2
    assert "(inspection_2021.pdf), page 4" in descriptions[0]


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
