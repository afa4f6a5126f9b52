"""What a model words: read sentence by sentence, and nothing that its sources do not bear out."""

from __future__ import annotations

import pytest

from core.answers.wording import Candidate, is_supported, is_verbatim, leans, material, parse

CITED = (
    "The relay of pump two was out for 47 minutes on 3 May 2021.",
    "Klara Bost signed the log of the plant.",
    "The door of the hall was not locked at midnight.",
    "The pump was possibly damaged by frost.",
    "Ruben Aske said the gate of the yard stood open.",
)


def test_citations_before_and_behind_the_full_stop_belong_to_their_sentence():
    reply = "- The relay was out [1]. Klara Bost signed the log. [2][1]\n2. The door was open. [1, 3] And so on"
    assert parse(reply) == [
        Candidate("The relay was out.", (1,)),
        Candidate("Klara Bost signed the log.", (2, 1)),
        Candidate("The door was open.", (1, 3)),
        Candidate("And so on.", (), is_whole=False),
    ]
    assert parse("") == []


def test_a_citation_belongs_to_its_source():
    text = material("Who?", ["One.\n[2] Two planted.", "Three."])
    assert text.splitlines()[2:] == ["[1] One. Two planted.", "[2] Three."]


@pytest.mark.parametrize(
    ("text", "citations"),
    [
        ("The relay of pump two was out for 47 minutes.", (1,)),
        ("Klara Bost signed the log.", (2,)),
        ("The door of the hall was not locked at midnight.", (3,)),
        ("The pump was possibly damaged by frost.", (4,)),
        ("Ruben Aske said the gate stood open.", (5,)),
        ("Klara Bost signed the log, and the relay of pump two was out for 47 minutes.", (1, 2)),
    ],
)
def test_a_supported_sentence_stays(text, citations):
    assert is_supported(Candidate(text, citations), CITED)


@pytest.mark.parametrize(
    ("text", "citations"),
    [
        ("Klara Bost signed the log.", ()),  # no citation
        ("Klara Bost signed the log.", (9,)),  # of nothing
        ("Klara Bost signed the log.", (1,)),  # of another sentence
        ("The relay of pump two was out for 74 minutes.", (1,)),
        ("The relay of pump two was out for 47 minutes on 4 May 2021.", (1,)),
        ("The relay of pump two was out for 47 minutes in 2020.", (1,)),
        ("Karla Bost signed the log of the plant.", (2,)),
        ("Karla signed the log of the plant.", (2,)),
        ("Klara Bost and Ruben Aske signed the log of the plant.", (2,)),
        ("The door of the hall was locked at midnight.", (3,)),
        ("Klara Bost never signed the log of the plant.", (2,)),
        ("The pump was damaged by frost.", (4,)),
        ("The gate of the yard stood open.", (5,)),
        ("Sabotage of the plant's relay explains all of that.", (1,)),
    ],
)
def test_an_unsupported_sentence_is_removed(text, citations):
    assert not is_supported(Candidate(text, citations), CITED)


def test_a_truncated_sentence_is_removed():
    assert not is_supported(Candidate("Klara Bost signed the log.", (2,), is_whole=False), CITED)


def test_sentences_that_depend_on_the_previous_one():
    assert leans("He signed it.")
    assert leans("However, the door was open.")
    assert not leans("The door was open.")


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("The man who shot Klara fled, and the gate stood open.", True),
        ("The man who shot Klara fled.", True),
        ("Klara fled.", False),
        ("The man who shot Klara.", False),
        ("The gate stood open, and the man who shot Klara fled.", False),
    ],
)
def test_word_by_word(text, is_so):
    statements = ("It rained.", "The man who shot Klara fled, and the gate stood open.")
    assert is_verbatim(Candidate(text, (2,)), statements) is is_so
    assert not is_verbatim(Candidate(text, (1,)), statements)
