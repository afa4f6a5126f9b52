"""A case file is hostile or awkward input like any other."""

from __future__ import annotations


def test_b1_one_process_has_a_case(lost):
    assert lost == []


def test_b2_a_read_only_case_is_shown_whole(lost):
    assert lost == []


def test_b3_a_newer_case_is_left_alone(lost):
    assert lost == []


def test_b4_older_cases_open(lost):
    assert lost == []


def test_b5_a_damaged_case_neither_crashes_nor_lies(lost):
    assert lost == []


def test_b6_a_foreign_schema_is_refused(lost):
    assert lost == []


def test_b7_indexes_are_made_again(lost):
    assert lost == []


def test_b8_an_archive_writes_nothing(lost):
    assert lost == []
