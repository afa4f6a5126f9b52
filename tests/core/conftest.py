"""The command line, and a case of some texts, as the tests of several features use them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from core import __main__ as cli
from core.workbench import Workbench
from core.workers.engines import ReaderClient


@pytest.fixture(scope="module")
def reader():
    """The real reader in its real child."""
    client = ReaderClient()
    yield client
    client.close()


@pytest.fixture
def run(capsys):
    def call(*arguments: object, code: int = 0) -> dict:
        assert cli.main([str(a) for a in arguments] + ["--json"]) == code
        out = capsys.readouterr().out
        return json.loads(out) if out else {}

    return call


@pytest.fixture
def case_of(tmp_path, engines):
    """A function that makes a case of texts by their file names, with engines and facts of its own where given."""
    own = engines
    with ExitStack() as stack:

        def make(texts: Mapping[str, str], *, engines=own, **facts: Any) -> Workbench:
            inbox = tmp_path / "inbox"
            inbox.mkdir()
            for name, text in texts.items():
                (inbox / name).write_text(text, "utf-8")
            bench = stack.enter_context(Workbench.create(tmp_path / "case.disconfirm", engines, **facts))
            bench.documents.add([inbox])
            return bench

        yield make
