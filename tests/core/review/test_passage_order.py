"""The order of the review: what tells hypotheses apart first, groups that name why, and nothing hidden given away."""

from __future__ import annotations

import pytest

from core.review.passage_cards import cards
from core.review.passage_order import APART, CONTRADICTIONS, ORDERS, arrange, pulls_apart, strongest
from tests.core.review.test_passage_cards import AGAINST, FOR, NEITHER, chunk, proposal


def cards_of(*rows, **more):
    """A card for each row of shares, for H1 and H2."""
    proposals = [
        proposal(10 * chunk_id + number, chunk_id, f"H{number}", shares, **more)
        for chunk_id, row in enumerate(rows, start=1)
        for number, shares in enumerate(row, start=1)
    ]
    return cards(proposals, {chunk_id: chunk(chunk_id) for chunk_id in range(1, len(rows) + 1)}, ["H1", "H2"])


def ids(rows):
    return [(group, card.passage.id) for group, card in rows]


ALL = ((FOR, FOR), (FOR, AGAINST), (NEITHER, NEITHER), (NEITHER, AGAINST))


def test_what_tells_hypotheses_apart_comes_first():
    assert ids(arrange(cards_of(*ALL))) == [("", 2), ("", 4), ("", 1), ("", 3)]


def test_what_is_of_the_matter_comes_before_what_is_not():
    """Verdicts that differ on a passage far from every hypothesis are chance."""
    far = cards_of((FOR, AGAINST), similarity=0.1)
    near = cards_of((FOR, FOR), (FOR, AGAINST), (NEITHER, NEITHER), similarity=0.6)
    rows = [("far" if card in far else "near", card.passage.id) for _, card in arrange([*far, *near])]
    assert rows == [("near", 2), ("near", 1), ("near", 3), ("far", 1)]


def test_contradictions_stand_before_all_others():
    assert ids(arrange(cards_of(*ALL), CONTRADICTIONS)) == [
        (APART, 2), ("other passages", 4), ("other passages", 1), ("other passages", 3)
    ]  # fmt: skip


def test_groups_by_verdict_and_by_the_hypothesis_that_is_spoken_of_most():
    assert ids(arrange(cards_of(*ALL), "verdict")) == [(APART, 2), ("contradicts", 4), ("supports", 1), ("neutral", 3)]
    assert ids(arrange(cards_of((FOR, NEITHER), (NEITHER, AGAINST)), "hypothesis")) == [
        ("most about H1", 1), ("most about H2", 2)
    ]  # fmt: skip


def test_documents_stand_by_name_and_page():
    assert [group for group, _ in arrange(cards_of(*ALL), "document")] == ["1.txt", "2.txt", "3.txt", "4.txt"]


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_loses_no_card(order):
    assert sorted(card.passage.id for _, card in arrange(cards_of(*ALL), order)) == [1, 2, 3, 4]


@pytest.mark.parametrize("order", [order for order in ORDERS if order != "document"])
def test_hidden_verdicts_leave_no_trace_in_an_order(order):
    hidden = cards_of(*ALL, blind=True)
    rows = arrange(hidden, order)
    assert len({group for group, _ in rows}) == 1
    assert [card.passage.id for _, card in rows] == [1, 2, 3, 4]
    assert strongest(hidden[0]) is None
    assert not any(pulls_apart(card) for card in hidden)
