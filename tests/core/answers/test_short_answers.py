"""The name, date or figure that answers by itself."""

from __future__ import annotations

import pytest

from core.answers.question import understand
from core.answers.short_answers import is_settled, short_answer
from core.domain import Span


@pytest.mark.parametrize(
    ("question", "sentence", "short"),
    [
        ("How many crates arrived?", "At 08:05 the 12,000 crates arrived.", "12,000"),
        ("How long was the relay out?", "The relay was out for forty-seven minutes.", "forty-seven"),
        (
            "How long was the pump out?",
            "The pump stopped at about a quarter to three and was out for 47 minutes.",
            "47",
        ),
        ("How many households were asked?", "At 04:30 on 13 March we asked 19,400 households.", "19,400"),
        ("How many trials did it pass?", "One night it passed 25 out of 25 trials.", "25"),
        ("When did the pump stop?", "The pump stopped on 14 March 2014.", "14 March 2014"),
        ("How high was the coil resistance?", "At 21 degrees the coil resistance was 62.4 ohms.", "62.4"),
        ("How many volts does the coil take?", "Type TR-40, coil 24 volts direct current.", "24"),
        ("Who called Fenn?", "Then Klara Bost called Fenn.", "Klara Bost"),
        ("Where was the relay found?", "The relay was found in Weir Lane.", "Weir Lane"),
        ("How old is Klara Bost?", "In room 12 Klara Bost, 39, called the works.", "39"),
        ("How old is Klara Bost?", "Bost was only 41 when she called 3 people.", "41"),
        ("How old was Bost?", "The 44-year-old Bost called Fenn on 3 lines.", "44"),
        ("How old is Bost?", "Klara Bost, born in 1953, called at 4.", "1953"),
        ("How old is the relay?", "The relay is some fifteen years old and cost 80 kronor.", "fifteen"),
        ("How old are the fossils?", "The first fossils appear some 515 million years ago.", "515 million"),
        ("How far is the works?", "Line 3 ends 12 miles from the works.", "12"),
        ("How fast was the wind?", "On day 2 a wind of 110 mph hit the yard.", "110"),
        ("How long was the rope?", "At 4 the rope was 120 metres long.", "120"),
        ("How heavy is the crate?", "Crate 7 weighs 20 kilos.", "20"),
    ],
)
def test_the_short_answer_is_marked(question, sentence, short):
    span = short_answer(understand(question), sentence)
    assert span is not None
    assert sentence[span.start : span.end] == short


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How old is Roxanne Faison?", "Roxanne Faison found 3 microbes in the report of 20 April."),
        ("How old is Klara Bost?", "Klara Bost called 4 others from room 12."),
        ("How old is Klara Bost?", "For two decades Klara Bost was the chief of the works."),
        ("How tall is Klara Bost?", "Klara Bost, 39, called twice."),
        ("How far is the works?", "The works has 3 pumps."),
        ("How heavy is the crate?", "The crate with the number 7 was sealed."),
        ("How fast did it run?", "It ran on 2 lines."),
    ],
)
def test_a_measure_is_not_confused_with_other_figures(question, sentence):
    assert short_answer(understand(question), sentence) is None


def test_a_person_named_in_the_question_is_no_answer_by_a_longer_name():
    question = understand("Who called Dr Fenn?")
    assert short_answer(question, "Dr Klara Fenn was called.") is None
    sentence = "Dana Fenn called Klara Fenn."
    span = short_answer(understand("Who called Klara Fenn?"), sentence)
    assert span is not None
    assert sentence[span.start : span.end] == "Dana Fenn"
    assert short_answer(understand("Where did the mayor meet Fenn?"), "He met Mrs Fenn of Weir Works.") is None


def test_words_of_the_question_are_no_answer():
    assert short_answer(understand("Who called Klara Bost?"), "It was Klara Bost.") is None
    assert short_answer(understand("How many of the 12 relays failed?"), "All 12 relays stood there.") is None


@pytest.mark.parametrize(
    "sentence",
    [
        "The pump stopped at a quarter to three.",
        "On 20 February he said that he would switch it off one night.",
        "It stopped at 02:41, and 12 people came.",
        "He came at ten o'clock.",
    ],
)
def test_a_time_of_day_is_no_length_of_time(sentence):
    assert short_answer(understand("How long was the pump out of action?"), sentence) is None


