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
LONGEST_PASSAGE = 330  # tokens; what is longer is cut
LONGEST_UNIT = 700  # tokens of a passage and all of its hypotheses; longer ones are left out
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
        passage, asked = unit
        before = self._read(f"Passage: {passage}\nHypothesis:")[:LONGEST_PASSAGE]
        return before, [self._read(f" {text}\nVerdict:") for text, _ in asked], [label for _, label in asked]


def size(read: Read) -> int:
    return len(read[0]) + sum(map(len, read[1]))


def logits(
    base: network.Base, added: Sequence[Sequence[network.Added]], batch: Sequence[Read], verdicts: list[int]
) -> Tensor:
    """(number of hypotheses, 3): what the model makes of each hypothesis after its passage."""
    length = max(map(size, batch))
    tokens = torch.zeros(len(batch), length, dtype=torch.long)
    positions = torch.zeros_like(tokens)
    sees = torch.zeros(len(batch), length, length, dtype=torch.bool)
    before_itself = torch.ones(length, length, dtype=torch.bool).tril()
    ends = []
    for row, (passage, hypotheses, _) in enumerate(batch):
        shared = at = len(passage)
        tokens[row, :at] = torch.tensor(passage)
        positions[row, :at] = torch.arange(at)
        sees[row, :at, :at] = before_itself[:at, :at]
        for hypothesis in hypotheses:
            end = at + len(hypothesis)
            tokens[row, at:end] = torch.tensor(hypothesis)
            positions[row, at:end] = torch.arange(shared, shared + len(hypothesis))
            sees[row, at:end, :shared] = True
            sees[row, at:end, at:end] = before_itself[: len(hypothesis), : len(hypothesis)]
            ends.append((row, end - 1))
            at = end
        sees[row, at:, 0] = True  # padding must see something, or its softmax is not a number
    mask = torch.zeros(sees.shape, dtype=base.weights["token_embd.weight"].dtype).masked_fill_(~sees, FAR)[
        :, None, None
    ]
    states = network.hidden(base, added, tokens, positions, mask)
    rows, places = torch.tensor(ends).T
    last = network.norm(base, states[rows, places], "output_norm").float()
    return last @ base.weights["token_embd.weight"][verdicts].float().T


def batches(pool: Sequence[Read], budget: int, chance: random.Random) -> Iterator[list[Read]]:
    """One pass over ``pool`` in batches of like lengths, at most ``budget`` tokens with their padding."""
    order = list(pool)
    chance.shuffle(order)
    for start in range(0, len(order), 1_200):
        packed: list[list[Read]] = [[]]
        for read in sorted(order[start : start + 1_200], key=size):
            if packed[-1] and size(read) * (len(packed[-1]) + 1) > budget:
                packed.append([])
            packed[-1].append(read)
        chance.shuffle(packed)
        yield from packed


def main() -> None:
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
    chosen = parser.parse_args()

    torch.set_num_threads(chosen.threads)
    chance = random.Random(chosen.seed)
    base = network.load(chosen.base)
    adapter = network.new_adapter(base, chosen.rank, chosen.seed)
    if chosen.start:
        network.take_over(adapter, chosen.start)
    added: list[list[nn.Parameter]] | network.Adapter = network.multiplied(adapter) if chosen.full else adapter
    trained = [weight for layer in added for part in layer for weight in ([part] if chosen.full else part)]

    def keep(path: Path) -> None:
        network.save(network.factored(added, chosen.rank) if chosen.full else added, path)

    tokens = Tokens(chosen.base)
    made = [*units.of_sets(chosen.sets, chosen.seed), *written.units(chosen.seed, chosen.written)]
    made = units.with_denials(made, 0.5, chance)
    if chosen.pairs:
        by_hand = units.of_pairs(chosen.pairs, chosen.fraction, chance)
        pairs = sum(len(asked) for _, asked in by_hand)
        made = by_hand + units.sample(made, round(pairs * (1 - chosen.share) / chosen.share), chance)
    pool = [tokens.unit(unit) for unit in made]
    pool = [read for read in pool if size(read) < LONGEST_UNIT]
    print(f"{len(pool):,} passages, {sum(len(read[1]) for read in pool):,} pairs, {sum(map(size, pool)):,} tokens")

    optimizer = torch.optim.AdamW(trained, lr=chosen.rate, weight_decay=0.0 if chosen.full else 0.01, betas=(0.9, 0.98))
    recent: collections.deque[tuple[float, float]] = collections.deque(maxlen=60)
    began = kept = time.monotonic()
    seen = step = 0
    stream: Iterator[list[Read]] = iter(())
    while True:
        passed = time.monotonic() - began
        done = passed / chosen.seconds if chosen.seconds else step / chosen.steps
        if done >= 1:
            break
        batch = next(stream, None)
        if batch is None:
            stream = batches(pool, chosen.budget, chance)
            continue
        fall = 1.0 if chosen.steady else 0.02 + 0.49 * (1 + math.cos(math.pi * done))
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * min(1.0, (step + 1) / WARM_UP) * fall
        gold = torch.tensor([label for read in batch for label in read[2]])
        given = logits(base, added, batch, tokens.verdicts)
        loss = functional.cross_entropy(given, gold, label_smoothing=SMOOTHING)
        (loss / chosen.every).backward()
        if (step + 1) % chosen.every == 0:
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            optimizer.zero_grad()
        step, seen = step + 1, seen + len(gold)
        recent.append(((given.argmax(1) == gold).float().mean().item(), loss.item()))
        if step % 30 == 0:
            right, lost = (sum(values) / len(recent) for values in zip(*recent, strict=True))
            print(f"step {step}, {seen:,} pairs, right {right:.3f}, loss {lost:.3f}, {passed:.0f} s", flush=True)
        if time.monotonic() - kept > KEEP_EVERY:
            part = chosen.out.with_suffix(".part")
            keep(part)
            part.replace(chosen.out)
            kept = time.monotonic()
    keep(chosen.out)
    print(f"{step} steps, {seen:,} pairs, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
