"""Documents come from anybody."""

from __future__ import annotations


def test_c1_no_file_crashes_the_program(lost):
    assert lost == []


def test_c2_children_have_limits(lost):
    assert lost == []


def test_c3_children_are_confined(lost):
    assert lost == []


def test_c4_what_a_child_answers_is_checked(lost):
    assert lost == []


def test_c5_every_file_is_accounted_for(lost):
    assert lost == []


def test_c6_bombs_are_refused(lost):
    assert lost == []


def test_c7_nothing_is_fetched(lost):
    assert lost == []


def test_c8_hidden_text_is_marked(lost):
    assert lost == []
