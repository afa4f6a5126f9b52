"""The size of a picture is read from its first bytes, and decides whether it becomes a document."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from core.engines.readers import pictures


def picture(kind: str, width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "TIFF"])
def test_sizes_are_those_of_the_picture(kind: str) -> None:
    assert pictures.size(picture(kind, 321, 87)) == (321, 87)
    assert pictures.worth_reading(picture(kind, pictures.WIDTH, pictures.HEIGHT))
    assert not pictures.worth_reading(picture(kind, pictures.WIDTH - 1, 500))
    assert not pictures.worth_reading(picture(kind, 500, pictures.HEIGHT - 1))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "TIFF"])
def test_a_picture_that_is_cut_off_has_no_size_or_the_right_one(kind: str) -> None:
    whole = picture(kind, 300, 100)
    for end in range(0, min(len(whole), 700)):
        assert pictures.size(whole[:end]) in ((0, 0), (300, 100), (300, 0), (0, 100))


@pytest.mark.parametrize("data", [b"", b"\xff\xd8\xff", b"\xff\xd8" + b"\xff" * 5_000, b"II*\0\xff\xff\xff\xff", b"MZ"])
def test_anything_else_is_not_worth_reading(data: bytes) -> None:
    assert not pictures.worth_reading(data)
