"""The whole work on a case where no network exists, as a person would do it on the command line.

The commands run in a network namespace without interfaces: not even 127.0.0.1 answers there. Where ``strace`` is at
hand, every system call of every child is watched too, so that a silent attempt is found and not only a failed one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import MODELS

ROOT = Path(__file__).resolve().parent.parent
NO_NETWORK = ("unshare", "--map-root-user", "--net")
INTERNET = re.compile(r"\bAF_INET6?\b")

DOCUMENTS = {
    "shift-log.txt": "Shift log of the pumping station.\n\nAt 02:14 pump two stopped. The operator was in the control "
    "room. Nobody had entered the pump hall since midnight. Pump two was started again at 02:40.\n",
    "maintenance.md": "# Maintenance report\n\nThe bearing of pump two was found seized. Its grease had dried out. "
    "The last service was eleven months overdue. The seal showed no trace of tools or force.\n",
    "statement.txt": "Statement of the night guard.\n\nI saw a man with a torch near the pump hall at about two. "
    "He ran when I called. The door of the hall was open and its lock was broken.\n",
    "news.html": "<!doctype html><html><head><title>Town without water</title>"
    '<meta name="date" content="2026-03-02"><link rel="stylesheet" href="http://198.51.100.7/style.css">'
    '<script src="http://198.51.100.7/count.js"></script></head><body><h1>Town without water</h1>'
    '<img src="http://198.51.100.7/pixel.png"><p>The town had no water for half an hour on Monday night. '
    "The waterworks speak of a technical fault.</p></body></html>",
}


def unavailable() -> str:
    """Why the namespace cannot be used here; '' when it can."""
    if not sys.platform.startswith("linux"):
        return "network namespaces exist on Linux only"
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    try:
        child = subprocess.run([*NO_NETWORK, "true"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"unshare does not work here ({error})"
    return "" if child.returncode == 0 else f"the system does not allow it ({child.stderr.strip()})"


REASON = unavailable()
# The whole work takes half a minute on two free cores; models that are watched on a busy machine take many times that.
pytestmark = [pytest.mark.skipif(bool(REASON), reason=REASON or "available"), pytest.mark.timeout(1200)]


def strace() -> list[str]:
    """The watching command, or nothing where it may not watch."""
    command = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=socket,connect,sendto,sendmsg"]
    if shutil.which("strace") is None:
        return []
    tried = subprocess.run([*command, "-o", os.devnull, "true"], capture_output=True, timeout=20, check=False)
    return command if tried.returncode == 0 else []


@dataclass
class Station:
    """A place to work without a network: runs commands, keeps what they printed and which sockets they asked for."""

    folder: Path
    models: Path
    watch: list[str]
    watched: list[str] = field(default_factory=list)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        trace = self.folder / "trace"
        watch = [*self.watch, "-o", str(trace)] if self.watch else []
        child = subprocess.run(
            [*NO_NETWORK, *watch, sys.executable, "-m", "core", *arguments],
            cwd=ROOT, capture_output=True, text=True, timeout=600, check=False, stdin=subprocess.DEVNULL,
            env={**os.environ, "DISCONFIRM_HOME": str(self.folder / "home"), "DISCONFIRM_MODELS": str(self.models)},
        )  # fmt: skip
        if watch:
            self.watched += trace.read_text("utf-8", "replace").splitlines()
        return child

    def json(self, *arguments: str) -> dict:
        child = self.run(*arguments, "--json")
        assert child.returncode == 0, child.stderr
        return json.loads(child.stdout)


@pytest.fixture(scope="module")
def work(tmp_path_factory) -> tuple[Station, dict[str, dict]]:
    """From an empty folder to a report, without a network."""
    if not (MODELS / "all-MiniLM-L6-v2" / "modules.json").is_file():
        pytest.skip(f"the models are not in {MODELS}; fetch them with: python3 packaging/bootstrap.py models")
    folder = tmp_path_factory.mktemp("offline")
    station = Station(folder, MODELS, strace())
    incoming = folder / "incoming"
    incoming.mkdir()
    for name, text in DOCUMENTS.items():
        (incoming / name).write_text(text, "utf-8")
    case, report = str(folder / "pump.disconfirm"), folder / "report.html"
    answers: dict[str, dict] = {}
    answers["new"] = station.json("new", case, "--title", "Pump two")
    answers["add"] = station.json("add", case, str(incoming))
    for text in ("The pump failed because it was not maintained.", "Somebody broke in and damaged the pump."):
        answers["hypothesis"] = station.json("hypothesis", case, "add", text)
    answers["search"] = station.json("search", case, "Was the lock of the door forced?")
    answers["propose"] = station.json("propose", case, "--passages", "2")
    answers["accept"] = station.json("accept", case, *(p["id"] for p in answers["propose"]["proposals"][:3]), "--rate")
    evidence = answers["accept"]["evidence"][0]["id"]
    answers["rate"] = station.json("rate", case, evidence, "H1", "I")
    answers["matrix"] = station.json("matrix", case)
    answers["report"] = station.json("report", case, "-o", str(report))
    answers["verify"] = station.json("verify", case)
    return station, answers


def test_the_work_is_done_without_a_network(work):
    station, answers = work
    assert [d["status"] for d in answers["add"]["documents"]] == ["added"] * len(DOCUMENTS)
    assert [h["id"] for h in answers["hypothesis"]["hypotheses"]] == ["H1", "H2"]
    assert answers["search"]["passages"][0]["name"] == "statement.txt"
    assert answers["search"]["passages"][0]["vector_rank"] is not None  # the embedder answered, not words alone
    assert answers["propose"]["passages_judged"] > 0
    assert all(p["verified"] and p["model"] for p in answers["propose"]["proposals"])
    assert answers["rate"]["rating"]
    assert answers["matrix"]["comparison"]["state"]
    assert (station.folder / "report.html").stat().st_size == answers["report"]["bytes"]
    assert answers["verify"]["ok"] is True


def test_the_report_of_it_asks_for_nothing_from_outside(work):
    station, _ = work
    text = (station.folder / "report.html").read_text("utf-8")
    assert not re.search(r"<(script|iframe|object|embed|link)\b", text, re.IGNORECASE)
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", text, re.IGNORECASE)


def test_no_process_asked_for_an_internet_socket(work):
    station, _ = work
    if not station.watch:
        pytest.skip("strace is not installed or may not watch here")
    assert [line for line in station.watched if INTERNET.search(line)] == []


def test_the_watch_would_notice_an_attempt(work, tmp_path):
    station, _ = work
    if not station.watch:
        pytest.skip("strace is not installed or may not watch here")
    attempt = "import socket\ntry:\n socket.create_connection(('127.0.0.1', 9), 1)\nexcept OSError as e: print(e)"
    trace = tmp_path / "trace"
    command = [*NO_NETWORK, *station.watch, "-o", str(trace), sys.executable, "-c", attempt]
    child = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "unreachable" in child.stdout.lower()  # and the namespace has no way out at all
    assert INTERNET.search(trace.read_text("utf-8", "replace"))


def test_a_missing_model_is_told(tmp_path):
    station = Station(tmp_path, tmp_path / "no-models", [])
    (tmp_path / "home").mkdir()
    settings = {"judge": str(tmp_path / "no-models" / "chosen.gguf")}
    (tmp_path / "home" / "settings.json").write_text(json.dumps(settings), "utf-8")
    case = str(tmp_path / "case.disconfirm")
    (tmp_path / "note.txt").write_text("The gate was closed at nine.", "utf-8")
    station.json("new", case)
    station.run("add", case, str(tmp_path / "note.txt"))
    station.json("hypothesis", case, "add", "The gate was open.")
    child = station.run("propose", case)
    assert child.returncode == 3, child.stderr
    assert "not on this computer" in child.stderr
    assert "packaging/bootstrap.py models" in child.stderr
