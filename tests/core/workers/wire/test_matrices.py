"""Matrices made elsewhere cross unchanged; one that is not as the program has them is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import Problem
from core.ports import FileCell, FileHypothesis, FileRow, MatrixFile
from core.workers.frames import ProtocolError
from core.workers.wire.matrices import matrix_end_in, matrix_head_in, matrix_out, matrix_row_in
from tests.core.workers.wire.crossing import received

ROW = FileRow("Seen", (FileCell("C", "why", "low"), FileCell()), "source", "2026", "H", None, "A", "1", "note")
MATRIX = MatrixFile(
    "Pump",
    "plain table",
    (FileHypothesis("It was worn", "note"), FileHypothesis("Somebody broke in")),
    (ROW, replace(ROW, text="Heard", cells=(FileCell(), FileCell("II", "", "high")))),
    (Problem("row 1", "odd", "leave it"),),
    ("a part",),
)


def test_a_matrix_crosses_unchanged():
    head, *rows, end = (received(frame)[0] for frame in matrix_out(MATRIX))
    arrival = matrix_head_in(head)
    problems, left_out = matrix_end_in(end, len(rows))
    rows_in = tuple(matrix_row_in(row, len(arrival.hypotheses)) for row in rows)
    assert replace(arrival, rows=rows_in, problems=problems, left_out=left_out) == MATRIX


@pytest.mark.parametrize("hypotheses", [[], None, "H1", [["H1"]], [[1, ""]], [["H", ""]] * 201])
def test_a_head_without_sound_hypotheses_is_refused(hypotheses):
    head = received(next(iter(matrix_out(MATRIX))))[0]
    with pytest.raises(ProtocolError):
        matrix_head_in({**head, "hypotheses": hypotheses})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cells", [["C", "", ""]]),  # one too few
        ("cells", [["C", "", ""]] * 3),
        ("cells", [["X", "", ""], ["C", "", ""]]),
        ("cells", [["C", "", "certain"], ["C", "", ""]]),
        ("cells", [["C", ""], ["C", "", ""]]),
        ("reliability", "G"),
        ("information", "7"),
        ("kind", "rumour"),
        ("credibility", "X"),
        ("text", None),
        ("source", "s" * 2_001),
    ],
)
def test_a_row_that_the_program_has_no_like_of_is_refused(key, value):
    row = [received(frame)[0] for frame in matrix_out(MATRIX)][1]
    assert matrix_row_in(row, 2) == ROW
    with pytest.raises(ProtocolError):
        matrix_row_in({**row, key: value}, 2)


def test_an_end_counts_the_rows_and_is_made_safe_to_show():
    end = [received(frame)[0] for frame in matrix_out(MATRIX)][-1]
    with pytest.raises(ProtocolError):
        matrix_end_in(end, 1)
    for key, value in (("problems", [["row 1"]]), ("problems", ["row 1"]), ("left_out", [1]), ("left_out", None)):
        with pytest.raises(ProtocolError):
            matrix_end_in({**end, key: value}, 2)
    problems, left_out = matrix_end_in({**end, "problems": [["a\x1b[31m", "b", "c"]], "left_out": ["d\x07"]}, 2)
    assert problems == (Problem("a\ufffd[31m", "b", "c"),)
    assert left_out == ("d\ufffd",)
