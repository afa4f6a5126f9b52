"""Windows of a passage: every sentence in one of them, none longer than a clue unless a sentence is."""

from __future__ import annotations

import itertools
import random

import pytest

from core.domain import Span
from core.review.windows import HEADING, WORDS, windows
from core.text import sentences


def test_short_sentences_share_a_window():
    text = "The gate was open. Nobody saw the van. It rained."
    assert [text[span.start : span.end] for span in windows(text)] == [text]


def test_a_paragraph_ends_a_window():
    first, second = "The gate to the yard was open.", "Nobody on the street saw the van."
    text = f"{first}\n\n{second}"
    assert [text[span.start : span.end] for span in windows(text)] == [first, second]


def test_a_heading_goes_with_what_follows_and_a_greeting_with_what_precedes():
    letter = "The gate to the yard was open."
    text = f"Forwarded message\n\n{letter}\n\nYours"
    assert [text[span.start : span.end] for span in windows(text)] == [text]


def test_a_long_sentence_is_a_window_of_its_own():
    long = "The log " + "of the night " * WORDS + "ends here."
    opening, ending = "It rained all night on the hill.", "It stopped when the day came up."
    text = f"{opening} {long} {ending}"
    assert [text[span.start : span.end] for span in windows(text)] == [opening, long, ending]


@pytest.mark.parametrize("seed", range(5))
def test_every_sentence_lies_in_exactly_one_window(seed):
    luck = random.Random(seed)
    text = " ".join(
        " ".join(luck.choice(("pump", "gate", "valve", "night")) for _ in range(luck.randrange(2, 60))).capitalize()
        + "."
        for _ in range(12)
    )
    spans = windows(text)
    assert all(left.end <= right.start for left, right in itertools.pairwise(spans))
    for sentence in sentences(text):
        body = text[sentence.start : sentence.end].strip()
        assert sum(body in text[span.start : span.end] for span in spans) >= 1
    assert all(
        len(text[span.start : span.end].split()) <= WORDS + HEADING or text[span.start : span.end].count(".") <= 3
        for span in spans
    )


def test_nothing_has_no_window():
    assert windows(" \n") == []


def test_what_states_nothing_is_in_no_window():
    title, saying, other_saying = "Report of the guard", "The gate to the yard was open.", "Nobody saw the van."
    text = f"{title}\n\n{saying}\n{title}\n{other_saying}"
    second = text.rindex(title)
    furniture = [Span(0, len(title) + 1), Span(second, second + len(title))]
    assert [text[span.start : span.end] for span in windows(text, furniture)] == [saying, other_saying]


def test_what_states_nothing_stands_where_there_is_nothing_else():
    text = "Report of the guard"
    assert windows(text, [Span(0, len(text))]) == [Span(0, len(text))]
