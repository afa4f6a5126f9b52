from __future__ import annotations

from core.steps.duplicates import possible_duplicates

KNOWN = [("P1", "The pump stopped at 02:14 and the alarm rang."), ("P2", "Nobody entered the building that night.")]


def test_nearly_the_same_words_are_marked_with_the_earlier_quote():
    quotes = ["The pump stopped at 02:19 and the alarm rang.", "The invoice was paid late."]
    assert possible_duplicates(quotes, KNOWN) == ["P1", None]


def test_nothing_known_nothing_marked():
    assert possible_duplicates(["The pump stopped."], []) == [None]
