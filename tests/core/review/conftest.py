"""Windows of one sentence each, for tests whose passages are two short sentences."""

from __future__ import annotations

import pytest

from core.review import windows


@pytest.fixture
def sentence_windows(monkeypatch):
    """Let every sentence be a window of its own, however short."""
    monkeypatch.setattr(windows, "WORDS", 1)
    monkeypatch.setattr(windows, "HEADING", 0)
