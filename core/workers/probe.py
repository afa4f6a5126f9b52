"""What a child tries when it is asked to, so that what it is kept from is seen and not only said.

Each attempt is harmless where it succeeds: a socket that is closed at once, an empty file that is removed again, a
process that ends at once. The calls go to the C library, where a hostile document would make them too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_INTERNET, _STREAM = 2, 1  # AF_INET and SOCK_STREAM, the same on every POSIX system
_LLAMA = ("libllama", "libggml", "llama.", "ggml")


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts of a child, each True where it was refused, and the llama libraries in its memory.

    ``network``: to make a socket. ``reading`` and ``writing``: to open a file that it does not need, and to make one
    beside it. ``programs``: to start a process. ``libraries`` are paths; none where the system does not list them.
    """

    network: bool
    reading: bool
    writing: bool
    programs: bool
    libraries: tuple[str, ...] = ()


def attempt(outside: str) -> Attempts:
    """Try everything, with ``outside`` as the file that this process does not need."""
    target = Path(outside)
    return Attempts(
        network=_no_socket(),
        reading=_no_reading(target),
        writing=_no_writing(target.with_name(f"{target.name}.{os.getpid()}")),
        programs=_no_process(),
        libraries=tuple(_libraries(_memory_map())),
    )


def _no_socket() -> bool:
    if os.name != "posix":
        return False
    import ctypes

    handle = ctypes.CDLL(None).socket(_INTERNET, _STREAM, 0)
    if handle >= 0:
        os.close(handle)
    return bool(handle < 0)


def _no_reading(file: Path) -> bool:
    try:
        os.close(os.open(file, os.O_RDONLY))
    except OSError:
        return True
    return False


def _no_writing(file: Path) -> bool:
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        return True
    file.unlink()
    return False


def _no_process() -> bool:
    if os.name != "posix":
        return False
    import ctypes

    # PyDLL keeps the interpreter's lock, without which the new process could not get on to its end.
    child = ctypes.PyDLL(None).fork()
    if child == 0:
        os._exit(0)
    if child > 0:
        os.waitpid(child, 0)
    return bool(child < 0)


def _memory_map() -> list[str]:
    if sys.platform != "linux":
        return []
    try:
        return Path("/proc/self/maps").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []


def _libraries(lines: Iterable[str]) -> list[str]:
    """List the files of llama.cpp among the lines of a memory map, each once."""
    paths = {fields[5] for fields in (line.split(maxsplit=5) for line in lines) if len(fields) > 5}
    return sorted(path for path in paths if path.rpartition("/")[2].startswith(_LLAMA))
