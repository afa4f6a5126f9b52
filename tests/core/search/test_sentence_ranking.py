"""The sentences of a few passages in the order in which they answer a query."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Plus

from core.search.sentence_ranking import best_of_each, ranked
from core.text import sentences

YARD = "The yard lay still. A guard walked by. Nobody opened the sluice valve before dawn. The gate was shut."
PUMP = "The pump was built in 1987. Its seal was new. The pump stopped at dawn."


def texts_of(query, passages):
    return [passages[sentence.passage][sentence.span.start : sentence.span.end] for sentence in ranked(query, passages)]


def test_the_sentence_with_the_words_of_the_query_comes_first():
    assert texts_of("Who opened the valve?", [PUMP, YARD])[0] == "Nobody opened the sluice valve before dawn."
    assert texts_of("When did the pump stop?", [PUMP, YARD])[0] == "The pump stopped at dawn."


def test_rare_words_count_more_than_common_ones():
    passages = ["The pump ran. The pump ran well. The pump leaked. The seal of it leaked oil."]
    assert texts_of("pump seal", passages)[0] == "The seal of it leaked oil."


def test_another_form_of_a_word_counts():
    assert texts_of("opening valves", [YARD])[0] == "Nobody opened the sluice valve before dawn."


def test_sentences_that_are_equal_stand_in_the_order_of_the_text():
    passages = ["The valve is shut. The valve is shut.", "The valve is shut."]
    ranking = ranked("valve", passages)
    assert [(sentence.passage, sentence.span.start) for sentence in ranking] == [(0, 0), (0, 19), (1, 0)]
    assert len({sentence.score for sentence in ranking}) == 1


def test_without_a_word_of_the_query_nothing_is_put_before_the_first_sentence():
    for query in ("tanker", "", "?!"):
        assert texts_of(query, [YARD]) == [YARD[span.start : span.end] for span in sentences(YARD)]
        assert {sentence.score for sentence in ranked(query, [YARD])} == {0.0}
        assert [span.start for span in best_of_each(query, [YARD, PUMP])] == [0, 0]


def test_each_passage_has_its_best_sentence():
    best = best_of_each("dawn valve", [PUMP, YARD, "", "  \n "])
    assert [text[span.start : span.end] for text, span in zip((PUMP, YARD), best, strict=False)] == [
        "The pump stopped at dawn.",
        "Nobody opened the sluice valve before dawn.",
    ]
    assert [span.start for span in best[2:]] == [0, 0]
    assert best_of_each("dawn", []) == []


@pytest.mark.parametrize("seed", range(5))
def test_the_order_is_that_of_rank_bm25_and_company_changes_only_the_weights(seed):
    rng = random.Random(seed)
    vocabulary = [f"{a}{b}" for a in ("ka", "lo", "mi", "ru", "te") for b in ("n", "s", "r", "l", "v")]
    passages = [
        " ".join(" ".join(rng.choices(vocabulary, k=rng.randrange(3, 9))).capitalize() + "." for _ in range(6))
        for _ in range(4)
    ]
    query = " ".join(rng.sample(vocabulary, 3))
    cut = [re.findall(r"\w+", text[s.start : s.end].casefold()) for text in passages for s in sentences(text)]
    scores = BM25Plus(cut).get_scores(query.split())
    order = sorted(range(len(cut)), key=lambda index: (-round(float(scores[index]), 7), index))
    places = [(number, span) for number, text in enumerate(passages) for span in sentences(text)]
    assert [(sentence.passage, sentence.span) for sentence in ranked(query, passages)] == [
        places[index] for index in order
    ]


@given(st.text(), st.lists(st.text(), max_size=4))
def test_any_texts_give_every_sentence_once_and_scores_that_fall(query, passages):
    ranking = ranked(query, passages)
    places = {(number, span) for number, text in enumerate(passages) for span in sentences(text)}
    assert len(ranking) == len(places)
    assert {(sentence.passage, sentence.span) for sentence in ranking} == places
    scores = [sentence.score for sentence in ranking]
    assert scores == sorted(scores, reverse=True)
    assert all(score >= 0 for score in scores)
    assert len(best_of_each(query, passages)) == len(passages)
