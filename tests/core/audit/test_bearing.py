"""How far sources bear a sentence out: their order, the signs, the score."""

from __future__ import annotations

from core.answers.sentences import Rarity
from core.audit.bearing import IN_A_CASE, SUPPORTED, Candidate, compare, order, score, signs
from core.audit.rules import stock

TEXT = "The relay of pump two was out for 47 minutes. Rain fell on Weir Lane."
CANDIDATES = [Candidate("Rain fell on Weir Lane.", TEXT), Candidate(TEXT[:45], TEXT)]
RARITY = Rarity(10, {"relay": 1, "pump": 2, "minutes": 5})


def test_the_sentence_with_most_of_the_words_is_first():
    assert [index for _, index in order("The relay of pump two was out.", CANDIDATES, RARITY)] == [1, 0]
    assert order("Nothing of the kind.", [], RARITY) == []


def test_only_a_verbatim_sentence_is_supported():
    for text, is_borne_out in (("The relay of pump two was out for 47 minutes.", True), ("Bishops baptise.", False)):
        differences = compare(text, CANDIDATES[1:], stock(TEXT))
        read = signs(text, CANDIDATES[1:], stock(TEXT), differences)
        assert (score(read, IN_A_CASE) >= SUPPORTED) is is_borne_out
    altered = "The relay of pump two was out for 74 minutes."
    read = signs(altered, CANDIDATES[1:], stock(TEXT), compare(altered, CANDIDATES[1:], stock(TEXT)))
    assert read.figures == 1.0
    assert score(read, IN_A_CASE) < SUPPORTED


def test_of_the_rows_of_a_log_that_with_the_time_of_the_sentence_comes_first():
    rows = [
        Candidate(text, text)
        for text in (
            "22:03:05 · channel: watch alarm · reading: reset button pressed",
            "22:45:31 · channel: watch alarm · reading: reset button pressed",
            "22:45:31 · channel: GPS · reading: 11.2 kn",
        )
    ]
    order_of = [
        index for _, index in order("The reset button of the watch alarm was pressed at 22:45:31.", rows, RARITY)
    ]
    assert order_of == [1, 0, 2]
