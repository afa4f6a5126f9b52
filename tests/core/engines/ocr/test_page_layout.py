"""Pictures of pages made ready to be read: upright, evenly lit, of a bounded size."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from PIL import Image, ImageOps

from core.engines.ocr import page_layout
from core.errors import UnreadableDocument
from tests.core.engines.scans import HEIGHT, LINES, WIDTH, draw
from tests.core.engines.scans import png as as_png


@pytest.mark.parametrize("angle", [0.0, 0.5, -1.0, 3.0, -5.0])
def test_the_slant_of_a_page_is_found(angle):
    sheet = page_layout.prepare(draw(LINES, angle=angle), WIDTH, HEIGHT)
    a, _, _, d, _, _ = sheet.turn
    assert math.degrees(math.atan2(d, a)) == pytest.approx(-angle, abs=0.21)
    assert abs(page_layout.skew(sheet.picture)) <= 0.21


def test_a_page_without_lines_is_not_turned():
    stars = np.where(np.random.default_rng(1).random((400, 600)) < 0.03, 0, 255).astype(np.uint8)
    assert page_layout.skew(Image.fromarray(stars)) == 0
    assert page_layout.skew(Image.new("L", (600, 400), 255)) == 0
    assert page_layout.skew(Image.new("L", (600, 400), 0)) == 0


def test_white_writing_on_black_a_page_with_alpha_and_a_grainy_one_are_read(tesseract):
    plain = Image.open(io.BytesIO(draw(LINES)))
    clear = Image.new("LA", plain.size, (0, 0))
    clear.putalpha(ImageOps.invert(plain))
    grain = np.random.default_rng(3).normal(0, 22, (plain.height, plain.width))
    grainy = Image.fromarray((np.asarray(plain, np.float64) * 0.6 + 60 + grain).clip(0, 255).astype(np.uint8))
    assert page_layout.noise(grainy) > 15
    assert page_layout.noise(plain) == 0
    for picture in (ImageOps.invert(plain), clear, plain.convert("RGB"), plain.convert("1"), grainy):
        page = tesseract.read(as_png(picture), width=WIDTH, height=HEIGHT)
        assert page.text.split() == " ".join(LINES).split()


def test_a_picture_with_too_many_pixels_is_refused_before_it_is_opened(tesseract):
    bomb = Image.new("1", (20_000, 20_000))
    with pytest.raises(UnreadableDocument, match="pixels"):
        tesseract.read(as_png(bomb), width=WIDTH, height=HEIGHT)
    with pytest.raises(UnreadableDocument, match="no size"):
        tesseract.read(draw(LINES), width=0, height=HEIGHT)


def test_a_page_that_is_darker_to_one_side_is_lit_evenly():
    sheet = Image.open(io.BytesIO(draw(LINES))).convert("L")
    dots = np.asarray(sheet, np.float64) * 0.2 + 150 - np.linspace(0, 60, sheet.width)[None, :]
    faint = Image.fromarray(dots.clip(0, 255).astype(np.uint8))
    even = np.asarray(page_layout.lit_evenly(faint), np.float64)
    paper = [float(np.median(even[:, x : x + 50])) for x in range(0, sheet.width - 50, 200)]
    assert max(paper) - min(paper) < 16
    assert page_layout.lit_evenly(sheet) is sheet  # nothing to do


def test_a_faint_page_that_is_darker_to_one_side_is_read(tesseract):
    sheet = Image.open(io.BytesIO(draw(LINES))).convert("L")
    dots = np.asarray(sheet, np.float64) * 0.2 + 150 - np.linspace(0, 60, sheet.width)[None, :]
    page = tesseract.read(as_png(Image.fromarray(dots.clip(0, 255).astype(np.uint8))), width=WIDTH, height=HEIGHT)
    assert page.text.split() == " ".join(LINES).split()
