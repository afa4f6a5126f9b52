from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.documents.near_duplicates import collapse_duplicates, possible_duplicates
from core.domain import NearDuplicate, Passage, Quote


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


# --- copies among passages -------------------------------------------------------------------------------------------


def passage(rank: int, document: str, text: str, page: int = 1) -> Passage:
    return Passage(rank, rank, 1, document, document, page, 0, len(text), text, 1.0, 1, 1, 0.5, "high")


KIN = [NearDuplicate("D2", "D1", "near", 0.9), NearDuplicate("D3", "D2", "contained", 0.95)]
LONG = "On 3 May the guard Weber did not lock the second door, and he said so to the inspector the next morning."


def ranks(groups):
    return [[passage.rank for passage in group] for group in groups]


def test_passages_of_the_same_words_are_one_group_and_none_is_lost():
    passages = [
        passage(1, "D7", LONG),
        passage(2, "D8", "Another matter."),
        passage(3, "D9", LONG.replace(" ", "\n", 3).replace("fi", "ﬁ")),
        passage(4, "D7", LONG, page=5),
    ]
    assert ranks(collapse_duplicates(passages)) == [[1, 3, 4], [2]]
    assert collapse_duplicates([]) == []


def test_nearly_the_same_words_are_a_copy_only_in_documents_that_are_like_each_other():
    passages = [
        passage(1, "D1", LONG),
        passage(2, "D3", LONG.replace("next", "following")),
        passage(3, "D2", LONG + " ("),
    ]
    assert ranks(collapse_duplicates(passages)) == [[1], [2], [3]]
    assert ranks(collapse_duplicates(passages, KIN)) == [[1, 2, 3]]


@pytest.mark.parametrize(
    ("old", "new"), [("3 May", "4 May"), ("did not lock", "did lock"), ("Weber", "Webern"), ("May", "June")]
)
def test_a_passage_of_a_later_version_that_says_otherwise_stays_apart(old, new):
    passages = [passage(1, "D1", LONG), passage(2, "D2", LONG.replace(old, new)), passage(3, "D3", LONG)]
    assert ranks(collapse_duplicates(passages, KIN)) == [[1, 3], [2]]


@given(st.lists(st.tuples(st.sampled_from(["D1", "D2", "D3", "D4"]), st.sampled_from([LONG, LONG + " Yes.", "A"]))))
def test_every_passage_is_in_one_group_in_order(given_passages):
    passages = [passage(rank, *fields) for rank, fields in enumerate(given_passages, start=1)]
    groups = ranks(collapse_duplicates(passages, KIN))
    assert sorted(rank for group in groups for rank in group) == [passage.rank for passage in passages]
    assert [group[0] for group in groups] == sorted(group[0] for group in groups)
    assert all(group == sorted(group) for group in groups)
