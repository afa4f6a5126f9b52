"""Where models are looked for; tests/packaging has what is special to the packaged program."""

from __future__ import annotations

from core import paths, settings


def test_models_of_the_person_come_before_those_of_the_package(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCONFIRM_MODELS", str(tmp_path / "own"))
    monkeypatch.setattr(paths, "PACKAGED_MODELS", tmp_path / "packaged")
    assert paths.model("some.gguf") == tmp_path / "own" / "some.gguf"
    (tmp_path / "packaged" / paths.EMBEDDER).mkdir(parents=True)
    assert settings.Settings().embedder_folder == tmp_path / "packaged" / paths.EMBEDDER
    (tmp_path / "own" / paths.EMBEDDER).mkdir(parents=True)
    assert settings.Settings().embedder_folder == tmp_path / "own" / paths.EMBEDDER
