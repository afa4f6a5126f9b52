"""Measure highlights: do the boxes of a quote cover exactly its words, also on pages that are turned and cropped?

    python -m tests.eval.highlights FOLDER [FOLDER ...] [--quotes 200] [--seed 1]

Takes quotes of 3 to 15 words at random from all PDFs with text in the folders, as many as can be from every file; each
file is read as it is, and turned by 90, 180 or 270 degrees with a margin cropped away. The boxes that the product draws
(core.domain.Words.within) are compared with boxes got on another way: the page as shown is set anew onto an upright
sheet of its size, and the words of that sheet are taken. For each quote: intersection over union of the two areas, the
least of its words, and whether the words whose middle lies in the boxes are those of the quote and no others.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pymupdf

from core.domain import PageText, Word
from core.engines import pdf
from core.errors import UnreadableDocument

ENOUGH = 0.98
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Result:
    file: str
    turned: str
    page: int
    quote: str
    overlap: float
    least: float
    exact: bool


def variants(data: bytes, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """The file as it is, and one that is turned and cropped."""
    yield "as it is", data
    document = pymupdf.open(stream=data, filetype="pdf")
    turn = chance.choice((90, 180, 270))
    for page in document:
        before = page.rotation
        page.set_rotation(0)
        box = page.cropbox
        if box.width > 200 and box.height > 200:
            page.set_cropbox(pymupdf.Rect(box.x0 + 23, box.y0 + 31, box.x1 - 11, box.y1 - 17))
        page.set_rotation((before + turn) % 360)
    yield f"turned by {turn}, cropped", document.tobytes()


def upright(data: bytes, number: int) -> list[tuple[Box, str]]:
    """The words of a page as shown, with their boxes: the page is drawn onto a sheet of its size."""
    source = pymupdf.open(stream=data, filetype="pdf")
    page = source[number - 1]
    for annot in list(page.annots()):
        page.delete_annot(annot)
    sheet = pymupdf.open().new_page(width=page.rect.width, height=page.rect.height)
    turn = page.rotation
    page.set_rotation(0)
    sheet.show_pdf_page(sheet.rect, source, number - 1, rotate=-turn, keep_proportion=False)
    return [(word[:4], word[4]) for word in sheet.get_text("words", clip=pymupdf.INFINITE_RECT())]


def quotes(page: PageText, chance: random.Random) -> Iterator[list[Word]]:
    """Stretches of words that stand one after another in the visible text of the page, at random; nobody quotes
    letters that nobody knows."""
    seen = [w for w in page.words if not any(start < w.end and end > w.start for start, end in page.hidden)]
    for _ in range(100 if len(seen) > 8 else 0):
        length = chance.randint(3, min(15, len(seen)))
        start = chance.randrange(len(seen) - length + 1)
        words = seen[start : start + length]
        if "\ufffd" not in page.text[words[0].start : words[-1].end]:
            yield words


def measure(page: PageText, quote: list[Word], reference: list[tuple[Box, str]]) -> tuple[float, float, bool]:
    start, end = quote[0].start, quote[-1].end
    hidden = [span for span in page.hidden if span[0] < end and span[1] > start]
    drawn = [w for w in page.words.within(start, end) if not any(a < w.end and b > w.start for a, b in hidden)]
    ours = [(w.x0, w.y0, w.x1, w.y1) for w in drawn]
    each = []
    true: list[Box] = []
    for box, word in zip(ours, drawn, strict=True):
        text = page.text[word.start : word.end]
        there = [other for other, told in reference if same(told, text)]
        best = max(there, key=lambda other: overlap([box], [other]), default=None)
        each.append(overlap([box], [best]) if best else 0.0)
        if best:
            true.append(best)
    inside = [told for other, told in reference if any(holds(box, other) for box in ours)]
    wanted = [page.text[w.start : w.end] for w in drawn]
    return overlap(ours, true), min(each), sorted(map(bare, inside)) == sorted(map(bare, wanted))


def bare(text: str) -> str:
    return pdf.pdf_text._letters(text)


def same(one: str, other: str) -> bool:
    return one == other or bare(one) == other


def holds(box: Box, other: Box) -> bool:
    x, y = (other[0] + other[2]) / 2, (other[1] + other[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def overlap(one: list[Box], other: list[Box]) -> float:
    """Intersection over union of the areas under two lists of boxes."""
    xs = sorted({x for box in (*one, *other) for x in (box[0], box[2])})
    both = either = 0.0
    for left, right in pairwise(xs):
        middle = (left + right) / 2
        spans = [[(b[1], b[3]) for b in boxes if b[0] <= middle < b[2]] for boxes in (one, other)]
        ys = sorted({y for side in spans for span in side for y in span})
        for top, bottom in pairwise(ys):
            y = (top + bottom) / 2
            inside = [any(a <= y < b for a, b in side) for side in spans]
            area = (right - left) * (bottom - top)
            both += area * all(inside)
            either += area * any(inside)
    return both / either if either else 0.0


def results(files: list[Path], count: int, seed: int) -> Iterator[Result]:
    chance = random.Random(seed)
    each = -(-count // (2 * len(files)))
    for file in files:
        try:
            whole = file.read_bytes()
            pages = [one for one in pdf.read(whole, file.name, "pdf") if isinstance(one, PageText)]
        except UnreadableDocument:
            continue
        with_text = [page.number for page in pages if len(page.words) > 20]
        if not with_text:
            continue
        kept = pymupdf.open(stream=whole, filetype="pdf")
        if kept.page_count > 3:  # enough to choose from
            kept.select(sorted(number - 1 for number in chance.sample(with_text, min(3, len(with_text)))))
        for turned, data in variants(kept.tobytes(garbage=1), chance):
            read = [one for one in pdf.read(data, file.name, "pdf") if isinstance(one, PageText)]
            read = [page for page in read if len(page.words) > 20]
            for _ in range(each):
                if not read:
                    break
                page = chance.choice(read)
                quote = next(quotes(page, chance), None)
                if quote is None:
                    continue
                text = page.text[quote[0].start : quote[-1].end]
                yield Result(file.name, turned, page.number, text, *measure(page, quote, upright(data, page.number)))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", nargs="+", type=Path)
    options.add_argument("--quotes", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    files = sorted(file for folder in given.folders for file in folder.rglob("*.pdf"))
    found = list(results(files, given.quotes, given.seed))
    print(f"{'file':44s} {'':24s} quotes  overlap: mean   least  words exact")
    for key in dict.fromkeys((one.file, one.turned) for one in found):
        here = [one for one in found if (one.file, one.turned) == key]
        mean = sum(one.overlap for one in here) / len(here)
        least = min(one.least for one in here)
        exact = sum(one.exact for one in here)
        print(f"{key[0][:44]:44s} {key[1]:24s} {len(here):6d} {mean:14.4f} {least:7.4f} {exact:5d}/{len(here)}")
    good = [one for one in found if one.overlap >= ENOUGH]
    exact = sum(one.exact for one in found)
    print(
        f"\n{len(found)} quotes in {len({one.file for one in found})} files: {len(good)} with an overlap of {ENOUGH} "
        f"or more, least {min(one.overlap for one in found):.4f}; {exact} cover their words and no others"
    )
    for one in found:
        if one.overlap < ENOUGH or not one.exact:
            print(f"  {one.file} p. {one.page} {one.turned}: {one.overlap:.3f} {one.exact} {one.quote[:90]!r}")
    return 0 if len(good) == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