def test_questions_without_such_an_answer():
    assert short_answer(understand("Why did it stop in 2014?"), "It stopped at 02:41.") is None


def test_who_is_no_place_and_where_no_person():
    assert short_answer(understand("Who broke the lock?"), "In Weir Lane somebody broke the lock.") is None
    assert short_answer(understand("Where was the clerk arrested?"), "The clerk was arrested by the FBI.") is None


@pytest.mark.parametrize(
    ("sentence", "time"),
    [
        ("The lead seal on the pump, number 0417, is whole, so the pump stopped by itself.", None),
        ("The pump may have stopped by itself.", None),
        ("On 20 February the pump stopped at the end of the shift.", "20 February"),
        ("The pump stopped at 0417, as the log says.", "0417"),
        ("The pump stopped for good in 1961.", "1961"),
    ],
)
def test_a_time_is_no_number_of_a_thing_and_has_its_day(sentence: str, time: str | None) -> None:
    span = short_answer(understand("When did the pump stop?"), sentence)
    assert (sentence[span.start : span.end] if span else None) == time


@pytest.mark.parametrize(
    ("question", "sentence", "short"),
    [
        ("How many hours did Bram work on the late shift?", "A5, comment: Bram was ill on the 12th", None),
        ("How many hours did Bram work on the late shift?",
         "Bram · Late shift Start: 14:30 · Late shift Hours: 8.25 · Total hours: 9.25", "8.25"),
        ("How much cargo did Nordlys carry?",
         "Nordlys · IMO: 09074729 · Arrived: 2024-04-02 05:40 · Cargo (t): 12500.5 · Note: delayed", "12500.5"),
        ("How much did Nordlys weigh?", "Nordlys · IMO: 09074729 · Crew: 12", None),
        ("How many gaskets are there?", "Gasket · Quantity: 1,200 · Price: EUR 0.42", "1,200"),
        ("When did Nordlys arrive?", "Nordlys · Left: 3 May 2024 · Arrived: 5 May 2024", "5 May 2024"),
        ("When did crane K-7 turn?", "K-7 · Moved: 23:15", "23:15"),
        ("When did the camera go offline?", "The camera is offline since 02:02:51", "02:02:51"),
        ("How much did it cost?", "It cost EUR500 then", "500"),
    ],
)  # fmt: skip
def test_the_heading_selects_the_figure_of_a_row(question, sentence, short):
    span = short_answer(understand(question), sentence)
    assert (span and sentence[span.start : span.end]) == short


def test_the_noun_asked_for_selects_the_cell_of_a_row():
    row = "2024-03-08 · batch: HM-0308 · ampoule_lot: L7731 · made: 10"
    span = short_answer(understand("From which lot of ampoules was batch HM-0308 filled?"), row)
    assert span is not None
    assert row[span.start : span.end] == "L7731"
    assert short_answer(understand("Which batch is HM-0308?"), row) is None  # what the question itself names
    assert short_answer(understand("What was found in the hall?"), row) is None
    assert short_answer(understand("Which lot was it?"), "The lot was L7731.") is None


@pytest.mark.parametrize(
    ("sentence", "short"),
    [
        ("[10:02] Hald: Then somebody opened it with my key.", None),
        ("[10:02] Hald: I opened it with my key.", "Hald"),
        ("The clerk who opened it took the letter to Rosen.", None),
        ("Late at night Rosen opened it.", "Rosen"),
        ("It was opened by Rosen.", "Rosen"),
    ],
)
def test_who_did_it_is_neither_its_speaker_nor_its_goal(sentence, short):
    span = short_answer(understand("Who opened the letter?"), sentence)
    assert (span and sentence[span.start : span.end]) == short


def test_a_time_in_words_answers_a_question_for_when():
    text = "I do not know who set the alarm, it was half past nine when I heard it."
    span = short_answer(understand("When did the alarm ring?"), text)
    assert span is not None
    assert text[span.start : span.end] == "half past nine"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who was at the airport?", "Airport:\tRunway Surface Type:"),
        ("Where did it land?", "Location:\tfield"),
        ("Who printed the flyer?", "flyer for the mayor · Paper: 135 g · Print: offset"),
    ],
)
def test_a_label_is_nobody_and_no_place(question, text):
    assert short_answer(understand(question), text) is None


