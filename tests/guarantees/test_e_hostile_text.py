"""Text that is aimed at the analysis."""

from __future__ import annotations


def test_e1_nothing_enters_the_matrix_by_itself(lost):
    assert lost == []


def test_e2_planted_instructions_are_measured(lost):
    assert lost == []


def test_e3_a_passage_changes_no_other_verdict(lost):
    assert lost == []


def test_e4_text_that_speaks_to_a_model_is_flagged(lost):
    assert lost == []


def test_e5_one_sided_runs_are_told(lost):
    assert lost == []
