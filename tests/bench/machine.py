"""What every benchmark prints first: the machine and the versions, so that figures can be compared."""

from __future__ import annotations

import os
import platform
import resource
from importlib.metadata import version
from pathlib import Path


def describe() -> str:
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "sentence-transformers", "llama-cpp-python"))
    system = f"{platform.system()} {platform.release()}, {model}, {os.cpu_count()} cores"
    return f"{system}; Python {platform.python_version()}, {versions}"


def peak_mb(children: bool = False) -> float:
    """Peak resident memory in MB of this process, or of the largest child that has ended."""
    who = resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF
    return resource.getrusage(who).ru_maxrss / 1024
