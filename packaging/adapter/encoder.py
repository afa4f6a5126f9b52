"""Train an encoder that reads a passage and rival hypotheses together as the judge.

    python packaging/adapter/encoder.py --sets FOLDER --pairs PAIRS.jsonl --clues SCENARIOS.jsonl --encoder FOLDER
           --out MODEL.pt [--easy 3000 --pool 20000 --shares clues=.4,written=.2,public=.25,defeasible=.1,ecare=.05]
           [--start MODEL.pt] [--rate 4e-5] [--budget 1600] [--threads 2] [--seed 0]
           [--answers FILE.jsonl SET.jsonl[:N] ...]

README.md says what FOLDER and PAIRS.jsonl hold; SCENARIOS.jsonl holds scenarios of rival hypotheses with clues and a
letter (S, C, N) a clue and hypothesis. A unit is a passage with one hypothesis or several, each behind a mark of its
own; the verdict on a hypothesis is read at its mark, so a passage is read once for all of them. Rivals come in random
order, and now and then some are left out, so that the judge also reads a hypothesis alone. --easy units of plain
entailment come first: the encoder stays at chance until it has seen some 1,500 of them; then --pool units are mixed by
--shares. The rate rises over the first 5 % and falls to zero by a cosine. Weights are float32, the arithmetic bfloat16
where the processor has it. One scenario in ten, and one written group in twenty, are held out and measured every
--measure units. With --pool 0 a model at --out is only asked.
Nobody needs this to build, run or test the program.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import math
import os
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as functional
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.eval.judge import load

LABELS = {"supports": 0, "contradicts": 1, "neutral": 2}
LETTERS = {"S": 0, "C": 1, "N": 2}
MAX_TOKENS = 256  # of a unit; a longer passage is cut
MAX_HYPOTHESIS = 60  # tokens
MOST_RIVALS = 6  # in one unit
KEEP_EVERY = 240.0  # seconds between two copies of an unfinished model
SMOOTHING = 0.03
DECAY = 0.01
PUBLIC = (  # set, file, most pairs
    ("cad_nli", "train", 8_265),
    ("conjnli", "train", 6_000),
    ("check_covid", "train", 1_067),
    ("fever_dev2way", "train", 3_000),
    ("scifact", "sentence_train", 1_307),
    ("scifact", "abstract_train", 914),
    ("perspectrum", "train", 1_500),
)
EASY = ("cad_nli", "fever_dev2way", "check_covid", "scifact")


class Unit(NamedTuple):
    """A passage and hypotheses with their labels: 0 (supports), 1 (contradicts) or 2 (neutral)."""

    passage: str
    hypotheses: tuple[str, ...]
    labels: tuple[int, ...]


class RivalReader(nn.Module):
    """An encoder with heads on the states of the marks before hypotheses."""

    def __init__(self, encoder: Path, heads: Mapping[str, int]) -> None:
        super().__init__()
        # One or two passes over the data need no dropout inside, which would cost a tenth of the time.
        config = AutoConfig.from_pretrained(
            encoder, local_files_only=True, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
        )
        self.encoder = AutoModel.from_pretrained(
            encoder, config=config, local_files_only=True, attn_implementation="eager", add_pooling_layer=False
        )
        self.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
        size = config.hidden_size
        self.heads = nn.ModuleDict(
            {
                name: nn.Sequential(nn.Linear(size, size), nn.Tanh(), nn.Linear(size, count))
                for name, count in heads.items()
            }
        )
        self.dropout = nn.Dropout(0.1)

    def forward(self, tokens: Tensor, mask: Tensor, marks: tuple[Tensor, Tensor], head: str = "verdict") -> Tensor:
        """Compute the logits of a head at each mark (row, place), (marks, classes)."""
        states = self.encoder(input_ids=tokens, attention_mask=mask).last_hidden_state
        return self.heads[head](self.dropout(states[marks]).float())


class MasterWeights:
    """Float32 weights behind a model that computes in bfloat16, and their optimiser."""

    def __init__(self, reader: RivalReader, rate: float) -> None:
        heads = {id(weight) for weight in reader.heads.parameters()}
        self.weights = [weight for weight in reader.parameters() if weight.requires_grad]
        self.copies = [weight.detach().clone().float() for weight in self.weights]
        groups = [
            {
                "params": [c for w, c in zip(self.weights, self.copies, strict=True) if (id(w) in heads) == is_head],
                "factor": 3.0 if is_head else 1.0,
            }
            for is_head in (False, True)
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=rate, weight_decay=DECAY, betas=(0.9, 0.98), fused=True)

    def step(self, rate: float) -> None:
        """Move the weights by their gradients, clipped to length 1, and clear the gradients."""
        for group in self.optimizer.param_groups:
            group["lr"] = group["factor"] * rate
        for weight, copy in zip(self.weights, self.copies, strict=True):
            copy.grad = weight.grad.float()
            weight.grad = None
        torch.nn.utils.clip_grad_norm_(self.copies, 1.0)
        self.optimizer.step()
        with torch.no_grad():
            for weight, copy in zip(self.weights, self.copies, strict=True):
                weight.copy_(copy)
                copy.grad = None

    def state(self, reader: RivalReader) -> dict[str, Tensor]:
        """Return all weights by their names, in float32."""
        by_id = {id(weight): copy for weight, copy in zip(self.weights, self.copies, strict=True)}
        return {
            **{name: value.float() for name, value in reader.state_dict().items()},
            **{name: by_id[id(weight)] for name, weight in reader.named_parameters() if id(weight) in by_id},
        }


def held_out(key: str, share: float) -> bool:
    """Return whether a group is kept for measuring: by a hash of its name, so always the same ones."""
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) < share * 2**32


def rows(path: Path) -> list[dict]:
    """Read a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def clue_units(path: Path) -> tuple[list[Unit], list[Unit]]:
    """Return units to train on and those held out, whole scenarios each."""
    pools: tuple[list[Unit], list[Unit]] = ([], [])
    for scenario in rows(path):
        pool = pools[held_out(scenario["id"], 0.1)]
        for clue in scenario["clues"]:
            labels = tuple(LETTERS[letter] for letter in clue["labels"])
            pool.append(Unit(clue["text"], tuple(scenario["hypotheses"]), labels))
    return pools


