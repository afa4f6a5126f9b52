"""How well questions for yes or no are answered where a negation decides: statement, denial and the judge.

    python -m tests.eval.condaqa [FOLDER] [--sample N]

FOLDER holds ``citation_audit/condaqa_negation`` (1,110 questions on Wikipedia passages that differ by an edit of a
negation). Each passage stands alone in a case, and each question is asked of it twice: as it is, and as its denial is
asked. Reported: the share that can be read as a statement, the share of these answered, how many of those are right, of
how many whose true answer is DON'T KNOW a yes or no was given, in how many groups (the same question on the edits of a
passage) everything answered is right, and for how many questions both ways got a yes, which has to be none.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from core import settings
from core.answers.question import understand
from core.runtime import launch
from core.workbench import Workbench


def groups_of(rows: list[dict[str, Any]], sample: int) -> dict[str, list[dict[str, Any]]]:
    """The questions by what they ask of which passage, so many groups that about ``sample`` questions are in them."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["id"].rpartition("-")[0]].append(row)
    names = sorted(groups)
    random.Random(7).shuffle(names)
    groups_in: dict[str, list[dict[str, Any]]] = {}
    for name in names:
        if sum(map(len, groups_in.values())) < sample:
            groups_in[name] = groups[name]
    return groups_in


def answer(bench: Workbench, question: str) -> str:
    """The short answer of the first point: 'yes', 'no', or '' for neither."""
    answer = bench.answers.ask(question).answer
    short = answer.points[0].short if answer.is_answered and answer.points else ""
    return short if short in ("yes", "no") else ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sample", type=int, default=300)
    args = parser.parse_args()
    path = args.folder / "citation_audit" / "condaqa_negation" / "dev.jsonl"
    groups = groups_of([json.loads(line) for line in path.read_text("utf-8").splitlines()], args.sample)
    engines = launch.build_engines(settings.load())
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, rows in enumerate(groups.values(), start=1):
            results = []
            for row in rows:
                counts["asked"] += 1
                question = understand(row["question"])
                if not question.statement:
                    continue
                text = Path(folder, f"{row['id']}.txt")
                text.write_text(row["passage"], "utf-8")
                with Workbench.create(Path(folder, f"{row['id']}.disconfirm"), engines) as bench:
                    bench.documents.add([text])
                    bench.index.build()
                    short = answer(bench, row["question"])
                    opposite = answer(bench, f"Is it true that {question.denial.rstrip('.')}?")
                counts["both yes"] += short == opposite == "yes"
                if row["answer"] not in ("YES", "NO"):
                    counts["neither"] += 1
                    counts["neither, answered"] += bool(short)
                    continue
                counts["known"] += 1
                if short:
                    results.append(short == row["answer"].lower())
            counts["answered"] += len(results)
            counts["right"] += sum(results)
            counts["groups"] += len(results) > 1
            counts["groups right"] += len(results) > 1 and all(results)
            print(f"{number}/{len(groups)}", end="\r", file=sys.stderr, flush=True)
    launch.close(engines)
    print(f"asked {counts['asked']}; read as a statement, and yes or no is true: {counts['known']}")
    print(f"answered by yes or no {counts['answered']}, right {counts['right']}")
    print(f"answered although neither is true: {counts['neither, answered']} of {counts['neither']}")
    print(f"groups with two answers or more: {counts['groups']}; all right in {counts['groups right']}")
    print(f"statement and denial both yes: {counts['both yes']}")
    return 1 if counts["both yes"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
