"""An engine in a child: when one starts, is replaced, interrupted, closed, and shared by threads."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from core.errors import EngineStopped, UnreadableDocument
from core.workers.client import Limits
from core.workers.engines import EmbedderClient, JudgeClient, ReaderClient
from tests.core.workers.children import COMMAND, gone, pid, posix_only


def test_one_child_serves_many_calls(reader):
    list(reader.read(b"one", "a.txt"))
    first = pid(reader)
    list(reader.read(b"two", "b.txt"))
    reader.render(b"two", "b.txt", 1, scale=1.0)
    assert pid(reader) == first


def test_the_child_is_replaced_after_an_error(reader):
    list(reader.read(b"one", "a.txt"))
    first = pid(reader)
    with pytest.raises(UnreadableDocument) as error:
        list(reader.read(b"x", "refuse me"))
    assert error.value.hint == "Leave it."
    assert "\x1b" not in error.value.sentence
    list(reader.read(b"one", "a.txt"))
    assert pid(reader) != first
    assert gone(first)


def test_the_child_is_replaced_after_its_share_of_files():
    reader = ReaderClient(command=COMMAND, limits=Limits(files=2))
    pids = []
    for _ in range(4):
        list(reader.read(b"one", "a.txt"))
        pids.append(pid(reader))
    reader.close()
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_nothing_is_started_before_the_first_use(tmp_path):
    clients = [ReaderClient(), EmbedderClient(tmp_path), JudgeClient(tmp_path / "m.gguf")]
    assert all(client.child is None for client in clients)
    for client in clients:
        client.interrupt()
        client.close()


def test_a_child_that_was_started_ahead_serves_the_first_call(reader):
    reader.start()
    first = reader.child
    assert first is not None
    assert not first.is_greeted  # nobody waited for it
    reader.start()
    assert reader.child is first
    list(reader.read(b"one", "a.txt"))
    assert reader.child is first


def test_a_child_that_died_before_its_first_call_is_replaced(reader):
    reader.start()
    first = reader.child
    first.kill()
    list(reader.read(b"one", "a.txt"))
    assert reader.child is not first


def test_a_program_that_is_not_there_is_an_engine_that_stopped():
    with pytest.raises(EngineStopped, match="could not be started"):
        list(ReaderClient(command=["/nowhere/python"]).read(b"x", "a.txt"))


def test_after_close_nothing_starts_again(reader):
    list(reader.read(b"one", "a.txt"))
    child = pid(reader)
    reader.close()
    assert gone(child)
    with pytest.raises(EngineStopped, match="closing"):
        list(reader.read(b"one", "a.txt"))


@posix_only
def test_a_child_that_died_between_two_calls_is_replaced_in_silence(reader):
    list(reader.read(b"one", "a.txt"))
    os.kill(pid(reader), signal.SIGKILL)
    gone(pid(reader))
    assert len(list(reader.read(b"one", "a.txt"))) == 2


def test_interrupt_from_another_thread(reader):
    assert reader.fingerprint
    threading.Timer(0.3, reader.interrupt).start()
    with pytest.raises(EngineStopped, match="stopped on request"):
        list(reader.read(b"", "hang"))
    assert len(list(reader.read(b"one", "a.txt"))) == 2


def test_interrupt_of_an_idle_child_costs_the_next_call_nothing(reader):
    list(reader.read(b"one", "a.txt"))
    for _ in range(3):
        reader.interrupt()
        assert len(list(reader.read(b"one", "a.txt"))) == 2


def test_close_from_another_thread_ends_a_waiting_call(reader):
    assert reader.fingerprint
    threading.Timer(0.3, reader.close).start()
    with pytest.raises(EngineStopped):
        list(reader.read(b"", "hang"))


def test_threads_share_a_child(reader):
    wrong = []

    def work(name: str) -> None:
        for _ in range(10):
            items = list(reader.read(f"{name} one\f{name} two".encode(), "a.txt"))
            if [page.text for page in items[1:]] != [f"{name} one", f"{name} two"]:
                wrong.append(items)

    threads = [threading.Thread(target=work, args=(f"thread {n}",)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not wrong
    assert not any(thread.is_alive() for thread in threads)


def test_a_document_left_half_read_does_not_leak_into_the_next(reader):
    pages = reader.read(b"", "many 500")
    next(pages)
    next(pages)
    pages.close()
    assert [page.text for page in list(reader.read(b"one", "a.txt"))[1:]] == ["one"]


def test_opening_another_document_ends_the_half_read_one(reader):
    pages = reader.read(b"", "many 500")
    next(pages)
    next(pages)
    assert reader.render(b"one", "a.txt", 1, scale=1.0).width == 460
    with pytest.raises(EngineStopped, match="another document"):
        next(pages)
    assert len(list(reader.read(b"one", "a.txt"))) == 2
