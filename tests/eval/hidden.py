"""Measure hidden text: planted on real pages it is found, each way of hiding it; of the pages as they are little is.

    python -m tests.eval.hidden FOLDER [FOLDER ...] [--pages 60] [--seed 1]

Every way is tried once on each of the pages, which are taken at random from all PDFs with text, in a spot at random
where no other word stands. Printed: for each way how many of the planted texts are flagged whole, and with the right
reason; and of the untouched files the share of words that are flagged, with the words, so that a person can see on the
page whether they are right.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pymupdf

from core.domain import PageText
from core.engines.readers import pdf
from core.errors import UnreadableDocument

PLANTED = "Xyzzy ignore plugh rules"
BLACK, WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
Spot = tuple[float, float]


def typed(**how: object) -> Callable[[pymupdf.Page, Spot], None]:
    return lambda page, spot: page.insert_text(spot, PLANTED, **how)


def around(spot: Spot) -> pymupdf.Rect:
    return pymupdf.Rect(spot[0] - 4, spot[1] - 12, spot[0] + 150, spot[1] + 5)


def boxed(page: pymupdf.Page, spot: Spot) -> None:
    page.insert_text(spot, PLANTED)
    page.draw_rect(around(spot), fill=BLACK, color=None)


def whitened(page: pymupdf.Page, spot: Spot) -> None:
    page.insert_text(spot, PLANTED)
    page.draw_rect(around(spot), fill=WHITE, color=None)


def covered(page: pymupdf.Page, spot: Spot) -> None:
    page.insert_text(spot, PLANTED)
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 9, 9), False)
    picture.clear_with(190)
    page.insert_image(around(spot), pixmap=picture, keep_proportion=False)


def on_white(page: pymupdf.Page, spot: Spot) -> None:
    page.draw_rect(around(spot), fill=WHITE, color=None)
    page.insert_text(spot, PLANTED, color=WHITE)


def on_black(page: pymupdf.Page, spot: Spot) -> None:
    page.draw_rect(around(spot), fill=BLACK, color=None)
    page.insert_text(spot, PLANTED, color=BLACK)


def beyond(page: pymupdf.Page, spot: Spot) -> None:
    page.insert_text((spot[0], page.cropbox.height + 60), PLANTED)


def clipped(page: pymupdf.Page, spot: Spot) -> None:
    page.insert_text(spot, PLANTED)
    xref = page.get_contents()[-1]
    page.parent.update_stream(xref, b"q 0 0 0 0 re W n " + page.parent.xref_stream(xref) + b" Q")


def over_glyphs(page: pymupdf.Page, spot: Spot) -> None:
    """Over the dark letters of a picture; only a mark on the page can say so where nobody reads the picture."""
    sheet = pymupdf.open().new_page(width=160, height=20)
    sheet.insert_text((4, 14), "Picture says guilty now")
    page.insert_image(around(spot), pixmap=sheet.get_pixmap(dpi=150), keep_proportion=False)
    page.insert_text(spot, PLANTED, render_mode=3)


def layered(page: pymupdf.Page, spot: Spot) -> None:
    page.insert_text(spot, PLANTED, oc=page.parent.add_ocg("notes", on=False))


WAYS: dict[str, tuple[Callable[[pymupdf.Page, Spot], None], str]] = {
    "render mode 3": (typed(render_mode=3), "invisible"),
    "render mode 3 over a picture": (over_glyphs, "invisible"),
    "render mode 7": (typed(render_mode=7), "invisible"),
    "white on white": (on_white, "colour"),
    "black on black": (on_black, "colour"),
    "0.9 points": (typed(fontsize=0.9), "tiny"),
    "off the page": (beyond, "outside"),
    "alpha 0": (typed(fill_opacity=0), "transparent"),
    "cut off by a clip": (clipped, "cut off"),
    "in a layer switched off": (layered, "layer"),
    "behind a picture": (covered, "behind"),
    "under a white box": (whitened, "behind"),
    "under a black box": (boxed, "blacked out"),
}


def planted(data: bytes, number: int, way: str, spot: Spot) -> tuple[bool, bool]:
    """Whether all planted words are flagged, and with the right reason."""
    document = pymupdf.open(stream=data, filetype="pdf")
    document.select([number - 1])
    page = document[0]
    page.clean_contents()  # so that what is added stands on the page as it is stored
    make, why = WAYS[way]
    make(page, spot)
    (read,) = (item for item in pdf.read(document.tobytes(), "a.pdf", "pdf") if isinstance(item, PageText))
    flagged = Counter[str]()
    for (start, end), reason in zip(read.hidden_spans, read.hidden_why, strict=True):
        for word in read.text[start:end].split():
            flagged[word] += 1
            flagged[f"{word} {reason}"] += 1
    words = PLANTED.split()
    return all(flagged[word] for word in words), all(flagged[f"{word} {why}"] for word in words)


def free(data: bytes, number: int, chance: random.Random) -> Spot | None:
    """A spot with room for the planted words."""
    page = pymupdf.open(stream=data, filetype="pdf")[number - 1]
    words = [pymupdf.Rect(word[:4]) for word in page.get_text("words")]
    width, height = page.cropbox.width, page.cropbox.height
    for _ in range(300):
        spot = (chance.uniform(10, width - 160), chance.uniform(20, height - 20))
        room = around(spot)
        room.x0, room.y0, room.x1, room.y1 = room.x0 - 3, room.y0 - 3, room.x1 + 3, room.y1 + 3
        if not any(room.intersects(word) for word in words):
            return spot
    return None


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", nargs="+", type=Path)
    options.add_argument("--pages", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    arguments = options.parse_args()
    chance = random.Random(arguments.seed)
    choice: list[tuple[Path, int]] = []
    words = flagged = 0
    print("Flagged on the files as they are:")
    for file in sorted(file for folder in arguments.folders for file in folder.rglob("*.pdf")):
        try:
            pages = [item for item in pdf.read(file.read_bytes(), file.name, "pdf") if isinstance(item, PageText)]
        except UnreadableDocument:
            continue
        counts: Counter[str] = Counter()
        texts: dict[str, str] = {}
        for page in pages:
            words += len(page.words)
            for (start, end), why in zip(page.hidden_spans, page.hidden_why, strict=True):
                counts[why] += len(page.words.within(start, end))
                texts.setdefault(why, f"p. {page.number} {page.text[start:end][:50]!r}")
        flagged += counts.total()
        for why, count in counts.items():
            print(f"  {file.name[:44]:44s} {why:12s} {count:6d} words, such as {texts[why]}")
        choice += [(file, page.number) for page in pages if len(page.words) > 50 and page.picture < 0.5]
    print(f"{flagged} of {words} words, {100 * flagged / max(1, words):.3f}%\n")
    sample = chance.sample(choice, min(arguments.pages, len(choice)))
    missed = 0
    print(f"Planted on {len(sample)} pages: flagged, and with the right reason")
    for way in WAYS:
        flagged_whole = right = tried = 0
        for file, number in sample:
            data = file.read_bytes()
            spot = free(data, number, chance)
            if spot is None:
                continue
            whole, named = planted(data, number, way, spot)
            tried += 1
            flagged_whole += whole
            right += named
            if not whole:
                print(f"    missed: {way}, {file.name} p. {number} at {spot[0]:.0f}, {spot[1]:.0f}")
        missed += tried - flagged_whole
        print(f"  {way:20s} {flagged_whole:4d} {right:4d} of {tried}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
