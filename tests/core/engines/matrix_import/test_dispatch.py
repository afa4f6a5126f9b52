"""Matrices made elsewhere: every format in the layout of its own program, odd content, and files made to harm."""

from __future__ import annotations

import functools
import gzip
import io
import json
import random
import shutil
import struct
import subprocess
import sys
import textwrap
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import RATINGS
from core.engines.matrix_import import dispatch, matrix_file
from core.errors import BadInput, SeveralMatrices
from core.ports import MatrixFile
from tests.core.engines import matrix_material as material
from tests.core.engines.matrix_material import EVIDENCE, HYPOTHESES

ROOT = Path(__file__).resolve().parents[4]


def read(data: bytes, name: str = "matrix", choose: str = "") -> MatrixFile:
    return dispatch.read(data, name, choose)


def table(text: str) -> MatrixFile:
    return read(textwrap.dedent(text).encode(), "table.csv")


def ratings(matrix: MatrixFile) -> list[list[str | None]]:
    return [[cell.rating for cell in row.cells] for row in matrix.rows]


def grades(matrix: MatrixFile) -> list[tuple[str | None, str | None]]:
    return [(row.credibility, row.relevance) for row in matrix.rows]


GIVEN = [list(row[1]) for row in EVIDENCE]


class TestEveryFormat:
    @pytest.mark.parametrize("name", material.everything())
    def test_texts_and_ratings_come_out_as_they_went_in(self, name):
        matrix = read(material.everything()[name], name)
        assert [h.text for h in matrix.hypotheses] == list(HYPOTHESES)
        assert [row.text for row in matrix.rows] == [row[0] for row in EVIDENCE]
        expected = GIVEN
        if name in ("arkham-alone.json", "arkham-older.json"):  # they have no NA; '-' or nothing is their unrated
            expected = [[None if r == "NA" else r for r in row] for row in GIVEN]
        assert ratings(matrix) == expected

    @pytest.mark.parametrize("name", ["stirparo-v0.4.xlsx", "stirparo-v0.6.xlsx", "table.csv", "own.json"])
    def test_grades_come_out_as_they_went_in(self, name):
        assert grades(read(material.everything()[name], name)) == [row[2:] for row in EVIDENCE]

    @pytest.mark.parametrize("name", ["parc.achz", "table.csv", "stirparo-v0.6.xlsx", "arkham.json", "own.json"])
    def test_a_clean_file_has_no_problem(self, name):
        assert read(material.everything()[name], name).problems == ()


class TestParc:
    def one(self, values: str = "C,N,I", **parts: str) -> MatrixFile:
        return read(material.achz(material.parc_xml(material.parc_evidence("A car was heard", values, **parts))))

    def test_what_stands_beside_the_ratings(self):
        matrix = self.one(
            NOTES="Two witnesses", LINK="file://notes/7", TYPE="hum", DATE="1273622400000", CODE="A-7", FLAG="1",
            CREDIBILITY="LOW",
        )  # fmt: skip
        (row,) = matrix.rows
        assert matrix.title == "Pump two"
        assert (row.source, row.date, row.credibility, row.kind) == ("file://notes/7", "2010-05-12", "L", "observation")
        assert row.note.splitlines() == ["Two witnesses", "Code: A-7", "Type: HUMINT", "Flagged."]

    def test_an_assumption_is_one(self):
        assert self.one(TYPE="Assumption").rows[0].kind == "assumption"

    @pytest.mark.parametrize("level", ["HIGH", "MEDIUM", "LOW"])
    def test_three_credibilities_stay_three(self, level):
        assert self.one(CREDIBILITY=level).rows[0].credibility == level[0]

    def test_an_empty_or_unknown_value_never_repeats_the_one_before(self):
        matrix = self.one("I I,,maybe")
        assert ratings(matrix) == [["II", None, None]]
        assert [(p.where, "maybe" in p.what) for p in matrix.problems] == [("item 1, hypothesis 3", True)]

    def test_missing_values_are_gaps_and_surplus_ones_are_told(self):
        assert ratings(self.one("C")) == [["C", None, None]]
        matrix = self.one("C,N,I,II,CC")
        assert ratings(matrix) == [["C", "N", "I"]]
        assert "2 ratings more" in matrix.problems[0].what

    def test_a_marking_is_told(self):
        assert any("“u”" in sentence for sentence in self.one().left_out)

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8", "utf-8-sig"])
    def test_any_unicode_encoding(self, encoding):
        assert len(read(material.achz(material.parc_xml(), encoding=encoding)).rows) == 4

    def test_xml_that_was_unpacked_already(self):
        assert len(read(material.parc_xml().encode("utf-16"), "matrix.xml").rows) == 4

    def test_right_to_left_text_and_control_characters(self):
        told = material.parc_evidence("\u05d0\u05d1\u05d2 \u0627\u0644\u0645\u0636\u062e\u0629 \x07", "C,N,I")
        assert (
            read(material.achz(material.parc_xml(told))).rows[0].text
            == "\u05d0\u05d1\u05d2 \u0627\u0644\u0645\u0636\u062e\u0629 \ufffd"
        )

    def test_a_second_matrix_is_told(self):
        xml = material.parc_xml().replace("</MATRIX>", "</MATRIX><MATRIX></MATRIX>")
        assert "2 matrices" in read(material.achz(xml)).problems[0].what

    def test_a_part_that_nobody_knows_is_named(self):
        matrix = read(material.achz(material.parc_xml().replace("<LAST-INDEX>", "<SECRET>x</SECRET><LAST-INDEX>")))
        assert any("SECRET" in sentence for sentence in matrix.left_out)
        assert not any("LAST-INDEX" in sentence for sentence in matrix.left_out)


