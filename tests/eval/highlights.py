"""Do the highlights of the viewer cover exactly the words of their quotes?

    python -m tests.eval.highlights FOLDER [--quotes 200] [--seed 1]

Every PDF under FOLDER is read by the real reader. Quotes are stretches of 3 to 25 words drawn at random from random
pages; for each the rectangles that the viewer paints are compared with the boxes of the same words as the library gives
them directly (turned as the page is), words at one height joined over gaps of up to 1.2 line heights. A word is the
same when its middle lies within a point. Stretches with words that nobody sees (outside the page, for instance) are
not drawn. Reported are intersection over union, the worst cases, words that lie under a highlight of others, and how
many quotes come from rotated and from cropped pages.
"""

from __future__ import annotations

import argparse
import random
from itertools import pairwise
from pathlib import Path

from core.domain import PageText, Word
from core.engines.readers.dispatch import FileReader
from core.errors import AppError
from gui_app.shared.page_geometry import PageWords, lines

Box = tuple[float, float, float, float]


def area(boxes: list[Box]) -> float:
    """The area that rectangles cover together."""
    total = 0.0
    xs = sorted({x for box in boxes for x in (box[0], box[2])})
    for left, right in pairwise(xs):
        spans = sorted((box[1], box[3]) for box in boxes if box[0] <= left and box[2] >= right)
        end = -1e18
        for top, bottom in spans:
            if bottom > end:
                total += (right - left) * (bottom - max(top, end))
                end = bottom
    return total


def shared(first: list[Box], second: list[Box]) -> float:
    return area(first) + area(second) - area(first + second)


def joined(words: list[Box]) -> list[Box]:
    """One rectangle for words that follow each other at one height, with the blanks between them."""
    boxes: list[Box] = []
    for box in words:
        last = boxes[-1] if boxes else None
        high = box[3] - box[1]
        if (
            last is not None
            and min(last[3], box[3]) - max(last[1], box[1]) >= min(last[3] - last[1], high) / 2
            and -high <= box[0] - last[2] <= 1.2 * high
        ):
            boxes[-1] = (min(last[0], box[0]), min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
        else:
            boxes.append(box)
    return boxes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quotes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    dice = random.Random(arguments.seed)
    reader = FileReader()
    pages: list[tuple[Path, PageText]] = []
    files = 0
    for path in sorted(arguments.folder.rglob("*.pdf")):
        try:
            read = [item for item in reader.read(path.read_bytes(), path.name) if isinstance(item, PageText)]
        except AppError:
            continue
        inside = [page for page in read if page.source == "embedded" and len(page.words) >= 30]
        files += bool(inside)
        pages += [(path, page) for page in dice.sample(inside, min(12, len(inside)))]
    rows: list[tuple[float, str]] = []
    turned = cropped = lost = foreign = 0
    while len(rows) < arguments.quotes:
        path, page = dice.choice(pages)
        words = list(page.words)
        first = dice.randrange(len(words) - 3)
        last = min(len(words) - 1, first + dice.randint(2, 24))
        start, end = words[first].start, words[last].end
        if any(a < end and b > start for a, b in page.hidden_spans):
            continue
        picked: list[Word] = list(PageWords(tuple(words)).within(start, end))
        assert picked == words[first : last + 1]
        painted = [(b.left(), b.top(), b.right(), b.bottom()) for b in lines(picked)]
        document = pymupdf.open(path)
        sheet = document[page.number - 1]
        turned += bool(sheet.rotation)
        cropped += sheet.cropbox != sheet.mediabox
        raw = []
        for x0, y0, x1, y1, *_ in sheet.get_text(
            "words", clip=pymupdf.INFINITE_RECT(), flags=pymupdf.TEXT_PRESERVE_WHITESPACE
        ):
            box = pymupdf.Rect(x0, y0, x1, y1) * sheet.rotation_matrix
            box.normalize()
            raw.append(tuple(box))
        same = []
        for word in picked:
            middle = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
            near = [
                candidate
                for candidate in raw
                if abs((candidate[0] + candidate[2]) / 2 - middle[0]) < 1
                and abs((candidate[1] + candidate[3]) / 2 - middle[1]) < 1
            ]
            if near:
                same.append(near[0])
        if len(same) != len(picked):
            lost += 1
            rows.append((0.0, f"{path.name} p. {page.number}: {len(picked) - len(same)} words not found"))
            continue
        wanted = joined(same)
        overlap = shared(painted, wanted)
        union = area(painted + wanted)
        others = [box for box in raw if box not in same and area([box])]
        foreign += sum(shared([box], painted) > 0.3 * area([box]) for box in others)
        rows.append((overlap / union if union else 0.0, f"{path.name} p. {page.number} {page.text[start:end][:60]!r}"))
    rows.sort()
    good = sum(score >= 0.98 for score, _ in rows)
    print(f"{files} PDFs with text, {len(rows)} quotes; {turned} on rotated, {cropped} on cropped pages")
    print(f"intersection over union >= 0.98: {good} of {len(rows)}; median {rows[len(rows) // 2][0]:.4f}; {lost} lost")
    print(f"words of others under a highlight (three tenths of them or more): {foreign}")
    for score, place in rows[: min(8, len(rows) - good)]:
        print(f"  {score:.3f}  {place}")


if __name__ == "__main__":
    main()
