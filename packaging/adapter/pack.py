"""Write a trained encoder as the GGUF file that the program reads.

    python packaging/adapter/pack.py MODEL.pt [MODEL.pt ...] --encoder FOLDER --out evidence-reader.gguf [--type Q5_1]
           [--embedding-type Q4_1] [--temperature 1.0] [--name evidence-reader-1]

Several models are averaged weight by weight. FOLDER holds config.json and tokenizer.json of the encoder that they began
with. Matrices are kept in blocks of 32 of the type; biases, norms and heads whole. Nobody needs this to build, run or
test the program.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy
import torch
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType
from gguf.quants import quantize

ARCHITECTURE = "mpnet-judge"
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


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--type", default="Q5_1")
    parser.add_argument("--embedding-type", default="Q4_1")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--name", default="evidence-reader-1")
    options = parser.parse_args()

    states = [torch.load(model, weights_only=True) for model in options.models]
    weights = {
        tensor_name(name): torch.stack([state[name].float() for state in states]).mean(0).numpy() for name in states[0]
    }
    config = json.loads((options.encoder / "config.json").read_text("utf-8"))
    tokenizer = json.loads((options.encoder / "tokenizer.json").read_text("utf-8"))
    words = sorted(tokenizer["model"]["vocab"], key=tokenizer["model"]["vocab"].__getitem__)

    writer = GGUFWriter(options.out, ARCHITECTURE)
    writer.add_name(options.name)
    writer.add_license("AGPL-3.0-or-later")
    writer.add_file_type(LlamaFileType[f"MOSTLY_{options.type}"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_context_length(config["max_position_embeddings"] - 2)
    writer.add_float32(f"{ARCHITECTURE}.temperature", options.temperature)
    writer.add_tokenizer_model("wordpiece")
    writer.add_token_list(words)
    for name, array in sorted(weights.items()):
        is_matrix = array.ndim == 2 and name.startswith("blk.")
        kind = options.type if is_matrix else options.embedding_type if name == "token_embd.weight" else ""
        if kind:
            dtype = GGMLQuantizationType[kind]
            writer.add_tensor(name, quantize(array, dtype), raw_dtype=dtype)
        else:
            writer.add_tensor(name, array.astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{options.out}: {options.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
