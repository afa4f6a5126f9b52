"""How the window keeps up: time to the first painting, gaps of its event loop while it adds documents and judges, and
what a change of colours or text size costs it.

    python -m tests.bench.window [FOLDER] [--documents 300] [--where]
    python -m tests.bench.window --large [--documents 900] [--where]
    python -m tests.bench.window --filter [--documents 924]

FOLDER holds real documents (default: short invented ones). A timer of 10 ms beats in the window's thread; a gap is the
time between two beats, so 10 is the best that can be; the goal is none above 100. While documents are added, a person
asks, searches, opens documents and goes from screen to screen. Uses the real engines that are installed.
``--large`` needs none: it opens a case with many documents, proposals and rated rows and works on each of its screens.
``--where`` lists the longest gaps of each step with the functions that the window's thread was in.
``--filter`` needs no engine either: it types into the filter of the list of documents and gives the window's processor
time per key.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.machine import describe

HYPOTHESES = (
    "The van left the yard at night.",
    "The guard did not see the van.",
    "Nobody opened the gate.",
    "The driver wrote the note.",
    "Another van was in the yard.",
)
ROWS = 500  # of the matrix of the large case

FIRST_PAINT = """
import time, sys
began = time.perf_counter()
from gui_app import app
running = app.start([])
running.app.processEvents()
running.window.grab()
print(time.perf_counter() - began)
running.window.close()
"""


def first_paint(home: Path) -> float:
    """Seconds from the first import to a painted window, in a fresh process."""
    process = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT],
        env={**os.environ, "DISCONFIRM_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(process.stdout)


def invented(folder: Path, number: int, sentences: int = 60) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for note in range(number):
        words = " ".join(
            f"In note {note} the guard wrote that van {note * 7 + n} left the yard at {n}." for n in range(sentences)
        )
        (folder / f"note {note}.txt").write_text(words, "utf-8")
    return folder


def resident(process: int) -> int:
    """Resident memory in MB; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000


def filter_documents(number: int) -> None:
    """Print the processor time of the window per key typed into the filter of ``number`` documents, and per sort."""
    scratch = Path(tempfile.mkdtemp(prefix="disconfirm-bench-"))
    program, session = quiet_session(scratch)
    from PySide6.QtTest import QTest

    from gui_app.shell.navigation import PLACES
    from gui_app.shell.window import MainWindow

    window = MainWindow(session)
    window.show()
    session.create(scratch / "bench.disconfirm", title="Bench")
    session.do(lambda bench: bench.documents.add([invented(scratch / "notes", number)]))
    window.go("Documents")
    screen: Any = window.current()
    screen.filter.setFocus()
    while window.navigation.stack.count() < len(PLACES):  # which are made meanwhile
        QTest.qWait(100)
    print(describe())
    for sort in (screen.model.ORDER, screen.model.NAME):
        screen.table.sortByColumn(sort, screen.table.horizontalHeader().sortIndicatorOrder())
        for words in ("note 91", "zebra"):
            keys = [*words, *["\b"] * len(words)]
            spent = []
            for letter in keys:
                began = time.process_time()
                QTest.keyClick(screen.filter, "\b" if letter == "\b" else letter)
                screen.table.apply_filter()  # as when each key is waited for
                program.processEvents()
                spent.append(1000 * (time.process_time() - began))
            worst, mean = max(spent), sum(spent) / len(spent)
            print(f"filter {number} documents by {words!r}: mean {mean:.1f} ms a key, worst {worst:.1f} ms")
    window.close()


def quiet_session(scratch: Path) -> Any:
    """Make a program and a session whose engines are the fakes of the tests."""
    os.environ["DISCONFIRM_HOME"] = str(scratch / "home")
    from PySide6.QtWidgets import QApplication

    from core.ports import Engines
    from gui_app.session import CaseSession
    from gui_app.shared import theme
    from tests.fakes import HashEmbedder, PlainReader, PlainWriter, ScriptedJudge

    program = QApplication([])
    theme.apply(program, "light")
    engines = Engines(reader=PlainReader(), embedder=HashEmbedder(), judge=ScriptedJudge(), writer=PlainWriter())
    return program, CaseSession(engines, who="Bench")


