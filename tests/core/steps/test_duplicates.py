from __future__ import annotations

from core.domain import Quote
from core.steps.duplicates import possible_duplicates


def quote(text: str, page: int, start: int = 0) -> Quote:
    return Quote("D1", page, 1, start, start + len(text), text, "")


STOP = "The pump stopped at 02:14 and the alarm rang."
KNOWN = [
    ("P1", quote(STOP, 1)),
    ("P2", quote("Nobody entered the building that night.", 1, 50)),
    ("P3", quote(STOP, 2)),
]


def test_nearly_the_same_words_elsewhere_are_marked_with_the_earliest_quote():
    quotes = [quote("The pump stopped at 02:19 and the alarm rang.", 3), quote("The invoice was paid late.", 3)]
    assert possible_duplicates(quotes, KNOWN) == ["P1", None]


def test_the_same_place_is_not_a_duplicate_of_itself():
    assert possible_duplicates([quote(STOP, 1)], KNOWN[:2]) == [None]
    assert possible_duplicates([quote(STOP, 1)], KNOWN) == ["P3"]


def test_nothing_known_nothing_marked():
    assert possible_duplicates([quote("The pump stopped.", 1)], []) == [None]
