"""The reader in its child process, one for the tests of a module."""

from __future__ import annotations

import pytest

from core.workers.engines import ReaderClient


@pytest.fixture(scope="module")
def reader():
    client = ReaderClient()
    yield client
    client.close()
