"""Accounting for a sentence: what of it none of its sources has."""

from __future__ import annotations

import pytest

from core.audit.accounting import SourceText, in_words, is_turned, least_missing, missing_parts, source_choices


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
        ("Nobody ever held a key to press 7.", "Press 7 has two locks; nobody ever held a key."),
        (
            "Although Fenn and Mrs Aske were at the pier, the gate was open.",
            "Fenn, Aske: at the pier. The gate was open.",
        ),
    ],
)
def test_a_sentence_whose_parts_are_all_in_its_source_lacks_nothing(sentence, source):
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
def test_parts_that_no_source_has_are_listed(sentence, source, parts):
    assert missing(sentence, source) == parts


def test_the_first_person_is_the_author():
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


@pytest.mark.parametrize(
    ("sentence", "text", "is_borne_out"),
    [
        ("Ruth Vance told Fenn in April that the lamp was old.", "I told Fenn in April that the lamp was old.", True),
        ("Fenn told Ruth Vance in April that the lamp was old.", "I told Fenn in April that the lamp was old.", False),
        ("Fenn gave Ruth Vance the key.", "Fenn gave me the key.", True),
        ("Ruth Vance had the key.", "Fenn gave me the key.", False),
        ("Ruth Vance's brother owns the van.", "My brother owns the van.", True),
        ("Ruth Vance owns the van.", "My brother owns the van.", False),
        ("When Ruth Vance left, Fenn was asleep.", "When I left, Fenn was asleep.", True),
        ("When Fenn left, Ruth Vance was asleep.", "When I left, Fenn was asleep.", False),
        ("Ruth Vance was asleep.", "When I left, Fenn was asleep.", False),
        ("Fenn paid Ruth Vance.", "I was paid by Fenn.", True),
        ("Ruth Vance paid Fenn.", "I was paid by Fenn.", False),
        ("Vance did not lock the gate.", "I did not lock the gate.", True),
        ("Ruth Vance opened the gate for the cook.", "The cook and I opened the gate for Fenn.", False),
        ("Ruth Vance locked the gate.", "Fenn said: “I locked the gate.”", False),
    ],
)
def test_the_first_person_has_the_role_of_the_author(sentence, text, is_borne_out):
    source = SourceText(text, text, "Statement of Ruth Vance", "Ruth Vance <vance@weir.example>")
    assert (least_missing(sentence, [source]) == []) is is_borne_out


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
def test_parts_that_differ_are_not_called_absent(sentence, source, words):
    assert [in_words(part) for part in missing_parts(sentence, [SourceText(source)])] == words


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("The contractor paid the supplier.", "The supplier paid the contractor."),
        ("The supplier was paid by the contractor.", "The supplier paid the contractor."),
        ("The supplier paid the contractor.", "The supplier was paid by the contractor."),
        ("The oil price rose and the gas price fell.", "The oil price fell and the gas price rose."),
        ("The new pump is faster than the old pump.", "The old pump is faster than the new pump."),
        ("Plant one produced more than plant two.", "Plant two produced more than plant one."),
        ("The valve closed because the pump stopped.", "The pump stopped because the valve closed."),
        ("In 2019 the profit was 40 and in 2020 it was 50.", "In 2019 the profit was 50 and in 2020 it was 40."),
        ("Fenn got 40 shares and Aske got 50 shares.", "Fenn got 50 shares and Aske got 40 shares."),
        ("Ruth Vance said that the valve was open.", "Dana Okafor said to Ruth Vance that the valve was open."),
        ("Ruth Vance said that the valve was open.", "Ruth Vance said that Dana Okafor said that the valve was open."),
        ("Every room was searched.", "Every room except the cellar was searched."),
        ("All members voted.", "All members but Fenn voted."),
        ("It cost $500.", "It cost €500."),
        ("Sales rose by 5 percent.", "Sales rose by 5 percentage points."),
        ("The minister approved the plan.", "The minister refused to approve the plan."),
        ("The guard locked the gate.", "The guard forgot to lock the gate."),
        ("The gate was opened by the guard.", "The guard denied that he opened the gate."),
        ("The driver was drunk.", "It is false that the driver was drunk."),
        ("The driver was drunk.", "The police asked whether the driver was drunk."),
        ("The first payment was late.", "The second payment was late."),
        ("The board will vote.", "The board voted."),
        ("The mayor is Fenn.", "The former mayor is Fenn."),
        ("The tank is full.", "The tank is nearly full."),
        ("The tank can leak.", "If the valve is open, the tank can leak."),
        ("The tank may leak in autumn.", "Unless it is repaired, the tank may leak in autumn."),
        ("Half of the tanks leaked.", "More than half of the tanks leaked."),
        ("The guard had the lamp.", "The guard saw the lamp."),
        ("The guard was the driver.", "The guard saw the driver."),
        ("Not all of the tanks were full.", "All of the tanks were not full."),
        ("The tank was filled on 5 June.", "The tank was built on 5 June but filled on 12 June."),
        ("The tanks of 1950 were kept.", "The tanks of 1940 were kept, and those of 1950 were sold."),
    ],
)
def test_the_same_words_with_another_meaning_lack_a_part(sentence, source):
    assert missing(sentence, source)


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("The supplier was paid by the contractor on Monday.", "On Monday the contractor paid the supplier."),
        ("The contractor paid the supplier.", "The supplier was paid by the contractor."),
        ("Before the fire the gate was locked.", "The gate was locked before the fire."),
        ("In March the depot received 30 crates.", "The depot received 30 crates in March."),
        ("Crates were received in March at the depot.", "The depot received crates in March."),
        ("The valve was opened and the pump started.", "The pump started and the valve was opened."),
        ("The report on the pump test was signed.", "The pump test report was signed."),
        ("Nearly 50 drivers struck.", "Nearly 50 drivers struck in May."),
        ("More than 40 drivers struck.", "Nearly 50 drivers struck in May."),
        ("It cost 500 dollars.", "It cost $500."),
        ("It cost $500.", "It cost 500 dollars."),
        ("The guard did not lock the gate.", "The guard failed to lock the gate."),
        ("All rooms but the cellar were searched.", "All rooms except the cellar were searched."),
        ("Dana Okafor told Ruth Vance that the valve was open.", "Dana Okafor told Ruth Vance the valve was open."),
        ("Ruth Vance said that the valve was open.", "Ruth Vance said that Dana Okafor saw that the valve was open."),
    ],
)
def test_another_word_order_of_the_same_meaning_lacks_nothing(sentence, source):
    assert missing(sentence, source) == []


