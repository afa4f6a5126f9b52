"""Measure quote verification on noisy text: quotes found again, offsets, and altered quotes let through (never one).

Quotes are looked for in whole documents, in other documents, and in documents cut into pages with a running head and a
page number, so that many run over a page break. Altered quotes are made of those that stand in the text word for word.

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
from core.evidence.quotes import Match, QuoteFinder

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
    date = re.search(
        r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b", text
    )
    if date:
        yield "date changed", text[: date.start()] + ("June" if date[0] != "June" else "July") + text[date.end() :]
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


def in_pages(name: str, text: str, first: int) -> list[Page]:
    """A document cut at line ends into pages of some 1,200 characters with a head and a number; all text stays."""
    pages = []
    start = 0
    while start < len(text):
        cut = text.rfind("\n", start, start + 1_200) + 1
        cut = len(text) if start + 1_200 >= len(text) else cut if cut > start else start + 1_200
        number = len(pages) + 1
        pages.append(f"THE GAZETTE\n{text[start:cut]}\n- {number} -")
        start = cut
    return [
        Page(first + n, name, n + 1, page, "", 0.0, 0.0, "ocr", None, "", (), "eval") for n, page in enumerate(pages)
    ]


def found_at(match: Match, row: dict[str, Any]) -> bool:
    """Whether a match covers the true span, and little else."""
    both = min(match.end, row["end"]) - max(match.start, row["start"])
    either = max(match.end, row["end"]) - min(match.start, row["start"])
    return match.document == row["doc_id"] and both >= SAME_PLACE * either


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quotes", type=int, default=400)
    chosen = parser.parse_args()
    documents = {row["doc_id"]: row["text"] for row in read(chosen.folder / "docs_dev.jsonl")}
    pages = [page(number, name, text) for number, (name, text) in enumerate(documents.items(), start=1)]
    quotes = read(chosen.folder / "quotes_dev.jsonl")
    random.Random(7).shuffle(quotes)
    corpus = QuoteFinder(pages)

    statuses: Counter[str] = Counter()
    in_place = located = clean = clean_found = 0
    began = time.monotonic()
    for row in quotes[: chosen.quotes]:
        answer = corpus.find(row["quote"])
        statuses["altered" if answer.altered else answer.status] += 1
        located += answer.status in ("verified", "near")
        in_place += any(found_at(match, row) for match in answer.matches)
        if row["ocr_span"].split() == row["quote"].split():
            clean += 1
            clean_found += answer.status == "verified"
    looked = sum(statuses.values())
    print(f"{looked} true quotes in {len(pages)} noisy documents: {dict(statuses)}")
    print(f"  recall {located / looked:.3f}, in the right place {in_place / looked:.3f}")
    print(f"  read without a fault: {clean_found} of {clean} verified")
    print(f"  {1000 * (time.monotonic() - began) / looked:.1f} ms each")

    cut = []
    for name, text in documents.items():
        cut += in_pages(name, text, len(cut))
    paged = QuoteFinder(cut)
    over: Counter[str] = Counter()
    stretches = proven = 0
    for row in quotes[: chosen.quotes]:
        answer = paged.find(row["quote"], document=row["doc_id"])
        if answer.matches and answer.matches[0].more:
            over["altered" if answer.altered else answer.status] += 1
            for match in answer.matches:
                text_of = {p.number: p.text for p in cut if p.document == match.document}
                for number, start, end, words in (
                    (match.page, match.start, match.end, match.text),
                    *((part.page, part.start, part.end, part.text) for part in match.more),
                ):
                    stretches += 1
                    proven += text_of[number][start:end] == words
    print(
        f"in {len(cut)} pages: over a page break {dict(over)}; stretches that stand on their page {proven}/{stretches}"
    )

    strangers: Counter[str] = Counter()
    for index, row in enumerate(quotes[: chosen.quotes // 2]):
        others = [p for p in random.Random(index).sample(pages, min(12, len(pages))) if p.document != row["doc_id"]]
        strangers[QuoteFinder(others).find(row["quote"]).status] += 1
    print(f"looked for in other documents: {dict(strangers)}")

    let_through = misprints = 0
    changed: dict[str, Counter[str]] = {}
    for row in [row for row in quotes if row["cer"] == 0][: chosen.quotes]:
        for change, text in altered(row["quote"]):
            for looked_in in (corpus, paged):
                answer = looked_in.find(text, document=row["doc_id"])
                status = "altered" if answer.altered else answer.status
                changed.setdefault(change, Counter())[status] += 1
                let_through += status == "verified"
                misprints += status == "near" and change != "word dropped"
                if status == "verified":
                    print(f"  let through ({change}): {text}")
    for change, counted in sorted(changed.items()):
        print(f"{change}: {dict(counted)}")
    print(f"altered quotes let through as verified: {let_through}; taken for misprints: {misprints}")
    return 1 if let_through else 0


if __name__ == "__main__":
    sys.exit(main())
