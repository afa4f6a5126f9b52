"""Which pages must be read in their pictures."""

from __future__ import annotations

import random

import pytest

from core.domain import PageText
from core.steps.scans import judged, likeness, needs_reading, unknown

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
    assert judged(good) is good
    poor = judged(PageText(1, misread(PLAIN, 0.3, 2), width=595, height=842, picture=1.0))
    assert poor.confidence is not None
    assert 0 < poor.confidence < 0.92
    flow = PageText(1, shifted(PLAIN, 3))
    assert judged(flow) is flow  # a format without pages has no picture to read