def test_a_source_without_text_has_no_part_of_a_sentence():
    assert missing("It sank on 5 June 2019.", SourceText("", "It sank on 5 June 2019."))


def test_a_bound_holds_of_the_row_that_is_named_alone():
    rows = [SourceText("Barley · Sacks lost: 2,150"), SourceText("Rye · Sacks lost: 830")]
    assert least_missing("At most 3,400 sacks were lost.", rows)
    assert least_missing("At most 900 sacks of rye were lost.", rows) == []
    assert least_missing("At least 300 sacks were lost.", rows)
    assert least_missing("830 sacks were lost.", rows) == []
    assert least_missing("About 800 sacks were lost.", rows) == []


@pytest.mark.parametrize(
    ("sentence", "texts", "expectation"),
    [
        ("The tank can leak.", ("The valve is new.", "If the valve is open, the tank can leak."), True),
        ("He believes that the stain is not old.", ("I do not believe that the stain is recent.",), True),
        ("Half of the tanks leaked.", ("More than half of the tanks leaked.",), True),
        ("The tank was filled on 5 June.", ("The tank was built on 5 June but filled on 12 June.",), True),
        ("The tank can leak if the valve is open.", ("If the valve is open, the tank can leak.",), False),
        ("The tank leaked.", ("If the weather holds, the ferry will sail.",), False),
        ("Half of the tanks leaked.", (), False),
    ],
)
def test_a_condition_a_bound_or_another_denial_turns_a_sentence(sentence, texts, expectation):
    assert is_turned(sentence, texts) is expectation


def test_rows_of_a_table_are_separate_sources_unless_named():
    texts = ["The log.", "07:58 · driver: Ines Varga", "08:30 · driver: Paul Oder", " · note: late"]
    assert source_choices("The driver was Paul Oder.", texts) == [(0,), (0, 1), (0, 2), (0, 3)]
    assert source_choices("At 07:58 and 08:30 they came.", texts) == [(0, 1, 2), (0, 1), (0, 2), (0, 3)]
    assert source_choices("At 07:58 he came.", texts) == [(0, 1), (0, 2), (0, 3)]
    assert source_choices("At 07:58 he came.", texts[:1]) == [(0,)]
    assert source_choices("At 07:58 he came.", []) == [()]
