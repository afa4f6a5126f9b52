"""A self-test as a whole: the real program, and what becomes of a part that fails in any way."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from core import paths, settings
from core.errors import BadInput, CannotWrite, EngineStopped
from core.ports import Engines
from core.progress import Cancelled, Progress
from core.runtime import launch
from core.selftest import case_checks, engine_checks, service
from core.selftest.parts import PartFailed, PartLeftOut
from tests.conftest import MODELS, installed
from tests.fakes import PlainReader

ENGINES = Engines(reader=PlainReader())


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files, empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def only(monkeypatch):
    """Leaves only the checks that are given, by their names."""

    def leave(**checks):
        monkeypatch.setattr(service, "_checks", lambda: iter(checks.items()))
        monkeypatch.setattr(engine_checks, "checks", lambda trial: iter(()))
        monkeypatch.setattr(case_checks, "checks", lambda trial: iter(()))

    return leave


def test_every_part_of_this_program_works_and_nothing_is_left_behind(temporary):
    installed(paths.EMBEDDER)
    home = Path(paths.user_data())
    before = sorted(home.rglob("*"))
    engines, seen = launch.build_engines(settings.load()), []
    try:
        outcome = service.run(engines, on_part=seen.append)
    finally:
        launch.close(engines)
    assert outcome.ok, "\n".join(outcome.lines())
    assert tuple(seen) == outcome.parts
    states = {part.name: part.state for part in outcome.parts}
    assert len(states) == len(outcome.parts) > 50
    assert states["Scans: Tesseract"] == states["Scans: PP-OCR"] == states["Judge"] == "ok"
    assert states["Judge: one set of libraries"] == "not available"  # an encoder needs none of them
    assert list(temporary.iterdir()) == []
    assert sorted(home.rglob("*")) == before


def fault(error):
    def check(_trial):
        raise error

    return check


def test_whatever_a_part_raises_is_its_failure_and_the_others_go_on(only, temporary):
    only(
        good=lambda _: "fine",
        wrong=fault(PartFailed("It is wrong.", "Mend it.")),
        absent=fault(PartLeftOut("not installed", "spaCy")),
        refused=fault(BadInput(reason="It is bad.", remedy="Make it good.")),
        broken=fault(KeyError("secret text of a document")),
        last=lambda _: "fine",
    )
    outcome = service.run(ENGINES)
    assert [(part.name, part.state) for part in outcome.parts] == [
        ("good", "ok"), ("wrong", "failed"), ("absent", "not installed"), ("refused", "failed"),
        ("broken", "failed"), ("last", "ok"),
    ]  # fmt: skip
    assert not outcome.ok
    assert [part.remedy for part in outcome.parts if not part.ok][:2] == ["Mend it.", "Make it good."]
    assert "KeyError" in outcome.parts[4].note
    assert "secret" not in "\n".join(outcome.lines())
    assert list(temporary.iterdir()) == []


def test_it_can_be_cancelled_between_and_inside_parts(only, temporary):
    progress, seen = Progress(), []

    def stop(_trial):
        progress.cancel()
        raise EngineStopped(engine="judge", item="a passage", reason="it was stopped on request")

    only(good=lambda _: "fine", stopped=stop, last=lambda _: "fine")
    with pytest.raises(Cancelled):
        service.run(ENGINES, progress, seen.append)
    assert [part.name for part in seen] == ["good"]
    assert list(temporary.iterdir()) == []


def test_it_says_which_part_it_is_at(only, temporary):
    steps = []
    only(one=lambda _: "fine", two=lambda _: "fine")
    service.run(ENGINES, Progress(lambda *step: steps.append(step)))
    assert steps == [(0, 2, "one"), (1, 2, "two")]


def test_without_room_for_temporary_files_there_is_no_self_test(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(CannotWrite):
        service.run(ENGINES)


# --- database and models ---------------------------------------------------------------------------------------------


def test_the_database_is_named():
    assert service.name_database().startswith("3.")


@pytest.fixture
def models(tmp_path, monkeypatch):
    """A folder with the model files of the lock, each a link to the one that is installed."""
    installed(paths.EMBEDDER)
    folder = tmp_path / "models"
    shutil.copytree(MODELS, folder, copy_function=lambda source, target: Path(target).symlink_to(source))
    monkeypatch.setenv("DISCONFIRM_MODELS", str(folder))
    return folder


def test_models_that_are_as_they_should_be_are_counted(models):
    assert service.compare_models().endswith("MB, as they should be")


def test_a_model_that_was_changed_or_is_missing_is_named(models):
    file = models / paths.EMBEDDER / "vocab.txt"
    file.unlink()
    with pytest.raises(PartFailed, match="cannot be read"):
        service.compare_models()
    file.write_bytes(b"something else")
    with pytest.raises(PartFailed, match="was changed") as failure:
        service.compare_models()
    assert str(file) in failure.value.reason
    assert "bootstrap.py models" in failure.value.remedy


def test_the_judge_that_comes_with_the_program_is_compared_too(models, tmp_path, monkeypatch):
    resources = tmp_path / "resources"
    (resources / "models").mkdir(parents=True)
    shutil.copyfile(paths.RESOURCES / "models.lock", resources / "models.lock")
    monkeypatch.setattr(paths, "RESOURCES", resources)
    paths.reader().write_bytes(b"something else")
    with pytest.raises(PartFailed, match=r"evidence-reader\.gguf was changed"):
        service.compare_models()
