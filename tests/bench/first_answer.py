"""How long a person waits for an answer and for hits while documents are read, embedded and judged.

    python -m tests.bench.first_answer [--documents 900] [--asks 8]

Uses the window's session with the real engines that are installed. The same is asked with nothing else under way first.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from tests.bench.machine import describe
from tests.bench.window import invented


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=900)
    parser.add_argument("--asks", type=int, default=8)
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    scratch = Path(tempfile.mkdtemp(prefix="disconfirm-bench-"))
    from core import paths

    os.environ.setdefault("DISCONFIRM_MODELS", str(paths.models()))
    os.environ["DISCONFIRM_HOME"] = str(scratch / "home")
    from PySide6.QtCore import QCoreApplication

    from core import settings
    from core.runtime import launch
    from gui_app.session import CaseSession

    program = QCoreApplication([])
    session = CaseSession(launch.build_engines(settings.load()), who="Bench")
    session.failed.connect(lambda error: print("failed:", error.sentence))
    session.create(scratch / "bench.disconfirm", title="Bench")
    print(describe())

    def until(answer: list[object]) -> float:
        began = time.perf_counter()
        while not answer:
            program.processEvents()
            time.sleep(0.002)
        return time.perf_counter() - began

    def ask(number: int) -> float:
        answer: list[object] = []
        question = f"When did van {number * 7 + 3} leave the yard?"
        task = session.run(
            "Asking", lambda bench, progress: bench.answers.ask(question, progress=progress), for_person=True
        )
        assert task is not None
        task.ended.connect(lambda: answer.append(True))
        return until(answer)

    def search(number: int) -> float:
        answer: list[object] = []
        session.read(lambda bench: bench.search.find(f"van {number * 7} in the yard"), lambda hits: answer.append(True))
        return until(answer)

    def show(label: str) -> None:
        for name, measure in (("ask", ask), ("search", search)):
            times = [measure(number) for number in range(options.asks)]
            print(f"{label}: {name}: first {times[0]:.2f} s, worst {max(times):.2f} s", flush=True)

    first = invented(scratch / "first", 40)
    session.do(lambda bench: bench.documents.add([first]))
    for text in ("The van left the yard at night.", "The guard did not see the van.", "Nobody opened the gate."):
        session.do(lambda bench, text=text: bench.hypotheses.add(text))
    ask(0)  # the engines start
    show("nothing else")
    folder = invented(scratch / "notes", options.documents)
    session.run("Reading", lambda bench, progress: bench.documents.add([folder], progress=progress, embed=False))
    session.run("Indexing", lambda bench, progress: bench.index.build(progress))
    session.run("Judging", lambda bench, progress: bench.review.propose(passages=None, progress=progress))
    while session.tasks.tasks:
        batch = session.tasks.tasks[0]
        began, title = batch.count, batch.title
        time.sleep(3)
        program.processEvents()
        if session.tasks.tasks and session.tasks.tasks[0] is batch and batch.state == "running":
            show(f"beside {title.lower()} ({batch.count} of {batch.total})")
            print(f"  {batch.count - began} steps of {title.lower()} meanwhile", flush=True)
            if batch in session.tasks.tasks:
                session.tasks.cancel(batch)  # the next one
            while batch in session.tasks.tasks:
                program.processEvents()
                time.sleep(0.002)
    session.shutdown()


if __name__ == "__main__":
    main()
