"""What a child process and its parent ask of the operating system. Nothing else here knows which one that is.

Linux has all of it; macOS lacks the signal of a pipe; Windows has neither process groups nor limits, and cannot wait
for a pipe. Each function says what is done there instead.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterable
from typing import Any

from core.workers.frames import MIB

POSIX = os.name == "posix"
LINUX = sys.platform == "linux"
_NO_WINDOW = 0x08000000  # CREATE_NO_WINDOW


# --- on the program's side -------------------------------------------------------------------------------------------


def lifeline() -> tuple[int, int]:
    """Make the pipe by whose end a child knows that the program is gone: the child's end and ours; -1 on Windows."""
    return os.pipe() if POSIX else (-1, -1)


def start_options(alive: int) -> dict[str, Any]:
    """Return how a child is started: in a group of its own, with its end of the lifeline, and without a window.

    Its folder is neither the person's nor the program's: either may be on a medium that they want to unplug.
    """
    if POSIX:
        return {"start_new_session": True, "pass_fds": (alive,), "cwd": "/"}
    return {"creationflags": _NO_WINDOW, "cwd": os.environ.get("SYSTEMROOT")}


def prepare(pipes: Iterable[int]) -> None:
    """Have reading and writing never wait, and make the pipes 1 MiB wide where the system allows it.

    That saves turns for a large document. On Windows they are left as they are, and asked how much lies in them.
    """
    for fd in pipes if POSIX else ():
        os.set_blocking(fd, False)
        if LINUX:
            fcntl: Any = importlib.import_module("fcntl")
            with contextlib.suppress(OSError):
                fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, MIB)


def waiting_bytes(fd: int) -> int:
    """Return how many bytes can be read from a pipe at once; -1 when it is closed. Windows only."""
    winapi: Any = importlib.import_module("_winapi")
    msvcrt: Any = importlib.import_module("msvcrt")
    try:
        return int(winapi.PeekNamedPipe(msvcrt.get_osfhandle(fd), 0)[0])
    except OSError:
        return -1


def queue_seconds(pid: int) -> float:
    """Return how long a process was ready to run and waited for a processor, in seconds; 0 where Linux is not there."""
    try:  # asked twice for each answer: a tenth of what a file object costs
        file = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)
        try:
            return int(os.read(file, 100).split()[1]) / 1e9
        finally:
            os.close(file)
    except (OSError, ValueError, IndexError):
        return 0.0


def end(pid: int, kill: Callable[[], None]) -> None:
    """End a child and whatever it started; on Windows, by ``kill``, the child alone. OSError where it is gone."""
    if POSIX:
        os.killpg(pid, signal.SIGKILL)
    else:
        kill()


# --- in the child ----------------------------------------------------------------------------------------------------


def read_as_bytes(pipes: Iterable[int]) -> None:
    """Have bytes pass as they are: Windows would change ends of lines."""
    if not POSIX:
        msvcrt: Any = importlib.import_module("msvcrt")
        for fd in pipes:
            msvcrt.setmode(fd, os.O_BINARY)  # type: ignore[attr-defined]


def stay_with_parent(alive: int) -> None:
    """Die with the parent, even inside a library call. ``alive``: the child's end of the lifeline.

    The lifeline is a pipe to which nobody writes. When the parent is gone, the kernel closes its end, which raises
    SIGIO here, and the default action of SIGIO is to end the process. PR_SET_PDEATHSIG would be simpler, but it fires
    when the *thread* that started the child ends, and the window's worker threads come and go. Where a pipe cannot
    signal (macOS, Windows), an idle child still ends at the end of its input, and a busy one at its next answer.
    """
    if not LINUX or alive < 0:
        return
    fcntl: Any = importlib.import_module("fcntl")
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(alive, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(alive, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        if os.read(alive, 1) == b"":  # the parent went while this process was starting
            os._exit(1)


def limit(memory: int) -> None:
    """Allow no core dumps, no large files and, where asked, so many bytes of memory. Windows has no such limits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which ends this child itself
    if not POSIX:
        return
    resource: Any = importlib.import_module("resource")
    for what, limit in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, MIB), (resource.RLIMIT_AS, memory)):
        if limit or what == resource.RLIMIT_CORE:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(what, (limit, limit))


def limit_processor(seconds: int) -> None:
    """Limit the processor time of one call, counted from now. At its end the kernel ends the process.

    On Windows only the parent's watch ends it.
    """
    if not POSIX or not seconds:
        return
    resource: Any = importlib.import_module("resource")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(usage.ru_utime + usage.ru_stime) + seconds + 1
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
