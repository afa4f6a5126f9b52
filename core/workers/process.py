"""Child processes and their pipes. No other module starts a process."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import core
from core.model_files import crash_history
from core.workers import system
from core.workers.frames import ANSWER_CAP, ANSWER_HEADER_CAP, MIB, Header, clean_text, unpack

_TAIL = 4_096  # bytes kept of what a child wrote to standard error
_PATIENCE = 5.0  # seconds for a killed child to vanish
_LEAVING = 1.0  # seconds between the end of a child's answers and the end of the child
_UNREAD_CAP = 16 * MIB  # of an answer that nobody has asked for yet
_ROOT = Path(__file__).resolve().parents[2]


def command_of(kind: str) -> list[str]:
    """Return the command line of the child for an engine of this kind."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--engine", kind]
    # -P: nothing is imported from the folder that happens to be the current one.
    return [sys.executable, "-P", "-m", "core.workers", kind]


def _environment() -> dict[str, str]:
    """Return the parent's environment without what could load foreign code or call home."""
    foreign = ("PYTHON", "LD_PRELOAD", "DYLD_", "LLAMA_CPP_LIB_PATH")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    cores = os.cpu_count() or 1
    threads = str(2 if cores <= 2 else cores // 2)
    environment.update(
        PYTHONPATH=str(_ROOT),
        PYTHONUTF8="1",
        OMP_NUM_THREADS=threads,
        # Threads that spin while they wait cost more than they win as soon as anything else runs: embedding beside a
        # compiler took 2.6 times as long, judging 6 times. On an idle machine they would win some 8%.
        OMP_WAIT_POLICY="passive",
        GOMP_SPINCOUNT="1000",
        OPENBLAS_NUM_THREADS=threads,
        MKL_NUM_THREADS=threads,
        MALLOC_ARENA_MAX="2",
        **core.OFFLINE,
        TOKENIZERS_PARALLELISM="false",
        # A library that gives up would start a debugger, where there is one, to tell where it was.
        GGML_NO_BACKTRACE="1",
    )
    return environment


class ProcessEnded(Exception):
    """The child closed its end or did not answer in time; the text says which."""


class WorkerProcess:
    """One running child and its pipes. Used by one thread at a time; ``kill`` may come from any."""

    def __init__(self, command: Sequence[str], options: Mapping[str, object]) -> None:
        self.documents = 0
        self.holds = ""  # which document it keeps from the last picture
        self.is_spent = False  # to be replaced before the next call
        self.is_stopped = False  # killed on request
        self._tail = b""
        self._silent = False  # it closed its standard error
        self.is_greeted = False
        self.waiting_seconds = 0.0  # seconds that the parent waited for it
        self._buffer = bytearray()
        self._outgoing: deque[memoryview] = deque()
        self._is_at_end = False  # it closed its standard output
        alive, self._alive = system.lifeline()
        argument = json.dumps({**options, "parent": os.getpid(), "lifeline": alive})
        try:
            self.process = subprocess.Popen(
                [*command, argument],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=_environment(),
                **system.start_options(alive),
            )
        except OSError:
            self._close_lifeline()
            raise
        finally:
            if alive >= 0:
                os.close(alive)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._in = self.process.stdin.fileno()
        self._out = self.process.stdout.fileno()
        self._err = self.process.stderr.fileno()
        system.prepare((self._in, self._out, self._err))

    def post(self, frame: Sequence[bytes]) -> None:
        """Queue a frame, written while its answer, or that of another child, is waited for."""
        self._outgoing.extend(memoryview(part) for part in frame if part)
        if not system.POSIX:
            self._flush()

    def send(self, frame: Sequence[bytes], *, seconds: float) -> None:
        """Write a frame, and wait until it is written."""
        self.post(frame)
        deadline = time.monotonic() + seconds
        while self._outgoing:
            deadline = self._wait(deadline, writing=True)

    def receive(
        self,
        *,
        seconds: float,
        beside: Callable[[], Sequence[WorkerProcess]] = tuple,
        on_turn: Callable[[], None] | None = None,
    ) -> tuple[Header, list[bytes]]:
        """Return the next frame.

        What the children ``beside`` this one say and are told goes on meanwhile; ``on_turn`` is called after each turn,
        and its time does not count.
        """
        deadline = time.monotonic() + seconds

        def exactly(count: int) -> bytes:
            nonlocal deadline
            while len(self._buffer) < count:
                deadline = self._wait(deadline, beside=beside())
                if on_turn is not None:
                    began = time.monotonic()
                    on_turn()
                    deadline += time.monotonic() - began
            chunk = bytes(memoryview(self._buffer)[:count])
            del self._buffer[:count]
            return chunk

        return unpack(exactly, header_cap=ANSWER_HEADER_CAP, cap=ANSWER_CAP)

    def _wait(self, deadline: float, *, writing: bool = False, beside: Sequence[WorkerProcess] = ()) -> float:
        """Wait until something was written, or read into the buffer. Standard error is drained meanwhile.

        Return the deadline, later by the time that the child waited for a processor: on a busy machine no child is
        ended for what others do.
        """
        if self._is_at_end:
            raise ProcessEnded("")
        began, queued = time.monotonic(), system.queue_seconds(self.process.pid)
        try:
            active = exchange((self, *beside), seconds=max(0.0, deadline - began), favoured=None if writing else self)
        finally:
            delay = max(0.0, system.queue_seconds(self.process.pid) - queued)
            self.waiting_seconds += max(0.0, time.monotonic() - began - delay)
        deadline += delay
        if self not in active and time.monotonic() >= deadline:
            raise ProcessEnded("no answer in time")
        return deadline

    def wants_room(self, takes_all: bool) -> bool:
        """Return whether more of its answer may be taken in: of one whose turn it is not, a part only."""
        return not self._is_at_end and (takes_all or len(self._buffer) < _UNREAD_CAP)

    def _flush(self) -> None:
        while self._outgoing:
            part = self._outgoing[0]
            try:
                count = os.write(self._in, part[:MIB])
            except BlockingIOError:
                return
            except OSError:  # it reads no more; what it said before is still to be heard
                self._outgoing.clear()
                return
            if count == len(part):
                self._outgoing.popleft()
            else:
                self._outgoing[0] = part[count:]

    def _read(self, count: int) -> None:
        try:
            more = os.read(self._out, min(count, MIB))
        except BlockingIOError:
            return
        except OSError:
            more = b""
        self._is_at_end = not more
        self._buffer += more

    def take_unread(self) -> bytearray:
        """Everything it said so far, which it then forgets."""
        unread, self._buffer = self._buffer, bytearray()
        return unread

    @property
    def unread(self) -> bytearray:
        """Return what it said so far, not taken yet."""
        return self._buffer

    def _drain(self) -> None:
        with contextlib.suppress(OSError):
            more = os.read(self._err, 65_536)
            self._tail = (self._tail + more)[-_TAIL:]
            self._silent = not more

    def last_words(self) -> str:
        """Return the end of what the child wrote to standard error, made safe to show."""
        return clean_text(self._tail.decode("utf-8", "replace"))

    def running(self) -> bool:
        """Return whether the child is alive and was not stopped."""
        return not self.is_stopped and self.process.poll() is None

    def kill(self) -> None:
        """End the child and whatever it started. Safe from any thread, and twice."""
        if self.process.poll() is None:
            with contextlib.suppress(OSError):
                system.end(self.process.pid, self.process.kill)

    def end(self) -> None:
        """Let go of the child: ask, then kill, then close every pipe."""
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        if not self.is_spent and not self.is_stopped:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.5)
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        self._close_lifeline()

    def _close_lifeline(self) -> None:
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1

    def why(self, reason: str) -> str:
        """Return why it ended, in words."""
        if self.is_stopped:
            return "it was stopped on request"
        if reason:
            return reason
        try:
            code = self.process.wait(_LEAVING)
        except subprocess.TimeoutExpired:
            return "it closed its pipe"
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = str(-code)
            return f"it was killed by signal {name}"
        return f"it ended with code {code}"

    def fault(self) -> str:
        """Return the fault of the processor or of its memory that ended it; '' for any other end."""
        return "" if self.is_stopped else crash_history.name(self.process.poll())


