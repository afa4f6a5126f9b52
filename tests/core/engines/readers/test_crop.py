"""Parts of pages: around the words that are asked for, whichever way the page lies, and nothing but lines added."""

from __future__ import annotations

import math
import re

import pymupdf
import pytest

from core.domain import PageText
from core.engines.readers.dispatch import FileReader
from core.engines.readers.pdf import PIXELS
from core.errors import UnreadableDocument
from core.report.service import lines_of
from core.workers.engines import ReaderClient
from tests.contracts import CropContract

ORANGE = (200, 96, 0)
WORDS = "The hoist motor of gate two was serviced in March and ran without fault for an hour."


def document(rotation: int = 0, crop: pymupdf.Rect | None = None) -> bytes:
    file = pymupdf.open()
    page = file.new_page()
    for n in range(20):
        page.insert_text((72, 120 + 30 * n), f"{n:02d} {WORDS}", fontsize=9)
    if crop is not None:
        page.set_cropbox(crop)
    page.set_rotation(rotation)
    return file.tobytes()


def boxed(data: bytes, needle: str) -> tuple[PageText, list]:
    page = next(item for item in FileReader().read(data, "a.pdf") if isinstance(item, PageText))
    match = re.search(r"\s+".join(needle.split()), page.text)
    return page, lines_of(page.words, *match.span())


def pixels(png: bytes) -> pymupdf.Pixmap:
    return pymupdf.Pixmap(png)


def orange(pixmap: pymupdf.Pixmap) -> list[tuple[int, int]]:
    return [(x, y) for y in range(pixmap.height) for x in range(pixmap.width) if pixmap.pixel(x, y)[:3] == ORANGE]


class TestCropOfAFile(CropContract):
    @pytest.fixture
    def reader(self):
        return FileReader()

    @pytest.fixture
    def document(self):
        return document(), "a.pdf"

    @pytest.fixture
    def box(self):
        return (72.0, 110.0, 200.0, 122.0)


@pytest.fixture(scope="module")
def apart():
    client = ReaderClient()
    yield client
    client.close()


class TestCropApart(CropContract):
    @pytest.fixture
    def reader(self, apart):
        return apart

    @pytest.fixture
    def document(self):
        return document(), "a.pdf"

    @pytest.fixture
    def box(self):
        return (72.0, 110.0, 200.0, 122.0)

    def test_the_child_draws_what_the_reader_draws(self, apart, document, box):
        assert apart.crop(*document, 1, [box], scale=2.0) == FileReader().crop(*document, 1, [box], scale=2.0)


@pytest.mark.parametrize("crop", [None, pymupdf.Rect(50, 60, 560, 800)], ids=["whole", "cropped"])
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_box_lies_around_the_words_as_shown(rotation, crop):
    data = document(rotation, crop)
    page, boxes = boxed(data, "07 The hoist motor")
    whole = pixels(FileReader().render(data, "a.pdf", 1, scale=2.0).png)
    part = pixels(FileReader().crop(data, "a.pdf", 1, boxes, scale=2.0).png)
    assert abs(part.width - page.width * 2) <= 2
    painted = orange(part)
    assert painted
    x0, x1 = min(x for x, _ in painted), max(x for x, _ in painted)
    y0, y1 = min(y for _, y in painted), max(y for _, y in painted)
    left, right = min(b[0] for b in boxes) * 2, max(b[2] for b in boxes) * 2
    assert abs(x0 - left) <= 6
    assert abs(x1 - right) <= 6
    assert len(boxes) == (1 if rotation % 180 == 0 else 4)  # of a line that runs upwards each word has its own
    # The ink inside the frame is that of the page at the same place: nothing was moved or painted over.
    top = math.floor(max(0, min(b[1] for b in boxes) - 48) * 2)
    first = boxes[0]
    inside = [
        (x, y)
        for y in range(round(first[1] * 2) - top, round(first[3] * 2) - top)
        for x in range(round(first[0] * 2), round(first[2] * 2))
        if part.pixel(x, y)[0] < 100
    ]
    assert inside
    assert sum(whole.pixel(x, y + top)[0] < 100 for x, y in inside) > 0.95 * len(inside)
    assert y0 <= round(first[1] * 2) - top <= y1


def test_a_quote_over_lines_gets_a_box_a_line():
    data = document()
    page, boxes = boxed(data, "for an hour.\n03 The hoist motor")
    assert len(boxes) == 2
    assert boxes[0][3] <= boxes[1][1] + 4
    assert boxes[0][0] > boxes[1][0]
    assert all(box[2] <= page.width for box in boxes)


def test_boxes_beyond_the_page_show_the_page():
    data = document()
    picture = FileReader().crop(data, "a.pdf", 1, [(10, 5_000, 20, 5_010)], scale=1.0)
    assert picture.height > 400
    FileReader().crop(data, "a.pdf", 1, [(-500, -500, 5_000, 5_000)], scale=1.0)


def test_a_crop_stays_under_the_pixel_cap():
    picture = FileReader().crop(document(), "a.pdf", 1, [(0, 0, 595, 842)], scale=90.0)
    assert picture.width * picture.height <= PIXELS * 1.01


@pytest.mark.parametrize(("data", "name"), [(b"Just words.", "a.txt"), (b"<html><body>x</body></html>", "a.html")])
def test_a_format_without_pictures_has_no_crops(data, name):
    with pytest.raises(UnreadableDocument):
        FileReader().crop(data, name, 1, [(0, 0, 1, 1)], scale=1.0)
