"""Fit the weights by which sentences are ranked as answers, and by which an answer is given, refused or disputed.

    python packaging/answer_scorer.py ITEMS.jsonl QAMR_FOLDER [--out FOLDER] [--found FILE.pickle]
           [--heads HELD.gguf]

ITEMS.jsonl holds sets of passages with questions: one JSON object a line with ``id``, ``passages`` (``doc``, ``text``)
and ``questions`` (``text``; ``kind``: answer, conflict or none; ``answers``: ``passage``, ``span``). Every other set
is fitted on, the rest reported on. GROUP sets at a time stand in one case, so that passages of other matters compete.
Of each set some answerable questions come once more, with a name or figure of another set: they have no answer.
QAMR_FOLDER holds train.jsonl and dev.jsonl of QAMR (Michael et al. 2018): questions in the very words of one sentence,
which those of the sets mostly are not. Every question also counts as unanswerable with its passage or its sentence out.
The embedder of the program reads every sentence once; with --found what it found is saved there, and taken from there
if the file exists. Written are the models of sentences that no reader of statements has read (``scorer.json``) and,
with --heads, of those that one has (``read.json``). HELD.gguf was trained by packaging/adapter/heads.py without half of
the sets (``--folds 2 --fold 0``): these are read here, and what the reader says is kept beside FILE.pickle. Reported is
then a fit on every other of them; written is one on all. Seeds are fixed: the same input gives the same models.
Nobody needs this to build, run or test the program.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import random
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core import paths
from core.answers import answerability, judgement, replies, sentences
from core.answers.answer_model import AnswerModel, LinearModel, Tree, TreeModel
from core.answers.features import Context, Row
from core.answers.features import table as rows_of
from core.answers.points import SHOWN
from core.answers.question import Question, understand
from core.answers.sentences import RankedSentence, Rarity, SearchedPassage, Sentence
from core.domain import Reply
from core.engines.cross_encoder.statements import StatementReader
from core.text import CELL_BORDER
from core.text import sentences as split
from tests.eval.ask import Remembering

GROUP = 6  # sets in one case
ALTERED = 2  # questions of a set that come altered, at most
PASSAGES = 30
HELD = 0.03  # the penalty of a large weight in the ranking
HELD_LOGISTIC = 100.0  # and of one in the regression that says whether two differ
ANSWERED_FROM = 0.3  # the log odds from which it answers: .85 of the questions of XQuAD (tests/eval/ask.py)
SHARES = {"none": 1.0, "removed": 0.5, "answer in view": 1.5, "none in view": 2.0, "removed in view": 0.9}
BOOSTING: dict[str, Any] = {"n_estimators": 150, "learning_rate": 0.05, "max_depth": 3, "min_samples_leaf": 25}
LEAST_IN_VIEW = 4  # words of such a question
IN_VIEW = 500  # questions of QAMR, each on another sentence
WRONG = 0.3  # how much a question counts whose answer is not among the first sentences: it is better refused
DISPUTED = 0.85  # the least share of questions called disputed that are


class RetrievedQuestion(NamedTuple):
    """A question with what was found for it: ``sides`` are the places of its answers, as (passage, start, end)."""

    item: str
    kind: str
    question: Question
    rarity: Rarity
    shortlist: list[Sentence]
    tokens: list[tuple[float, ...]]
    pieces: list[int]
    passages: list[str]
    titles: list[str]
    sides: list[tuple[int, int, int]]


class RankedQuestion(NamedTuple):
    """An asked question as it is ranked at first, and which of its sentences hold which side of its answer."""

    asked: RetrievedQuestion
    ranking: list[RankedSentence]
    contexts: list[Context]
    rows: list[Row]  # of a reader too where one has read
    chance: float
    holds: numpy.ndarray  # a row a side, a column a sentence


def read(items: Sequence[dict[str, Any]]) -> Iterator[RetrievedQuestion]:
    """Find the sentences for each question, with every set among some others."""
    for begin in range(0, len(items), GROUP):
        embedder = Remembering()
        group = items[begin : begin + GROUP]
        places = [(item["id"], number) for item in group for number in range(len(item["passages"]))]
        titles = [f"{passage['doc'][:1].upper()}{passage['doc'][1:]}" for item in group for passage in item["passages"]]
        bodies = [passage["text"] for item in group for passage in item["passages"]]
        bodies = [body.replace(" | ", CELL_BORDER) for body in bodies]  # rows as the readers write them
        texts = [f"{title}\n\n{body}" for title, body in zip(titles, bodies, strict=True)]
        words = [set(re.findall(r"\w+", text.casefold())) for text in texts]
        vectors = [mean_of(embedder, [text[span.start : span.end] for span in split(text)]) for text in texts]
        for item in group:
            for row in item["questions"]:
                question = understand(row["text"])
                near = mean_of(embedder, [row["text"]])
                cosines = [float(near @ vector) for vector in vectors]
                order = sorted(range(len(texts)), key=lambda index: -cosines[index])[:PASSAGES]
                rarity = Rarity(len(texts), {word: sum(word in bag for bag in words) for word in question.words})
                shortlist = sentences.shortlist(
                    question.words,
                    [SearchedPassage(texts[index], cosines[index]) for index in order],
                    rarity,
                    names=question.names,
                )
                sides = []
                for answer in row["answers"]:
                    number = places.index((item["id"], answer["passage"]))
                    start = texts[number].find(answer["span"].replace(" | ", CELL_BORDER), len(titles[number]))
                    if number in order and start >= 0:
                        sides.append((order.index(number), start, start + len(answer["span"])))
                yield RetrievedQuestion(
                    *(item["id"], row["kind"], question, rarity, shortlist),
                    embedder.token_matches(question.text, [sentence.read for sentence in shortlist]),
                    embedder.pieces(judgement.words_of(question)),
                    *([texts[index] for index in order], [titles[index] for index in order], sides),
                )
        print(f"{min(begin + GROUP, len(items))}/{len(items)} sets", file=sys.stderr, flush=True)


def with_altered(items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add to each set some of its questions with a name or figure of another set in place of their own: kind none."""
    triples = [(item["id"], question, understand(question["text"])) for item in items for question in item["questions"]]
    chooser = random.Random(7)
    names = [(item, name) for item, _, question in triples for name in question.names]
    numbers = [(item, number) for item, _, question in triples for number in question.numbers]
    extra: dict[str, list[dict[str, Any]]] = {}
    kinds = {"answer": "none", "answer in view": "none in view"}
    for item, row, question in triples:
        pool, replaced = (numbers, question.numbers) if question.numbers else (names, question.names)
        others = [text for source, text in pool if source != item and text not in row["text"]]
        if row["kind"] in kinds and replaced and others and len(extra.get(item, ())) < ALTERED:
            text = row["text"].replace(replaced[0], chooser.choice(others), 1)
            extra.setdefault(item, []).append({"text": text, "kind": kinds[row["kind"]], "answers": []})
    return [{**item, "questions": [*item["questions"], *extra.get(item["id"], [])]} for item in items]


