"""Cases that the tests of most parts begin with."""

from __future__ import annotations

import pytest

from core.store import CaseFile
from tests.core.store.material import add, clock, fill


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.disconfirm"


@pytest.fixture
def case(path):
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as opened:
        yield opened


@pytest.fixture
def filled(case):
    fill(case)
    return case


@pytest.fixture
def small_case(tmp_path):
    with CaseFile.create(tmp_path / "a.disconfirm", who="Ann", now=clock()) as opened:
        opened.hypotheses.add("The vendor did it")
        opened.hypotheses.add("The pump was old")
        add(opened, "a.txt", ["The pump stood still at noon. Nobody saw it."])
        yield opened
