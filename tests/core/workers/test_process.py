"""What a child gets, and what is made of it when it dies, hangs or babbles."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

import core
from core.errors import EngineStopped, UnreadableDocument
from core.workers import system
from core.workers.client import Limits
from core.workers.engines import ReaderClient
from tests.core.workers.children import COMMAND, gone, pid, posix_only


def test_the_environment_of_a_child_is_offline_and_its_own(reader, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere/evil.py")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    text = list(reader.read(b"", "environment"))[1].text
    variables = (*(f"{key}={value}" for key, value in core.OFFLINE.items()), "TOKENIZERS_PARALLELISM=false")
    for variable in ("ORT_DISABLE_TELEMETRY=1", "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1", *variables):
        assert variable in text
    assert "evil" not in text
    assert str(tmp_path) not in text.rsplit("\n", 1)[1]


def test_nothing_is_loaded_from_the_current_folder(monkeypatch, tmp_path):
    canary = tmp_path / "canary"
    for name in ("json.py", "core.py", "struct.py", "sitecustomize.py"):
        (tmp_path / name).write_text(f"open({str(canary)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    reader = ReaderClient()
    with pytest.raises(UnreadableDocument):
        list(reader.read(b"", "empty.txt"))
    reader.close()
    assert not canary.exists()


@posix_only
@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGABRT"])
def test_a_killed_child_is_named_and_replaced(reader, name):
    pages = []
    with pytest.raises(EngineStopped) as error:
        pages.extend(reader.read(b"", f"die {name}"))
    assert len(pages) == 2
    assert error.value.details["reason"] == f"it was killed by signal {name}"
    assert error.value.details["item"] == f"page 2 of die {name}"
    assert len(list(reader.read(b"one", "a.txt"))) == 2


def test_a_child_that_leaves_is_named(reader):
    with pytest.raises(EngineStopped, match="ended with code 7"):
        list(reader.read(b"", "exit 7"))


@pytest.mark.parametrize("order", ["hang", "hang deaf", "spin"])
def test_a_child_that_hangs_is_ended_at_its_limit(hasty, order):
    assert hasty.fingerprint  # start it, so that only the limit is timed
    child = pid(hasty)
    with pytest.raises(EngineStopped, match="no answer within"):
        list(hasty.read(b"", order))
    assert gone(child)
    assert len(list(hasty.read(b"one", "a.txt"))) == 2


def test_what_a_child_waits_for_a_processor_is_not_held_against_it(hasty, monkeypatch):
    assert hasty.fingerprint
    with pytest.raises(EngineStopped, match="no answer within"):
        list(hasty.read(b"one", "sleep 3"))
    assert hasty.fingerprint
    monkeypatch.setattr(system, "queue_seconds", lambda pid: time.monotonic())  # as if it never got one
    assert list(hasty.read(b"one", "sleep 3"))


@pytest.mark.skipif(not system.LINUX, reason="only Linux says how long a process waited")
def test_the_wait_for_a_processor_is_read_from_the_system():
    assert system.queue_seconds(os.getpid()) >= 0.0
    assert system.queue_seconds(0) == 0.0


def test_pages_wait_for_the_caller(reader):
    pages = reader.read(b"", "many 2000")
    next(pages)
    next(pages)
    time.sleep(1.0)
    next(pages)  # drains standard error
    page_number = max(
        int(line.split()[1]) for line in reader.child.last_words().splitlines() if line.startswith("made ")
    )
    assert page_number < 1_000  # 20 kB a page: the pipes hold about 2 MB
    pages.close()


@posix_only
@pytest.mark.parametrize("order", ["hang", "spin", "hang deaf", "garbage", "close"])
def test_what_a_child_started_dies_with_it_at_once(tmp_path, order):
    """A helper that ignores the polite signal and holds the pipes of the child open."""
    mark = str(tmp_path)
    limits = Limits(start=60, item=0.6, whole=1.0)
    reader = ReaderClient(command=[*COMMAND, "--with-a-friend", mark], limits=limits)
    assert reader.fingerprint
    assert mark in _command_lines()
    child = pid(reader)
    with pytest.raises(EngineStopped):
        list(reader.read(b"", order))
    while mark in _command_lines():  # the helper would stay for ever; the limit of the whole test ends the wait
        time.sleep(0.05)
    assert gone(child)
    reader.close()


@posix_only
def test_noise_instead_of_answers_ends_the_child(hasty):
    assert hasty.fingerprint
    child = pid(hasty)
    with pytest.raises(EngineStopped, match="malformed"):
        list(hasty.read(b"", "garbage"))
    assert gone(child)
    assert len(list(hasty.read(b"one", "a.txt"))) == 2


@posix_only
def test_a_child_that_closes_its_pipes_and_stays_is_ended(hasty):
    assert hasty.fingerprint
    child = pid(hasty)
    with pytest.raises(EngineStopped, match="closed its pipe"):
        list(hasty.read(b"", "close"))
    assert gone(child)
    assert len(list(hasty.read(b"one", "a.txt"))) == 2


def _command_lines() -> str:
    return subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
