"""Linchpins and gaps against a scorer that simply tries every change, and how they are listed and counted."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings

from core.domain import RATINGS
from core.matrix import Row, build
from core.matrix.linchpins import KINDS, LISTED
from tests.core.matrix import slow_matrix
from tests.work import linear


def pins_of(result):
    return {(p.change, p.rows, p.hypothesis, p.before, p.after, p.label, p.leaders) for p in result.linchpins}


@given(slow_matrix.matrices())
@settings(deadline=None, max_examples=300)
def test_linchpins_of_every_kind_are_those_of_brute_force(given_matrix):
    hypotheses, rows = given_matrix
    result = build(hypotheses, rows)
    expected = slow_matrix.linchpins(hypotheses, rows)
    assert pins_of(result) == expected
    assert len(result.linchpins) == len(expected)
    assert {kind: n for kind, n in result.linchpin_counts.items() if n} == Counter(change for change, *_ in expected)
    assert [p.size for p in result.linchpins] == sorted(p.size for p in result.linchpins)
    assert {row.id for row in result.rows if "linchpin" in row.flags} == {
        ids[0] for change, ids, *_ in expected if change == "remove"
    }
    for pin in result.linchpins:
        assert pin.evidence == (pin.rows[0] if pin.rows else "")
        assert pin.sentence.endswith(".")
        assert all(part in pin.sentence for part in (*pin.rows, pin.hypothesis or "", pin.label))


@given(slow_matrix.matrices(most_rows=9, most_hypotheses=3, gaps=False, fewest=5))
@settings(deadline=None, max_examples=150)
def test_pairs_are_those_of_brute_force(given_matrix):
    hypotheses, rows = given_matrix
    result = build(hypotheses, rows)
    expected = {pin for pin in slow_matrix.linchpins(hypotheses, rows) if pin[0] == "pair"}
    assert {pin for pin in pins_of(result) if pin[0] == "pair"} == expected


@given(slow_matrix.matrices())
@settings(deadline=None, max_examples=200)
def test_gaps_are_those_of_brute_force(given_matrix):
    hypotheses, rows = given_matrix
    result = build(hypotheses, rows)
    assert {(gap.evidence, gap.hypothesis) for gap in result.gaps} == slow_matrix.gaps(hypotheses, rows)
    telling = [
        any(
            next(row for row in rows if row.id == gap.evidence).ratings.get(h, "NA") != "NA"
            for h in result.leaders["weighted_inconsistency"]
        )
        for gap in result.gaps
    ]
    assert telling == sorted(telling, reverse=True)  # rows that say something of a rival come first


def _random(rng, rows, hypotheses, *, clusters=0, weights=(1.0, 0.5, 2.0)):
    """Rows rated against every hypothesis; one in ten against none."""
    names = tuple(f"H{n}" for n in range(1, hypotheses + 1))
    matrix_rows = [
        Row(
            f"E{n}",
            {h: rng.choice(RATINGS) for h in names} if rng.random() < 0.9 else {},
            weight=rng.choice(weights),
            source=f"S{rng.randrange(max(2, rows // 3))}",
            upstream=f"u{rng.randrange(clusters)}" if clusters and rng.random() < 0.6 else "",
            reliability=rng.choice("ABCDEF"),
        )
        for n in range(1, rows + 1)
    ]
    return names, matrix_rows


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 4, 5, 6))])
def test_more_than_are_listed_are_counted(seed):
    rng = random.Random(seed)
    hypotheses, rows = _random(rng, 40, 4, clusters=(0, 5, 15)[seed % 3])
    rows.append(Row("E98", {"H1": "N", "H2": "NA", "H3": "II", "H4": "II"}, weight=30.0))  # out of the race
    scores = slow_matrix.totals(hypotheses, rows)
    # Somebody leads by so much that few rows matter, and many pairs.
    apart = round(float(scores["H1"] - scores["H2"]) * 8) / 8 + (2.5, 2.0, 1.25)[seed % 3]
    level = {"H1": "N", "H2": "I"} if apart > 0 else {"H1": "I", "H2": "N"}
    rows.append(Row("E99", {**level, "H3": "N", "H4": "N"}, weight=abs(apart)))
    result = build(hypotheses, rows)
    expected = slow_matrix.linchpins(hypotheses, rows)
    counted = Counter(change for change, *_ in expected)
    assert {kind: n for kind, n in result.linchpin_counts.items() if n} == counted
    assert pins_of(result) <= expected
    assert len(result.linchpins) <= LISTED
    listed = Counter(pin.change for pin in result.linchpins)
    assert all(listed[kind] >= min(25, counted[kind]) for kind in KINDS)
    assert counted["pair"] > 2
    listed_pairs = {pin.rows for pin in result.linchpins if pin.change == "pair"}
    size = {row.id: sum({"I": 1, "II": 2}.get(r, 0) for r in row.ratings.values()) for row in rows}
    if seed % 3 == 0:  # without clusters a row takes its weight times its penalties
        weights = {row.id: row.weight for row in rows}
        sizes = {pin[1]: sum(size[id] * weights[id] for id in pin[1]) for pin in expected if pin[0] == "pair"}
        assert max(sizes[pair] for pair in listed_pairs) <= min(
            (value for pair, value in sizes.items() if pair not in listed_pairs), default=float("inf")
        )


def test_every_kind_in_words():
    rows = [
        Row("E1", {"H1": "C", "H2": "II"}, source="diary", reliability="A"),
        Row("E2", {"H1": "I", "H2": "C"}, source="letter", reliability="D"),
    ]
    sentences = [pin.sentence for pin in build(("H1", "H2"), rows).linchpins]
    assert "If E1 against H2 were I instead of II, H1 and H2 would be tied." in sentences
    assert "If E1 against H1 were I instead of C, H1 and H2 would be tied." in sentences
    assert "Without E1, H2 leads." in sentences
    assert "Without the source diary (E1), H2 leads." in sentences
    assert "If the source diary deceives (E1 turned to its opposite), H2 would lead." in sentences
    rows = [
        Row("E1", {"H1": "I", "H2": "N", "H3": "II"}, source="diary", reliability="B"),
        Row("E2", {"H1": "I", "H2": "II", "H3": "II"}, source="diary", reliability="D"),
        Row("E3", {"H1": "N", "H2": "II", "H3": "II"}, reliability="E"),
        Row("E4", {"H1": "N", "H2": "I", "H3": "II"}, reliability="C", weight=0.5),
    ]
    result = build(("H1", "H2", "H3"), rows)
    sentences = [pin.sentence for pin in result.linchpins]
    assert "Without everything graded worse than B (E2, E3 and E4), H2 leads." in sentences
    assert "Without E2 and E3, H2 leads." in sentences
    tied = build(("H1", "H2", "H3"), [Row("E1", {"H1": "I", "H2": "I", "H3": "II"})])
    assert "Without the hypothesis H1, H2 leads." in [pin.sentence for pin in tied.linchpins]
    pair = build(("H1", "H2"), [Row("E1", {"H1": "I", "H2": "I"})])  # without either nothing is left to compare
    assert "drop_hypothesis" not in {pin.change for pin in pair.linchpins}


def test_pairs_and_all_linchpins_can_be_left_out():
    rows = [Row(f"E{n}", {"H1": "N", "H2": "I"}) for n in range(3)] + [Row("E9", {"H1": "I", "H2": "N"})]
    whole, single, none = (
        build(("H1", "H2"), rows, **options) for options in ({}, {"pairs": False}, {"linchpins": False})
    )
    assert whole.linchpin_counts["pair"] == 3
    assert "pair" not in single.linchpin_counts
    assert [pin for pin in whole.linchpins if pin.change != "pair"] == list(single.linchpins)
    assert (none.linchpins, none.linchpin_counts, none.scores) == ((), {}, whole.scores)


def test_five_thousand_rows_that_hang_on_everything_take_work_in_proportion():
    """The worst that can be asked: every hypothesis tied, every weight its own, clusters and thousands of sources."""
    names = tuple(f"H{n}" for n in range(1, 31))
    assert linear(lambda blocks: build(names, _hanging_rows(names, blocks)), 41)
    result = build(names, _hanging_rows(names, 4980 // 30))
    assert len(result.leaders["weighted_inconsistency"]) == 30
    assert result.linchpin_counts["one_step"] > 100_000


def _hanging_rows(names, blocks):
    rng = random.Random(1)
    ratings = [RATINGS[n % 5] for n in range(30)]
    rows = []
    for n in range(blocks):
        for turn in range(30):  # each block rates every hypothesis alike
            cells = {h: ratings[(index + turn) % 30] for index, h in enumerate(names)}
            rows.append(Row(f"E{n}x{turn}", cells, weight=1 + n / 1000, source=f"S{rng.randrange(2000)}"))
    return rows
