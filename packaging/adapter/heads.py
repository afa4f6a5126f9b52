"""Train the heads that read statements on the states of the judge's encoder, and write them as a GGUF file.

    python packaging/adapter/heads.py --says FOLDER --qamr FOLDER --out resources/models/statement-heads.gguf
           [--only bearing,answer] [--work FOLDER] [--epochs 6] [--seed 0] [--threads 2] [--states]
           [--others FILE]

FOLDER holds ``audit/items.jsonl`` (sentences against sources, with the words at fault: the head ``bearing``),
``questions/items.jsonl`` (questions on passages, with the words that answer: the head ``answer``; QAMR, Michael et al.
2018, has more of them, each on one sentence) and ``conflicts/items.jsonl`` (pairs of statements: the head ``pair``,
which does not ship). The encoder is the one that ships, as the program computes it: the states of its tokens, middle
and last layer, are computed once and kept in ``--work`` (some 6 GB; with ``--states`` nothing else is done), and the
heads are trained on them. Heads that are not trained are taken from ``--others``. One item in six (``--folds``) is held
out by a hash of its name and measured after every epoch. Nobody needs this to build, run or test the program.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import math
import random
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import torch
import torch.nn.functional as functional
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType
from gguf.quants import quantize
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core import paths
from core.engines.cross_encoder import mpnet
from core.engines.cross_encoder.statements import ARCHITECTURE, PASSAGE, STATEMENT
from core.model_files import gguf

CLASSES = {
    "bearing": ("supported", "contradicted", "differs", "overstated", "not_in_sources"),
    "answer": ("answered", "unanswered"),
    "pair": ("conflict", "none"),
}
FILES = {"bearing": "audit", "answer": "questions", "pair": "conflicts"}
SIZE = 256  # of a head
RATE, DECAY, SMOOTHING = 5e-4, 0.05, 0.05
BUDGET = 6_000  # tokens a step
TOKENS = {"bearing": 0.5, "answer": 2.0, "pair": 0.0}  # weight of the loss of tokens beside that of classes
NO_TOKEN = -1
BLOCK = 500  # units whose states are kept in one file
SENTENCES = 8_000  # questions of QAMR


@dataclass
class Unit:
    """A passage and a statement with its class, and the spans of words that are marked; None: not known.

    The words of a statement are marked that are at fault, and those of a passage that answer a question.
    """

    group: str
    passage: str
    statement: str
    label: int
    spans: list[tuple[int, int]] | None = None
    pair: str = ""
    block: int = 0  # of its states, and the row in it
    first: int = 0
    count: int = 0


def items(folder: Path, head: str) -> list[dict[str, Any]]:
    """Read the items of a head."""
    with (folder / FILES[head] / "items.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def source(part: Mapping[str, str]) -> str:
    """Return a source behind the name of its document, as the program shows it to the reader."""
    return f"{part['doc']}: {part['text']}"


class NegativeSampler:
    """A sampler of unrelated sources that share rare words with a sentence."""

    def __init__(self, sources: Sequence[tuple[str, str]], chance: random.Random) -> None:
        self._sources = sources  # each with the name of its matter
        self._words = [set(re.findall(r"[a-z]{3,}", text.lower())) for _, text in self._sources]
        self._frequency = collections.Counter(word for words in self._words for word in words)
        self._chance = chance

    def __call__(self, sentence: str, item: str) -> str:
        """Return one of the three nearest, or now and then any."""
        words = set(re.findall(r"[a-z]{3,}", sentence.lower()))
        weights = [
            (-sum(1 / self._frequency[word] for word in words & rival_words), number)
            for number, rival_words in enumerate(self._words)
            if self._sources[number][0] != item
        ]
        if self._chance.random() < 0.2:
            return self._sources[self._chance.choice(weights)[1]][1]
        return self._sources[self._chance.choice(sorted(weights)[:3])[1]][1]


def bearing_units(rows: Sequence[Mapping[str, Any]], chance: random.Random) -> Iterator[Unit]:
    """Yield sentences with their sources. Some are also paired with a source that they do not rest on."""
    parts = [(item["id"], source(part)) for item in rows for part in item["sources"]]
    negatives = NegativeSampler(parts, chance)
    absent = CLASSES["bearing"].index("not_in_sources")
    for item in rows:
        sources = [source(part) for part in item["sources"]]
        for sentence in item["sentences"]:
            rests_on = sentence["from"] or list(range(len(sources)))
            places = sorted(rests_on) if chance.random() < 0.6 else list(range(len(sources)))
            label = CLASSES["bearing"].index(sentence["label"])
            start = sentence["text"].find(sentence["part"]) if sentence["part"] else -1
            spans = [] if label == 0 else [(start, start + len(sentence["part"]))] if start >= 0 else None
            text = "\n".join(sources[number] for number in places)
            yield Unit(item["id"], text, sentence["text"], label, spans)
            rest = [number for number in range(len(sources)) if number not in rests_on]
            if rest and chance.random() < 0.3:
                yield Unit(item["id"], sources[rest[0]], sentence["text"], absent)
            if chance.random() < 0.4:
                yield Unit(item["id"], negatives(sentence["text"], item["id"]), sentence["text"], absent)


def answer_units(rows: Sequence[Mapping[str, Any]], chance: random.Random) -> Iterator[Unit]:
    """Yield questions with the passages that answer them, those that tempt, and some of other matters."""
    parts = [(item["id"], source(part)) for item in rows for part in item["passages"]]
    negatives = NegativeSampler(parts, chance)
    for item in rows:
        for question in item["questions"]:
            answers: dict[int, list[str]] = {}
            for answer in question["answers"]:
                answers.setdefault(answer["passage"], []).append(answer["span"])
            near = {part["passage"] for part in question["near"]} - set(answers)
            rest = [number for number in range(len(item["passages"])) if number not in near and number not in answers]
            for number in [*answers, *sorted(near), *chance.sample(rest, min(len(rest), 1))]:
                text = source(item["passages"][number])
                spans = [(text.find(span), text.find(span) + len(span)) for span in answers.get(number, ())]
                yield Unit(item["id"], text, question["text"], int(not spans), [span for span in spans if span[0] >= 0])
            if chance.random() < 0.4:
                yield Unit(item["id"], negatives(question["text"], item["id"]), question["text"], 1, [])


def sentence_units(folder: Path, chance: random.Random) -> Iterator[Unit]:
    """Yield questions of QAMR with their sentence, and half of them with the nearest sentence of their article."""
    rows = [json.loads(line) for name in ("train", "dev") for line in (folder / f"{name}.jsonl").open(encoding="utf-8")]
    articles = {row["sentence"]: ":".join(row["id"].split(":")[:3]) for row in rows}
    sentences: dict[str, list[str]] = {}
    for text, article in articles.items():
        sentences.setdefault(article, []).append(text)
    rows = [row for row in rows if row["agree"] >= 2]
    for row in chance.sample(rows, min(len(rows), SENTENCES)):
        text, article, answer = row["sentence"], articles[row["sentence"]], row["answers"][0]
        start = text.find(answer)
        if start < 0:
            continue
        number = article.rpartition(":")[2]
        yield Unit(number, text, row["question"], 0, [(start, start + len(answer))])
        words = set(re.findall(r"[a-z]{3,}", row["question"].lower()))
        rest = sorted(
            (sentence for sentence in sentences[article] if sentence != text),
            key=lambda sentence: (-len(words & set(re.findall(r"[a-z]{3,}", sentence.lower()))), sentence),
        )
        if rest and chance.random() < 0.5:
            yield Unit(number, rest[0], row["question"], 1, [])


def units(options: argparse.Namespace, head: str) -> list[Unit]:
    """Make the units of a head."""
    rows, chance = items(options.says, head), random.Random(3)
    if head == "bearing":
        return list(bearing_units(rows, chance))
    if head == "answer":
        return [*answer_units(rows, chance), *(sentence_units(options.qamr, chance) if options.qamr else ())]
    result: list[Unit] = []
    for item in rows:
        statements = [source(part) for part in item["statements"]]
        for pair in item["pairs"]:
            for left, right in ((pair["a"], pair["b"]), (pair["b"], pair["a"])):
                name = f"{item['id']} {pair['a']} {pair['b']}"
                label = CLASSES[head].index(pair["label"])
                result.append(Unit(item["id"], statements[left], statements[right], label, None, name))
    return result


class States:
    """The states of the tokens of units, computed once by the program's own engine."""

    def __init__(self, head: str, all_units: Sequence[Unit], work: Path, threads: int) -> None:
        path = paths.reader()
        self._encoder = encoder = mpnet.load(path, gguf.check(path), threads=threads)
        self.is_of_passage = head == "answer"
        self._encoded = {}
        self.blocks: list[numpy.ndarray] = []
        began = time.monotonic()
        for start in range(0, len(all_units), BLOCK):
            block = all_units[start : start + BLOCK]
            encoded = [(self._ids(unit.passage, PASSAGE), self._ids(unit.statement, STATEMENT)) for unit in block]
            digest = hashlib.sha256("\0".join(f"{unit.passage}\0{unit.statement}" for unit in block).encode())
            file = work / f"states-{digest.hexdigest()[:24]}.npy"
            first = 0
            for unit, (left, right) in zip(block, encoded, strict=True):
                unit.block, unit.first, unit.count = len(self.blocks), first, len(left.ids) + len(right.ids) + 4
                first += unit.count
                self._encoded[id(unit)] = (left, right)
            if not file.exists():
                rows = numpy.empty((first, 2 * encoder.size), numpy.float16)
                for unit, (left, right) in zip(block, encoded, strict=True):
                    tokens = [encoder.begin, *left.ids, encoder.end, encoder.end, *right.ids, encoder.end]
                    rows[unit.first : unit.first + unit.count] = encoder.layers(tokens)
                numpy.save(work / "states.part.npy", rows)
                (work / "states.part.npy").rename(file)
                print(
                    f"{head}: {start + len(block)}/{len(all_units)} read, {time.monotonic() - began:.0f} s", flush=True
                )
            self.blocks.append(numpy.load(file, mmap_mode="r"))
        self.size = 2 * encoder.size

    def _ids(self, text: str, limit: int) -> Any:
        encoding = self._encoder.tokenizer.encode(text, add_special_tokens=False)
        encoding.truncate(limit)
        return encoding

    def inputs(self, unit: Unit) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return states, segments, overlap and marked tokens of a unit, a row a token."""
        left, right = self._encoded[id(unit)]
        sides = ((left, set(right.ids)), (right, set(left.ids)))
        segment = [0] * (len(left.ids) + 2) + [1] * (len(right.ids) + 2)
        overlap = [[1 if token in facing else 2 for token in side.ids] for side, facing in sides]
        marks = [NO_TOKEN] * unit.count
        if unit.spans is not None:
            offsets, begin = (left.offsets, 1) if self.is_of_passage else (right.offsets, len(left.ids) + 3)
            for index, (start, end) in enumerate(offsets, start=begin):
                marks[index] = int(any(start < last and end > first for first, last in unit.spans))
        rows = self.blocks[unit.block][unit.first : unit.first + unit.count]
        states = torch.from_numpy(rows.astype(numpy.float32))
        return states, torch.tensor(segment), torch.tensor([0, *overlap[0], 0, 0, *overlap[1], 0]), torch.tensor(marks)


class Head(nn.Module):
    """What ``core.engines.cross_encoder.statements`` computes, to be trained."""

    def __init__(self, inputs: int, classes: int) -> None:
        super().__init__()
        self.in_norm, self.project = nn.LayerNorm(inputs), nn.Linear(inputs, SIZE)
        self.segment, self.overlap = nn.Embedding(2, SIZE), nn.Embedding(3, SIZE)
        self.layer = nn.TransformerEncoderLayer(
            SIZE, 4, 2 * SIZE, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
        )
        self.out_norm, self.tokens, self.classes = nn.LayerNorm(SIZE), nn.Linear(SIZE, 1), nn.Linear(2 * SIZE, classes)
        self.dropout = nn.Dropout(0.2)

    def forward(self, states: Tensor, segment: Tensor, overlap: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of classes (units, classes) and of tokens (units, tokens)."""
        value = self.project(self.dropout(self.in_norm(states))) + self.segment(segment) + self.overlap(overlap)
        value = self.out_norm(self.layer(value, src_key_padding_mask=~mask))
        statement = (segment == 1) & mask
        mean = (value * statement[..., None]).sum(1) / statement.sum(1, keepdim=True)
        largest = value.masked_fill(~statement[..., None], -1e4).amax(1)
        return self.classes(self.dropout(torch.cat([mean, largest], 1))), self.tokens(value).squeeze(-1)

    def weights(self) -> dict[str, numpy.ndarray]:
        """Return the weights by their names in the file."""
        names = {
            "project": "in", "layer.norm1": "attention_norm", "layer.norm2": "inner_norm", "layer.linear1": "inner",
            "layer.linear2": "outer", "layer.self_attn.out_proj": "attention_out",
        }  # fmt: skip
        result = {}
        for key, value in self.state_dict().items():
            stem, _, kind = key.rpartition(".")
            if stem in ("segment", "overlap"):
                name = stem
            elif kind.startswith("in_proj_"):
                name = f"attention_in.{kind.removeprefix('in_proj_')}"
            else:
                name = f"{names.get(stem, stem)}.{kind}"
            result[name] = value.float().numpy()
        return result


