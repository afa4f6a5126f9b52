"""What is asked of the operating system, with stand-ins for the systems that these tests do not run on."""

from __future__ import annotations

import os
import signal
import sys
from types import SimpleNamespace

import pytest

from core.errors import EngineStopped
from core.workers import system
from core.workers.engines import ReaderClient
from tests.core.workers.children import COMMAND, gone, pid, posix_only


class Winapi:
    """Asks a pipe of this system as Windows is asked."""

    @staticmethod
    def PeekNamedPipe(fd, _size):
        import array
        import fcntl
        import select
        import termios

        waiting = array.array("i", [0])
        fcntl.ioctl(fd, termios.FIONREAD, waiting)
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        if not waiting[0] and any(event & select.POLLHUP for _, event in poll.poll(0)):
            raise OSError("the pipe has been ended")
        return waiting[0], 0


@pytest.fixture
def windows(monkeypatch):
    """The functions as they are on Windows, over the pipes of this system. Keeps what was set of the pipes."""
    modes = []
    msvcrt = SimpleNamespace(get_osfhandle=lambda fd: fd, setmode=lambda fd, mode: modes.append((fd, mode)))
    monkeypatch.setattr(system, "POSIX", False)
    monkeypatch.setattr(system, "LINUX", False)
    monkeypatch.setattr(system, "_NO_WINDOW", 0)  # which only Windows takes
    monkeypatch.setitem(sys.modules, "_winapi", Winapi)
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    monkeypatch.setattr(os, "O_BINARY", 0x8000, raising=False)
    return modes


@posix_only
def test_on_windows_a_child_is_asked_what_lies_in_its_pipe(windows):
    """The way that polls, with a real child: what it says comes whole, and its end is noticed."""
    client = ReaderClient(command=COMMAND)
    try:
        pages = list(client.read(b"one\ftwo" * 4_000, "a.txt"))
        assert len(pages) == 4_002
        child = pid(client)
        assert client.child.process.args[-1].count('"lifeline": -1') == 1
    finally:
        client.close()
    assert gone(child)


@posix_only
def test_on_windows_a_child_that_dies_is_told_and_replaced(windows):
    client = ReaderClient(command=COMMAND)
    try:
        with pytest.raises(EngineStopped, match="code 3"):
            list(client.read(b"one", "exit 3"))
        assert len(list(client.read(b"one", "a.txt"))) == 2
    finally:
        client.close()


def test_on_windows_there_is_no_group_no_limit_and_no_lifeline(windows):
    assert system.lifeline() == (-1, -1)
    assert "start_new_session" not in system.start_options(-1)
    assert "creationflags" in system.start_options(-1)
    system.prepare([-1])
    system.limit_processor(5)
    system.stay_with_parent(-1)
    system.read_as_bytes((7, 8))
    assert windows == [(7, 0x8000), (8, 0x8000)]
    killed = []
    system.end(1 << 30, lambda: killed.append("child alone"))
    assert killed == ["child alone"]


def test_on_windows_ctrl_c_is_for_the_program_and_nothing_else_is_limited(windows, monkeypatch):
    handlers = []
    monkeypatch.setattr(system.signal, "signal", lambda *arguments: handlers.append(arguments))
    monkeypatch.setitem(sys.modules, "resource", None)  # there is none: an import would fail
    system.limit(1 << 30)
    assert handlers == [(signal.SIGINT, signal.SIG_IGN)]


@posix_only
def test_on_macos_a_pipe_gives_no_signal_and_limits_hold(monkeypatch):
    monkeypatch.setattr(system, "LINUX", False)
    monkeypatch.setitem(sys.modules, "fcntl", None)  # neither is asked for there
    alive, end = system.lifeline()
    system.stay_with_parent(alive)
    system.prepare((alive,))
    assert not os.get_blocking(alive)
    for fd in (alive, end):
        os.close(fd)
    limits = []
    resource = SimpleNamespace(
        RLIMIT_CORE=4, RLIMIT_FSIZE=1, RLIMIT_AS=5, setrlimit=lambda limit, values: limits.append((limit, values))
    )
    monkeypatch.setitem(sys.modules, "resource", resource)
    monkeypatch.setattr(system.signal, "signal", lambda *_given: None)
    system.limit(1 << 30)
    assert limits == [(4, (0, 0)), (1, (1 << 20, 1 << 20)), (5, (1 << 30, 1 << 30))]
