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
    rank = 0
    summed: dict[str, torch.Tensor] = {}
    for file, share in zip(parts[::2], map(float, parts[1::2]), strict=True):
        found = network.tensors(Path(file))
        for name in {name.rpartition(".")[0] for name in found}:
            first, second = found[f"{name}.lora_a"], found[f"{name}.lora_b"]
            rank = rank or len(first)
            added = share * (second @ first)
            summed[name] = summed[name] + added if name in summed else added
    layers = 1 + max(int(name.split(".")[1]) for name in summed)
    matrices = [
        [torch.nn.Parameter(summed[f"blk.{layer}.{name}.weight"]) for name in network.MATRICES]
        for layer in range(layers)
    ]
    network.save(network.factored(matrices, rank), Path(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
