"""Matrices of PARC: their XML, and its two spellings of everything."""

from __future__ import annotations

import pytest

from core.ports import MatrixFile
from tests.core.engines import matrix_material as material
from tests.core.engines.matrix_import.test_dispatch import ratings, read


class TestParc:
    def matrix_of(self, values: str = "C,N,I", **parts: str) -> MatrixFile:
        return read(material.achz(material.parc_xml(material.parc_evidence("A car was heard", values, **parts))))

    def test_what_stands_beside_the_ratings(self):
        matrix = self.matrix_of(
            NOTES="Two witnesses", LINK="file://notes/7", TYPE="hum", DATE="1273622400000", CODE="A-7", FLAG="1",
            CREDIBILITY="LOW",
        )  # fmt: skip
        (row,) = matrix.rows
        assert matrix.title == "Pump two"
        assert (row.source, row.date, row.credibility, row.kind) == ("file://notes/7", "2010-05-12", "L", "observation")
        assert row.note.splitlines() == ["Two witnesses", "Code: A-7", "Type: HUMINT", "Flagged."]

    def test_an_assumption_is_one(self):
        assert self.matrix_of(TYPE="Assumption").rows[0].kind == "assumption"

    @pytest.mark.parametrize("level", ["HIGH", "MEDIUM", "LOW"])
    def test_three_credibilities_stay_three(self, level):
        assert self.matrix_of(CREDIBILITY=level).rows[0].credibility == level[0]

    def test_an_empty_or_unknown_value_never_repeats_the_one_before(self):
        matrix = self.matrix_of("I I,,maybe")
        assert ratings(matrix) == [["II", None, None]]
        assert [(p.where, "maybe" in p.what) for p in matrix.problems] == [("item 1, hypothesis 3", True)]

    def test_missing_values_are_gaps_and_surplus_ones_are_told(self):
        assert ratings(self.matrix_of("C")) == [["C", None, None]]
        matrix = self.matrix_of("C,N,I,II,CC")
        assert ratings(matrix) == [["C", "N", "I"]]
        assert "2 ratings more" in matrix.problems[0].what

    def test_a_marking_is_told(self):
        assert any("“u”" in sentence for sentence in self.matrix_of().left_out)

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8", "utf-8-sig"])
    def test_any_unicode_encoding(self, encoding):
        assert len(read(material.achz(material.parc_xml(), encoding=encoding)).rows) == 4

    def test_xml_that_was_unpacked_already(self):
        assert len(read(material.parc_xml().encode("utf-16"), "matrix.xml").rows) == 4

    def test_right_to_left_text_and_control_characters(self):
        evidence = material.parc_evidence("\u05d0\u05d1\u05d2 \u0627\u0644\u0645\u0636\u062e\u0629 \x07", "C,N,I")
        assert (
            read(material.achz(material.parc_xml(evidence))).rows[0].text
            == "\u05d0\u05d1\u05d2 \u0627\u0644\u0645\u0636\u062e\u0629 \ufffd"
        )

    def test_a_second_matrix_is_told(self):
        xml = material.parc_xml().replace("</MATRIX>", "</MATRIX><MATRIX></MATRIX>")
        assert "2 matrices" in read(material.achz(xml)).problems[0].what

    def test_a_part_that_nobody_knows_is_named(self):
        matrix = read(material.achz(material.parc_xml().replace("<LAST-INDEX>", "<SECRET>x</SECRET><LAST-INDEX>")))
        assert any("SECRET" in sentence for sentence in matrix.left_out)
        assert not any("LAST-INDEX" in sentence for sentence in matrix.left_out)