def read_in_view(folder: Path) -> Iterator[RetrievedQuestion]:
    """Find the sentences for questions of QAMR, all its sentences in one case, an article a passage."""
    rows = [json.loads(line) for name in ("train", "dev") for line in (folder / f"{name}.jsonl").open(encoding="utf-8")]
    numbers = {row["sentence"]: tuple(map(int, row["id"].split("/")[0].split(":")[2:])) for row in rows}
    articles: dict[int, list[str]] = {}
    for text, number in sorted(numbers.items(), key=lambda item: item[1]):
        articles.setdefault(number[0], []).append(text)
    passages = [{"doc": str(article), "text": " ".join(some)} for article, some in articles.items()]
    places = {article: index for index, article in enumerate(articles)}
    random.Random(3).shuffle(rows)
    chosen = {
        row["sentence"]: row for row in rows if row["agree"] >= 2 and len(row["question"].split()) >= LEAST_IN_VIEW
    }
    questions = [
        {
            "text": row["question"],
            "kind": "answer in view",
            "answers": [{"passage": places[numbers[text][0]], "span": text}],
        }
        for text, row in list(chosen.items())[:IN_VIEW]
    ]
    items = [{"id": str(index), "passages": [], "questions": [question]} for index, question in enumerate(questions)]
    both = [question for item in with_altered(items) for question in item["questions"]]
    yield from read([{"id": "in view", "passages": passages, "questions": both}])


