"""Measure the reading of scans: errors of each engine and of both, and how many of them a short review finds.

    python -m tests.eval.ocr FOLDER [--pages 12] [--seed 7] [--half state] [--worn] [--all] [--each]

FOLDER holds pages_dev.jsonl {id, image, gt, tess_word_recall}, pictures of 300 dots an inch and their true texts. The
pages are drawn by the seed. ``--worn`` makes each picture what a bad copy is: 120 dots an inch, out of focus, grey and
grainy, a little crooked. ``--all`` takes pages whose given text does not fit the picture as well.

Letters and words are compared after the folding that quotes are looked up with (marks, blanks, words broken at line
ends); dashes part words; hyphens, quotation marks, the blank before a mark and words all in capitals do not count,
because printed and true text differ there. A word is wrong where the alignment with the fewest changed words says so;
stretches of five words and more that the true text leaves out (footnotes) are left out. One queue holds all pages.
Quotes are drawn five times, a fifth of the words each time; their words come first in the queue, as in a case.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter
from rapidfuzz.distance import Levenshtein

from core.domain import Page, Reading
from core.engines.ocr import page_layout, two_engines
from core.engines.ocr.rapidocr_engine import RapidOcr
from core.engines.ocr.tesseract_engine import TesseractOcr
from core.ocr import suspect_words
from core.ocr.service import lexicon
from core.ports import OcrPage
from core.text import normalise

DASHES = str.maketrans("—–", "  ")
REVIEWED = 0.1  # of the words
QUOTED = 25  # words of a quote
Quotes = list[list[tuple[int, int]]]  # by page: from where to where
LEFT_OUT = 5  # words in a row that the true text does not have, from which on it leaves a footnote or a heading out


def worn(png: bytes, seed: str) -> bytes:
    """What a bad copy of a clean page looks like; the same for the same seed."""
    chance = random.Random(seed)
    sheet = Image.open(io.BytesIO(png)).convert("L")
    sheet = sheet.resize((sheet.width * 2 // 5, sheet.height * 2 // 5), Image.Resampling.BOX)
    sheet = sheet.rotate(chance.uniform(-1.5, 1.5), Image.Resampling.BICUBIC, fillcolor=255)
    sheet = sheet.filter(ImageFilter.GaussianBlur(0.7))
    grain = np.random.default_rng(chance.randrange(10**6)).normal(0, 18, (sheet.height, sheet.width))
    dots = np.asarray(sheet, np.float64) * 0.6 + 70 + grain
    file = io.BytesIO()
    Image.fromarray(dots.clip(0, 255).astype(np.uint8)).save(file, "PNG")
    return file.getvalue()


def tokens(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    """Words as they are compared, and from where in the text each comes."""
    plain, back = normalise(text.translate(DASHES))
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    offset = 0
    for piece in plain.split(" "):
        if piece:
            span = back.span(offset, offset + len(piece))
            word = piece.replace("-", "").replace('"', "").strip("'")
            if words and word and not any(c.isalnum() for c in word):
                words[-1] += word
                spans[-1] = (spans[-1][0], span[1])
            elif word:
                words.append(word)
                spans.append(span)
        offset += len(piece) + 1
    return words, spans


def judged(words: list[str], wanted: list[str]) -> tuple[list[bool | None], int]:
    """Whether each word is right (None: it stands in a stretch that the true text leaves out), and how many words of
    the true text were not read."""
    right: list[bool | None] = [False] * len(words)
    lost = 0
    for step in Levenshtein.opcodes([word.casefold() for word in words], [word.casefold() for word in wanted]):
        source, target = range(step.src_start, step.src_end), range(step.dest_start, step.dest_end)
        if step.tag == "equal":
            for left, right_word in zip(source, target, strict=True):
                right[left] = words[left] == wanted[right_word] or words[left].isupper() or wanted[right_word].isupper()
        elif step.tag == "insert":
            lost += len(target)
        elif step.tag == "delete" and len(source) >= LEFT_OUT:
            right[step.src_start : step.src_end] = [None] * len(source)
    return right, lost


class Score:
    """Letters and words that are wrong, summed over pages, and what a review of the queue finds of them."""

    def __init__(self) -> None:
        self.letters = self.wrong_letters = self.words = self.wrong_words = 0
        self.read = self.lost = 0
        self.seconds = 0.0
        self.pages: list[tuple[OcrPage, list[tuple[int, int]], list[bool | None]]] = []

    def add(self, page: OcrPage, truth: str) -> str:
        words, spans = tokens(page.text)
        wanted, _ = tokens(truth)
        reading, wanted_text = " ".join(words), " ".join(wanted)
        wrong_letters = Levenshtein.distance(reading, wanted_text)
        right, lost = judged(words, wanted)
        wrong_words = lost + right.count(False)
        self.letters += len(wanted_text)
        self.wrong_letters += wrong_letters
        self.words += len(wanted)
        self.wrong_words += wrong_words
        self.seconds += page.seconds
        self.lost += lost
        self.read += len(words) - right.count(None)
        self.pages.append((page, spans, right))
        return f"{wrong_letters / max(1, len(wanted_text)):.2%} {wrong_words / max(1, len(wanted)):.2%}"

    def review(self, quotes: Quotes | None = None) -> tuple[int, int, int]:
        """How many words are wrong, how many of them stand in the first part of the queue, how many words that is; with
        ``quotes``, stretches that are cited by page, of the words in those alone."""
        found_doubts = []
        total = 0
        readings = [
            Reading(page.engine, page.text, page.words, page.confidences, page.alternatives, page.others)
            for page, _, _ in self.pages
        ]
        vocabulary = suspect_words.Vocabulary(suspect_words.word_counts(readings), lexicon(("eng",)))
        for number, (page, _, _) in enumerate(self.pages):
            total += len(page.words)
            page_row = Page(number, "D1", 1, page.text, "", 1, 1, "ocr", page.confidence, "", (), page.engine)
            cited = [(start, end, "E1") for start, end in quotes[number]] if quotes is not None else []
            found_doubts += suspect_words.find(page_row, readings[number], page.words, (), cited, vocabulary=vocabulary)
        looked = suspect_words.in_order(found_doubts)[: round(REVIEWED * total)]
        wrong = caught = 0
        for number, (page, spans, good) in enumerate(self.pages):
            words = list(page.words)
            doubted = [words[doubt.word] for doubt in looked if doubt.page_id == number]
            for (start, end), right in zip(spans, good, strict=True):
                if quotes is not None and not any(first < end and start < last for first, last in quotes[number]):
                    continue
                wrong += right is False
                caught += right is False and any(word.start < end and start < word.end for word in doubted)
        return wrong, caught, len(looked)

    def quotes(self, seed: int) -> Quotes:
        """Stretches of each page as they might be quoted: a fifth of its words, 25 in a row."""
        chance = random.Random(seed)
        quotes: Quotes = []
        for page, _, _ in self.pages:
            words = list(page.words)
            firsts = chance.sample(
                range(0, len(words), QUOTED), min(len(words) // (5 * QUOTED) + 1, -(-len(words) // QUOTED))
            )
            quotes.append(
                [(words[index].start, words[min(index + QUOTED, len(words)) - 1].end) for index in sorted(firsts)]
            )
        return quotes

    def summary(self, name: str) -> str:
        wrong, hits, looked = self.review()
        inside = [self.review(self.quotes(seed))[:2] for seed in range(5)]
        quoted, caught = (sum(counts[place] for counts in inside) for place in (0, 1))
        return (
            f"{name:5s} letters wrong {self.wrong_letters / max(1, self.letters):6.2%}  "
            f"words wrong {self.wrong_words / max(1, self.words):6.2%}  {wrong} wrong of {self.read} words read, "
            f"{self.lost} not read; the first {looked} in the queue hold {hits / max(1, wrong):.1%} of the wrong "
            f"ones, reviewed they leave {(self.wrong_words - hits) / max(1, self.words):.2%}; of the wrong words in "
            f"quotes {caught / max(1, quoted):.1%} ({caught} of {quoted}); {self.seconds:.1f} s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--worn", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument(
        "--half", choices=("choose", "state"), help="one half of the pages; weights were chosen on the first"
    )
    parser.add_argument("--each", action="store_true", help="letters and words wrong of every page, A, B, both")
    chosen = parser.parse_args()
    with (chosen.folder / "pages_dev.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = [row for row in rows if chosen.all or row["tess_word_recall"] >= 0.85]
    random.Random(chosen.seed).shuffle(rows)
    rows = rows[: chosen.pages]
    if chosen.half:
        rows.sort(key=lambda row: str(row["id"]))
        random.Random(3).shuffle(rows)
        rows = rows[chosen.half == "state" :: 2]
    tesseract, rapid = TesseractOcr(), RapidOcr()
    both = two_engines.BothOcr(tesseract, rapid)
    print(both.fingerprint)
    scores = {name: Score() for name in ("A", "B", "both")}
    began = time.monotonic()
    spoil: Callable[[bytes, str], bytes] = worn if chosen.worn else lambda png, _: png
    for row in rows:
        png = spoil((chosen.folder / row["image"]).read_bytes(), row["id"])
        truth = (chosen.folder / row["gt"]).read_text("utf-8")
        page = both.read(png, width=row["w"] * 72 / page_layout.DPI, height=row["h"] * 72 / page_layout.DPI)
        readings = (*page.readings, page)
        figures = [score.add(reading, truth) for score, reading in zip(scores.values(), readings, strict=True)]
        if chosen.each:
            print(row["id"], *figures, sep="  ", flush=True)
    print(f"{len(rows)} pages, {time.monotonic() - began:.0f} s")
    for name, score in scores.items():
        print(score.summary(name))


if __name__ == "__main__":
    main()
