"""Write a trained encoder as the GGUF file that the program reads.

    python packaging/adapter/pack.py MODEL.pt [MODEL.pt ...] --encoder FOLDER --pairs PAIRS.jsonl
           --out evidence-reader.gguf [--type Q5_1] [--embedding-type Q4_1] [--temperature 1.0] [--name NAME]

Several models are averaged weight by weight. FOLDER holds config.json and tokenizer.json of the encoder that they began
with. The input channels of matrices are evened out by how large their states get on some PAIRS (Xiao et al. 2023,
SmoothQuant, with an exponent of 0.5). Matrices are kept in blocks of 32 of the type; biases, norms and heads whole.
Nobody needs this to build, run or test the program.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy
import torch
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType
from gguf.quants import quantize

sys.path.insert(0, str(Path(__file__).resolve().parent))

from encoder import Encoding, RivalReader, Unit, probabilities, written_units

ARCHITECTURE = "mpnet-judge"
SAMPLE = 200  # units whose states are looked at
NAMES = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.LayerNorm": "token_embd_norm",
    "encoder.relative_attention_bias": "relative_bias",
}
PARTS = {
    "attention.attn.q": "attn_q",
    "attention.attn.k": "attn_k",
    "attention.attn.v": "attn_v",
    "attention.attn.o": "attn_output",
    "attention.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def tensor_name(name: str) -> str:
    """Return the name of a weight in the file."""
    stem, _, kind = name.rpartition(".")
    if stem.startswith("heads."):
        _, head, layer = stem.split(".")
        return f"head.{head}.{'inner' if layer == '0' else 'outer'}.{kind}"
    stem = stem.removeprefix("encoder.")
    if stem in NAMES:
        return f"{NAMES[stem]}.{kind}"
    _, _, number, part = stem.split(".", 3)
    return f"blk.{number}.{PARTS[part]}.{kind}"


SMOOTHED = {  # of a layer: the name of the scales, the layers that share an input
    "attn_in": ("attention.attn.q", "attention.attn.k", "attention.attn.v"),
    "attn_output": ("attention.attn.o",),
    "ffn_up": ("intermediate.dense",),
    "ffn_down": ("output.dense",),
}


def ranges(reader: RivalReader, encoding: Encoding, units: Sequence[Unit]) -> dict[str, torch.Tensor]:
    """Return the largest size of each input channel of the linear layers of the encoder, by the layer's name."""
    largest: dict[str, torch.Tensor] = {}

    def watch(name: str) -> Callable[[torch.nn.Module, tuple[torch.Tensor, ...]], None]:
        def note(_module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
            sizes = inputs[0].detach().abs().flatten(0, -2).amax(0)
            largest[name] = torch.maximum(largest[name], sizes) if name in largest else sizes

        return note

    linear = {name: layer for name, layer in reader.encoder.named_modules() if isinstance(layer, torch.nn.Linear)}
    hooks = [layer.register_forward_pre_hook(watch(name)) for name, layer in linear.items()]
    probabilities(reader, encoding, units)
    for hook in hooks:
        hook.remove()
    return largest


def even_out(
    weights: Mapping[str, numpy.ndarray], largest: Mapping[str, torch.Tensor]
) -> tuple[dict[str, numpy.ndarray], dict[str, numpy.ndarray]]:
    """Return the weights with their input channels evened out, and the scales by their names in the file."""
    result, scales = dict(weights), {}
    for layer in sorted({name.partition(".attention.attn.q")[0] for name in largest if ".attention.attn.q" in name}):
        for scale_name, parts in SMOOTHED.items():
            names = [f"encoder.{layer}.{part}.weight" for part in parts]
            inputs = largest[f"{layer}.{parts[0]}"].double().numpy().clip(1e-3)
            matrices = numpy.abs(numpy.concatenate([weights[name] for name in names])).max(0).clip(1e-3)
            scale = numpy.sqrt(inputs / matrices)
            scale = (scale / numpy.exp(numpy.log(scale).mean())).clip(0.02, 50).astype(numpy.float32)
            for name in names:
                result[name] = weights[name] * scale
            scales[f"blk.{layer.rpartition('.')[2]}.{scale_name}.smooth"] = scale
    return result, scales


def write(
    target: Path,
    weights: Mapping[str, numpy.ndarray],
    config: Mapping[str, Any],
    words: Sequence[str],
    *,
    kind: str = "Q5_1",
    embedding_kind: str = "Q4_1",
    temperature: float = 1.0,
    name: str = "evidence-reader-1",
    scales: Mapping[str, numpy.ndarray] | None = None,
) -> None:
    """Write weights, by their names in torch; ``config`` and ``words`` are of the encoder, kinds '' leave floats."""
    writer = GGUFWriter(target, ARCHITECTURE)
    writer.add_name(name)
    writer.add_license("AGPL-3.0-or-later")
    writer.add_file_type(LlamaFileType[f"MOSTLY_{kind}"] if kind else LlamaFileType.ALL_F32)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_context_length(config["max_position_embeddings"] - 2)
    writer.add_float32(f"{ARCHITECTURE}.temperature", temperature)
    writer.add_tokenizer_model("wordpiece")
    writer.add_token_list(list(words))
    arrays = {tensor_name(name): array for name, array in weights.items()} | dict(scales or {})
    for tensor, array in sorted(arrays.items()):
        is_matrix = array.ndim == 2 and tensor.startswith("blk.")
        blocks = kind if is_matrix else embedding_kind if tensor == "token_embd.weight" else ""
        if blocks:
            dtype = GGMLQuantizationType[blocks]
            writer.add_tensor(tensor, quantize(array, dtype), raw_dtype=dtype)
        else:
            writer.add_tensor(tensor, array.astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Average the models and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--type", default="Q5_1")
    parser.add_argument("--embedding-type", default="Q4_1")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--name", default="evidence-reader-1")
    options = parser.parse_args()

    states = [torch.load(model, weights_only=True) for model in options.models]
    mean = {name: torch.stack([state[name].float() for state in states]).mean(0) for name in states[0]}
    reader = RivalReader(options.encoder, {"verdict": 3})
    reader.load_state_dict(mean)
    _, units = written_units(options.pairs)
    largest = ranges(reader, Encoding(options.encoder), units[:SAMPLE])
    weights, scales = even_out({name: value.numpy() for name, value in mean.items()}, largest)
    config = json.loads((options.encoder / "config.json").read_text("utf-8"))
    vocabulary = json.loads((options.encoder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    write(
        options.out,
        weights,
        config,
        sorted(vocabulary, key=vocabulary.__getitem__),
        kind=options.type,
        embedding_kind=options.embedding_type,
        temperature=options.temperature,
        name=options.name,
        scales=scales,
    )
    data = options.out.read_bytes()
    print(f"{options.out}: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
