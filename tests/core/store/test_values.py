"""What a column holds beyond its type: read where it is sound, named where it is not."""

from __future__ import annotations

import json

import pytest

from core.domain import Table, Words
from core.errors import CaseValueWrong
from core.store import values
from core.store.decision_log import TABLES


def test_a_json_text_is_read_and_anything_else_is_no_value():
    assert values.from_json('{"a": [1]}') == {"a": [1]}
    for text in (None, 5, b"[]", "{", "[" * 100_000):
        with pytest.raises(ValueError):
            values.from_json(text)


def rows_of(case):
    return [(table, shape, row) for table, shape in TABLES.items() for row in case.records.stored_rows(table)]


def test_what_the_program_writes_is_sound_in_its_table_and_in_the_log(pump_case):
    for table, shape, row in rows_of(pump_case):
        assert list(values.faults(table, row)) == []
        assert values.prove(table, shape.key_of(row), row) is row
        assert values.log_row(table, shape.columns, shape.key_of(row), row) == row


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("document", "tags", '["a", 1]'),
        ("document", "pages", -1),
        ("hypothesis", "prior", float("nan")),
        ("hypothesis", "kind", "main"),
        ("proposal", "label", "perhaps"),
        ("proposal", "supports", 1.5),
        ("evidence", "id", "E"),
        ("evidence", "credibility", "X"),
        ("evidence", "more", '[{"page": 1}]'),
        ("evidence", "absence", '{"hypothesis": "H1", "queries": "valve"}'),
        ("evidence", "start", True),
        ("rating", "rating", "CCC"),
    ],
)
def test_a_value_that_no_column_can_hold_is_named(pump_case, table, column, value):
    row = {**pump_case.records.stored_rows(table)[0], column: value}
    assert list(values.faults(table, row)) == [column]
    with pytest.raises(CaseValueWrong) as error:
        values.prove(table, "K1", row)
    assert error.value.details == {"table": table, "id": "K1", "column": column}


@pytest.mark.parametrize(
    ("name", "value", "is_sound"),
    [
        ("ocr_languages", ["eng"], True),
        ("ocr_languages", "eng", False),
        ("exclusive", ["H1", "H2"], True),
        ("exclusive", {"H1": 1}, False),
        ("grade_weights", {"L": 0.5}, True),
        ("grade_weights", {"L": "half"}, False),
        ("grade_weights", [], False),
        ("blind", True, True),
    ],
)
def test_a_setting_is_of_its_kind(name, value, is_sound):
    row = {"id": name, "value": json.dumps(value)}
    assert list(values.faults("setting", row)) == ([] if is_sound else ["value"])


def test_a_row_of_the_log_has_every_column_and_each_of_its_type(pump_case):
    shape = TABLES["hypothesis"]
    row = pump_case.records.stored_rows("hypothesis")[0]
    shorter = {name: value for name, value in row.items() if name != "note"}
    for wrong in (shorter, {**row, "more": ""}, None, {**row, "text": 5}, {**row, "text": None}, {**row, "prior": "1"}):
        with pytest.raises(CaseValueWrong):
            values.log_row("hypothesis", shape.columns, "H1", wrong)
    assert values.log_row("hypothesis", shape.columns, "H1", {**row, "prior": None})["prior"] is None


def test_hidden_spans_lie_on_their_page_and_say_why():
    assert values.spans("[]", 0) == ((), ())
    assert values.spans('[[0, 4, "invisible"], [5, 9]]', 9) == (((0, 4), (5, 9)), ("invisible", "unseen"))
    for text in (
        "{}",
        "[[0, 10]]",
        "[[4, 3]]",
        "[[-1, 3]]",
        '[[0, 4, "for fun"]]',
        "[[0, 4, 1]]",
        '[[0, 4, "unseen", 1]]',
    ):
        with pytest.raises(ValueError):
            values.spans(text, 9)


def test_struck_spans_and_cells_lie_on_their_page():
    assert values.struck_places("[[0, 4], [5, 9]]", 9) == ((0, 4), (5, 9))
    sheet = Table(("a", ""), (((0, 4), (9, 9)),), ("A", "C"), (7,))
    assert values.tables('[[["a", ""], [[[0, 4], [9, 9]]], ["A", "C"], [7]]]', 9) == (sheet,)
    for text in ("{}", "[[0, 10]]", "[[4, 3]]", "[[-1, 3]]", '[[0, 4, "unseen"]]', '["a"]'):
        with pytest.raises(ValueError):
            values.struck_places(text, 9)
    for text in (
        "{}",
        "[[]]",
        '[[["a"], [[[0, 4], [5, 9]]], [], []]]',
        '[[["a"], [[[0, 10]]], [], []]]',
        "[[[1], [], [], []]]",
        '[[["a"], [4], [], []]]',
        '[[["a"], [], ["A", "B"], []]]',
        '[[["a"], [], [], [1]]]',
        '[[["a"], [[[0, 4]]], [], [-1]]]',
    ):
        with pytest.raises(ValueError):
            values.tables(text, 9)


@pytest.mark.parametrize(
    ("ledger", "is_sound"),
    [
        ("[]", True),
        ('[["chart",2,""]]', True),
        ('[["",2,""]]', False),
        ('[["chart",0,""]]', False),
        ('[["chart","2",""]]', False),
        ('[["chart",2]]', False),
        ("{}", False),
    ],
)
def test_a_line_of_a_ledger_names_and_counts(ledger, is_sound):
    row = dict.fromkeys(TABLES["document"].columns, "") | TABLES["document"].later
    row |= {"id": "D1", "pages": 0, "chunks": 0, "size": 0, "left_out": ledger}
    assert list(values.faults("document", row)) == ([] if is_sound else ["left_out"])


def test_alternatives_of_words_are_lists_of_texts():
    assert values.alternatives('[[["a", "o"], []], ["other"]]') == ((("a", "o"), ()), ("other",))
    for text in ("[]", "[[], {}]", '[["a"], []]', "[[[1]], []]", "[[], [1]]"):
        with pytest.raises(ValueError):
            values.alternatives(text)


def test_boxes_of_words_are_whole():
    data = Words.of([(0, 3, 1, 2, 3, 4)]).buffer
    assert list(values.words("page", "1", data)) == list(Words(data))
    for wrong in (data[:-1], "text", None):
        with pytest.raises(CaseValueWrong):
            values.words("page", "1", wrong)
