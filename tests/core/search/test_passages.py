"""What is said of a passage that was found: its level, its ranks, and how far the best answers a question."""

from __future__ import annotations

import pytest

from core.domain import Chunk
from core.search.passages import Question, best_level, has_phrase, passage_of, ranks_of, unranked
from core.search.ranking import MEASURED, MULTILINGUAL, Hit

CHUNK = Chunk(7, 3, "D1", "log.txt", 1, 0, 16, "The pump stopped")


ASK = Question("the pump", MEASURED[0])


def passage_with(*, vector=None, lexical=None, similarity=None):
    return passage_of(Hit(7, 0.5, vector, lexical, similarity), CHUNK, ASK)


@pytest.mark.parametrize(
    ("passage", "level", "ranks"),
    [
        (passage_with(vector=1, lexical=2, similarity=0.714), "high", ["meaning 1", "words 2", "similarity .71"]),
        (passage_with(lexical=4), "low", ["words 4"]),
        (passage_with(vector=9, similarity=0.1), "low", ["meaning 9", "similarity .10"]),
        (unranked(CHUNK, 1), "low", []),
    ],
)
def test_a_passage_says_how_sure_it_is_and_how_each_way_ranked_it(passage, level, ranks):
    assert (passage.confidence, ranks_of(passage)) == (level, ranks)


def test_the_best_passage_says_how_far_a_question_is_answered():
    ask = Question("the pump", "model", b"v")
    assert best_level(ask, []) == "insufficient"
    assert (
        best_level(ask, [passage_with(vector=9, similarity=0.1), passage_with(vector=1, lexical=1, similarity=0.9)])
        == "high"
    )
    spelt = Question("xqzz", "model", b"v", weight=0.0)
    assert best_level(spelt, [passage_with(vector=1, similarity=0.9)]) == "insufficient"
    assert best_level(Question("the pump"), [passage_with(lexical=40)]) == "low"


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
    passage = passage_of(Hit(7, 0.5, None, 12, 0.1), CHUNK, Question(query, MEASURED[0]))
    assert has_phrase(query, CHUNK.text) is phrase
    assert passage.confidence == ("medium" if phrase else "low")


@pytest.mark.parametrize(
    ("rank", "similarity", "foreign", "model", "level"),
    [
        (3, 0.84, True, MULTILINGUAL[0], "high"),
        (4, 0.84, True, MULTILINGUAL[0], "medium"),
        (10, 0.82, True, MULTILINGUAL[0], "medium"),
        (11, 0.9, True, MULTILINGUAL[0], "low"),
        (1, 0.81, True, MULTILINGUAL[0], "low"),
        (None, 0.9, True, MULTILINGUAL[0], "low"),
        (1, 0.9, False, MULTILINGUAL[0], "low"),  # in the question's own language its words would be in it
        (1, 0.9, True, "sha256:unknown", "low"),
    ],
)
def test_a_passage_in_another_language_is_as_sure_as_its_cosine_where_that_was_measured(
    rank, similarity, foreign, model, level
):
    ask = Question("die Pumpe", model, b"v", weight=0.8, languages=frozenset({"de"}))
    passage = passage_of(Hit(7, 0.5, rank, None, similarity, foreign), CHUNK, ask)
    assert (passage.confidence, passage.trusted) == (level, False)
    assert passage.foreign is (foreign and model == MULTILINGUAL[0])
    assert best_level(ask, [passage]) == level
