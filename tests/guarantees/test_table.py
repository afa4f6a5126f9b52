"""The registry of promises, and the table that is made of it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest

from tests.guarantees import measure, table
from tests.guarantees.measure import Result
from tests.guarantees.row import Check, Row
from tests.guarantees.rows import ROWS

FOLDER = measure.TESTS / "guarantees"


def named_tests():
    for file in FOLDER.glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and (match := re.match(r"test_([a-l]\d+)_", node.name)):
                yield match[1].upper(), node.name


def test_every_row_has_a_test_of_its_name_and_every_such_test_a_row():
    assert {identity for identity, _ in named_tests()} == {row.id for row in ROWS}
    assert len({row.id for row in ROWS}) == len(ROWS)


def test_every_row_is_shown_by_something_or_says_why_it_is_not():
    assert [row.id for row in ROWS if not row.checks and not row.fault] == []
    assert [row.id for row in ROWS if row.checks and not row.figure] == []


def test_the_table_in_the_file_is_the_one_that_the_results_give():
    """Whoever changes a promise or a result writes the table anew: python -m tests.guarantees --show --write."""
    _, text, _ = table.parts(table.PROMISES.read_text("utf-8"))
    assert text == table.in_markdown(measure.results())


ROW = Row("A1", "Nothing is lost", "{n} kills: 0 lost", (Check("a.py::b"),))


@pytest.mark.parametrize(
    ("row", "results", "words"),
    [
        (ROW, {}, "not run yet"),
        (ROW, {0: Result(n=1_200)}, "1,200 kills: 0 lost"),
        (ROW, {0: Result(n=3), 1: Result(n=900)}, "900 kills: 0 lost"),
        (ROW, {0: Result(n=3), 1: Result(n=9, failures=("a.py::b",))}, "**does not hold:** a.py::b fails"),
        (ROW, {0: Result(skips=("no mount", "no mount"))}, "not run here: no mount"),
        (ROW, {0: Result(n=2, skips=("no mount",))}, "2 kills: 0 lost (1 not run here: no mount)"),
        (ROW, {0: Result(n=2, figure="2 of 2")}, "2 of 2"),
        (Row("A7", "Typing", "", (), fault="nobody does it"), {}, "**does not hold:** nobody does it"),
        (
            Row("A1", "Nothing", "{n} kills", (Check("a.py::b"),), fault="not all"), {0: Result(n=2)},
            "2 kills. **Holds in part:** not all",
        ),
    ],
)  # fmt: skip
def test_a_row_says_what_was_shown(row, results, words):
    assert table.state_of(row, results) == words


def test_tests_are_known_by_their_file_and_name_alone():
    assert measure.name_of("tests/a/test_b.py::test_c[1-2::3]") == "a/test_b.py::test_c"
    assert measure.name_of("tests/a/test_b.py::TestD::test_c") == "a/test_b.py::test_c"


def test_the_command_runs_the_checks_of_a_row_and_prints_them():
    process = subprocess.run(
        [sys.executable, "-m", "tests.guarantees", "--only", "H6"], cwd=measure.TESTS.parent,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stdout[-2000:] + process.stderr[-2000:]
    assert re.search(r"H6  .*\n    by number, never by time\n    n 1, ", process.stdout)
