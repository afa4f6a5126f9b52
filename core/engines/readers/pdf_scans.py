"""Scans that carry a stamp: pages whose writing is a picture, though a few words of them are text of the file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pymupdf as _pymupdf

from core.engines.readers.pdf_hidden_text import Shapes
from core.engines.readers.pdf_layout import Line

pymupdf: Any = _pymupdf  # the library is only half typed

PICTURE = 0.25  # of the page under pictures, from which on they may be what is to be read on it
_ALL = 0.9  # of the page: a picture of all of it need not look like paper, as that of a camera
_WORDS, _LETTERS = 60, 450  # what stamps, headers and footers have at most
_PIXELS = 600_000  # of the drawing that is looked at
_SCALE = 100 / 72
_PAPER = 40  # of 255: what differs less from the most common grey is paper
_EDGE = 60  # of 255: the step from paper to ink
_PAPER_SHARE = 0.55
_EDGES = (0.0008, 0.3)  # of the pixels: less is no line of words, more is no writing


def is_stamped(lines: Sequence[Line], shapes: Shapes) -> bool:
    """Return whether a page of few words shows a picture that looks like writing."""
    if shapes.picture < PICTURE or not lines:
        return False
    words = [word for line in lines for word in line.words]
    if len(words) > _WORDS or sum(len(word[4]) for word in words) > _LETTERS:
        return False
    return looks_like_writing(shapes, [word[:4] for word in words], is_scan=shapes.picture >= _ALL)


def looks_like_writing(shapes: Shapes, without: Sequence[tuple[float, float, float, float]], *, is_scan: bool) -> bool:
    """Return whether pictures of a page show dark on light, or light on dark, in thin strokes.

    ``without`` are boxes that are not looked at; of a ``is_scan`` page that is a picture only the strokes count.
    """
    import numpy as np

    boxes = [box for box in shapes.pictures if all(map(math.isfinite, box))]
    if not boxes:
        return False
    area = pymupdf.Rect(
        max(0.0, min(box[0] for box in boxes)),
        max(0.0, min(box[1] for box in boxes)),
        min(10_000.0, max(box[2] for box in boxes)),
        min(10_000.0, max(box[3] for box in boxes)),
    )
    if area.is_empty or min(area.width, area.height) < 1:
        return False
    scale = min(_SCALE, math.sqrt(_PIXELS / (area.width * area.height)))
    drawing = pymupdf.DisplayList(shapes.contents)
    picture = drawing.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=0, clip=area)
    grey = np.frombuffer(picture.samples_mv, dtype=np.uint8).reshape(picture.height, picture.stride)
    grey = grey[:, : picture.width].astype(np.int16)
    visible = np.ones(grey.shape, dtype=bool)
    for x0, y0, x1, y1 in without:
        left, top = max(0, int(x0 * scale) - picture.x - 1), max(0, int(y0 * scale) - picture.y - 1)
        visible[top : max(0, int(y1 * scale) - picture.y + 2), left : max(0, int(x1 * scale) - picture.x + 2)] = False
    if not visible.any():
        return False
    edges = (np.abs(np.diff(grey, axis=1)) > _EDGE) & visible[:, 1:] & visible[:, :-1]
    share = float(edges.mean())
    if not _EDGES[0] <= share <= _EDGES[1]:
        return False
    pixels = grey[visible]
    usual = int(np.bincount(pixels // 16, minlength=16).argmax()) * 16 + 8
    return is_scan or float((np.abs(pixels - usual) < _PAPER).mean()) >= _PAPER_SHARE


_LARGE = 0.03  # of the page: a picture from which on it is named
_MIDDLES = 2  # words over a picture, from which on it is the ground of a text


def count_silent(
    pictures: Sequence[tuple[float, float, float, float]], lines: Sequence[Line], width: float, height: float
) -> int:
    """Count the large pictures of a page that no words lie over."""
    count = 0
    for x0, y0, x1, y1 in pictures:
        x0, y0, x1, y1 = max(0.0, x0), max(0.0, y0), min(width, x1), min(height, y1)
        if x1 <= x0 or y1 <= y0 or (x1 - x0) * (y1 - y0) < _LARGE * width * height:
            continue
        over = 0
        for line in lines:
            if line.x0 < x1 and line.x1 > x0 and line.y0 < y1 and line.y1 > y0:
                over += sum(
                    x0 <= (word[0] + word[2]) / 2 <= x1 and y0 <= (word[1] + word[3]) / 2 <= y1 for word in line.words
                )
        count += over < _MIDDLES
    return count
