"""Model files of a few kilobytes, with a head like that of a real one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy
from gguf import GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize

WIDTH = 64


def weights(seed: int, rows: int = 48, columns: int = WIDTH) -> numpy.ndarray:
    return numpy.random.default_rng(seed).normal(0.0, 0.5, (rows, columns)).astype(numpy.float32)


def model(path: Path, *, quantised: Mapping[str, numpy.ndarray] | None = None) -> Path:
    """A sound head and small tensors: one of plain floats, the others in blocks of Q8_0."""
    if quantised is None:
        quantised = {"blk.0.attn_q.weight": weights(1), "blk.0.ffn_up.weight": weights(2)}
    writer = GGUFWriter(path, arch="llama")
    writer.add_name("tiny")
    writer.add_file_type(7)
    writer.add_block_count(1)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(48)
    writer.add_head_count(1)
    writer.add_context_length(128)
    writer.add_vocab_size(4)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(["<unk>", "a", "b", "ä"])
    writer.add_token_types([2, 1, 1, 1])
    writer.add_token_scores([0.0, 0.5, 0.25, 0.125])
    writer.add_add_bos_token(False)
    writer.add_tensor("output_norm.weight", numpy.ones(WIDTH, numpy.float32))
    for name, values in quantised.items():
        kind = GGMLQuantizationType.Q8_0
        writer.add_tensor(name, quantize(values, kind), raw_dtype=kind)
    return _written(writer, path)


def adapter(path: Path, pairs: Mapping[str, tuple[Any, Any]], *, alpha: float) -> Path:
    """A low-rank change: for each tensor its (A, B), of shapes (rank, columns) and (rows, rank)."""
    writer = GGUFWriter(path, arch="llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for name, (down, up) in pairs.items():
        for side, values in (("a", down), ("b", up)):
            if values is not None:
                writer.add_tensor(f"{name}.lora_{side}", values)
    return _written(writer, path)


def _written(writer: GGUFWriter, path: Path) -> Path:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