def mean_of(embedder: Remembering, texts: Sequence[str]) -> numpy.ndarray:
    """Return the direction of the mean of the states of some texts."""
    rows = [embedder._state(embedder._inner._cut.encode(text).ids).astype("float32") for text in texts]
    vector = numpy.concatenate(rows).mean(axis=0)
    return vector / numpy.linalg.norm(vector)


def without_answer(asked: RetrievedQuestion, *, whole: bool) -> RetrievedQuestion:
    """Take the passages of the answers out, or only their sentences: then nothing answers."""
    texts = list(asked.passages)
    chosen = []
    for index, candidate in enumerate(asked.shortlist):
        span = candidate.span
        sides = [(start, end) for passage, start, end in asked.sides if passage == candidate.passage]
        is_side = any(span.start < end and start < span.end for start, end in sides)
        if is_side:
            text = texts[candidate.passage]
            texts[candidate.passage] = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
        if not (sides if whole else is_side):
            chosen.append(index)
    return asked._replace(
        kind="removed in view" if asked.kind.endswith("in view") else "removed",
        shortlist=[asked.shortlist[index] for index in chosen],
        tokens=[asked.tokens[index] for index in chosen],
        passages=texts,
        sides=[],
    )


def without_answers(questions: Sequence[RetrievedQuestion]) -> list[RetrievedQuestion]:
    """Take the answers of questions out: of a set half lose the passage, half the sentence; those in view lose both."""
    return [
        without_answer(row, whole=whole)
        for index, row in enumerate(row for row in questions if row.sides)
        for whole in (True, False)
        if row.kind.endswith("in view") or whole == bool(index % 2)
    ]


def rank_question(asked: RetrievedQuestion) -> RankedQuestion | None:
    """Rank the sentences of a question as the program does at first; None where there are none."""
    ranking = sentences.of_named_rows(asked.question.text, sentences.rank(asked.shortlist, asked.tokens))
    if not ranking:
        return None
    places = [candidate.sentence.passage for candidate in ranking]
    contexts = [Context(asked.passages[place], asked.titles[place], asked.passages[place]) for place in places]
    signs = answerability.signs(asked.question, ranking, contexts[0].document)
    holds = numpy.array(
        [
            [place == passage and candidate.sentence.span.start < end and start < candidate.sentence.span.end
             for place, candidate in zip(places, ranking, strict=True)]
            for passage, start, end in asked.sides
        ]
    ).reshape(len(asked.sides), len(ranking))  # fmt: skip
    rows = rows_of(asked.question, asked.rarity, ranking, contexts, pieces=asked.pieces)
    return RankedQuestion(asked, ranking, contexts, rows, answerability.WITH_MEANING.probability(signs), holds)


def is_held(case: RankedQuestion) -> bool:
    """Return whether packaging/adapter/heads.py holds a question out in the first of two folds."""
    item = case.asked.item
    if case.asked.kind.endswith("in view"):
        item = case.asked.titles[case.ranking[0].sentence.passage]  # an article of QAMR
    return int(hashlib.sha256(item.encode()).hexdigest(), 16) % 2 == 0


class HeldReader:
    """A reader of statements that was trained on other sets, with what it said before."""

    def __init__(self, heads: Path, questions: Path | None) -> None:
        self._reader = StatementReader(paths.reader(), heads)
        self._file = questions.with_suffix(".replies") if questions else None
        self._replies: dict[tuple[str, str], Reply] = {}
        if self._file and self._file.exists():
            self._replies = pickle.loads(self._file.read_bytes())

    def read(self, case: RankedQuestion, model: AnswerModel) -> RankedQuestion:
        """Add what the reader says of the first sentences, in the order of the model, to their figures."""
        order, _ = order_by(case, model.rank)
        count = len(self._replies)
        values = replies.weigh(self, case.asked.question.text, order.ranking, order.contexts)
        places = {(entry.sentence.passage, entry.sentence.span): index for index, entry in enumerate(order.ranking)}
        rows = [
            row | {"judged": values[places[entry.sentence.passage, entry.sentence.span]]}
            for entry, row in zip(case.ranking, case.rows, strict=True)
        ]
        if self._file and len(self._replies) // 2_000 > count // 2_000:
            self._file.write_bytes(pickle.dumps(self._replies))
            print(f"{len(self._replies)} stretches read", file=sys.stderr, flush=True)
        return case._replace(rows=rows)

    def reply(self, passage: str, question: str) -> Reply:
        """Read a passage for what answers a question."""
        if (passage, question) not in self._replies:
            self._replies[passage, question] = self._reader.reply(passage, question)
        return self._replies[passage, question]


