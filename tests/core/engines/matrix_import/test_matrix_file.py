"""What every format of a matrix ends in: names kept apart, texts cut at their limits."""

from __future__ import annotations

from core.engines.matrix_import import matrix_file
from tests.core.engines import matrix_material as material
from tests.core.engines.matrix_import.test_dispatch import read
from tests.core.engines.matrix_import.test_tables import table


def test_duplicate_names_are_kept_apart_and_told():
    matrix = table("Evidence,Broke in,Broke in,broke  in\na,C,I,N\n")
    assert [h.text for h in matrix.hypotheses] == ["Broke in", "Broke in (2)", "broke in (3)"]
    assert len(matrix.problems) == 2


def test_long_texts_are_kept_or_cut_and_told():
    note = "n" * 10_000
    matrix = read(material.comma_table(lines=[["Evidence", "H1", "H2", "Notes"], ["a", "C", "I", note]]))
    assert matrix.rows[0].note == note
    assert matrix.problems == ()
    lines = [["Evidence", "h" * 3_000, "H2", "Notes"], ["e" * 12_000, "C", "I", "n" * 50_000]]
    matrix = read(material.comma_table(lines=lines))
    assert len(matrix.hypotheses[0].text) <= matrix_file.MAX_HYPOTHESIS_CHARS
    assert len(matrix.hypotheses[0].note) == 3_000
    assert len(matrix.rows[0].text) == matrix_file.MAX_TEXT_CHARS
    assert len(matrix.rows[0].note) == matrix_file.MAX_NOTE_CHARS
    assert len(matrix.problems) == 3
