"""What a child in the hands of a hostile document cannot do, and that everything is read as before."""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

from core import __main__ as cli
from core import paths
from core.engines.readers.dispatch import FileReader
from core.errors import EngineStopped
from core.ports import Engines
from core.runtime import launch
from core.workers import sandbox
from core.workers.client import Limits
from core.workers.engines import EmbedderClient, OcrClient, ReaderClient, WriterClient
from core.workers.frames import ProtocolError
from core.workers.pool import ToRead, read_documents
from core.workers.sandbox import Sandbox
from core.workers.wire.sandbox import sandbox_in
from tests.core.engines import format_material as material
from tests.core.engines import scans
from tests.core.engines.readers.test_dispatch import pdf, word

COMMAND = [sys.executable, str(Path(__file__).with_name("hostile_child.py"))]
ROOT = Path(__file__).resolve().parents[3]
TRY = (
    "import sys; from core.workers.sandbox import enter_sandbox; "
    "print(*(lambda c: (c.network, c.files, c.programs, c.detail))({}))"
)


def run(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


def in_force() -> Sandbox:
    """What can be had here, as a process of its own finds out."""
    code = (
        "import dataclasses, json; from core.workers.sandbox import enter_sandbox; "
        "print(json.dumps(dataclasses.asdict(enter_sandbox())))"
    )
    return sandbox_in(json.loads(run(code).stdout))


HERE = in_force()
needs_calls = pytest.mark.skipif(not HERE.network, reason=f"no filter of system calls here: {HERE.detail}")
needs_files = pytest.mark.skipif(not HERE.files, reason=f"no Landlock here: {HERE.detail}")


@pytest.fixture(scope="module")
def hostile():
    client = ReaderClient(command=COMMAND, limits=Limits(item=20, whole=20, memory=1 << 30))
    yield client
    client.close()


@pytest.fixture
def attempt(hostile):
    def ask(order, path=""):
        return list(hostile.read(b"", f"{order}: {path}"))[1].text

    return ask


def test_a_child_says_what_is_in_force(hostile, attempt):
    assert attempt("tell") == "done"
    confinement = hostile.sandbox
    assert (confinement.network, confinement.files, confinement.programs) == (HERE.network, HERE.files, HERE.programs)
    assert confinement.memory
    assert "1 GB" in confinement.detail


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"), reason="confined on Linux only"
)
def test_an_ordinary_linux_confines():
    """Where the kernel has it, it is used: else every other test here would be skipped in silence."""
    version = tuple(int(part) for part in platform.release().split(".")[:2])
    if version < (5, 13):
        pytest.skip(f"Linux {platform.release()} is older than Landlock")
    assert HERE.network, HERE.detail
    assert HERE.programs, HERE.detail
    lsm = Path("/sys/kernel/security/lsm")
    if lsm.is_file() and "landlock" not in lsm.read_text():
        pytest.skip("Landlock is turned off in this kernel")
    assert HERE.files, HERE.detail


# --- refused ---------------------------------------------------------------------------------------------------------


@needs_calls
@pytest.mark.parametrize(
    "order",
    [
        "inet", "inet6", "unix", "netlink", "packet", "name", "thread socket", "io_uring",
        "exec", "spawn", "fork", "vfork", "bomb", "ptrace", "signal", "signal all", "limits of the parent",
        "memory of the parent", "mount", "namespace", "root", "bpf", "32 bits", "unconfine",
    ],
)  # fmt: skip
def test_calls_are_refused(attempt, order, tmp_path):
    assert attempt(order, tmp_path).startswith("refused")


@needs_calls
def test_a_listening_neighbour_hears_nothing(attempt):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        assert attempt("library socket", server.getsockname()[1]).startswith("refused")
        with pytest.raises(TimeoutError):
            server.accept()


@needs_calls
def test_no_program_is_started_through_a_shell(attempt, tmp_path):
    assert attempt("shell", tmp_path / "canary").startswith("refused")
    assert list(tmp_path.iterdir()) == []


