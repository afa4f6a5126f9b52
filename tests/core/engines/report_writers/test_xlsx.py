"""Reports as XLSX: frozen and filtered sheets, checked ratings, texts that are never formulas."""

from __future__ import annotations

import io
from dataclasses import replace

import openpyxl
import pytest

from tests.core.engines.report_writers.test_dispatch import written
from tests.core.engines.report_writers.test_docx import parts
from tests.core.report.cases import full_case
from tests.core.report.test_report import _poison


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
        assert [sheet.cell(n, column + 1).value for column in columns] == [
            row.ratings.get(h.id) for h in data.hypotheses
        ]
        assert sheet.cell(n, head.index("Weight") + 1).value == pytest.approx(row.weight, abs=1e-6)
    first = sheet.cell(2, columns[0] + 1)
    assert data.evidence[0].quote[:60] in first.comment.text
    assert "A. Analyst, 2026-11-03 11:00" in first.comment.text
    lists = {str(rule.sqref): rule.formula1 for rule in sheet.data_validations.dataValidation}
    last = len(data.evidence) + 1
    for column in columns:
        letter = openpyxl.utils.get_column_letter(column + 1)
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
