"""The modules of packaging/, which is a folder of programs and no package."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def load():
    """Load a module of packaging/ by its name."""
    folder = str(ROOT / "packaging")
    sys.path.insert(0, folder)
    yield importlib.import_module
    sys.path.remove(folder)
