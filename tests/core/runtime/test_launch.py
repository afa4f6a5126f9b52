"""Which engines the program runs with, as the files of this computer and the settings have it."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from core import paths
from core.runtime import launch
from core.runtime.launch import EngineState
from core.settings import Settings
from core.workers.sandbox import Sandbox


@pytest.fixture
def models(tmp_path, monkeypatch):
    """A folder of models that holds none yet."""
    monkeypatch.setenv("DISCONFIRM_MODELS", str(tmp_path))
    return tmp_path


def test_the_judge_is_the_file_that_was_chosen_then_that_of_the_program_then_nobody(models, monkeypatch):
    assert launch.judge_file(Settings()) == paths.reader()
    other = models / "another.gguf"
    assert launch.judge_file(replace(Settings(), judge=str(other))) == other  # there or not: it is asked
    monkeypatch.setattr(paths, "RESOURCES", models)
    assert launch.judge_file(Settings()) is None
    assert launch.build_engines(Settings()).judge is None


@pytest.mark.parametrize(
    ("cores", "free", "readers"),
    [(1, 64_000_000_000, 1), (8, 64_000_000_000, 4), (9, 64_000_000_000, 4), (8, 2_500_000_000, 2), (8, 1_000, 1)],
)
def test_documents_are_read_by_half_of_the_cores_as_far_as_memory_goes(monkeypatch, cores, free, readers):
    monkeypatch.setattr(launch, "_cores", lambda: cores)
    monkeypatch.setattr(launch, "_free_memory", lambda: free)
    assert launch.side_by_side() == readers


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((True, True), ""),
        ((True, False), "rapidocr is missing"),
        ((False, True), "Tesseract is missing"),
        ((False, False), "Scans cannot be read"),
    ],
)
def test_what_is_missing_for_scans_is_told(monkeypatch, parts, words):
    monkeypatch.setattr(launch, "ocr_parts", lambda: parts)
    note = launch.ocr_note()
    assert words in note
    assert bool(note) == (parts != (True, True))


def test_a_report_of_an_engine_has_the_keys_that_it_always_had():
    state = EngineState("reader", "reading documents", True, "one", Sandbox(network=True, detail="by hand"), "broken")
    sandbox = {"network": True, "files": False, "programs": False, "memory": False, "detail": "by hand"}
    assert state.facts() == {
        "name": "reader",
        "called": "reading documents",
        "here": True,
        "fingerprint": "one",
        "confinement": sandbox,
        "problem": "broken",
    }
    assert len(state.facts()) == len(fields(EngineState))
    assert EngineState("judge", "judging passages", False).facts()["confinement"] is None
