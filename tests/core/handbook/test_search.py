"""The search finds the section that is about the words, in their usual forms, and shows where they stand."""

from __future__ import annotations

import pytest

from core.handbook.pages import Page, Section, pages
from core.handbook.search import SNIPPET, search, stems


def page(name: str, *sections: tuple[str, str]) -> Page:
    made = tuple(
        Section(name, title.lower(), title, 1 if at == 0 else 2, text) for at, (title, text) in enumerate(sections)
    )
    return Page(name, sections[0][0], "Group", "", made)


SMALL = (
    page(
        "matrix", ("Matrix", "Rows and columns."), ("Rating", "Type a letter to rate a cell. The rated cell moves on.")
    ),
    page("review", ("Review", "Accept or reject."), ("Undo", "Takes a rating back.")),
)


def where(query: str, among=SMALL) -> list[str]:
    return [f"{hit.section.page}#{hit.section.title}" for hit in search(among, query)]


def test_every_word_must_be_met_and_the_title_weighs_most():
    assert where("rating") == ["matrix#Rating", "review#Undo"]
    assert where("rate cells") == ["matrix#Rating"]
    assert where("RATINGS") == where("rating")


def test_where_no_section_has_all_words_those_with_most_are_shown():
    assert where("reject accept giraffe") == ["review#Review"]
    assert where("giraffe") == []
    assert where("  ") == []


def test_the_snippet_holds_the_words_and_is_short():
    long = page("long", ("Long", "word " * 400 + "needle in hay " + "word " * 400))
    [hit] = search([long], "needle")
    assert "needle" in hit.snippet
    assert len(hit.snippet) <= SNIPPET + 4
    assert hit.snippet.startswith("… ")
    assert hit.snippet.endswith(" …")


def test_stems_are_given_once_each():
    assert stems("Backups, backup matched matching") == ("backup", "match")
    assert stems("How do I make a backup?") == ("make", "backup")
    assert stems("what is it") == ("what", "is", "it")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("backup", "cases#Backups"),
        ("password", "documents#Files that could not be read"),
        ("premortem", "hypotheses#Premortem"),
        ("lowest leads", "matrix#The score"),
        ("landlock", "it-department#Untrusted documents"),
        ("blind rating", "settings#Settings of the case"),
        ("uninstall", "it-department#Removal"),
        ("hidden text", "documents#Hidden text"),
        ("diagnosticity", "search#Diagnosticity"),
        ("disk full", "troubles#While working"),
    ],
)
def test_the_handbook_itself_is_searched(query, expected):
    assert expected in where(query, pages())[:4]
