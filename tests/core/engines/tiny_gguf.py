"""Model files of a few kilobytes, with a head like that of a real one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
READER_WORDS = ("<s>", "<pad>", "</s>", "[UNK]", *_LETTERS, *".,<>/", *(f"##{letter}" for letter in _LETTERS))


def encoder(
    path: Path,
    *,
    layers: int = 2,
    places: int = 514,
    words: Sequence[str] = READER_WORDS,
    temperature: Any = 1.0,
    change: Callable[[dict[str, numpy.ndarray]], object] = lambda tensors: None,
) -> Path:
    """An encoder with random weights and a head for verdicts; ``change`` alters its tensors before they are written."""
    heads, inner = 4, 2 * WIDTH
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (len(words), WIDTH),
        "position_embd.weight": (places, WIDTH),
        "relative_bias.weight": (32, heads),
        "head.verdict.inner.weight": (WIDTH, WIDTH),
        "head.verdict.inner.bias": (WIDTH,),
        "head.verdict.outer.weight": (3, WIDTH),
        "head.verdict.outer.bias": (3,),
    }
    parts = [f"blk.{n}.{part}" for n in range(layers) for part in ("attn_output_norm", "layer_output_norm")]
    for norm in ("token_embd_norm", *parts):
        shapes |= {f"{norm}.weight": (WIDTH,), f"{norm}.bias": (WIDTH,)}
    for n in range(layers):
        for part in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down"):
            rows, columns = {"ffn_up": (inner, WIDTH), "ffn_down": (WIDTH, inner)}.get(part, (WIDTH, WIDTH))
            shapes |= {f"blk.{n}.{part}.weight": (rows, columns), f"blk.{n}.{part}.bias": (rows,)}
    chosen = numpy.random.default_rng(3)
    tensors = {name: chosen.normal(0.0, 0.3, shape).astype(numpy.float32) for name, shape in shapes.items()}
    change(tensors)
    writer = GGUFWriter(path, arch="mpnet-judge")
    writer.add_name("tiny reader")
    writer.add_file_type(0)
    writer.add_block_count(layers)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_context_length(places - 2)
    if isinstance(temperature, str):
        writer.add_string("mpnet-judge.temperature", temperature)
    else:
        writer.add_float32("mpnet-judge.temperature", temperature)
    writer.add_tokenizer_model("wordpiece")
    writer.add_token_list(list(words))
    for name, values in tensors.items():
        writer.add_tensor(name, values)
    return _written(writer, path)


def _written(writer: GGUFWriter, path: Path) -> Path:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def chat(
    path: Path,
    marks: Sequence[str] = (),
    *,
    words: Sequence[str] = (),
    window: int = 4_096,
    seed: int = 1,
    fill: float | None = None,
    template: str = "",
    merges: Sequence[str] = (),
    change: Callable[[GGUFWriter], object] | None = None,
    **more: str,
) -> Path:
    """A model that the native loader takes: one layer of random weights, a vocabulary of single bytes, ``words`` and
    the control words ``marks``. It answers nothing sensible. ``fill`` puts one number into all that it learned;
    ``merges`` are words that it puts together from pairs, as GPT-2 did; ``change`` spoils it before it is written;
    ``more`` are texts of its head, by 'general' key."""
    pairs = [(word[:index], word[index]) for word in merges for index in range(1, len(word))]
    words = [*words, *dict.fromkeys(left + right for left, right in pairs)]
    single = [chr(code) if 33 <= code <= 126 else chr(256 + code) for code in range(256)] if merges else []
    pieces = ["<unk>", "<s>", "</s>", *(single or [f"<0x{byte:02X}>" for byte in range(256)]), "\u2581", *words, *marks]
    kinds = [2, 3, 3, *[1 if merges else 6] * 256, 1, *[1] * len(words), *[3] * len(marks)]
    writer = GGUFWriter(path, arch="llama")
    writer.add_name(path.stem)
    for key, value in more.items():
        writer.add_string(f"general.{key}", value)
    writer.add_file_type(0)
    writer.add_block_count(1)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(WIDTH)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_context_length(window)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // 2)
    writer.add_vocab_size(len(pieces))
    writer.add_tokenizer_model("gpt2" if merges else "llama")
    writer.add_token_list(pieces)
    if merges:
        writer.add_token_merges(list(dict.fromkeys(f"{left} {right}" for left, right in pairs)))
    else:
        writer.add_token_scores([0.0] * len(pieces))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    if template:
        writer.add_chat_template(template)
    generator = numpy.random.default_rng(seed)

    def tensor(name: str, *shape: int) -> None:
        values = numpy.ones(shape) if name.endswith("norm.weight") else generator.normal(0.0, 0.4, shape)
        if fill is not None:
            values = numpy.full(shape, fill)
        writer.add_tensor(name, values.astype(numpy.float32))

    tensor("token_embd.weight", len(pieces), WIDTH)
    tensor("output_norm.weight", WIDTH)
    tensor("output.weight", len(pieces), WIDTH)
    for part in ("attn_norm", "ffn_norm"):
        tensor(f"blk.0.{part}.weight", WIDTH)
    for part in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        tensor(f"blk.0.{part}.weight", WIDTH, WIDTH)
    if change is not None:
        change(writer)
    return _written(writer, path)