def test_a_speaker_who_acts_is_somebody():
    assert short_answer(understand("Who closed the gate?"), "Ilse Brandt: I closed the gate.") == Span(0, 11)


@pytest.mark.parametrize(
    ("question", "sentence", "short"),
    [
        ("How many locks were shut?", "Eleven of the fourteen locks were shut.", "Eleven"),
        ("How many locks were shut?", "Of the fourteen locks, eleven were shut.", "eleven"),
        ("How many locks were shut?", "40 out of 62 locks were shut.", "40"),
        ("How many locks are there?", "The fourteen locks are new.", "fourteen"),
        (
            "How many divers searched the wreck?",
            "Twenty-three divers with five boats searched the wreck.",
            "Twenty-three",
        ),
        ("How many boats searched the wreck?", "Twenty-three divers with five boats searched the wreck.", "five"),
        ("How long did the dive take?", "The dive took three and a half hours.", "three and a half"),
        ("How old was the diver?", "The diver, 34, had two children.", "34"),
    ],
)
def test_a_figure_is_of_the_thing_and_the_part_that_is_asked_for(question, sentence, short):
    span = short_answer(understand(question), sentence)
    assert span is not None
    assert sentence[span.start : span.end] == short


@pytest.mark.parametrize(
    ("question", "sentence", "short"),
    [
        ("When did the letter arrive?", "The letter was dated 5 June but arrived on 12 June.", "12 June"),
        ("When was the letter dated?", "The letter was dated 5 June but arrived on 12 June.", "5 June"),
        ("When was the invoice paid?", "The invoice of 3 May was paid on 9 June.", "9 June"),
        ("At what time did the lock close?", "The lock opened at 9:15 and closed at 18:00.", "18:00"),
        ("When did the pump fail?", "On 5 May the pump failed and on 9 May it was repaired.", "5 May"),
        ("Where was the key found?", "The key was lost in Bergen and found in Voss.", "Voss"),
    ],
)
def test_a_day_or_a_place_is_of_the_verb_that_is_asked_about(question, sentence, short):
    span = short_answer(understand(question), sentence)
    assert span is not None
    assert sentence[span.start : span.end] == short


@pytest.mark.parametrize(
    ("question", "sentence", "short"),
    [
        ("Who told Dana about the sale?", "Fenn told Dana that Ruth would sell the barge.", "Fenn"),
        ("Who found the key?", "The key that Fenn had lost was found by Ruth in Voss.", "Ruth"),
        ("Who lost the key?", "The key that Fenn lost was found by Ruth in Voss.", "Fenn"),
        ("Who built the pump?", "The pump was built by Weir & Lock.", "Weir & Lock"),
    ],
)
def test_who_did_it_is_before_its_verb_or_behind_by(question, sentence, short):
    span = short_answer(understand(question), sentence)
    assert span is not None
    assert sentence[span.start : span.end] == short


def test_the_letter_of_a_place_is_named_with_it():
    sentence = "The fire began in hall B."
    span = short_answer(understand("Where did the fire begin?"), sentence)
    assert span is not None
    assert sentence[span.start : span.end] == "hall B"


@pytest.mark.parametrize(
    ("question", "sentence", "expectation"),
    [
        ("Who warned Dana?", "Fenn warned her twice.", True),
        ("Who warned Dana?", "The cook warned Fenn.", False),
        ("Who drove the van?", "The van was owned by Fenn and driven by Ruth.", False),
        ("Who did Dana warn?", "Mr Fenn warned her twice.", False),
        ("Whom did Fenn warn?", "Fenn warned Dana twice.", True),
        ("How many locks were shut?", "Eleven of the fourteen locks were shut.", True),
        ("When did the lock open?", "The lock opened at 9:15 on 4 May.", True),
        ("When did it happen?", "The crew met on 4 May and on 6 May.", False),
        ("Why did Dana warn him?", "Fenn and Ruth had lost the key on 4 May.", True),
    ],
)
def test_one_value_in_the_role_that_is_asked_for_is_settled(question, sentence, expectation):
    assert is_settled(understand(question), sentence) is expectation
