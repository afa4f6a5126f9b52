"""Pages of text drawn as pictures, for the tests and measurements of the engines that read scans."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from core import paths

FONT = paths.RESOURCES / "fonts" / "SourceSerifPro-Regular.ttf"
WIDTH, HEIGHT = 420.0, 200.0  # points
LINES = ("The pump stopped at 02:14 and was denied.", "Nobody had touched it before the 14 March.", "Invoice 48817.")


def draw(
    lines: Sequence[str], *, dpi: int = 300, angle: float = 0.0, points: float = 14, left: float = 36, top: float = 40
) -> bytes:
    """A PNG of WIDTH x HEIGHT points with ``lines`` in black; ``angle`` degrees turn it against the clock."""
    scale = dpi / 72
    sheet = Image.new("L", (round(WIDTH * scale), round(HEIGHT * scale)), 255)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.truetype(str(FONT), points * scale)
    for number, line in enumerate(lines):
        pen.text((left * scale, (top + 1.5 * points * number) * scale), line, font=font, fill=0)
    if angle:
        sheet = sheet.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)
    return png(sheet)


def word_boxes(lines: Sequence[str], *, points: float = 14, left: float = 36, top: float = 40) -> list[tuple[str, ...]]:
    """Where ``draw`` puts the ink of each word, in points: (x0, y0, x1, y1)."""
    font = ImageFont.truetype(str(FONT), points * 10)
    boxes = []
    for number, line in enumerate(lines):
        offset = 0
        for word in line.split(" "):
            advance = font.getlength(line[:offset])
            x0, y0, x1, y1 = font.getbbox(word)
            y = top + 1.5 * points * number
            boxes.append((left + (advance + x0) / 10, y + y0 / 10, left + (advance + x1) / 10, y + y1 / 10))
            offset += len(word) + 1
    return boxes


def png(sheet: Image.Image) -> bytes:
    file = io.BytesIO()
    sheet.save(file, "PNG")
    return file.getvalue()


def overlap(left, right):
    wide, high = min(left[2], right[2]) - max(left[0], right[0]), min(left[3], right[3]) - max(left[1], right[1])
    both = max(0.0, wide) * max(0.0, high)
    sizes = [(box[2] - box[0]) * (box[3] - box[1]) for box in (left, right)]
    return both / (sum(sizes) - both)


def turned(box, angle):
    """Where a box lies when the page was turned by ``angle`` degrees about its middle."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x, y = (box[0] + box[2] - WIDTH) / 2, (box[1] + box[3] - HEIGHT) / 2
    u, v = WIDTH / 2 + cos * x + sin * y, HEIGHT / 2 - sin * x + cos * y
    wide, high = (box[2] - box[0]) / 2, (box[3] - box[1]) / 2
    return u - wide, v - high, u + wide, v + high
