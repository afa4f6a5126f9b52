"""Verdicts that are kept."""

from __future__ import annotations

from tests.core.store.material import fill


def test_verdicts_are_kept_by_model_and_texts(case):
    fill(case)
    key = ("ab" * 32, "cd" * 32)
    assert set(case.verdicts.get("judge 1", [key, ("00" * 32, "cd" * 32)])) == {key}
    assert case.verdicts.get("judge 2", [key]) == {}
