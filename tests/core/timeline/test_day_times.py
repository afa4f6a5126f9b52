"""Times of day in texts, each on the day it belongs to."""

from __future__ import annotations

import pytest

from core.language.dates import dates_in
from core.timeline.day_times import with_times


def read(*texts, own_day=""):
    rows = with_times([(text, dates_in(text)) for text in texts], own_day)
    return [(m.earliest, m.doubt) for row in rows for m in row]


@pytest.mark.parametrize(
    "text",
    [
        "At 07:58 on 3 May 2026 the alarm rang.",
        "On 3 May 2026 the alarm of the store rang at 07:58.",
        "2026-05-03 · time: 07:58 · door: Cold store",
        "On 3 May 2026 the alarm of the store rang at 7.58 a.m. sharp.",
    ],
)
def test_a_time_in_the_sentence_of_a_day_stands_for_that_day(text):
    assert read(text) == [("2026-05-03T07:58", "")]


def test_a_log_is_of_the_day_in_its_heading_until_the_next():
    log = "Log of 3 May 2026\n\n07:58 Alarm\n\n08:02 Door opens\n\n4 May 2026\n\n06:10 Guard comes"
    assert read(log) == [
        ("2026-05-03", ""),
        ("2026-05-03T07:58", ""),
        ("2026-05-03T08:02", ""),
        ("2026-05-04", ""),
        ("2026-05-04T06:10", ""),
    ]


def test_a_heading_leads_on_into_the_next_passage_but_a_sentence_does_not():
    assert read("Log of 3 May 2026", "07:58 Alarm", "Copied on 9 May 2026.")[1] == ("2026-05-03T07:58", "")
    told = "She came on 3 May 2026 at 07:50.", "At 07:58 she left.", "Copied on 9 May 2026."
    assert read(*told)[1] == ("2026-05-03T07:58", "day")


def test_sentences_behind_a_time_go_on_with_its_day_until_the_paragraph_ends():
    told = "She came on 3 May 2026 at 07:58. At 08:10 she left.\n\nAt 09:15 he came. On 9 May 2026 he was asked."
    assert read(told) == [
        ("2026-05-03T07:58", ""),
        ("2026-05-03T08:10", ""),
        ("2026-05-03T09:15", "day"),
        ("2026-05-09", ""),
    ]


def test_the_day_on_which_a_statement_was_taken_is_no_sure_day_of_what_it_tells():
    assert read("Statement of Ann Berg, taken on 9 May 2026\n\nAt 07:58 the alarm rang.")[-1] == (
        "2026-05-09T07:58",
        "day",
    )


@pytest.mark.parametrize("word", ["On Friday he came", "Yesterday he came", "On 5 May he came"])
def test_a_word_for_another_day_puts_the_day_of_what_follows_in_doubt(word):
    assert read(f"3 May 2026\n\n{word} at 07:58. He left at 08:10.") == [
        ("2026-05-03", ""),
        ("2026-05-03T07:58", "day"),
        ("2026-05-03T08:10", "day"),
    ]
    assert read("3 May 2026\n\nOn Sunday he came at 07:58.")[-1] == ("2026-05-03T07:58", "")  # which that day was


def test_the_day_of_a_document_is_taken_in_doubt_and_without_one_there_is_no_time():
    assert read("The alarm rang at 07:58.", own_day="2026-05-03") == [("2026-05-03T07:58", "day")]
    assert read("The alarm rang at 07:58.") == []
    assert read("In May 2026 the alarm rang at 07:58.") == [("2026-05-01", "")]


def test_what_the_text_leaves_open_stays_open():
    (time,) = with_times([(text := "On 3 May 2026 it rang, at half past two.", dates_in(text))], "")[0]
    assert (time.earliest, time.latest, time.doubt) == ("2026-05-03T02:30", "2026-05-03T14:30", "half")
    assert text[time.start : time.end] == "half past two"
    assert read("On 3 May 2026 it rang at 7:58.") == [("2026-05-03T07:58", "half")]
    assert read("On 3 May 2026 it rang at 7:58. He left at 16:20.")[0] == ("2026-05-03T07:58", "")
    assert read("On 3 May 2026 it rang, about 07:58.") == [("2026-05-03T07:58", "about")]