@needs_files
@pytest.mark.parametrize("order", ["read", "write", "append", "empty", "delete", "rename", "hard link"])
def test_a_file_of_the_person_is_out_of_reach(attempt, tmp_path, order):
    canary = tmp_path / "canary"
    canary.write_text("secret")
    assert attempt(order, canary).startswith("refused")
    assert canary.read_text() == "secret"
    assert list(tmp_path.iterdir()) == [canary]


@needs_calls
@pytest.mark.parametrize("order", ["mode", "owner", "times", "attribute"])
def test_what_a_file_is_cannot_be_changed(attempt, tmp_path, order):
    canary = tmp_path / "canary"
    canary.write_text("secret")
    status = canary.stat()
    assert attempt(order, canary).startswith("refused")
    new_status = canary.stat()
    assert (new_status.st_mode, new_status.st_uid, new_status.st_mtime_ns) == (
        status.st_mode,
        status.st_uid,
        status.st_mtime_ns,
    )


@needs_files
@pytest.mark.parametrize("order", ["write", "folder", "link", "pipe"])
def test_nothing_is_made(attempt, tmp_path, order):
    assert attempt(order, tmp_path / "new").startswith("refused")
    assert list(tmp_path.iterdir()) == []


@needs_files
@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc/1/cmdline", "/dev/mem", "/dev/tty", str(ROOT / "README.md")],
)
def test_the_rest_of_the_computer_cannot_be_read(attempt, path):
    assert attempt("read", path).startswith("refused")


@needs_files
@pytest.mark.parametrize("path", ["/", "~", "/home", "/tmp", "/etc", "/proc", "/dev", "/run"])
def test_folders_cannot_be_listed(attempt, path):
    assert attempt("list", Path(path).expanduser()).startswith("refused")


@needs_files
@pytest.mark.parametrize("order", ["environment of the parent", "handles of the parent"])
def test_the_program_itself_cannot_be_looked_into(attempt, order):
    assert attempt(order).startswith("refused")


@needs_files
def test_code_and_libraries_can_be_read_but_not_changed(attempt):
    """What is loaded tomorrow is not written by a document today."""
    for file in (ROOT / "core" / "workers" / "sandbox.py", Path(pymupdf.__file__)):
        assert attempt("read", file) == "done"
        assert attempt("append", file).startswith("refused")
        assert attempt("write", file.with_name("planted.py")).startswith("refused")


@needs_files
def test_what_a_readable_link_points_to_can_be_read(tmp_path):
    real, models, secret = tmp_path / "blob", tmp_path / "models", tmp_path / "other"
    models.mkdir()
    real.write_text("weights")
    secret.write_text("secret")
    (models / "model.bin").symlink_to(real)
    code = (
        f"from core.workers.sandbox import enter_sandbox; print(enter_sandbox([{str(models)!r}]).files)\n"
        f"print(open({str(models / 'model.bin')!r}).read())\n"
        f"try:\n    open({str(secret)!r})\nexcept OSError as error:\n    print(type(error).__name__)\n"
    )
    assert run(code).stdout.split() == ["True", "weights", "PermissionError"]


@needs_calls
def test_threads_and_signals_to_itself_go_on():
    code = (
        "from core.workers.sandbox import enter_sandbox; enter_sandbox(); import os, signal, threading, numpy\n"
        "seen = []; worker = threading.Thread(target=seen.append, args=(1,)); worker.start(); worker.join()\n"
        "print(seen, int((numpy.ones((400, 400)) @ numpy.ones((400, 400))).sum()), flush=True)\n"
        "os.abort()\n"
    )
    result = run(code)
    assert result.stdout == "[1] 64000000\n"
    assert result.returncode == -6


# --- what is missing is told ---------------------------------------------------------------------------------------


def test_a_machine_without_a_list_of_calls_says_so():
    code = "import platform; platform.machine = lambda: 'riscv64'; " + TRY.format("enter_sandbox()")
    output = run(code).stdout
    assert output.startswith(f"False {HERE.files} False")
    if sys.platform == "linux":
        assert "no list of system calls for riscv64" in output


@pytest.mark.parametrize(("system", "name"), [("win32", "Windows"), ("darwin", "macOS"), ("freebsd14", "freebsd14")])
def test_other_systems_are_not_said_to_confine(monkeypatch, system, name):
    monkeypatch.setattr(sandbox.sys, "platform", system)
    confinement = sandbox.enter_sandbox(memory=1 << 30)
    assert (confinement.network, confinement.files, confinement.programs) == (False, False, False)
    assert name in confinement.detail
    assert "not confined beyond limits" in confinement.detail


