"""Transactions, numbers, and who is told of what is written."""

from __future__ import annotations


def test_numbers_are_never_given_twice(filled):
    filled.hypotheses.add("third")
    filled.undo.undo()
    assert filled.hypotheses.add("fourth").id == "H4"
