"""The judge's base model in torch, read from its GGUF file, with what is added to every matrix.

That is an adapter of low rank, or while all weights are trained a matrix of its own.

The rows of the query and key matrices stay in the order of the GGUF file (rotary pairs side by side), so that what is
written here fits llama.cpp as it is. Architecture: Touvron et al. 2023, LLaMA; adapters: Hu et al. 2021, LoRA.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
import torch
import torch.nn.functional as functional
from torch import Tensor, nn

MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
Factors = tuple[nn.Parameter, nn.Parameter]  # (rank, in) and (out, rank); their product is added to a matrix
Adapter = list[list[Factors]]  # a list a layer, in the order of MATRICES
Delta = Factors | nn.Parameter  # or the added matrix itself, (out, in)


@dataclass(frozen=True, slots=True)
class Base:
    """The weights of a Llama model by their GGUF names, dequantised, and what its head says of it."""

    weights: dict[str, Tensor]
    layers: int
    heads: int
    key_heads: int
    epsilon: float
    rotary_base: float


def precision() -> torch.dtype:
    """Choose the number format of the weights: bfloat16 where the processor multiplies it, else float32."""
    return torch.bfloat16 if torch.ops.mkldnn._is_mkldnn_bf16_supported() else torch.float32


def load(path: Path) -> Base:
    """Read a base model from its GGUF file."""
    reader = gguf.GGUFReader(path)

    def number(name: str) -> float:
        field = reader.fields[f"llama.{name}"]
        return float(field.parts[field.data[0]][0])

    return Base(
        weights={name: values.to(precision()) for name, values in tensors(path).items()},
        layers=int(number("block_count")),
        heads=int(number("attention.head_count")),
        key_heads=int(number("attention.head_count_kv")),
        epsilon=number("attention.layer_norm_rms_epsilon"),
        rotary_base=number("rope.freq_base") if "llama.rope.freq_base" in reader.fields else 10_000.0,
    )


def new_adapter(base: Base, rank: int, seed: int) -> Adapter:
    """Make one pair of factors a matrix and layer.

    The second is zero: the adapter changes nothing before it has learnt.
    """
    chance = torch.Generator().manual_seed(seed)
    layers = []
    for layer in range(base.layers):
        shapes = [base.weights[f"blk.{layer}.{name}.weight"].shape for name in MATRICES]
        layers.append(
            [
                (
                    nn.Parameter(torch.randn(rank, inside, generator=chance) / math.sqrt(inside)),
                    nn.Parameter(torch.zeros(outside, rank)),
                )
                for outside, inside in shapes
            ]
        )
    return layers


def tensors(path: Path) -> dict[str, Tensor]:
    """Read the tensors of a GGUF file as float32, by name."""
    return {
        tensor.name: torch.from_numpy(np.array(gguf.dequantize(tensor.data, tensor.tensor_type), np.float32))
        for tensor in gguf.GGUFReader(path).tensors
    }


def take_over(adapter: Adapter, path: Path) -> None:
    """Set the first ranks of ``adapter`` to those of an adapter file of the same or a smaller rank."""
    reader = gguf.GGUFReader(path)
    old_tensors = tensors(path)
    alpha = float(reader.fields["adapter.lora.alpha"].parts[-1][0])
    with torch.no_grad():
        for layer, factors in enumerate(adapter):
            for name, (first, second) in zip(MATRICES, factors, strict=True):
                old = old_tensors[f"blk.{layer}.{name}.weight.lora_a"]
                rank = len(old)
                first[:rank] = old
                first[rank:] *= 0.5
                second[:, :rank] = old_tensors[f"blk.{layer}.{name}.weight.lora_b"] * (alpha / rank)


def product_matrices(adapter: Adapter) -> list[list[nn.Parameter]]:
    """Multiply out what the adapter adds to each matrix, to be trained without a bound on its rank."""
    return [[nn.Parameter(second.detach() @ first.detach()) for first, second in layer] for layer in adapter]


def low_rank_factors(matrices: list[list[nn.Parameter]], rank: int) -> Adapter:
    """Compute the adapter of this rank that is nearest to the added matrices (Eckart and Young 1936)."""

    def nearest(matrix: Tensor) -> Factors:
        left, strengths, right = torch.linalg.svd(matrix, full_matrices=False)
        roots = strengths[:rank].sqrt()
        return nn.Parameter(right[:rank] * roots[:, None]), nn.Parameter(left[:, :rank] * roots)

    return [[nearest(matrix.detach()) for matrix in layer] for layer in matrices]


def save(adapter: Adapter, path: Path) -> None:
    """Write ``adapter`` as a GGUF adapter in Q8_0, or in float16 where the rank is no multiple of its blocks of 32.

    The error of Q8_0 is a hundredth of what an adapter of rank 64 leaves out of a full fine-tuning.
    """
    rank = len(adapter[0][0][0])
    kind = gguf.GGMLQuantizationType.F16 if rank % 32 else gguf.GGMLQuantizationType.Q8_0
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(rank))
    writer.add_string("general.name", "disconfirm-evidence")
    for layer, factors in enumerate(adapter):
        for name, (first, second) in zip(MATRICES, factors, strict=True):
            for part, values in (("lora_a", first), ("lora_b", second)):
                data = gguf.quantize(values.detach().numpy(), kind)
                writer.add_tensor(f"blk.{layer}.{name}.weight.{part}", data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def hidden_states(
    base: Base, deltas: Sequence[Sequence[Delta]], tokens: Tensor, positions: Tensor, mask: Tensor
) -> Tensor:
    """Compute the last layer's states before the final norm, (batch, length, width).

    ``tokens`` and ``positions`` are (batch, length); ``mask`` (batch, 1, 1, length, length) is 0 where a token sees
    another and very negative where it does not.
    """
    states = functional.embedding(tokens, base.weights["token_embd.weight"])
    width = states.shape[-1] // base.heads
    turns = base.rotary_base ** (-torch.arange(0, width, 2).float() / width)
    angles = (positions[..., None].float() * turns)[:, :, None]
    cosine, sine = angles.cos().to(states.dtype), angles.sin().to(states.dtype)
    for layer, parts in enumerate(deltas):
        states = _layer(base, layer, parts, states, cosine, sine, mask)
    return states


def norm(base: Base, states: Tensor, name: str) -> Tensor:
    """Normalise states by their root mean square, with the weights of that name."""
    weight = base.weights[f"{name}.weight"]
    return functional.rms_norm(states, (states.shape[-1],), weight, base.epsilon)


def _layer(
    base: Base, layer: int, deltas: Sequence[Delta], states: Tensor, cosine: Tensor, sine: Tensor, mask: Tensor
) -> Tensor:
    matrices = [(base.weights[f"blk.{layer}.{name}.weight"], part) for name, part in zip(MATRICES, deltas, strict=True)]
    query, key, value, output, gate, up, down = matrices
    batch, length, _ = states.shape
    queries_per_key = base.heads // base.key_heads  # query heads that share one head of keys and values

    inside = norm(base, states, f"blk.{layer}.attn_norm")
    queries = _rotate(_times(inside, query).view(batch, length, base.heads, -1), cosine, sine)
    keys = _rotate(_times(inside, key).view(batch, length, base.key_heads, -1), cosine, sine).permute(0, 2, 3, 1)
    values = _times(inside, value).view(batch, length, base.key_heads, -1).transpose(1, 2)
    width = queries.shape[-1]
    queries = queries.view(batch, length, base.key_heads, queries_per_key, width).permute(0, 2, 3, 1, 4)
    scores = (queries.reshape(batch, base.key_heads, queries_per_key * length, width) @ keys).view(
        batch, base.key_heads, queries_per_key, length, length
    ) / math.sqrt(width) + mask
    weights = scores.float().softmax(-1).to(states.dtype).view(batch, base.key_heads, queries_per_key * length, length)
    attention = (weights @ values).view(batch, base.key_heads, queries_per_key, length, width).permute(0, 3, 1, 2, 4)
    states = states + _times(attention.reshape(batch, length, -1), output)

    inside = norm(base, states, f"blk.{layer}.ffn_norm")
    return states + _times(functional.silu(_times(inside, gate)) * _times(inside, up), down)


def _times(states: Tensor, matrix: tuple[Tensor, Delta]) -> Tensor:
    weight, delta = matrix
    if isinstance(delta, Tensor):  # added in float32: half of a bfloat16 step is more than most steps of the training
        return functional.linear(states, (weight.float() + delta).to(states.dtype))
    first, second = delta
    small = functional.linear(states, first.to(states.dtype))
    return functional.linear(states, weight) + functional.linear(small, second.to(states.dtype))


def _rotate(states: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Turn pairs that lie side by side by rotary positions (Su et al. 2021)."""
    even, odd = states[..., 0::2], states[..., 1::2]
    return torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), -1).flatten(-2)
