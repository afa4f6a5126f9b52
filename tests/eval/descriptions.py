"""Print what the first lines of text files say of them, so that a person can see whether it is right.

    python -m tests.eval.titles FOLDER [--most 100] [--seed 1] [--lines 6]

A file a paragraph: title, author, paper, place and date, and below them its first lines as they stand. The files are
taken at random from all texts in the folder. The last line counts how many have a title, an author and a date.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

from core.engines.readers.first_lines import head_of

from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Outline

ENDINGS = (".txt", ".text", ".md", ".markdown", ".log")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=6)
    given = parser.parse_args()
    files = sorted(path for path in given.folder.rglob("*") if path.suffix.lower() in ENDINGS)
    files = sorted(random.Random(given.seed).sample(files, min(given.most, len(files))))
    counts: Counter[str] = Counter()
    for path in files:
        print(f"=== {path.relative_to(given.folder)}")
        try:
            outline, page, *_ = FileReader().read(path.read_bytes(), path.name)
        except UnreadableDocument as error:
            print(f"    not read: {error}")
            continue
        assert isinstance(outline, Outline)
        counts["files"] += 1
        counts.update(name for name in ("title", "author", "date") if getattr(outline, name))
        head = head_of(page.text, language=page.language)
        print(f"    {outline.date or '-'} | {outline.title or '-'} | {outline.author or '-'} | {head.place or '-'}")
        for line in [line for line in page.text[:2_000].split("\n") if line.strip()][: given.lines]:
            print(f"        {line.strip()[:110]}")
    print(", ".join(f"{name}: {count}" for name, count in counts.items()))


if __name__ == "__main__":
    main()
