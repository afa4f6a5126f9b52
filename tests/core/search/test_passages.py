"""What is said of a passage that was found: its level, its ranks, and how far the best answers a question."""

from __future__ import annotations

import pytest

from core.domain import Chunk
from core.search.passages import Question, best_level, has_phrase, passage_of, ranks_of, unranked
from core.search.ranking import Hit

CHUNK = Chunk(7, 3, "D1", "log.txt", 1, 0, 16, "The pump stopped")


def found(*, vector=None, lexical=None, similarity=None, near=True):
    return passage_of(Hit(7, 0.5, vector, lexical, similarity), CHUNK, near=near)


@pytest.mark.parametrize(
    ("passage", "level", "ranks"),
    [
        (found(vector=1, lexical=2, similarity=0.714), "high", ["meaning 1", "words 2", "similarity .71"]),
        (found(lexical=4), "low", ["words 4"]),
        (found(vector=9, similarity=0.1), "low", ["meaning 9", "similarity .10"]),
        (unranked(CHUNK, 1), "low", []),
    ],
)
def test_a_passage_says_how_sure_it_is_and_how_each_way_ranked_it(passage, level, ranks):
    assert (passage.confidence, ranks_of(passage)) == (level, ranks)


def test_the_best_passage_says_how_far_a_question_is_answered():
    ask = Question("the pump", "model", b"v")
    assert best_level(ask, []) == "insufficient"
    assert best_level(ask, [found(vector=9, similarity=0.1), found(vector=1, lexical=1, similarity=0.9)]) == "high"
    spelt = Question("xqzz", "model", b"v", weight=0.0)
    assert best_level(spelt, [found(vector=1, similarity=0.9)]) == "insufficient"
    assert best_level(Question("the pump"), [found(lexical=40)]) == "low"


@pytest.mark.parametrize(
    ("query", "phrase"),
    [
        ("pump stopped", True),
        ("The PUMP stopped", True),
        ("pump stop", False),  # words, and no beginnings of words
        ("the pump", False),  # one telling word alone is no phrase
        ("stopped pump", False),
    ],
)
def test_a_passage_with_the_phrase_searched_for_is_never_of_low_confidence(query, phrase):
    passage = passage_of(Hit(7, 0.5, None, 12, 0.1), CHUNK, near=True, query=query)
    assert has_phrase(query, CHUNK.text) is phrase
    assert passage.confidence == ("medium" if phrase else "low")
