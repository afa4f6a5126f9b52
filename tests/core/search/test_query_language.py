"""What is typed into the search field: every condition, and never an error."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.search.query_language import (
    Query,
    conditions,
    day_range,
    excluded_expression,
    parse,
    plain_words,
    required_expression,
)

ANY_WORD = "“OR” was left out: passages with any of the words are found."
LEFT_OUT = "“{0}” needs a word or a phrase on each side of it and was left out."
AS_WORDS = "“{0}” could not be taken as a condition and was searched as words."


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("pump two stopped", Query("pump two stopped")),
        ('the "dosing pump" stopped', Query("the dosing pump stopped", phrases=(("dosing", "pump"),))),
        ("“dosing pump”", Query("dosing pump", phrases=(("dosing", "pump"),))),
        ('"never closed', Query("never closed", phrases=(("never", "closed"),))),
        ("pump -alarm", Query("pump", without=(("alarm",),))),
        ('pump -"test run"', Query("pump", without=(("test", "run"),))),
        ("pump - alarm", Query("pump alarm")),
        ("well-known", Query("well-known")),
        ("press*", Query("press", prefixes=("press",))),
        ("*", Query("")),
        ("p*", Query("p*")),
        ("pressure NEAR valve", Query("pressure valve", near=((("pressure",), ("valve",), 10),))),
        ("pressure NEAR/3 valve", Query("pressure valve", near=((("pressure",), ("valve",), 3),))),
        (
            '"relief valve" NEAR/4 open',
            Query("relief valve open", (("relief", "valve"),), ((("relief", "valve"), ("open",), 4),)),
        ),
        ("NEAR valve", Query("valve", notes=(LEFT_OUT.format("NEAR"),))),
        ("valve NEAR/5", Query("valve", notes=(LEFT_OUT.format("NEAR/5"),))),
        ("NEAR/", Query("NEAR/", notes=(AS_WORDS.format("NEAR/"),))),
        ("NEAR", Query("NEAR", notes=(AS_WORDS.format("NEAR"),))),
        ("pump NEAR/x valve", Query("pump NEAR/x valve", notes=(AS_WORDS.format("NEAR/x"),))),
        ("near the valve", Query("near the valve")),
        ("pump AND valve", Query("pump valve", phrases=(("pump",), ("valve",)))),
        ('"relief valve" AND press*', Query("relief valve press", phrases=(("relief", "valve"),), prefixes=("press",))),
        ("pump NOT alarm", Query("pump", without=(("alarm",),))),
        ("pump AND NOT alarm", Query("pump", phrases=(("pump",),), without=(("alarm",),))),
        ("in:D1 AND pump", Query("pump", phrases=(("pump",),), documents=("D1",))),
        ("pump OR valve", Query("pump valve", notes=(ANY_WORD,))),
        ("AND", Query("AND")),
        ("pump AND", Query("pump AND")),
        ("to be or not to be and pump", Query("to be or not to be and pump")),
        ("document:D3 pump", Query("pump", documents=("D3",))),
        ('in:"press release.pdf" -in:D4', Query("", documents=("press release.pdf",), not_documents=("D4",))),
        ("tag:mail -tag:draft", Query("", tags=("mail",), not_tags=("draft",))),
        ("language:German -language:ru", Query("", languages=("de",), not_languages=("ru",))),
        ('name:"Dana Reyes"', Query("", names=("Dana Reyes",))),
        ("grade:B", Query("", grades=("B",))),
        ("grade:c-a", Query("", grades=("A", "B", "C"))),
        ("date:2024", Query("", after="2024-01-01", before="2024-12-31")),
        ("date:2024-02", Query("", after="2024-02-01", before="2024-02-29")),
        ("date:2023-11..2024-02", Query("", after="2023-11-01", before="2024-02-29")),
        ("after:2024-05 before:2024-06-03", Query("", after="2024-05-01", before="2024-06-03")),
        ("when:2024-03-05..2024-04", Query("", when=("2024-03-05", "2024-04-30"))),
        ("note:this", Query("note this")),
        ("at 02:36", Query("at 02:36")),
        ("http://example.org", Query("http //example.org")),
    ],
)
def test_typed(typed, expected):
    assert parse(typed) == expected
    assert expected.conditions == (expected != Query(expected.words, notes=expected.notes))


@pytest.mark.parametrize(
    "typed",
    [
        "date:soon",
        "date:2024-13",
        "grade:Z",
        "after:2024..2025",
        "date:2025..2024",
        "-name:Ann",
        "when:soon",
        "-when:2024",
    ],
)
def test_what_is_no_condition_is_searched_as_words_and_said(typed):
    query = parse(typed)
    assert query.words
    assert not query.conditions
    assert typed.lstrip("-") in query.notes[0]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("1900-02", ("1900-02-01", "1900-02-28")),
        ("2000-02", ("2000-02-01", "2000-02-29")),
        ("2024-4-9", ("2024-04-09", "2024-04-09")),
        ("2023-02-29", None),
        ("24", None),
        ("2024-00", None),
    ],
)
def test_days(text, days):
    assert day_range(text) == days


@pytest.fixture(scope="module")
def passages():
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61 remove_diacritics 2')")
    for text in (
        "the dosing pump stood still after the alarm",
        "pump for dosing",
        "pressure rose, then slowly the relief valve opened",
        "a test run of the pump",
    ):
        db.execute("INSERT INTO t VALUES (?)", (text,))
    return db


def matching_rows(db, expression):
    return [row[0] for row in db.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid", (expression,))]


def test_the_expressions_find_what_was_meant(passages):
    assert matching_rows(passages, required_expression(parse('"dosing pump"'))) == [1]
    assert matching_rows(passages, required_expression(parse("pressure NEAR/6 valve"))) == [3]
    assert matching_rows(passages, required_expression(parse("pressure NEAR/2 valve"))) == []
    assert matching_rows(passages, required_expression(parse("dos* pum*"))) == [1, 2]
    assert matching_rows(passages, excluded_expression(parse('-"test run" -alarm'))) == [1, 4]
    assert required_expression(parse("pump")) == excluded_expression(parse("pump")) == ""


@settings(max_examples=600, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ['"', "-", "*", "NEAR", "NEAR/3", "AND", "OR", "NOT", "(", ")", "^", ":", "+", "{", "}", "document:",
             "tag:", "date:", "a", "pump", "“", "\0", "\x1b", "насос", "泵", "'", ";", "--", ",", " ", "\n"]
        )
        | st.text(max_size=5),
        max_size=14,
    )
)  # fmt: skip
def test_nothing_that_can_be_typed_is_an_error(passages, parts):
    query = parse("".join(parts))
    for expression in (required_expression(query), excluded_expression(query)):
        if expression:
            matching_rows(passages, expression)


def test_conditions_know_where_they_stand():
    text = "pump “stood still” pressure NEAR/5 valve press* -alarm -document:D4 tag:mail grade:A-C date:2024-03 --"
    terms = conditions(text)
    assert [text[term.start : term.end] for term in terms] == [
        "“stood still”",
        "NEAR/5",
        "press*",
        "-alarm",
        "-document:D4",
        "tag:mail",
        "grade:A-C",
        "date:2024-03",
    ]
    assert [term.kind for term in terms if term.minus] == ["without", "document"]
    assert terms[1].value == "pressure … valve, 5 words apart at most"
    bare = "".join(c for index, c in enumerate(text) if not any(term.start <= index < term.end for term in terms))
    assert not parse(bare).conditions
    assert conditions("pump document: grade:Z a-b") == []


def test_only_conditions_that_hold_are_told():
    text = "grade:A when:2023 grade:B-C after:2023 before:2024 date:2024-03 after:2025 when:2024"
    valid_terms = ["grade:B-C", "date:2024-03", "after:2025", "when:2024"]
    assert [text[term.start : term.end] for term in conditions(text)] == valid_terms
    assert parse(text) == parse(" ".join(valid_terms))


@pytest.mark.parametrize(
    "text", ["He said “NEAR/5 - the -door: no”", 'a "quoted" word', "grade:A is the best", "rates* of 10:42", "-no -no"]
)
def test_words_of_a_document_become_no_conditions(text):
    assert not parse(plain_words(text)).conditions
    assert parse(plain_words(text)).notes == ()
