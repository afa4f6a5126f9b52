"""Scans read by Tesseract: where words lie, and other readings of unsure letters."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core import paths
from core.engines.ocr.tesseract_engine import _alternatives, _word_text
from core.errors import UnreadableDocument
from core.ports import OcrWord
from tests.core.engines.ocr.test_two_engines import RealOcrContract
from tests.core.engines.scans import HEIGHT, LINES, WIDTH, draw, overlap, turned, word_boxes


class TestTesseract(RealOcrContract):
    @pytest.fixture
    def ocr(self, tesseract):
        return tesseract


@pytest.mark.parametrize(("dpi", "angle"), [(300, 0.0), (110, 0.0), (600, 0.0), (300, 2.0), (300, -4.3)])
def test_boxes_lie_on_the_words_of_the_page_as_shown(tesseract, dpi, angle):
    page = tesseract.read(draw(LINES, dpi=dpi, angle=angle), width=WIDTH, height=HEIGHT)
    assert page.text.split() == " ".join(LINES).split()
    shares = [overlap(word[2:], turned(box, angle)) for word, box in zip(page.words, word_boxes(LINES), strict=True)]
    assert min(shares) > 0.75
    assert sum(shares) / len(shares) > 0.87


def test_an_unsure_letter_brings_other_readings(tesseract):
    page = tesseract.read(draw(("Illicit 1ll0 O0O lI1 rnm clod",), dpi=50, points=9), width=WIDTH, height=HEIGHT)
    unsure = [word for word in page.each_word() if word.alternatives]
    assert unsure
    assert all(word.text not in word.alternatives and len(word.alternatives) <= 5 for word in unsure)
    assert page.confidence < tesseract.read(draw(LINES), width=WIDTH, height=HEIGHT).confidence


def test_letters_are_changed_one_at_a_time_the_likeliest_first():
    letters = [("d", [("d", 90.0), ("c", 45.0)]), ("o", [("o", 80.0), ("e", 60.0), ("o", 1.0)]), ("g", [("g", 9.0)])]
    assert _alternatives("dog", letters) == ("deg", "cog")
    assert _alternatives("other", letters) == ()


def test_a_reading_has_the_name_of_the_data_that_read_it(tmp_path, tesseract):
    """Data that was replaced since is another's, whoever asks first."""
    source = next(folder for folder in paths.tessdata() if (folder / "eng.traineddata").is_file())
    data = Path(shutil.copy(source / "eng.traineddata", tmp_path))
    engine = type(tesseract)(tmp_path)
    picture = draw(("The pump",))
    original = engine.read(picture, width=WIDTH, height=HEIGHT)
    with data.open("ab") as file:
        file.write(b"another")
    after = engine.read(picture, width=WIDTH, height=HEIGHT)
    assert (after.text, after.engine) == (original.text, original.engine)
    assert type(tesseract)(tmp_path).data_fingerprint(("eng",)) != original.engine


def test_the_language_is_guessed_by_the_script_and_a_missing_file_is_named(tesseract, drawn, monkeypatch):
    png, width, height = drawn
    assert " eng " in tesseract.read(png, width=width, height=height, languages=()).engine
    script = {"script_name": "Cyrillic", "script_conf": 9.0, "orient_deg": 0, "orient_conf": 0.0}
    monkeypatch.setattr(tesseract, "_orientation", lambda sheet: script)
    monkeypatch.setattr(tesseract, "lines", lambda *_: [([OcrWord("Tpepb", 0.2, 0, 0, 9, 9, ())], True)])
    if "rus" not in tesseract.languages():
        with pytest.raises(UnreadableDocument) as caught:
            tesseract.read(png, width=width, height=height, languages=())
        assert "Cyrillic" in caught.value.sentence
        assert "rus.traineddata" in caught.value.hint


def test_a_word_written_from_right_to_left_is_read_in_its_order():
    assert _word_text("ناك", ["ك", "ا", "ن"]) == "كان"
    assert _word_text("pump", ["p", "u", "m", "p"]) == "pump"
