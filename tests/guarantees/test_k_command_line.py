"""The command line."""

from __future__ import annotations


def test_k1_odd_calls_end_with_a_sentence(lost):
    assert lost == []
