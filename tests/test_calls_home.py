"""Whether a library of an engine calls home where nothing keeps it from it, as on Windows and macOS.

Each engine works in a process of its own without the confinement of the children, with an empty home, in a network
namespace in which the loopback interface is up and every look-up of a name is answered and counted. It must make none,
ask for no internet socket, and leave no file.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import core
from tests.conftest import MODELS
from tests.test_offline import NO_NETWORK, strace

ROOT = Path(__file__).resolve().parent.parent
INSIDE = Path(__file__).with_name("names_counted.py")
# When it is imported, by rapidocr, urllib3 asks the system whether it has IPv6: it binds a socket to a port of ::1 that
# the system chooses, and closes it. Nothing else may lie in between.
ASKING_FOR_IPV6 = re.compile(
    r"^socket\(AF_INET6, SOCK_STREAM\|SOCK_CLOEXEC, IPPROTO_IP\) += (?:-1 EAFNOSUPPORT.*\n|(\d+)\n"
    r"bind\(\1, \{sa_family=AF_INET6, sin6_port=htons\(0\), [^{}]*\"::1\"[^{}]*\}, 28\) += .*\nclose\(\1\) += 0\n)",
    re.MULTILINE,
)
KINDS = ("reader", "embedder", "torch", "judge", "ocr", "writer", "matrix")


def watched(folder: Path, command: list[str], seconds: float, *, env: dict[str, str] | None = None) -> dict:
    """Run a command in a namespace of its own: {'code', 'said', 'names', 'sockets', 'files'}."""
    home, temporary = folder / "home", folder / "temporary"
    for place in (home, temporary):
        place.mkdir()
    base = {key: value for key, value in os.environ.items() if key not in core.OFFLINE and not key.startswith("XDG_")}
    trace = folder / "trace"
    # A file for each thread, so that no call of another one stands between two of its own.
    watch = [*strace(), "-ff", "-e", "trace=socket,bind,listen,close,connect,sendto,sendmsg"] if strace() else []
    watch += ["-o", str(trace)] if watch else []
    child = subprocess.run(
        [*NO_NETWORK, "--mount", sys.executable, str(INSIDE), str(folder), *watch, *command],
        cwd=ROOT, capture_output=True, text=True, timeout=seconds + 600, check=False, stdin=subprocess.DEVNULL,
        env={**base, "HOME": str(home), "TMPDIR": str(temporary), "DISCONFIRM_HOME": str(folder / "own"),
             "DISCONFIRM_MODELS": str(MODELS), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **(env or {})},
    )  # fmt: skip
    if child.returncode == 77:
        pytest.skip(f"the system does not allow such a namespace ({child.stderr.strip()[-200:]})")
    counted = json.loads(child.stdout.splitlines()[-1])
    calls = [ASKING_FOR_IPV6.sub("", file.read_text("utf-8", "replace"), count=1) for file in folder.glob("trace.*")]
    counted["sockets"] = [line for text in calls for line in text.splitlines() if re.search(r"\bAF_INET6?\b", line)]
    counted["files"] = [str(f.relative_to(folder)) for f in (*home.rglob("*"), *temporary.rglob("*")) if f.is_file()]
    return counted


def alone(kind: str, seconds: float) -> list[str]:
    return [sys.executable, "-m", "tests.engine_alone", kind, str(seconds)]


@pytest.fixture(scope="module", autouse=True)
def namespaces():
    try:
        tried = subprocess.run([*NO_NETWORK, "--mount", "true"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"unshare does not work here ({error})")
    if tried.returncode:
        pytest.skip(f"the system does not allow it ({tried.stderr.decode().strip()})")
    if not (MODELS / "all-MiniLM-L6-v2" / "modules.json").is_file() or not list(MODELS.glob("*.gguf")):
        pytest.skip(f"the models are not in {MODELS}; fetch them with: python3 packaging/bootstrap.py models")


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("kind", "seconds"),
    [
        # The two whose library is known to call home in later versions: it leaves its files at once.
        ("embedder", 1),
        ("ocr", 1),
        *(pytest.param(kind, 120, marks=pytest.mark.slow) for kind in KINDS),
    ],
)
def test_an_engine_that_nothing_holds_back_calls_nobody(kind, seconds, tmp_path):
    counted = watched(tmp_path, alone(kind, seconds), seconds)
    assert counted["code"] == 0, counted["said"]
    assert "ready" in counted["said"]
    assert (counted["names"], counted["sockets"], counted["files"]) == ([], [], [])


def test_a_library_that_calls_home_is_noticed(tmp_path):
    """The watch itself: a look-up is counted, its socket seen, and the file that it leaves found."""
    call = "import pathlib, socket; pathlib.Path.home().joinpath('deviceid').write_text('1'); " \
        "print(socket.gethostbyname('events.example.com'))"  # fmt: skip
    counted = watched(tmp_path, [sys.executable, "-c", call], 1)
    assert "127.0.0.1" in counted["said"]
    assert "events.example.com" in counted["names"]
    assert bool(counted["sockets"]) == bool(strace())
    assert counted["files"] == ["home/deviceid"]


@pytest.mark.parametrize(
    ("after", "noticed"),
    [
        ("", False),
        ("s.listen()", True),
        ("s.connect_ex(('::1', 9))", True),
        ("s.close(); s = socket.socket(socket.AF_INET6); s.bind(('::1', 0))", True),
    ],
)
def test_only_the_question_for_ipv6_is_let_pass(after, noticed, tmp_path):
    if not strace():
        pytest.skip("strace is not installed, or this system does not let it watch a process")
    call = f"import socket; s = socket.socket(socket.AF_INET6); s.bind(('::1', 0)); {after}; s.close()"
    counted = watched(tmp_path, [sys.executable, "-c", call.replace("; ;", ";")], 1)
    assert bool(counted["sockets"]) is noticed


def test_every_way_in_tells_the_libraries_to_stay_offline():
    wanted = {**core.OFFLINE, "ORT_DISABLE_TELEMETRY": "1", "HF_HUB_OFFLINE": "1"}
    for module in (
        "core",
        "core.__main__",
        "core.workers.__main__",
        "gui_app",
        "gui_app.__main__",
        "core.engines.embedding.bert_onnx",
    ):
        look = f"import os, {module}; print({{key: os.environ.get(key) for key in {sorted(wanted)!r}}} == {wanted!r})"
        environment = {key: value for key, value in os.environ.items() if key not in wanted}
        child = subprocess.run(
            [sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
            env={**environment, "HF_HUB_OFFLINE": "0", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert child.stdout.strip() == "True", (module, child.stderr)


def test_the_onnxruntime_that_is_asked_for_has_nothing_to_report_with():
    """From 1.29 on the library holds the address that it would report to."""
    folder = Path(pytest.importorskip("onnxruntime").__file__).parent / "capi"
    assert [file.name for file in folder.glob("*onnxruntime*") if b"OneCollector" in file.read_bytes()] == []