def exchange(
    children: Sequence[WorkerProcess], *, seconds: float, favoured: WorkerProcess | None = None
) -> set[WorkerProcess]:
    """Write and read whatever can be, for several children at once; those for which something moved.

    Waits until something did, at most ``seconds``. Of the answer of ``favoured`` everything is taken in.
    """
    if not system.POSIX:
        return _exchange_polling(children, seconds=seconds, favoured=favoured)
    owners: dict[int, WorkerProcess] = {}
    with selectors.DefaultSelector() as selector:
        for child in children:
            events = []
            if not child._silent:
                events.append((child._err, selectors.EVENT_READ))
            if child._outgoing:
                events.append((child._in, selectors.EVENT_WRITE))
            if child.wants_room(child is favoured):
                events.append((child._out, selectors.EVENT_READ))
            for fd, event in events:
                selector.register(fd, event)
                owners[fd] = child
        ready = [key.fd for key, _ in selector.select(seconds)]
    active = set()
    for fd in ready:
        child = owners[fd]
        if fd == child._err:
            child._drain()
            continue
        active.add(child)
        if fd == child._in:
            child._flush()
        else:
            child._read(MIB)
    return active


def _exchange_polling(
    children: Sequence[WorkerProcess], *, seconds: float, favoured: WorkerProcess | None
) -> set[WorkerProcess]:
    """Windows cannot wait for pipes with select, but it can ask how much lies in one. What is sent was written."""
    deadline, pause = time.monotonic() + seconds, 0.0005
    while True:
        active = set()
        for child in children:
            if system.waiting_bytes(child._err) > 0:
                child._drain()
            waiting = system.waiting_bytes(child._out) if child.wants_room(child is favoured) else 0
            if waiting:
                active.add(child)
                if waiting < 0:
                    child._is_at_end = True
                else:
                    child._read(waiting)
        if active or time.monotonic() >= deadline:
            return active
        time.sleep(pause)
        pause = min(0.02, pause * 1.5)
