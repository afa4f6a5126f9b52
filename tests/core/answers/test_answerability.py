"""Signs that a sentence answers, and what follows from them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.answers import answerability
from core.answers.answerability import Signs, absent, signs
from core.answers.question import understand
from core.answers.sentences import Rarity, SearchedPassage, rank, shortlist
from core.stats import Fit
from tests.fakes import HashEmbedder

GOOD = Signs(1.0, 1.0, 0.0, 0.7, 0.6, 0.85, 0.7, 0.6, 1.0, 1.0, 1.0, 0.5)


def read(text: str, passage: str, document: str | None = None) -> Signs:
    question = understand(text)
    short = shortlist(question.words, [SearchedPassage(passage, 0.5)], Rarity(50, dict.fromkeys(question.words, 1)))
    matches = HashEmbedder().token_matches(text, [row.text for row in short])
    return signs(question, rank(short, matches), document or passage)


def test_more_of_the_question_is_a_better_sign():
    full = read("When did the relay fail?", "The relay did fail when it froze on 14 March 2014.")
    little = read("When did the relay fail?", "The hall and the relay were locked.")
    assert full.near > little.near
    assert full.typed == 1.0
    assert little.typed == 0.0
    assert answerability.WITH_MEANING.probability(full) > answerability.WITH_MEANING.probability(little)


def test_names_and_figures_are_looked_for_in_the_whole_document():
    question = "What did Klara Bost say of the 47 crates?"
    assert read(question, "She would say no more.", "Klara Bost came. 47 crates stood there.").names == 1.0
    distant = read(question, "She would say no more.", "Ruben Aske came. 74 crates stood there.")
    assert (distant.names, distant.numbers) == (0.0, 0.0)
    assert absent(("Klara Bost", "47"), "Klara Bost saw 74 crates") == ["47"]


@pytest.mark.parametrize("fit", [answerability.WITH_MEANING, answerability.WORDS_ALONE])
@pytest.mark.parametrize("sign", ["near", "around", "names", "numbers", "typed"])
def test_a_missing_sign_makes_an_answer_less_likely(fit, sign):
    assert fit.probability(replace(GOOD, **{sign: 0.0})) < fit.probability(GOOD)


def test_good_signs_answer_and_bad_ones_do_not():
    bad = replace(GOOD, near=0.3, around=0.4, met_least=0.1, together=0.4, together_worst=0.2, names=0.0)
    for fit in (answerability.WITH_MEANING, answerability.WORDS_ALONE):
        assert fit.probability(GOOD) >= answerability.ANSWERED
    assert answerability.WITH_MEANING.probability(bad) < 0.1


def test_no_number_is_too_large():
    fit = Fit(0.0, {"near": 1e9})
    assert 0.0 < fit.probability(replace(GOOD, near=-1.0)) < fit.probability(GOOD) < 1.0 + 1e-9


def test_a_date_of_the_question_may_stand_in_another_form_in_the_document():
    names = ("10", "March", "2023")
    question = "Who signed the register on 10 March 2023?"
    assert absent(names, "2023-03-10 Fenn", question) == []
    assert absent(names, "2023-04-10 Fenn", question) == ["March"]
