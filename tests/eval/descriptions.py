"""Print what documents say of themselves, so that a person can see whether it is right.

    python -m tests.eval.descriptions FOLDER [--most 100] [--seed 1] [--lines 6]

A file a paragraph: title, author, publisher, place and date, each with where it was read and how sure it is, and below
them its first lines as they stand. The files are taken at random from all in the folder. The last lines count how many
have each of the five, by where it was read.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

from core.documents import descriptions
from core.domain import PageText
from core.engines.readers.dispatch import FileReader
from core.errors import AppError
from core.ports import Outline


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=6)
    arguments = parser.parse_args()
    files = sorted(path for path in arguments.folder.rglob("*") if path.is_file())
    files = sorted(random.Random(arguments.seed).sample(files, min(arguments.most, len(files))))
    counts: Counter[tuple[str, str]] = Counter()
    read = 0
    for path in files:
        print(f"=== {path.relative_to(arguments.folder)}")
        try:
            outline, page = first_page(path)
        except AppError as error:
            print(f"    not read: {error}")
            continue
        read += 1
        outline = descriptions.complete(outline, page)
        for fact in outline.attributions:
            where = "line" if fact.where.startswith("line ") else fact.where
            counts[fact.field, f"{where} ({fact.certainty})"] += 1
            print(f"    {fact.field:<9} {getattr(outline, fact.field)[:100]}   [{fact.where}, {fact.certainty}]")
        text = page.text if page is not None else ""
        for line in [line for line in text[:2_000].split("\n") if line.strip()][: arguments.lines]:
            print(f"        {line.strip()[:110]}")
    print(f"{read} files read")
    for (field, where), count in sorted(counts.items()):
        print(f"{field:<9} {where:<40} {count}")


def first_page(path: Path) -> tuple[Outline, PageText | None]:
    """Read a file as far as its first page."""
    outline: Outline | None = None
    for item in FileReader().read(path.read_bytes(), path.name):
        if isinstance(item, Outline):
            outline = item
        elif isinstance(item, PageText) and outline is not None:
            return outline, item
    assert outline is not None
    return outline, None


if __name__ == "__main__":
    main()
