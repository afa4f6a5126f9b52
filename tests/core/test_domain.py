"""The nouns of the product, where they do more than hold a value."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import (
    EARLIER,
    SECOND_READER,
    WORD_BYTES,
    Changes,
    OtherVerdict,
    Probabilities,
    Proposal,
    Quote,
    Verdict,
    Word,
    Words,
)

SUPPORTS = Verdict("supports", Probabilities(0.8, 0.1, 0.1), "small model")
NEUTRAL = Verdict("neutral", Probabilities(0.1, 0.1, 0.8), "large model")
PROPOSAL = Proposal(
    *("P1", "H1", 1, Quote("D1", 1, 1, 0, 4, "Rain", "0"), "log.txt", SUPPORTS, None, None, None, "It rained.")
)

SMALL = st.integers(0, 2**32 - 1)
POINTS = st.floats(0, 10_000, width=32)


@given(st.lists(st.builds(Word, SMALL, SMALL, POINTS, POINTS, POINTS, POINTS), max_size=5))
def test_words_come_back_as_they_were_packed(words):
    packed = Words.of(words)
    assert list(packed) == words
    assert (len(packed), len(packed.buffer)) == (len(words), WORD_BYTES * len(words))


def test_words_within_share_a_character():
    words = Words.of([Word(0, 3, 0, 0, 1, 1), Word(4, 8, 0, 0, 1, 1), Word(9, 12, 0, 0, 1, 1)])
    assert [word.start for word in words.within(3, 9)] == [4]  # an end is behind its last character
    assert [word.start for word in words.within(2, 10)] == [0, 4, 9]


def test_a_verdict_that_is_not_shown_counts_as_undecided():
    assert PROPOSAL.shown_label == "supports"
    assert replace(PROPOSAL, withheld=True).shown_label == "ambiguous"


@pytest.mark.parametrize(
    ("role", "verdict", "disputed", "agreed"),
    [
        (SECOND_READER, NEUTRAL, True, False),
        (SECOND_READER, SUPPORTS, False, True),
        (EARLIER, NEUTRAL, False, False),
        (EARLIER, SUPPORTS, False, False),
    ],
)
def test_only_the_label_of_a_second_reader_disputes_a_verdict_or_agrees(role, verdict, disputed, agreed):
    other = OtherVerdict("P1", role, verdict, "It rained.", "2026-11-21T04:15:00Z")
    proposal = replace(PROPOSAL, others=(other,))
    assert (proposal.disputed, proposal.agreed) == (disputed, agreed)
    assert proposal.shown_label == ("ambiguous" if disputed else "supports")


def test_two_readers_that_cannot_decide_agree_on_nothing():
    undecided = replace(NEUTRAL, label="ambiguous")
    second = OtherVerdict("P1", SECOND_READER, undecided, "It rained.", "2026-11-21T04:15:00Z")
    assert not replace(PROPOSAL, verdict=undecided, others=(second,)).agreed
    assert not PROPOSAL.agreed  # nobody read it a second time


def test_changes_add_up_and_meet():
    both = Changes(documents=True) | Changes(matrix=True)
    assert both == Changes(documents=True, matrix=True)
    assert both & Changes(matrix=True, evidence=True)
    assert not both & Changes(evidence=True)
