"""How the window keeps up: time to the first painting, gaps of its event loop while it adds documents and judges, and
what a change of colours or text size costs it.

    python -m tests.bench.window [FOLDER] [--documents 200]
    python -m tests.bench.window --filter [--documents 924]

FOLDER holds real documents (default: short invented ones). A timer of 10 ms beats in the window's thread; a gap is the
time between two beats, so 10 is the best that can be. Uses the real engines that are installed. ``--filter`` needs
none: it types into the filter of the list of documents and gives the window's processor time per key.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.machine import describe

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
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT],
        env={**os.environ, "DISCONFIRM_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def invented(folder: Path, number: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for at in range(number):
        words = " ".join(f"In note {at} the guard wrote that van {at * 7 + n} left the yard at {n}." for n in range(60))
        (folder / f"note {at}.txt").write_text(words, "utf-8")
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
    os.environ["DISCONFIRM_HOME"] = str(scratch / "home")
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from core.ports import Engines
    from gui_app.session import CaseSession
    from gui_app.shared import theme
    from gui_app.shell.navigation import PLACES
    from gui_app.shell.window import MainWindow
    from tests.fakes import HashEmbedder, PlainReader, PlainWriter, ScriptedJudge

    program = QApplication([])
    theme.apply(program, "light")
    session = CaseSession(
        Engines(reader=PlainReader(), embedder=HashEmbedder(), judge=ScriptedJudge(), writer=PlainWriter()), who="Bench"
    )
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
            typed = [*words, *["\b"] * len(words)]
            spent = []
            for letter in typed:
                began = time.process_time()
                QTest.keyClick(screen.filter, "\b" if letter == "\b" else letter)
                screen.table.apply_filter()  # as when each key is waited for
                program.processEvents()
                spent.append(1000 * (time.process_time() - began))
            worst, mean = max(spent), sum(spent) / len(spent)
            print(f"filter {number} documents by {words!r}: mean {mean:.1f} ms a key, worst {worst:.1f} ms")
    window.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--filter", action="store_true")
    given = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if given.filter:
        filter_documents(given.documents)
        return
    scratch = Path(tempfile.mkdtemp(prefix="disconfirm-bench-"))
    print(describe())
    times = sorted(first_paint(scratch / "home") for _ in range(5))
    print(f"first painting: median {times[2]:.2f} s, worst {times[-1]:.2f} s")

    from core import paths

    os.environ.setdefault("DISCONFIRM_MODELS", str(paths.models()))
    os.environ["DISCONFIRM_HOME"] = str(scratch / "home")
    from PySide6.QtCore import QTimer

    from core.domain import Changes
    from gui_app import app

    running = app.start([])
    window, session = running.window, running.session
    session.create(scratch / "bench.disconfirm", title="Bench")
    if given.folder:
        chosen = sorted(path for path in given.folder.rglob("*") if path.is_file())[: given.documents]
    else:
        chosen = [invented(scratch / "notes", given.documents)]
    beats: list[float] = []
    timer = QTimer()
    timer.setInterval(10)
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))
    timer.start()

    def until_idle() -> float:
        began = time.perf_counter()
        while not session.tasks.tasks and time.perf_counter() - began < 2:  # files are looked at before a job begins
            running.app.processEvents()
            time.sleep(0.001)
        while session.tasks.busy():
            running.app.processEvents()
            time.sleep(0.001)
        return time.perf_counter() - began

    def told(what: str, seconds: float) -> None:
        gaps = sorted(after - before for before, after in itertools.pairwise(beats))
        p99 = gaps[int(len(gaps) * 0.99)] * 1000 if gaps else 0
        worst = gaps[-1] * 1000 if gaps else 0
        print(f"{what}: {seconds:.1f} s, gap p99 {p99:.0f} ms, worst {worst:.0f} ms, window {resident(os.getpid())} MB")
        beats.clear()

    window.intake.add_paths(chosen)
    told(f"adding {given.documents} documents", until_idle())
    for text in ("The van left the yard at night.", "The guard did not see the van.", "Nobody opened the gate.", "X."):
        session.do(lambda bench, text=text: bench.hypotheses.add(text))
    window.go("Review")
    beats.clear()
    session.run(
        "Judging", lambda bench, progress: bench.review.propose(progress=progress), partial=Changes(proposals=True)
    )
    told("judging 4 hypotheses x 30 passages", until_idle())
    for name in window.navigation.places:  # every screen is there, as after a day of work
        window.go(name)
        running.app.processEvents()
    window.go("Documents")
    for what, change in (
        ("dark", lambda: window.commands.set_theme("dark")),
        ("light", lambda: window.commands.set_theme("light")),
        ("text one step larger", lambda: window.commands.resize_text(1)),
        ("text one step smaller", lambda: window.commands.resize_text(-1)),
    ):
        until_idle()
        busy = time.process_time()
        change()
        running.app.processEvents()
        spent = time.process_time() - busy
        print(f"{what}: {spent * 1000:.0f} ms of processor time, {len(running.app.allWidgets())} widgets", flush=True)
    began = time.perf_counter()
    window.close()
    print(f"closing: {time.perf_counter() - began:.2f} s")


if __name__ == "__main__":
    main()
