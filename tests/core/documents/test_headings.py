"""Headings by the size and weight of their letters."""

from __future__ import annotations

import pytest

from core.documents.headings import Candidate, Headings, Lines, is_title, level_of, text_size

BODY = ((10.0, 2_000),)


def lines(*titles, sizes=BODY, size=14.0, edge=False, limit=5):
    candidates = [Candidate(size, False, title, index * 100, edge) for index, title in enumerate(titles)]
    return Lines(sizes, tuple(candidates), limit)


@pytest.mark.parametrize(
    ("size", "bold", "level"),
    [(18.0, False, 1), (14.0, False, 2), (11.5, False, 3), (10.0, True, 4), (10.0, False, 0), (9.0, True, 0)],
)
def test_the_larger_the_letters_the_higher_the_heading(size, bold, level):
    assert level_of(size, bold, 10.0) == level


def test_the_size_of_a_text_is_that_of_most_of_its_letters():
    assert text_size(BODY) == 10.0
    assert text_size(((10.0, 100),)) is None  # too little of it to tell
    assert text_size(((10.0, 100), (11.0, 100), (12.0, 100))) == 0.0  # no one size


@pytest.mark.parametrize(
    ("title", "level", "expected"),
    [
        ("Findings", 1, True),
        ("The pump stopped.", 1, False),  # a sentence
        ("findings", 1, False),
        ("12 – 14", 1, False),  # hardly a letter
        ("Findings", 4, False),  # a bold line as large as the text is a heading only with a number
        ("2.1 Timeline", 4, True),
    ],
)
def test_a_title_reads_like_one(title, level, expected):
    assert is_title(title, level) == expected


def test_a_page_of_no_one_size_is_held_against_the_pages_before_it():
    finder = Headings()
    mixed = ((10.0, 100), (11.0, 100), (12.0, 100))
    assert [section.title for section in finder.on(lines("Findings"))] == ["Findings"]
    assert [(s.title, s.level) for s in finder.on(lines("Timeline", sizes=mixed))] == [("Timeline", 2)]


def test_what_comes_again_or_stands_at_the_edge_names_the_document():
    finder = Headings()
    assert [section.title for section in finder.on(lines("Annual report", edge=True))] == []
    assert [section.title for section in finder.on(lines("Annual report", "Findings"))] == ["Findings"]
    assert finder.on(lines("Findings")) == ()


def test_where_too_many_lines_are_headings_none_is_one():
    assert Headings().on(lines("One thing", "Another thing", "Third thing", limit=2)) == ()
