"""Which entries the program itself could have written, and which it could not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.domain import OcrDecision, Reading, Word, Words
from core.store import decision_log, entry_rules
from core.store.documents import sha256_of
from core.store.entry_rules import Course

SHA = "ab" * 32


def entry(entries, verb, tables, *, undoes=None):
    """An entry behind the others that writes these rows, as a person with a text editor would."""
    last = entries[-1]
    return replace(last, seq=last.seq + 1, verb=verb, undoes=undoes, before="{}", after=decision_log.canonical(tables))


def faults(entries, *more):
    return [fault.what.partition(" ")[2].partition(" ")[2] for fault in Course([*entries, *more]).faults]


def test_a_log_that_the_program_wrote_has_no_fault(pump_case):
    assert faults(pump_case.log.entries()) == []


def test_every_verb_of_an_honest_log_is_known(pump_case):
    assert {entry.verb for entry in pump_case.log.entries()} <= entry_rules.WRITES.keys()


def test_a_verb_of_no_version_and_a_foreign_table_are_faults(pump_case):
    entries = pump_case.log.entries()
    row = {"rating": {"E1/H1/ann": pump_case.records.stored_rows("rating")[0]}}
    assert faults(entries, entry(entries, "rate", row)) == []
    assert faults(entries, entry(entries, "look", row)) == ["changes 'rating', which an entry of its kind never does."]
    assert "is of a kind that no version of the program writes." in faults(entries, entry(entries, "touch up", row))


def test_only_a_decision_of_the_same_verb_is_taken_back(pump_case):
    entries = pump_case.log.entries()
    by_verb = {decision.verb: decision.seq for decision in entries}
    for undoes, expected_faults in (
        (by_verb["rate"], []),
        (by_verb["accept"], ["undoes what cannot be undone."]),
        (len(entries) + 5, ["undoes what cannot be undone."]),
    ):
        assert faults(entries, entry(entries, "rate", {}, undoes=undoes)) == expected_faults
    # Nobody takes back what the machine proposed.
    assert faults(entries, entry(entries, "propose", {}, undoes=by_verb["propose"])) == [
        "undoes what cannot be undone."
    ]


def page_of(entries):
    course = Course(entries)
    return min(course.texts)


@pytest.mark.parametrize(
    ("verb", "document", "number", "words"),
    [
        ("rate", "D1", 1, "changes pages"),
        ("look", "D1", 1, "changes pages"),
        ("add document", "D1", 1, "changes the text of page 1 of D1"),
        ("read scan", "D1", 1, "changes the text of page 1 of D1"),  # a quote stands on it
        ("check words", "D1", 1, "changes the text of page 1 of D1"),  # no word of it was decided on
        ("add document", "D2", 1, "makes page 1 of D1 another page"),
    ],
)
def test_the_text_of_a_page_changes_by_few_verbs(pump_case, verb, document, number, words):
    entries = pump_case.log.entries()
    page = str(page_of(entries))
    forgery = entry(entries, verb, {"pages": {document: {page: [number, SHA, SHA]}}})
    assert any(fault.startswith(words) for fault in faults(entries, forgery))


def test_a_page_comes_with_its_document_alone(pump_case):
    entries = pump_case.log.entries()
    pages = {"pages": {"D9": {"900": [1, SHA, SHA]}}}
    assert faults(entries, entry(entries, "add document", pages)) == []
    assert [fault.startswith("adds page 1 of D9") for fault in faults(entries, entry(entries, "merge", pages))] == [
        True
    ]


def test_a_quote_changes_with_the_words_of_its_page_alone(pump_case):
    entries = pump_case.log.entries()
    row = pump_case.records.require("evidence", "E1")
    fault = {"evidence": {"E1": {**row, "quote": "Another word."}}}
    assert faults(entries, entry(entries, "describe", {"evidence": {"E1": {**row, "note": "so"}}})) == []
    assert faults(entries, entry(entries, "refresh quote", fault)) == []
    assert faults(entries, entry(entries, "describe", fault)) == [
        "changes what E1 quotes, which an entry of its kind never does."
    ]


def test_joined_rows_quote_what_they_quoted_and_more(pump_case):
    entries = pump_case.log.entries()
    row = next(
        stored_row for stored_row in pump_case.records.stored_rows("evidence") if stored_row["page_id"] is not None
    )
    start, end = row["start"], row["end"]

    def join(**fields):
        return entry(entries, "join rows", {"evidence": {row["id"]: {**row, "quote": "Other words.", **fields}}})

    fault = [f"changes what {row['id']} quotes, which an entry of its kind never does."]
    assert faults(entries, join(end=end + 9)) == []
    assert faults(entries, join(end=end - 1)) == []  # as where joining is undone
    for fields in ({"start": start + 1, "end": end + 1}, {"page_id": row["page_id"] + 1}, {"document": "D2"}):
        assert faults(entries, join(**fields)) == fault


def reading(text):
    words = Words.of([Word(0, 3, 1, 2, 3, 4), Word(4, len(text), 5, 2, 9, 4)])
    return Reading("ocr 1", text, words, (0.5, 0.5), ((), ()), ("", ""))


def scan(*texts):
    """The course of a page of these (text, decisions, verb)."""
    course = Course([])
    course.texts[1] = [(sha256_of(text), decisions, verb) for text, decisions, verb in texts]
    return course


def test_a_text_comes_from_a_reading_with_what_was_said_of_its_words():
    corrected = (OcrDecision(1, 1, "corrected", "valve", "ann", "2026-03-01T08:00:00Z"),)
    read = ("the va1ve", (), "read scan")
    honest = scan(("", (), "add document"), read, ("the valve", corrected, "check words"))
    assert honest.changed_pages() == [1]
    assert not honest.has_unread_text(1, [reading("the va1ve")])
    assert honest.has_unread_text(1, [reading("the door")])  # of another reading
    invented = scan(("", (), "add document"), read, ("the vault", corrected, "check words"))
    assert invented.has_unread_text(1, [reading("the va1ve")])
    of_the_file = scan(("the va1ve", (), "add document"), ("the valve", corrected, "check words"))
    assert of_the_file.has_unread_text(1, [])  # words are checked in a scan only


def test_an_entry_that_cannot_be_read_is_left_to_the_replay(pump_case):
    entries = pump_case.log.entries()
    garbled = replace(entries[-1], seq=len(entries) + 1, after="{")
    assert faults(entries, garbled) == []
    half = entry(entries, "check words", {"pages": json.loads('{"D1": 5}')})
    assert faults(entries, half) == []