def batches(rows: Sequence[Unit], chance: random.Random | None) -> Iterator[list[Unit]]:
    """Yield units of like length, up to ``BUDGET`` tokens at once; in random order where there is a ``chance``."""
    order = list(rows)
    if chance:
        chance.shuffle(order)
    packs: list[list[Unit]] = []
    for start in range(0, len(order), 400):
        packs.append([])
        for unit in sorted(order[start : start + 400], key=lambda unit: unit.count):
            if packs[-1] and unit.count * (len(packs[-1]) + 1) > BUDGET:
                packs.append([])
            packs[-1].append(unit)
    if chance:
        chance.shuffle(packs)
    yield from packs


def padded(states: States, rows: Sequence[Unit]) -> tuple[Tensor, ...]:
    """Return states, segments, overlap, mask and marks of units, padded to the longest."""
    parts = [states.inputs(unit) for unit in rows]
    fill = nn.utils.rnn.pad_sequence
    columns = list(zip(*parts, strict=True))
    mask = fill([torch.ones(len(part[0]), dtype=torch.bool) for part in parts], batch_first=True)
    values = [fill(list(column), batch_first=True) for column in columns[:3]]
    return (*values, mask, fill(list(columns[3]), batch_first=True, padding_value=NO_TOKEN))


def area(scores: numpy.ndarray, positive: numpy.ndarray) -> float:
    """Return the area under the curve: how often a positive row has the higher score."""
    ranks = numpy.empty(len(scores))
    ranks[numpy.argsort(scores, kind="stable")] = numpy.arange(len(scores))
    count = positive.sum()
    return float((ranks[positive].sum() - count * (count - 1) / 2) / (count * (len(scores) - count)))


