"""Made ``version_12.disconfirm`` with the program that wrote format 12. Kept to show what is in it; the file stays.

python -m tests.old_cases.make_version_12 TARGET

Format 12 kept no struck spans, no tables, and nothing of what a reader left out of a file; raised digits were parts of
the words before them in the index.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.domain import PageText, Span
from core.ports import Outline
from core.store import CaseFile
from tests.core.store.material import begin, clock
from tests.old_cases import make_version_9

TEXT = "The lake held 10⁶ litres of CO₂ in 2019³. Between us."


def main(target: Path) -> None:
    make_version_9.main(target)
    with CaseFile.open(target, who="ann", now=clock("2026-05-01T08:00:00+00:00")) as case:
        document = begin(case, "lake.txt", TEXT.encode())
        start = TEXT.index("Between")
        page = PageText(1, TEXT, hidden_spans=((start, len(TEXT)),), hidden_why=("tiny",))
        case.documents.put_pages(document, [(page, [Span(0, start - 1)])])
        case.documents.finish(document, Outline("text", 1, title="Lake"))
        case.settings.set_title("Kept case of format 12")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
