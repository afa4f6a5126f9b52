"""A small case made through the command line, with small engines in this process."""

from __future__ import annotations

import pytest

from core.runtime import launch
from tests.core import pump_case


@pytest.fixture(autouse=True)
def small_engines(engines, monkeypatch):
    monkeypatch.setattr(launch, "build_engines", lambda _settings: engines)


@pytest.fixture
def case(tmp_path, run):
    return pump_case.made(run, tmp_path)
