"""Several people on one matrix: the group's cell, disputes, likelihoods made coherent, and the aggregate."""

from __future__ import annotations

import itertools
import math
import random
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import RATINGS
from core.matrix import Row, bayes, coherent, dispute, group, group_rating, group_words

ratings = st.sampled_from(RATINGS)


@pytest.mark.parametrize(
    ("given_ratings", "expected"),
    [
        ("C", "C"),
        ("C C I", "C"),
        ("CC C", "C"),  # of two middle ones the one nearer N
        ("I II", "I"),
        ("C N", "N"),
        ("N II", "N"),
        ("C I", "N"),  # on both sides
        ("CC II", "N"),
        ("CC II II", "II"),
        ("NA", "NA"),
        ("NA NA C", "NA"),
        ("NA C", "C"),  # half is no majority
        ("NA NA C I", "N"),
        ("CC CC II II II", "II"),
    ],
)
def test_one_rating_for_several(given_ratings, expected):
    for order in itertools.permutations(given_ratings.split()):
        assert group_rating(order) == expected


@pytest.mark.parametrize(
    ("given_ratings", "expected"),
    [
        ("II I I", "I (2 of 3)"),
        ("CC II", "N, the middle of CC and II"),
        ("C I II", "I, the middle of C, I and II"),
        ("CC CC II II", "N, the middle of CC and II"),
        ("NA C", "C (1 of 2)"),
        ("NA NA C", "NA (2 of 3)"),
        ("NA C CC", "C, the middle of CC and C"),
    ],
)
def test_one_rating_for_several_says_where_it_comes_from(given_ratings, expected):
    assert group_words(given_ratings.split()) == expected


@given(st.lists(ratings, min_size=1, max_size=9))
def test_agreement_is_kept(given_ratings):
    assert group_rating([given_ratings[0]] * len(given_ratings)) == given_ratings[0]
    assert (group_rating(given_ratings) == "NA") == (given_ratings.count("NA") * 2 > len(given_ratings))


@pytest.mark.parametrize(
    ("given_ratings", "level", "deviation", "bearing"),
    [
        ("C C", "consensus", 0.0, True),
        ("CC C", "consensus", 0.25, True),
        ("C N", "mild", 0.75, True),
        ("C I", "large", 1.5, True),
        ("CC I", "extreme", 1.75, True),
        ("CC II", "extreme", 2.0, True),
        ("NA NA", "consensus", 0.0, True),
        ("NA C", "consensus", 0.0, False),
        ("NA CC II", "extreme", 2.0, False),
    ],
)
def test_four_levels_of_dispute(given_ratings, level, deviation, bearing):
    result = dispute({f"person {n}": rating for n, rating in enumerate(given_ratings.split())})
    assert result == (level, pytest.approx(deviation), bearing)


@given(st.dictionaries(st.text(max_size=3), ratings, max_size=8))
def test_dispute_is_the_population_deviation_without_na(by):
    values = [{"II": -2, "I": -1.5, "N": 0, "C": 1.5, "CC": 2}[rating] for rating in by.values() if rating != "NA"]
    assert dispute(by)[1] == pytest.approx(statistics.pstdev(values) if values else 0)


# --- coherence -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "nearest"),
    [
        ([0.5, 0.5], [0.5, 0.5]),
        ([0.9, 0.5], [0.7, 0.3]),
        ([0.2, 0.2], [0.5, 0.5]),
        ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ([0.9, 0.9, 0.0], [0.5, 0.5, 0.0]),
        ([1.0, 1.0, 0.9, 0.1], [11 / 30, 11 / 30, 8 / 30, 0.0]),
        ([0.0, 0.0], [0.5, 0.5]),
        ([0.3], [1.0]),
        ([], []),
    ],
)
def test_the_nearest_coherent_probabilities(stated, nearest):
    assert coherent(stated) == pytest.approx(nearest)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.integers(0, 10**6))
