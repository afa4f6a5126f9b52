"""Who says the words that a sentence quotes."""

from __future__ import annotations

import pytest

from core.audit.speakers import author_in, is_named, speakers


@pytest.mark.parametrize(
    ("frame", "names"),
    [
        ("Of the key Mr Dray says:        .", ["Mr Dray"]),
        ("        , wrote Ruth Pellinor.", ["Ruth Pellinor"]),
        ("        , as Oldroyd puts it.", ["Oldroyd"]),
        ("The report on Long Quay has        .", []),
        ("Duty officers said        .", []),
    ],
)
def test_a_speaker_is_next_to_a_verb_of_saying(frame, names):
    assert [frame[start:end] for start, end in speakers(frame)] == names


@pytest.mark.parametrize(
    ("name", "text", "expectation"),
    [("Mr Dray", "statement_dray.txt", True), ("Mr Dray", "Mr Tuckwell spoke.", False), ("Ms", "Nobody.", True)],
)
def test_a_name_is_matched_by_any_word_except_a_title(name, text, expectation):
    assert is_named(name, [text]) is expectation


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("STATEMENT OF RUTH VANCE, cook", "RUTH VANCE"),
        ("Witness statement by Ms Okafor", "Ms Okafor"),
        ("Statement of the cook", ""),
        ("Minutes of Weir Works", ""),
    ],
)
def test_a_title_says_whose_account_it_is(title, name):
    assert author_in(title) == name
