from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search import ranking
from core.search.ranking import FUSION_K, Hit

ranked = st.lists(st.integers(1, 60), unique=True, max_size=40).map(
    lambda ids: [(chunk, 1.0 - rank / 100) for rank, chunk in enumerate(ids)]
)


def test_fusion_is_the_published_formula():
    hits = ranking.fuse([(7, 0.9), (3, 0.8)], [(3, 12.0), (9, 4.0)])
    assert [hit.chunk for hit in hits] == [3, 7, 9]
    assert hits[0].score == pytest.approx(1 / (FUSION_K + 2) + 1 / (FUSION_K + 1))
    assert (hits[0].vector_rank, hits[0].lexical_rank, hits[0].similarity) == (2, 1, 0.8)
    assert (hits[2].vector_rank, hits[2].similarity) == (None, None)
    weighted = ranking.fuse([(7, 0.9), (3, 0.8)], [(3, 12.0), (9, 4.0)], weight=0.1)
    assert [hit.chunk for hit in weighted] == [3, 9, 7]
    assert weighted[2].score == pytest.approx(0.1 / (FUSION_K + 1))


def test_a_language_that_the_embedder_spells_out_counts_less():
    whole = ranking.vector_weight("who opened the valve", 4)
    assert whole == 0.8
    weights = [ranking.vector_weight("who opened the valve", pieces) for pieces in range(4, 20)]
    assert weights == sorted(weights, reverse=True)
    assert ranking.vector_weight("who opened the valve", 7) == pytest.approx(0.8 - 0.64 * 0.25 / 0.4)
    assert ranking.vector_weight("кто открыл клапан", 21) == 0.05
    # No blanks between words: two signs are about a word.
    assert ranking.vector_weight("谁打开了阀门", 4) == whole
    assert ranking.vector_weight("…", 1) == whole
    assert ranking.bare("Who -- opened: the (valve)?!") == "Who opened the valve"


@given(ranked, ranked)
def test_fusion_keeps_every_hit_once_and_breaks_ties_by_id(vector, lexical):
    hits = ranking.fuse(vector, lexical)
    assert {hit.chunk for hit in hits} == {c for c, _ in vector} | {c for c, _ in lexical}
    assert len(hits) == len({hit.chunk for hit in hits})
    keys = [(-hit.score, hit.chunk) for hit in hits]
    assert keys == sorted(keys)


@given(ranked, ranked, st.integers(1, 10), st.integers(1, 3))
def test_choice_respects_both_limits_and_the_order(vector, lexical, limit, per_document):
    hits = ranking.fuse(vector, lexical)
    chosen = ranking.diversify(hits, lambda c: f"D{c % 4}", limit=limit, per_document=per_document)
    documents = [hit.chunk % 4 for hit in chosen]
    assert len(chosen) <= limit
    assert all(documents.count(d) <= per_document for d in documents)
    assert [hits.index(hit) for hit in chosen] == sorted(hits.index(hit) for hit in chosen)
    if len(chosen) < limit:  # nothing that would have fitted was left out
        left = [hit for hit in hits if hit not in chosen]
        assert all(documents.count(hit.chunk % 4) >= per_document for hit in left)


def test_a_minimum_similarity_leaves_out_what_is_below_or_unknown():
    hits = [Hit(1, 0.3, 1, 1, 0.8), Hit(2, 0.2, 2, None, 0.2), Hit(3, 0.1, None, 2, None)]
    near_hits = ranking.diversify(hits, lambda _: "D1", limit=9, per_document=9, min_similarity=0.5)
    assert [hit.chunk for hit in near_hits] == [1]


def test_query_words_lose_stop_words_but_never_all_of_them():
    assert ranking.terms("Who opened the valve, and why the valve?") == ["opened", "valve"]
    assert ranking.terms("To be or not to be") == ["to", "be", "or", "not"]
    assert ranking.terms("…") == []


@pytest.mark.parametrize(
    ("vector", "lexical", "similarity", "word"),
    [
        (1, 2, 0.6, "high"),
        (3, 3, 0.5, "high"),
        (3, 3, 0.49, "medium"),
        (4, 1, 0.9, "medium"),
        (10, 10, 0.4, "medium"),
        (1, None, 0.66, "medium"),
        (1, None, 0.5, "low"),
        (11, 1, 0.38, "low"),
        (1, 1, 0.2, "insufficient"),
        (None, 40, 0.1, "insufficient"),
        (None, 2, None, "medium"),
        (None, 4, None, "low"),
    ],
)
def test_confidence_says_how_far_the_legs_agree(vector, lexical, similarity, word):
    assert ranking.confidence(Hit(1, 0.1, vector, lexical, similarity)) == word


def test_nearness_says_nothing_in_a_language_that_is_spelt_out():
    assert ranking.confidence(Hit(1, 0.1, 1, 1, 0.9), near=False) == "medium"
    assert ranking.confidence(Hit(1, 0.1, 1, 30, 0.9), near=False) == "low"
    assert ranking.confidence(Hit(1, 0.1, 1, None, 0.9), near=False) == "low"


def test_a_passage_answers_by_meaning_or_by_all_its_words():
    text = "On Tuesday the badge readers were switched off once more."
    assert ranking.answers("badge reader switched off", text, None)
    assert ranking.answers("badge reader switched off", text, 0.1)
    assert not ranking.answers("badge reader stolen", text, 0.1)
    assert ranking.answers("badge reader stolen", text, ranking.ANSWERS)
    assert not ranking.answers("bad", text, None)  # a part of a word is not the word
    assert not ranking.answers("…", text, None)


def test_a_passage_of_another_language_is_ranked_by_its_vector():
    vector, lexical = [(1, 0.9), (2, 0.8), (3, 0.7)], [(3, 9.0), (2, 5.0)]
    assert [hit.chunk for hit in ranking.fuse(vector, lexical, weight=0.8)] == [3, 2, 1]
    hits = ranking.fuse(vector, lexical, weight=0.8, foreign={1, 2, 3})
    assert [hit.chunk for hit in hits] == [1, 2, 3]
    assert hits[2].lexical_rank == 1
    # first by both ways in the query's language, or first by the one that counts in another: they are equal
    native, foreign = ranking.fuse([(4, 0.9)], [(4, 9.0)]), ranking.fuse([(4, 0.9)], [], foreign={4})
    assert native[0].score == pytest.approx(foreign[0].score)


def test_what_lies_near_for_its_language_is_set_back():
    native_hits, foreign_hits = [(1, 0.90), (2, 0.85)], [(3, 0.87), (4, 0.80)]
    assert ranking.level_languages(native_hits, foreign_hits, 3) == [(3, 0.87), (1, 0.90), (2, 0.85)]


def test_a_model_of_many_languages_has_one_weight():
    model = f"multilingual-e5-small {ranking.MULTILINGUAL[0]} onnxruntime 1"
    assert ranking.vector_weight("кто открыл клапан", 21, model) == ranking.MULTILINGUAL_WEIGHT
    assert ranking.vector_weight("кто открыл клапан", 21, "another") == 0.05