def written_units(path: Path) -> tuple[list[Unit], list[Unit]]:
    """Return units of the pairs written one by one, whole groups of passages to train on and held out."""
    claims: dict[tuple[str, str], list[dict]] = collections.defaultdict(list)
    for row in rows(path):
        if row["label"] in LABELS:
            claims[str(row["group"]), row["evidence"]].append(row)
    pools: tuple[list[Unit], list[Unit]] = ([], [])
    for (group, passage), claim_rows in claims.items():
        hypotheses, labels = (tuple(row["claim"] for row in claim_rows), tuple(LABELS[r["label"]] for r in claim_rows))
        pools[held_out(group, 0.05)].append(Unit(passage, hypotheses, labels))
    return pools


def stance_units(folder: Path, name: str, part: str, limit: int, chance: random.Random) -> list[Unit]:
    """Return units of one hypothesis of a public set, at most so many."""
    units = [
        Unit(row["evidence"], (row["claim"],), (LABELS[row["label"]],))
        for row in rows(folder / name / f"{part}.jsonl")
        if row.get("label") in LABELS and row["evidence"].strip()
    ]
    chance.shuffle(units)
    return units[:limit]


def varied(unit: Unit, chance: random.Random) -> Unit:
    """Return a unit with its hypotheses in random order: all of them, or, as often, some or a single hypothesis."""
    count = len(unit.labels)
    size = min(count, MOST_RIVALS)
    if size > 1 and chance.random() < 1 / 2:
        size = chance.randint(2, size) if chance.random() < 1 / 4 else 1
    order = chance.sample(range(count), size)
    return Unit(unit.passage, tuple(unit.hypotheses[i] for i in order), tuple(unit.labels[i] for i in order))


def alone(units: Sequence[Unit]) -> list[Unit]:
    """Return units of one hypothesis each."""
    return [Unit(u.passage, (h,), (label,)) for u in units for h, label in zip(u.hypotheses, u.labels, strict=True)]


def stream(pool: Sequence[Unit], chance: random.Random) -> Iterator[Unit]:
    """Yield the units of a pool, each varied, in a new order each pass, without end."""
    order = list(pool)
    while True:
        chance.shuffle(order)
        yield from (varied(unit, chance) for unit in order)


def mixture(
    pools: Mapping[str, Sequence[Unit]], shares: Mapping[str, float], count: int, chance: random.Random
) -> list[Unit]:
    """Return ``count`` units of several pools by their shares, in random order."""
    mixed = []
    for name, share in sorted(shares.items()):
        source = stream(pools[name], chance)
        mixed += [next(source) for _ in range(round(count * share))]
    chance.shuffle(mixed)
    return mixed