@settings(deadline=None)
def test_nothing_on_the_simplex_is_nearer(stated, seed):
    rng = random.Random(seed)
    shares = coherent(stated)
    assert math.fsum(shares) == pytest.approx(1)
    assert min(shares) >= 0
    assert coherent(shares) == pytest.approx(shares, abs=1e-12)
    for _ in range(20):
        point = [rng.expovariate(1) for _ in stated]
        point = [value / sum(point) for value in point]
        assert math.dist(shares, stated) <= math.dist(point, stated) + 1e-9
    ordered = sorted(range(len(stated)), key=stated.__getitem__)
    assert [shares[n] for n in ordered] == pytest.approx(sorted(shares))  # nobody overtakes


# --- the group -------------------------------------------------------------------------------------------------------

ANNA = [Row("E1", {"H1": "C", "H2": "II"}), Row("E2", {"H1": "N", "H2": "I"})]
BEN = [Row("E1", {"H1": "I", "H2": "II"}), Row("E2", {"H1": "NA", "H2": "C"})]
CARL = [Row("E1", {}), Row("E2", {})]


def test_everyone_the_mean_and_the_coherent_aggregate():
    result = group(("H1", "H2"), {"Ben": BEN, "Anna": ANNA, "Carl": CARL}, {"Anna": {"H1": 0.9, "H2": 0.5}})
    anna, ben, carl = result.opinions
    assert [opinion.by for opinion in result.opinions] == ["Anna", "Ben", "Carl"]
    assert anna.read == pytest.approx(bayes(("H1", "H2"), ANNA))
    assert anna.stated == {"H1": 0.9, "H2": 0.5}
    assert anna.coherent == pytest.approx({"H1": 0.7, "H2": 0.3})
    assert (anna.leaders, ben.leaders, carl.leaders) == (("H1",), ("H1",), ())
    assert (anna.rated, ben.rated, carl.rated) == (4, 4, 0)
    assert ben.stated is None
    assert ben.coherent == pytest.approx(ben.read)
    # Carl said nothing, so he counts for nothing.
    assert result.mean == pytest.approx({"H1": (0.9 + ben.read["H1"]) / 2, "H2": (0.5 + ben.read["H2"]) / 2})
    assert result.aggregate == pytest.approx({"H1": (0.7 + ben.read["H1"]) / 2, "H2": (0.3 + ben.read["H2"]) / 2})
    assert math.fsum(result.mean.values()) > 1.1
    assert math.fsum(result.aggregate.values()) == pytest.approx(1)


def test_disputes_of_the_group():
    result = group(("H1", "H2"), {"Anna": ANNA, "Ben": BEN, "Carl": CARL}, {})
    assert [(cell.evidence, cell.hypothesis, cell.level, cell.bearing) for cell in result.disputes] == [
        ("E1", "H1", "large", True),
        ("E2", "H2", "large", True),
        ("E2", "H1", "consensus", False),
        ("E1", "H2", "consensus", True),
    ]
    assert result.disputes[0].ratings == {"Anna": "C", "Ben": "I"}
    assert [cell.rating for cell in result.disputes] == ["N", "N", "N", "II"]


def test_a_partly_stated_opinion_is_completed_from_the_ratings():
    (anna,) = group(("H1", "H2", "H3"), {"Anna": ANNA}, {"Anna": {"H1": 0.2, "H9": 0.5}}).opinions
    read = bayes(("H1", "H2", "H3"), ANNA)
    assert anna.stated == {"H1": 0.2}
    assert list(anna.coherent.values()) == pytest.approx(coherent([0.2, read["H2"], read["H3"]]))


def test_a_stated_opinion_counts_without_a_rating():
    result = group(("H1", "H2"), {}, {"Anna": {"H1": 0.6, "H2": 0.6}})
    assert result.mean == {"H1": 0.6, "H2": 0.6}
    assert result.aggregate == pytest.approx({"H1": 0.5, "H2": 0.5})
    assert result.opinions[0].leaders == ()


def test_nobody():
    assert group(("H1",), {}, {}).mean == {}
    assert group((), {"Anna": []}, {}).opinions[0].coherent == {}
    assert group(("H1", "H2"), {"Anna": CARL}, {}).aggregate == {}
