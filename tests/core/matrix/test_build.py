"""What is computed from the ratings: flags, ties, gaps, sources."""

from __future__ import annotations

from core import matrix
from core.matrix import Row, build, robustness


def test_flags():
    h = ("H1", "H2", "H3")
    cells = {
        ("C", "CC", "C"): ("all_C",),
        ("I", "II", "I"): ("all_I",),
        ("N", "N", "N"): ("all_N", "uniform"),
        ("NA", "NA", "NA"): ("all_NA",),
        ("C", "NA", "C"): ("uniform",),
        ("C", "NA", "I"): (),
    }
    rows = [Row(f"E{n}", dict(zip(h, ratings, strict=True)), weight=0.0) for n, ratings in enumerate(cells)]
    assert [row.flags for row in build(h, rows).rows] == list(cells.values())
    gap = Row("E98", {"H1": "C", "H2": "C"})
    assert build(h, [*rows, gap]).rows[-1].flags == ("unrated",)
    only = build(h, [Row("E98", dict.fromkeys(h, "N"))])
    assert only.rows[0].flags == ("all_N", "uniform", "linchpin")
    removal = next(pin for pin in only.linchpins if pin.change == "remove")
    assert removal.sentence == "Without E98, no hypothesis leads."


def test_agreement_and_attack():
    result = build(("H1", "H2"), [Row("E1", {"H1": "C", "H2": "II"}), Row("E2", {"H1": "C", "H2": "II"})])
    assert result.rules_agree
    assert robustness(result) == matrix.Robustness("agree", "All 5 rules agree: H1 leads.")
    assert any(warning.startswith("Nothing is rated against H1;") for warning in result.warnings)


def test_a_tie_names_the_rating_that_could_end_it():
    rows = [Row("E1", {"H1": "I", "H2": "N"}), Row("E2", {"H1": "N", "H2": "I"}), Row("E3", {})]
    rows.append(Row("E4", {}, weight=3.0))
    result = build(("H1", "H2"), rows)
    assert [(gap.evidence, gap.hypothesis, gap.could_lead) for gap in result.gaps] == [
        ("E4", "H1", ("H2",)),  # the heavier row first
        ("E4", "H2", ("H1",)),
        ("E3", "H1", ("H2",)),
        ("E3", "H2", ("H1",)),
    ]
    assert result.warnings[:2] == (
        "H1 and H2 cannot be separated: both have a weighted inconsistency of 1.",
        "A missing rating could separate them: E4 against H1 or E4 against H2 or E3 against H1, if it were I or II.",
    )
    rated = build(("H1", "H2"), [Row("E1", {"H1": "C", "H2": "N"})])
    assert rated.gaps == ()
    assert rated.warnings[1].startswith("No missing rating could separate them: ")
    tie = build(("H1", "H2", "H3"), [Row("E1", {"H1": "N", "H2": "N", "H3": "N"}), Row("E2", {})])
    assert [gap.could_lead for gap in tie.gaps] == [("H2", "H3"), ("H1", "H3"), ("H1", "H2")]
    assert build(("H1", "H2"), [Row("E1", {"H1": "C", "H2": "I"}), Row("E2", {})]).gaps == ()


def test_hypotheses_that_overlap_and_hypotheses_never_attacked():
    rows = [
        Row("E1", {"H1": "C", "H2": "C", "H3": "I"}, marks=("stale", "superseded")),
        Row("E2", {"H1": "N", "H2": "N", "H3": "N"}),
    ]
    result = build(("H3", "H2", "H1"), rows)
    assert result.overlaps == (("H1", "H2"),)
    assert result.unattacked == ("H2", "H1")
    assert "H1 and H2 are rated alike everywhere: sharpen the difference between them, or join them." in result.warnings
    assert result.rows[0].flags == ("linchpin", "stale", "superseded")
    assert "E1: the evidence comes from a document that a newer version has superseded." in result.warnings
    assert "E1: the evidence is no longer on the page as quoted." in result.warnings
    assert build(("H1", "H2"), [Row("E1", {"H1": "C", "H2": "C"})]).overlaps == ()
    assert build(("H1", "H2"), [Row("E1", {"H1": "C", "H2": "C"}), Row("E2", {"H1": "C"})]).overlaps == ()


def test_one_source_behind_a_column():
    rows = [
        Row("E1", {"H1": "C", "H2": "I"}, source="diary"),
        Row("E2", {"H1": "II", "H2": "I"}, source="diary"),
        Row("E3", {"H1": "NA", "H2": "C"}, source="letter"),
    ]
    result = build(("H1", "H2"), rows)
    assert result.one_source == {"H1": "diary"}
    assert "All that is rated on H1 comes from one source: diary." in result.warnings
    assert "All that speaks against H2 comes from one source: diary." in result.warnings


def test_one_hypothesis_alone():
    result = build(("H1",), [Row("E1", {"H1": "II"}), Row("E2", {"H1": "C"})])
    assert set(result.leaders.values()) == {()}
    assert result.linchpins == ()
    assert result.comparison.state == "none"
    assert "H1 has no rival, so there is nothing to compare it with." in result.warnings
