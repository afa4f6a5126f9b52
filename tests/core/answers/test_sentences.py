"""The order of sentences: by words, by rarity, by what they meet of the question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.answers.question import understand
from core.answers.sentences import (
    RankedSentence,
    Rarity,
    SearchedPassage,
    Sentence,
    of_named_rows,
    rank,
    shortlist,
    with_name,
    without_headings,
)
from core.domain import Span
from tests.fakes import HashEmbedder

PASSAGES = [
    SearchedPassage("The hall was cold. The relay dropped out at two. Nobody came.", 0.5),
    SearchedPassage("Rain fell all night. The hall was empty.", 0.2),
]
RARITY = Rarity(100, {"relay": 2, "hall": 50, "dropped": 3})
WORDS = ["relay", "dropped", "hall"]


def test_a_sentence_is_a_span_of_its_passage():
    for row in shortlist(WORDS, PASSAGES, RARITY):
        assert PASSAGES[row.passage].text[row.span.start : row.span.end] == row.text


def test_rare_words_weigh_more():
    best = shortlist(WORDS, PASSAGES, RARITY)[0]
    assert best.text == "The relay dropped out at two."
    assert best.near == 1.0  # with the sentence before it, which names the hall
    assert RARITY.weight("relay") > RARITY.weight("hall")
    assert RARITY.weight("unheard") > RARITY.weight("relay")


def test_tokens_decide_between_sentences_that_share_as_many_words():
    passages = [SearchedPassage("The relay was new. The relay was faulty and dropped out.", 0.5)]
    short = shortlist(["relay", "faulty"], passages, RARITY)
    order = rank(short, HashEmbedder().token_matches("faulty relay", [row.text for row in short]))
    assert order[0].sentence.text == "The relay was faulty and dropped out."
    assert order[0].met == 1.0
    assert order[0].score > order[1].score


def test_without_a_search_model_the_words_rank():
    passages = [SearchedPassage("Rain fell."), SearchedPassage("The relay dropped out.")]
    order = rank(shortlist(["relay"], passages, RARITY), None)
    assert order[0].sentence.text == "The relay dropped out."


def test_nothing_to_rank():
    assert shortlist(["relay"], [], RARITY) == []
    assert shortlist([], PASSAGES, RARITY) == []
    assert rank([], []) == []


def test_the_order_is_deterministic():
    repeats = [shortlist(WORDS, PASSAGES, RARITY) for _ in range(2)]
    assert repeats[0] == repeats[1]


def test_ties_go_to_the_first():
    passages = [SearchedPassage("The relay fell."), SearchedPassage("The relay fell.")]
    assert [row.passage for row in shortlist(["relay"], passages, RARITY)] == [0, 1]


def test_rows_with_other_names_than_the_questions_are_left_out():
    lines = ["K-2 · Moved: 22:40", "K-7 · Moved: 23:15", "The crane K-2 stood still."]
    ranking = [
        RankedSentence(Sentence(0, Span(0, len(line)), line, 0.9, 0.9, 0.0, 1.0, 1.0, 0.5), 1.0) for line in lines
    ]
    assert [row.sentence.text for row in of_named_rows("When did crane K-7 move?", ranking)] == lines[1:]
    assert of_named_rows("When did the cranes move?", ranking) == ranking
    separate = [ranking[0], replace(ranking[1], sentence=replace(ranking[1].sentence, passage=1))]
    assert of_named_rows("When did crane K-7 move?", separate) == separate


def test_the_row_of_the_headings_answers_nothing():
    rows = (
        "Town · Cost 2018 · Cost 2019",
        "Brede · Cost 2018: 212 · Cost 2019: 95",
        "Osta · Cost 2018: 1 · Cost 2019: 2",
    )
    table = "\n".join(rows)
    candidates = shortlist(["cost", "Brede"], [SearchedPassage(table, 0.5)], RARITY)
    texts = [row.text for row in without_headings(candidates)]
    assert sorted(texts) == sorted(row.text for row in candidates if not row.text.startswith("Town"))
    assert len(texts) == len(candidates) - 1


@pytest.mark.parametrize(
    ("text", "before", "named"),
    [
        ("She earns 900 crowns a week.", "Ms Runa Holt has worked for Tarn Mills since May 2021.",
         "Runa Holt earns 900 crowns a week."),
        ("Her wage is 900 crowns.", "Holt works at the mill.", "Runa Holt's wage is 900 crowns."),
        ("She earns 900 crowns a week.", "Bodil Lind told Runa Holt of it.", ""),
        ("She earns 900 crowns a week.", "Runa Holt met Bodil Lind.", ""),
        ("She earns 900 crowns a week.", "Runa Strand works at the mill.", ""),
        ("Sheds cost 900 crowns.", "Runa Holt works at the mill.", ""),
    ],
)  # fmt: skip
def test_a_pronoun_stands_for_the_name_of_the_sentence_before(text, before, named):
    assert with_name(text, before, ("Runa Holt",)) == named


def test_a_sentence_with_a_pronoun_is_read_with_the_name_and_quoted_without():
    passage = "Runa Holt joined the mill in May. She earns 900 crowns a week."
    question = understand("How much does Runa Holt earn?")
    short = shortlist(question.words, [SearchedPassage(passage)], RARITY, names=question.names)
    row = next(row for row in short if row.text.startswith("She"))
    assert row.read == "Runa Holt earns 900 crowns a week."
    assert passage[row.span.start : row.span.end] == row.text
