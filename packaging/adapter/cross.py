"""Train a cross-encoder as a second reader: the embedder's encoder reads passage and hypothesis together.

    python packaging/adapter/cross.py --sets FOLDER --pairs PAIRS.jsonl --encoder FOLDER --out MODEL.pt
           [--share 0.6 --fraction 1 --passes 1] [--written 3000] [--rate 6e-5] [--budget 1200] [--threads 1] [--seed 0]
           [--answers FILE.jsonl SET.jsonl[:N] ...]

FOLDER and PAIRS.jsonl are those of train.py; --fraction takes that part of the written groups, the public pairs in
proportion. --answers writes what the model says of each set in the form that ``tests.eval.judge --only-kept`` reads;
with --passes 0 a model at --out is only asked. Nobody needs this to build, run or test the program.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
import torch.nn.functional as functional
import units
import written
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoModel

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.eval.judge import load

MAX_TOKENS = 320  # of both texts; a longer passage is cut
KEEP_EVERY = 300.0  # seconds between two copies of an unfinished model
SMOOTHING = 0.04
WARM_UP = 100  # steps
HEAD_FACTOR = 10.0  # the head is new: its rate is that of the encoder times this

Pair = tuple[list[int], int, int]  # tokens of both texts, where the hypothesis begins, the label


class Reader(nn.Module):
    """The encoder with three logits on the mean states of passage and hypothesis, read together.

    Means are what this encoder was trained for; the head sees both, their difference and their product (Conneau et al.
    2017, InferSent).
    """

    def __init__(self, encoder: Path) -> None:
        super().__init__()
        self.encoder = AutoModel.from_pretrained(
            encoder, local_files_only=True, attn_implementation="eager", add_pooling_layer=False
        )
        self.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
        self.head = nn.Linear(4 * self.encoder.config.hidden_size, 3)

    def forward(self, tokens: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """Compute the logits of supports, contradicts and neutral, (batch, 3)."""
        states = self.encoder(input_ids=tokens, token_type_ids=kinds, attention_mask=mask).last_hidden_state
        first, second = (
            (states * part[..., None]).sum(1) / part.sum(1, keepdim=True) for part in (mask * (1 - kinds), mask * kinds)
        )
        return self.head(torch.cat((first, second, (first - second).abs(), first * second), 1))


def pair(tokenizer: Tokenizer, passage: str, hypothesis: str, label: int) -> Pair:
    """Return both texts as the tokens of one input, the passage cut to what is left of MAX_TOKENS."""
    second = tokenizer.encode(hypothesis, add_special_tokens=False).ids[: MAX_TOKENS // 2]
    first = tokenizer.encode(passage, add_special_tokens=False).ids[: MAX_TOKENS - 3 - len(second)]
    begin, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    return [begin, *first, end, *second, end], len(first) + 2, label


def batches(pool: Sequence[Pair], budget: int, chance: random.Random) -> Iterator[list[Pair]]:
    """Yield one pass over ``pool`` in batches of like lengths, at most ``budget`` tokens with their padding."""
    order = list(pool)
    chance.shuffle(order)
    for start in range(0, len(order), 4_000):
        packs: list[list[Pair]] = [[]]
        for one in sorted(order[start : start + 4_000], key=lambda one: len(one[0])):
            if packs[-1] and len(one[0]) * (len(packs[-1]) + 1) > budget:
                packs.append([])
            packs[-1].append(one)
        chance.shuffle(packs)
        yield from packs


def logits(reader: Reader, batch: Sequence[Pair]) -> Tensor:
    """Compute the logits of a batch, (batch, 3)."""
    length = max(len(tokens) for tokens, _, _ in batch)
    tokens, kinds, mask = (torch.zeros(len(batch), length, dtype=torch.long) for _ in range(3))
    for row, (ids, second, _) in enumerate(batch):
        tokens[row, : len(ids)] = torch.tensor(ids)
        kinds[row, second : len(ids)] = 1
        mask[row, : len(ids)] = 1
    return reader(tokens, kinds, mask)


def train(reader: Reader, pool: Sequence[Pair], options: argparse.Namespace, chance: random.Random) -> None:
    """Train on so many passes over the pool; the rate falls to zero by a cosine."""
    weights = [weight for weight in reader.parameters() if weight.requires_grad]
    head = set(reader.head.parameters())
    groups = [[weight for weight in weights if weight not in head], list(head)]
    optimizer = torch.optim.AdamW([{"params": group} for group in groups], weight_decay=0.01, betas=(0.9, 0.98))
    began = last_save = time.monotonic()
    whole, seen, step, right = options.passes * len(pool), 0, 0, 0.5
    reader.train()
    for _ in range(options.passes):
        for batch in batches(pool, options.budget, chance):
            fall = 0.01 + 0.495 * (1 + math.cos(math.pi * seen / whole))
            for group, factor in zip(optimizer.param_groups, (1.0, HEAD_FACTOR), strict=True):
                group["lr"] = factor * options.rate * min(1.0, (step + 1) / WARM_UP) * fall
            gold = torch.tensor([label for _, _, label in batch])
            scores = logits(reader, batch)
            functional.cross_entropy(scores, gold, label_smoothing=SMOOTHING).backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            optimizer.zero_grad()
            step, seen = step + 1, seen + len(batch)
            right += 0.02 * ((scores.argmax(1) == gold).float().mean().item() - right)
            if step % 50 == 0:
                print(f"{seen:,} of {whole:,} pairs, right {right:.3f}, {time.monotonic() - began:.0f} s", flush=True)
            if time.monotonic() - last_save > KEEP_EVERY:
                torch.save(reader.state_dict(), options.out)
                last_save = time.monotonic()
    torch.save(reader.state_dict(), options.out)


def answer(reader: Reader, tokenizer: Tokenizer, specs: Sequence[str], out: Path) -> None:
    """Write the probabilities of every row of the sets, one line a row."""
    reader.eval()
    with out.open("w", encoding="utf-8") as lines, torch.no_grad():
        for spec in specs:
            began, rows = time.monotonic(), load(spec)
            for row in rows:
                p = logits(reader, [pair(tokenizer, row.passage, row.hypothesis, 0)])[0].softmax(0).tolist()
                lines.write(json.dumps({"key": row.key, "set": row.set, "gold": row.gold, "p": p}) + "\n")
            print(f"{spec}: {len(rows) / (time.monotonic() - began):.0f} pairs a second", flush=True)


def main() -> None:
    """Train a reader with the options of the command line, and ask it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--sets", "--pairs", "--encoder", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--share", type=float, default=0.6, help="of the pairs trained on, those of --pairs")
    parser.add_argument("--fraction", type=float, default=1.0, help="of the groups of --pairs that are trained on")
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--written", type=int, default=3_000)
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--budget", type=int, default=1_200, help="tokens a batch")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answers", type=Path)
    parser.add_argument("ask", nargs="*", metavar="SET.jsonl[:N]")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    chance = random.Random(options.seed)
    tokenizer = Tokenizer.from_file(str(options.encoder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    reader = Reader(options.encoder)
    if options.passes:
        by_hand = units.of_pairs(options.pairs, options.fraction, chance)
        pairs = sum(len(hypotheses) for _, hypotheses in by_hand)
        public = [*units.of_sets(options.sets, options.seed), *written.units(options.seed, options.written)]
        public = units.sample(
            units.with_denials(public, 0.5, chance), round(pairs * (1 - options.share) / options.share), chance
        )
        pool = [
            pair(tokenizer, passage, hypothesis, label)
            for passage, hypotheses in by_hand + public
            for hypothesis, label in hypotheses
        ]
        print(f"{len(pool):,} pairs, {sum(len(tokens) for tokens, _, _ in pool):,} tokens", flush=True)
        train(reader, pool, options, chance)
    else:
        reader.load_state_dict(torch.load(options.out, weights_only=True))
    if options.answers:
        answer(reader, tokenizer, options.ask, options.answers)


if __name__ == "__main__":
    main()
