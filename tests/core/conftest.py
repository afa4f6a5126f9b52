"""The command line as the tests of several features run it."""

from __future__ import annotations

import json

import pytest

from core import __main__ as cli


@pytest.fixture
def run(capsys):
    def call(*arguments: object, code: int = 0) -> dict:
        assert cli.main([str(a) for a in arguments] + ["--json"]) == code
        out = capsys.readouterr().out
        return json.loads(out) if out else {}

    return call
