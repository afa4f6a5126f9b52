"""Scans read by PP-OCR: boxes close to the ink, columns in order, and never a download."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.engines.ocr.rapidocr_engine import in_order
from core.ports import OcrWord
from tests.core.engines.ocr.test_two_engines import RealOcrContract
from tests.core.engines.scans import HEIGHT, LINES, WIDTH, draw, overlap, turned, word_boxes


class TestRapid(RealOcrContract):
    @pytest.fixture
    def ocr(self, rapid):
        return rapid


def test_the_second_engine_draws_its_boxes_close_to_the_ink(rapid):
    page = rapid.read(draw(LINES, angle=-2.0), width=WIDTH, height=HEIGHT)
    assert page.text.split() == " ".join(LINES).split()
    assert min(overlap(w[2:], turned(b, -2.0)) for w, b in zip(page.words, word_boxes(LINES), strict=True)) > 0.75


def test_the_second_engine_never_reaches_its_download(monkeypatch, rapid):
    """Every weight file is named, and the code that would fetch one is not called."""
    from rapidocr.utils.download_file import DownloadFile

    from core.engines.ocr.rapidocr_engine import RapidOcr

    monkeypatch.setattr(DownloadFile, "run", classmethod(lambda *_: pytest.fail("something would be downloaded")))
    assert RapidOcr().read(draw(("The pump",)), width=WIDTH, height=HEIGHT).text == "The pump"


def test_two_columns_are_read_one_after_the_other():
    def line(text, x, y):
        return [OcrWord(text, 0.9, x, y, x + 190, y + 20)]

    columns = [line(f"left{n}", 0, 100 + 30 * n) for n in range(4)]
    columns += [line(f"right{n}", 260, 104 + 30 * n) for n in range(4)]
    title = [[OcrWord("title", 0.9, 0, 10, 450, 40)]]
    texts = [words[0].text for words, _ in in_order([*columns[::2], *columns[1::2], *title])]
    assert texts == ["title", "left0", "left1", "left2", "left3", "right0", "right1", "right2", "right3"]


def test_a_reading_has_the_name_of_the_weights_that_read_it(tmp_path, rapid):
    """The engine was asked for its name before it loaded them, and somebody replaced them in between."""
    import rapidocr

    from core.engines.ocr.rapidocr_engine import _DETECT, _READ, RapidOcr

    for name in (_DETECT, _READ):
        shutil.copy(Path(rapidocr.__file__).parent / "models" / name, tmp_path)
    engine = RapidOcr(tmp_path)
    original = engine.fingerprint
    with (tmp_path / _READ).open("ab") as file:
        file.write(b"\x9a\x06\x01x")  # a field that no reader knows
    page = engine.read(draw(("The pump",)), width=WIDTH, height=HEIGHT)
    assert page.text == "The pump"
    assert original == rapid.fingerprint != page.engine
    assert page.engine == RapidOcr(tmp_path).fingerprint
