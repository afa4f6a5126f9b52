"""Made ``version_15.disconfirm`` with the program that wrote format 15. Kept to show what is in it; the file stays.

python -m tests.old_cases.make_version_15 TARGET

The index of format 15 had the headings of a table only where the text of its rows has them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.domain import PageText, Span, Table
from core.ports import Outline
from core.store import CaseFile
from tests.core.store.material import add, begin, clock, embed

TEXT = "time\tvehicle\tdirection\n\n07:58\twhite van\tin"


def main(target: Path) -> None:
    with CaseFile.create(target, title="Kept case of format 15", who="ann", now=clock()) as case:
        document = begin(case, "gate.pdf", TEXT.encode())
        row = tuple((start := TEXT.index(words), start + len(words)) for words in ("07:58", "white van", "in"))
        page = PageText(1, TEXT, tables=(Table(("time", "vehicle", "direction"), (row,)),))
        case.documents.put_pages(document, [(page, [Span(0, len(TEXT))])])
        case.documents.finish(document, Outline("pdf", 1, title="Gate"))
        add(case, "memo.txt", ["Nobody saw a van."])
        embed(case)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
