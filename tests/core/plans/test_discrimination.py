"""Which passages tell hypotheses apart: known ones first, no direction favoured, verdicts before nearness."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import Probabilities
from core.matrix import Row, build
from core.plans.discrimination import best, discriminations, outcome, penalties_of, weights

FOR, AGAINST, NEITHER = Probabilities(0.9, 0.05, 0.05), Probabilities(0.05, 0.9, 0.05), Probabilities(0.1, 0.1, 0.8)


def test_a_passage_for_one_and_against_the_other_comes_before_one_that_is_near_to_both():
    similarity = {1: {"H1": 0.9, "H2": 0.9}, 2: {"H1": 0.4, "H2": 0.4}, 3: {"H1": 0.5, "H2": 0.5}}
    verdicts = {1: {"H1": FOR, "H2": FOR}, 2: {"H1": FOR, "H2": AGAINST}, 3: {"H1": NEITHER, "H2": AGAINST}}
    separations = discriminations(["H1", "H2"], similarity, verdicts)
    assert [separation.chunk for separation in separations] == [
        2,
        3,
    ]  # the first says the same of both: nothing between them
    assert separations[0].leans == "H1"
    # Two thirds are nearer to either: (0.9 * 0.9 - 0.05 * 0.05) / 3 / 3, and a little for what speaks against one.
    assert separations[0].strength == pytest.approx((0.81 - 0.0025) / 9 + 0.05 * 0.85 / 3)
    assert all(separation.judged for separation in separations)


def test_a_hypothesis_in_general_words_does_not_win_every_passage():
    similarity = {1: {"H1": 0.7, "H2": 0.5}, 2: {"H1": 0.7, "H2": 0.2}, 3: {"H1": 0.7, "H2": 0.2}}
    leans = {separation.chunk: separation.leans for separation in discriminations(["H1", "H2"], similarity)}
    assert leans == {1: "H2", 2: "H1", 3: "H1"}


def test_far_from_both_says_nothing():
    near = discriminations(["H1", "H2"], {1: {"H1": 0.8, "H2": 0.6}, 2: {"H1": 0.1, "H2": -0.1}})
    assert [separation.chunk for separation in near] == [1, 2] or len(near) == 1
    assert near[0].strength > (near[1].strength if len(near) > 1 else 0)


def test_the_pairs_that_share_the_lead_matter_most():
    pair_weights = weights(["H1", "H2", "H3", "H4"], {"H1": 1.0, "H2": 1.0, "H3": 4.0, "H4": 4.0})
    assert pair_weights["H1", "H2"] == 1.0
    assert pair_weights["H1", "H2"] > pair_weights["H1", "H3"] > pair_weights["H3", "H4"] * 0.99
    assert pair_weights["H1", "H3"] == pair_weights["H2", "H4"]
    assert set(weights(["H1", "H2", "H3"], None).values()) == {1.0}


def test_an_untested_hypothesis_may_still_be_the_one():
    pair_weights = weights(["H1", "H2"], {"H1": 2.0})
    assert pair_weights["H1", "H2"] == 1.0


def test_each_passage_once_and_both_directions_in_turn():
    verdicts = {n: {"H1": FOR, "H2": AGAINST} for n in range(10)} | {20: {"H1": NEITHER, "H2": FOR}}
    similarity = {n: {"H1": 0.5, "H2": 0.5} for n in verdicts}
    chosen = best(discriminations(["H1", "H2"], similarity, verdicts), 3)
    assert [separation.chunk for separation in chosen] == [0, 20, 1]
    assert [separation.leans for separation in chosen] == ["H1", "H2", "H1"]


@given(
    st.dictionaries(
        st.integers(0, 40),
        st.fixed_dictionaries({h: st.floats(-1, 1) for h in ("H1", "H2", "H3")}),
        max_size=20,
    ),
    st.integers(0, 12),
)
def test_deterministic_bounded_and_free_of_order(similarity, limit):
    separations = discriminations(["H1", "H2", "H3"], similarity)
    assert separations == discriminations(["H1", "H2", "H3"], dict(reversed(similarity.items())))
    assert all(0 < separation.strength <= 1 and 0 < separation.effect <= 1 for separation in separations)
    chosen = best(separations, limit)
    assert len(chosen) == len({separation.chunk for separation in chosen}) <= limit


def test_what_speaks_against_one_moves_more_than_what_speaks_for_the_other():
    similarity = {1: {"H1": 0.5, "H2": 0.5}, 2: {"H1": 0.5, "H2": 0.5}}
    verdicts = {1: {"H1": FOR, "H2": NEITHER}, 2: {"H1": NEITHER, "H2": AGAINST}}
    separations = discriminations(["H1", "H2"], similarity, verdicts)
    assert [(separation.chunk, separation.leans) for separation in separations] == [(2, "H1"), (1, "H1")]
    assert separations[0].effect > separations[1].effect


def test_every_pair_has_its_turn():
    loud = {n: {"H1": FOR, "H2": AGAINST, "H3": NEITHER, "H4": NEITHER} for n in range(10)}
    quiet = {20: {"H1": NEITHER, "H2": NEITHER, "H3": Probabilities(0.5, 0.2, 0.3), "H4": Probabilities(0.2, 0.5, 0.3)}}
    similarity = {n: dict.fromkeys(("H1", "H2", "H3", "H4"), 0.5) for n in (*loud, *quiet)}
    separations = discriminations(["H1", "H2", "H3", "H4"], similarity, loud | quiet)
    chosen = best(separations, 6)
    assert {separation.pair for separation in chosen} == {separation.pair for separation in separations}
    assert [separation.chunk for separation in chosen if separation.pair == ("H3", "H4")] == [20]
    rarely = best(
        separations,
        6,
        {separation.pair: 1.0 if separation.pair == ("H1", "H2") else 0.25 for separation in separations},
    )
    assert [separation.pair for separation in rarely[:4]] == [("H1", "H2")] * 4


def test_what_a_judge_says_of_a_passage_that_is_far_from_both_counts_less():
    similarity = {1: {"H1": 0.1, "H2": 0.1}, 2: {"H1": 0.5, "H2": 0.5}, 3: {"H1": 0.3, "H2": 0.3}}
    verdicts = {1: {"H1": FOR, "H2": AGAINST}, 2: {"H1": FOR, "H2": AGAINST}}
    separations = discriminations(["H1", "H2"], similarity, verdicts)
    assert [separation.chunk for separation in separations] == [2, 1]


def test_a_verdict_for_one_of_the_two_is_not_lost():
    similarity = {1: {"H1": 0.5, "H2": 0.5}, 2: {"H1": 0.5, "H2": 0.5}}
    verdicts = {1: {"H1": AGAINST}, 2: {"H1": NEITHER}}
    separations = discriminations(["H1", "H2"], similarity, verdicts)
    assert (separations[0].chunk, separations[0].leans, separations[0].judged) == (1, "H2", True)
    assert separations[0].strength > 5 * sum(separation.strength for separation in separations[1:])


def test_only_the_passages_with_most_effect_are_kept_when_asked():
    similarity = {1: {"H1": 0.9, "H2": 0.2, "H3": 0.1}, 2: {"H1": 0.1, "H2": 0.6, "H3": 0.2}}
    whole = discriminations(["H1", "H2", "H3"], similarity)
    assert len(whole) == 6
    for limit in (1, 2):
        separations = discriminations(["H1", "H2", "H3"], similarity, each=limit)
        by_pair = {pair: [s for s in whole if s.pair == pair][:limit] for pair in {s.pair for s in whole}}
        assert separations == [s for s in whole if s in by_pair[s.pair]]


def cheapest_first(costs):
    return {h: 1 + sum(rival < cost for rival in costs.values()) for h, cost in costs.items()}


COST = {"C": 0, "CC": 0, "N": 0, "NA": 0, "I": 1, "II": 2}


def test_what_would_follow_were_it_a_row():
    result = outcome(["H1", "H2", "H3"], {"H1": 1.0, "H2": 1.0}, {"H1": "C", "H2": "I"}, COST, cheapest_first)
    assert (result.before, result.leaders, result.changes_lead) == (("H1", "H2"), ("H1",), True)
    assert result.moved == (("H2", 1, 2),)
    assert result.ratings == (("H1", "C"), ("H2", "I"))


def test_a_first_rating_lets_a_hypothesis_lead_and_a_cell_that_does_not_bear_changes_nothing():
    tested = outcome(["H1", "H2"], {"H1": 2.0}, {"H2": "N"}, COST, cheapest_first)
    assert (tested.leaders, tested.moved) == (("H2",), (("H1", 1, 2), ("H2", 2, 1)))
    same = outcome(["H1", "H2"], {"H1": 2.0}, {"H2": "NA"}, COST, cheapest_first)
    assert not same.moved
    assert not same.changes_lead
    assert outcome(["H1"], {}, {}, COST, cheapest_first).leaders == ()


def test_a_matrix_rated_in_part_gives_no_penalties_to_compare():
    rows = [Row("E1", {"H1": "I", "H2": "N"}), Row("E2", {"H1": "I"})]
    assert penalties_of(build(("H1", "H2"), rows), "weighted_inconsistency") is None
    assert penalties_of(build(("H1", "H2"), rows[:1]), "weighted_inconsistency") == {"H1": 1.0, "H2": 0.0}
