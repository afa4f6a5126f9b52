"""The same done in three processes, whatever order their sets and dictionaries are kept in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from core import paths

SEEDS = ("1", "2", "4000000000")


def each(script: str, case: Path, folder: Path, *arguments: str) -> Iterator[tuple[Path, bytes]]:
    """The copy of ``case`` in ``folder`` that each process had, and what ``script`` printed about it; the script is
    given the copy and the ``arguments``."""
    for seed in SEEDS:
        copy = folder / seed / case.name
        copy.parent.mkdir()
        shutil.copyfile(case, copy)
        run = subprocess.run(
            [sys.executable, "-c", script, str(copy), *arguments],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(paths.RESOURCES.parent)},
            cwd=folder,
            capture_output=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr.decode()
        yield copy, run.stdout
