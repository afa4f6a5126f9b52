"""Write what adapters say of the rows of stance sets, computed in torch, for ``tests.eval.judge --only-kept``.

    python packaging/adapter/answers.py --base BASE.gguf --adapter ADAPTER.gguf --out ANSWERS.jsonl
           [--rank 64] [--budget 4000] [--threads 1] SET.jsonl[:N] ...

A passage is read once for all of its hypotheses. The runtime of the program rounds its weights otherwise, so a verdict
in a hundred differs from its own; figures that are shown beside a model come from ``tests.eval.judge`` itself.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import network
import torch
import train

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.eval.judge import Row, load


def batches(rows: list[Row], tokens: train.Tokens, budget: int) -> list[tuple[list[train.Read], list[Row]]]:
    """Pair batches of like lengths with their rows, in the order of the scores that the network gives."""
    rows_of: dict[str, list[Row]] = {}
    for row in rows:
        rows_of.setdefault(row.passage, []).append(row)
    reads = sorted(
        (
            (tokens.unit((passage, [(row.hypothesis, 0) for row in some[at : at + 8]])), some[at : at + 8])
            for passage, some in rows_of.items()
            for at in range(0, len(some), 8)
        ),
        key=lambda pair: train.size(pair[0]),
    )
    packs: list[tuple[list[train.Read], list[Row]]] = []
    for read, some in reads:
        if not packs or train.size(read) * (len(packs[-1][0]) + 1) > budget:
            packs.append(([], []))
        packs[-1][0].append(read)
        packs[-1][1].extend(some)
    return packs


def main() -> None:
    """Ask the model with an adapter about every row of the sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--base", "--adapter", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--budget", type=int, default=4_000, help="tokens a batch")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("sets", nargs="+", metavar="SET.jsonl[:N]")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    base = network.load(options.base)
    adapter = network.new_adapter(base, options.rank, 0)
    network.take_over(adapter, options.adapter)
    tokens = train.Tokens(options.base)
    with options.out.open("w", encoding="utf-8") as lines, torch.no_grad():
        for spec in options.sets:
            began, rows = time.monotonic(), load(spec)
            for batch, some in batches(rows, tokens, options.budget):
                scores = train.logits(base, adapter, batch, tokens.verdicts).softmax(1).tolist()
                for row, p in zip(some, scores, strict=True):
                    lines.write(json.dumps({"key": row.key, "set": row.set, "gold": row.gold, "p": p}) + "\n")
            print(f"{spec}: {len(rows)} pairs in {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
