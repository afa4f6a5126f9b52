"""The ledger of what is left out of a document: nothing uncounted, however much there is; and said in words."""

from __future__ import annotations

import pytest

from core.documents.left_out_parts import OTHER_KINDS, SEVERAL, grouped, in_words, sentence
from core.domain import LeftOut


def test_equal_parts_are_counted_together_in_order():
    parts = [LeftOut("chart", 1, "b"), LeftOut("chart", 1, "a"), LeftOut(" chart\n", 2, "b"), LeftOut("alarm", 1, "")]
    assert grouped(parts) == (LeftOut("alarm", 1, ""), LeftOut("chart", 1, "a"), LeftOut("chart", 3, "b"))


@pytest.mark.parametrize("kinds", [1, 20, 9_000])
def test_any_number_of_places_and_kinds_becomes_few_lines_that_count_all(kinds):
    parts = [LeftOut(f"part {number % kinds:05}", 2, f"place {number:05}") for number in range(9_000)]
    lines = grouped(parts)
    assert len(lines) <= 251
    assert sum(line.count for line in lines) == 18_000
    assert lines == grouped(lines)
    assert {line.where for line in lines[200:]} == {SEVERAL}
    assert (OTHER_KINDS in {line.what for line in lines}) == (kinds == 9_000)


def test_names_of_any_length_are_cut():
    (line,) = grouped([LeftOut("a" * 10_000, 1, "b" * 10_000)])
    assert (len(line.what), len(line.where)) == (200, 300)


@pytest.mark.parametrize(
    ("parts", "places", "words"),
    [
        ([], True, ""),
        ([LeftOut("chart", 2, "word/charts"), LeftOut("calendar part", 1, "")], True,
         "2 charts (word/charts), 1 calendar part"),
        ([LeftOut("chart", 2, "a"), LeftOut("chart", 1, "b")], False, "3 charts"),
        ([LeftOut("record of type application/json", 3, "")], True, "3 records of type application/json"),
        ([LeftOut("number that Word writes before a paragraph", 3, "")], True,
         "3 numbers that Word writes before a paragraph"),
        ([LeftOut("picture too small to hold words", 2, "")], True, "2 pictures too small to hold words"),
        ([LeftOut("digital signature, not proven", 2, "")], True, "2 digital signatures, not proven"),
        ([LeftOut("entry", 1_200, ""), LeftOut("box", 2, ""), LeftOut("key", 2, "")], True,
         "1,200 entries, 2 boxes, 2 keys"),
    ],
)  # fmt: skip
def test_a_ledger_is_said_in_words(parts, places, words):
    assert in_words(parts, places=places) == words


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("vector picture (EMF)", "vector pictures (EMF)"),
        ("drawing by a script", "drawings by a script"),
        ("picture that is not in the file", "pictures that are not in the file"),
        ("bookmark that leads to no page", "bookmarks that lead to no page"),
        ("part that the book does not list", "parts that the book does not list"),
        ("picture beyond the number that is read", "pictures beyond the number that is read"),
        ("picture too small to hold words", "pictures too small to hold words"),
        ("entity that is not expanded", "entities that are not expanded"),
    ],
)
def test_only_the_noun_and_its_verb_are_put_into_the_plural(kind, plural):
    assert in_words([LeftOut(kind, 2, "")]) == f"2 {plural}"
    assert in_words([LeftOut(kind, 1, "")]) == f"1 {kind}"


def test_a_line_says_nothing_of_nothing():
    assert sentence([]) == ""
    assert sentence([LeftOut("chart", 2, "a")]) == "Left out: 2 charts (a)"
