"""What is remembered of language models whose process ended by a fault of the processor or of its memory.

A library built for another processor, or with a broken kernel, ends a process with an illegal instruction or a
segmentation fault. It is then tried with plain settings; what came of it is kept for that model file, library and
processor, so that nothing is tried for ever, and is forgotten as soon as one of the three is another.

A library that gives up on a file while it loads it (SIGABRT) is no such fault: that tells of the file.
"""

from __future__ import annotations

import hashlib
import json
import platform
import signal
from pathlib import Path
from typing import Literal

from core import cpu, files, paths
from core.errors import CannotWrite

Outcome = Literal["", "plain", "never"]

GAVE_UP = "SIGABRT"

# Windows tells such an end by a code of its own.
_CODES = {0xC000001D: "SIGILL", 0xC0000005: "SIGSEGV", 0xC0000409: GAVE_UP}
_FAULTS = ("SIGILL", "SIGSEGV", "SIGBUS", "SIGFPE", GAVE_UP, "SIGTRAP")
_WORDS = {
    "SIGILL": "an instruction that this processor does not have",
    "SIGSEGV": "a segmentation fault",
    "SIGBUS": "a memory fault",
    "SIGFPE": "an arithmetic fault",
    GAVE_UP: "an abort in its library",
}


def name(code: int | None) -> str:
    """Return the fault that ended a process with this return code; '' where it was none."""
    if code is None:
        return ""
    if code >= 0:
        return _CODES.get(code, "")
    try:
        signal_name = signal.Signals(-code).name
    except ValueError:
        return ""
    return signal_name if signal_name in _FAULTS else ""


def words(fault: str) -> str:
    """Name a fault for a sentence."""
    return _WORDS.get(fault, f"the fault {fault}")


def outcome_of(model: Path) -> tuple[Outcome, str]:
    """Return what came of this model here, and the fault.

    ('plain', ...) works with plain settings, ('never', ...) not at all, ('', '') has had no fault.
    """
    entry = _read().get(_key(model)) if _file().is_file() else None
    if isinstance(entry, list) and len(entry) == 2 and entry[0] in ("plain", "never"):
        return entry[0], str(entry[1])
    return "", ""


def remember(model: Path, outcome: Outcome, fault: str = "") -> None:
    """Keep what came of it; '' forgets it. A folder that cannot be written is no reason to fail: it is tried again."""
    entries = _read()
    entries.pop(_key(model), None)
    if outcome:
        entries[_key(model)] = [outcome, fault]
    elif not _file().is_file():
        return
    try:
        files.write(_file(), json.dumps(entries, indent=1, sort_keys=True), make_folder=True)
    except CannotWrite:
        return


def _file() -> Path:
    return paths.user_data() / "faults.json"


def _read() -> dict[str, object]:
    try:
        entries = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _key(model: Path) -> str:
    """Of the model's file, the library's files and the processor."""
    parts = [str(model), *_stamp(model), _processor()]
    for folder in cpu.folders():
        for file in sorted(folder.glob("*ggml-cpu*")):
            parts += [file.name, *_stamp(file)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _stamp(file: Path) -> list[str]:
    try:
        stat = file.stat()
    except OSError:
        return []
    return [str(stat.st_size), str(stat.st_mtime_ns)]


def _processor() -> str:
    """Its name and what it can do."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))
