"""Search models by folder: what a folder says of itself, which are refused and why, and the vectors they give."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from core import paths
from core.engines.embedding import bert_onnx
from core.errors import ModelMissing, ModelUnreadable
from core.model_files.embedding_folder import look_at
from core.search import ranking
from core.workers.engines import EmbedderClient
from tests.conftest import installed
from tests.contracts import EmbedderContract
from tests.core.engines.tiny_embedder import make, weights, write_weights

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def folder(tmp_path):
    return make(tmp_path / "tiny")


def change(path, **fields):
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.fixture(scope="module")
def tiny_embedder(tmp_path_factory):
    client = EmbedderClient(make(tmp_path_factory.mktemp("models") / "tiny"))
    yield client
    client.close()


class TestTinyFolder(EmbedderContract):
    @pytest.fixture
    def embedder(self, tiny_embedder):
        return tiny_embedder


# --- what a folder says ----------------------------------------------------------------------------------------------


def test_a_folder_says_what_it_holds(folder):
    files = look_at(folder)
    assert (files.family, files.dimensions, files.most_pieces) == ("bert", 32, 38)
    assert (files.pooling, files.plain) == ("mean", True)
    assert bert_onnx.fits(files)


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("multilingual-e5-small", "query: ", "passage: "),
        ("bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-m3", "", ""),
        ("nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("snowflake-arctic-embed-s", "Represent this sentence for searching relevant passages: ", ""),
        ("gte-small", "", ""),
        ("all-MiniLM-L6-v2", "", ""),
    ],
)
def test_families_are_known_by_their_name(tmp_path, name, query, passage):
    files = look_at(make(tmp_path / name))
    assert (files.before_query, files.before_passage, files.prefixes, files.note) == (query, passage, "family", "")


@pytest.mark.parametrize("name", ["tiny", "multilingual-e5-large-instruct", "bge-small-zh-v1.5"])
def test_a_family_that_is_not_known_gets_no_prefix_and_that_is_said(tmp_path, name):
    files = look_at(make(tmp_path / name))
    assert (files.before_query, files.before_passage, files.prefixes) == ("", "", "unknown")
    assert name in files.note
    assert "config_sentence_transformers.json" in files.note


def test_what_the_folder_says_of_prefixes_goes_first(tmp_path):
    folder = make(tmp_path / "e5-small")
    settings = folder / "config_sentence_transformers.json"
    settings.write_text(json.dumps({"prompts": {"query": "find: ", "document": "text: "}}))
    files = look_at(folder)
    assert (files.before_query, files.before_passage, files.prefixes) == ("find: ", "text: ", "folder")
    settings.write_text(json.dumps({"prompts": {"query": "", "document": ""}}))  # as every folder is saved
    assert look_at(folder).before_query == "query: "


def test_the_window_is_never_longer_than_the_places_of_the_model(folder):
    change(folder / "sentence_bert_config.json", max_seq_length=512)
    assert look_at(folder).most_pieces == 40
    change(folder / "config.json", model_type="xlm-roberta")
    assert look_at(folder).most_pieces == 38


# --- what is refused, and why ----------------------------------------------------------------------------------------


def _cut_off(folder):
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[:-1000])


def _no_modules(folder):
    (folder / "modules.json").unlink()


def _writes_text(folder):
    _no_modules(folder)
    change(folder / "config.json", architectures=["LlamaForCausalLM"])


def _foreign(folder):
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["type"] = "custom_st.Transformer"
    (folder / "modules.json").write_text(json.dumps(modules))


def _outside(folder):
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["path"] = "../elsewhere"
    (folder / "modules.json").write_text(json.dumps(modules))


def _nested(folder):
    (folder / "config.json").write_text("[" * 100_000)


def _pooling_gone(folder):
    (folder / "1_Pooling" / "config.json").write_text("{}")


FAULTS = {
    "cut off": (_cut_off, "was cut off: 1,000 of"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "weights are missing: there is no model.safetensors"),
    "empty weights": (lambda f: (f / "model.safetensors").write_bytes(b""), "model.safetensors is broken"),
    "a pointer": (
        lambda f: (f / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
        "never fetched",
    ),
    "a long header": (lambda f: (f / "model.safetensors").write_bytes(b"\xff" * 64), "model.safetensors is broken"),
    "no header": (lambda f: (f / "model.safetensors").write_bytes(b"\2" + 7 * b"\0" + b"[]"), "is broken"),
    "a pickle": (lambda f: (f / "pytorch_model.bin").write_bytes(b"\x80\x04."), "pytorch_model.bin, which can run"),
    "code": (lambda f: (f / "modeling_x.py").write_text("1"), "modeling_x.py, which can run code"),
    "code below": (lambda f: (f / "1_Pooling" / "x.PY").write_text("1"), "x.PY, which can run code"),
    "code of its own": (_foreign, "needs code of its own (custom_st.Transformer)"),
    "a path outside": (_outside, "points outside its folder"),
    "no modules": (_no_modules, "it has no modules.json"),
    "writes text": (_writes_text, "a model that writes text (LlamaForCausalLM)"),
    "writes text, with a mean": (
        lambda f: change(f / "config.json", architectures=["Qwen3ForCausalLM"]),
        "a model that writes text (Qwen3ForCausalLM)",
    ),
    "sorts": (
        lambda f: change(f / "config.json", architectures=["BertForSequenceClassification"]),
        "a model that sorts texts",
    ),
    "no config": (lambda f: (f / "config.json").unlink(), "it has no config.json"),
    "nested config": (_nested, "its config.json is broken"),
    "no kind": (lambda f: change(f / "config.json", model_type=None), "does not say what kind of model"),
    "no tokenizer": (lambda f: [(f / n).unlink() for n in ("tokenizer.json", "vocab.txt")], "it has no tokenizer.json"),
    "broken tokenizer": (lambda f: (f / "tokenizer.json").write_text("{}"), "its tokenizer.json is broken"),
    "no pooling": (_pooling_gone, "how its tokens become one vector"),
    "other layers": (lambda f: change(f / "config.json", num_hidden_layers=3), "its weights lack encoder.layer.2"),
    "other size": (lambda f: change(f / "config.json", intermediate_size=65), "another size than its config.json says"),
    "no heads": (lambda f: change(f / "config.json", num_attention_heads=5), "lacks the sizes"),
}


@pytest.mark.parametrize(("spoil", "reason"), FAULTS.values(), ids=FAULTS.keys())
def test_a_folder_that_is_no_search_model_is_refused_with_the_reason(folder, spoil, reason):
    spoil(folder)
    with pytest.raises(ModelUnreadable) as caught:
        bert_onnx.EncoderEmbedder(look_at(folder))
    assert reason in caught.value.sentence
    assert "search by words goes on" in caught.value.sentence
    assert caught.value.hint


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(ModelMissing):
        look_at(tmp_path / "nowhere")
    with pytest.raises(ModelUnreadable, match="it contains no search model"):
        look_at(tmp_path)
    (tmp_path / "judge.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelUnreadable, match="GGUF files, which are for judging"):
        look_at(tmp_path)
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelUnreadable, match=r"it is truncated\), so search by meaning is off"):
        look_at(tmp_path)


def test_a_folder_is_refused_before_anything_heavy_is_loaded(folder):
    _cut_off(folder)
    code = (
        "import sys\nfrom core.workers.server import ENGINES\nfrom core.errors import ModelUnreadable\n"
        "try:\n    ENGINES['embedder']({'folder': sys.argv[1]})\nexcept ModelUnreadable:\n"
        "    print(sorted({'torch', 'transformers', 'onnxruntime', 'sentence_transformers'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert run.stdout.strip() == "[]", run.stderr


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_vectors_without_a_direction_are_refused(folder, value):
    arrays = weights()
    arrays["encoder.layer.1.output.LayerNorm.bias"][3] = value
    write_weights(folder / "model.safetensors", arrays)
    with pytest.raises(ModelUnreadable, match="zero vectors"):
        bert_onnx.EncoderEmbedder(look_at(folder))


def test_zero_vectors_are_refused(folder):
    arrays = weights()
    for part in ("weight", "bias"):
        arrays[f"encoder.layer.1.output.LayerNorm.{part}"][:] = 0
    write_weights(folder / "model.safetensors", arrays)
    with pytest.raises(ModelUnreadable, match="zero vectors"):
        bert_onnx.EncoderEmbedder(look_at(folder))


def test_a_tokenizer_of_another_model_is_noticed(folder):
    arrays = weights(words=8)
    write_weights(folder / "model.safetensors", arrays)
    with pytest.raises(ModelUnreadable, match="are of different models"):
        bert_onnx.EncoderEmbedder(look_at(folder)).embed(["the dam broke at night in spring"])


# --- vectors ---------------------------------------------------------------------------------------------------------

TEXTS = ["the dam broke", "", "x " * 100, "the dam broke at night", "Something LONGER about rain"]


def _by_hand(folder, text, *, first=0, pooling="mean"):
    """The vector computed in plain numpy, in float64 (Devlin and others, 2019)."""
    from tokenizers import Tokenizer

    files = look_at(folder)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(files.most_pieces)
    pieces = tokenizer.encode(text).ids
    w = {name: values.astype(numpy.float64) for name, values in weights().items()}

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def linear(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    erf = numpy.vectorize(__import__("math").erf)
    x = w["embeddings.word_embeddings.weight"][pieces] + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x + w["embeddings.position_embeddings.weight"][first : first + len(pieces)], "embeddings.LayerNorm")
    for layer in range(2):
        prefix = f"encoder.layer.{layer}"
        heads = [
            linear(x, f"{prefix}.attention.self.{part}").reshape(-1, 4, 8).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        ]
        weight = numpy.exp(heads[0] @ heads[1].transpose(0, 2, 1) / numpy.sqrt(8))
        mixed = (weight / weight.sum(-1, keepdims=True)) @ heads[2]
        mixed = linear(mixed.transpose(1, 0, 2).reshape(-1, 32), f"{prefix}.attention.output.dense")
        x = norm(mixed + x, f"{prefix}.attention.output.LayerNorm")
        inner = linear(x, f"{prefix}.intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / numpy.sqrt(2)))
        x = norm(linear(inner, f"{prefix}.output.dense") + x, f"{prefix}.output.LayerNorm")
    vector = x.mean(0) if pooling == "mean" else x[0]
    return vector / numpy.linalg.norm(vector)


@pytest.mark.parametrize(
    ("family", "pooling", "first"), [("bert", "mean", 0), ("bert", "cls", 0), ("xlm-roberta", "mean", 1)]
)
def test_vectors_are_those_of_the_model(tmp_path, family, pooling, first):
    folder = make(tmp_path / "tiny", family=family, pooling="mean_tokens" if pooling == "mean" else "cls_token")
    vectors = bert_onnx.EncoderEmbedder(look_at(folder)).embed(TEXTS)
    for text, vector in zip(TEXTS, vectors, strict=True):
        wanted = _by_hand(folder, text, first=first, pooling=pooling)
        assert numpy.abs(numpy.frombuffer(vector, "<f4") - wanted).max() < 1e-5


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_weights_of_half_precision_are_read(folder, kind):
    whole = bert_onnx.EncoderEmbedder(look_at(folder)).embed(TEXTS)
    arrays = weights()
    if kind == "float16":
        halves = {name: values.astype(numpy.float16) for name, values in arrays.items()}
    else:
        halves = {name: (values.view(numpy.uint32) >> 16).astype(numpy.uint16) for name, values in arrays.items()}
    write_weights(folder / "model.safetensors", halves)
    for vector, half_vector in zip(whole, bert_onnx.EncoderEmbedder(look_at(folder)).embed(TEXTS), strict=True):
        cosine = numpy.frombuffer(vector, "<f4") @ numpy.frombuffer(half_vector, "<f4")
        assert cosine > 0.999


def test_prefixes_are_put_before_queries_and_passages(tmp_path):
    plain = bert_onnx.EncoderEmbedder(look_at(make(tmp_path / "tiny")))
    e5 = bert_onnx.EncoderEmbedder(look_at(make(tmp_path / "e5-small")))
    assert e5.embed(["the dam"]) == plain.embed(["passage: the dam"])
    assert e5.embed_queries(["the dam"]) == plain.embed(["query: the dam"])
    assert e5.fingerprint.endswith("passages begin 'passage: '")


def test_other_weights_have_another_fingerprint(folder):
    original = bert_onnx.EncoderEmbedder(look_at(folder)).fingerprint
    assert bert_onnx.EncoderEmbedder(look_at(folder)).fingerprint == original
    arrays = weights()
    arrays["encoder.layer.0.output.dense.bias"][0] += 0.5
    write_weights(folder / "model.safetensors", arrays)
    assert bert_onnx.EncoderEmbedder(look_at(folder)).fingerprint != original


@pytest.mark.parametrize("changed", [{"num_hidden_layers": 1}, {"num_attention_heads": 8}, {"layer_norm_eps": 1e-3}])
def test_the_same_weights_used_in_another_way_have_another_fingerprint(folder, changed):
    original = bert_onnx.EncoderEmbedder(look_at(folder))
    change(folder / "config.json", **changed)
    after = bert_onnx.EncoderEmbedder(look_at(folder))
    assert after.embed(TEXTS[:1]) != original.embed(TEXTS[:1])
    assert after.fingerprint != original.fingerprint


def test_the_fingerprint_of_the_programs_own_search_model_stays():
    assert ranking.measured(bert_onnx.EncoderEmbedder(look_at(installed(paths.EMBEDDER))).fingerprint)


def test_what_a_prefix_says_is_no_token_of_the_query(tmp_path):
    e5 = bert_onnx.EncoderEmbedder(look_at(make(tmp_path / "e5-small")))
    (matches,) = e5.token_matches("the dam broke", ["the dam"])
    assert len(matches) == 3


def test_three_processes_give_the_same_bytes(folder):
    code = (
        "import hashlib, sys\nfrom pathlib import Path\nfrom core.engines.embedding.bert_onnx import EncoderEmbedder\n"
        "from core.model_files.embedding_folder import look_at\n"
        "given = EncoderEmbedder(look_at(Path(sys.argv[1]))).embed(sys.argv[2:])\n"
        "print(hashlib.sha256(b''.join(given)).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code, str(folder), *TEXTS],
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=60,
            env={**os.environ, "OMP_NUM_THREADS": threads},
        ).stdout
        for threads in ("1", "2", "2")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64
