"""Measure how the judge's adapter grows with its training pairs: one run that branches at parts of the data.

    python packaging/adapter/law.py --sets FOLDER --base BASE.gguf --start OLD.gguf --pairs PAIRS.jsonl --out FOLDER
           [--parts 0.0625 0.125 0.25 0.5] [--share 0.75] [--written 3000] [--rate 2.5e-4] [--rank 64] [--budget 1400]
           [--threads 1] [--seed 0]

Each part of the written groups holds every smaller one, with public pairs in proportion, and is read once. The rate is
steady; for the last fifth of each part it falls to zero on a branch, whose adapter is written to --out, and the run
goes on from where the branch began. So every adapter has read its part once under the same schedule, and all together
cost little more than the last (Hägele et al. 2024, Scaling laws and compute-optimal training beyond fixed training
durations). Nobody needs this to build, run or test the program.
"""

from __future__ import annotations

import argparse
import copy
import random
import time
from collections.abc import Sequence
from pathlib import Path

import network
import torch
import torch.nn.functional as functional
import train
import units
import written
from torch import nn

DECAY = 0.2  # of a part, on which its branch's rate falls


def streams(options: argparse.Namespace, tokens: train.Tokens) -> list[list[list[train.Read]]]:
    """Return the batches of each part that no smaller part holds, in the order in which they are read."""
    chance = random.Random(options.seed)
    public = [*units.of_sets(options.sets, options.seed), *written.units(options.seed, options.written)]
    public = units.with_denials(public, 0.5, chance)
    chance.shuffle(public)
    parts, passages, public_at = [], set[str](), 0
    for part in options.parts:
        new_ones = [unit for unit in units.of_pairs(options.pairs, part, chance) if unit[0] not in passages]
        passages |= {passage for passage, _ in new_ones}
        wanted = sum(len(claims) for _, claims in new_ones) * (1 - options.share) / options.share
        while wanted > 0:
            new_ones.append(public[public_at])
            wanted -= len(public[public_at][1])
            public_at += 1
        reads = [read for read in map(tokens.unit, new_ones) if train.size(read) < train.MAX_UNIT_TOKENS]
        parts.append(list(train.batches(reads, options.budget, chance)))
    return parts


def learn(
    base: network.Base,
    adapter: network.Adapter,
    optimizer: torch.optim.Optimizer,
    batches: Sequence[list[train.Read]],
    verdicts: list[int],
    rates: Sequence[float],
) -> None:
    """Read ``batches`` once, each at its rate."""
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    pair_count, right, began = 0, 0.0, time.monotonic()
    for step, (batch, rate) in enumerate(zip(batches, rates, strict=True), start=1):
        for group in optimizer.param_groups:
            group["lr"] = rate
        gold = torch.tensor([label for read in batch for label in read[2]])
        scores = train.logits(base, adapter, batch, verdicts)
        functional.cross_entropy(scores, gold, label_smoothing=train.SMOOTHING).backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        pair_count += len(gold)
        right += (scores.argmax(1) == gold).sum().item()
        if step % 30 == 0 or step == len(batches):
            print(f"{pair_count:,} pairs, right {right / pair_count:.3f}, {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    """Train one adapter a part with the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--sets", "--base", "--start", "--pairs", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--parts", type=float, nargs="+", default=[0.0625, 0.125, 0.25, 0.5])
    parser.add_argument("--share", type=float, default=0.75, help="of the pairs trained on, those of --pairs")
    parser.add_argument("--written", type=int, default=3_000)
    parser.add_argument("--rate", type=float, default=2.5e-4)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--budget", type=int, default=1_400)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    base = network.load(options.base)
    adapter = network.new_adapter(base, options.rank, options.seed)
    network.take_over(adapter, options.start)
    weights = [weight for layer in adapter for factors in layer for weight in factors]
    optimizer = torch.optim.AdamW(weights, lr=options.rate, weight_decay=0.01, betas=(0.9, 0.98))
    tokens = train.Tokens(options.base)
    options.out.mkdir(parents=True, exist_ok=True)

    parts = streams(options, tokens)
    batches = [batch for part in parts for batch in part]
    sizes = [sum(len(read[2]) for batch in part for read in batch) for part in parts]
    print(f"new pairs in each part: {sizes}", flush=True)
    at = end = 0
    for part, new_batches in zip(options.parts, parts, strict=True):
        end += len(new_batches)
        branch = end - round(DECAY * end)
        steady = [options.rate * min(1.0, (step + 1) / train.WARM_UP) for step in range(at, branch)]
        learn(base, adapter, optimizer, batches[at:branch], tokens.verdicts, steady)
        at = branch
        before = [weight.detach().clone() for weight in weights], copy.deepcopy(optimizer.state_dict())
        falling = [options.rate * (end - step) / (end - branch) for step in range(branch, end)]
        learn(base, adapter, optimizer, batches[branch:end], tokens.verdicts, falling)
        network.save(adapter, options.out / f"part-{part:g}.gguf")
        print(f"part {part:g} written", flush=True)
        with torch.no_grad():
            for weight, old in zip(weights, before[0], strict=True):
                weight.copy_(old)
        optimizer.load_state_dict(before[1])


if __name__ == "__main__":
    main()
