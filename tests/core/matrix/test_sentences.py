"""What a matrix says in plain sentences."""

from __future__ import annotations

from dataclasses import replace

from core.domain import RULES
from core.matrix import Row, build, robustness
from tests.core.matrix.test_rules import TOKYO


def test_a_leader_whose_gaps_could_undo_it_is_named():
    rows = [Row("E1", {"H1": "C", "H2": "I"}), Row("E2", {})]
    assert "H1 has no rating for E2; rated against it, this could undo its lead." in build(("H1", "H2"), rows).warnings
    safe = [Row("E1", {"H1": "C", "H2": "II"}, weight=2.0), Row("E2", {}, weight=0.5)]
    assert not any("undo its lead" in warning for warning in build(("H1", "H2"), safe).warnings)


def test_warnings_about_sources_and_rows():
    rows = [
        Row("E1", {"H1": "I", "H2": "I"}, source="diary"),
        Row("E2", {"H1": "II", "H2": "C"}, source="diary"),
        Row("E3", {"H1": "NA", "H2": "NA"}, source="letter"),
    ]
    warnings = build(("H1", "H2"), rows).warnings
    assert "Everything rests on one source: diary." in warnings
    assert "E3 bears on no hypothesis." in warnings
    assert any(warning.startswith("E1 speaks against every hypothesis: challenge") for warning in warnings)
    mixed = [*rows[:2], Row("E4", {"H1": "C", "H2": "II"}, source="letter")]
    assert "All that speaks against H1 comes from one source: diary." in build(("H1", "H2"), mixed).warnings
    unknown = [Row(row.id, row.ratings) for row in rows]
    assert not any("one source" in warning for warning in build(("H1", "H2"), unknown).warnings)


def test_why_rules_differ():
    def why(rows, **given_priors):
        names = sorted({h for row in rows for h in row.ratings})
        return robustness(build(names, rows, **given_priors)).sentence.split(", because ")[1].split(": ")[0]

    assert why(TOKYO) == "Bayes also counts what is consistent"
    weights = [Row("E1", {"H1": "I", "H2": "N"}, weight=3.0), Row("E2", {"H1": "N", "H2": "I"})]
    weights.append(Row("E3", {"H1": "N", "H2": "I"}))
    assert why(weights).startswith(
        "inconsistency count, squared inconsistency and count of cells against ignore the weights of the evidence"
    )
    squares = [Row("E1", {"H1": "II", "H2": "N"}), Row("E2", {"H1": "N", "H2": "I"}), Row("E3", {"H1": "N", "H2": "I"})]
    assert why(squares).startswith(
        "squared inconsistency lets one II count as much as four I, count of cells against counts II the same as I"
    )
    alike = [Row("E1", {"H1": "C", "H2": "C"})]
    assert why(alike, priors={"H1": 1, "H2": 3}) == "Bayes also counts what is consistent and the priors"
    assert build(("H1", "H2"), alike, priors={"H1": 1, "H2": 3}).priors == {"H1": 0.25, "H2": 0.75}
    assert build(("H1", "H2"), alike, priors={"H1": 3, "H2": 3}).priors == {}


def test_a_rule_that_differs_for_no_known_reason_is_named_without_one(monkeypatch):
    matrix = build(("H1", "H2"), [Row("E1", {"H1": "I", "H2": "C"})])
    monkeypatch.setitem(RULES, "worst_row", "worst row")
    differing = replace(matrix, leaders=matrix.leaders | {"worst_row": ("H1",)})
    sentence = robustness(differing).sentence
    assert sentence.startswith("The conclusion depends on the scoring rule: H2 leads under ")
    assert sentence.endswith("; H1 leads under worst row.")


def test_many_clusters_are_counted():
    rows = [Row(f"E{n}", {"H1": "I", "H2": "N"}, upstream=f"u{n // 2}") for n in range(10)]
    assert build(("H1", "H2"), rows).warnings[-1] == "2 more clusters of rows that share a source count once, too."
