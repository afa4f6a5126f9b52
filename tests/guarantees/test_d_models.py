"""Model files and what they answer."""

from __future__ import annotations


def test_d1_a_bad_model_file_is_refused(lost):
    assert lost == []


def test_d2_a_model_is_known_by_its_bytes(lost):
    assert lost == []


def test_d3_no_template_is_run(lost):
    assert lost == []


def test_d4_no_text_becomes_a_control_word(lost):
    assert lost == []


def test_d5_memory_is_asked_for_before(lost):
    assert lost == []


def test_d6_what_does_not_end_is_ended(lost):
    assert lost == []


def test_d7_only_sound_answers_are_kept(lost):
    assert lost == []


def test_d8_the_same_model_says_the_same(lost):
    assert lost == []
