"""Made ``version_1.disconfirm`` with the program that wrote format 1. Kept to show what is in it; the file stays.

python -m tests.old_cases.make_version_1 TARGET
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.store import CaseFile
from tests.core.store.material import clock, fill


def main(target: Path) -> None:
    with CaseFile.create(target, title="Kept case of format 1", who="ann", now=clock()) as case:
        fill(case)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
