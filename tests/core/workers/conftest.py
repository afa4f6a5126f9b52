"""Engines in child processes that obey or misbehave on demand."""

from __future__ import annotations

import pytest

from core.workers.client import Limits
from core.workers.engines import EmbedderClient, JudgeClient, ReaderClient
from tests.core.workers.children import COMMAND


@pytest.fixture
def reader():
    client = ReaderClient(command=COMMAND)
    yield client
    client.close()


@pytest.fixture
def hasty():
    """A reader with small limits."""
    client = ReaderClient(command=COMMAND, limits=Limits(start=20, item=0.6, whole=2.0, memory=1 << 30))
    yield client
    client.close()


@pytest.fixture
def embedder(tmp_path):
    client = EmbedderClient(tmp_path, command=COMMAND)
    yield client
    client.close()


@pytest.fixture
def judge(tmp_path):
    client = JudgeClient(tmp_path / "model.gguf", command=COMMAND)
    yield client
    client.close()
