"""The reranker: by rule, and a late-interaction model in a child process."""

from __future__ import annotations

import shutil

import pytest

from core import paths, settings
from core.errors import ModelMissing, ModelUnreadable
from core.runtime import launch
from core.workers.engines import RerankerClient
from tests.conftest import MODELS
from tests.contracts import RerankerContract
from tests.fakes import WordsReranker


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A late-interaction model made of the installed search model and a random projection of its tokens."""
    source = MODELS / paths.EMBEDDER
    if not (source / "modules.json").is_file():
        pytest.skip(f"the search model is not at {source}")
    import sentence_transformers
    import torch

    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("late") / "late-interaction"
    encoder = sentence_transformers.MultiVectorEncoder(str(source), device="cpu", local_files_only=True)
    encoder.save_pretrained(str(folder), create_model_card=False)
    return folder


@pytest.fixture(scope="module")
def late(model):
    client = RerankerClient(model)
    yield client
    client.close()


class TestWordsReranker(RerankerContract):
    @pytest.fixture
    def reranker(self):
        return WordsReranker()


class TestLateInteraction(RerankerContract):
    @pytest.fixture
    def reranker(self, late):
        return late


def refused(folder, error):
    client = RerankerClient(folder)
    try:
        with pytest.raises(error) as caught:
            client.score("x", ["y"])
        return f"{caught.value.sentence} {caught.value.hint}"
    finally:
        client.close()


def test_a_folder_that_is_no_such_model_is_refused_with_the_reason(tmp_path, model):
    assert "order" in refused(tmp_path / "nowhere", ModelMissing)
    assert "one vector per text" in refused(MODELS / paths.EMBEDDER, ModelUnreadable)
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    (copy / "extra.py").write_text("print('run')", "utf-8")
    assert "extra.py" in refused(copy, ModelUnreadable)


@pytest.mark.slow
def test_a_chosen_model_is_kept_until_it_is_taken_back(tmp_path, model, engines):
    for folder, error in ((tmp_path / "nowhere", ModelMissing), (MODELS / paths.EMBEDDER, ModelUnreadable)):
        with pytest.raises(error):
            launch.choose_reranker(engines, folder)
    assert settings.load().reranker == ""
    chosen = launch.choose_reranker(engines, model)
    assert isinstance(chosen.reranker, RerankerClient)
    assert settings.load().reranker == str(model)
    assert launch.choose_reranker(chosen, model) is chosen
    next_engines = launch.build_engines(settings.load())
    assert isinstance(next_engines.reranker, RerankerClient)
    launch.close(next_engines)
    assert launch.choose_reranker(chosen, None).reranker is None
    assert settings.load().reranker == ""


@pytest.mark.slow
def test_the_same_weights_with_another_vocabulary_are_another_model(tmp_path, model):
    copy = shutil.copytree(model, tmp_path / model.name)
    client = RerankerClient(copy)
    original = client.fingerprint
    client.close()
    file = copy / "tokenizer_config.json"
    file.write_text(file.read_text("utf-8") + "\n", "utf-8")
    client = RerankerClient(copy)
    try:
        assert client.fingerprint != original
    finally:
        client.close()
