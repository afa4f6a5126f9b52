"""Nothing that was saved is lost."""

from __future__ import annotations

import pytest

from tests.core.store import test_decisions


def test_a1_a_kill_loses_nothing(lost):
    assert lost == []


def test_a2_a_verb_is_done_or_not_done(lost):
    assert lost == []


def test_a3_a_power_cut_loses_nothing(lost):
    assert lost == []


def test_a4_a_failing_disk_is_told(lost):
    assert lost == []


def test_a5_a_full_disk_loses_nothing(lost):
    assert lost == []


def test_a6_the_engine_is_new_enough(lost):
    assert lost == []


def test_a7_typed_text_is_not_lost(lost):
    assert lost == []


def test_a8_backups_are_the_case(lost):
    assert lost == []


def test_a9_undo_and_redo_leave_no_trace(lost):
    assert lost == []


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a9_two_thousand_sequences(tmp_path):
    test_decisions._machine(tmp_path, 2_000, 40).runTest()
