"""The report as a workbook."""

from __future__ import annotations

import json
from dataclasses import replace

from core.report import (
    render_sheets,
)
from core.report.workbook import MOST_NOTES, sheets
from tests.core.report.cases import full_case


def test_the_sheets_hold_every_rating_and_note():
    data = full_case()
    sheet_of = {sheet.name: sheet for sheet in sheets(data)}
    assert {"Matrix", "Summary", "Evidence", "Ratings", "What it depends on", "Disputed cells", "Analysts",
            "Beside the matrix", "Questions", "Figures", "Documents", "About"} <= set(sheet_of)  # fmt: skip
    grid = sheet_of["Matrix"]
    assert [c.title for c in grid.columns if c.look == "cell"] == [f"{h.id}: {h.text}" for h in data.hypotheses]
    assert len(sheet_of["Ratings"].rows) == len(data.assessments)
    assert len(sheet_of["What it depends on"].rows) == len(data.matrix.linchpins)
    notes = "\n".join(text for _, _, text in grid.notes)
    assert data.evidence[0].quote in notes
    assert "B. Second" in notes
    assert "The log of the workshop agrees." in notes
    for sheet in sheet_of.values():
        assert len(sheet.name) <= 31
        assert all(len(row) == len(sheet.columns) for row in sheet.rows)
        assert len(sheet.notes) <= MOST_NOTES


def test_a_text_longer_than_a_cell_is_cut_and_says_so():
    data = full_case()
    data = replace(data, evidence=(replace(data.evidence[0], text="x" * 50_000), *data.evidence[1:]))
    cells = [
        c for s in json.loads(render_sheets(data))["sheets"] for row in s["rows"] for c in row if isinstance(c, str)
    ]
    assert max(map(len, cells)) <= 32_767
    assert any(cell.endswith("(cut off here)") for cell in cells)