def matrix(rows: Sequence[Row], names: Sequence[str]) -> numpy.ndarray:
    """Return the figures of rows as a matrix."""
    return numpy.array([[row[name] for name in names] for row in rows])


def read_figures(rows: Iterable[Row]) -> list[str]:
    """List the names of the figures of rows, without those of a reader where none has read."""
    names = dict.fromkeys(name for row in rows for name, value in row.items() if value or not name.endswith("judged"))
    return [*(name for name in names if not name.endswith("judged")), *(n for n in names if n.endswith("judged"))]


def fit_ranking(cases: Sequence[RankedQuestion]) -> LinearModel:
    """Fit the ranking: a softmax over the sentences of each question that has an answer."""
    tables, targets = [], []
    for case in cases:
        right = case.holds.any(axis=0).astype(float) if len(case.holds) else numpy.zeros(0)
        if right.any():
            tables.append(case.rows)
            targets.append(right / right.sum())
    names = read_figures(row for rows in tables for row in rows)
    blocks = [matrix(rows, names) for rows in tables]
    spread = numpy.concatenate(blocks).std(axis=0) + 1e-6
    longest = max(map(len, blocks))
    cube = numpy.zeros((len(blocks), longest, len(names)))
    mask, goal = numpy.full((len(blocks), longest), -1e9), numpy.zeros((len(blocks), longest))
    for index, (block, right) in enumerate(zip(blocks, targets, strict=True)):
        cube[index, : len(block)], mask[index, : len(block)], goal[index, : len(block)] = block / spread, 0.0, right
    weights = numpy.zeros(len(names))
    mean, square = numpy.zeros_like(weights), numpy.zeros_like(weights)
    for step in range(1, 400):
        scores = cube @ weights + mask
        shares = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        slope = HELD * weights + numpy.einsum("in,inf->f", shares - goal, cube) / len(blocks)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope * slope
        weights = weights - 0.05 * (mean / (1 - 0.9**step)) / (numpy.sqrt(square / (1 - 0.999**step)) + 1e-9)
    return LinearModel(0.0, {name: round(float(value), 4) for name, value in zip(names, weights / spread, strict=True)})


def fit_logistic(rows: Sequence[Row], labels: Sequence[int], shares: Sequence[float]) -> LinearModel:
    """Fit a logistic regression by Newton's method; ``shares`` says how much each row counts."""
    names = read_figures(rows)
    table = matrix(rows, names)
    middle, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
    table = numpy.hstack([numpy.ones((len(rows), 1)), (table - middle) / spread])
    right, counted = numpy.array(labels, dtype=float), numpy.array(shares, dtype=float)
    weights = numpy.zeros(table.shape[1])
    penalty = HELD_LOGISTIC * numpy.eye(len(weights))
    penalty[0, 0] = 1e-6
    for _ in range(30):
        chance = 1 / (1 + numpy.exp(-numpy.clip(table @ weights, -30, 30)))
        slope = table.T @ (counted * (chance - right)) + penalty @ weights
        curve = (table * (counted * chance * (1 - chance))[:, None]).T @ table + penalty
        weights = weights - numpy.linalg.solve(curve, slope)
    values = weights[1:] / spread
    intercept = round(float(weights[0] - values @ middle), 4)
    return LinearModel(intercept, {name: round(float(value), 4) for name, value in zip(names, values, strict=True)})


def order_by(case: RankedQuestion, rank: LinearModel) -> tuple[judgement.Order, numpy.ndarray]:
    """Order the sentences of a case by a fit, with what they hold in that order."""
    order = judgement.arranged(case.asked.question, case.ranking, case.rows, case.contexts, rank)
    places = {(entry.sentence.passage, entry.sentence.span): index for index, entry in enumerate(case.ranking)}
    columns = [places[entry.sentence.passage, entry.sentence.span] for entry in order.ranking]
    return order, case.holds[:, columns] if len(case.holds) else case.holds


