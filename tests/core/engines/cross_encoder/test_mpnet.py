"""The encoder's graph: the numbers of the reference implementation, and files that cannot be used."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy
import pytest

from core.engines.cross_encoder import mpnet
from core.engines.cross_encoder.judge import EncoderJudge
from core.errors import ModelUnreadable
from core.model_files import gguf
from tests.core.engines import tiny_gguf

PACK = Path(__file__).parents[4] / "packaging" / "adapter" / "pack.py"
CONFIG = {
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "max_position_embeddings": 514,
    "vocab_size": len(tiny_gguf.READER_WORDS),
}


@pytest.fixture(scope="module")
def pack():
    spec = importlib.util.spec_from_file_location("disconfirm_pack", PACK)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference():
    """A small encoder of the library that the real one was trained with, its weights as wide as trained ones are."""
    import torch
    from transformers import MPNetConfig, MPNetModel

    torch.manual_seed(5)
    model = MPNetModel(MPNetConfig(**CONFIG), add_pooling_layer=False).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "LayerNorm" not in name:
                weight.normal_(0.0, 0.8 if "relative" in name else 0.12)
    return model


@pytest.fixture(scope="module")
def packed(pack, reference, tmp_path_factory):
    path = tmp_path_factory.mktemp("reader") / "reader.gguf"
    chosen = numpy.random.default_rng(1)
    weights = {f"encoder.{name}": weight.numpy() for name, weight in reference.state_dict().items()}
    weights = {name: weight for name, weight in weights.items() if "position_ids" not in name}
    for layer, rows in ((0, 64), (2, 3)):
        weights[f"heads.verdict.{layer}.weight"] = chosen.normal(0.0, 0.3, (rows, 64)).astype(numpy.float32)
        weights[f"heads.verdict.{layer}.bias"] = chosen.normal(0.0, 0.3, rows).astype(numpy.float32)
    pack.write(path, weights, CONFIG, tiny_gguf.READER_WORDS, kind="", embedding_kind="")
    return path


@pytest.mark.parametrize("count", [1, 2, 17, 130, 420])
def test_the_states_are_those_of_the_reference(reference, packed, count):
    import torch

    tokens = [int(token) for token in numpy.random.default_rng(count).integers(2, CONFIG["vocab_size"], count)]
    with torch.no_grad():
        expected = reference(torch.tensor([tokens])).last_hidden_state[0].numpy()
    states = mpnet.load(packed, gguf.check(packed), threads=1).states(tokens)
    assert states.shape == expected.shape == (count, 64)
    # What seven bits a weight and eight a state leave of numbers whose spread is 1.
    assert numpy.abs(states - expected).mean() < 0.03
    assert numpy.abs(states - expected).max() < 0.25
    assert min(numpy.corrcoef(a, b)[0, 1] for a, b in zip(states, expected, strict=True)) > 0.99


def test_the_buckets_of_relative_places_are_those_of_the_reference(reference):
    import torch

    distances = numpy.arange(-511, 512)
    expected = reference.encoder.relative_position_bucket(torch.tensor(distances), num_buckets=32, max_distance=128)
    assert mpnet.bucket(distances).tolist() == expected.tolist()
    assert set(expected.tolist()) == set(range(32)) - {16}  # each is met but that of a distance of nought to the right


def without(name):
    return lambda tensors: tensors.pop(name)


def put(name, values):
    return lambda tensors: tensors.update({name: values})


def first(name, value):
    def change(tensors):
        tensors[name].flat[0] = value

    return change


BROKEN = {
    "a missing matrix": (without("blk.1.ffn_up.weight"), "lack blk.1.ffn_up.weight"),
    "a missing norm": (without("token_embd_norm.bias"), "lack token_embd_norm.bias"),
    "no places": (without("position_embd.weight"), "lack position_embd.weight"),
    "no words": (without("token_embd.weight"), "lack token_embd.weight"),
    "too few words": (put("token_embd.weight", tiny_gguf.weights(1, 4)), "token_embd.weight, or have it in another"),
    "another width": (put("blk.0.attn_q.weight", tiny_gguf.weights(1, 64, 32)), "blk.0.attn_q.weight, or have it in"),
    "another shape": (put("blk.0.attn_q.bias", tiny_gguf.weights(1, 1, 64)), "blk.0.attn_q.bias, or have it in"),
    "a bias of too many places": (put("relative_bias.weight", tiny_gguf.weights(1, 64, 4)), "relative_bias.weight"),
    "no number in a matrix": (first("blk.0.attn_v.weight", math.nan), "values that are no numbers"),
    "no number in the head": (first("head.verdict.outer.bias", math.inf), "values that are no numbers"),
    "no head": (without("head.verdict.outer.weight"), "no head for verdicts"),
    "half a head": (without("head.verdict.inner.weight"), "lack head.verdict.inner.weight"),
    "a head of two": (put("head.verdict.outer.weight", tiny_gguf.weights(1, 2)), "no head for verdicts"),
    "two biases for three": (put("head.verdict.outer.bias", numpy.zeros(2, numpy.float32)), "no head for verdicts"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_unusable_and_its_fault_is_named(tmp_path, case):
    change, reason = BROKEN[case]
    with pytest.raises(ModelUnreadable, match=reason) as caught:
        EncoderJudge(tiny_gguf.encoder(tmp_path / "reader.gguf", change=change))
    assert "reader.gguf" in caught.value.sentence


def test_what_does_not_fit_together_is_unusable(tmp_path):
    path = tmp_path / "reader.gguf"
    for more, reason in (
        ({"places": 256}, "254 tokens at once"),
        ({"words": [word for word in tiny_gguf.READER_WORDS if word != "</s>"]}, "marks around texts"),
        ({"words": [word for word in tiny_gguf.READER_WORDS if word != "[UNK]"]}, "unknown words"),
        ({"temperature": 0.0}, "temperature"),
        ({"temperature": math.nan}, "temperature"),
        ({"temperature": math.inf}, "temperature"),
    ):
        with pytest.raises(ModelUnreadable, match=reason):
            EncoderJudge(tiny_gguf.encoder(path, **more))
    assert EncoderJudge(tiny_gguf.encoder(path)).judge("a pump", ["it ran"])


def test_a_file_cut_anywhere_or_another_than_was_added_is_refused(tmp_path):
    path = tiny_gguf.encoder(tmp_path / "reader.gguf")
    data = path.read_bytes()
    with pytest.raises(ModelUnreadable, match="not the file that was added"):
        EncoderJudge(path, sha256="0" * 64)
    for sixteenth in range(16):
        path.write_bytes(data[: len(data) * sixteenth // 16])
        with pytest.raises(ModelUnreadable):
            EncoderJudge(path)
