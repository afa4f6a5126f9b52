"""How soon a question has its first points in a large case, and how much work that is.

    python -m tests.bench.ask CASE [FOLDER] [--passages 36000] [--questions 60]

CASE is made where it does not exist (embedding takes minutes; a run that was stopped goes on): the English paragraphs
of ``retrieval/xquad``, the texts of ``analyst/vast2011_vastopolis`` and the abstracts of ``retrieval/scifact`` and
``retrieval/cranfield`` of FOLDER, each a document, until there are so many passages. Then questions of XQuAD are asked,
every third of them with a name or figure of another question, so that the second round of searches is measured too; no
model words the answers. Reported are the time of the first question, with the search model still to be loaded, and of
the others: until the first step is shown and until the points are there, on the clock and of all processors (this
process and the search model's).

Target on two cores: points in less than 2 s, and a step on show at once.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from core import settings
from core.progress import Progress
from core.runtime import launch
from core.workbench import Workbench
from tests.bench.machine import describe
from tests.eval.ask import altered, rows

_AT_ONCE = 500  # documents that are written and added together
_TICKS = os.sysconf("SC_CLK_TCK")


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield names and texts, those with answers first."""
    retrieval = folder / "retrieval"
    for row in rows(retrieval / "xquad" / "en_corpus.jsonl"):
        yield f"xquad-{row['_id']}", row["text"]
    for file in sorted((folder / "analyst" / "vast2011_vastopolis" / "txt").glob("*.txt")):
        yield f"vast-{file.stem}", file.read_text("utf-8", "replace")
    for name in ("scifact", "cranfield"):
        for row in rows(retrieval / name / "corpus.jsonl"):
            yield f"{name}-{row['_id']}", f"{row.get('title', '')}\n\n{row['text']}"


def make(bench: Workbench, folder: Path, passages: int) -> None:
    """Add documents until there are so many passages, and embed them."""
    present = {document.name for document in bench.documents.all()}
    waiting = [(name, text) for name, text in texts(folder) if f"{name}.txt" not in present]
    while waiting and bench.store.counts()["chunks"] < passages:
        batch, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in batch:
                (Path(scratch) / f"{name}.txt").write_text(text, "utf-8")
            bench.documents.add([Path(scratch)], embed=False)
        print(f"{bench.store.counts()['chunks']:,} passages", flush=True)
    bench.index.finish()


def processor_seconds() -> float:
    """Return the processor time of this process and of those it started, ended or not."""
    total = sum(os.times()[:4])
    program = os.getpid()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == program:
                total += (int(fields[11]) + int(fields[12])) / _TICKS
    return total


def note(moments: list[float], *_step: object) -> None:
    """Take in that a step is shown."""
    moments.append(time.monotonic())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--passages", type=int, default=36_000)
    parser.add_argument("--questions", type=int, default=60)
    args = parser.parse_args()
    print(describe())
    engines = launch.build_engines(settings.load())
    if not args.case.exists():
        Workbench.create(args.case, engines, title="ask").close()
    with Workbench.open(args.case, engines) as bench:
        make(bench, args.folder, args.passages)
    engines = launch.build_engines(settings.load())
    rows_asked = rows(args.folder / "retrieval" / "xquad" / "en_questions.jsonl")
    rows_asked = rows_asked[:: max(1, len(rows_asked) // args.questions)][: args.questions]
    paragraphs = {row["_id"]: row["title"] for row in rows(args.folder / "retrieval" / "xquad" / "en_corpus.jsonl")}
    others = altered([{**row, "article": paragraphs[row["para"]]} for row in rows_asked])
    questions = [
        others.get(row["_id"], row["text"]) if index % 3 == 2 else row["text"] for index, row in enumerate(rows_asked)
    ]
    with Workbench.open(args.case, engines) as bench:
        print(f"{bench.store.counts()['documents']:,} documents, {bench.store.counts()['chunks']:,} passages")
        walls, works, steps, rounds = [], [], [], 0
        for text in questions:
            moments: list[float] = []
            began, work = time.monotonic(), processor_seconds()
            record = bench.answers.ask(text, progress=Progress(partial(note, moments)))
            walls.append(time.monotonic() - began)
            works.append(processor_seconds() - work)
            steps.append(moments[0] - began)
            rounds += len([step for step in record.answer.steps if step.what.startswith("Searched for")]) > 1
        print(f"first question: {walls[0]:.2f} s on the clock, {works[0]:.2f} s of processors")
        for name, values in (("first step", steps[1:]), ("points", walls[1:]), ("processors", works[1:])):
            ordered = sorted(values)
            print(
                f"{name}: median {statistics.median(ordered):.3f} s, p95 {ordered[int(0.95 * len(ordered))]:.3f} s, "
                f"most {ordered[-1]:.3f} s"
            )
        print(f"{rounds} of {len(questions)} questions took a second round of searches")
    print(json.dumps({"walls": [round(s, 3) for s in walls], "processors": [round(s, 3) for s in works]}))
    launch.close(engines)


if __name__ == "__main__":
    main()
