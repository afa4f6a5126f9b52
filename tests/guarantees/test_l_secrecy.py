"""Cases with a passphrase, what was erased, and what can be read of a damaged one."""

from __future__ import annotations


def test_l1_nothing_can_be_read_on_the_disk(lost):
    assert lost == []


def test_l2_a_wrong_passphrase_touches_nothing(lost):
    assert lost == []


def test_l3_a_change_of_the_passphrase_leaves_one_whole_case(lost):
    assert lost == []


def test_l4_what_was_erased_is_gone(lost):
    assert lost == []


def test_l5_what_can_be_read_becomes_a_new_case(lost):
    assert lost == []
