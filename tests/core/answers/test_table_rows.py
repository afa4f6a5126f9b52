"""Rows of a table that a question names by their keys: which, and when none is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from core.answers.evidence import is_of_another_day
from core.answers.features import days_of
from core.answers.question import understand
from core.answers.sentences import RankedSentence, Sentence
from core.answers.service import _Reading
from core.answers.short_answers import short_answer
from core.answers.table_rows import Row, named
from core.domain import Span

DEPOT = (
    "2023-05-04 · time: 07:10 · unit: VK-3 · event: OUT · user: HBM · note: quarry",
    "2023-05-04 · time: 17:52 · unit: VK-3 · event: IN · user: HBM · note: two drums to bay 5",
    "2023-05-04 · time: 18:05 · unit: VK-9 · event: IN · user: TRO · note: empty",
    "2023-05-05 · time: 17:40 · unit: VK-3 · event: IN · user: TRO · note: empty",
)
STORE = (
    "R-201 · customer: Hagen Brothers · site: Elm Row, block A · frames: 14 · delivered: 11.04.2023",
    "R-207 · customer: Hagen Brothers · site: Elm Row, block C · frames: 22 · delivered: 01.09.2023",
    "R-212 · customer: Parish of Lund · site: tower, block C · frames: 9 · delivered: 16.10.2023",
)
WEATHER = (
    "2025-09-21 01:00 · wind: calm · temp_c: 4.1",
    "2025-09-21 02:00 · wind: calm · temp_c: 3.5",
    "2025-09-21 14:00 · wind: SW · temp_c: 12.9",
)
GATES = (
    "20:00 · persons_on: 41 · note: rain",
    "20:30 · persons_on: 86 · note: lanterns",
    "21:00 · persons_on: 90 · note: ",
)


def rows_of(question: str, *tables: tuple[str, ...], head: str = "") -> list[str]:
    rows = [
        Row((number, place), str(number), line, head)
        for number, table in enumerate(tables)
        for place, line in enumerate(table)
    ]
    return [row.text for row in named(understand(question), rows)]


@pytest.mark.parametrize(
    ("question", "table", "expected"),
    [
        ("At what time did van VK-3 come into the depot on 4 May 2023?", DEPOT, DEPOT[:2]),
        ("Who booked VK-9 in on 4 May?", DEPOT, DEPOT[2:3]),
        ("How many frames did the Hagen Brothers have at block C?", STORE, STORE[1:2]),
        ("How many frames went to the Hagen Brothers on 1 September 2023?", STORE, STORE[1:2]),
        ("What temperature was recorded at two in the morning on 21 September?", WEATHER, WEATHER[1:2]),
        ("What temperature was recorded at two in the afternoon on 21 September?", WEATHER, WEATHER[2:]),
    ],
)
def test_a_row_is_named_by_all_keys_that_its_table_has(question, table, expected):
    assert rows_of(question, table, DEPOT if table is not DEPOT else STORE) == list(expected)


def test_a_single_row_is_named_by_its_time_if_the_table_is_about_the_question():
    question = "How many persons does the list of the gates show at half past eight in the evening?"
    assert rows_of(question, GATES, head="Gates of the fair") == [GATES[1]]
    assert rows_of("How many barrels were sold by half past eight in the evening?", GATES) == []


def test_rows_with_one_value_below_the_heading_that_is_asked_for_are_as_good_as_one():
    rows = [f"0{day}.05.2022 · time: 05:5{day} · badge: P-14 · name: Pirek · door: {day}" for day in range(1, 7)]
    rows.append("06.05.2022 · time: 06:10 · badge: P-09 · name: Krall · door: 1")
    assert rows_of("Which badge does Pirek carry at the works?", tuple(rows)) == rows[:1]
    assert rows_of("Which door did Pirek take?", tuple(rows)) == []


@pytest.mark.parametrize(
    "question",
    [
        "At what time did van VK-3 come into the depot on 9 May 2023?",  # another day
        "What is the registration number of van VK-3?",  # one key of several rows
        "How old is Hagen?",  # a name alone, and no value
        "What was paid for the drums?",  # no key
        "What did the Parish of Lund pay in 2023?",  # a year is no key
    ],
)
def test_no_row_is_named_by_less(question):
    assert rows_of(question, DEPOT, STORE) == []


def test_rows_of_two_tables_are_not_told_apart():
    assert rows_of("Who booked VK-9 in on 4 May?", DEPOT, DEPOT) == []


def test_a_row_without_the_kind_of_value_is_not_named():
    assert rows_of("At what time were the frames of Hagen taken to block C?", STORE) == []


def test_a_day_in_doubt_leaves_out_neither_reading():
    question = understand("Who collected the frames on 1 September 2023?")
    assert days_of("collected 01.09.2023") == {"09-01", "01-09"}
    assert not is_of_another_day(question, days_of(STORE[1]), is_entry=True)


def test_a_time_of_another_day_is_none_of_the_day_that_is_asked_about():
    question = understand("At what time was the cabinet opened on 3 May?")
    assert is_of_another_day(question, days_of("When I came back on Saturday 4 May at 08:35 it was open."))
    assert not is_of_another_day(question, days_of("It was opened at 21:01 on 3 May."))
    assert not is_of_another_day(understand("When was it opened after 3 May?"), days_of("It was opened on 4 May."))


@pytest.mark.parametrize(
    ("question", "row", "value"),
    [
        ("How many sheets went through machine 2 for the job on the stick?", 1, "1194"),
        ("At what time did machine 2 print the job?", 0, "19:16"),
        ("How many persons_on were there?", 0, None),
    ],
)
def test_the_value_is_that_of_the_column_that_is_asked_for(question, row, value):
    lines = (
        "2025-05-05 · time: 19:16 · machine: 2 · job: A5 two-up · sheets: 12",
        "machine 2 · job: A5 two-up from stick · sheets: 1194 · paper: 90 g",
    )
    span = short_answer(understand(question), lines[row])
    assert (span and lines[row][span.start : span.end]) == value


def test_millimetres_say_how_far():
    sentence = "The faint stripe is 41 mm from the left edge."
    span = short_answer(understand("How far from the left edge is the stripe?"), sentence)
    assert span is not None
    assert sentence[span.start : span.end] == "41"


def test_a_log_is_asked_by_its_keys(case_of):
    lines = [f"2023-05-{day:02} · time: 06:{day:02} · unit: VK-7 · event: OUT · note: " for day in range(1, 28)]
    lines += DEPOT
    story = "The depot of the quarry closes at six. Vans come and go all day, and a clerk writes down each of them."
    bench = case_of({"depot.txt": "\n".join(lines), "story.txt": story})
    answer = bench.answers.ask("At what time did van VK-3 come into the depot on 4 May 2023?").answer
    assert answer.is_answered
    assert {point.short for point in answer.points[:2]} == {"07:10", "17:52"}
    assert "high" not in [point.confidence for point in answer.points]  # either may be meant
    refused = bench.answers.ask("At what time did van VK-3 come into the depot on 30 June 2023?").answer
    assert "17:52" not in [point.short for point in refused.points]


def test_the_number_of_a_thing_is_no_amount():
    sentence = "The ledger is insured under policy 55-1182 for 420,000 euros."
    span = short_answer(understand("For how much is the ledger insured?"), sentence)
    assert span is not None
    assert sentence[span.start : span.end] == "420,000"
    ranged = "The ledger had 10-12 leaves."
    span = short_answer(understand("How many leaves did the ledger have?"), ranged)
    assert span is not None
    assert ranged[span.start : span.end] == "10-12"


def test_a_month_or_a_weekday_is_no_person():
    assert short_answer(understand("Who switched off the cameras?"), "The cameras were off on Friday 3 May.") is None


@pytest.mark.parametrize(
    ("texts", "documents", "expected"),
    [
        (DEPOT[:2], ("D1", "D1"), True),
        (DEPOT[:2], ("D1", "D2"), False),
        ((DEPOT[0], "The van came in at a quarter to six."), ("D1", "D1"), False),
    ],
)
def test_two_rows_of_one_table_are_no_dispute(texts, documents, expected):
    ranking = [
        RankedSentence(Sentence(number, Span(0, len(text)), text, 0.5, 0.5, 0.5, 1.0, 1.0, None), 1.0)
        for number, text in enumerate(texts)
    ]
    passages = tuple(SimpleNamespace(document=document) for document in documents)
    reading = _Reading(understand("When did the van come in?"), passages, ranking, 0.9, None)
    assert reading.is_one_table(0, 1) is expected
