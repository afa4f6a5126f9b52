"""Denials of the sentence before, and who says that it is so."""

from __future__ import annotations

from core.conflicts import denials
from core.conflicts.pairs import Rarity
from tests.core.conflicts.builders import OTHERS, statements

DENIAL = "A colleague wrote that Ruben Aske threatened to switch off the dosing pump one night. Ruben Aske denies this."
SAID = "Ruben Aske threatened in February to switch off the dosing pump one night."
TALK = "W: A colleague says that you threatened to switch the dosing pump off. A: In the changing room, yes. I said it."


def opposing_pairs(*texts: str) -> list[tuple[str, str]]:
    rows = statements(*texts, *OTHERS)
    denying = denials.denials_in(rows)
    return [(denial.claim, statement.text) for denial, statement, _ in denials.against(denying, rows, Rarity(rows))]


def test_the_claim_is_the_previous_sentence_without_attribution():
    (denial,) = denials.denials_in(statements(DENIAL))
    assert denial.claim == "Ruben Aske threatened to switch off the dosing pump one night."
    assert denial.statement.text == "Ruben Aske denies this."


def test_a_denial_opposes_the_claim():
    assert opposing_pairs(DENIAL, SAID) == [("Ruben Aske threatened to switch off the dosing pump one night.", SAID)]


def test_other_denials_and_other_subjects_do_not_oppose():
    assert opposing_pairs(DENIAL, "Ruben Aske never threatened to switch off the dosing pump one night.") == []
    assert opposing_pairs(DENIAL, "The dosing pump was bought from a dealer in Port Sallow years ago.") == []


def test_a_question_counts_with_an_answer_that_admits_it():
    question, *_ = statements(TALK)
    extended = denials.with_answer(question, TALK)
    assert extended is not None
    assert extended.text == TALK
    assert (
        denials.with_answer(question, TALK.replace("In the changing room, yes. I said it.", "Never in my life."))
        is None
    )
    statement, *_ = statements(SAID)
    assert denials.with_answer(statement, SAID) is statement
