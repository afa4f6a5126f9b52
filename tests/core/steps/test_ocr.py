"""Which words of a scan come first for review."""

from __future__ import annotations

from core.ports import UNREAD, OcrWord
from core.steps.ocr import queue


def word(text: str, confidence: float = 0.95, other: str = "") -> OcrWord:
    return OcrWord(text, confidence, 0, 0, 10, 10, (), other)


def order(*words: OcrWord, **options) -> list[str]:
    return [words[doubt.word].text for doubt in queue(words, **options)]


def test_every_word_is_in_the_queue_once():
    words = [word("a"), word("b", 0.4), word("a")]
    assert sorted(doubt.word for doubt in queue(words)) == [0, 1, 2]
    assert queue([]) == []


def test_the_less_sure_come_first_and_of_equals_the_earlier():
    assert order(word("one", 0.9), word("two", 0.3), word("three", 0.9)) == ["two", "one", "three"]


def test_a_number_a_negation_and_a_name_come_before_a_plain_word_as_sure():
    first = order(word("The"), word("house"), word("Brandt"), word("14"), word("not"), word("Tuesday"))
    assert first[:4] == ["14", "not", "Tuesday", "Brandt"]


def test_the_first_word_of_a_sentence_is_no_name():
    doubts = {doubt.word: doubt.why for doubt in queue([word("Rain"), word("fell."), word("Nobody"), word("Saw")])}
    assert "name" not in doubts[0]
    assert "negation" in doubts[2]
    assert "name" in doubts[3]


def test_what_the_other_engine_read_counts_too():
    doubt = queue([word("a"), word("hot", 0.45, other="not")])[0]
    assert doubt.word == 1
    assert doubt.why == ("engines differ", "negation")
    assert queue([word("a", 0.4, other=UNREAD)])[0].why == ("engines differ",)


def test_an_unsure_word_of_one_engine_says_so():
    assert queue([word("house", 0.5)])[0].why == ("unsure",)
    assert queue([word("house", 0.95)])[0].why == ()


def test_a_word_of_a_quote_comes_before_others_as_doubtful():
    words = [word("house", 0.6), word("barn", 0.7), word("mill", 0.7)]
    assert order(*words, cited={2}) == ["mill", "house", "barn"]
    assert "cited" in queue(words, cited={2})[0].why


def test_a_sure_word_that_stands_nowhere_else_is_looked_at():
    words = [word("the"), word("seeret", 0.99), word("garden", 0.99), word("of", 0.99)]
    doubts = queue(words, known={"the", "secret", "garden"}.__contains__)
    assert doubts[0].word == 1
    assert doubts[0].why == ("unknown word",)
    assert all("unknown word" not in doubt.why for doubt in doubts[1:])
