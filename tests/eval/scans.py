"""Which pages the program would read in their pictures: right and wrong, over layers of known quality and real files.

    python -m tests.eval.scans FOLDER

FOLDER holds pdf/varied (files with a manifest), ocr/old_books and retrieval/xquad. The true texts of scanned books
stand for layers over a picture, as they are, as an engine of 2017 read them, and with letters exchanged at random; a
layer should be read again where more than one letter in fourteen is wrong. Real files show false alarms: text that a
program wrote has none.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections import Counter
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from core.domain import PageText
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ocr.page_selection import needs_reading

WRONG = 0.07  # of the letters, from which on a layer should be read again
LETTERS = "abcdefghijklmnopqrstuvwxyz|;:.,'!l1I~0"
MOST_PAGES = 40  # of a file
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)  # of the letters that are spoilt


def spoilt(text: str, share: float, seed: int) -> str:
    """Letters exchanged, lost and added as a poor engine would."""
    chance = random.Random(seed)
    letters: list[str] = []
    for letter in text:
        if letter.isspace() or chance.random() >= share:
            letters.append(letter)
            continue
        draw = chance.random()
        letters.append(
            chance.choice(LETTERS) if draw < 0.6 else "" if draw < 0.8 else letter + chance.choice(LETTERS + " ")
        )
    return "".join(letters)


def shifted(text: str, by: int) -> str:
    return "".join(chr((ord(c.lower()) - 97 + by) % 26 + 97) if c.isascii() and c.isalpha() else c for c in text)


def layers(folder: Path) -> None:
    with (folder / "pages_dev.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    truths = [(folder / row["gt"]).read_text("utf-8") for row in rows]
    kinds = {
        "true text": truths,
        "engine of 2017": [(folder / row["tesseract"]).read_text("utf-8") for row in rows],
        **{
            f"{share:.0%} spoilt": [spoilt(t, share, n) for n, t in enumerate(truths)]
            for share in (0.02, 0.05, 0.1, 0.2, 0.4)
        },
        "letters shifted": [shifted(text, 3 + n % 20) for n, text in enumerate(truths)],
        "half unknown": ["".join("\ufffd" if c in "aeiotn" else c for c in text) for text in truths],
    }
    right = {True: 0, False: 0}
    wrong = {True: 0, False: 0}
    print(f"{'layer over a picture':22s} {'pages':>6s} {'letters wrong':>14s} {'read again':>11s}")
    for name, texts in kinds.items():
        flagged_count = 0
        errors = 0.0
        for text, truth in zip(texts, truths, strict=True):
            reading, wanted = " ".join(text.split()), " ".join(truth.split())
            share = min(1.0, Levenshtein.distance(reading, wanted) / max(1, len(wanted)))
            errors += share
            flagged = needs_reading(text, picture=1.0) != ""
            flagged_count += flagged
            # A page in another order than its truth is not misread.
            should = share > WRONG and name not in ("true text", "engine of 2017")
            (right if flagged == should else wrong)[flagged] += 1
        print(f"{name:22s} {len(texts):6d} {errors / len(texts):14.1%} {flagged_count / len(texts):11.1%}")
    print(
        f"together: precision {right[True] / (right[True] + wrong[True]):.1%}, "
        f"recall {right[True] / (right[True] + wrong[False]):.1%}"
    )


def files(folder: Path) -> None:
    reader = FileReader()
    counts_of: Counter[tuple[str, str]] = Counter()
    with (folder / "manifest_dev.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            try:
                data = (folder / "files" / row["file"]).read_bytes()
                pages = (item for item in reader.read(data, row["file"]) if isinstance(item, PageText))
                for number, page in enumerate(pages):
                    if number >= MOST_PAGES:
                        break
                    counts_of[row["category"], needs_reading(page.text, picture=page.picture)] += 1
            except UnreadableDocument:
                continue
    print(f"\n{'pages of real files':40s} {'text will do':>13s} {'no text':>8s} {'unknown':>8s} {'unlikely':>9s}")
    for category in sorted({category for category, _ in counts_of}):
        counts = [counts_of[category, why] for why in ("", "no text", "unknown characters", "unlikely words")]
        print(f"{category:40s} {counts[0]:13d} {counts[1]:8d} {counts[2]:8d} {counts[3]:9d}")


def image_only(folder: Path) -> None:
    reader = FileReader()
    for file in sorted(folder.glob("*.pdf")):
        pages = [item for item in reader.read(file.read_bytes(), file.name) if isinstance(item, PageText)]
        print(
            f"{file.name}: {sum(needs_reading(p.text, picture=p.picture) != '' for p in pages)} of {len(pages)} pages"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    layers(folder / "ocr" / "old_books")
    files(folder / "pdf" / "varied")
    image_only(folder / "ocr" / "old_books" / "pdf")


if __name__ == "__main__":
    main()