def test_the_document_reader_points_to_the_way_in():
    from core.engines.readers.dispatch import FileReader
    from core.errors import UnreadableDocument

    with pytest.raises(UnreadableDocument) as caught:
        list(FileReader().read(material.everything()["parc.achz"], "old.achz"))
    assert "disconfirm import" in caught.value.hint


class TestTemplate:
    """The spreadsheet that counts a double inconsistency four times; its scores are never taken over."""

    @pytest.mark.parametrize("version", ["v0.4", "v0.6"])
    def test_scored_anew_a_double_inconsistency_counts_twice(self, version):
        from core.matrix import Row, build

        matrix = read(material.stirparo(version=version), "ACH_template.xlsx")
        rows = [
            Row(f"E{n}", {f"H{at}": cell.rating for at, cell in enumerate(row.cells, start=1) if cell.rating},
                row.credibility, row.relevance)
            for n, row in enumerate(matrix.rows, start=1)
        ]  # fmt: skip
        scores = build(("H1", "H2", "H3"), rows).scores["weighted_inconsistency"]
        # High and medium weigh 1.414, so II against H2 costs 2.828; H3: I at 1.414 and an ungraded II at 2.
        assert scores["H1"] == 0
        assert scores["H2"] == pytest.approx(2 * 2**0.5, abs=1e-9)
        assert scores["H3"] == pytest.approx(2**0.5 + 2, abs=1e-9)

    def test_the_published_sample_of_v04(self):
        """Evidence and scores as printed: -0.5, -0.707, -2.914."""
        from core.matrix import Row, build

        lines = [
            ["Evidence", "Credibility", "Relevance", "H1", "H2", "H3"],
            ["Sample evidence 1", "L", "H", "N", "C", "I"],
            ["Sample evidence 2", "H", "M", "C", "C", "I"],
            ["", "L", "L", "I", "N", "I"],
            ["whatever", "L", "M", "N", "I", "C"],
            ["", "", "", -0.5, -0.707, -2.914],
        ]
        matrix = read(material.workbook({"ACH": lines}), "ACH_template-v0.4.xlsx")
        assert len(matrix.rows) == 4
        assert matrix.rows[2].text == "(no text in the file, item 3)"
        rows = [
            Row(
                f"E{n}",
                {f"H{at}": c.rating for at, c in enumerate(row.cells, 1) if c.rating},
                row.credibility,
                row.relevance,
            )
            for n, row in enumerate(matrix.rows, start=1)
        ]
        scores = build(("H1", "H2", "H3"), rows).scores["weighted_inconsistency"]
        assert [round(scores[h], 3) for h in ("H1", "H2", "H3")] == [0.5, 0.707, 2.914]

    def test_what_was_left_out_is_named(self):
        sentences = " ".join(read(material.stirparo(version="v0.6")).left_out)
        assert "cred_rel_scores" in sentences
        assert "Score" in sentences
        assert "computed again" in sentences


