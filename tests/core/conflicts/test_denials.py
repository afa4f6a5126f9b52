"""Denials of the sentence before, and who says that it is so."""

from __future__ import annotations

from core.conflicts import denials
from core.conflicts.pairs import Rarity
from tests.core.conflicts.builders import OTHERS, statements

DENIAL = "A colleague wrote that Ruben Aske threatened to switch off the dosing pump one night. Ruben Aske denies this."
SAID = "Ruben Aske threatened in February to switch off the dosing pump one night."
TALK = "W: A colleague says that you threatened to switch the dosing pump off. A: In the changing room, yes. I said it."


def opposed(*texts: str) -> list[tuple[str, str]]:
    rows = statements(*texts, *OTHERS)
    denying = denials.denials_in(rows)
    return [(one.claim, other.text) for one, other, _ in denials.against(denying, rows, Rarity(rows))]


def test_what_is_denied_is_the_sentence_before_without_who_said_it():
    (one,) = denials.denials_in(statements(DENIAL))
    assert one.claim == "Ruben Aske threatened to switch off the dosing pump one night."
    assert one.statement.text == "Ruben Aske denies this."


def test_a_denial_is_set_against_what_says_that_it_is_so():
    assert opposed(DENIAL, SAID) == [("Ruben Aske threatened to switch off the dosing pump one night.", SAID)]


def test_what_denies_it_too_or_is_about_something_else_does_not_oppose():
    assert opposed(DENIAL, "Ruben Aske never threatened to switch off the dosing pump one night.") == []
    assert opposed(DENIAL, "The dosing pump was bought from a dealer in Port Sallow years ago.") == []


def test_a_question_counts_with_an_answer_that_admits_it():
    question, *_ = statements(TALK)
    both = denials.with_answer(question, TALK)
    assert both is not None
    assert both.text == TALK
    assert (
        denials.with_answer(question, TALK.replace("In the changing room, yes. I said it.", "Never in my life."))
        is None
    )
    plain, *_ = statements(SAID)
    assert denials.with_answer(plain, SAID) is plain
