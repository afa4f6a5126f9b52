"""A small case made through the command line, with small engines in this process."""

from __future__ import annotations

import getpass
import sys

import pytest

from core.runtime import launch
from tests.core import pump_case


@pytest.fixture(autouse=True)
def small_engines(engines, monkeypatch):
    monkeypatch.setattr(launch, "build_engines", lambda _settings: engines)


@pytest.fixture
def case(tmp_path, run):
    return pump_case.made(run, tmp_path)


@pytest.fixture
def terminal(monkeypatch):
    """Somebody at a terminal, who types these lines."""
    lines: list[str] = []
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(getpass, "getpass", lambda prompt: lines.pop(0))
    return lines
