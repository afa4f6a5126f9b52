"""Who leads is said only where all hypotheses are rated on the same rows."""

from __future__ import annotations

import pytest

from core.domain import RULES
from core.matrix import Row, build, group, provisional, robustness, to_json

FOUR = ("H1", "H2", "H3", "H4")


def _leads_nowhere(result) -> None:
    assert set(result.leaders.values()) == {()}
    assert not any(result.ranks.values())
    assert result.linchpins == ()
    assert not any(result.linchpin_counts.values())
    assert not any("linchpin" in row.flags for row in result.rows)
    assert not result.rules_agree
    assert robustness(result).word == "none"


@pytest.mark.parametrize("rating", ["I", "II", "C", "N"])
def test_nothing_leads_because_the_others_were_not_looked_at(rating):
    result = build(FOUR, [Row("E1", {"H1": rating})])
    _leads_nowhere(result)
    assert result.comparison.state == "incomplete"
    assert result.comparison.rated == {"H1": 1, "H2": 0, "H3": 0, "H4": 0}
    assert result.comparison.missing == (("E1", "H2"), ("E1", "H3"), ("E1", "H4"))
    assert result.warnings[0] == (
        "No hypothesis leads yet, because the hypotheses are not all rated on the same rows: "
        "H2, H3 and H4 are not rated at all."
    )
    assert robustness(result).sentence == result.warnings[0]
    assert result.order == FOUR


def test_one_cell_of_twenty_two_rows_leads_nowhere():
    rows = [Row("E1", {"H1": "C"}), *(Row(f"E{n}", {}) for n in range(2, 23))]
    result = build(FOUR, rows)
    _leads_nowhere(result)
    data = to_json(result, {})
    assert data["hypotheses"][0]["coverage"] == {"rated": 1, "of": 22}
    assert data["hypotheses"][0]["rank"] == dict.fromkeys(RULES)
    assert data["comparison"]["state"] == "incomplete"
    assert data["comparison"]["missing"] == [{"evidence": "E1", "hypothesis": h} for h in FOUR[1:]]


def test_rows_rated_against_nobody_disturb_nothing():
    rows = [Row("E1", {"H1": "I", "H2": "N"}), Row("E2", {})]
    result = build(("H1", "H2"), rows)
    assert result.comparison.state == "complete"
    assert (result.comparison.common, result.comparison.rows, result.comparison.sentence) == (1, 2, "")
    assert result.leaders["weighted_inconsistency"] == ("H2",)


def test_na_is_a_rating_and_a_lead_needs_a_rival():
    judged = build(("H1", "H2", "H3"), [Row("E1", {"H1": "I", "H2": "N", "H3": "NA"})])
    assert judged.leaders["weighted_inconsistency"] == ("H2",)
    alone = build(FOUR, [Row("E1", {"H1": "I", "H2": "NA", "H3": "NA", "H4": "NA"})])
    _leads_nowhere(alone)
    assert alone.comparison.state == "none"
    assert alone.warnings[0] == (
        "Everything rated bears on H1 alone, so there is nothing to compare it with and nothing leads."
    )
    _leads_nowhere(build(("H1",), [Row("E1", {"H1": "C"})]))


def test_what_is_rated_across_gives_a_provisional_order():
    rows = [
        Row("E1", {"H1": "I", "H2": "N", "H3": "I"}),
        Row("E2", {"H1": "C", "H2": "I", "H3": "I"}),
        Row("E3", {"H2": "II"}),
    ]
    result = build(("H1", "H2", "H3"), rows)
    _leads_nowhere(result)
    assert result.comparison.provisional == {"H1": 1, "H2": 1, "H3": 3}
    assert result.order == ("H1", "H2", "H3")
    assert result.warnings[:2] == (
        "No hypothesis leads yet, because the hypotheses are not all rated on the same rows: "
        "E3 is not rated against H1 and H3.",
        "Provisional, from the 2 rows rated against H1, H2 and H3, least contradicted first: H1 = H2 > H3.",
    )
    assert provisional(build(FOUR, [Row("E1", {"H1": "I"})]).comparison) == ""


def test_a_hypothesis_that_was_added_suspends_the_lead_until_it_is_rated():
    rows = [Row("E1", {"H1": "I", "H2": "N"}), Row("E2", {"H1": "I", "H2": "C"})]
    result = build(("H1", "H2", "H3"), rows)
    _leads_nowhere(result)
    assert result.warnings[:2] == (
        "No hypothesis leads yet, because the hypotheses are not all rated on the same rows: H3 is not rated at all.",
        "Provisional, from the 2 rows rated against H1 and H2, least contradicted first: H2 > H1.",
    )
    assert result.order == ("H2", "H1", "H3")


def test_many_rows_are_counted():
    rows = [Row(f"E{n}", {"H1": "I"}) for n in range(1, 6)] + [Row("E6", {"H2": "I"})]
    assert build(("H1", "H2"), rows).comparison.sentence == (
        "No hypothesis leads yet, because the hypotheses are not all rated on the same rows: "
        "E1, E2, E3, E4, E5 and E6 are rated "
        "against some of them only (6 cells open)."
    )


def test_a_row_set_aside_and_a_copy():
    across, part = Row("E1", {"H1": "I", "H2": "N"}, upstream="u"), Row("E2", {"H1": "I"}, upstream="u")
    _leads_nowhere(build(("H1", "H2"), [across, part]))
    assert build(("H1", "H2"), [across]).leaders["weighted_inconsistency"] == ("H2",)
    assert build(("H1", "H2"), [across, Row("E2", {}, upstream="u")]).leaders["weighted_inconsistency"] == ("H2",)


def test_nobody_leads_for_an_analyst_who_rated_in_part():
    opinions = group(
        ("H1", "H2"), {"Anna": [Row("E1", {"H1": "C"})], "Ben": [Row("E1", {"H1": "I", "H2": "N"})]}, {}
    ).opinions
    assert [opinion.leaders for opinion in opinions] == [(), ("H2",)]
    assert [opinion.comparison.state for opinion in opinions] == ["incomplete", "complete"]
