"""Questions in other languages: what they ask for, what they are about, and nothing that is no name."""

from __future__ import annotations

import pytest

from core.answers.question import understand


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("Was zeigte die Überwachungskamera?", "what", ("überwachungskamera",)),
        ("Was geschah am 14. März?", "what", ("14", "märz")),
        ("Wann wurde die Pumpe repariert?", "when", ("pumpe", "repariert")),
        ("Wie viele Menschen lebten im Land?", "how many", ("menschen", "lebten", "land")),
        ("Qui a ouvert la porte ?", "who", ("ouvert", "porte")),
        ("Où est la pompe ?", "where", ("pompe",)),
        ("¿Cuántas personas murieron?", "how many", ("personas", "murieron")),
        ("¿Por qué se abrió la puerta?", "why", ("abrió", "puerta")),
        ("Кто открыл дверь?", "who", ("открыл", "дверь")),
        ("В каком году построили мост?", "when", ("построили", "мост")),
        ("متى فتح الباب؟", "when", ("فتح", "الباب")),
        ("كم عدد الرجال؟", "how many", ("الرجال",)),
    ],
)
def test_a_question_has_its_kind_in_each_language(text, kind, words):
    question = understand(text)
    assert (question.kind, question.words, question.statement, question.denial) == (kind, words, "", "")


@pytest.mark.parametrize("text", ["Was the pump repaired?", "Was Reyes fired?", "Did the patient die in Berlin?"])
def test_an_english_question_for_yes_or_no_stays_one(text):
    assert understand(text).kind == "whether"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Welchen Preis gab es für das Land?", ()),
        ("Wie hoch waren die Zahlen der Pumpe?", ()),
        ("Was sagte Frau Dr. Müller dem LKA?", ("Müller", "LKA")),
        ("¿Cuántas personas vio Reyes?", ("Reyes",)),
        ("Who called the Harbour Office?", ("Harbour Office",)),
    ],
)
def test_a_german_noun_is_no_name(text, names):
    assert understand(text).names == names
