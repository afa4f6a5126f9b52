"""Text of a web page: collapsed blanks, gaps, markers of lists, struck and hidden stretches."""

from __future__ import annotations

from core.domain import Table
from core.engines.readers import text_flow
from core.engines.readers.web_flow import WebFlow


def test_gaps_markers_and_spans():
    out = WebFlow()
    out.marker("1. ")
    out.gap("\n\n")
    out.write("  The  valve ")
    out.write("was", is_struck=True)
    out.write(" open", is_struck=True)
    out.gap("\n")
    out.marker("2. ")
    out.drop_marker()
    out.write("shut", reason="unseen")
    out.write(" down", reason="unseen")
    piece = out.piece()
    assert piece.text == "1. The valve was open\nshut down"
    assert [piece.text[start:end] for start, end in piece.struck_spans] == ["was open"]
    assert [piece.text[start:end] for start, end, _ in piece.hidden_spans] == ["shut down"]


def test_a_piece_keeps_its_lines_and_its_table():
    out = WebFlow()
    out.write("before")
    assert out.last == "before"
    out.gap("\n\n")
    assert out.last == ""
    out.write_piece(text_flow.Piece("a · b\nc · b: d", (), (), (), (Table(("a", "b"), (((6, 7), (13, 14)),)),)))
    out.gap("\n\n")
    out.write("after")
    piece = out.piece()
    assert piece.text == "before\n\na · b\nc · b: d\n\nafter"
    assert [piece.text[slice(*cell)] for cell in piece.tables[0].rows[0]] == ["c", "d"]
