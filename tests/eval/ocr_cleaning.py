"""What making a scan ready to be read is worth: letters wrong of drawn pages, spoilt in known ways, before and after.

    python -m tests.eval.ocr_cleaning [--pages 2]

"As it is" gives the picture to the engine in grey and nothing else; "made ready" is what the program does: contrast,
noise, size, slant, and turning what lies on its side. Both engines' own reading, and the two laid over each other.
"""

from __future__ import annotations

import argparse
import io
import random
import time
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from rapidfuzz.distance import Levenshtein

from core import paths
from core.engines.ocr import page_layout, two_engines
from core.engines.ocr.page_layout import Sheet
from core.engines.ocr.rapidocr_engine import RapidOcr
from core.engines.ocr.tesseract_engine import TesseractOcr
from tests.bench.extract import WORDS

WIDTH, HEIGHT, DPI = 420.0, 300.0, 300


def drawn(seed: int) -> tuple[Image.Image, str]:
    chance = random.Random(seed)
    scale = DPI / 72
    font = ImageFont.truetype(str(paths.RESOURCES / "fonts" / "SourceSerifPro-Regular.ttf"), 11 * scale)
    sheet = Image.new("L", (round(WIDTH * scale), round(HEIGHT * scale)), 255)
    pen = ImageDraw.Draw(sheet)
    lines = [" ".join(chance.choices(WORDS, k=7)) for _ in range(12)]
    for number, line in enumerate(lines):
        pen.text((36 * scale, (36 + 18 * number) * scale), line, font=font, fill=0)
    return sheet, "\n".join(lines)


def grain(sheet: Image.Image, levels: float) -> Image.Image:
    noise = np.random.default_rng(7).normal(0, levels, (sheet.height, sheet.width))
    return Image.fromarray((np.asarray(sheet, np.float64) + noise).clip(0, 255).astype(np.uint8))


def faint(sheet: Image.Image) -> Image.Image:
    """Grey on grey, out of focus, darker to one side."""
    shade = np.linspace(0, 60, sheet.width)[None, :]
    dots = np.asarray(sheet.filter(ImageFilter.GaussianBlur(1.5)), np.float64) * 0.2 + 150 - shade
    return Image.fromarray(dots.clip(0, 255).astype(np.uint8))


SPOILT: dict[str, Callable[[Image.Image], Image.Image]] = {
    "clean": lambda sheet: sheet,
    "turned by 3 degrees": lambda sheet: sheet.rotate(3, Image.Resampling.BICUBIC, expand=True, fillcolor=255),
    "turned by -3 degrees": lambda sheet: sheet.rotate(-3, Image.Resampling.BICUBIC, expand=True, fillcolor=255),
    "on its side": lambda sheet: sheet.transpose(Image.Transpose.ROTATE_90),
    "upside down": lambda sheet: sheet.transpose(Image.Transpose.ROTATE_180),
    "grainy": lambda sheet: grain(sheet, 60),
    "faint": lambda sheet: grain(faint(sheet), 4),
    "100 dots an inch": lambda sheet: sheet.resize((sheet.width // 3, sheet.height // 3), Image.Resampling.BOX),
    "white on black": lambda sheet: Image.eval(sheet, lambda dot: 255 - dot),
    "all at once": lambda sheet: grain(faint(sheet.rotate(2, expand=True, fillcolor=255)), 8),
}


def wrong(text: str, truth: str) -> float:
    reading, wanted = " ".join(text.split()), " ".join(truth.split())
    return min(1.0, Levenshtein.distance(reading, wanted) / len(wanted))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2)
    chosen = parser.parse_args()
    tesseract, rapid = TesseractOcr(), RapidOcr()
    both = two_engines.BothOcr(tesseract, rapid)
    print(both.fingerprint)
    print(f"{'letters wrong':22s} {'Tesseract':>20s} {'PP-OCR':>20s} {'both':>9s}")
    print(f"{'':22s} {'as it is':>10s}{'ready':>10s} {'as it is':>10s}{'ready':>10s} {'ready':>9s}")
    for name, spoil in SPOILT.items():
        totals = [0.0] * 5
        for seed in range(chosen.pages):
            sheet, truth = drawn(seed)
            spoilt = spoil(sheet)
            width, height = spoilt.width * 72 / DPI, spoilt.height * 72 / DPI
            if name.startswith("100"):
                width, height = WIDTH, HEIGHT
            file = io.BytesIO()
            spoilt.save(file, "PNG")
            raw = Sheet(spoilt, (width / spoilt.width, 0, 0, 0, height / spoilt.height, 0), width, height)
            until = time.monotonic() + 60
            ready = both.read(file.getvalue(), width=width, height=height)
            texts = (
                page_layout.page(tesseract.lines(raw, ("eng",), until), raw, "", 0).text,
                ready.readings[0].text,
                page_layout.page(rapid.lines(raw, until), raw, "", 0).text,
                ready.readings[1].text,
                ready.text,
            )
            totals = [total + wrong(text, truth) for total, text in zip(totals, texts, strict=True)]
        a, b, c, d, e = (f"{total / chosen.pages:.2%}" for total in totals)
        print(f"{name:22s} {a:>10s}{b:>10s} {c:>10s}{d:>10s} {e:>9s}", flush=True)


if __name__ == "__main__":
    main()