def measure(head: str, reader: Head, states: States, rows: Sequence[Unit]) -> str:
    """Measure a head on units that it was not trained on."""
    reader.eval()
    order: list[Unit] = []
    parts, logits, marked = [], [], []
    with torch.no_grad():
        for batch in batches(rows, None):
            *inputs, marks = padded(states, batch)
            classes, tokens = reader(*inputs)
            parts.append(classes.softmax(1).numpy())
            has_token = marks != NO_TOKEN
            logits.append(tokens[has_token].numpy())
            marked.append(marks[has_token].numpy() == 1)
            order += batch
    reader.train()
    p = numpy.concatenate(parts)
    gold = numpy.array([unit.label for unit in order])
    words = f"accuracy {(p.argmax(1) == gold).mean():.3f}, area {area(p[:, 0], gold == 0):.3f}"
    if sum(map(len, marked)):
        words += f", of words {area(numpy.concatenate(logits), numpy.concatenate(marked)):.3f}"
    if head == "bearing":
        right, wrong = p[gold == 0, 0], p[gold != 0, 0]
        shares = [(limit, (right >= limit).mean(), (wrong >= limit).mean()) for limit in (0.6, 0.7, 0.75, 0.8, 0.85)]
        words += "; supported from " + ", ".join(f"{a}: right {b:.3f}, wrong {c:.3f}" for a, b, c in shares)
        shares = [(limit, (wrong < limit).mean(), (right < limit).mean()) for limit in (0.1, 0.15, 0.2, 0.25)]
        words += "; wrong below " + ", ".join(f"{a}: wrong {b:.3f}, right {c:.3f}" for a, b, c in shares)
    if head == "pair":
        means: dict[str, list[float]] = {}
        for unit, value in zip(order, p[:, 0], strict=True):
            means.setdefault(f"{unit.label} {unit.pair}", []).append(float(value))
        scores = numpy.array([sum(values) / len(values) for values in means.values()])
        conflict = numpy.array([name[0] == "0" for name in means])
        first = numpy.argsort(-scores)[: len(scores) // 4]
        words += f"; pairs {area(scores, conflict):.3f}, of the surest quarter {conflict[first].mean():.3f} conflicts"
    return words


def train(head: str, states: States, rows: Sequence[Unit], options: argparse.Namespace) -> Head:
    """Train one head."""
    chance = random.Random(options.seed)
    torch.manual_seed(options.seed)
    folds = [int(hashlib.sha256(unit.group.encode()).hexdigest(), 16) % options.folds for unit in rows]
    training = [unit for unit, fold in zip(rows, folds, strict=True) if fold != options.fold]
    held_out = [unit for unit, fold in zip(rows, folds, strict=True) if fold == options.fold]
    reader = Head(states.size, len(CLASSES[head]))
    optimizer = torch.optim.AdamW(reader.parameters(), lr=RATE, weight_decay=DECAY)
    steps, step, began = options.epochs * sum(1 for _ in batches(training, None)), 0, time.monotonic()
    for epoch in range(options.epochs):
        for batch in batches(training, chance):
            share = step / max(steps, step + 1)
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1.0, step / 60) * 0.5 * (1 + math.cos(math.pi * share))
            *inputs, marks = padded(states, batch)
            classes, tokens = reader(*inputs)
            gold = torch.tensor([unit.label for unit in batch])
            loss = functional.cross_entropy(classes, gold, label_smoothing=SMOOTHING)
            has_token = marks != NO_TOKEN
            if has_token.any():
                loss = loss + TOKENS[head] * functional.binary_cross_entropy_with_logits(
                    tokens[has_token], marks[has_token].float()
                )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimizer.step()
            step += 1
        seconds = time.monotonic() - began
        print(f"{head} {epoch + 1}, {seconds:.0f} s: {measure(head, reader, states, held_out)}", flush=True)
    return reader


