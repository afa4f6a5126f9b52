"""What the report says, in order."""

from __future__ import annotations

from dataclasses import replace

from core import matrix
from core.domain import Evidence, Hypothesis
from core.report import (
    tell,
)
from core.report.blocks import HYPOTHESES_A_TABLE, Para, Points, Table
from core.report.rows import document_names, with_names
from tests.core.report.cases import full_case
from tests.core.report.test_report import empty_case, made_case


def test_linchpins_of_every_kind_stand_with_their_count_and_the_page():
    data = full_case()
    section = next(s for s in tell(data).sections if s.id == "hangs")
    heads = [b.text for b in section.blocks if b.kind == "sub"]
    kinds = {pin.change for pin in data.matrix.linchpins}
    assert len(kinds) >= 5
    assert len(heads) == len(kinds)
    assert f"{sum(data.matrix.linchpin_counts.values()):,} changes" in section.blocks[0].text
    tables = [b for b in section.blocks if isinstance(b, Table)]
    assert sum(len(t.rows) for t in tables) == len(data.matrix.linchpins)
    for pin in data.matrix.linchpins:
        assert any(with_names(pin.sentence, document_names(data)) == row[1] for t in tables for row in t.rows)
    assert any("Annual inspection of the Harrow dam, page 4\u2002(E1)" in row[0] for t in tables for row in t.rows)


def test_a_tie_says_what_could_separate_it():
    data = made_case()
    assert data.matrix.gaps
    section = next(s for s in tell(data).sections if s.id == "ranking")
    points = [b for b in section.blocks if isinstance(b, Points)]
    assert any("interview, 7 May\u2002(E4) against H3: then H2 would lead" in item for b in points for item in b.items)
    whole = replace(data, matrix=matrix.build(["H1", "H2"], [matrix.Row("E1", {"H1": "I", "H2": "I"})]))
    section = next(s for s in tell(whole).sections if s.id == "ranking")
    assert any("Every cell is rated: it takes evidence" in b.text for b in section.blocks if isinstance(b, Para))


def test_parts_without_anything_to_say_are_left_out():
    ids = {section.id for section in tell(made_case()).sections}
    assert ids.isdisjoint({"independence", "absence", "analysts", "considerations", "grades"})
    assert {section.id for section in tell(full_case()).sections} >= {
        "independence", "absence", "analysts", "considerations", "grades"
    }  # fmt: skip
    assert tell(empty_case()).title == "Untitled case"


def test_a_wide_matrix_is_cut_into_tables_that_fit_a_page():
    ids = [f"H{n}" for n in range(1, 33)]
    data = replace(
        empty_case(),
        hypotheses=tuple(Hypothesis(h, f"hypothesis {h}") for h in ids),
        evidence=(Evidence("E1", "a fact", "", "manual", None, None),),
        matrix=matrix.build(ids, [matrix.Row("E1", dict.fromkeys(ids, "I"))]),
    )
    section = next(s for s in tell(data).sections if s.id == "matrix")
    tables = [b for b in section.blocks if isinstance(b, Table)]
    cells = [[c for c in t.columns if c.look == "cell"] for t in tables]
    assert [len(c) for c in cells] == [HYPOTHESES_A_TABLE, HYPOTHESES_A_TABLE, 2]
    assert all(len(row) == len(t.columns) for t in tables for row in t.rows)


def test_the_preview_shows_some_evidence_and_says_how_much_is_missing():
    story = tell(full_case(), most=3)
    text = " ".join(b.text for s in story.sections for b in s.blocks if isinstance(b, Para))
    assert "And 5 more pieces of evidence: the web page, workbook, table and JSON forms have all of them." in text
    rows = next(b for s in story.sections if s.id == "matrix" for b in s.blocks if isinstance(b, Table)).rows
    assert len(rows) == 3
    gaps = next(s for s in story.sections if s.id == "gaps")
    assert gaps.blocks[0].text.startswith("4 of 32 cells are open")
