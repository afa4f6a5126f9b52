"""Text PDFs: how fast their text is read, next to pypdf and pdfminer.six.

    python -m tests.bench.pdf [FILE_OR_FOLDER ...] [--pages 40] [--rounds 3]

Two kinds of work, each against peers that do the same. Plain text: the characters alone. Words with boxes: what a
highlight needs; of the peers only pdfminer.six gives boxes, so pypdf stands there with the characters alone. The
product's own reading does more than either: hidden words and why, reading order, sections, notes, labels. Without
arguments two-column and one-column pages are made. First the words of all are compared: a faster reading of another
text is no reading. Every figure is the least processor time of several rounds, in one process; opening the file counts.
"""

from __future__ import annotations

import argparse
import io
import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import pymupdf
import pypdf
from pdfminer.converter import PDFPageAggregator
from pdfminer.high_level import extract_text
from pdfminer.layout import LAParams, LTChar, LTTextContainer, LTTextLine
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage

from core.domain import PageText
from core.engines.readers import pdf
from core.errors import UnreadableDocument
from tests.bench.extract import sentences
from tests.bench.machine import describe

LEAST = 200  # words a file must have to be compared


def samples(pages: int) -> Iterator[tuple[str, bytes]]:
    rng = random.Random(7)
    for name, columns in (("two columns", (50, 310)), ("one column", (50,))):
        document = pymupdf.open()
        for _ in range(pages):
            page = document.new_page()
            for x in columns:
                wide = 240 if len(columns) == 2 else 500
                page.insert_textbox((x, 60, x + wide, 790), sentences(rng, 28 // len(columns)), fontsize=9)
        yield name, document.tobytes(deflate=True)


def cut(data: bytes, pages: int) -> bytes:
    """The first pages alone, so that a long file does not take the peers minutes."""
    document = pymupdf.open(stream=data, filetype="pdf")
    if document.page_count > pages:
        document.select(range(pages))
    return document.tobytes(garbage=1)


def our_text(data: bytes) -> str:
    """Characters alone, with the library that the product reads with."""
    document = pymupdf.open(stream=data, filetype="pdf")
    return "\n".join(page.get_text() for page in document)


def our_words(data: bytes) -> int:
    """Words and boxes in reading order, without the search for hidden text."""
    document = pymupdf.open(stream=data, filetype="pdf")
    return sum(len(page.get_text("words")) for page in document)


def our_pages(data: bytes) -> list[PageText]:
    """All that the product does with a page."""
    return [item for item in pdf.read(data, "a.pdf", "pdf") if isinstance(item, PageText)]


def pypdf_text(data: bytes) -> str:
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)


def miner_text(data: bytes) -> str:
    return extract_text(io.BytesIO(data))


def miner_words(data: bytes) -> int:
    """Words with boxes, joined from the letters that pdfminer.six places."""
    resources = PDFResourceManager()
    device = PDFPageAggregator(resources, laparams=LAParams())
    interpreter = PDFPageInterpreter(resources, device)
    count = 0
    for page in PDFPage.get_pages(io.BytesIO(data)):
        interpreter.process_page(page)
        for block in device.get_result():
            if isinstance(block, LTTextContainer):
                for line in block:
                    if isinstance(line, LTTextLine):
                        letters: list[LTChar] = []
                        for letter in [*line, None]:
                            if isinstance(letter, LTChar) and not letter.get_text().isspace():
                                letters.append(letter)
                            elif letters:
                                (min(c.x0 for c in letters), min(c.y0 for c in letters))
                                (max(c.x1 for c in letters), max(c.y1 for c in letters))
                                count += 1
                                letters = []
    return count


def least(work: Callable[[bytes], object], data: bytes, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work(data)
        times.append(time.process_time() - began)
    return min(times)


def alike(first: str, second: str) -> float:
    """Share of the letters and digits of two texts that both have, whatever their order."""
    a, b = (Counter(c for c in text.casefold() if c.isalnum()) for text in (first, second))
    return 2 * (a & b).total() / max(1, a.total() + b.total())


def files(paths: list[Path]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        for file in sorted(path.rglob("*.pdf")) if path.is_dir() else [path]:
            yield file.name, file.read_bytes()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("paths", nargs="*", type=Path)
    options.add_argument("--pages", type=int, default=40)
    options.add_argument("--rounds", type=int, default=3)
    arguments = options.parse_args()
    logging.disable(logging.CRITICAL)
    print(describe())
    print(", ".join(f"{name} {version(name)}" for name in ("pymupdf", "pypdf", "pdfminer.six")))
    print("ms a page; x: times as fast as that peer\n")
    head = ("text", "words", "product", "pypdf", "miner", "miner w.")
    print(
        f"{'file':32s} {'pages':>5s} {'alike':>5s} "
        + " ".join(f"{name:>8s}" for name in head)
        + "   text x  words x  product x"
    )
    total = dict.fromkeys(head, 0.0)
    count = 0
    for name, whole in files(arguments.paths) if arguments.paths else samples(arguments.pages):
        try:
            data = cut(whole, arguments.pages)
            own_pages = our_pages(data)
            text = " ".join(page.text for page in own_pages)
            if len(text.split()) < LEAST:
                continue
            their_text = pypdf_text(data)
            others = miner_text(data)
        except (UnreadableDocument, Exception) as error:
            print(f"{name[:32]:32s} left out: {type(error).__name__}")
            continue
        same = min(alike(text, their_text), alike(text, others))
        if same < 0.95:
            print(f"{name[:32]:32s} {len(own_pages):5d} {same:5.2f} the readings differ: not compared")
            continue
        works = dict(zip(head, (our_text, our_words, our_pages, pypdf_text, miner_text, miner_words), strict=True))
        seconds = {key: least(work, data, arguments.rounds) for key, work in works.items()}
        for key in head:
            total[key] += seconds[key]
        count += len(own_pages)
        print(f"{name[:32]:32s} {len(own_pages):5d} {same:5.2f} " + row(seconds, head, len(own_pages)), flush=True)
    if count:
        print(f"{'all':32s} {count:5d}       " + row(total, head, count))


def row(seconds: dict[str, float], head: tuple[str, ...], pages: int) -> str:
    """Milliseconds a page, then how many times as fast as pypdf / pdfminer.six."""
    cells = " ".join(f"{1000 * seconds[key] / pages:8.2f}" for key in head)
    text = f"{seconds['pypdf'] / seconds['text']:4.1f}/{seconds['miner'] / seconds['text']:4.1f}"
    words = f"{seconds['pypdf'] / seconds['words']:4.1f}/{seconds['miner w.'] / seconds['words']:4.1f}"
    product = f"{seconds['pypdf'] / seconds['product']:4.1f}/{seconds['miner w.'] / seconds['product']:4.1f}"
    return f"{cells}  {text} {words}  {product}"


if __name__ == "__main__":
    main()
