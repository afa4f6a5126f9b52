"""Text of the file beside what was read in the picture: exact where the file has it, once, in its place."""

from __future__ import annotations

from core.domain import Words
from core.ocr.own_words import ENGINE, with_own_words
from core.ports import OcrPage


def page_of(*lines: tuple[float, str], x: float = 50.0) -> tuple[str, Words]:
    """A page whose words are 40 points wide and 12 high, one beside the other."""
    text, words = "", []
    for top, line in lines:
        text += "\n" if text else ""
        for index, word in enumerate(line.split()):
            text += " " if index else ""
            words.append((len(text), len(text) + len(word), x + 45 * index, top, x + 45 * index + 40, top + 12))
            text += word
    return text, Words.of(words)


def reading_of(*lines: tuple[float, str]) -> OcrPage:
    text, words = page_of(*lines)
    count = len(words)
    return OcrPage(text, words, (0.9,) * count, ((),) * count, ("",) * count, 0.9, "engine 1", 0.5)


def test_a_stamp_stands_in_its_place_as_the_file_has_it():
    reading = reading_of((20, "Case 1:2O-cv-O1234"), (100, "Invoice 48,200"), (120, "was not paid"), (800, "A8C-1"))
    result = with_own_words(reading, *page_of((20, "Case 1:20-cv-01234"), (800, "ABC-1")))
    assert result is not None
    assert result.text == "Case 1:20-cv-01234\nInvoice 48,200\nwas not paid\nABC-1"
    assert [result.text[w.start : w.end] for w in result.words] == result.text.split()
    assert result.confidences == (1.0, 1.0, 0.9, 0.9, 0.9, 0.9, 0.9, 1.0)
    assert (result.engine, result.readings) == ("engine 1" + ENGINE, (reading,))


def test_a_picture_that_adds_nothing_changes_nothing():
    reading = reading_of((20, "The pump st0pped"))
    assert with_own_words(reading, *page_of((20, "The pump stopped"))) is None
    assert with_own_words(reading, "", Words.of(())) is reading


def test_what_nobody_sees_is_not_brought_to_light_and_notes_stay():
    text, words = page_of((20, "Paid to Ann"))
    note = f"{text}\n\nNote by Ben: see page 3"
    result = with_own_words(reading_of((100, "Invoice")), note, words, ((8, 11),))
    assert result is not None
    assert result.text == "Paid to\nInvoice\n\nNote by Ben: see page 3"


def test_words_across_the_page_cover_none_of_those_under_them():
    words = Words.of([(0, 12, 50.0, 50.0, 500.0, 700.0)])
    result = with_own_words(reading_of((100, "Invoice 48,200")), "CONFIDENTIAL", words)
    assert result is not None
    assert sorted(result.text.split("\n")) == ["CONFIDENTIAL", "Invoice 48,200"]
