"""Which pages must be read in their pictures."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from core.domain import STAMP, PageText, Words
from core.ocr.page_selection import (
    AGREED,
    WordBox,
    agreement,
    has_layer,
    is_absent,
    is_proven,
    likeness,
    needs_reading,
    sample_band,
    sample_pages,
    unknown,
    with_ocr_flag,
)

PLAIN = (
    "The valve was opened at 02:36 by a man whom nobody at the gate could name. Keller signed the register an hour "
    "later, and the guard of the north gate, who had the list of keys, says that he never saw him. Two trucks with "
    "plates from Graz left before dawn. What they carried is not known, but the weighbridge noted 14.2 tonnes."
)
GERMAN = (
    "Die Angstschweißflecken auf dem Hemd des Wachmanns waren schon getrocknet, als die Polizei eintraf. Er habe, "
    "sagte er, den Schlüssel nicht herausgegeben; der Rechtsschutz der Gesellschaft müsse das prüfen."
)
CODES = "GX-117 R2D2 XJ900 KWh/m2 PN16 DN50 ISO9001 A4 B12 C3 SKU 88-12X BRK ptfe EPDM NBR FKM hdpe"


def shifted(text: str, by: int) -> str:
    """What a font gives that names its glyphs by their place."""
    return "".join(chr((ord(c.lower()) - 97 + by) % 26 + 97) if c.isascii() and c.isalpha() else c for c in text)


def misread(text: str, share: float, seed: int) -> str:
    chance = random.Random(seed)
    return "".join(
        chance.choice("l1I|;:.,'~^0Oxqjvwbdpt") if not c.isspace() and chance.random() < share else c for c in text
    )


@pytest.mark.parametrize("text", [PLAIN, GERMAN, PLAIN.upper()])
@pytest.mark.parametrize("picture", [0.0, 1.0])
def test_writing_will_do_under_a_picture_or_not(text, picture):
    assert needs_reading(text, picture=picture) == ""


def test_a_page_without_text_and_one_without_words():
    assert needs_reading(" \n", picture=0.0) == "no text"
    assert needs_reading("12.50 14.00 88", picture=0.0) == ""
    assert likeness("12.50 14.00") is None


def test_lists_of_codes_are_text_where_no_picture_lies_under_them():
    assert needs_reading(CODES) == ""


def test_letters_shifted_against_the_alphabet_are_no_text():
    assert needs_reading(shifted(PLAIN, 3)) == "unlikely words"
    assert needs_reading(shifted(PLAIN, 13), picture=1.0) == "unlikely words"


def test_unknown_characters():
    text = PLAIN.replace("e", "\ufffd").replace("a", "\ue043").replace("t", "\ufffd")
    assert unknown("a\ufffd \ue001\n") == (2, 2 / 3)
    assert needs_reading(text) == "unknown characters"
    bullets = "\uf0b7 one thing\n\uf0b7 another thing\n" * 4
    assert needs_reading(bullets) == ""


def test_a_poor_layer_over_a_picture_is_told_from_a_good_one():
    assert needs_reading(misread(PLAIN, 0.01, 1), picture=0.9) == ""
    assert needs_reading(misread(PLAIN, 0.15, 1), picture=0.9) == "unlikely words"
    # Without a picture there is nothing better to read.
    assert needs_reading(misread(PLAIN, 0.15, 1), picture=0.1) == ""


def test_other_writings_are_not_judged_by_latin_letters():
    for text in ("Клапан был открыт в 02:36, и никто не расписался в журнале." * 3, "ذهب الحارس إلى البوابة ليلا" * 3):
        assert needs_reading(text, picture=1.0) == ""


def test_only_text_that_is_none_gets_a_confidence():
    good = PageText(1, PLAIN, width=595, height=842, picture=1.0)
    assert with_ocr_flag(good) is good
    poor = with_ocr_flag(PageText(1, misread(PLAIN, 0.3, 2), width=595, height=842, picture=1.0))
    assert poor.confidence is not None
    assert 0 < poor.confidence < 0.92
    flow = PageText(1, shifted(PLAIN, 3))
    assert with_ocr_flag(flow) is flow  # a format without pages has no picture to read


# --- a layer held against its picture --------------------------------------------------------------------------------


def placed(text: str, *, top: float = 100.0, sure: float = 0.98) -> list[WordBox]:
    return [
        WordBox(word, 50.0 + 60 * column, top + 14 * row, 105.0 + 60 * column, top + 12 + 14 * row, sure)
        for row, line in enumerate(text.split("\n"))
        for column, word in enumerate(line.split())
    ]


LINES = "The valve was opened at 02:36 by a\nman whom nobody at the gate could name,\nand it was not closed before four"


def test_only_text_of_the_file_over_a_picture_is_a_layer():
    words = Words.of((start, start + 1, 10.0, 10.0, 20.0, 20.0) for start in range(0, 40, 2))
    page = PageText(1, PLAIN, words, 595, 842, picture=0.98)
    assert has_layer(page)
    assert has_layer(replace(page, source="layer", picture=0.5))
    for bare_page in (
        PageText(1, PLAIN, words, 595, 842, picture=0.4),
        PageText(1, PLAIN, words, 595, 842, "ocr", picture=0.98),
        PageText(1, PLAIN, words, 595, 842, confidence=0.4, picture=0.98),
        PageText(1, "Page 12", Words.of([(0, 4, 1.0, 1.0, 9.0, 9.0)]), 595, 842, picture=0.98),
    ):
        assert not has_layer(bare_page)


def test_pages_that_are_looked_at_are_spread():
    assert sample_pages([4, 7]) == [4, 7]
    assert sample_pages(range(1, 102)) == [1, 51, 101]


def test_the_lines_with_most_numbers_and_negations_are_looked_at():
    page = placed("one two three four five six\n" * 20 + LINES + "\none two three four five six" * 20)
    area = sample_band(page)
    assert area is not None
    inside = {word.text for word in page if area[1] <= word.y0 and word.y1 <= area[3]}
    assert {"02:36", "not", "nobody"} <= inside
    assert len({word.y0 for word in page if area[1] <= word.y0 and word.y1 <= area[3]}) == 4
    assert sample_band(placed("too few words")) is None


def test_a_layer_that_is_the_text_of_its_picture_agrees():
    assert agreement(placed(LINES), placed(LINES)) == 1.0
    noisy = LINES.replace("opened", "0pened").replace("nobody", "nohody").replace("closed", "c1osed")
    for layer, picture in ((noisy, LINES), (LINES, noisy)):
        score = agreement(placed(layer), placed(picture))
        assert score is not None
        assert score > 0.8


def test_a_layer_of_another_page_does_not_agree():
    foreign_text = (
        "Two trucks with plates from Graz left\nbefore dawn with some tonnes of lime\nwhich they had loaded in March"
    )
    score = agreement(placed(foreign_text), placed(LINES))
    assert score is not None
    assert score < AGREED


@pytest.mark.parametrize(
    ("old", "new"), [("02:36", "02:56"), ("was not closed", "was then closed"), ("was opened", "was not")]
)
def test_a_layer_with_another_number_or_negation_is_contradicted(old, new):
    altered = LINES.replace(old, new)
    assert agreement(placed(altered), placed(LINES)) == 0.0
    doubtful = agreement(placed(altered), placed(LINES, sure=0.8))  # who read it may be wrong
    assert doubtful is not None
    assert doubtful > AGREED


def test_a_layer_of_which_hardly_a_word_was_read_is_absent():
    foreign_text = (
        "Two trucks with plates from Graz left\nbefore dawn with some tonnes of lime\nwhich they had loaded in March"
    )
    assert is_absent(placed(foreign_text), placed(LINES))
    assert is_absent(placed("The text layer says innocent relay."), placed("PICTURE SAYS GUILTY"))
    assert is_absent(placed(LINES), [])
    for half in (
        LINES,
        LINES.replace("opened", "0pened"),
        "\n".join([*LINES.split("\n")[:2], foreign_text.split("\n")[0]]),
    ):
        assert not is_absent(placed(half), placed(LINES))
    assert not is_absent(placed("насос в зале остановился ночью и никто не пришел"), placed(LINES))


def test_only_a_layer_with_every_word_of_its_picture_is_proven():
    assert is_proven(placed(LINES), placed(LINES))
    assert not is_proven(placed(LINES), placed(LINES + "\nallegedly"))
    assert not is_proven(placed(LINES + "\nallegedly"), placed(LINES))
    assert not is_proven(placed(LINES), placed(LINES, sure=0.4))


def test_nothing_is_told_where_little_can_be_read():
    assert agreement(placed(LINES), placed(LINES, sure=0.4)) is None
    assert agreement(placed(LINES), placed("a few")) is None
    assert agreement(placed("a few"), placed(LINES)) is None
    assert agreement(placed("a few"), []) is None


def test_words_of_a_layer_where_none_is_in_the_picture_are_not_its_text():
    assert agreement(placed(LINES), []) == 0.0
    assert (
        agreement(placed("насос в зале остановился ночью и никто не пришел"), []) is None
    )  # an engine may not know them


def test_a_scan_with_a_stamp_keeps_what_its_reader_says_of_it():
    page = PageText(1, "ABC-000123", width=595, height=842, confidence=STAMP, picture=1.0)
    assert with_ocr_flag(page) is page
