"""The embedder of sentence-transformers, against the one that computes the graph itself."""

from __future__ import annotations

import json
import shutil

import numpy
import pytest

from core import paths
from core.engines.embedding import bert_onnx
from core.model_files.embedding_folder import look_at
from tests.conftest import installed
from tests.core.engines.tiny_embedder import make


def test_what_this_engine_cannot_compute_is_left_to_the_other(tmp_path):
    for number, changed in enumerate(
        ({"model_type": "mpnet"}, {"hidden_act": "relu"}, {"position_embedding_type": "relative_key"})
    ):
        assert not bert_onnx.fits(look_at(make(tmp_path / str(number), **changed)))


@pytest.mark.slow
def test_vectors_are_those_of_sentence_transformers(tmp_path):
    original = installed(paths.EMBEDDER)
    from core.engines.embedding.sentence_transformer import SentenceTransformerEmbedder

    e5 = shutil.copytree(original, tmp_path / "e5-small")
    texts = ["The dam broke at night.", "", "Der Damm brach.", "A long text. " * 200, "дамба прорвалась", "  spaces "]
    for folder in (look_at(original), look_at(e5)):
        embedder, reference = bert_onnx.EncoderEmbedder(folder), SentenceTransformerEmbedder(folder)
        assert embedder.pieces(texts) == reference.pieces(texts)
        assert embedder.dimensions == reference.dimensions
        for embed, reference_embed in (
            (embedder.embed, reference.embed),
            (embedder.embed_queries, reference.embed_queries),
        ):
            for vector, reference_vector in zip(embed(texts), reference_embed(texts), strict=True):
                assert (
                    numpy.abs(numpy.frombuffer(vector, "<f4") - numpy.frombuffer(reference_vector, "<f4")).max() < 1e-5
                )


@pytest.mark.slow
def test_other_files_beside_the_same_weights_give_another_fingerprint(tmp_path):
    from core.engines.embedding.sentence_transformer import SentenceTransformerEmbedder

    folder = make(tmp_path / "tiny")
    fingerprints = {SentenceTransformerEmbedder(look_at(folder)).fingerprint for _ in range(2)}
    for name, field in (("config.json", {"num_hidden_layers": 1}), ("tokenizer_config.json", {"do_lower_case": False})):
        file = folder / name
        file.write_text(json.dumps(json.loads(file.read_text()) | field))
        fingerprints.add(SentenceTransformerEmbedder(look_at(folder)).fingerprint)
    assert len(fingerprints) == 3


@pytest.mark.slow
def test_weights_that_are_written_over_change_nothing_in_a_model_that_runs(tmp_path):
    from core.engines.embedding.sentence_transformer import SentenceTransformerEmbedder

    folder = make(tmp_path / "tiny")
    embedder = SentenceTransformerEmbedder(look_at(folder))
    vectors = embedder.embed(["the pump stopped", "a gate"])
    weights = folder / "model.safetensors"
    with weights.open("r+b") as file:  # in its place, as a copy over it does
        size = 8 + int.from_bytes(file.read(8), "little")
        file.seek(size)
        file.write(b"\x3d" * (weights.stat().st_size - size))
    assert embedder.embed(["the pump stopped", "a gate"]) == vectors
    assert SentenceTransformerEmbedder(look_at(folder)).fingerprint != embedder.fingerprint
