"""Cases that the tests of most parts begin with."""

from __future__ import annotations

import os

import pytest

from core.store import CaseFile
from tests.core.store.lock_worker import Workers
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


@pytest.fixture
def closed_case(tmp_path):
    """A case that nobody has open, with one hypothesis, alone in its folder."""
    path = tmp_path / "cases" / "a.disconfirm"
    path.parent.mkdir()
    with CaseFile.create(path, title="Pump", who="ann") as case:
        case.hypotheses.add("first")
    return path


@pytest.fixture(scope="module")
def workers():
    if not hasattr(os, "fork"):
        pytest.skip("processes that are killed in the middle are forked")
    group = Workers()
    yield group
    group.end()


@pytest.fixture
def worker(workers):
    """What another process answers to an order; it ends with the test."""
    yield lambda order: workers.ask(0, order)
    workers.ask(0, "kill")
