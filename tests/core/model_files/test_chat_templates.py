"""A family of chat models is known by its control words, and asked in its own frame of them."""

from __future__ import annotations

import pytest

from core.model_files import chat_templates
from core.model_files.chat_templates import EMPTY_THINKING, FAMILIES, PLAIN


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_family_is_known_by_its_control_words_among_others(family):
    assert chat_templates.of({*family.marks, "<unused0>"}) is family
    for missing in family.marks:
        assert chat_templates.of(family.marks - {missing}) is not family


def test_a_model_of_no_known_family_is_asked_in_plain_words():
    assert chat_templates.of(()) is PLAIN
    assert chat_templates.of({"<s>", "</s>"}) is PLAIN
    assert (PLAIN.opening, PLAIN.closing, PLAIN.marks) == ((), (), frozenset())


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_model_that_thinks_first_is_given_an_empty_thought_as_one_that_is_over(family):
    template = chat_templates.of({*family.marks, "<think>", "</think>"})
    assert template.name == f"{family.name} without thinking"
    assert template.opening == family.opening
    assert template.closing == (*family.closing, *EMPTY_THINKING)
    assert chat_templates.of({*family.marks, "<think>"}) is family  # a word that cannot be closed is no thought
