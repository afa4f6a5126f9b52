"""Accounting for a sentence: what of it none of its sources has."""

from __future__ import annotations

import pytest

from core.audit.accounting import SourceText, in_words, missing_parts


def missing(sentence, *texts):
    sources = [SourceText(text, text) if isinstance(text, str) else text for text in texts]
    return [(part.text, part.kind) for part in missing_parts(sentence, sources)]


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("The pump stopped at 02:41 on 13 March 2025.", "At 02:41 on 13 March 2025 the pump was stopped."),
        ("More than 40 people were at the depot.", "52 people were at the depot."),
        ("Stopping the pumps was rejected by the cities.", "The city rejects that the pump was stopped."),
        ("The gate was not locked.", "The gate was never locked."),
        ("The report says that the valve was open at noon.", "At 12:00 the valve was open."),
        ("Between 20 and 30 crates were moved.", "They moved 25 crates."),
        ("Fenn was shot by Aske at the pier.", "Aske shot Fenn at the pier."),
        ("About 50 drivers struck.", "48 drivers struck."),
    ],
)
def test_a_sentence_whose_parts_are_all_there_lacks_nothing(sentence, source):
    assert missing(sentence, source) == []


@pytest.mark.parametrize(
    ("sentence", "source", "parts"),
    [
        ("No more than 40 people were at the depot.", "52 people were at the depot.", [("40", "number")]),
        ("No less than 50 drivers struck.", "12 drivers struck.", [("50", "number")]),
        ("They moved 20-30 crates.", "They moved 60-70 crates.", [("20-30", "number")]),
        ("They moved 50 crates.", "They moved about 50 crates.", [("50", "number")]),
        ("The pump stopped at noon.", "The pump stopped at midnight.", [("noon", "date")]),
        ("Demand for valves rose.", "Demand for pumps rose.", [("valves", "word")]),
        ("The board unanimously approved it.", "The board approved it.", [("unanimously", "word")]),
        ("The gate was locked before the fire.", "The gate was locked after the fire.", [("before", "word")]),
        ("All crates were moved.", "Crates were moved.", [("All", "word")]),
        ("The gate was not locked.", "The gate was locked.", [("not", "denial")]),
        ("The gate was locked.", "The gate wasn't locked.", [("wasn't", "denial")]),
        ("Late that night Aske shot Fenn.", "Late that night Fenn shot Aske.", [("Aske", "order")]),
        ("The decimal point is lost.", "If ALARM is pressed, the decimal point can be lost.", [("if", "reservation")]),
        ("The boiler will last.", "The boiler will last if it is treated kindly.", [("if", "reservation")]),
        ("Room B12 was empty.", "Room B14 was empty.", [("B12", "name")]),
        ("The price was 3,5 crowns.", "The price was 4,5 crowns.", [("3", "number")]),
    ],
)
def test_what_no_source_has_is_named(sentence, source, parts):
    assert missing(sentence, source) == parts


def test_i_is_the_author_of_its_document():
    statement = SourceText(
        "I closed permit HW-118 at 17:35.", "Statement of Ruth Vance. I closed permit HW-118.", "", "Ruth Vance"
    )
    assert missing("Permit HW-118 was closed at 17:35 by Ruth Vance.", statement) == []
    assert missing("Permit HW-118 was closed at 17:35 by Dana Okafor.", statement) == [
        ("Dana", "name"),
        ("Okafor", "name"),
    ]
    table = SourceText("Closed: 17:35.", "Opened by Dana Okafor. Closed: 17:35.")
    assert ("Okafor", "name") in missing("It was closed at 17:35 by Dana Okafor.", table)
    pronoun = SourceText("She closed it at 17:35.", "Dana Okafor was on duty. She closed it at 17:35.")
    assert missing("Dana Okafor closed it at 17:35.", pronoun) == []


def test_the_day_of_a_document_counts_for_it():
    log = SourceText("02:41 pump two stopped.", "02:41 pump two stopped.", "log 2025-03-13")
    assert missing("Pump two stopped at 02:41 on 13 March 2025.", log) == []
    assert missing("Pump two stopped at 02:41 on 14 March 2025.", log) == [("14 March 2025", "date")]


@pytest.mark.parametrize(
    ("sentence", "source", "words"),
    [
        ("The valves leaked.", "The pump leaked.", ["valves"]),
        ("The pump leaked.", "The pump may have leaked.", ["may (only in the source)"]),
        ("Late that night Aske shot Fenn.", "Late that night Fenn shot Aske.", ["Aske (elsewhere in the source)"]),
    ],
)
def test_what_a_source_has_otherwise_is_not_called_absent_from_it(sentence, source, words):
    assert [in_words(part) for part in missing_parts(sentence, [SourceText(source)])] == words
