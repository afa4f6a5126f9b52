"""Pages read off pictures cross unchanged; one whose words and numbers do not fit each other is refused."""

from __future__ import annotations

import json
import struct
from dataclasses import replace

import pytest

from core.domain import Word, Words
from core.ports import OcrPage
from core.workers.frames import ProtocolError
from core.workers.wire.ocr import ocr_in, ocr_out
from tests.core.workers.wire.crossing import received

READING = OcrPage(
    text="ab cd",
    words=Words.of([Word(0, 2, 1, 1, 2, 2), Word(3, 5, 3, 1, 4, 2)]),
    confidences=(0.5, 1.0),
    alternatives=(("x",), ()),
    others=("", "cb"),
    confidence=0.75,
    engine="one",
    seconds=1.5,
)
OTHER = replace(READING, text="äb cd", engine="two", confidences=(0.25, 0.125))


def test_a_page_crosses_with_the_readings_it_was_made_of():
    page = replace(READING, readings=(OTHER, READING))
    assert ocr_in(*received(ocr_out(page))) == page


@pytest.mark.parametrize(
    "words",
    [
        [Word(0, 2, 1, 1, 2, 2), Word(1, 5, 3, 1, 4, 2)],  # they overlap
        [Word(0, 2, 1, 1, 2, 2), Word(3, 6, 3, 1, 4, 2)],  # beyond the text
        [Word(2, 2, 1, 1, 2, 2), Word(3, 5, 3, 1, 4, 2)],  # empty
        [Word(0, 2, 1, 1, float("inf"), 2), Word(3, 5, 3, 1, 4, 2)],
    ],
)
def test_words_that_the_text_does_not_have_are_refused(words):
    with pytest.raises(ProtocolError):
        ocr_in(*received(ocr_out(replace(READING, words=Words.of(words)))))


@pytest.mark.parametrize(
    "lists",
    [
        [],
        [[[["x"], []], ["", ""]]] * 2,  # of more pages than there are
        [[[["x"]], ["", ""]]],  # not one item a word
        [[[["x"], []]]],
        [[[["x"] * 21, []], ["", ""]]],
        [[[["x"], []], ["", 1]]],
        [[[["x"], []], ["", "y" * 10_001]]],
    ],
)
def test_other_readings_that_do_not_fit_the_words_are_refused(lists):
    header, blobs = received(ocr_out(READING))
    with pytest.raises(ProtocolError):
        ocr_in(header, [*blobs[:2], json.dumps(lists).encode()])


def test_a_page_that_is_cut_off_or_goes_on_is_refused():
    header, (texts, words, lists) = received(ocr_out(READING))
    for blobs in (
        [texts[:-1], words, lists],
        [texts + b"e", words, lists],
        [texts, words[:-1], lists],
        [texts, words + b"\0", lists],
        [texts, words, b"no JSON"],
        [texts, words],
        [b"\xff" * len(texts), words, lists],
    ):
        with pytest.raises(ProtocolError):
            ocr_in(header, blobs)


def test_a_confidence_is_a_share():
    header, (texts, words, lists) = received(ocr_out(READING))
    for odd in (-0.5, 1.5, float("nan")):
        with pytest.raises(ProtocolError):
            ocr_in(header, [texts, words[:-4] + struct.pack("<f", odd), lists])
        with pytest.raises(ProtocolError):
            ocr_in({**header, "pages": [{**header["pages"][0], "confidence": odd}]}, [texts, words, lists])
