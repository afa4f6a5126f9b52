"""Questions: their kinds, their statements, what they take for granted."""

from __future__ import annotations

import pytest

from core.answers.question import names_in, parts, understand


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who signed the order?", "who"),
        ("To whom was it sent?", "who"),
        ("When did the pump stop?", "when"),
        ("In what year did Tesla die?", "when"),
        ("Which city is the plant in?", "where"),
        ("How many crates arrived?", "how many"),
        ("How long was the relay out?", "how many"),
        ("Why did it stop?", "why"),
        ("What did the relay do?", "what"),
        ("Was the door locked?", "whether"),
        ("relay at night", "what"),
    ],
)
def test_kinds(text, kind):
    assert understand(text).kind == kind


@pytest.mark.parametrize(
    ("text", "statement", "denial"),
    [
        ("Was the door locked?", "The door was locked.", "The door was not locked."),
        ("Did Klara Bost call?", "Klara Bost did call.", "Klara Bost did not call."),
        ("Didn't he call?", "He did not call.", "He did call."),
        ("Is there a copy of the log?", "There is a copy of the log.", "There is not a copy of the log."),
        ("Is it true that the pump was new?", "The pump was new.", "The pump was not new."),
        (
            "Did the night operator open the valve?",
            "The night operator did open the valve.",
            "The night operator did not open the valve.",
        ),
    ],
)
def test_statement_and_denial(text, statement, denial):
    question = understand(text)
    assert (question.statement, question.denial) == (statement, denial)


def test_only_questions_of_yes_or_no_have_a_statement():
    assert understand("Who locked the door?").statement == ""


def test_what_is_taken_for_granted():
    question = understand("What did Klara Bost say about the 47 minutes in Weir Lane?")
    assert question.names == ("Klara Bost", "Weir Lane")
    assert question.numbers == ("47",)
    assert "say" in question.words
    assert "what" not in question.words


def test_the_first_word_is_no_name_for_its_capital():
    assert names_in("Which pump failed?") == ()
    assert names_in("Pump two failed.") == ()
    assert names_in("NATO failed.") == ("NATO",)


def test_parts_of_a_question():
    assert parts("Who signed the order, and when did they send it?") == [
        "Who signed the order",
        "when did they send it?",
    ]
    assert parts("Who signed the order, and when?") == ["Who signed the order", "when signed the order?"]
    assert parts("Who opened and closed the valve?") == ["Who opened and closed the valve?"]


@pytest.mark.parametrize(
    ("text", "kind", "asks_more"),
    [
        ("Who is Vincent Foster?", "what", False),
        ("Who's Vincent Foster?", "what", False),
        ("Who was Vincent Foster with?", "who", False),
        ("Who saw Vincent Foster?", "who", True),
        ("Who is the captain?", "who", True),
    ],
)
def test_who_somebody_is_asks_for_no_other_name(text, kind, asks_more):
    question = understand(text)
    assert (question.kind, question.asks_more_than_names) == (kind, asks_more)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Who used badge 0417 on 14 March?", ()),
        ("Who came on March 3 with Ann Berg?", ("Ann Berg",)),
        ("What did April Jones say?", ("April Jones",)),
    ],
)
def test_the_month_of_a_day_is_no_name(line, names):
    assert understand(line).names == names
