"""The boxes of words are packed and come back, and why text is hidden is said in words."""

from __future__ import annotations

from core.words import HIDDEN, WORD_BYTES, Word, Words

BOXES = [Word(0, 3, 1.0, 2.0, 3.0, 4.0), Word(4, 9, 5.0, 6.0, 7.0, 8.0)]


def test_boxes_come_back_as_they_were_packed():
    words = Words.of(BOXES)
    assert len(words.buffer) == 2 * WORD_BYTES
    assert (len(words), list(words)) == (2, BOXES)


def test_words_of_a_span_share_a_character_with_it():
    words = Words.of(BOXES)
    assert [words.within(*span) for span in ((0, 1), (3, 4), (2, 5), (9, 20))] == [BOXES[:1], [], BOXES, []]


def test_each_reason_has_its_words():
    assert all(reason and words and not words.endswith(".") for reason, words in HIDDEN.items())
