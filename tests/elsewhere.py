"""The same code on another computer: with another hash seed, time zone and language."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = (("1", "Asia/Tokyo", "C"), ("2", "America/New_York", "de_DE.UTF-8"))


def outputs(code: str) -> set[str]:
    """Run Python code in each place, and return what it prints: one text where it depends on none of them."""
    texts = set()
    for seed, zone, language in PLACES:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": language}
        run = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
        )
        texts.add(run.stdout.strip())
    return texts