class TestTables:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_any_delimiter(self, delimiter):
        assert ratings(read(material.comma_table(delimiter))) == GIVEN

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
    def test_any_encoding(self, encoding):
        lines = [["Evidence", "H\u00fclle", "Pumpe"], ["Gro\u00dfe Menge \u2013 s\u00fc\u00df", "CC", "II"]]
        matrix = read(material.comma_table(encoding=encoding, lines=lines))
        assert matrix.hypotheses[0].text == "H\u00fclle"
        assert matrix.rows[0].text == "Gro\u00dfe Menge \u2013 s\u00fc\u00df"

    def test_what_excel_writes_to_name_the_delimiter(self):
        assert ratings(read(b"sep=;\r\n" + material.comma_table(";"))) == GIVEN

    def test_every_column_that_says_more(self):
        (row,) = table("""\
            No,Evidence,Source,Date,Reliability,Info credibility,Relevance,Type,Notes,H1,H2
            1,A car was heard,Guard,25/04/2020,B,2,High,Assumption,by night,C,II
            """).rows
        assert (row.source, row.date, row.reliability, row.information) == ("Guard", "2020-04-25", "B", "2")
        assert (row.relevance, row.kind, row.note) == ("H", "assumption", "by night")
        assert row.text == "A car was heard"

    def test_one_column_for_both_grades(self):
        matrix = table("Evidence,Admiralty code,H1,H2\na,B2,C,I\nb,F6,N,I\n")
        assert [(row.reliability, row.information) for row in matrix.rows] == [("B", "2"), ("F", "6")]

    def test_ratings_as_signs_words_and_with_remarks(self):
        matrix = table("Evidence,H1,H2\na,++,--\nb,+,-\nc,N,N/A\n")
        assert ratings(matrix) == [["CC", "II"], ["C", "I"], ["N", "NA"]]
        matrix = table("Evidence,H1,H2\na,Very consistent,Inconsistent\nb,I (late),Not applicable\n")
        assert ratings(matrix) == [["CC", "I"], ["I", "NA"]]
        assert matrix.rows[1].cells[0].note == "late"

    def test_numbers_that_the_sheet_explains(self):
        matrix = table('"1 = very inconsistent, 5 = very consistent"\nEvidence,H1,H2\na,1,5\nb,2,3\n')
        assert ratings(matrix) == [["II", "CC"], ["I", "N"]]
        assert any("1 = II" in sentence for sentence in matrix.left_out)

    def test_numbers_explained_on_another_sheet(self):
        legend = [["Scale"], [5, "Very consistent"], [1, "Very inconsistent"]]
        data = material.workbook({"Matrix": [["Evidence", "H1", "H2"], ["a", 1, 5], ["b", 4, 3]], "Legend": legend})
        assert ratings(read(data)) == [["II", "CC"], ["C", "N"]]

    def test_numbers_that_nothing_explains_are_refused_with_the_remedy(self):
        with pytest.raises(BadInput) as caught:
            table("Evidence,H1,H2\na,1,5\nb,2,3\n")
        assert "1 = II, 5 = CC" in caught.value.hint

    def test_values_that_are_no_ratings_are_refused_with_the_remedy(self):
        with pytest.raises(BadInput) as caught:
            table("Evidence,H1,H2\na,yes,no\nb,no,yes\n")
        assert "“yes”" in caught.value.sentence

    def test_an_unknown_rating_is_told_and_left_open(self):
        matrix = table("Evidence,H1,H2\na,C,II\nb,perhaps,I\nc,,N\n")
        assert ratings(matrix) == [["C", "II"], [None, "I"], [None, "N"]]
        assert [(p.where, "perhaps" in p.what) for p in matrix.problems] == [("row 3, hypothesis 1", True)]

    def test_a_header_below_a_title_and_above_descriptions(self):
        matrix = table("""\
            Why did the pump stop?,,
            ,,
            Evidence,H1,H2
            ,The pump was worn out,Somebody broke in
            The lock was whole,N,II
            """)
        assert matrix.title == "Why did the pump stop?"
        assert [h.text for h in matrix.hypotheses] == ["The pump was worn out", "Somebody broke in"]
        assert ratings(matrix) == [["N", "II"]]

    def test_a_header_over_two_lines(self):
        matrix = table("Evidence,Hypotheses,\n,Worn out,Broke in\na,C,I\nb,N,II\n")
        assert [h.text for h in matrix.hypotheses] == ["Worn out", "Broke in"]
        assert ratings(matrix) == [["C", "I"], ["N", "II"]]

    def test_a_table_without_a_name_over_the_evidence(self):
        matrix = table(",Worn out,Broke in\nThe lock was whole,C,I\n")
        assert matrix.rows[0].text == "The lock was whole"

    def test_scores_below_are_left_out(self):
        matrix = read(arkham_csv(), "arkham.csv")
        assert ratings(matrix) == [["CC", "II"], ["N", "NA"]]
        assert [h.text for h in matrix.hypotheses] == ["Worn out", "Broke in"]
        assert any("Scores" in sentence for sentence in matrix.left_out)
        assert matrix.rows[0].source == "log"

    def test_a_row_of_sums_is_not_evidence(self):
        matrix = table("Evidence,H1,H2\na,C,I\nTotal,0,1\n")
        assert len(matrix.rows) == 1

    def test_evidence_whose_text_begins_like_a_result_is_evidence(self):
        matrix = table("Evidence,H1,H2\nScores of the exam were changed,C,I\nTotal loss of pressure,I,N\n")
        assert len(matrix.rows) == 2

    def test_an_unrated_row_and_an_unrated_hypothesis_stay(self):
        matrix = table("Evidence,H1,H2,H3\na,C,,I\nb,,,\n")
        assert [h.text for h in matrix.hypotheses] == ["H1", "H2", "H3"]
        assert ratings(matrix) == [["C", None, "I"], [None, None, None]]

    def test_columns_without_a_place_are_named(self):
        matrix = table("Evidence,Analyst,H1,H2,Diagnosticity\na,Ana,C,I,1.5\nb,Ben,N,I,0.5\n")
        assert any("Analyst" in sentence for sentence in matrix.left_out)
        assert any("Diagnosticity" in sentence for sentence in matrix.left_out)

    def test_duplicate_names_are_kept_apart_and_told(self):
        matrix = table("Evidence,Broke in,Broke in,broke  in\na,C,I,N\n")
        assert [h.text for h in matrix.hypotheses] == ["Broke in", "Broke in (2)", "broke in (3)"]
        assert len(matrix.problems) == 2

    def test_an_empty_matrix_one_hypothesis_and_nothing_but_na(self):
        assert table("Evidence,H1,H2\n").rows == ()
        assert ratings(table("Evidence,H1\na,C\n")) == [["C"]]
        assert ratings(table("Evidence,H1,H2\na,NA,N/A\nb,NA,NA\n")) == [["NA", "NA"]] * 2

    def test_nothing_rated_yet(self):
        assert ratings(table("Evidence,H1,H2\na,,\nb,,\n")) == [[None, None]] * 2

    def test_long_texts_are_kept_or_cut_and_told(self):
        note = "n" * 10_000
        matrix = read(material.comma_table(lines=[["Evidence", "H1", "H2", "Notes"], ["a", "C", "I", note]]))
        assert matrix.rows[0].note == note
        assert matrix.problems == ()
        lines = [["Evidence", "h" * 3_000, "H2", "Notes"], ["e" * 12_000, "C", "I", "n" * 50_000]]
        matrix = read(material.comma_table(lines=lines))
        assert len(matrix.hypotheses[0].text) <= matrix_file.HYPOTHESIS
        assert len(matrix.hypotheses[0].note) == 3_000
        assert len(matrix.rows[0].text) == matrix_file.TEXT
        assert len(matrix.rows[0].note) == matrix_file.NOTE
        assert len(matrix.problems) == 3

    def test_an_apostrophe_against_formulas_is_taken_away(self):
        matrix = table("Evidence,H1,H2\n'=1+1 was in the log,'++,'--\n")
        assert matrix.rows[0].text == "=1+1 was in the log"
        assert ratings(matrix) == [["CC", "II"]]

    def test_a_date_that_may_be_two_is_kept_as_it_stands(self):
        matrix = table("Evidence,Date,H1,H2\na,03/04/2020,C,I\n")
        assert matrix.rows[0].date == ""
        assert "03/04/2020" in matrix.rows[0].note
        assert len(matrix.problems) == 1

    def test_columns_named_in_a_second_line(self):
        matrix = table("""\
            ,,,,H1: Worn out,,H2: Broke in,
            Evidence,Source,Credibility,Relevance,Rating,Score,Rating,Score
            The lock was whole,log,H,M,N,0,II,-2.8
            A car was heard,guard,L,L,C,0,I,-0.5
            """)
        assert [h.text for h in matrix.hypotheses] == ["Worn out", "Broke in"]
        assert ratings(matrix) == [["N", "II"], ["C", "I"]]
        assert grades(matrix) == [("H", "M"), ("L", "L")]
        assert matrix.rows[0].source == "log"
        assert matrix.problems == ()

    def test_what_h1_says_may_stand_elsewhere(self):
        lines = [["Evidence", "H1", "H2"], ["a", "C", "I"]]
        above = [["H1: Worn out"], ["H2: Broke in"], [], *lines]
        assert [h.text for h in read(material.comma_table(lines=above)).hypotheses] == ["Worn out", "Broke in"]
        sheet = [["Hypotheses"], ["H1", "Worn out"], ["H2", "Broke in"]]
        matrix = read(material.workbook({"Matrix": lines, "Hypotheses": sheet}))
        assert [h.text for h in matrix.hypotheses] == ["Worn out", "Broke in"]

    def test_scores_between_header_and_evidence_end_nothing(self):
        matrix = table("Evidence,Worn out,Broke in\nWeighted score,-0.5,-2\na,C,I\nb,N,II\n")
        assert [row.text for row in matrix.rows] == ["a", "b"]
        assert any("Weighted score" in sentence for sentence in matrix.left_out)

    def test_a_legend_below_is_no_evidence(self):
        matrix = table("Evidence,Worn out,Broke in\na,C,I\n\nCC,very consistent,\nII,very inconsistent,\n")
        assert [row.text for row in matrix.rows] == ["a"]
        assert any("CC" in sentence for sentence in matrix.left_out)

    def test_a_line_with_nothing_but_remarks_is_told(self):
        matrix = table("Evidence,Worn out,Broke in,Notes\na,C,I,\n,,,forgotten\nb,C,I,\n")
        assert len(matrix.rows) == 2
        assert matrix.problems[0].where == "row 3"

    def test_a_number_before_every_hypothesis_is_not_part_of_it(self):
        matrix = table("Evidence,H1: Worn out,H2: Broke in\na,C,I\n")
        assert [h.text for h in matrix.hypotheses] == ["Worn out", "Broke in"]
        matrix = table("Evidence,H1: Worn out,Broke in\na,C,I\n")
        assert [h.text for h in matrix.hypotheses] == ["H1: Worn out", "Broke in"]

    def test_a_quote_and_its_place_are_kept_in_the_note(self):
        (row,) = table("Evidence,Quote,Document,Page,H1,H2\na,it was locked,log.pdf,7,C,I\n").rows
        assert (row.source, row.note) == ("log.pdf", "Quote (log.pdf, page 7): “it was locked”")

    def test_a_weight_beside_grades_was_computed_from_them(self):
        matrix = table("Evidence,Credibility,Relevance,Weight,H1,H2\na,H,H,2,C,I\nb,,,1,C,I\n")
        assert matrix.problems == ()
        assert matrix.rows[0].note == ""

    def test_a_list_of_single_ratings_is_no_matrix(self):
        with pytest.raises(BadInput):
            table("Evidence,Hypothesis,Rating\nE1,H1,C\nE1,H2,II\n")

    def test_a_matrix_without_any_rating_is_told(self):
        assert "No cell" in table("Evidence,H1,H2\na,,\n").problems[0].what

    def test_a_weight_stands_for_relevance_and_is_told(self):
        matrix = table("Evidence,Weight,H1,H2\na,0.9,C,I\nb,0.2,C,I\nc,3,C,I\n")
        assert [row.relevance for row in matrix.rows] == ["H", "L", None]
        assert len(matrix.problems) == 2


