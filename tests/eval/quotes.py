"""Measure quote verification on noisy text: quotes found again, offsets, and altered quotes let through (never one).

    python -m tests.eval.quotes FOLDER [--quotes 400]

FOLDER holds docs_dev.jsonl {doc_id, text} and quotes_dev.jsonl {doc_id, quote, start, end, cer}.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.domain import Page
from core.steps.verify import Corpus

SAME_PLACE = 0.9  # overlap of found and true span, as a share of what either covers


def read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def page(number: int, document: str, text: str) -> Page:
    return Page(number, document, 1, text, "", 0.0, 0.0, "ocr", None, "", (), "eval")


def altered(quote: str) -> Iterator[tuple[str, str]]:
    """The quote with one thing changed that changes what it says, and what was changed."""
    text = " ".join(quote.split())
    negation = re.search(r"\b(?:not|never|no)\b ?", text)
    if negation:
        yield "negation dropped", text[: negation.start()] + text[negation.end() :]
    digit = re.search(r"\d", text)
    if digit:
        yield "digit changed", text[: digit.start()] + str((int(digit[0]) + 1) % 10) + text[digit.end() :]
    name = re.search(r"(?<=[a-z,] )[A-Z][a-z]{3,}", text)
    if name:
        yield "name changed", text[: name.start()] + "Robinson" + text[name.end() :]
    words = text.split()
    if len(words) > 6:
        half = len(words) // 2
        yield "negation added", " ".join([*words[:3], "not", *words[3:]])
        yield "word dropped", " ".join(words[:half] + words[half + 1 :])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quotes", type=int, default=400)
    chosen = parser.parse_args()
    documents = {row["doc_id"]: row["text"] for row in read(chosen.folder / "docs_dev.jsonl")}
    pages = [page(number, name, text) for number, (name, text) in enumerate(documents.items(), start=1)]
    quotes = read(chosen.folder / "quotes_dev.jsonl")
    random.Random(7).shuffle(quotes)
    corpus = Corpus(pages)

    statuses: Counter[str] = Counter()
    in_place = 0
    began = time.monotonic()
    for row in quotes[: chosen.quotes]:
        answer = corpus.find(row["quote"])
        statuses[answer.status] += 1
        for match in answer.matches:
            both = min(match.end, row["end"]) - max(match.start, row["start"])
            either = max(match.end, row["end"]) - min(match.start, row["start"])
            if match.document == row["doc_id"] and both >= SAME_PLACE * either:
                in_place += 1
                break
    looked = sum(statuses.values())
    print(f"{looked} quotes in {len(pages)} documents: {dict(statuses)}, in the right place {in_place / looked:.3f},")
    print(f"  {1000 * (time.monotonic() - began) / looked:.1f} ms each")

    strangers: Counter[str] = Counter()
    for at, row in enumerate(quotes[: chosen.quotes // 2]):
        others = [p for p in random.Random(at).sample(pages, min(12, len(pages))) if p.document != row["doc_id"]]
        strangers[Corpus(others).find(row["quote"]).status] += 1
    print(f"looked for in other documents: {dict(strangers)}")

    let_through = 0
    changed: dict[str, Counter[str]] = {}
    for row in [row for row in quotes if row["cer"] == 0][: chosen.quotes]:
        for what, text in altered(row["quote"]):
            status = corpus.find(text, document=row["doc_id"]).status
            changed.setdefault(what, Counter())[status] += 1
            let_through += status == "verified"
    for what, counted in sorted(changed.items()):
        print(f"{what}: {dict(counted)}")
    print(f"altered quotes let through as verified: {let_through}")
    return 1 if let_through else 0


if __name__ == "__main__":
    sys.exit(main())