class Encoding:
    """Units as token ids: the passage first, cut where the whole is too long, then each hypothesis behind its mark."""

    def __init__(self, encoder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        has_roberta_names = self._tokenizer.token_to_id("<s>") is not None
        names = ("<s>", "</s>", "<pad>") if has_roberta_names else ("[CLS]", "[SEP]", "[PAD]")
        self._begin, self._end, self.padding = (self._tokenizer.token_to_id(name) for name in names)

    def unit(self, unit: Unit) -> tuple[list[int], list[int]]:
        """Return the ids of a unit, and the places of the marks."""
        texts = [
            self._tokenizer.encode(text, add_special_tokens=False).ids[:MAX_HYPOTHESIS] for text in unit.hypotheses
        ]
        room = MAX_TOKENS - 3 - sum(len(text) + 1 for text in texts)
        ids = [self._begin, *self._tokenizer.encode(unit.passage, add_special_tokens=False).ids[:room], self._end]
        marks = []
        for text in texts:
            marks.append(len(ids))
            ids += [self._end, *text]
        return [*ids, self._end], marks

    def batch(self, units: Sequence[tuple[list[int], list[int]]]) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor]]:
        """Return ids and mask of units, padded to the longest, and the (row, place) of each mark."""
        length = max(len(ids) for ids, _ in units)
        tokens = torch.full((len(units), length), self.padding, dtype=torch.long)
        mask = torch.zeros(len(units), length, dtype=torch.long)
        places = [(index, mark) for index, (_, marks) in enumerate(units) for mark in marks]
        for index, (ids, _) in enumerate(units):
            tokens[index, : len(ids)] = torch.tensor(ids)
            mask[index, : len(ids)] = 1
        return tokens, mask, (torch.tensor([row for row, _ in places]), torch.tensor([place for _, place in places]))


def batches(lengths: Sequence[int], budget: int, chance: random.Random) -> Iterator[list[int]]:
    """Yield indices in order, in batches of like lengths within stretches of 500, of ``budget`` tokens at most."""
    for start in range(0, len(lengths), 500):
        packs: list[list[int]] = [[]]
        for index in sorted(range(start, min(len(lengths), start + 500)), key=lambda index: lengths[index]):
            if packs[-1] and lengths[index] * (len(packs[-1]) + 1) > budget:
                packs.append([])
            packs[-1].append(index)
        chance.shuffle(packs)
        yield from packs


def macro_f1(golds: Sequence[int], answers: Sequence[int]) -> float:
    """Return the mean F1 of the three labels."""
    both, left, right = collections.Counter(), collections.Counter(golds), collections.Counter(answers)
    for gold, answer in zip(golds, answers, strict=True):
        both[gold] += gold == answer
    return sum(2 * both[label] / max(1, left[label] + right[label]) for label in range(3)) / 3


def probabilities(reader: RivalReader, encoding: Encoding, units: Sequence[Unit]) -> list[list[float]]:
    """Compute the three probabilities of each hypothesis, unit after unit."""
    encoded = [encoding.unit(unit) for unit in units]
    order = sorted(range(len(encoded)), key=lambda index: len(encoded[index][0]))
    answers: dict[int, list[list[float]]] = {}
    reader.eval()
    with torch.no_grad():
        for start in range(0, len(order), 24):
            part = order[start : start + 24]
            scores = reader(*encoding.batch([encoded[index] for index in part])).float().softmax(1).tolist()
            for index in part:
                count = len(encoded[index][1])
                answers[index], scores = scores[:count], scores[count:]
    reader.train()
    return [p for index in range(len(units)) for p in answers[index]]


def train(
    reader: RivalReader, encoding: Encoding, pool: Sequence[Unit], tests: Mapping[str, Sequence[Unit]],
    options: argparse.Namespace, chance: random.Random,
) -> None:  # fmt: skip
    """Train one pass over ``pool`` in its order; copies and figures of held-out pairs go beside the model."""
    master = MasterWeights(reader, options.rate)
    if options.bfloat:
        reader.encoder.bfloat16()
    encoded = [encoding.unit(unit) for unit in pool]
    began = last_save = time.monotonic()
    count, labels_seen, step, measured, loss_mean, right = 0, 0, 0, 0, 1.1, 0.4
    reader.train()
    for part in batches([len(ids) for ids, _ in encoded], options.budget, chance):
        share = count / len(pool)
        rate = options.rate * min(share / 0.05, 0.02 + 0.49 * (1 + math.cos(math.pi * share)))
        batch = encoding.batch([encoded[index] for index in part])
        gold = torch.tensor([label for index in part for label in pool[index].labels])
        scores = reader(*batch)
        loss = functional.cross_entropy(scores.float(), gold, label_smoothing=SMOOTHING)
        loss.backward()
        master.step(max(rate, 1e-7))
        count, labels_seen, step = count + len(part), labels_seen + len(gold), step + 1
        loss_mean += 0.02 * (loss.item() - loss_mean)
        right += 0.02 * ((scores.argmax(1) == gold).float().mean().item() - right)
        if step % 20 == 0:
            speed = labels_seen / (time.monotonic() - began)
            print(
                f"{count:,} of {len(pool):,}: loss {loss_mean:.3f}, right {right:.3f}, {speed:.1f} labels/s", flush=True
            )
        if count - measured >= options.measure:
            measured = count
            print(f"{count:,}: {figures(reader, encoding, tests, 100)}", flush=True)
        if time.monotonic() - last_save > KEEP_EVERY:
            torch.save(master.state(reader), options.out)
            last_save = time.monotonic()
    torch.save(master.state(reader), options.out)


