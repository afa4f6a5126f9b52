"""Pictures of pages: the pixels that were drawn, in a form that any program reads."""

from __future__ import annotations

import pymupdf
import pytest

from core.engines.readers import png


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (64, 40)])
def test_the_picture_has_the_pixels_that_were_drawn(size):
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, *size), False)
    pixels.clear_with(255)
    for place in range(min(size)):
        pixels.set_pixel(place, place, (place * 5 % 256, 10, 200))
    back = pymupdf.Pixmap(png.encode(pixels))
    assert (back.width, back.height, back.n) == (*size, 3)
    assert back.samples == pixels.samples


def test_a_picture_with_other_channels_is_refused():
    with pytest.raises(ValueError, match="RGB"):
        png.encode(pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 4, 4), False))
