"""The program as a process: what it imports before the first painting, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from core.ports import Engines
from tests.fakes import PlainReader

HEAVY = ("torch", "transformers", "llama_cpp", "pymupdf", "fitz", "onnxruntime", "numpy", "sentence_transformers")

FIRST_PAINT = """
import sys
from gui_app import app
running = app.start([])
running.app.processEvents()
assert running.window.isVisible()
print(sorted(set(sys.modules) & set({heavy!r})))
running.window.close()
"""

# Opens a case, starts reading a folder with the real reader, and closes the window after some milliseconds.
CLOSE_AT_WORK = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from gui_app import app
app.install_excepthook()
running = app.start([])
assert running.session.create(Path(sys.argv[1]))
running.window.intake.add_paths([Path(sys.argv[2])])
def close():
    running.window.close()
    if running.window.leaving.dialog is not None:
        running.window.leaving.dialog.stop.click()
QTimer.singleShot(int(sys.argv[3]), close)
raise SystemExit(running.app.exec())
"""


# Says which thread loads the code of a case, and closes the window when the case is open.
LOADED_BESIDE = """
import sys, threading
from pathlib import Path
from PySide6.QtCore import QTimer

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "core.workbench":
            print("by the window" if threading.current_thread() is threading.main_thread() else "beside it")

sys.meta_path.insert(0, Watch())
from gui_app import app
app.install_excepthook()
running = app.start([], Path(sys.argv[1]) if sys.argv[1:] else None)
opened = lambda: running.session.workbench is not None and QTimer.singleShot(0, running.window.close)
running.session.opened.connect(opened)
if not sys.argv[1:]:
    QTimer.singleShot(1500, running.window.close)
raise SystemExit(running.app.exec())
"""


def environment(home: Path, mark: str = "") -> dict[str, str]:
    return {**os.environ, "DISCONFIRM_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "DISCONFIRM_MARK": mark}


def processes_marked(mark: str) -> list[str]:
    """Command lines of the processes whose environment holds ``mark``."""
    commands = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                commands.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue
    return commands


def test_no_engine_is_imported_at_first_paint(tmp_path):
    process = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT.format(heavy=HEAVY)],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() == "[]"


@pytest.mark.parametrize("with_case", [True, False])
def test_the_code_of_a_case_is_loaded_beside_the_window(tmp_path, with_case):
    """It takes a second on a busy computer, in which the window would not answer."""
    from core.workbench import Workbench

    case = tmp_path / "a.disconfirm"
    Workbench.create(case, Engines(reader=PlainReader())).close()
    process = subprocess.run(
        [sys.executable, "-c", LOADED_BESIDE, *([str(case)] if with_case else [])],
        env=environment(tmp_path / "home"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (process.returncode, process.stdout.strip()) == (0, "beside it"), process.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for left-over processes in /proc")
@pytest.mark.parametrize(
    "milliseconds", [0, pytest.param(150, marks=pytest.mark.slow), 700, pytest.param(1500, marks=pytest.mark.slow)]
)
def test_closing_at_work_ends_everything(tmp_path, milliseconds):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(300):
        (folder / f"{number}.txt").write_text(f"Document {number}. " + "The guard saw the van twice. " * 300, "utf-8")
    mark = uuid.uuid4().hex
    case = tmp_path / "a.disconfirm"
    process = subprocess.run(
        [sys.executable, "-c", CLOSE_AT_WORK, str(case), str(folder), str(milliseconds)],
        env=environment(tmp_path / "home", mark),
        capture_output=True,
        text=True,
        timeout=200,  # the start alone takes a minute on a busy computer
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert "QThread" not in process.stderr
    assert "Traceback" not in process.stderr, process.stderr
    deadline = time.monotonic() + 60
    while processes_marked(mark) and time.monotonic() < deadline:
        time.sleep(0.05)  # a killed child needs a moment to leave the process table
    assert processes_marked(mark) == []
    # Closed cleanly: the case is one file and opens again.
    assert sorted(path.name for path in tmp_path.glob("a.disconfirm*")) == ["a.disconfirm"]
    from core.store import CaseFile

    with CaseFile.open(case, who="Tester") as case_file:
        assert all(document.status != "reading" for document in case_file.documents.all())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signals of a terminal")
def test_a_polite_kill_closes_the_case(tmp_path):
    from core.workbench import Workbench

    case = tmp_path / "a.disconfirm"
    Workbench.create(case, Engines(reader=PlainReader())).close()
    program = subprocess.Popen(
        [sys.executable, "-m", "gui_app", str(case)],
        env=environment(tmp_path / "home"),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not (tmp_path / "a.disconfirm-wal").exists() and time.monotonic() < deadline:
            time.sleep(0.02)  # the case is open once its write-ahead log is there
        time.sleep(0.3)
        program.terminate()
        assert program.wait(60) == 0
    finally:
        program.kill()
    assert sorted(path.name for path in tmp_path.glob("a.disconfirm*")) == ["a.disconfirm"]


def test_engine_child_is_reached_through_the_windows_entry():
    """A frozen build starts its engines through its own executable."""
    process = subprocess.run(
        [sys.executable, "-m", "gui_app", "--engine", "no such engine", "{}"],
        env=environment(Path("/nonexistent")),
        capture_output=True,
        timeout=60,
        check=False,
        input=b"",
    )
    assert process.returncode != 0  # refused by the child's own entry, without opening a window
    assert b"Traceback" not in process.stderr or b"no such engine" in process.stderr


def test_self_test_passes_here_and_refuses_a_losing_qt(monkeypatch):
    from gui_app import app

    app.self_test()
    counts = iter([10_000, 9_000])
    monkeypatch.setattr(app.sys, "getrefcount", lambda _value: next(counts))
    with pytest.raises(SystemExit, match="faulty"):
        app.self_test()