def write(target: Path, heads: Mapping[str, Mapping[str, numpy.ndarray]]) -> None:
    """Write heads as GGUF: matrices in blocks of 8 bits, with the SHA-256 of the encoder that they belong to."""
    writer = GGUFWriter(target, ARCHITECTURE)
    writer.add_type("adapter")
    writer.add_name("statement-heads-1")
    writer.add_license("AGPL-3.0-or-later")
    writer.add_file_type(LlamaFileType.MOSTLY_Q8_0)
    writer.add_string(f"{ARCHITECTURE}.encoder", gguf.sha256(paths.reader()))
    for name, array in sorted((f"{head}.{name}", a) for head, weights in heads.items() for name, a in weights.items()):
        if array.ndim == 2 and array.size > 10_000:
            kind = GGMLQuantizationType.Q8_0
            writer.add_tensor(name, quantize(array, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, array.astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Train the heads and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--says", type=Path, required=True)
    parser.add_argument("--qamr", type=Path)
    parser.add_argument("--out", type=Path, default=paths.statement_heads())
    parser.add_argument("--work", type=Path, default=Path("/tmp"))
    parser.add_argument("--only", default="bearing,answer")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--states", action="store_true")
    parser.add_argument("--others", type=Path)
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    heads: dict[str, dict[str, numpy.ndarray]] = {}
    if options.others:
        for name, array in mpnet.floats(options.others, gguf.check(options.others)).items():
            head, _, weight = name.partition(".")
            heads.setdefault(head, {})[weight] = array
    for head in options.only.split(","):
        rows = units(options, head)
        states = States(head, rows, options.work, options.threads)
        if options.states:
            continue
        heads[head] = train(head, states, rows, options).weights()
    if options.states:
        return
    write(options.out, heads)
    data = options.out.read_bytes()
    print(f"{options.out}: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