def fit_answers(cases: Sequence[RankedQuestion], rank: LinearModel) -> TreeModel:
    """Fit the chance that the first sentences hold the answer, which is answerability.ANSWERED at ANSWERED_FROM.

    In a dispute any side is an answer. What an answer depends on is not the same where a question is in the words of
    its passage and where it is not: so trees, and no weighted sum.
    """
    from sklearn.ensemble import GradientBoostingClassifier

    rows, labels, counted = [], [], []
    for case in cases:
        order, holds = order_by(case, rank)
        is_right = len(holds) > 0 and bool(holds[:, :SHOWN].any())
        rows.append(judgement.signs(case.asked.question, order, case.chance))
        labels.append(int(is_right))
        share = SHARES.get(case.asked.kind, 1.0)
        counted.append(share if is_right or not len(holds) else share * WRONG)
    names = sorted(read_figures(rows))
    table, right, shares = matrix(rows, names), numpy.array(labels), numpy.array(counted)

    balance = shares[right == 1].sum() / shares[right == 0].sum()
    trees = GradientBoostingClassifier(init="zero", random_state=0, max_features=0.3, **BOOSTING)
    trees.fit(table, right, sample_weight=numpy.where(right == 1, shares, shares * balance))
    level = float(numpy.log(answerability.ANSWERED / (1 - answerability.ANSWERED)))
    return TreeModel(
        round(level - ANSWERED_FROM, 4),
        [export_tree(tree[0].tree_, names, BOOSTING["learning_rate"]) for tree in trees.estimators_],
    )


def export_tree(tree: Any, names: Sequence[str], rate: float, node: int = 0) -> Tree:
    """Return a tree of scikit-learn from one of its nodes on."""
    if tree.children_left[node] < 0:
        return round(rate * float(tree.value[node][0][0]), 5)
    low, high = (
        export_tree(tree, names, rate, int(child[node])) for child in (tree.children_left, tree.children_right)
    )
    # It compares in 32 bits.
    return names[tree.feature[node]], round(float(tree.threshold[node]), 7), low, high


def pairs(case: RankedQuestion, rank: LinearModel) -> Iterator[tuple[Row, int]]:
    """Yield the pairs among the first sentences of a case, each with whether they hold two sides of a dispute."""
    order, holds = order_by(case, rank)
    for left, right in combinations(range(min(judgement.RIVALS, len(order.ranking))), 2):
        is_dispute = case.asked.kind == "conflict" and any(
            first[left] and second[right] and not (first[right] or second[left])
            for first in holds
            for second in holds
            if first is not second
        )
        yield judgement.pair_signs(case.asked.question, order, left, right, case.chance), int(is_dispute)


def fit_differ(cases: Sequence[RankedQuestion], rank: LinearModel) -> tuple[LinearModel, float]:
    """Fit the chance that two sentences differ, and the level from which DISPUTED of the questions so called are."""
    sets = [(case.asked.kind == "conflict", list(pairs(case, rank))) for case in cases]
    rows, labels = zip(*(pair for _, group in sets for pair in group), strict=True)
    fit = fit_logistic(rows, labels, [1.0] * len(rows))
    best = sorted(
        ((max(fit.probability(row) for row, _ in group), is_conflict) for is_conflict, group in sets if group),
        reverse=True,
    )
    level, right = 1.0, 0
    for number, (chance, is_conflict) in enumerate(best, start=1):
        right += is_conflict
        if right / number >= DISPUTED and number >= 10:
            level = chance
    return fit, round(level, 4)


