"""A window at work for a long time: documents come in, screens are shown, searches, ratings, undo; and what it holds.

    python -m tests.guarantees.soak [--documents 500] [--rounds 200]

After each tenth of the rounds it prints a line of JSON: the resident memory of the window's process in kB, its open
files, its threads and its widgets. The engines are small ones in this process: what grows is the program's.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any


def held() -> dict[str, int]:
    """Count what the process holds now."""
    gc.collect()
    status = Path("/proc/self/status").read_text("utf-8")
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    return {
        "resident": resident,
        "files": len(list(Path("/proc/self/fd").iterdir())),
        "threads": threading.active_count(),
    }


def main(arguments: list[str]) -> None:
    """Work, and print what is held."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=200)
    chosen = parser.parse_args(arguments)
    scratch = Path(tempfile.mkdtemp(prefix="disconfirm-soak-"))
    os.environ["DISCONFIRM_HOME"] = str(scratch / "home")
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QCoreApplication, QEvent

    from core.ports import Engines
    from gui_app import app
    from tests.bench.window import invented
    from tests.fakes import HashEmbedder, PlainReader, PlainWriter, ScriptedJudge

    engines = Engines(reader=PlainReader(), embedder=HashEmbedder(), judge=ScriptedJudge(), writer=PlainWriter())
    running = app.start([], engines=engines)
    session, window = running.session, running.window
    rng = random.Random(1)

    def idle() -> None:
        while session.tasks.busy():
            running.app.processEvents()
        for _ in range(5):
            running.app.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

    assert session.create(scratch / "soak.disconfirm", title="Soak")
    for text in ("The van left the yard at night.", "The guard did not see the van.", "Nobody opened the gate."):
        session.do(lambda bench, text=text: bench.hypotheses.add(text))
    files = sorted(invented(scratch / "notes", chosen.documents).iterdir())
    step = max(1, len(files) // max(1, chosen.rounds // 5))
    ready = 0
    for number in range(chosen.rounds):
        if files:  # all of them in the first fifth
            batch, files = files[:step], files[step:]
            session.do(lambda bench, batch=batch: bench.documents.add(batch))
            idle()
            if not files:
                session.do(lambda bench: bench.review.propose())
        for name in window.navigation.places:
            window.go(name)
            idle()
        van = rng.randrange(1, 100)
        session.do(lambda bench, van=van: bench.search.passages_for(f"van {van} yard"))
        row: Any = session.do(lambda bench, number=number: bench.evidence.add(f"Seen in round {number}.", "ann"))
        for rating in ("C", "I", "CC"):
            session.do(lambda bench, row=row, rating=rating: bench.evidence.rate(row.id, "H1", rating))
        session.do(lambda bench, row=row: bench.evidence.remove(row.id))
        for _ in range(3):
            session.do(lambda bench: bench.case.undo())
            idle()
        for _ in range(3):
            session.do(lambda bench: bench.case.redo())
        window.commands.set_theme("dark" if number % 2 else "light") if number % 20 == 0 else None
        idle()
        if not files and not ready:
            ready = number
        if number % max(1, chosen.rounds // 10) == 0 or number == chosen.rounds - 1:
            line = {"round": number, "documents": chosen.documents - len(files), "steady": not files, **held()}
            print(json.dumps({**line, "widgets": len(running.app.allWidgets())}), flush=True)
    window.close()


if __name__ == "__main__":
    main(sys.argv[1:])