def test_a_kernel_that_refuses_leaves_the_child_working():
    code = (
        "import core.workers.sandbox as c\n"
        "def refuse(self, *_):\n    raise OSError(38, 'Function not implemented')\n"
        "c._Kernel.call = refuse\n"
        + TRY.format("enter_sandbox()")
        + "\nprint(open('/proc/self/stat').read()[:0] + 'alive')"
    )
    result = run(code)
    assert result.stdout.startswith("False False False") or sys.platform != "linux"
    assert result.stdout.endswith("alive\n")


@needs_files
def test_an_engine_that_cannot_load_confined_runs_without_and_says_so(tmp_path):
    """A library in a place that nobody foresaw must not keep documents from being read."""
    library = tmp_path / "odd" / "place.txt"
    library.parent.mkdir()
    library.write_text("needed at the start")
    script = tmp_path / "child.py"
    script.write_text(
        f"import sys; sys.path[:0] = [{str(ROOT)!r}]\n"
        "from core.workers import server\nfrom tests.fakes import PlainReader\n"
        f"def reader(_):\n    open({str(library)!r}).read()\n    return PlainReader()\n"
        "sys.exit(server.main(sys.argv[1:], engines={'reader': reader}))\n"
    )
    client = ReaderClient(command=[sys.executable, "-P", str(script)])
    assert len(list(client.read(b"one", "a.txt"))) == 2
    assert client.sandbox.network == HERE.network
    assert not client.sandbox.files
    assert "files are not isolated" in client.sandbox.detail
    client.close()
    clients = [ReaderClient(command=[sys.executable, "-P", str(script)]) for _ in range(2)]
    jobs = [(n, ToRead(b"x", "a.txt")) for n in range(4)]
    assert [len(list(items)) for _, items in read_documents(clients, jobs)] == [2] * 4
    for reader in clients:
        reader.close()
    library.unlink()  # now nothing helps, and it is confined again at the next attempt
    with pytest.raises(EngineStopped, match="FileNotFoundError"):
        list(ReaderClient(command=[sys.executable, "-P", str(script)]).read(b"one", "a.txt"))


@pytest.mark.parametrize(
    "message",
    [None, [], {}, {"network": 1}, {"network": True, "files": True, "programs": True, "memory": True, "detail": 3}],
)
def test_what_a_child_says_of_itself_is_checked(message):
    with pytest.raises(ProtocolError):
        sandbox_in(message)


# --- and everything is read as before --------------------------------------------------------------------------------


def everything() -> dict[str, bytes]:
    return {
        "a.pdf": pdf(),
        "a.docx": word(),
        "a.txt": "Grüße\fzwei".encode(),
        "a.md": b"# Head\n\ntext",
        "a.html": b"<!doctype html><title>T</title><p>Seen</p>",
        "a.mht": material.mhtml("<p>Seen</p>"),
        "a.warc": material.warc(("https://example.org/a", "text/html", b"<p>Seen</p>")),
        "a.epub": material.epub("<p>Seen</p>"),
        "a.xls": material.xls({(0, 0): "Seen"}),
        "a.xlsb": material.xlsb({(0, 0): "Seen"}),
        "a.pptx": material.slides(material.slide(material.shape("Seen"))),
        "a.csv": b"a,b\n1,2\n",
        "a.rtf": rb"{\rtf1 Seen}",
        "a.eml": b"From: a@b.c\nTo: d@e.f\nSubject: S\nDate: Mon, 2 Mar 2026 10:00:00 +0000\n\nSeen\n",
        "a.mbox": b"From a@b.c Mon Mar  2 10:00:00 2026\nFrom: a@b.c\nSubject: S\n\nSeen\n",
        "a.zip": material.packed({"in.txt": "Seen", "in.pdf": pdf()}),
        "a.png": scans.draw(["Seen"]),
    }


@pytest.fixture(scope="module")
def reader():
    client = ReaderClient()
    yield client
    client.close()


