"""Search plans: both sides get the same, the opposite is an opposite, nothing is searched twice for its own sake."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import ROLES, Entity, Hypothesis
from core.plans.queries import AGAINST, FOR, default_queries, effort_gaps, keywords, merge, names_in, negation

H1 = Hypothesis("H1", "Dana Reyes was paid by the vendor.")
H2 = Hypothesis("H2", "The pump failed because it was not maintained.")
H3 = Hypothesis("H3", "Nobody entered the station.")


@pytest.mark.parametrize(
    ("text", "opposite"),
    [
        ("Dana Reyes was paid by the vendor.", "Dana Reyes was not paid by the vendor."),
        ("The pump was not maintained.", "The pump was maintained."),
        ("He didn't close the valve.", "He did close the valve."),
        ("She never entered.", "She entered."),
        ("Nobody entered the station.", "Somebody entered the station."),
        ("No alarm sounded.", "Some alarm sounded."),
        ("The vendor broke the pump.", "It is not true that the vendor broke the pump."),
        ("Ruben Aske broke it.", "It is not true that Ruben Aske broke it."),
        ("NATO moved troops.", "It is not true that NATO moved troops."),
        ("It will rain.", "It will not rain."),
    ],
)
def test_the_opposite_of_a_sentence(text, opposite):
    assert negation(text) == opposite


@pytest.mark.parametrize("text", [H1.text, H2.text, "The valve must have been open.", "It cannot be."])
def test_the_opposite_is_never_the_sentence_itself(text):
    assert negation(text) != text


def test_every_role_has_a_side():
    assert set(FOR) | set(AGAINST) == set(ROLES)
    assert not set(FOR) & set(AGAINST)


def test_a_plan_looks_on_both_sides_and_at_the_rivals():
    reyes = Entity("N1", "Dana Reyes", "person", ("D. Reyes",))
    queries = default_queries(
        H1,
        [H1, H2, H3],
        if_true=["payments to her account"],
        entities=[reyes, Entity("N2", "Reyes Ltd", status="confirmed"), Entity("N3", "vendor", status="rejected")],
        words=["dana", "reyes", "paid", "vendor"],
        frequency={"paid": 3, "vendor": 9, "dana": 2},
    )
    by_role = {}
    for query in queries:
        assert query.hypothesis == "H1"
        by_role.setdefault(query.role, []).append(query.text)
    assert by_role["negation"] == ["Dana Reyes was not paid by the vendor."]
    assert by_role["if false"] == [H2.text, H3.text]
    assert by_role["names"] == ["Dana Reyes D. Reyes paid vendor"]
    assert by_role["keywords"] == ["dana paid vendor"]
    assert [q.origin for q in queries if q.role == "if true"] == ["analyst"]
    assert {role for role in by_role if role in AGAINST} == set(AGAINST)


def test_keywords_are_the_rarest_words_that_stand_anywhere():
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    frequency = {word: count for count, word in enumerate(words)}  # alpha stands nowhere
    assert keywords(words, frequency) == words[1:9]
    assert keywords(words, {}) == []


def test_a_name_is_a_whole_word_by_any_of_its_names():
    ann = Entity("N1", "Ann", aliases=("Mrs A.",))
    assert names_in("ANN left", [ann]) == [ann]
    assert names_in("Annual report", [ann]) == []
    assert names_in("so mrs a. said", [ann]) == [ann]


def test_both_sides_get_their_share():
    passages = merge([("statement", range(100)), ("negation", range(50, 150))], 20)
    assert len(passages) == 20
    assert [f.chunk for f in passages[:6]] == [0, 50, 1, 51, 2, 52]
    assert sum(f.chunk < 50 for f in passages) == 10
    assert passages[1].roles == ("statement", "negation")
    assert passages[1].rank_for == 51


def test_a_side_that_finds_nothing_leaves_its_place():
    assert [f.chunk for f in merge([("statement", [3, 1]), ("against", [])], 9)] == [3, 1]
    assert merge([], 9) == []


@given(
    st.lists(
        st.tuples(st.sampled_from(list(ROLES)), st.lists(st.integers(0, 30), unique=True, max_size=12)), max_size=8
    ),
    st.integers(0, 20),
)
def test_merging_keeps_the_budget_and_loses_nothing_below_it(ranked, budget):
    passages = merge(ranked, budget)
    everything = {chunk for _, chunks in ranked for chunk in chunks}
    assert len(passages) == min(budget, len(everything))
    assert len({f.chunk for f in passages}) == len(passages)
    assert passages == merge(ranked, budget)
    assert all(f.rank_for is not None or f.rank_against is not None for f in passages)
    sides = {
        side: {c for role, chunks in ranked if role in roles for c in chunks}
        for side, roles in (("+", FOR), ("-", AGAINST))
    }
    ids = {f.chunk for f in passages}
    if len(ids) == budget:
        # While both sides have more, neither is ahead by more than what they share.
        lead = abs(len(ids & sides["+"]) - len(ids & sides["-"]))
        assert lead <= 1 or sides["+"] <= ids or sides["-"] <= ids or sides["+"] & sides["-"]


def test_what_was_looked_at_before_leaves_its_place_to_the_next():
    ranked = [("statement", [1, 2, 3]), ("negation", [4, 5, 6])]
    assert [(f.chunk, f.side) for f in merge(ranked, 4)] == [(1, "for"), (4, "against"), (2, "for"), (5, "against")]
    assert [f.chunk for f in merge(ranked, 4, without={1, 4})] == [2, 5, 3, 6]


def test_words_of_a_template_count_less_than_those_of_a_person():
    assert [f.chunk for f in merge([("for", [1]), ("if true", [2])], 2)] == [2, 1]


def test_unequal_effort_is_said_in_passages():
    assert effort_gaps({"H1": 30, "H2": 29, "H3": 30, "H4": 0}) == {
        "H2": "H2 had 1 fewer passage looked at than H1.",
        "H4": "H4 had 30 fewer passages looked at than H1.",
    }
    assert effort_gaps({"H1": 3, "H2": 3}) == effort_gaps({}) == {}
