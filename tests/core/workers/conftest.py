"""Engines in child processes that obey or misbehave on demand."""

from __future__ import annotations

import pytest

from core.workers.client import Limits
from core.workers.engines import RemoteEmbedder, RemoteJudge, RemoteReader
from tests.core.workers.children import COMMAND


@pytest.fixture
def reader():
    remote = RemoteReader(command=COMMAND)
    yield remote
    remote.close()


@pytest.fixture
def hasty():
    """A reader with small limits."""
    remote = RemoteReader(command=COMMAND, limits=Limits(start=20, item=0.6, whole=2.0, memory=1 << 30))
    yield remote
    remote.close()


@pytest.fixture
def embedder(tmp_path):
    remote = RemoteEmbedder(tmp_path, command=COMMAND)
    yield remote
    remote.close()


@pytest.fixture
def judge(tmp_path):
    remote = RemoteJudge(tmp_path / "model.gguf", command=COMMAND)
    yield remote
    remote.close()
