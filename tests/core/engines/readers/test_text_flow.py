"""Flowing text that is cut into pages: hidden spans and headings move with their words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.domain import Section
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
    hidden, at = [], 0
    for start, length in sorted(spans):
        if at <= start and start + length <= len(text) and "\f" not in text[start : start + length]:
            hidden.append((start, start + length, "tiny"))
            at = start + length
    sections = tuple(Section(1, "t", start) for start in sorted(starts) if start < len(text) and text[start] != "\f")
    before = plain_text.PAGE
    plain_text.PAGE = size
    try:
        pages = text_flow.Piece(text, tuple(hidden), sections).pages()
    finally:
        plain_text.PAGE = before
    shown = "".join(page.text for page in pages)
    kept = text.rstrip("\f \n") if text.count("\f") else text
    assert shown.startswith(kept.replace("\f", ""))
    flagged = "".join(page.text[start:end] for page in pages for start, end in page.hidden_spans)
    assert "".join(text[s:e] for s, e, _ in hidden).startswith(flagged)
    letters = [text[section.start] for section in sections]
    assert letters[: sum(len(page.sections) for page in pages)] == [
        page.text[section.start] for page in pages for section in page.sections
    ]
