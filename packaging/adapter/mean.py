"""The mean of what several adapters add to the base model, as an adapter: often better than each, at the price of one.

    python packaging/adapter/mean.py OUT.gguf ADAPTER.gguf SHARE ADAPTER.gguf SHARE ...

The shares should add up to 1. It helps with adapters that one run made of another (Wortsman et al. 2022, Model soups).
The result has the rank of the first.
"""

from __future__ import annotations

import sys
from pathlib import Path

import network
import torch


def main(out: str, *parts: str) -> None:
    """Write the weighted mean of the adapters in ``parts``, a file and its share by turns, to ``out``."""
    rank = 0
    totals: dict[str, torch.Tensor] = {}
    for file, share in zip(parts[::2], map(float, parts[1::2]), strict=True):
        tensors = network.tensors(Path(file))
        for name in {name.rpartition(".")[0] for name in tensors}:
            first, second = tensors[f"{name}.lora_a"], tensors[f"{name}.lora_b"]
            rank = rank or len(first)
            product = share * (second @ first)
            totals[name] = totals[name] + product if name in totals else product
    layers = 1 + max(int(name.split(".")[1]) for name in totals)
    matrices = [
        [torch.nn.Parameter(totals[f"blk.{layer}.{name}.weight"]) for name in network.MATRICES]
        for layer in range(layers)
    ]
    network.save(network.low_rank_factors(matrices, rank), Path(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
