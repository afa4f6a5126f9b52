"""What a denial denies in a sentence and in its source."""

from __future__ import annotations

import pytest

from core.audit.denial_scope import other_scope


def denied_otherwise(sentence, source):
    span = other_scope(sentence, source)
    return sentence[slice(*span)] if span else ""


@pytest.mark.parametrize(
    ("sentence", "source", "words"),
    [
        ("All of the workers did not join.", "Not all of the workers joined.", "not join"),
        ("None of the workers joined.", "Not all of the workers joined.", "None of the workers"),
        ("She is certain that it was not open.", "She is not certain that it was open.", "not open"),
        ("The lock was not forced.", "There is no evidence that the lock was forced.", "not forced"),
        ("The cook but not the maid heard it.", "Neither the cook nor the maid heard it.", "cook"),
        ("The maid, but not the cook, heard it.", "The cook, but not the maid, heard it.", "not the cook"),
        ("The child was weighed but not measured.", "The child was neither weighed nor measured.", "weighed"),
        ("The board decided not to close the mine.", "The board did not decide to close the mine.", "not to close"),
        ("The guard was not told to open it.", "The guard was told not to open it.", "not told"),
        ("The clinic never opened.", "The clinic no longer opens.", "never opened"),
        ("He said that there were no gloves.", "He said nothing about gloves.", "no gloves"),
    ],
)
def test_a_denial_of_another_word_is_another_denial(sentence, source, words):
    assert denied_otherwise(sentence, source) == words


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("Nobody saw the driver.", "Nobody saw the driver leave."),
        ("The clerk never opened the safe.", "The clerk never opened the safe without the key."),
        ("He did not lock the door.", "He did not lock the door properly."),
    ],
)
def test_what_is_denied_together_with_more_is_not_denied_alone(sentence, source):
    assert denied_otherwise(sentence, source)


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("Not all the workers joined the strike.", "Not all of the workers joined the strike."),
        (
            "The panel was not opened because he did not have the key.",
            "We did not open it, as he did not have the key.",
        ),
        ("The members did not vote for the sale.", "No member voted for the sale."),
        ("No member voted for the sale.", "The members did not vote for the sale."),
        ("The maid did not notice the shot.", "Neither the cook nor the maid noticed the shot."),
        ("The insurer has not accepted the claim yet.", "The insurer has not yet accepted the claim."),
        ("The door was not locked.", "The door was not locked because the lock was stiff."),
        ("Nobody held a key to it.", "The box has two locks; nobody ever held a key."),
        ("No more than 40 came.", "Not more than 40 came, and none of the doors was locked."),
        ("The door was locked.", "The window was not locked."),
    ],
)
def test_the_same_denial_in_other_words_is_the_same(sentence, source):
    assert denied_otherwise(sentence, source) == ""
