"""What an answer is made of, and that it comes back from a case as it was."""

from __future__ import annotations

from typing import get_args

from core.answers.results import MODES, REASONS, Answer, AnswerPoint, Reason, Source, Step
from core.domain import Quote, QuotePart, ShowMode
from core.store.results import StoredResult, encode

PART = QuotePart(2, 2, 0, 4, "four", "ef")


def source(document: str, *, is_copy: bool = False) -> Source:
    return Source(Quote(document, 1, 1, 0, 5, "three", "ab", (PART,)), "log.txt", "Before.", is_copy)


def test_copies_of_a_document_are_no_further_witnesses():
    point = AnswerPoint("three", "high", (source("D1"), source("D1"), source("D2", is_copy=True), source("D3")))
    assert point.independent == 2


def test_every_reason_and_mode_is_said_in_a_sentence():
    assert set(REASONS) == set(get_args(Reason)) - {""}
    assert set(MODES) == set(get_args(ShowMode))
    assert Answer("Who?", "strict", False, "premise").sentence == REASONS["premise"]
    assert Answer("Who?", "strict", True).sentence == ""


def test_an_answer_comes_back_as_it_was_kept():
    point = AnswerPoint("three", "low", (source("D1"),), "three", "Who")
    answer = Answer("Who?", "audit", False, "partial", (point,), (point,), ("Ask.",), (Step("Read.", 3),), ("m",), 0.5)
    assert StoredResult("A1", "Who?", encode(answer), "ann", "", False).decode(Answer) == answer
