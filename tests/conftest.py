"""Every test runs offline, offscreen and in a user folder of its own; the models are those the set-up installed."""

from __future__ import annotations

import itertools
import os
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
# An engine in the tests' own process waits as one in a child does (core/workers/process.py): its threads do not spin,
# which beside a second process of tests would take six times the work.
os.environ["OMP_WAIT_POLICY"] = "passive"
os.environ["GOMP_SPINCOUNT"] = "1000"

from core import paths
from core.ports import Engines
from core.search import ranking
from core.store import case_key, connection
from tests.fakes import HashEmbedder, PlainReader, PlainWriter, ScriptedJudge

# How long it takes to make an example, or to try it, tells of the computer and of what else it does.
settings.register_profile("any computer", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any computer")

# Read before any test moves the user folder: the models stay where the set-up put them.
MODELS = paths.models()
GENERATOR = "SmolLM2-135M-Instruct.Q4_1.gguf"  # a small model as a person may add one: it judges when asked, and writes
TESTS = Path(__file__).parent
DEVELOPMENT_DATA = Path(
    os.environ.get("DISCONFIRM_DEVELOPMENT_DATA", paths.RESOURCES.parent.parent / "shared" / "data")
)


def installed(name: str) -> Path:
    """A model that the set-up put on this computer, as it does before it runs the tests; without it they skip."""
    path = MODELS / name
    if not path.exists():
        pytest.skip(f"there is no {path}; fetch it with: python3 packaging/bootstrap.py models")
    return path


@pytest.fixture(scope="module")
def real_judge():
    """The judge of the program, in this process."""
    from core.engines.cross_encoder.judge import EncoderJudge

    return EncoderJudge(paths.reader())


# Each takes long for the few tests it has, and would be among the last, with one of two processes at rest.
LONG = [
    TESTS / name
    for name in (
        "core/audit/test_development_data.py",
        "core/engines/llm/test_llama.py",
        "core/store/test_decisions.py",
        "core/store/test_kill.py",
        "core/workers/test_bombs.py",
        "flows/test_bad_results.py",
        "flows/test_same_again.py",
        "flows/test_same_report.py",
        "flows/test_sample_case.py",
        "guarantees/attacks/test_documents.py",
        "guarantees/test_g_offline.py",
        "gui_app/start/test_sample_steps.py",
        "test_calls_home.py",
        "test_offline.py",
    )
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the long files first."""
    items.sort(key=lambda item: item.path not in LONG)


@pytest.fixture(scope="session")
def user_folders(tmp_path_factory):
    """Names for a new folder each; ``mktemp`` would look through all that are there for each of thousands of tests."""
    homes = tmp_path_factory.mktemp("homes")
    return (homes / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_user_folder(user_folders, monkeypatch):
    home = next(user_folders)
    home.mkdir(0o700)
    monkeypatch.setenv("DISCONFIRM_HOME", str(home))
    monkeypatch.setenv("DISCONFIRM_MODELS", str(MODELS))


@pytest.fixture(autouse=True)
def no_wait_for_the_disk(request, monkeypatch):
    """Cases that this process makes are not flushed at every decision, which is most of the time that many tests take.

    No test pulls the plug, and a process that ends in between loses nothing by it; those that are killed are others,
    and flush. ``flushed`` leaves it as it is.
    """
    if "flushed" not in request.fixturenames:
        monkeypatch.setattr(connection, "SYNCHRONOUS", "OFF")


@pytest.fixture(autouse=True)
def cheap_keys(monkeypatch):
    """Keys of encrypted cases that this process makes cost it nothing."""
    monkeypatch.setattr(case_key, "COST", 10)


@pytest.fixture
def flushed():
    """Cases as they are outside the tests: on the disk after every decision."""


@pytest.fixture(autouse=True)
def nearness_is_measured(monkeypatch):
    """Of the embedder of these tests, as of the one that comes with the program."""
    monkeypatch.setattr(ranking, "MEASURED", (*ranking.MEASURED, HashEmbedder.fingerprint))


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("the program tried to open a network connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def engines() -> Engines:
    """Whole small engines in this process: no model, no child."""
    return Engines(reader=PlainReader(), embedder=HashEmbedder(), judge=ScriptedJudge(), writer=PlainWriter())


@pytest.fixture
def development_data() -> Path:
    if not DEVELOPMENT_DATA.is_dir():
        pytest.skip(f"the shared development data is not at {DEVELOPMENT_DATA}")
    return DEVELOPMENT_DATA
