"""The child: its errors, its limits, its silence, and that it does not outlive the program."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from core.errors import EngineStopped, ModelMissing, ModelUnreadable
from core.workers import server
from core.workers.client import Limits
from core.workers.engines import EmbedderClient, ReaderClient
from core.workers.pool import ToRead, read_documents
from tests.core.workers.children import COMMAND, gone, posix_only


def test_expected_errors_keep_their_class(tmp_path):
    client = EmbedderClient(tmp_path / "missing", command=COMMAND)
    for _ in range(2):
        with pytest.raises(ModelMissing) as error:
            client.embed(["x"])
        assert str(tmp_path / "missing") in error.value.sentence
    client.close()


def test_any_other_error_crosses_by_type_only(reader, tmp_path):
    with pytest.raises(EngineStopped) as error:
        list(reader.read(b"x", "raise it"))
    assert error.value.details["reason"] == "unexpected ValueError"
    assert "secret" not in str(error.value)
    client = EmbedderClient(tmp_path / "broken", command=COMMAND)
    with pytest.raises(EngineStopped, match="KeyError"):
        client.embed(["x"])
    client.close()


def test_a_model_that_is_changed_while_it_is_loaded_gives_no_answer(tmp_path):
    folder = tmp_path / "slow"
    folder.mkdir()
    (folder / "weights").touch()
    client = EmbedderClient(folder, command=COMMAND)
    timer = threading.Timer(3, lambda: (folder / "weights").write_text("others"))
    timer.start()
    try:
        with pytest.raises(ModelUnreadable, match="changed while it was read"):
            client.embed(["x"])
        assert len(client.embed(["x"])) == 1
    finally:
        timer.join()
        client.close()


@posix_only
def test_memory_is_bounded(hasty):
    with pytest.raises(EngineStopped, match="MemoryError"):
        list(hasty.read(b"", "allocate"))


@posix_only
def test_a_child_cannot_write_large_files(reader, tmp_path):
    large = tmp_path / "large"
    with pytest.raises(EngineStopped, match=r"OSError|PermissionError"):
        list(reader.read(b"", f"write {large}"))
    assert not large.exists() or large.stat().st_size <= 1 << 20


def test_prints_of_a_library_disturb_nothing(reader):
    items = list(reader.read(b"", "flood"))
    assert items[1].text == "still here"
    tail = reader.child.last_words()
    assert len(tail) <= 4_096
    assert "\x1b" not in tail
    assert "\x07" not in tail


@posix_only
def test_processor_time_is_bounded_even_when_nobody_waits():
    """The next document is read ahead while the person's computer is busy with the first."""
    limits = Limits(start=20, item=30, whole=30, processor=1)
    readers = [ReaderClient(command=COMMAND, limits=limits) for _ in range(2)]
    outcomes = []
    jobs = [(order, ToRead(b"one", order)) for order in ("plain", "spin", "plain", "plain")]
    for order, items in read_documents(readers, jobs):
        if order == "spin":
            with pytest.raises(EngineStopped, match="SIGXCPU"):
                list(items)
        else:
            outcomes.append(len(list(items)))
    assert outcomes == [2, 2, 2]
    for reader in readers:
        reader.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the lifeline is a Linux mechanism")
@pytest.mark.parametrize("order", ["hang", "spin", "idle"])
def test_no_orphan_stays_when_the_program_is_killed(order):
    script = (
        "import sys, threading; from core.workers.engines import ReaderClient\n"
        f"client = ReaderClient(command={COMMAND!r})\n"
        # A thread that ends must not take the child with it.
        "starter = threading.Thread(target=lambda: print(client.fingerprint, flush=True)); starter.start()\n"
        "starter.join()\n"
        "assert len(list(client.read(b'one', 'a.txt'))) == 2\n"
        "print('ready', flush=True)\n"
        + ("import time; time.sleep(600)\n" if order == "idle" else f"list(client.read(b'', {order!r}))\n")
    )
    root = Path(server.__file__).parents[2]
    program = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=root)
    child = int(program.stdout.readline().split()[-1])
    assert program.stdout.readline() == "ready\n"
    time.sleep(0.3)
    program.kill()
    program.wait()
    program.stdout.close()
    assert gone(child)
