"""The mean of adapters that one run made of another: often better than each, at the price of one.

    python packaging/adapter/mean.py OUT.gguf ADAPTER.gguf SHARE ADAPTER.gguf SHARE ...

The shares should add up to 1. It holds for adapters on one path only, whose factors mean the same (Wortsman et al.
2022, Model soups).
"""

from __future__ import annotations

import sys
from pathlib import Path

import gguf
import network
import numpy as np
import torch


def main(out: str, *parts: str) -> None:
    summed: dict[str, torch.Tensor] = {}
    for file, share in zip(parts[::2], map(float, parts[1::2]), strict=True):
        for tensor in gguf.GGUFReader(file).tensors:
            values = torch.from_numpy(np.array(tensor.data, np.float32))
            summed[tensor.name] = summed.get(tensor.name, torch.zeros_like(values)) + share * values
    layers = 1 + max(int(name.split(".")[1]) for name in summed)
    named = [[f"blk.{layer}.{name}.weight" for name in network.MATRICES] for layer in range(layers)]
    adapter = [
        [(torch.nn.Parameter(summed[f"{name}.lora_a"]), torch.nn.Parameter(summed[f"{name}.lora_b"])) for name in names]
        for names in named
    ]
    network.save(adapter, Path(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
