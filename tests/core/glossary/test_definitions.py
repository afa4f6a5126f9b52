"""Definitions in running text."""

from __future__ import annotations

import pytest

from core.glossary.definitions import LONGEST_SENTENCE, definitions


def read(text: str) -> list[tuple[str, str, str]]:
    return [
        (one.kind, text[one.term.start : one.term.end], text[one.meaning.start : one.meaning.end])
        for one in definitions(text)
    ]


@pytest.mark.parametrize(
    ("text", "term", "meaning"),
    [
        ("It went to the House Select Committee on Assassinations (HSCA) that year.", "HSCA",
         "House Select Committee on Assassinations"),
        ("The OSCE (Organization for Security and Cooperation in Europe) sent a man.", "OSCE",
         "Organization for Security and Cooperation in Europe"),
        ("He took nonsteroidal anti-inflammatory drugs (NSAIDs) daily.", "NSAIDs",
         "nonsteroidal anti-inflammatory drugs"),
        ('They call it "Just in Time" (JIT) there.', "JIT", "Just in Time"),
    ],
)  # fmt: skip
def test_abbreviations(text, term, meaning):
    assert read(text) == [("abbreviation", term, meaning)]


@pytest.mark.parametrize(
    "text",
    [
        "He flew to Bangkok (Thailand) at noon.",
        "The firm (see above) paid in full (in cash).",
        "The Hunter Institute in Chicago for Economic Research in Latin America (FIEL) said so.",
        "Sales rose at McDonald's (MCD) again.",
        "The results (see Table II) were good.",
    ],
)
def test_what_stands_in_brackets_is_seldom_an_abbreviation(text):
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "name", "role"),
    [
        ("Briana Newcomb, an analyst at Montgomery Securities, said so.", "Briana Newcomb",
         "an analyst at Montgomery Securities"),
        ("It was Dan Jones, the editor of the Mirror, who wrote it.", "Dan Jones", "the editor of the Mirror"),
    ],
)  # fmt: skip
def test_roles(text, name, role):
    assert read(text) == [("role", name, role)]


@pytest.mark.parametrize(
    "text",
    [
        "On Monday Morning, the committee met, and the vote was lost.",
        "National Archives, a description of any additional searches, was sent.",
        "It lies in Green Valley, the river, and beyond.",
        "Wayne Parker, a former chairman who served with Mr. Low, spoke.",
        "After John Smith, the weather changed.",
    ],
)
def test_not_every_apposition_is_a_role(text):
    assert [one for one in read(text) if one[0] == "role"] == []


def test_terms_that_a_text_says_the_meaning_of():
    text = "“Working day” means a day on which banks in London are open."
    assert read(text) == [("meaning", "Working day", "a day on which banks in London are open")]
    text = 'Northern Harbour Supply Limited (the "Supplier") delivers on demand.'
    assert read(text) == [("meaning", "Supplier", "Northern Harbour Supply Limited")]


def test_a_line_without_end_is_no_sentence():
    text = "a " * LONGEST_SENTENCE + "House Select Committee on Assassinations (HSCA)"
    assert read(text) == []


def test_spans_lie_in_their_sentence():
    text = "Nothing here. It went to the House Select Committee on Assassinations (HSCA). Dan Jones, the editor, left."
    for one in definitions(text):
        for span in (one.term, one.meaning):
            assert one.sentence.start <= span.start < span.end <= one.sentence.end
