"""What leaves the program."""

from __future__ import annotations


def test_f1_a_web_page_holds_nothing_active(lost):
    assert lost == []


def test_f2_cells_are_text(lost):
    assert lost == []


def test_f3_nothing_leads_outside(lost):
    assert lost == []


def test_f4_the_same_case_gives_the_same_bytes(lost):
    assert lost == []


def test_f5_a_kill_leaves_no_half_report(lost):
    assert lost == []


def test_f6_no_report_tells_a_path(lost):
    assert lost == []
