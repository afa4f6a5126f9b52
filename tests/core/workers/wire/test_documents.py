"""Documents, their pages and what lies in them cross unchanged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import LeftOut, PageText, Table, Word, Words
from core.ports import Outline
from core.workers.frames import ProtocolError, unpack
from core.workers.wire.documents import left_out_in, left_out_out, outline_in, outline_out, page_in, page_out
from tests.core.workers.test_frames import Source


def test_a_reason_of_a_hidden_span_that_is_no_text_is_refused():
    """A list cannot be looked up in a table; that must not be an error of the program."""
    page = PageText(1, "hidden", Words(), 1.0, 1.0, "embedded", None, "", ((0, 2),), hidden_why=("tiny",))
    header, blobs = unpack(Source(b"".join(page_out(page))).exactly, header_cap=1 << 16, cap=1 << 20)
    assert page_in(header, blobs) == page
    for why in ([[]], [{}], [None], ["unheard of"], ["tiny", "tiny"], "tiny"):
        with pytest.raises(ProtocolError):
            page_in({**header, "why": why}, blobs)


def test_halves_of_characters_do_not_come_in():
    outline = Outline("pdf", 1, "before \ud83d after")
    header, _ = unpack(Source(b"".join(outline_out(outline))).exactly, header_cap=1 << 16, cap=0)
    assert outline_in(header).title == "before \ufffd after"


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(TEXT, TEXT, TEXT, TEXT, st.integers(0, 10_000))
def test_outlines_cross_unchanged(title, author, date, address, pages):
    outline = Outline("pdf", pages, title, author, date, address)
    header, _ = unpack(Source(b"".join(outline_out(outline))).exactly, header_cap=1 << 16, cap=0)
    assert outline_in(header) == outline


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200), st.data())
def test_pages_cross_unchanged(text, data):
    cut = data.draw(st.integers(0, len(text) - 1))
    side = st.floats(0, 1e6, width=32)
    words = Words.of([Word(cut, len(text), *data.draw(st.tuples(side, side, side, side)))])
    confidence = data.draw(st.none() | st.floats(0, 1))
    page = PageText(7, text, words, 595.3, 842.0, "ocr", confidence, "vii", ((cut, len(text)),))
    header, blobs = unpack(Source(b"".join(page_out(page))).exactly, header_cap=1 << 16, cap=1 << 20)
    assert page_in(header, blobs) == page


def test_tables_cross_unchanged_and_out_of_form_not_at_all():
    sheet = Table(("what", ""), (((0, 1), (1, 1)), ((2, 3), (3, 4))), ("A", "C"), (3, 9))
    page = PageText(1, "abcd", tables=(sheet, Table(("x",), (((4, 4),),))))
    header, blobs = unpack(Source(b"".join(page_out(page))).exactly, header_cap=1 << 16, cap=1 << 20)
    assert page_in(header, blobs) == page
    columns, rows, letters, numbers = ["x"], [[[0, 4]]], ["A"], [1]
    for bad in (
        [columns, [[[0, 5]]], letters, numbers],
        [columns, [[[3, 2]]], letters, numbers],
        [columns, [[[0, 1], [1, 2]]], letters, numbers],
        [[1], rows, letters, numbers],
        [columns, rows, ["A", "B"], numbers],
        [columns, rows, letters, [0]],
        [columns, rows, letters, [1, 2]],
        [columns, rows],
    ):
        with pytest.raises(ProtocolError):
            page_in(header, [*blobs[:2], json.dumps([bad]).encode()])
    with pytest.raises(ProtocolError):
        page_in(header, [*blobs[:2], b"["])


def test_a_line_of_the_ledger_crosses_unchanged():
    line = LeftOut("record of type application/json", 3, "records 2 to 4")
    header, _ = unpack(Source(b"".join(left_out_out(line))).exactly, header_cap=1 << 16, cap=0)
    assert left_out_in(header) == line
    for fields in ({"what": ""}, {"count": 0}, {"count": True}, {"where": None}):
        with pytest.raises(ProtocolError):
            left_out_in({**header, **fields})