@pytest.mark.parametrize("name", everything())
def test_every_format_is_read_as_it_is_without(reader, name):
    data = everything()[name]
    assert list(reader.read(data, name)) == list(FileReader().read(data, name))
    if HERE.files:
        assert reader.sandbox.files


def test_pages_are_drawn_as_they_are_without(reader):
    data = pdf()
    assert reader.render(data, "a.pdf", 1, scale=1.5) == FileReader().render(data, "a.pdf", 1, scale=1.5)
    box = [(50.0, 40.0, 90.0, 60.0)]
    cut = reader.crop(data, "a.pdf", 1, box, scale=1.5)
    assert cut == FileReader().crop(data, "a.pdf", 1, box, scale=1.5)


@pytest.mark.skipif(not any(launch.ocr_parts()), reason="no OCR engine is installed")
def test_scans_are_read():
    client = OcrClient()
    page = client.read(scans.draw(["The pump stopped"]), width=scans.WIDTH, height=scans.HEIGHT)
    assert "pump" in page.text
    assert len(page.readings) == (2 if all(launch.ocr_parts()) else 0)
    assert (client.sandbox.network, client.sandbox.files) == (HERE.network, HERE.files)
    client.close()


def test_the_writer_is_confined():
    client = WriterClient()
    assert client.fingerprint
    assert (client.sandbox.network, client.sandbox.files) == (HERE.network, HERE.files)
    client.close()


def test_the_models_are_confined():
    from core import settings

    engines = launch.build_engines(settings.load())
    model_engines = [engine for engine in (engines.embedder, engines.judge) if engine is not None]
    if not model_engines:
        pytest.skip(f"no model in {paths.models()}")
    for engine in model_engines:
        assert engine.fingerprint
        assert (engine.sandbox.network, engine.sandbox.files) == (HERE.network, HERE.files)
    launch.close(engines)


def test_confining_is_little_work():
    code = (
        "from core.workers.sandbox import enter_sandbox; from tests.work import calls\n"
        "print(calls(lambda: enter_sandbox(['/tmp'])))"
    )
    assert int(run(code).stdout) < 20_000


# --- told ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def some_engines(tmp_path):
    engines = Engines(
        reader=ReaderClient(command=COMMAND),
        embedder=EmbedderClient(tmp_path, command=[sys.executable, "-c", "raise SystemExit(3)"]),
    )
    yield engines
    launch.close(engines)


def test_engines_are_asked_only_where_that_is_wanted(some_engines):
    states = {state.name: state for state in launch.engine_states(some_engines)}
    assert [name for name, state in states.items() if state.here] == ["reader", "embedder"]
    assert all(state.sandbox is None for state in states.values())
    assert some_engines.reader.child is None
    started_states = {state.name: state for state in launch.engine_states(some_engines, start=True)}
    assert started_states["reader"].fingerprint == "hostile"
    assert started_states["reader"].sandbox.network == HERE.network
    assert "ended with code 3" in started_states["embedder"].problem
    later_states = {state.name: state for state in launch.engine_states(some_engines)}
    assert later_states["reader"] == started_states["reader"]
    assert later_states["embedder"].sandbox is None


def test_the_doctor_says_what_is_kept_from_each_engine(some_engines, monkeypatch, capsys):
    monkeypatch.setattr(launch, "build_engines", lambda _settings: some_engines)
    assert cli.main(["doctor", "--json"]) == 1  # one engine does not start
    report = json.loads(capsys.readouterr().out)
    assert set(report) == {
        "commit", "versions", "system", "models", "languages_of_scans", "missing_for_scans", "documents_at_a_time",
        "engines",
    }  # fmt: skip
    engines = {engine["name"]: engine for engine in report["engines"]}
    assert engines["reader"]["confinement"]["network"] == HERE.network
    assert ("reach a network" in engines["reader"]["cannot"]) == HERE.network
    assert engines["judge"]["here"] is False
    assert cli.main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "not on this computer" in text
    assert ("cannot: reach a network" in text) == HERE.network


def test_what_it_cannot_do_is_said_in_words():
    assert Sandbox().cannot == ()
    assert Sandbox(True, True, True, True).cannot == (
        "reach a network",
        "open your files, or write any",
        "start or touch programs",
        "take more memory than its limit",
    )