def report(title: str, cases: Sequence[RankedQuestion], model: AnswerModel) -> None:
    """Print what the fits reach on some cases."""
    counts: dict[str, list[float]] = {}

    def count(name: str, value: object) -> None:
        counts.setdefault(name, []).append(float(bool(value)))

    for case in cases:
        order, holds = order_by(case, model.rank)
        chance = model.answers.probability(judgement.signs(case.asked.question, order, case.chance))
        is_answered, dispute = chance >= answerability.ANSWERED, None
        if is_answered:
            dispute = judgement.disputed(case.asked.question, order, case.chance, model)
        count(f"{case.asked.kind}: answered", is_answered)
        count(f"{case.asked.kind}: answered before", case.chance >= answerability.ANSWERED)
        if case.asked.kind != "none":
            count(f"{case.asked.kind}: called disputed", dispute)
        if case.asked.kind == "answer":
            for limit in (1, 3):
                count(f"right in {limit}", len(holds) and holds[:, :limit].any())
                count(f"right in {limit} before", len(case.holds) and case.holds[:, :limit].any())
            count("right in 3 and answered", is_answered and not dispute and len(holds) and holds[:, :3].any())
            was_answered = case.chance >= answerability.ANSWERED
            count("right in 3 and answered before", was_answered and len(case.holds) and case.holds[:, :3].any())
        if case.asked.kind == "conflict" and len(holds) > 1:
            for limit in (2, 3, 4):
                count(f"sides of a dispute in {limit}", holds[:, :limit].any(axis=1).sum() > 1)
                count(f"sides of a dispute in {limit} before", case.holds[:, :limit].any(axis=1).sum() > 1)
    print(title, {name: round(sum(values) / len(values), 3) for name, values in sorted(counts.items())})


def fit_all(cases: Sequence[RankedQuestion]) -> AnswerModel:
    """Fit everything on some cases."""
    rank = fit_ranking(cases)
    differ, level = fit_differ([case for case in cases if case.asked.kind in ("answer", "conflict", "none")], rank)
    return AnswerModel(rank, fit_answers(cases, rank), differ, level)


def to_json(model: AnswerModel) -> Mapping[str, Any]:
    """Return models as their file has them."""
    sums = {"rank": model.rank, "differ": model.differ}
    return {name: {"intercept": fit.intercept, "weights": fit.weights} for name, fit in sums.items()} | {
        "answers": {"intercept": model.answers.intercept, "trees": model.answers.trees},
        "differ_from": model.differ_from,
    }


def save(target: Path, model: AnswerModel) -> None:
    """Write models."""
    target.write_text(json.dumps(to_json(model), indent=1) + "\n", "utf-8")


def main() -> None:
    """Fit the models, report, and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", type=Path)
    parser.add_argument("qamr", type=Path)
    parser.add_argument("--out", type=Path, default=paths.RESOURCES / "answers")
    parser.add_argument("--found", type=Path)
    parser.add_argument("--heads", type=Path)
    parser.add_argument("--step", type=int, default=1, help="read one question in so many")
    args = parser.parse_args()
    items = [json.loads(line) for line in args.items.read_text("utf-8").splitlines()]
    if args.found and args.found.exists():
        everything = [RetrievedQuestion(*row) for row in pickle.loads(args.found.read_bytes())]
    else:
        apart = [*items[::2], *items[1::2]]  # what stands side by side in the file is often of one field
        everything = [*read(with_altered(apart)), *read_in_view(args.qamr)]
        if args.found:
            args.found.write_bytes(pickle.dumps([tuple(row) for row in everything]))
    first = {item["id"] for item in items[::2]}
    rest = {item["id"] for item in items[1::2]}
    used = [asked for asked in everything if asked.item not in rest]
    used += without_answers(used)
    cases, reported = ([case for case in map(rank_question, some) if case is not None] for some in (used, everything))
    model = fit_all(cases)
    for title, ids in (("fitted on", first), ("not fitted on", rest)):
        report(title, [case for case in reported if case.asked.item in ids], model)
    args.out.mkdir(exist_ok=True)
    save(args.out / "scorer.json", model)
    if not args.heads:
        return
    reader = HeldReader(args.heads, args.found)
    used = [*everything, *without_answers(everything)]
    held = [case for case in map(rank_question, used) if case is not None and is_held(case)]
    cases = [reader.read(case, model) for case in held[:: args.step]]
    items = sorted({case.asked.item for case in cases})
    halves = [[case for case in cases if items.index(case.asked.item) % 2 == half] for half in (0, 1)]
    half = fit_all(halves[0])
    report("read, fitted on", halves[0], half)
    report("read, not fitted on", halves[1], half)
    report("the same, not read", halves[1], model)
    save(args.out / "read.json", fit_all(cases))


if __name__ == "__main__":
    main()
