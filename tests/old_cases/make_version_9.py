"""Made ``version_9.disconfirm`` with the program that wrote format 9. Kept to show what is in it; the file stays.

python -m tests.old_cases.make_version_9 TARGET

Format 9 kept no answers, conflicts and audits.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.store import CaseFile
from tests.core.store.material import clock
from tests.old_cases import make_version_8


def main(target: Path) -> None:
    make_version_8.main(target)
    with CaseFile.open(target, who="ann", now=clock("2026-04-01T08:00:00+00:00")) as case:
        case.settings.set_title("Kept case of format 9")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
