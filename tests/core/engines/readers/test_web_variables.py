"""What var() stands for, and that references without end stand for nothing."""

from __future__ import annotations

import pytest

from core.engines.readers import web_variables


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("none", "none"), ("var(--a)", "none"), ("1px var( --a ) x", "1px none x"), ("var(--b)", "none"),
        ("var(--z, var(--a))", "none"), ("var(--z,)", ""), ("rgb(var(--c))", "rgb(1, 2, 3)"),
        ("var(--z, calc(1px + (2px)))", "calc(1px + (2px))"), ("var(--z)", None), ("var(--a", None), ("var()", None),
        ("var(--loop)", None), ("var(--twice)", None),
    ],
)  # fmt: skip
def test_a_value_is_that_of_its_references(value, expected):
    variables = {
        "--a": "none", "--b": "var(--a)", "--c": "1, 2, 3", "--loop": "var(--loop)",
        "--twice": "var(--twice) var(--twice)",
    }  # fmt: skip
    assert web_variables.resolved(value, variables) == expected


def test_every_definition_is_possible():
    definitions = {"--a": ["none", "var(--b)"], "--b": ["block"], "--loop": ["var(--loop)"]}
    assert set(web_variables.possible("var(--a, flex)", definitions)) == {"none", "block", "flex"}
    assert list(web_variables.possible("var(--loop)", definitions)) == []
    assert list(web_variables.possible("none", {})) == ["none"]
    assert web_variables.names_in("rgb(var(--a), var(--b, var(--c)))") == ["--a", "--b", "--c"]