def figures(reader: RivalReader, encoding: Encoding, tests: Mapping[str, Sequence[Unit]], limit: int) -> str:
    """Measure accuracy and macro-F1 on up to ``most`` units of each held-out set."""
    parts = []
    for name, units in tests.items():
        sample = list(units)
        random.Random(7).shuffle(sample)
        sample = sample[:limit]
        answers = [p.index(max(p)) for p in probabilities(reader, encoding, sample)]
        golds = [label for unit in sample for label in unit.labels]
        accuracy = sum(a == g for a, g in zip(answers, golds, strict=True)) / max(1, len(golds))
        parts.append(f"{name} {accuracy:.3f}/{macro_f1(golds, answers):.3f}")
    return ", ".join(parts)


def answer(reader: RivalReader, encoding: Encoding, specs: Sequence[str], out: Path) -> None:
    """Write the probabilities of every row of the sets, one line a row, as ``tests.eval.judge --only-kept`` reads."""
    with out.open("w", encoding="utf-8") as lines:
        for spec in specs:
            items = load(spec)
            result = probabilities(reader, encoding, [Unit(r.passage, (r.hypothesis,), (0,)) for r in items])
            for row, p in zip(items, result, strict=True):
                lines.write(json.dumps({"key": row.key, "set": row.set, "gold": row.gold, "p": p}) + "\n")


def main() -> None:
    """Train a judge with the options of the command line, and ask it."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--sets", "--pairs", "--clues", "--encoder", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--easy", type=int, default=3_000)
    parser.add_argument("--pool", type=int, default=20_000)
    parser.add_argument("--shares", default="clues=.4,written=.2,public=.25,defeasible=.1,ecare=.05")
    parser.add_argument("--start", type=Path)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--budget", type=int, default=1_600, help="tokens a step")
    parser.add_argument("--measure", type=int, default=3_000, help="units between two measurements")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-bfloat", dest="bfloat", action="store_false")
    parser.add_argument("--answers", type=Path)
    parser.add_argument("ask", nargs="*", metavar="SET.jsonl[:N]")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    chance = random.Random(options.seed)
    encoding = Encoding(options.encoder)
    reader = RivalReader(options.encoder, {"verdict": 3})
    if options.start:
        reader.load_state_dict(torch.load(options.start, weights_only=True))
    if options.pool:
        clues, clue_tests = clue_units(options.clues)
        written, written_tests = written_units(options.pairs)
        public = {name: [] for name, _, _ in PUBLIC}
        for name, part, limit in PUBLIC:
            public[name] += stance_units(options.sets, name, part, limit, chance)
        pools = {
            "clues": clues,
            "written": written,
            "public": [unit for units in public.values() for unit in units],
            "easy": [unit for name in EASY for unit in public[name]],
            "defeasible": stance_units(options.sets, "defeasible_nli", "train", 12_000, chance),
            "ecare": stance_units(options.sets, "ecare", "train", 12_000, chance),
        }
        shares = {name: float(share) for name, _, share in (pair.partition("=") for pair in options.shares.split(","))}
        pool = [
            *mixture(pools, {"easy": 1.0}, options.easy, chance),
            *mixture(pools, shares, options.pool, chance),
        ]
        tests = {
            "clues": clue_tests,
            "clues alone": alone(clue_tests),
            "written": [varied(unit, random.Random(7)) for unit in written_tests],
            "written alone": alone(written_tests),
            "check_covid": stance_units(options.sets, "check_covid", "dev", 207, random.Random(7)),
            "conjnli": stance_units(options.sets, "conjnli", "dev", 400, random.Random(7)),
        }
        print({name: len(units) for name, units in pools.items()}, {k: len(v) for k, v in tests.items()}, flush=True)
        train(reader, encoding, pool, tests, options, chance)
        print(f"end: {figures(reader, encoding, tests, 2_000)}", flush=True)
    else:
        reader.load_state_dict(torch.load(options.out, weights_only=True))
    if options.answers:
        answer(reader, encoding, options.ask, options.answers)


if __name__ == "__main__":
    main()
