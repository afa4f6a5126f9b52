"""Flowing text that is cut into pages: hidden spans and headings move with their words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.domain import Section, Table
from core.engines.readers import plain_text, text_flow
from tests.core.engines.readers.test_headings import headings


def test_markdown_over_pages():
    assert headings(b"# One\n\f## Two\nx\f\f# Three", "a.md") == [(1, 1, "One"), (2, 2, "Two"), (4, 1, "Three")]


@given(
    st.text(st.sampled_from("ab \n\f"), max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 5)), max_size=4),
    st.lists(st.integers(0, 60), max_size=4),
    st.integers(3, 20),
)
def test_what_is_hidden_and_the_headings_move_with_their_words(text, spans, starts, size):
    hidden, last = [], 0
    for start, length in sorted(spans):
        if last <= start and start + length <= len(text) and "\f" not in text[start : start + length]:
            hidden.append((start, start + length, "tiny"))
            last = start + length
    sections = tuple(Section(1, "t", start) for start in sorted(starts) if start < len(text) and text[start] != "\f")
    original = plain_text.PAGE
    plain_text.PAGE = size
    try:
        pages = text_flow.Piece(text, tuple(hidden), sections).pages()
    finally:
        plain_text.PAGE = original
    joined = "".join(page.text for page in pages)
    expected = text.rstrip("\f \n") if text.count("\f") else text
    assert joined.startswith(expected.replace("\f", ""))
    flagged = "".join(page.text[start:end] for page in pages for start, end in page.hidden_spans)
    assert "".join(text[s:e] for s, e, _ in hidden).startswith(flagged)
    letters = [text[section.start] for section in sections]
    assert letters[: sum(len(page.sections) for page in pages)] == [
        page.text[section.start] for page in pages for section in page.sections
    ]


def test_struck_words_and_rows_of_tables_move_with_their_words(monkeypatch):
    monkeypatch.setattr(plain_text, "PAGE", 12)
    row = ((6, 11), (12, 16)), ((17, 22), (23, 27))
    table = Table(("what", "who"), row)
    piece = text_flow.Piece("one\n\n aaaa-bbbb\n\ncccc-dddd\nend", struck_spans=((6, 9), (13, 26)), tables=(table,))
    whole = text_flow.join([text_flow.Piece("before"), piece], "\n")
    struck = [whole.text[s:e] for s, e in whole.struck_spans]
    assert struck == [piece.text[s:e] for s, e in piece.struck_spans]
    cells = [piece.text[s:e] for row in table.rows for s, e in row]
    assert [whole.text[s:e] for row in whole.tables[0].rows for s, e in row] == cells
    pages = whole.pages()
    assert len(pages) > 1
    assert "".join(page.text[s:e] for page in pages for s, e in page.struck_spans) == "".join(struck)
    whole_rows = [page.text[s:e] for page in pages for table in page.tables for row in table.rows for s, e in row]
    assert set(whole_rows) <= set(cells)


def test_a_flow_strikes_words_and_takes_pieces():
    flow = text_flow.Flow()
    flow.write("may ")
    flow.write("not ", is_struck=True)
    flow.write("ever ", is_struck=True)
    flow.write("sublet")
    flow.gap("\n")
    flow.write_piece(text_flow.Piece("a b", ((0, 1, "tiny"),), (Section(1, "a", 0),), ((2, 3),), ()))
    assert flow.piece().struck_spans == ((4, 13), (22, 23))
    flow.end_page()
    (page,) = flow.pages()
    assert [page.text[s:e] for s, e in page.struck_spans] == ["not ever ", "b"]
    assert [page.text[s:e] for s, e in page.hidden_spans] == ["a"]
    assert page.sections[0].start == 20


def test_a_number_that_takes_the_place_of_a_struck_one_does_not_join_it():
    flow = text_flow.Flow()
    for text, is_struck in (("rent 90", False), ("0", True), ("1", True), ("1,200", False), (" colo", False)):
        flow.write(text, is_struck=is_struck)
    flow.write("u", is_struck=True)
    flow.write("r")
    piece = flow.piece()
    assert piece.text == "rent 90 01 1,200 colour"
    assert [piece.text[start:end] for start, end in piece.struck_spans] == ["01", "u"]
