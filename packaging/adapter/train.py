"""Train the judge's adapter.

    python packaging/adapter/train.py --sets FOLDER --base BASE.gguf --out ADAPTER.gguf [--start OLD.gguf]
           [--pairs PAIRS.jsonl --share 0.6 --fraction 1] [--written 6000] [--steps 2000 | --seconds 3600]
           [--steady] [--rate 5e-4] [--rank 32] [--full] [--every 1] [--threads 1] [--seed 0]

FOLDER holds the public sets named in README.md beside this file, one folder a set; PAIRS.jsonl the pairs written one by
one for this program, which are then --share of all pairs. The loss is cross-entropy over the three words of the verdict
alone. A passage is read once for all of its hypotheses: each of them sees the passage and itself, as in the program.
With --full every weight is trained (a rate near 6e-5 suits that), and the adapter of the chosen rank that is nearest to
the difference is kept. Nobody needs this to build, run or test the program.
"""

from __future__ import annotations

import argparse
import collections
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import llama_cpp
import network
import torch
import torch.nn.functional as functional
import units
import written
from torch import Tensor, nn

VERDICTS = (" supports", " contradicts", " neutral")
MAX_PASSAGE_TOKENS = 330  # tokens; what is longer is cut
MAX_UNIT_TOKENS = 700  # tokens of a passage and all of its hypotheses; longer ones are left out
FAR = -1e9
KEEP_EVERY = 420.0  # seconds between two copies of an unfinished adapter
SMOOTHING = 0.04
WARM_UP = 40  # steps

Unit = tuple[str, list[tuple[str, int]]]
Read = tuple[list[int], list[list[int]], list[int]]  # tokens of the passage, of each hypothesis, and the labels


class Tokens:
    """Units as the tokens that the program asks the model with. The file's own tokeniser, document text only."""

    def __init__(self, base: Path) -> None:
        self._model = llama_cpp.Llama(str(base), vocab_only=True, verbose=False)
        self.verdicts = [self._read(word)[0] for word in VERDICTS]

    def _read(self, text: str) -> list[int]:
        return self._model.tokenize(text.encode(), add_bos=False, special=False)

    def unit(self, unit: Unit) -> Read:
        """Return a unit as tokens, its passage cut to MAX_PASSAGE_TOKENS."""
        passage, hypotheses = unit
        before = self._read(f"Passage: {passage}\nHypothesis:")[:MAX_PASSAGE_TOKENS]
        return before, [self._read(f" {text}\nVerdict:") for text, _ in hypotheses], [label for _, label in hypotheses]


def size(read: Read) -> int:
    """Count the tokens of a unit."""
    return len(read[0]) + sum(map(len, read[1]))


def logits(
    base: network.Base, deltas: Sequence[Sequence[network.Delta]], batch: Sequence[Read], verdicts: list[int]
) -> Tensor:
    """Compute what the model makes of each hypothesis after its passage, (number of hypotheses, 3)."""
    length = max(map(size, batch))
    tokens = torch.zeros(len(batch), length, dtype=torch.long)
    positions = torch.zeros_like(tokens)
    sees = torch.zeros(len(batch), length, length, dtype=torch.bool)
    before_itself = torch.ones(length, length, dtype=torch.bool).tril()
    ends = []
    for row, (passage, hypotheses, _) in enumerate(batch):
        passage_length = at = len(passage)
        tokens[row, :at] = torch.tensor(passage)
        positions[row, :at] = torch.arange(at)
        sees[row, :at, :at] = before_itself[:at, :at]
        for hypothesis in hypotheses:
            end = at + len(hypothesis)
            tokens[row, at:end] = torch.tensor(hypothesis)
            positions[row, at:end] = torch.arange(passage_length, passage_length + len(hypothesis))
            sees[row, at:end, :passage_length] = True
            sees[row, at:end, at:end] = before_itself[: len(hypothesis), : len(hypothesis)]
            ends.append((row, end - 1))
            at = end
        sees[row, at:, 0] = True  # padding must see something, or its softmax is not a number
    mask = torch.zeros(sees.shape, dtype=base.weights["token_embd.weight"].dtype).masked_fill_(~sees, FAR)[
        :, None, None
    ]
    states = network.hidden_states(base, deltas, tokens, positions, mask)
    rows, places = torch.tensor(ends).T
    last = network.norm(base, states[rows, places], "output_norm").float()
    return last @ base.weights["token_embd.weight"][verdicts].float().T


