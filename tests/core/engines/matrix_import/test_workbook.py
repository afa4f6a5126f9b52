"""Matrices in XLSX workbooks: several sheets, stored values, other programs' files."""

from __future__ import annotations

import io
import shutil
import subprocess
import zipfile

import pytest

from core.errors import BadInput, SeveralMatrices
from tests.core.engines import matrix_material as material
from tests.core.engines.matrix_import.test_dispatch import GIVEN, grades, ratings, read
from tests.core.engines.matrix_material import EVIDENCE


class TestWorkbooks:
    def test_two_sheets_with_a_matrix_must_be_chosen_from(self):
        sheet = [["Evidence", "H1", "H2"], ["a", "C", "I"]]
        data = material.workbook({"May": sheet, "June": [*sheet, ["b", "N", "N"]], "Empty": []})
        with pytest.raises(SeveralMatrices) as caught:
            read(data, "two.xlsx")
        assert "May, June" in caught.value.hint
        assert len(read(data, "two.xlsx", "June").rows) == 2
        with pytest.raises(BadInput):
            read(data, "two.xlsx", "July")

    def test_what_a_model_suggested_is_no_second_matrix(self):
        """The program's own workbook comes back without a question."""
        heads = ["Evidence", "Hypothesis", "Suggestion", "Supports", "Contradicts", "Neutral", "Model"]
        sheets = {
            "Matrix": [["Id", "Evidence", "H1", "H2"], ["E1", "a", "C", "I"], ["E2", "b", "N", "II"]],
            "Suggested by the model": [
                heads,
                ["E1", "H1", "C", 0.56, 0.22, 0.22, "a judge"],
                ["E2", "H1", "N", 0.1, 0.2, 0.7, "a judge"],
            ],
        }
        assert ratings(read(material.workbook(sheets), "own.xlsx")) == [["C", "I"], ["N", "II"]]

    def test_dates_of_a_spreadsheet(self):
        from datetime import date, datetime

        lines = [
            ["Evidence", "Date", "H1", "H2"],
            ["a", date(2020, 3, 4), "C", "I"],
            ["b", datetime(2020, 3, 4, 12), "C", "I"],
        ]
        assert [row.date for row in read(material.workbook({"A": lines})).rows] == ["2020-03-04", "2020-03-04T12:00:00"]

    def test_the_cells_are_those_that_another_reader_sees(self):
        calamine = pytest.importorskip("python_calamine")
        from core.engines.matrix_import import workbook

        lines = [
            ["Evidence", "H1", None, "H2"],
            [None],
            ["\u05d0 <&> \u00e9", "C C", 1.5, "II"],
            ["b", True, 7, "=1+1"],
        ]
        data = material.workbook({"A": lines})
        package = zipfile.ZipFile(io.BytesIO(data))
        left = [1 << 26]
        sheets, _ = workbook._sheets(package, "x", left)
        shared = workbook._shared_strings(package, "x", left)
        grid = workbook._grid(workbook._part(package, sheets[0][1], "x", left), shared, "x")
        expected = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()
        spelled = [[_spelled(cell) for cell in line] for line in expected]
        assert [list(line) for line in grid if any(line)] == [line for line in spelled if any(line)]

    @pytest.mark.slow
    def test_a_workbook_written_by_another_program(self, tmp_path):
        """LibreOffice makes XLSX of the table; its OpenDocument table is refused with the way out."""
        office = shutil.which("soffice")
        if office is None:
            pytest.skip("LibreOffice is not on this computer")
        (tmp_path / "table.csv").write_bytes(material.comma_table())
        for ending in ("xlsx", "ods"):
            profile = f"-env:UserInstallation=file://{tmp_path}/profile"
            command = [office, profile, "--headless", "--convert-to", ending, "table.csv"]
            subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=True)
        matrix = read((tmp_path / "table.xlsx").read_bytes(), "table.xlsx")
        assert ratings(matrix) == GIVEN
        assert grades(matrix) == [row[2:] for row in EVIDENCE]
        with pytest.raises(BadInput, match="OpenDocument"):
            read((tmp_path / "table.ods").read_bytes(), "table.ods")

    def test_a_comment_is_told(self):
        import openpyxl
        from openpyxl.comments import Comment

        book = openpyxl.Workbook()
        for line in (["Evidence", "H1", "H2"], ["a", "C", "I"]):
            book.active.append(line)
        book.active["B2"].comment = Comment("why", "Ana")
        stream = io.BytesIO()
        book.save(stream)
        assert any("Comments" in sentence for sentence in read(stream.getvalue()).left_out)


def _spelled(cell: object) -> str:
    if isinstance(cell, bool):
        return str(cell).upper()
    return str(int(cell)) if isinstance(cell, float) and cell == int(cell) else str(cell)
