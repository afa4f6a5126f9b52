"""Model and analyst over the ratings of a case: what stands against what, the counts, drift, and the fit."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import (
    EARLIER,
    RATINGS,
    SECOND_READER,
    Assessment,
    Evidence,
    OtherVerdict,
    Probabilities,
    Proposal,
    Quote,
    Verdict,
)
from core.verdicts import agreement as steps
from core.verdicts.agreement import DRIFT_FROM, ENOUGH, MEANT, Decision, Fit, agreement, decisions, in_this_case, lines

SUPPORTS = Verdict("supports", Probabilities(0.8, 0.1, 0.1), "judge 1")
CONTRADICTS = Verdict("contradicts", Probabilities(0.1, 0.8, 0.1), "judge 1")
UNSURE = Verdict("ambiguous", Probabilities(0.4, 0.4, 0.2), "judge 1")
OF = {"supports": SUPPORTS, "contradicts": CONTRADICTS, "ambiguous": UNSURE}


def proposal(number, hypothesis="H1", *, chunk=1, start=0, end=10, verdict=SUPPORTS, others=(), page=1):
    quote = Quote("D1", page, 1, start, end, "x" * (end - start), "")
    return Proposal(
        f"P{number}", hypothesis, chunk, quote, "a.txt", verdict, None, None, None, "", "accepted", others=others
    )


def row(number, *, start=0, end=10, source="P1", page=1):
    return Evidence(
        f"E{number}", "x", "a.txt", "corpus", None, None, "D1", page, 1, start, end, "x", None, source
    )  # fmt: skip


def rated(evidence, hypothesis, rating, moment="2026-01-01T00:00:00Z", by="ann"):
    return Assessment(evidence, hypothesis, rating, by, moment)


def make_decision(label, rating, number=1, *, blind=False, verdict=None):
    moment = f"2026-01-01T{number // 60:02}:{number % 60:02}:00Z"
    return Decision(f"E{number}", "H1", "ann", moment, rating, f"P{number}", verdict or OF[label], blind)


# --- what stands against what ----------------------------------------------------------------------------------------


def test_the_verdict_on_the_same_quote_comes_before_one_that_overlaps_or_is_of_the_passage():
    same = proposal(1)
    overlapping = proposal(2, "H2", start=5, end=20)
    of_passage = proposal(3, "H3", start=40, end=50)
    elsewhere = proposal(4, "H4", chunk=2, start=40, end=50)
    ratings = [rated("E1", f"H{number}", "C") for number in range(1, 5)]
    by_model = decisions([row(1)], [overlapping, of_passage, elsewhere, same], ratings)
    assert [(decision.hypothesis, decision.proposal) for decision in by_model["judge 1"]] == [
        ("H1", "P1"),
        ("H2", "P2"),
        ("H3", "P3"),
    ]


def test_a_quote_with_borders_of_ones_own_meets_the_verdict_it_came_from():
    by_model = decisions([row(1, start=2, end=8, source=None)], [proposal(1)], [rated("E1", "H1", "I")])
    assert [(decision.proposal, decision.agrees) for decision in by_model["judge 1"]] == [("P1", False)]
    assert decisions([row(1, start=10, end=18, source=None)], [proposal(1)], [rated("E1", "H1", "I")]) == {}


def test_rows_without_a_quote_and_cells_without_a_verdict_are_no_decisions():
    by_hand = Evidence("E2", "said so", "", "manual", None, None)
    ratings = [rated("E2", "H1", "C"), rated("E1", "H2", "C"), rated("E9", "H1", "C")]
    assert decisions([row(1), by_hand], [proposal(1)], ratings) == {}


def test_each_model_and_each_person_counts_for_itself_in_order_of_time():
    second_verdict = OtherVerdict("P1", SECOND_READER, replace(CONTRADICTS, model="big 1"), "", "")
    ratings = [rated("E1", "H1", "I", "2026-01-02T00:00:00Z", "ben"), rated("E1", "H1", "C", by="ann")]
    by_model = decisions([row(1)], [proposal(1, others=(second_verdict,))], ratings)
    assert [(decision.by, decision.agrees) for decision in by_model["judge 1"]] == [("ann", True), ("ben", False)]
    assert [(decision.by, decision.agrees) for decision in by_model["big 1"]] == [("ann", False), ("ben", True)]
    assert EARLIER != SECOND_READER


def test_what_was_rated_while_verdicts_were_hidden_is_told():
    times = [("2026-01-02T00:00:00Z", True), ("2026-01-04T00:00:00Z", False)]
    ratings = [rated("E1", "H1", "C", f"2026-01-0{day}T00:00:00Z", f"p{day}") for day in (1, 2, 3, 4, 5)]
    judge_decisions = decisions([row(1)], [proposal(1)], ratings, times)["judge 1"]
    assert [decision.blind for decision in judge_decisions] == [False, True, True, False, False]


@pytest.mark.parametrize(
    ("rating", "meant"),
    [
        ("CC", "supports"),
        ("C", "supports"),
        ("N", "neutral"),
        ("NA", "neutral"),
        ("I", "contradicts"),
        ("II", "contradicts"),
    ],
)
def test_every_rating_means_one_of_three(rating, meant):
    assert make_decision("supports", rating).meant == meant
    assert set(steps.MEANING) == set(RATINGS)


# --- counting --------------------------------------------------------------------------------------------------------


def test_the_table_counts_each_rating_once_and_abstentions_are_no_mistakes():
    sample = [
        make_decision("supports", "C", 1),
        make_decision("supports", "CC", 2),
        make_decision("supports", "I", 3),
        make_decision("contradicts", "II", 4),
        make_decision("contradicts", "NA", 5),
        make_decision("ambiguous", "C", 6),
    ]
    result = agreement("judge 1", sample, rejections=2)
    table = {line.label: line.meant for line in result.classes}
    assert table == {"supports": (2, 1, 0), "contradicts": (0, 1, 1), "neutral": (0, 0, 0), "ambiguous": (1, 0, 0)}
    assert sum(map(sum, table.values())) == len(sample)
    assert (result.right.value, result.right.n) == (0.6, 5)
    assert (result.of("contradicts").right.value, result.of("contradicts").right.n) == (0.5, 2)
    assert result.coverage.value == pytest.approx(5 / 6, abs=1e-4)
    assert result.drift is None
    assert result.fit is None
    text = " ".join(lines(result))
    assert "3 of 5 (60%, 23% to 88%)" in text
    assert "2 further verdicts for or against were set aside" in text
    assert "fitted to this case from 30 rated cells on; 6 are there" in text
    assert "verdict in sight" in text


def test_nothing_rated_says_so_and_nothing_else():
    assert lines(agreement("judge 1", [])) == [
        "No cell on which the model gave a verdict has been rated yet, so its agreement here is not known."
    ]


def test_ratings_given_blind_are_told_apart():
    blind = [make_decision("supports", "C", number, blind=True) for number in range(4)]
    assert "given before the verdict was shown" in lines(agreement("m", blind))[-1]
    assert lines(agreement("m", [*blind, make_decision("supports", "C", 9)]))[-1].startswith(
        "1 of 5 ratings were given with"
    )


def test_drift_holds_the_first_half_against_the_last_and_knows_chance():
    good = [make_decision("supports", "C", number) for number in range(20)]
    bad = [make_decision("supports", "I", number) for number in range(20, 40)]
    drift = agreement("m", good + bad).drift
    assert (drift.first.value, drift.last.value, drift.sure) == (1.0, 0.0, True)
    assert drift.high < 0
    mixed = [make_decision("supports", "C" if number % 2 else "I", number) for number in range(40)]
    assert not agreement("m", mixed).drift.sure
    assert agreement("m", mixed[: DRIFT_FROM - 1]).drift is None
    assert "a change" in " ".join(lines(agreement("m", good + bad)))


# --- the fit ---------------------------------------------------------------------------------------------------------


def drawn_sample(n, seed, *, power):
    """Verdicts whose true answers come from their probabilities raised to ``power``: too sure below 1."""
    dice, sample = random.Random(seed), []
    for number in range(n):
        raw = [dice.random() ** 3 + 0.01 for _ in MEANT]
        shares = [value / sum(raw) for value in raw]
        true = [value**power for value in shares]
        answer = dice.choices(MEANT, true)[0]
        rating = {"supports": "C", "contradicts": "I", "neutral": "N"}[answer]
        p = Probabilities(*shares)
        label = max(MEANT, key=lambda name: getattr(p, name))
        sample.append(make_decision(label, rating, number, verdict=Verdict(label, p, "m")))
    return sample


def test_the_fit_begins_at_thirty_and_finds_a_model_that_is_too_sure():
    sample = drawn_sample(400, 3, power=0.4)
    assert agreement("m", sample[: ENOUGH - 1]).fit is None
    assert agreement("m", sample[:ENOUGH]).fit is not None
    fit = agreement("m", sample).fit
    assert 0.3 < fit.slope < 0.6
    assert fit.helps
    assert fit.n == 400
    sure = Probabilities(0.9, 0.06, 0.04)
    assert in_this_case(fit, sure).supports < 0.8
    assert "come nearer" in " ".join(lines(agreement("m", sample)))


def test_a_model_that_fits_is_left_nearly_as_it_is():
    fit = agreement("m", drawn_sample(500, 5, power=1.0)).fit
    assert abs(fit.slope - 1) < 0.25
    assert abs(fit.supports) < 0.25
    assert abs(fit.contradicts) < 0.25


def test_a_bias_is_found():
    # Half of what it calls support is a contradiction.
    sample = [make_decision("supports", "I" if number % 2 else "C", number) for number in range(60)]
    fit = agreement("m", sample).fit
    shifted = in_this_case(fit, SUPPORTS.probabilities)
    assert shifted.contradicts > 0.3
    assert fit.helps


def test_a_fit_that_does_no_better_is_said_not_to():
    fit = Fit(1.0, 0.0, 0.0, 40, 0.5, 0.5)
    assert not fit.helps
    text = " ".join(lines(replace(agreement("m", drawn_sample(40, 1, power=1.0)), fit=fit)))
    assert "fit this case as they are" in text


def test_the_fit_is_the_optimum_of_a_slower_search():
    """Against a plain search on a grid around it: no neighbour is better."""
    pairs = [
        (steps._logs(decision.verdict.probabilities), MEANT.index(decision.meant))
        for decision in drawn_sample(120, 7, power=0.6)
    ]
    best = steps._newton(pairs)

    def cost(point):
        ground = sum(((a - b) / s) ** 2 / 2 for a, b, s in zip(point, (1, 0, 0), steps._SPREAD, strict=True))
        return steps._loss(point, pairs) + ground

    for axis in range(3):
        for step in (-0.01, 0.01):
            moved = [value + (step if index == axis else 0) for index, value in enumerate(best)]
            assert cost(moved) > cost(best)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(sorted(RATINGS)), st.integers(0, 1000), st.integers(0, 1000)), max_size=60),
    st.integers(0, 1000),
)
def test_whatever_was_rated_the_figures_are_figures(rows, share):
    sample = []
    for number, (rating, first, second) in enumerate(rows):
        whole = first + second + 1
        p = Probabilities(first / whole, second / whole, 1 / whole)
        sample.append(make_decision("supports", rating, number, verdict=Verdict("supports", p, "m")))
    result = agreement("m", sample)
    assert agreement("m", sample) == result
    if result.fit is not None:
        p = in_this_case(result.fit, Probabilities(share / 1000, 1 - share / 1000, 0.0))
        values = (p.supports, p.contradicts, p.neutral)
        assert all(0 <= value <= 1 and math.isfinite(value) for value in values)
        assert sum(values) == pytest.approx(1)