def batches(pool: Sequence[Read], budget: int, chance: random.Random) -> Iterator[list[Read]]:
    """Yield one pass over ``pool`` in batches of like lengths, at most ``budget`` tokens with their padding."""
    order = list(pool)
    chance.shuffle(order)
    for start in range(0, len(order), 1_200):
        packs: list[list[Read]] = [[]]
        for read in sorted(order[start : start + 1_200], key=size):
            if packs[-1] and size(read) * (len(packs[-1]) + 1) > budget:
                packs.append([])
            packs[-1].append(read)
        chance.shuffle(packs)
        yield from packs


def main() -> None:
    """Train an adapter with the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--share", type=float, default=0.6, help="of the pairs trained on, those of --pairs")
    parser.add_argument("--fraction", type=float, default=1.0, help="of the groups of --pairs that are trained on")
    parser.add_argument("--written", type=int, default=6_000)
    parser.add_argument("--steps", type=int, default=2_000)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--steady", action="store_true", help="no fall of the rate: another run goes on from here")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--full", action="store_true", help="train all weights")
    parser.add_argument("--budget", type=int, default=1_800)
    parser.add_argument("--every", type=int, default=1, help="change the weights after so many batches")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    chance = random.Random(options.seed)
    base = network.load(options.base)
    adapter = network.new_adapter(base, options.rank, options.seed)
    if options.start:
        network.take_over(adapter, options.start)
    deltas: list[list[nn.Parameter]] | network.Adapter = network.product_matrices(adapter) if options.full else adapter
    weights = [weight for layer in deltas for part in layer for weight in ([part] if options.full else part)]

    def keep(path: Path) -> None:
        network.save(network.low_rank_factors(deltas, options.rank) if options.full else deltas, path)

    tokens = Tokens(options.base)
    training_units = [*units.of_sets(options.sets, options.seed), *written.units(options.seed, options.written)]
    training_units = units.with_denials(training_units, 0.5, chance)
    if options.pairs:
        by_hand = units.of_pairs(options.pairs, options.fraction, chance)
        pairs = sum(len(hypotheses) for _, hypotheses in by_hand)
        training_units = by_hand + units.sample(
            training_units, round(pairs * (1 - options.share) / options.share), chance
        )
    pool = [tokens.unit(unit) for unit in training_units]
    pool = [read for read in pool if size(read) < MAX_UNIT_TOKENS]
    print(f"{len(pool):,} passages, {sum(len(read[1]) for read in pool):,} pairs, {sum(map(size, pool)):,} tokens")

    optimizer = torch.optim.AdamW(
        weights, lr=options.rate, weight_decay=0.0 if options.full else 0.01, betas=(0.9, 0.98)
    )
    recent: collections.deque[tuple[float, float]] = collections.deque(maxlen=60)
    began = last_save = time.monotonic()
    pair_count = step = 0
    stream: Iterator[list[Read]] = iter(())
    while True:
        seconds = time.monotonic() - began
        progress = seconds / options.seconds if options.seconds else step / options.steps
        if progress >= 1:
            break
        batch = next(stream, None)
        if batch is None:
            stream = batches(pool, options.budget, chance)
            continue
        fall = 1.0 if options.steady else 0.02 + 0.49 * (1 + math.cos(math.pi * progress))
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1.0, (step + 1) / WARM_UP) * fall
        gold = torch.tensor([label for read in batch for label in read[2]])
        scores = logits(base, deltas, batch, tokens.verdicts)
        loss = functional.cross_entropy(scores, gold, label_smoothing=SMOOTHING)
        (loss / options.every).backward()
        if (step + 1) % options.every == 0:
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            optimizer.zero_grad()
        step, pair_count = step + 1, pair_count + len(gold)
        recent.append(((scores.argmax(1) == gold).float().mean().item(), loss.item()))
        if step % 30 == 0:
            right, loss_mean = (sum(values) / len(recent) for values in zip(*recent, strict=True))
            print(
                f"step {step}, {pair_count:,} pairs, right {right:.3f}, loss {loss_mean:.3f}, {seconds:.0f} s",
                flush=True,
            )
        if time.monotonic() - last_save > KEEP_EVERY:
            part = options.out.with_suffix(".part")
            keep(part)
            part.replace(options.out)
            last_save = time.monotonic()
    keep(options.out)
    print(f"{step} steps, {pair_count:,} pairs, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
