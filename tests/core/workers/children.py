"""Children for tests to start, and whether they are still there."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, str(Path(__file__).with_name("child_engines.py"))]
posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX systems")


def pid(client) -> int:
    return client.child.process.pid


def gone(process: int) -> bool:
    """Whether the process has ended (a dead one that nobody has waited for counts as ended)."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
            if sys.platform == "linux" and "State:\tZ" in Path(f"/proc/{process}/status").read_text():
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False
