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
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as new_case:
        yield new_case


@pytest.fixture
def pump_case(case):
    fill(case)
    return case


@pytest.fixture
def small_case(tmp_path):
    with CaseFile.create(tmp_path / "a.disconfirm", who="Ann", now=clock()) as new_case:
        new_case.hypotheses.add("The vendor did it")
        new_case.hypotheses.add("The pump was old")
        add(new_case, "a.txt", ["The pump stood still at noon. Nobody saw it."])
        yield new_case
