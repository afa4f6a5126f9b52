"""The checks that a row names in other folders: here only that they are there, for they run where they stand."""

from __future__ import annotations

import ast
from functools import cache

import pytest

from tests.guarantees.measure import TESTS
from tests.guarantees.rows import ROWS


@cache
def tests_in(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.fixture
def lost(request: pytest.FixtureRequest) -> list[str]:
    """The checks of the row that the test is named after and that are not there."""
    identity = request.node.name.split("_")[1].upper()
    (row,) = (row for row in ROWS if row.id == identity)
    nodes = [check.node.split("::") for check in row.checks]
    return [f"{file}::{name}" for file, name in nodes if not (TESTS / file).exists() or name not in tests_in(file)]
