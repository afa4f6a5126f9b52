"""Sentences by the answer model: what answers stands first, what nothing answers is refused, what differs is seen."""

from __future__ import annotations

import pytest

from core.answers import answer_model, judgement
from core.answers.answer_model import AnswerModel, LinearModel, TreeModel
from core.answers.features import Context, days_of, table
from core.answers.question import understand
from core.answers.sentences import Rarity, SearchedPassage, rank, shortlist
from core.language.denial import denies
from tests.fakes import HashEmbedder

LOG = "Gate log\n\n2024-03-04 · time: 07:10 · unit: van 4\n2024-03-05 · time: 17:52 · unit: van 4"


def ranked(text: str, *passages: str):
    question = understand(text)
    searched = [SearchedPassage(passage, 0.5) for passage in passages]
    rarity = Rarity(50, dict.fromkeys(question.words, 2))
    short = shortlist(question.words, searched, rarity)
    ranking = rank(short, HashEmbedder().token_matches(text, [item.text for item in short]))
    contexts = [Context(passages[item.sentence.passage], f"{item.sentence.passage}", passages[item.sentence.passage])
                for item in ranking]  # fmt: skip
    return question, rarity, ranking, contexts


def rows_by_text(text: str, *passages: str, **options):
    question, rarity, ranking, contexts = ranked(text, *passages)
    rows = table(question, rarity, ranking, contexts, **options)
    return {item.sentence.text: row for item, row in zip(ranking, rows, strict=True)}


def test_notations_of_a_day_are_equal():
    assert days_of("28 September 2022") == days_of("2022-09-28 · time: 07:10") == days_of("September 28th") == {"09-28"}
    assert days_of("the 4th of March, May 12:30 and 31.01.2023") == {"03-04", "01-31"}


def test_a_row_of_the_day_asked_for_is_recognised():
    rows = rows_by_text("When did van 4 come in on 5 March 2024?", LOG)
    of_day = {text[:10]: (row["day_here"], row["other_day"]) for text, row in rows.items()}
    assert of_day["2024-03-05"] == (1.0, 0.0)
    assert of_day["2024-03-04"] == (0.0, 1.0)


def test_what_a_question_asks_for_is_looked_for_in_the_sentence():
    rows = rows_by_text("Which vessel took the passengers?", "A vessel took the passengers. They were cold. Why so?")
    assert [row["asked_here"] for row in rows.values()] == [float("vessel" in text) for text in rows]
    assert [row["question"] for row in rows.values()] == [float(text.endswith("?")) for text in rows]
    clocks = rows_by_text("At what time did it stop?", "It did stop at half past two. It did stop twice.")
    assert {text: row["fits"] for text, row in clocks.items()} == {
        "It did stop at half past two.": 1.0,
        "It did stop twice.": 0.0,
    }


def test_tokens_count_by_the_rarity_of_their_word():
    text, passage = "Who stopped the pump?", "The pump hums. Who is it?"
    even = rows_by_text(text, passage)["Who is it?"]["met_words"]
    by_word = rows_by_text(text, passage, pieces=[1, 1, 1, 1])["Who is it?"]["met_words"]
    assert even > 0.0 == by_word
    assert rows_by_text(text, passage, pieces=[2, 1])["Who is it?"]["met_words"] == even  # not of this question


def test_the_readers_figures_reorder():
    question, rarity, ranking, contexts = ranked("Who stopped the pump?", "Ann stopped it. Ben saw the pump.")
    model = AnswerModel(LinearModel(0.0, {"judged": 3.0}), TreeModel(0.0, ()), LinearModel(0.0, {}), 1.0)
    order = judgement.order(question, rarity, ranking, contexts, model)
    assert [row["judged"] for row in order.rows] == [0.0, 0.0]
    texts = [item.sentence.text for item in order.ranking]
    reordered = judgement.reordered(question, order, [0.25, 0.5], model)
    assert [item.sentence.text for item in reordered.ranking] == texts[::-1]
    assert [row["judged"] for row in reordered.rows] == [0.5, 0.25]


@pytest.mark.parametrize("text", ["It never rang.", "It didn't ring.", "It didn’t ring.", "Nobody rang."])
def test_denial(text):
    assert denies(text)
    assert not denies("It rang, he noted.")


def test_the_model_orders_and_shares_the_chance():
    question, rarity, ranking, contexts = ranked(
        "Who stopped the pump?", "Ann stopped the pump. Rain fell on the hill."
    )
    rows = table(question, rarity, ranking, contexts)
    for weight in (5.0, -5.0):
        order = judgement.arranged(question, ranking, rows, contexts, LinearModel(0.0, {"own": weight}))
        assert (order.ranking[0].sentence.text == "Ann stopped the pump.") == (weight > 0)
        assert sum(order.shares) == pytest.approx(1.0)
        assert order.shares[0] > order.shares[1]
        assert order.rows[0] is rows[[item.sentence for item in ranking].index(order.ranking[0].sentence)]


def test_the_weights_belong_to_existing_features():
    model = answer_model.load()
    question, rarity, ranking, contexts = ranked(
        "When did it stop?", "It stopped on 4 May 2021. It stopped on 5 May 2021."
    )
    order = judgement.order(question, rarity, ranking, contexts, model)
    assert model.rank.names <= set(order.rows[0])
    assert model.answers.names <= set(judgement.signs(question, order, 0.5))
    assert model.differ.names <= set(judgement.pair_signs(question, order, 0, 1, 0.5))


def test_different_values_are_a_feature_of_a_pair():
    texts = ("The relay was out for 47 minutes.", "The relay was out for 74 minutes.")
    question, rarity, ranking, contexts = ranked("How long was the relay out?", *texts)
    order = judgement.order(question, rarity, ranking, contexts, answer_model.load())
    signs = judgement.pair_signs(question, order, 0, 1, 0.5)
    assert (signs["differ"], signs["same"], signs["documents"]) == (1.0, 0.0, 1.0)
    assert not judgement.is_clear(order)  # a rival stands with another value


@pytest.mark.parametrize(
    ("text", "expected"),
    [("The cabinet was locked at 22:00.", False), ("The guard opened the steel cabinet at 21:01.", True)],
)
def test_a_sentence_with_little_of_the_question_is_not_clear(text, expected):
    asked = ranked("At what time was the steel cabinet opened by the guard?", text)
    order = judgement.order(*asked, answer_model.load())
    assert judgement.is_clear(order) is expected


def test_a_label_and_its_value_are_one_sentence():
    passage = "Facts\n\nPopulation:\n\n783,305\n\nArea:\n\n\n\n12 km"
    short = shortlist(("population", "area"), [SearchedPassage(passage)], Rarity(50, {}))
    assert {item.text for item in short} == {"Facts", "Population:\n\n783,305", "Area:", "12 km"}
    assert all(passage[item.span.start : item.span.end] == item.text for item in short)


@pytest.mark.parametrize(
    ("text", "expectation"),
    [
        ("The boat made seven knots.", False),
        ("I think we were making seven knots.", True),
        ("It may have been seven knots.", True),
        ("In May 2019 it made seven knots.", False),
        ("The judge asked whether it made seven knots.", True),
    ],
)
def test_a_hedge_answers_nothing_for_sure(text, expectation):
    assert judgement.is_hedged(text) is expectation