def arkham_csv() -> bytes:
    """As arkham_shard_ach/export.py writes its CSV."""
    lines = [
        ["Evidence", "Worn out", "Broke in", "Source", "Type", "Credibility", "Relevance"],
        ["The lock was whole", "++", "--", "log", "fact", "1.00", "1.00"],
        ["A car was heard", "N", "N/A", "guard", "testimony", "0.50", "0.20"],
        [],
        ["Scores"],
        ["Hypothesis", "Rank", "Inconsistencies", "Weighted Score", "Normalized Score"],
        ["Worn out", "1", "0", "0.900", "72.5"],
    ]
    return material.comma_table(lines=lines)


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
        other = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()
        spelled = [[_spelled(cell) for cell in line] for line in other]
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


class TestArkham:
    def test_reasons_and_confidence_of_a_cell(self):
        cell = read(material.as_json(material.arkham())).rows[0].cells[1]
        assert (cell.rating, cell.note, cell.confidence) == ("II", "as the log says", "medium")

    def test_ungraded_is_not_high(self):
        assert grades(read(material.as_json(material.arkham()))) == [(None, None)] * 4

    def test_graded_numbers_become_levels_and_are_told(self):
        matrix = read(material.as_json(material.arkham(credibility=0.2)))
        assert grades(matrix) == [("L", "H")] * 4
        assert "credibility 0.2" in matrix.rows[0].note
        assert matrix.problems

    def test_a_cell_that_is_rated_twice_and_differently_stays_open(self):
        data = material.arkham()
        data["ratings"].append({"evidence_id": "e-0", "hypothesis_id": "h-0", "rating": "++"})
        matrix = read(material.as_json(data))
        assert matrix.rows[0].cells[0].rating is None
        assert "twice" in matrix.problems[0].what

    def test_ratings_of_nothing_are_told(self):
        data = material.arkham()
        data["ratings"].append({"evidence_id": "gone", "hypothesis_id": "h-0", "rating": "++"})
        assert "1 ratings belong to no evidence" in read(material.as_json(data)).problems[0].what

    def test_what_the_stand_alone_tool_has_beside_the_matrix_is_named(self):
        matrix = read(material.as_json(material.arkham_alone()))
        assert any("milestones" in sentence for sentence in matrix.left_out)
        assert [row.credibility for row in matrix.rows] == ["H", "M", "L", "M"]
        assert matrix.rows[2].kind == "assumption"

    def test_the_older_program(self):
        matrix = read(material.as_json(material.arkham_older()))
        assert (matrix.title, matrix.format) == ("Pump two", "ArkhamMirror")
        assert [row.credibility for row in matrix.rows] == ["H", "M", "L", "M"]
        assert matrix.rows[2].note == "Left out of the scores in the file."
        assert matrix.problems == ()


