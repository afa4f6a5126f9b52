"""Pages are read in the order of the contents, with a place to go to for every heading."""

from __future__ import annotations

import pytest

from core.handbook.pages import CONTENTS, anchor_of, page_named, pages

CONTENTS_TEXT = """# Handbook

Words, and [a link](#first) that leads to no page.

## First

- [One](one.md)
- [Two](two.md#part)

## Second

- [Three](three.md)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "README.md").write_text(CONTENTS_TEXT, "utf-8")
    (tmp_path / "one.md").write_text("# Page one\n\nIt has *words*\nand `keys`.\n", "utf-8")
    (tmp_path / "two.md").write_text(
        "# Two\n\n## Part\n\nFirst ![a picture](pictures/x.png) [link](one.md).\n\n## Part\n\n"
        "| a | b |\n|---|---|\n| c | d |\n\n```\ncode # no heading\n```\n",
        "utf-8",
    )
    (tmp_path / "three.md").write_text("# Three: what's “new”?\n", "utf-8")
    return tmp_path


def test_the_contents_come_first_and_the_pages_in_their_order(folder):
    assert [(page.name, page.title, page.group) for page in pages(folder)] == [
        (CONTENTS, "Handbook", ""),
        ("one", "Page one", "First"),
        ("two", "Two", "First"),
        ("three", "Three: what's “new”?", "Second"),
    ]


def test_a_section_has_its_words_without_marks_pictures_and_addresses(folder):
    one, two = pages(folder)[1:3]
    assert [(section.anchor, section.level, section.text) for section in one.sections] == [
        ("page-one", 1, "It has words and keys.")
    ]
    assert [(section.anchor, section.title, section.text) for section in two.sections] == [
        ("two", "Two", ""),
        ("part", "Part", "First  link."),
        ("part-1", "Part", "a b c d code # no heading"),
    ]


def test_a_page_is_met_by_its_name_in_any_case(folder):
    found = page_named("ONE", folder)
    assert found is not None
    assert found.name == "one"
    assert page_named("four", folder) is None


@pytest.mark.parametrize(
    ("title", "before", "anchor"),
    [
        ("One case, one file", (), "one-case-one-file"),
        ("What's “new”?", (), "whats-new"),
        ("Part", ("part",), "part-1"),
        ("Part", ("part", "part-1"), "part-2"),
    ],
)
def test_an_anchor_is_what_markdown_is_commonly_published_with(title, before, anchor):
    assert anchor_of(title, before) == anchor
