"""The scoring rules against published matrices, a slow oracle, and the invariances a scorer must have."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import matrix
from core.domain import RATINGS, RULES, Matrix
from core.errors import BadInput
from core.matrix import PENALTY, STEPS, Row, build, graded_weight, natural, robustness, weight
from tests.core.matrix import slow_matrix

# US Government, A Tradecraft Primer (2009), Terrorism in Tokyo: public domain. The scores are printed in the source.
TOKYO = [
    Row("E1", {"H1": "I", "H2": "N", "H3": "I", "H4": "I"}, "M", "M"),
    Row("E2", {"H1": "C", "H2": "I", "H3": "I", "H4": "I"}, "M", "M"),
    Row("E3", {"H1": "N", "H2": "N", "H3": "C", "H4": "I"}, "M", "M"),
    Row("E4", {"H1": "C", "H2": "C", "H3": "C", "H4": "C"}, "M", "M"),
]
# The sample of the ACH template v0.4 (PARC weights): -0.5, -0.707, -2.914 in the source.
TEMPLATE = [
    Row("E1", {"H1": "N", "H2": "C", "H3": "I"}, "L", "H"),
    Row("E2", {"H1": "C", "H2": "C", "H3": "I"}, "H", "M"),
    Row("E3", {"H1": "I", "H2": "N", "H3": "I"}, "L", "L"),
    Row("E4", {"H1": "N", "H2": "I", "H3": "C"}, "L", "M"),
]


def _three(scores: dict[str, float]) -> dict[str, float]:
    return {h: round(score, 3) for h, score in scores.items()}


def _removals(result: Matrix) -> dict[str, tuple[str, ...]]:
    return {pin.evidence: pin.leaders for pin in result.linchpins if pin.change == "remove"}


# --- published matrices ----------------------------------------------------------------------------------------------


def test_the_tokyo_matrix_scores_as_printed_and_keeps_its_tie():
    result = build(("H1", "H2", "H3", "H4"), TOKYO)
    assert _three(result.scores["weighted_inconsistency"]) == {"H1": 1, "H2": 1, "H3": 2, "H4": 3}
    assert result.scores["inconsistency_count"] == {"H1": 1, "H2": 1, "H3": 2, "H4": 3}
    assert result.scores["open_synthesis"] == {"H1": 1, "H2": 1, "H3": 2, "H4": 3}
    assert _three(result.scores["bayes"]) == {"H1": 0.471, "H2": 0.294, "H3": 0.188, "H4": 0.047}
    assert result.ranks["weighted_inconsistency"] == {"H1": 1, "H2": 1, "H3": 3, "H4": 4}
    assert [result.leaders[rule] for rule in RULES] == [("H1", "H2")] * 4 + [("H1",)]
    assert _removals(result) == {"E1": ("H1",), "E2": ("H2",)}
    assert [row.flags for row in result.rows] == [("linchpin",), ("linchpin",), (), ("all_C", "uniform")]
    assert result.warnings[0] == "H1 and H2 cannot be separated: both have a weighted inconsistency of 1."
    assert robustness(result).word == "differ"
    assert (
        "H1 and H2 are tied under weighted inconsistency, inconsistency count, squared" in robustness(result).sentence
    )
    assert robustness(result).sentence.endswith("; H1 leads under Bayes.")


def test_the_template_gates_the_weights_to_three_decimals():
    result = build(("H1", "H2", "H3"), TEMPLATE)
    assert _three(result.scores["weighted_inconsistency"]) == {"H1": 0.5, "H2": 0.707, "H3": 2.914}
    assert _three(result.scores["bayes"]) == {"H1": 0.416, "H2": 0.551, "H3": 0.033}
    assert [result.leaders[rule] for rule in RULES] == [("H1",), ("H1", "H2"), ("H1", "H2"), ("H1", "H2"), ("H2",)]
    assert _removals(result) == {"E4": ("H2",)}
    assert "The conclusion depends on E4: without it, H2 leads." in result.warnings
    assert [round(row.diagnosticity, 3) for row in result.rows] == [0.816, 0.943, 0.471, 0.816]


@pytest.mark.development_data
def test_every_worked_matrix_to_three_decimals(development_data):
    rules = {
        "inconsistency": "inconsistency_count",
        "weighted": "weighted_inconsistency",
        "open_synthesis_sq": "open_synthesis",
        "arkham_count": "arkham_count",
        "bayes_post": "bayes",
    }
    orders = {
        "rank_weighted": "weighted_inconsistency",
        "rank_inconsistency": "inconsistency_count",
        "rank_bayes": "bayes",
        "rank_arkham_count": "arkham_count",
    }
    worked = json.loads((development_data / "ach" / "matrices.json").read_text(encoding="utf-8"))["matrices"]
    assert len(worked) == 10
    for item in worked:
        given_matrix = matrix.read_matrix(item)
        result = build(tuple(given_matrix.hypotheses), given_matrix.rows)
        for name, rule in rules.items():
            for h, value in item["computed"][name].items():
                assert result.scores[rule][h] == pytest.approx(value, abs=5.1e-4), (item["id"], rule, h)
        for name, rule in orders.items():
            groups: dict[int, list[str]] = {}
            for h in result.hypotheses:
                groups.setdefault(result.ranks[rule][h], []).append(h)
            assert [groups[place] for place in sorted(groups)] == item[name], (item["id"], rule)
        assert {k: list(v) for k, v in _removals(result).items()} == item["linchpins"], item["id"]
        for row in result.rows:
            stated = item["diagnosticity"][row.id]
            assert row.spread == stated["spread"], (item["id"], row.id)
            assert row.diagnosticity == pytest.approx(stated["pstdev_na_excluded"], abs=5.1e-4), (item["id"], row.id)
        expected = item["expected"]
        scores = result.scores["weighted_inconsistency"]
        for h, value in expected.get("score", {}).items():
            assert -scores[h] == pytest.approx(value, abs=5.1e-4)
        if "leaders" in expected:
            assert list(result.leaders["weighted_inconsistency"]) == expected["leaders"], item["id"]
        if "order" in expected:
            assert list(result.order) == expected["order"], item["id"]
        if "last" in expected:
            assert result.order[-1] == expected["last"]
        uniform = [row.id for row in result.rows if row.spread == 0]
        assert set(expected.get("non_diagnostic", [])) <= set(uniform)
        assert not set(expected.get("eliminated", [])) & set(result.leaders["weighted_inconsistency"])
        if "least_diagnostic" in expected:
            least = min(result.rows, key=lambda row: row.diagnosticity)
            assert [least.id] == expected["least_diagnostic"]
        if "most_diagnostic" in expected:  # the source compares the two rivals that are still in the race
            top_two = result.order[:2]
            apart = {row.id: matrix.between(row.ratings, top_two) or 0 for row in result.rows}
            if item["id"] == "wphm_R0002_C003":
                assert sorted(apart, key=lambda e: -apart[e])[:2] == expected["most_diagnostic"]


# --- gaps ------------------------------------------------------------------------------------------------------------


def test_nothing_leads_where_nothing_is_rated():
    for rows in ([], [Row("E1", {}), Row("E2", {})]):
        result = build(("H1", "H2"), rows)
        assert set(result.leaders.values()) == {()}
        assert any("othing is rated yet" in warning for warning in result.warnings)
        assert result.untested == ("H1", "H2")
        assert robustness(result).word == "none"
    assert build((), []).warnings == ("There are no hypotheses yet.",)
    assert build((), [Row("E1", {})]).rows[0].flags == ()


def test_only_na_leads_nowhere():
    result = build(("H1", "H2"), [Row("E1", {"H1": "NA", "H2": "NA"})])
    assert result.leaders["weighted_inconsistency"] == ()
    assert "Every rated cell is NA: nothing bears on any hypothesis, so no hypothesis leads." in result.warnings


def test_a_silent_hypothesis_does_not_win():
    rows = [Row("E1", {"H1": "I", "H2": "II", "H3": "NA"}), Row("E2", {"H1": "C", "H2": "N", "H3": "NA"})]
    result = build(("H1", "H2", "H3"), rows)
    assert all("H1" in leaders and "H3" not in leaders for leaders in result.leaders.values())
    assert result.leaders["weighted_inconsistency"] == ("H1",)
    assert result.untested == ("H3",)
    assert result.order == ("H1", "H2", "H3")
    assert {rule: ranks["H3"] for rule, ranks in result.ranks.items()} == dict.fromkeys(RULES, 3)
    assert any("silence is not support" in warning for warning in result.warnings)
    assert result.unrated == 0


def test_an_unrated_cell_is_no_neutral_for_bayes():
    """A blank must not beat a CC, nor weigh as an N would."""
    rated = [Row("E1", {"H1": "CC", "H2": "I"}), Row("E2", {"H1": "C", "H2": "C", "H3": "C"})]
    scores = matrix.bayes(("H1", "H2", "H3"), rated)
    assert scores["H1"] > scores["H3"] > scores["H2"]
    alone = [Row("E1", {"H1": "II"}), Row("E2", {"H1": "C", "H2": "C", "H3": "C"})]
    assert _three(matrix.bayes(("H1", "H2", "H3"), alone)) == dict.fromkeys(("H1", "H2", "H3"), 0.333)


# --- ties, order, sentences ------------------------------------------------------------------------------------------


def test_high_times_low_ties_with_medium():
    rows = [Row("E1", {"H1": "I", "H2": "C"}, "H", "L"), Row("E2", {"H1": "C", "H2": "I"}, "M", "M")]
    result = build(("H1", "H2"), rows)
    assert result.leaders["weighted_inconsistency"] == ("H1", "H2")
    assert result.scores["weighted_inconsistency"] == {"H1": 1.0, "H2": 1.0}


def test_tiny_posteriors_are_ranked_and_not_tied():
    rows = [Row(f"E{n}", {"H1": "CC", "H2": "II", "H3": "I"}) for n in range(40)]
    result = build(("H1", "H2", "H3"), rows)
    assert result.ranks["bayes"] == {"H1": 1, "H3": 2, "H2": 3}
    assert result.scores["bayes"]["H2"] < 1e-30


def test_leaders_stand_in_natural_order():
    ids = ("H10", "H2", "H1")
    assert build(ids, [Row("E1", dict.fromkeys(ids, "C"))]).leaders["weighted_inconsistency"] == ("H1", "H2", "H10")
    assert sorted(["E10", "E9", "E1b", "E1"], key=natural) == ["E1", "E1b", "E9", "E10"]


def test_a_tie_stands_by_id_as_wherever_it_is_named():
    result = build(("H1", "H2", "H3"), [Row("E1", {"H1": "N", "H2": "CC", "H3": "I"})])
    assert result.order == ("H1", "H2", "H3")
    assert result.leaders["open_synthesis"] == result.leaders["weighted_inconsistency"] == ("H1", "H2")
    assert result.ranks["weighted_inconsistency"] == {"H1": 1, "H2": 1, "H3": 3}


def test_priors():
    rows = [Row("E1", {"H1": "C", "H2": "C"})]
    assert _three(matrix.bayes(("H1", "H2"), rows, priors={"H1": 3, "H2": 1})) == {"H1": 0.75, "H2": 0.25}
    assert build(("H1", "H2"), rows, priors={"H1": 0, "H2": 1}).leaders["bayes"] == ("H2",)
    for bad in ({"H1": 1}, {"H1": 0, "H2": 0}, {"H1": -1, "H2": 2}, {"H1": math.nan, "H2": 1}):
        with pytest.raises(BadInput):
            matrix.bayes(("H1", "H2"), rows, priors=bad)


def test_pairwise_diagnosticity_ignores_a_beaten_rival():
    row = {"H1": "CC", "H2": "CC", "H3": "II"}
    assert matrix.spread(row.values()) == 4
    assert matrix.between(row, ("H1", "H2")) == 0
    assert matrix.between({"H1": "C"}, ("H1", "H2")) is None


def test_unusable_rows_are_refused():
    with pytest.raises(BadInput):
        build(("H1", "H1"), [])
    with pytest.raises(BadInput):
        build(("H1",), [Row("E1", {}), Row("E1", {})])
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(BadInput):
            build(("H1",), [Row("E1", {}, weight=bad)])


# --- properties ------------------------------------------------------------------------------------------------------


@st.composite
def matrices(draw: st.DrawFn, *, gaps: bool = True) -> tuple[tuple[str, ...], list[Row]]:
    hypotheses = tuple(f"H{n}" for n in range(1, draw(st.integers(1, 5)) + 1))
    rated, parts = st.sampled_from(RATINGS), gaps and draw(st.booleans())
    rows = []
    for n in range(draw(st.integers(0, 6))):
        whole = not gaps or draw(st.integers(0, 4)) > 0
        cell = rated if whole else st.sampled_from([*RATINGS, None]) if parts else st.none()
        ratings = {h: rating for h in hypotheses if (rating := draw(cell)) is not None}
        level = st.sampled_from(["L", "M", "H", None])
        rows.append(Row(f"E{n + 1}", ratings, draw(level), draw(level)))
    return hypotheses, rows


def _same_result(a: Matrix, b: Matrix) -> None:
    assert a.scores == b.scores
    assert a.ranks == b.ranks
    assert a.leaders == b.leaders
    assert a.order == b.order
    assert a.linchpins == b.linchpins
    assert a.untested == b.untested


@given(matrices(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_order_of_rows_and_columns_changes_nothing(given_matrix, random):
    hypotheses, rows = given_matrix
    shuffled, columns = list(rows), list(hypotheses)
    random.shuffle(shuffled)
    random.shuffle(columns)
    _same_result(build(hypotheses, rows), build(columns, shuffled))


@given(matrices())
@settings(deadline=None)
def test_an_na_row_changes_nothing(given_matrix):
    hypotheses, rows = given_matrix
    base, extended = build(hypotheses, rows), build(hypotheses, [*rows, Row("E99", dict.fromkeys(hypotheses, "NA"))])
    assert (base.scores, base.ranks, base.leaders) == (extended.scores, extended.ranks, extended.leaders)


@given(matrices(gaps=False))
@settings(deadline=None)
def test_a_consistent_row_changes_no_penalty_and_no_posterior(given_matrix):
    hypotheses, rows = given_matrix
    base, extended = build(hypotheses, rows), build(hypotheses, [*rows, Row("E99", dict.fromkeys(hypotheses, "C"))])
    assert base.scores == extended.scores


@given(matrices())
@settings(deadline=None)
def test_ranks_are_competition_ranks_and_the_posterior_sums_to_one(given_matrix):
    hypotheses, rows = given_matrix
    result = build(hypotheses, rows)
    assert math.fsum(result.scores["bayes"].values()) == pytest.approx(1)
    tested = [h for h in hypotheses if h not in result.untested]
    if len(tested) < 2 or not slow_matrix.complete(hypotheses, rows):
        assert set(result.leaders.values()) == {()}
        assert not any(result.ranks.values())
        assert result.comparison.state != "complete"
        return
    for rule, ranks in result.ranks.items():
        for h in tested:
            assert ranks[h] == 1 + sum(ranks[rival] < ranks[h] for rival in tested)
        assert result.leaders[rule] == tuple(h for h in sorted(tested, key=natural) if ranks[h] == 1)
    assert result.unrated == sum(h not in row.ratings for row in rows for h in hypotheses)


def _slow_leaders(hypotheses: tuple[str, ...], rows: list[Row]) -> tuple[str, ...]:
    """F2 straight from its definition."""
    tested = [h for h in hypotheses if any(row.ratings.get(h, "NA") != "NA" for row in rows)]
    scores = {h: sum(weight(row) * PENALTY[row.ratings[h]] for row in rows if h in row.ratings) for h in tested}
    if len(tested) < 2 or not slow_matrix.complete(hypotheses, rows):
        return ()
    return tuple(h for h in sorted(tested, key=natural) if scores[h] - min(scores.values()) < 1e-6)


@given(matrices())
@settings(deadline=None)
def test_linchpins_are_those_of_brute_force(given_matrix):
    hypotheses, rows = given_matrix
    leaders = _slow_leaders(hypotheses, rows)
    expected = set()
    for n, row in enumerate(rows if leaders else []):
        rest = [*rows[:n], *rows[n + 1 :]]
        if _slow_leaders(hypotheses, rest) != leaders:
            expected.add(("remove", row.id, None, None, None, _slow_leaders(hypotheses, rest)))
        for (h, old), new in itertools.product(row.ratings.items(), STEPS):
            if old == "NA" or abs(STEPS.index(old) - STEPS.index(new)) != 1:
                continue
            stepped = Row(row.id, {**row.ratings, h: new}, row.credibility, row.relevance)
            new_leaders = _slow_leaders(hypotheses, [*rows[:n], stepped, *rows[n + 1 :]])
            if new_leaders != leaders:
                expected.add(("one_step", row.id, h, old, new, new_leaders))
    pins = [pin for pin in build(hypotheses, rows).linchpins if pin.change in ("one_step", "remove")]
    assert {(p.change, p.evidence, p.hypothesis, p.before, p.after, p.leaders) for p in pins} == expected
    assert len(pins) == len(expected)
    assert [p.size for p in pins] == sorted(p.size for p in pins)
    assert all(p.sentence.endswith(".") and p.evidence in p.sentence for p in pins)


@given(slow_matrix.matrices(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_order_changes_nothing_where_rows_have_sources_and_upstreams(given_matrix, random):
    hypotheses, rows = given_matrix
    shuffled, columns = list(rows), list(hypotheses)
    random.shuffle(shuffled)
    random.shuffle(columns)
    result, shuffled_result = build(hypotheses, rows), build(columns, shuffled)
    _same_result(result, shuffled_result)
    for name in ("linchpin_counts", "clusters", "overlaps", "gaps", "one_source", "unrated"):
        assert getattr(result, name) == getattr(shuffled_result, name)
    by_id = {row.id: row for row in shuffled_result.rows}
    assert all(by_id[row.id] == row for row in result.rows)


def _same_standing(a: Matrix, b: Matrix) -> None:
    assert a.ranks == b.ranks
    assert a.leaders == b.leaders
    assert a.order == b.order
    for rule, scores in a.scores.items():
        assert b.scores[rule] == pytest.approx(scores, abs=1e-9), rule


@given(slow_matrix.matrices(clusters=False, fewest=1), st.data())
@settings(deadline=None)
def test_copies_of_a_report_count_once_under_every_rule(given_matrix, data):
    """Any row, and every row, told by up to five copies of one upstream."""
    hypotheses, rows = given_matrix
    copies = [data.draw(st.integers(1, 5)) for _ in rows]
    copied_rows = [
        replace(row, id=f"{row.id}c{n}", upstream=f"report {row.id}")
        for row, times in zip(rows, copies, strict=True)
        for n in range(times)
    ]
    once, often = build(hypotheses, rows), build(hypotheses, copied_rows)
    _same_standing(once, often)
    assert [len(cluster) for cluster in often.clusters] == [times for times in copies if times > 1]
    first, *rest = rows
    _same_standing(once, build(hypotheses, [replace(first, id=f"copy {n}", upstream="u") for n in range(5)] + rest))


@given(slow_matrix.matrices(), st.integers(1, 3))
@settings(deadline=None)
def test_a_cluster_told_again_in_whole_changes_nothing(given_matrix, times):
    hypotheses, rows = given_matrix
    repeats = [replace(row, id=f"{row.id} again {n}") for n in range(times) for row in rows if row.upstream]
    _same_standing(build(hypotheses, rows), build(hypotheses, [*rows, *repeats]))


@given(slow_matrix.matrices())
@settings(deadline=None)
def test_scores_are_those_of_brute_force(given_matrix):
    hypotheses, rows = given_matrix
    result = build(hypotheses, rows)
    scores = slow_matrix.totals(hypotheses, rows)
    assert {h: result.scores["weighted_inconsistency"][h] for h in scores} == pytest.approx(
        {h: float(value) for h, value in scores.items()}
    )
    assert set(result.untested) == set(hypotheses) - set(scores)
    assert result.leaders["weighted_inconsistency"] == slow_matrix.leaders(hypotheses, rows)


@given(slow_matrix.matrices(), st.sampled_from(["CC", "C", "N", "I", "II"]), st.sampled_from([0.5, 1.0, 2.0]))
@settings(deadline=None)
def test_removing_a_uniform_row_changes_no_rank(given_matrix, rating, weighing):
    hypotheses, rows = given_matrix
    # Every hypothesis stays tested without the row: one on which nothing else bears has no rank to keep.
    tested = tuple(h for h in hypotheses if h not in build(hypotheses, rows).untested)
    uniform = Row("E99", dict.fromkeys(tested, rating), weight=weighing)
    without, extended = build(tested, rows), build(tested, [*rows, uniform])
    assert without.ranks == extended.ranks
    assert without.leaders == extended.leaders
    if len(tested) > 1:
        assert extended.rows[-1].diagnosticity == 0
        assert "uniform" in extended.rows[-1].flags


def test_a_copy_that_nobody_rated_takes_nothing_away():
    rows = [Row("E1", {"H1": "I"}, upstream="u"), Row("E2", {"H2": "I"}), Row("E3", {}, upstream="u")]
    result = build(("H1", "H2"), rows)
    assert result.scores["weighted_inconsistency"] == {"H1": 1, "H2": 1}
    assert [(row.cluster, row.share) for row in result.rows] == [("E1", 1), ("", 1), ("E1", 1)]
    assert result.clusters == (("E1", "E3"),)
    assert "E1 and E3 share a source and count once." in result.warnings
    rated = build(("H1", "H2"), [*rows[:2], replace(rows[2], ratings={"H1": "N"})])
    assert rated.scores["weighted_inconsistency"] == {"H1": 0.5, "H2": 1}
    assert rated.rows[2].share == 0.5


# --- weights from grades ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ((None, None, "", ""), 1.0),
        ((None, None, "F", "6"), 1.0),  # cannot be judged is missing, not worst
        ((None, None, "A", ""), 1.414),
        ((None, None, "E", "F"), 0.707),
        ((None, None, "A", "5"), math.sqrt(1.414 * 0.707)),
        ((None, "H", "B", "6"), 1.189 * math.sqrt(2)),
        (("L", None, "A", "1"), 1 / math.sqrt(2)),  # what the analyst said of the credibility stands
        (("H", "H", "", ""), 2.0),
    ],
)
def test_admiralty_grades_become_weights(grades, expected):
    assert graded_weight(*grades) == pytest.approx(expected)


def test_the_table_of_grades_can_be_changed():
    assert graded_weight(None, None, "C", "2", {"C": 0.5, "2": 2.0}) == 1.0
    assert graded_weight(None, None, "A", "2", {"C": 0.5, "2": 2.0}) == 2.0  # a grade without a factor is missing