class TestJson:
    def test_several_must_be_chosen_from(self):
        data = material.as_json({"matrices": [material.own_json("a"), material.own_json("b")]})
        with pytest.raises(SeveralMatrices) as caught:
            read(data, "worked.json")
        assert caught.value.details["choices"].splitlines() == ["a\tPump two", "b\tPump two"]
        assert len(read(data, "worked.json", "b").rows) == 4

    def test_one_in_a_list_needs_no_choice(self):
        assert len(read(material.as_json([material.own_json()])).rows) == 4

    def test_a_rating_against_no_hypothesis_is_told(self):
        data = material.own_json()
        data["evidence"][0]["ratings"]["H9"] = "C"
        assert "H9" in read(material.as_json(data)).problems[0].what

    @pytest.mark.parametrize(
        "change",
        [
            {"hypotheses": None}, {"hypotheses": []}, {"evidence": {}}, {"evidence": ["a"]}, {"hypotheses": [7]},
            {"hypotheses": [{"id": "H1", "text": "a"}, {"id": "H1", "text": "b"}]},
            {"evidence": [{"id": "E1", "text": "a", "ratings": ["C"]}]},
        ],
    )  # fmt: skip
    def test_what_does_not_fit_is_refused(self, change):
        with pytest.raises(BadInput):
            read(material.as_json({**material.own_json(), **change}))

    def test_values_of_any_type_never_break_it(self):
        data = material.own_json()
        odd = [None, 1, -1.5, True, [], {}, "", "\ud800", "x" * 100_000, 10**300]
        for field in (
            "text",
            "source",
            "date",
            "credibility",
            "relevance",
            "w",
            "weight",
            "note",
            "kind",
            "reliability",
        ):
            for value in odd:
                data["evidence"][0][field] = value
                matrix = read(json.dumps(data).encode())
                assert len(matrix.rows) == 4
                assert matrix.rows[0].text

    @pytest.mark.development_data
    def test_the_worked_matrices(self, development_data):
        data = (development_data / "ach" / "matrices.json").read_bytes()
        with pytest.raises(SeveralMatrices):
            read(data, "matrices.json")
        for given_matrix in json.loads(data)["matrices"]:
            matrix = read(data, "matrices.json", given_matrix["id"])
            order = [h["id"] for h in given_matrix["hypotheses"]]
            assert ratings(matrix) == [[item["ratings"].get(h) for h in order] for item in given_matrix["evidence"]]
            assert matrix.problems == ()


