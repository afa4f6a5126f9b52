"""Matrices in tables: templates, headers, legends, and text that is no table."""

from __future__ import annotations

import textwrap

import pytest

from core.errors import BadInput
from core.ports import MatrixFile
from tests.core.engines import matrix_material as material
from tests.core.engines.matrix_import.test_dispatch import GIVEN, grades, ratings, read


def table(text: str) -> MatrixFile:
    return read(textwrap.dedent(text).encode(), "table.csv")


class TestTemplate:
    """The spreadsheet that counts a double inconsistency four times; its scores are never taken over."""

    @pytest.mark.parametrize("version", ["v0.4", "v0.6"])
    def test_scored_anew_a_double_inconsistency_counts_twice(self, version):
        from core.matrix import Row, build

        matrix = read(material.stirparo(version=version), "ACH_template.xlsx")
        rows = [
            Row(f"E{n}", {f"H{number}": cell.rating for number, cell in enumerate(row.cells, start=1) if cell.rating},
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
                {f"H{number}": c.rating for number, c in enumerate(row.cells, 1) if c.rating},
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

    def test_an_empty_matrix_one_hypothesis_and_nothing_but_na(self):
        assert table("Evidence,H1,H2\n").rows == ()
        assert ratings(table("Evidence,H1\na,C\n")) == [["C"]]
        assert ratings(table("Evidence,H1,H2\na,NA,N/A\nb,NA,NA\n")) == [["NA", "NA"]] * 2

    def test_nothing_rated_yet(self):
        assert ratings(table("Evidence,H1,H2\na,,\nb,,\n")) == [[None, None]] * 2

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
