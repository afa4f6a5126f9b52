"""A folder with a search model of random weights, of BERT's shape, small enough to be made in a test."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy

WORDS = ["the", "dam", "broke", "at", "night", "invoice", "for", "office", "chairs", "something", "longer", "about"]
WORDS += ["rain", "in", "spring", "word", "x", "a", "long"]


def write_weights(path: Path, arrays: dict[str, Any]) -> None:
    """A safetensors file."""
    kinds = {"float32": "F32", "float16": "F16", "uint16": "BF16"}
    header, data = {}, b""
    for name, values in arrays.items():
        start = len(data)
        data += values.tobytes()
        header[name] = {
            "dtype": kinds[values.dtype.name],
            "shape": list(values.shape),
            "data_offsets": [start, len(data)],
        }
    encoded = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + data)


def weights(*, size: int = 32, layers: int = 2, inner: int = 64, words: int = 64, places: int = 40) -> dict[str, Any]:
    numbers = numpy.random.default_rng(7)

    def some(*shape: int) -> Any:
        return (numbers.standard_normal(shape) * 0.2).astype(numpy.float32)

    arrays = {
        "embeddings.word_embeddings.weight": some(words, size) * 5,
        "embeddings.position_embeddings.weight": some(places, size),
        "embeddings.token_type_embeddings.weight": some(2, size),
        "embeddings.LayerNorm.weight": 1 + some(size),
        "embeddings.LayerNorm.bias": some(size),
    }
    for layer in range(layers):
        stem = f"encoder.layer.{layer}."
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            arrays |= {f"{stem}{part}.weight": some(size, size), f"{stem}{part}.bias": some(size)}
        arrays |= {f"{stem}intermediate.dense.weight": some(inner, size), f"{stem}intermediate.dense.bias": some(inner)}
        arrays |= {f"{stem}output.dense.weight": some(size, inner), f"{stem}output.dense.bias": some(size)}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            arrays |= {f"{stem}{part}.weight": 1 + some(size), f"{stem}{part}.bias": some(size)}
    return arrays


def make(folder: Path, *, family: str = "bert", pooling: str = "mean_tokens", **changed: Any) -> Path:
    """The folder, whole. ``changed`` are fields of its config.json."""
    (folder / "1_Pooling").mkdir(parents=True)
    modules = ["Transformer", "Pooling", "Normalize"]
    (folder / "modules.json").write_text(
        json.dumps(
            [
                {"idx": index, "name": str(index), "path": ["", "1_Pooling", "2_Normalize"][index], "type": kind}
                for index, kind in enumerate(f"sentence_transformers.models.{module}" for module in modules)
            ]
        )
    )
    config = {
        "architectures": ["BertModel"],
        "model_type": family,
        "hidden_act": "gelu",
        "hidden_size": 32,
        "intermediate_size": 64,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": 40,
        "num_attention_heads": 4,
        "num_hidden_layers": 2,
        "pad_token_id": 0,
        "type_vocab_size": 2,
        "vocab_size": 64,
    }
    (folder / "config.json").write_text(json.dumps(config | changed))
    modes = {f"pooling_mode_{mode}": mode == pooling for mode in ("cls_token", "mean_tokens", "lasttoken")}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 32, **modes}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 38, "do_lower_case": False}))
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    tokenizer = {
        "version": "1.0",
        "truncation": {"max_length": 8, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": None,
        "added_tokens": [
            {"id": index, "content": name, "special": True}
            | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
            for index, name in enumerate(vocabulary[:5])
        ],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: index for index, word in enumerate(vocabulary)},
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "model_max_length": 512})
    )
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    write_weights(folder / "model.safetensors", weights())
    return folder