# --- files that are broken or made to harm ---------------------------------------------------------------------------


def whole_or_refused(data: bytes, name: str) -> MatrixFile | None:
    """Reads it; anything but a whole matrix or a refusal with its remedy fails the test."""
    try:
        matrix = read(data, name)
    except (BadInput, SeveralMatrices) as error:
        refusal = error
    else:
        refusal = None
    if refusal is not None:
        assert refusal.sentence
        assert refusal.hint
        return None
    assert matrix.hypotheses
    for row in matrix.rows:
        assert len(row.cells) == len(matrix.hypotheses)
        assert all(cell.rating in (None, *RATINGS) for cell in row.cells)
        assert row.text
    return matrix


class TestBroken:
    @pytest.mark.parametrize("name", [n for n in material.everything() if not n.endswith(".csv")])
    def test_a_file_that_was_cut_off_is_refused(self, name):
        data = material.everything()[name]
        for at in range(1, len(data), max(1, len(data) // 60)):
            end = data[at:].strip()
            if end:
                assert whole_or_refused(data[:at], name) is None, at

    @pytest.mark.parametrize("name", material.everything())
    def test_flipped_bits(self, name):
        data = material.everything()[name]
        luck = random.Random(name)
        for _ in range(120):
            broken = bytearray(data)
            for _ in range(luck.choice((1, 1, 3, 20))):
                broken[luck.randrange(len(broken))] ^= 1 << luck.randrange(8)
            whole_or_refused(bytes(broken), name)

    @pytest.mark.parametrize("name", material.everything())
    def test_stretches_of_rubbish(self, name):
        data = material.everything()[name]
        luck = random.Random(name)
        for _ in range(40):
            at = luck.randrange(len(data))
            whole_or_refused(data[:at] + luck.randbytes(luck.randrange(1, 300)) + data[at + luck.randrange(50) :], name)

    @settings(max_examples=150, deadline=None)
    @given(st.lists(st.lists(st.sampled_from(["", "C", "II", "-", "1", "Evidence", "H1", "Score", "Date", "x\ny", "NA"])
                             | st.text(max_size=8), max_size=6), max_size=12))  # fmt: skip
    def test_tables_of_anything(self, lines):
        whole_or_refused(material.comma_table(lines=lines), "any.csv")

    @settings(max_examples=60, deadline=None)
    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5),
                        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                            st.sampled_from(["hypotheses", "evidence", "ratings", "id", "text", "marks", "matrices"]),
                            inner, max_size=4), max_leaves=20))  # fmt: skip
    def test_json_of_anything(self, value):
        whole_or_refused(material.as_json(value), "any.json")

    @pytest.mark.parametrize(
        "data",
        [b"%PDF-1.7 ...", b"\x89PNG\r\n\x1a\n....", b"SQLite format 3\0....", b"<html><body>x</body></html>",
         b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 40, b"just some text", b"a,b,c\n1,2,3\n", b"{}", b"[]", b"[1]", b"null",
         b"<a><MATRIX></MATRIX></a>", b"\0" * 5_000, bytes(range(256)) * 40],
    )  # fmt: skip
    def test_foreign_files_are_refused(self, data):
        assert whole_or_refused(data, "foreign") is None