class Work:
    """A window at work: what a person does in it, step by step, with the gaps of its event loop in each."""

    def __init__(self, program: Any, window: Any, *, where: bool) -> None:
        from tests.bench.pulse import Pulse

        self.program, self.window, self.session = program, window, window.session
        self.pulse = Pulse()
        self.where = where

    def wait(self, seconds: float) -> None:
        """Let the window work for so long."""
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            self.program.processEvents()
            time.sleep(0.001)

    def until(self, is_so: Any, seconds: float = 1_800) -> bool:
        """Let the window work until something is so; return whether it came to that."""
        until = time.perf_counter() + seconds
        while not is_so() and time.perf_counter() < until:
            self.program.processEvents()
            time.sleep(0.001)
        return bool(is_so())

    def until_idle(self) -> None:
        """Let the window work until no job runs or waits, files having been looked at before one begins."""
        self.until(self.session.tasks.busy, 2)
        self.until(lambda: not self.session.tasks.busy())

    def step(self, label: str, action: Any) -> None:
        """Do something, and print the gaps meanwhile."""
        self.pulse.reset()
        began = time.perf_counter()
        action()
        self.program.processEvents()
        seconds = time.perf_counter() - began
        print(f"{label}: {seconds:.1f} s, {self.pulse.summary()}, window {resident(os.getpid())} MB", flush=True)
        for place in self.pulse.places() if self.where else ():
            print(f"    {place}", flush=True)

    def show(self, name: str, seconds: float = 1.5) -> None:
        """Go to a screen and look at it."""
        self.window.go(name)
        self.wait(seconds)

    def ask(self, question: str) -> None:
        """Ask, and wait for the answer."""
        self.window.go("Ask")
        screen: Any = self.window.current()
        screen.ask_for(question)
        self.until(lambda: screen.job.task is None, 60)
        self.wait(0.5)

    def search(self, words: str) -> None:
        """Search, and wait for the hits."""
        self.window.search_for(words)
        self.wait(2)

    def open_documents(self, count: int) -> None:
        """Open documents one after another, and turn pages."""
        documents = self.session.do(lambda bench: bench.documents.all()) or []
        for document in documents[:: max(1, len(documents) // count)][:count]:
            self.window.open_source(document.id, 1, 0, 0)
            self.wait(0.7)

    def scroll(self, view: Any) -> None:
        """Scroll a view from its beginning to its end."""
        bar = view.verticalScrollBar()
        for step in range(40):
            bar.setValue(bar.maximum() * step // 39)
            self.program.processEvents()
        bar.setValue(0)

    def press(self, widget: Any, keys: Any, seconds: float = 0.15) -> None:
        """Press keys one after another."""
        from PySide6.QtTest import QTest

        for key in keys:
            QTest.keyClick(widget, key)
            self.wait(seconds)


def fill(bench: Any, folder: Path, number: int) -> None:
    """Fill a case with documents, proposals on each passage, and rated rows."""
    bench.documents.add([invented(folder, number, 5)])
    for text in HYPOTHESES:
        bench.hypotheses.add(text)
    bench.review.propose(passages=None)
    pending = [proposal for proposal in bench.verdicts.proposals() if proposal.status == "pending"]
    chosen: dict[int, str] = {}
    for proposal in pending:
        chosen.setdefault(proposal.chunk, proposal.id)
    bench.review.accept(list(chosen.values())[:ROWS])
    rows = [item.id for item in bench.evidence.all()]
    ids = [hypothesis.id for hypothesis in bench.hypotheses.all()]
    letters = ("C", "N", "I", "II", "CC")
    cells = [
        (row, column, letters[(index + n * n) % 5]) for index, row in enumerate(rows) for n, column in enumerate(ids)
    ]
    bench.evidence.rate_many(cells)


def large(number: int, *, where: bool) -> None:
    """Print the gaps on each screen of a large case."""
    scratch = Path(tempfile.mkdtemp(prefix="disconfirm-bench-"))
    program, session = quiet_session(scratch)
    from PySide6.QtCore import Qt

    from core.workbench import Workbench
    from gui_app.shell.navigation import PLACES
    from gui_app.shell.window import MainWindow

    path = scratch / "large.disconfirm"
    with Workbench.create(path, session.engines, title="Large", who="Bench") as bench:
        fill(bench, scratch / "notes", number)
        counts = (number, len(bench.verdicts.proposals()), len(bench.evidence.all()))
    print(describe())
    print("case of {:,} documents, {:,} proposals, {:,} rows".format(*counts), flush=True)
    window = MainWindow(session)
    window.show()
    work = Work(program, window, where=where)
    work.wait(1)

    def open_case() -> None:
        session.open(path)
        work.until(lambda: session.workbench is not None, 60)
        work.wait(3)

    work.step("opening the case", open_case)
    work.step("making the screens", lambda: work.until(lambda: window.navigation.stack.count() >= len(PLACES), 60))
    for place in PLACES:
        if place.name not in ("Start", "Recovery"):
            work.step(place.name, lambda name=place.name: work.show(name))
    for place in PLACES:
        if place.name not in ("Start", "Recovery"):
            work.step(f"{place.name} again", lambda name=place.name: work.show(name, 0.7))
    window.go("Documents")
    documents: Any = window.current()
    work.step("Documents: scrolling", lambda: work.scroll(documents.table))
    work.step("Documents: 20 times down", lambda: work.press(documents.table, [Qt.Key.Key_Down] * 20))
    work.step("searching", lambda: work.search("guard saw the van"))
    work.step("asking", lambda: work.ask("When did van 17 leave the yard?"))
    work.step("opening 10 documents", lambda: work.open_documents(10))
    window.go("Review")
    review: Any = window.current()
    work.step("Review: until the cards are read", lambda: work.until(lambda: bool(review.by_passage.rows.rows), 600))
    work.wait(3)
    for view in ("passages", "proposals"):
        review.show_passages(view == "passages")
        work.wait(2)
        target = review.by_passage.list if view == "passages" else review.list
        work.step(f"Review by {view}: 20 times J", lambda target=target: work.press(target, ["j"] * 20))
        work.step(f"Review by {view}: 10 times A", lambda target=target: work.press(target, ["a"] * 10, 0.4))
        work.step(f"Review by {view}: 10 times R", lambda target=target: work.press(target, ["r"] * 10, 0.4))
        work.step(f"Review by {view}: undo 5", lambda: [(session.undo(), work.wait(0.5)) for _ in range(5)])
    window.go("Matrix")
    work.wait(2)
    matrix: Any = window.current()
    work.step("Matrix: scrolling", lambda: work.scroll(matrix.grid))
    work.step("Matrix: 20 times down", lambda: work.press(matrix.grid, [Qt.Key.Key_Down] * 20))
    work.step("Matrix: 10 ratings", lambda: work.press(matrix.grid, list("1425142514"), 0.4))
    work.step("Matrix: undo 5", lambda: [(session.undo(), work.wait(0.5)) for _ in range(5)])
    matrix.analysis.setVisible(True)
    for tab in range(matrix.analysis.tabs.count() if hasattr(matrix.analysis, "tabs") else 0):
        work.step(f"Matrix: analysis {tab}", lambda tab=tab: (matrix.analysis.show_tab(tab), work.wait(2)))
    work.step("closing the case", session.close_case)
    window.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--where", action="store_true")
    parser.add_argument("--filter", action="store_true")
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if arguments.filter:
        filter_documents(arguments.documents)
        return
    if arguments.large:
        large(arguments.documents, where=arguments.where)
        return
    scratch = Path(tempfile.mkdtemp(prefix="disconfirm-bench-"))
    print(describe())
    times = sorted(first_paint(scratch / "home") for _ in range(5))
    print(f"first painting: median {times[2]:.2f} s, worst {times[-1]:.2f} s")

    from core import paths

    os.environ.setdefault("DISCONFIRM_MODELS", str(paths.models()))
    os.environ["DISCONFIRM_HOME"] = str(scratch / "home")
    from core.domain import Changes
    from gui_app import app

    running = app.start([])
    window, session = running.window, running.session
    work = Work(running.app, window, where=arguments.where)
    work.wait(1)
    work.step("making a case", lambda: (session.create(scratch / "bench.disconfirm", title="Bench"), work.wait(2)))
    if arguments.folder:
        chosen = sorted(path for path in arguments.folder.rglob("*") if path.is_file())[: arguments.documents]
    else:
        chosen = [invented(scratch / "notes", arguments.documents)]

    def reading() -> bool:
        return bool(session.tasks.busy())

    def add() -> None:
        window.intake.add_paths(chosen)
        work.until(reading, 5)
        work.until(lambda: not reading() or (session.do(lambda bench: len(bench.documents.all())) or 0) > 30, 60)

    def rounds(label: str) -> None:
        work.step(f"asking {label}", lambda: work.ask("When did van 17 leave the yard?"))
        work.step(f"searching {label}", lambda: work.search("the guard wrote about the van"))
        work.step(f"opening documents {label}", lambda: work.open_documents(5))
        for name in ("Documents", "Hypotheses", "Review", "Matrix", "Report"):
            work.step(f"{name} {label}", lambda name=name: work.show(name))

    work.step(f"adding {arguments.documents} documents, the first", add)
    if reading():
        rounds("while they are read")
    window.go("Documents")
    work.step(f"adding {arguments.documents} documents, the rest", work.until_idle)
    rounds("afterwards")
    for text in HYPOTHESES:
        session.do(lambda bench, text=text: bench.hypotheses.add(text))
    window.go("Review")
    work.wait(1)
    session.run(
        "Judging", lambda bench, progress: bench.review.propose(progress=progress), partial=Changes(proposals=True)
    )
    work.step("indexing, and judging 5 hypotheses x 30 passages", work.until_idle)
    for name in window.navigation.places:  # every screen is there, as after a day of work
        window.go(name)
        running.app.processEvents()
    window.go("Documents")
    for label, change in (
        ("dark", lambda: window.commands.set_theme("dark")),
        ("light", lambda: window.commands.set_theme("light")),
        ("text one step larger", lambda: window.commands.resize_text(1)),
        ("text one step smaller", lambda: window.commands.resize_text(-1)),
    ):
        work.until_idle()
        busy = time.process_time()
        change()
        running.app.processEvents()
        spent = time.process_time() - busy
        print(f"{label}: {spent * 1000:.0f} ms of processor time, {len(running.app.allWidgets())} widgets", flush=True)
    began = time.perf_counter()
    window.close()
    print(f"closing: {time.perf_counter() - began:.2f} s")


if __name__ == "__main__":
    main()
