"""A small disk of its own, for tests of what happens when one is full or may not be written."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

needs_mount = pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount command")


@contextlib.contextmanager
def mounted(folder: Path, size: str) -> Iterator[Path]:
    """A disk of ``size`` at ``folder``. Skips where only an administrator may mount one: without a disk of its own a
    test would have to fill the computer's."""
    folder.mkdir()
    process = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    if process.returncode:
        pytest.skip("this system lets us mount nothing")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