def sheet_xml(inner: str) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<?xml version="1.0"?><worksheet xmlns="{main}"><sheetData>{inner}</sheetData></worksheet>'.encode()


def package(sheet: bytes, *, shared: bytes = b"", extra: dict[str, bytes] | None = None) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets>'
            "</workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="r1" Type="x" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
        if shared:
            archive.writestr("xl/sharedStrings.xml", shared)
        for name, data in (extra or {}).items():
            archive.writestr(name, data)
    return stream.getvalue()


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


SMALL = sheet_xml(
    f'<row r="1">{cell("A1", "Evidence")}{cell("B1", "H1")}{cell("C1", "H2")}</row>'
    f'<row r="2">{cell("A2", "a")}{cell("B2", "C")}{cell("C2", "I")}</row>'
)
LAUGHS = "<!DOCTYPE l [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {chr(98 + n)} '{('&' + chr(97 + n) + ';') * 10}'>" for n in range(9)
) + "]>"  # fmt: skip


def lying(data: bytes, part: str, size: int) -> bytes:
    """The archive with a false unpacked size of one part in its directory and header."""
    info = zipfile.ZipFile(io.BytesIO(data)).getinfo(part)
    out = bytearray(data)
    struct.pack_into("<I", out, info.header_offset + 22, size)
    at = data.index(part.encode(), data.index(b"PK\x01\x02")) - 46
    struct.pack_into("<I", out, at + 24, size)
    return bytes(out)


def overlapping() -> bytes:
    """Two directory entries for the same bytes."""
    data = package(SMALL)
    start = data.index(b"PK\x01\x02")
    end = data.rindex(b"PK\x05\x06")
    directory = data[start:end]
    name = b"xl/worksheets/sheet1.xml"
    at = directory.index(name) - 46
    entry = directory[at : at + 46 + len(name)]
    twin = entry.replace(name, b"xl/worksheets/sheet2.xml")
    tail = bytearray(data[end:])
    struct.pack_into("<HHII", tail, 8, 4, 4, len(directory) + len(twin), start)
    return data[:start] + directory + twin + bytes(tail)


def huge_gzip(megabytes: int) -> bytes:
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b"\0" * 1_000_000
    return b"".join([*(pack.compress(block) for _ in range(megabytes)), pack.flush()])


