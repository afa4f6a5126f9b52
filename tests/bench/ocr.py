"""Pages of scans a minute: each engine in this process, and both through the child process as the program does it.

    python -m tests.bench.ocr [FILE ...] [--pages 4] [--processes 1]

Without arguments pages of 400 words are drawn at 300 dots an inch. Given pictures are taken as scans of 300 dots an
inch. Every engine works on one thread. Processor time is given as well: it counts where other programs run.
"""

from __future__ import annotations

import argparse
import io
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from core import paths
from core.engines.ocr.rapidocr_engine import RapidOcr
from core.engines.ocr.tesseract_engine import TesseractOcr
from core.ports import OcrEngine
from core.workers.engines import OcrClient
from tests.bench.extract import WORDS, child_seconds
from tests.bench.machine import describe, peak_mb

WIDTH, HEIGHT = 595.0, 842.0


def drawn(count: int) -> list[tuple[bytes, float, float]]:
    """A4 pages of 40 lines of ten words, the same on every run."""
    rng = random.Random(7)
    scale = 300 / 72
    font = ImageFont.truetype(str(paths.RESOURCES / "fonts" / "SourceSerifPro-Regular.ttf"), 11 * scale)
    pages = []
    for _ in range(count):
        sheet = Image.new("L", (round(WIDTH * scale), round(HEIGHT * scale)), 255)
        pen = ImageDraw.Draw(sheet)
        for line in range(40):
            pen.text((60 * scale, (60 + 18 * line) * scale), " ".join(rng.choices(WORDS, k=10)), font=font, fill=0)
        file = io.BytesIO()
        sheet.save(file, "PNG")
        pages.append((file.getvalue(), WIDTH, HEIGHT))
    return pages


def opened(file: Path) -> tuple[bytes, float, float]:
    data = file.read_bytes()
    width, height = Image.open(io.BytesIO(data)).size
    return data, width * 72 / 300, height * 72 / 300


def measure(name: str, engines: list[OcrEngine], pages: list[tuple[bytes, float, float]]) -> str:
    def read(number: int) -> int:
        png, width, height = pages[number]
        return len(engines[number % len(engines)].read(png, width=width, height=height).words)

    for engine in engines:
        engine.read(pages[0][0], width=pages[0][1], height=pages[0][2])  # the start is not measured
    busy, began = time.process_time(), time.perf_counter()
    with ThreadPoolExecutor(len(engines)) as pool:
        words = sum(pool.map(read, range(len(pages))))
    wall, busy = time.perf_counter() - began, time.process_time() - busy
    return f"{name:32s} {len(pages)} pages {words} words {wall:6.1f} s wall {60 * len(pages) / wall:6.1f} pages/min" + (
        f" {busy:6.1f} s processor {60 * len(pages) / busy:6.1f} pages/min of it" if busy > 0.5 else ""
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="*", type=Path)
    options.add_argument("--pages", type=int, default=4)
    options.add_argument("--processes", type=int, default=1)
    arguments = options.parse_args()
    pages = [opened(file) for file in arguments.files] or drawn(arguments.pages)
    print(describe())
    print(measure("Tesseract", [TesseractOcr()], pages), flush=True)
    print(measure("PP-OCR", [RapidOcr()], pages), flush=True)
    clients = [OcrClient() for _ in range(arguments.processes)]
    print(measure(f"both, {arguments.processes} child process(es)", list(clients), pages), flush=True)
    for client in clients:
        client.close()
    print(f"children together {child_seconds():.1f} s processor, largest {peak_mb(children=True):.0f} MB")


if __name__ == "__main__":
    main()
