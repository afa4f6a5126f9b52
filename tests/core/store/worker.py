"""A process that works on a case until it is killed. It prints a line after each step that was acknowledged.

python -m tests.core.store.worker KIND CASE
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from core.domain import RATINGS
from core.store import CaseFile
from tests.core.store.material import add, proposal


def main(kind: str, path: Path) -> None:
    with CaseFile.open(path, who="worker") as case:
        print("ready", flush=True)
        if kind == "hold":
            sys.stdin.read()
            return
        for number in itertools.count():
            if kind == "add":
                name = f"{path.stat().st_mtime_ns} {number}"
                answer = add(case, name, [f"The text of {name}. It is invented.", f"Page two of {name}. And no more."])
            elif kind == "accept":
                name = f"{path.stat().st_mtime_ns} {number}"
                document = add(case, name, [f"The text of {name}. It is invented."])
                proposals = case.proposals.put(
                    [proposal(case, "H1", chunk) for chunk in case.pages.chunk_ids(document)]
                )
                pairs = case.proposals.accept([pending.id for pending in proposals])
                answer = " ".join(f"{evidence}={proposal_id}" for evidence, proposal_id in pairs)
            elif kind == "rate":
                case.ratings.rate("E1", "H1", RATINGS[number % len(RATINGS)])
                answer = f"{number} {RATINGS[number % len(RATINGS)]}"
            else:
                entry = case.undo.undo() or case.undo.redo()
                answer = str(entry.seq if entry else 0)
            print(answer, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
