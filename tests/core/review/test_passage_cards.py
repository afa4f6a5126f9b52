"""Cards of passages: near-identical passages are one, the discriminating ones come first, nothing hidden is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain import Chunk, Probabilities, Proposal, Quote, Verdict
from core.review.passage_cards import cards, clash_words, separation

TEXT = "The night log shows that the dosing pump of the north well stopped at 02:14 and that nobody touched it at all."
FOR, AGAINST, NEITHER = (0.9, 0.05), (0.05, 0.9), (0.1, 0.1)


def chunk(number: int, text: str = "") -> Chunk:
    text = text or f"Passage {number} has words of its own, such as {'x' * number}."
    return Chunk(number, number, f"D{number}", f"{number}.txt", 1, 0, len(text), text)


def proposal(
    number: int, chunk_id: int, hypothesis: str, shares=NEITHER, start: int = 0, end: int = 5, **more
) -> Proposal:
    p = Probabilities(*shares, round(1 - sum(shares), 6))
    label = "supports" if shares == FOR else "contradicts" if shares == AGAINST else "neutral"
    quote = Quote(f"D{chunk_id}", chunk_id, 1, start, end, "x", "")
    result = Proposal(
        f"P{number}", hypothesis, chunk_id, quote, f"{chunk_id}.txt", Verdict(label, p, "judge 1"), None, None, None, ""
    )
    return replace(result, **more)


def test_a_card_has_the_verdicts_of_all_hypotheses_in_their_order():
    proposals = [proposal(2, 1, "H2", AGAINST, 4, 9), proposal(1, 1, "H1", FOR, 2, 6), proposal(3, 1, "H9")]
    (card,) = cards(proposals, {1: chunk(1)}, ["H1", "H2"])
    assert [(h, p.id) for h, p in card.proposals.items()] == [("H1", "P1"), ("H2", "P2")]
    assert (card.passage.id, card.span, card.copies, card.others) == (1, (2, 9), (), ())
    assert card.separation == pytest.approx(0.9 * 0.9 - 0.05 * 0.05)


def test_what_pulls_hypotheses_apart_comes_first_and_ties_go_by_number():
    passages = {n: chunk(n) for n in (1, 2, 3, 4)}
    proposals = [proposal(n, n, "H1", FOR) for n in (1, 2, 3, 4)]
    proposals += [
        proposal(15, 1, "H2"),
        proposal(14, 2, "H2", FOR),
        proposal(13, 3, "H2", AGAINST),
        proposal(12, 4, "H2"),
    ]
    ordered_cards = cards(proposals, passages, ["H1", "H2"])
    assert [card.passage.id for card in ordered_cards] == [3, 1, 4, 2]


@pytest.mark.parametrize("hidden", ["blind", "withheld"])
def test_the_order_does_not_give_a_hidden_verdict_away(hidden):
    passages = {1: chunk(1), 2: chunk(2)}
    proposals = [proposal(n, chunk_id, h, s, **{hidden: True}) for n, chunk_id, h, s in [
        (1, 1, "H1", NEITHER), (2, 1, "H2", NEITHER), (3, 2, "H1", FOR), (4, 2, "H2", AGAINST)
    ]]  # fmt: skip
    assert [card.passage.id for card in cards(proposals, passages, ["H1", "H2"])] == [1, 2]
    assert {card.separation for card in cards(proposals, passages, ["H1", "H2"])} == {0.0}


def test_near_identical_passages_are_one_card_that_says_what_differs():
    changed_text = TEXT.replace("02:14", "02:41")
    passages = {1: chunk(1, TEXT), 2: chunk(2, TEXT.replace(" ", "  ")), 3: chunk(3, changed_text), 4: chunk(4)}
    proposals = [
        proposal(1, 1, "H1"),
        proposal(2, 2, "H1", FOR),
        proposal(3, 3, "H1"),
        proposal(4, 3, "H2"),
        proposal(5, 4, "H1"),
    ]
    first, second = cards(proposals, passages, ["H1", "H2"])
    assert first.passage.id == 3  # the one with verdicts for most hypotheses
    assert [(copy.passage.id, copy.differences) for copy in first.copies] == [
        (1, (("02:41", "02:14"),)),
        (2, (("02:41", "02:14"),)),
    ]
    assert [p.id for p in first.others] == ["P1", "P2"]
    assert (second.passage.id, second.copies) == (4, ())


def test_a_card_waits_as_long_as_one_of_its_proposals_does():
    passages = {1: chunk(1)}

    def status(*states: str) -> str:
        proposals = [proposal(n, 1, f"H{n}", status=state) for n, state in enumerate(states, start=1)]
        return cards(proposals, passages, ["H1", "H2"])[0].status

    assert status("accepted", "pending") == "pending"
    assert status("rejected", "accepted") == "accepted"
    assert status("rejected", "rejected") == "rejected"


def test_a_copy_with_other_verdicts_shows_them_as_others():
    passages = {1: chunk(1, TEXT), 2: chunk(2, TEXT)}
    (card,) = cards([proposal(1, 1, "H1", FOR), proposal(2, 2, "H1", AGAINST)], passages, ["H1"])
    assert ([*card.proposals], [p.id for p in card.others]) == (["H1"], ["P2"])
    assert separation(card.proposals) == 0.0


def test_copies_without_proposals_are_part_of_the_card():
    copies = {1: [chunk(7, TEXT.replace("02:14", "02:41")), chunk(2, TEXT)]}
    proposals = [proposal(1, 1, "H1", FOR), proposal(2, 2, "H2", FOR)]
    (card,) = cards(proposals, {1: chunk(1, TEXT), 2: chunk(2, TEXT)}, ["H1", "H2"], lambda passage: copies[passage.id])
    assert [(copy.passage.id, copy.differences) for copy in card.copies] == [(2, ()), (7, (("02:14", "02:41"),))]


def test_a_passage_cannot_support_two_hypotheses_that_exclude_each_other():
    passages = {1: chunk(1), 2: chunk(2), 3: chunk(3)}
    proposals = [proposal(n, n, "H1", FOR) for n in (1, 2, 3)]
    proposals += [proposal(4, 1, "H2", FOR), proposal(5, 2, "H2", AGAINST), proposal(6, 3, "H2", FOR, blind=True)]
    proposals += [proposal(7, 1, "H3", FOR)]

    def clashes(*exclusive: str) -> dict[int, tuple[str, ...]]:
        every = cards(proposals, passages, ["H1", "H2", "H3"], exclusive=exclusive)
        return {card.passage.id: card.clash for card in every if card.clash}

    assert clashes() == {}
    assert clashes("H1", "H2") == {1: ("H1", "H2")}
    assert clashes("H1", "H2", "H3") == {1: ("H1", "H2", "H3")}
    assert clash_words(("H1", "H2")).startswith("The model says that it supports H1 and H2,")
