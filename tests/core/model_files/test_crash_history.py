"""A language model whose process ends by a fault: tried once with plain settings, and what came of it is remembered."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from core.errors import CannotRunHere, EngineStopped, ModelUnreadable
from core.model_files import crash_history
from core.workers.client import Limits
from core.workers.engines import JudgeClient
from tests import fakes
from tests.core.workers import child_engines

CHILD = [sys.executable, str(Path(child_engines.__file__))]
QUESTION = ("The pump stopped.", ["The pump stopped."])


@pytest.fixture
def judge(tmp_path):
    judges = []

    def make(name: str) -> JudgeClient:
        folder = tmp_path / "faulty"
        folder.mkdir(exist_ok=True)
        if not (folder / f"{name}.gguf").exists():
            (folder / f"{name}.gguf").touch()
        judges.append(JudgeClient(folder / f"{name}.gguf", command=CHILD, limits=Limits(start=20, item=20, whole=20)))
        return judges[-1]

    yield make
    for client in judges:
        client.close()


def test_a_fault_at_the_start_is_tried_with_plain_settings_and_remembered(judge):
    first = judge("start")
    assert first.judge(*QUESTION) == fakes.ScriptedJudge().judge(*QUESTION)
    assert first.fingerprint.endswith(" plain")  # its verdicts are of other arithmetic, and say so
    assert crash_history.outcome_of(first._model) == ("plain", "SIGILL")
    second = judge("start")
    starts = []
    begin, second._start = second._start, lambda item: (starts.append(item), begin(item))[1]
    assert second.judge(*QUESTION) == fakes.ScriptedJudge().judge(*QUESTION)
    assert len(starts) == 1  # at once with plain settings


def test_a_fault_each_time_is_told_and_not_tried_for_ever(judge):
    first = judge("start never")
    with pytest.raises(CannotRunHere, match="an instruction that this processor does not have") as error:
        first.judge(*QUESTION)
    assert "bootstrap.py setup --plain" in error.value.hint
    second = judge("start never")
    starts = []
    second._start = lambda item: starts.append(item)
    with pytest.raises(CannotRunHere):
        second.judge(*QUESTION)
    assert starts == []
    crash_history.remember(second._model, "")
    assert crash_history.outcome_of(second._model) == ("", "")


def test_a_library_that_gives_up_while_loading_tells_of_the_file_and_not_of_the_processor(judge):
    first = judge("gives up")
    starts = []
    begin, first._start = first._start, lambda item: (starts.append(dict(first.options)), begin(item))[1]
    with pytest.raises(ModelUnreadable, match="the loader gave up on it") as error:
        first.judge(*QUESTION)
    assert "setup --plain" not in error.value.hint
    assert len(starts) == 1  # neither with plain settings nor less confined
    assert not starts[0].get("plain")
    assert crash_history.outcome_of(first._model) == ("", "")
    starts.clear()
    with pytest.raises(ModelUnreadable):
        first.fingerprint  # noqa: B018 - asking starts it
    assert len(starts) == 1


def test_a_fault_over_a_passage_that_plain_settings_cure(judge):
    client = judge("runs")
    assert client.judge(*QUESTION)
    assert client.judge("fault unless plain", ["a"]) == fakes.ScriptedJudge().judge("fault unless plain", ["a"])
    assert crash_history.outcome_of(client._model) == ("plain", "SIGSEGV")


def test_a_passage_that_ends_every_process_costs_that_passage_alone(judge):
    client = judge("runs")
    with pytest.raises(EngineStopped, match="SIGSEGV"):
        client.judge("fault", ["a"])
    assert crash_history.outcome_of(client._model) == ("", "")
    assert client.judge(*QUESTION) == fakes.ScriptedJudge().judge(*QUESTION)
    assert client.fingerprint == "faulty judge"


def test_another_file_library_or_processor_is_another_matter(tmp_path, monkeypatch):
    model = tmp_path / "a.gguf"
    model.write_bytes(b"1")
    crash_history.remember(model, "never", "SIGILL")
    assert crash_history.outcome_of(model)[0] == "never"
    model.write_bytes(b"22")
    assert crash_history.outcome_of(model)[0] == ""
    model.write_bytes(b"1")
    crash_history.remember(model, "never", "SIGILL")
    monkeypatch.setattr(crash_history, "_processor", lambda: "another")
    assert crash_history.outcome_of(model)[0] == ""


@pytest.mark.parametrize("spoil", [b"", b"{", b"[]", b'{"x": 1}', b"\xff"])
def test_a_broken_memory_is_as_good_as_none(tmp_path, spoil):
    model = tmp_path / "a.gguf"
    model.touch()
    crash_history.remember(model, "never", "SIGILL")
    crash_history._file().write_bytes(spoil)
    assert crash_history.outcome_of(model) == ("", "")
    crash_history.remember(model, "plain", "SIGSEGV")
    assert crash_history.outcome_of(model) == ("plain", "SIGSEGV")


def test_what_counts_as_a_fault():
    assert crash_history.name(-signal.SIGILL) == "SIGILL"
    assert crash_history.name(-signal.SIGKILL) == ""  # somebody ended it, or the memory was full
    assert crash_history.name(0) == crash_history.name(None) == crash_history.name(1) == crash_history.name(-250) == ""
    assert crash_history.name(0xC000001D) == "SIGILL"
    assert crash_history.name(-signal.SIGABRT) == crash_history.GAVE_UP