@functools.cache
def bombs() -> dict[str, bytes]:
    """Small files that unpack to much, or say much with little. Made once: that takes a few seconds."""
    zeros = b"<x>" + b" " * 80_000_000
    gzipped, sheet = huge_gzip(300), package(zeros)
    many = {f"p{n}": b"" for n in range(6_000)}
    return {
        "gzip.achz": gzipped,
        "gzip-in-gzip.achz": gzip.compress(gzipped),
        "laughs.achz": material.achz(material.parc_xml(head=LAUGHS).replace("Pump two", "&j;")),
        "quadratic.achz": material.achz(
            material.parc_xml(head=f"<!DOCTYPE a [<!ENTITY a '{'x' * 50_000}'>]>").replace("Pump two", "&a;" * 50_000)
        ),
        "external.achz": material.achz(
            material.parc_xml(head='<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/hostname">]>').replace(
                "Pump two", "&a;"
            )
        ),
        "deep.achz": material.achz("<a>" * 250_000 + "</a>" * 250_000),
        "many-elements.achz": material.achz("<a>" + "<b/>" * 5_000_000 + "</a>"),
        "sheet.xlsx": sheet,
        "sheet-with-a-false-size.xlsx": lying(sheet, "xl/worksheets/sheet1.xml", 1_000),
        "doctype.xlsx": package(SMALL.replace(b"<worksheet", LAUGHS.encode() + b"<worksheet", 1)),
        "doctype-utf16.xlsx": package(SMALL.decode().replace("<worksheet", LAUGHS + "<worksheet", 1).encode("utf-16")),
        "far-cell.xlsx": package(sheet_xml(f'<row r="1048576">{cell("XFD1048576", "C")}</row>')),
        "far-cells.xlsx": package(SMALL.replace(b'r="2"', b'r="20000"').replace(b"C2", b"OJ20000")),
        "many-cells.xlsx": package(sheet_xml("<row>" + "<c><v>1</v></c>" * 3_000_000 + "</row>")),
        "shared.xlsx": package(
            sheet_xml("".join(f'<row r="{n}">' + '<c t="s"><v>0</v></c>' * 30 + "</row>" for n in range(1, 9_000))),
            shared=b"<sst><si><t>" + b"x" * 9_000_000 + b"</t></si></sst>",
        ),
        "many-parts.xlsx": package(SMALL, extra=many),
        "nested.xlsx": package(SMALL, extra={"a.zip": sheet})[:-30],
        "overlap.xlsx": overlapping(),
        "deep.json": b"[" * 10_000_000,
        "many.json": b"[" + b"[]," * 5_000_000 + b"[]]",
        "digits.json": b'{"hypotheses":[' + b"9" * 20_000_000 + b"]}",
        "commas.csv": b"," * 30_000_000,
        "lines.csv": b"Evidence,H1,H2\n" + b"a,C,I\n" * 4_000_000,
        "quote.csv": b'Evidence,H1\n"' + b"a" * 30_000_000,
        "wide.csv": b"Evidence" + b",H" * 4_000_000 + b"\na" + b",C" * 4_000_000,
        "legend.csv": b"Evidence,H1\n" + (b"1 = " + b"a" * 395 + b",C\n") * 60_000,
    }


MEASURED = """
import re, sys
from core.engines.matrix_import import dispatch as matrix_files
from core.errors import AppError
import lxml.etree
data = open(sys.argv[1], "rb").read()
try:
    matrix_files.read(data, "bomb")
    what = "read"
except AppError as error:
    what = type(error).__name__
print(what, int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1)) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read where Linux tells it")
def test_bombs_are_refused_in_little_memory(tmp_path):
    """Refused within 300 MB."""
    results = {}
    for name, data in bombs().items():
        file = tmp_path / name
        file.write_bytes(data)
        ran = subprocess.run(
            [sys.executable, "-c", MEASURED, str(file)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        assert ran.returncode == 0, (name, ran.stderr[-500:])
        what, megabytes = ran.stdout.split()
        results[name] = (what, int(megabytes))
        print(name, results[name])
    assert {name: r for name, r in results.items() if r[0] != "BadInput"} == {}
    assert {name: r for name, r in results.items() if r[1] > 300} == {}


@pytest.mark.parametrize("count", [1_000, pytest.param(5_000, marks=pytest.mark.slow)])
def test_a_large_honest_matrix_is_read(count):
    """Thousands of pieces of evidence against 30 hypotheses, as a table and as a workbook."""
    luck = random.Random(1)
    lines = [["Evidence", *(f"Hypothesis {n}" for n in range(1, 31)), "Notes"]]
    lines += [[f"Evidence {n}", *luck.choices(RATINGS, k=30), "n" * 200] for n in range(1, count + 1)]
    matrix = read(material.comma_table(lines=lines), "large.csv")
    assert (len(matrix.rows), len(matrix.hypotheses), matrix.problems) == (count, 30, ())
    assert ratings(read(material.workbook({"A": lines}), "large.xlsx")) == ratings(matrix)


def test_a_report_in_markdown_is_no_matrix():
    report = b"# Report\n\n| Evidence | H1 | H2 |\n|---|---|---|\n| E1 badge | C | I |\n"
    with pytest.raises(BadInput, match="Markdown"):
        dispatch.read(report, "report.md")
