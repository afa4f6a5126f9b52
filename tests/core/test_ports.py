"""What engines hand over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain import Word, Words
from core.ports import UNREAD, Engines, OcrPage
from tests.fakes import PlainReader

PAGE = OcrPage(
    text="The guard",
    words=Words.of([Word(0, 3, 10, 20, 30, 40), Word(4, 9, 35, 20, 80, 40)]),
    confidences=(0.9, 0.4),
    alternatives=((), ("gaurd",)),
    others=("", UNREAD),
    confidence=0.55,
    engine="engine 1",
    seconds=0.1,
)


def test_the_words_of_a_reading_come_with_all_that_is_known_of_each():
    first, second = PAGE.each_word()
    assert (first.text, first.confidence, first.alternatives, first.other) == ("The", 0.9, (), "")
    assert (second.text, second.x0, second.y1) == ("guard", 35, 40)
    assert (second.alternatives, second.other) == (("gaurd",), UNREAD)


def test_a_reading_with_a_figure_too_few_is_refused():
    with pytest.raises(ValueError, match="shorter"):
        list(replace(PAGE, confidences=(0.9,)).each_word())


def test_a_program_with_a_reader_alone_has_no_other_engine():
    engines = Engines(PlainReader())
    assert (engines.embedder, engines.judge, engines.second_reader, engines.ocr, engines.writer) == (None,) * 5
    assert not engines.examine
