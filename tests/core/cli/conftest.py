"""A small case made through the command line, with small engines in this process."""

from __future__ import annotations

import json

import pytest

from core import __main__ as cli
from core.runtime import launch
from tests.core import pump_case


@pytest.fixture(autouse=True)
def small_engines(engines, monkeypatch):
    monkeypatch.setattr(launch, "build_engines", lambda _settings: engines)


@pytest.fixture
def run(capsys):
    def call(*arguments: object, code: int = 0) -> dict:
        assert cli.main([str(a) for a in arguments] + ["--json"]) == code
        out = capsys.readouterr().out
        return json.loads(out) if out else {}

    return call


@pytest.fixture
def case(tmp_path, run):
    return pump_case.made(run, tmp_path)
