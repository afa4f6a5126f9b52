"""What is asked of a judge, and what its answers cost the program, when the same is wanted again.

    python -m tests.bench.verdicts [--passages N] [--hypotheses N]

Makes a case with a judge by rule, which takes no time worth counting, and prints for each step how often it was asked,
about how many pairs, and the processor time of the whole verb: a first run, the same again, one more hypothesis, the
same in a program started anew, a second reader over the close verdicts, and the same again. A repeated run must ask
nothing and take less than a second.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.ports import Engines
from core.workbench import Workbench
from tests.bench.ingest import text
from tests.bench.machine import describe
from tests.fakes import ContraryJudge, HashEmbedder, PlainReader, ScriptedJudge

SUBJECTS = ("pump", "guard", "valve", "vendor", "relay", "engineer", "alarm", "door")


class Counted(ScriptedJudge):
    """Says how often it was asked, and is close to the border so that a second reader has something to read."""

    def judge(self, passage, hypotheses):  # type: ignore[no-untyped-def]
        verdicts = super().judge(passage, hypotheses)
        return [replace(p, supports=0.4, contradicts=0.35, neutral=0.25) for p in verdicts]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=30)
    parser.add_argument("--hypotheses", type=int, default=5)
    options = parser.parse_args()
    print(describe())
    judge, second = Counted(), ContraryJudge()
    engines = Engines(PlainReader(), HashEmbedder(), judge, second_reader=second)
    dice = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.disconfirm"
        documents = Path(folder) / "documents"
        documents.mkdir()
        for number in range(40):
            (documents / f"{number}.txt").write_text(text(dice, 3_000), "utf-8")
        print(f"{'step':34}{'asked':>8}{'pairs':>8}{'processor s':>14}")

        def measure(name: str, asked: ScriptedJudge, verb: Callable[[], object]) -> tuple[int, float]:
            count, began = len(asked.history), time.process_time()
            verb()
            seconds = time.process_time() - began
            new = asked.history[count:]
            print(f"{name:34}{len(new):8}{sum(len(h) for _, h in new):8}{seconds:14.2f}")
            return len(new), seconds

        with Workbench.create(path, engines) as bench:
            bench.documents.add([documents])
            for night in range(options.hypotheses):
                bench.hypotheses.add(f"The {SUBJECTS[night % len(SUBJECTS)]} was not there in the night {night}.")
            measure("first run", judge, lambda: bench.review.propose(passages=options.passages))
            second_run = measure("the same again", judge, lambda: bench.review.propose(passages=options.passages))
            bench.hypotheses.add("The operator signed for the valve.")
            measure("one hypothesis more", judge, lambda: bench.review.propose(passages=options.passages))
        with Workbench.open(path, engines) as bench:
            anew = measure("in a program started anew", judge, lambda: bench.review.propose(passages=options.passages))
            close = [row.proposal for row in bench.review.close_or_decisive()]
            measure("second reader, close verdicts", second, lambda: bench.review.read_again(close))
            twice = measure("second reader, the same again", second, lambda: bench.review.read_again(close))
    return 0 if all(asked == 0 and seconds < 1 for asked, seconds in (second_run, anew, twice)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
