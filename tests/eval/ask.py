"""How well questions are answered, and how well those without an answer are refused.

    python -m tests.eval.ask [FOLDER] [--distractors] [--fit] [--curves]

FOLDER holds ``retrieval/xquad`` (English: 1,190 questions on 240 paragraphs of 48 articles, each with its answer) and,
for ``--distractors``, ``analyst/vast2011_vastopolis`` (2,663 news texts that answer none of them). Every paragraph and
text becomes a document of a case. Reported: the share of questions whose answer string stands in the first sentence and
in the first three; and, where .95, .90, .85 and .80 of these questions are answered, the share of three kinds of others
that is refused: with their paragraph taken out, with only their sentence taken out, with a name or figure of the
question altered into that of another question: by the answer model, and by the signs that come before it.
``--fit`` fits the weights of these signs anew, prints them, and reports on articles that they were not fitted on (five
folds).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core import paths, settings
from core.answers import answer_model, answerability, evidence, judgement, sentences
from core.answers.features import Context
from core.answers.question import Question, understand
from core.answers.sentences import Rarity, SearchedPassage, Sentence
from core.runtime import launch
from core.workbench import Workbench

PASSAGES = 30
FOLDS = 5
# What the kinds count in fitting: altered questions are refused most easily, those without any source matter most.
SHARES = {"answerable": 1.0, "paragraph removed": 0.7, "sentence removed": 0.23, "altered": 0.07}
KINDS = ("answerable", "paragraph removed", "sentence removed", "altered")


@dataclass(frozen=True)
class Case:
    """A question as it is tried: ``kind`` is one of KINDS, ``gold`` the answer string."""

    id: str
    article: str
    kind: str
    question: Question
    gold: str
    shortlist: list[Sentence]
    tokens: list[tuple[float, ...]]
    places: list[bool]  # whether each candidates sentence is the one that holds the answer
    documents: list[str]  # the text of the document of each
    rarity: Rarity
    pieces: list[int]  # tokens of each word of the question
    contexts: list[Context]  # of each sentence


class Remembering:
    """The search model in this process, with the states of every sentence kept: each is asked about many times."""

    def __init__(self) -> None:
        from core.engines.embedding.bert_onnx import EncoderEmbedder
        from core.model_files.embedding_folder import look_at

        self._inner = EncoderEmbedder(look_at(paths.models() / paths.EMBEDDER))
        self._states, self._inner._states = self._inner._states, self._state  # type: ignore[method-assign]
        self._kept: dict[tuple[int, ...], Any] = {}
        self.fingerprint, self.dimensions = self._inner.fingerprint, self._inner.dimensions
        self.embed, self.embed_queries = self._inner.embed, self._inner.embed_queries
        self.pieces, self.token_matches = self._inner.pieces, self._inner.token_matches

    def _state(self, pieces: Sequence[int]) -> Any:
        key = tuple(pieces)
        if key not in self._kept:
            self._kept[key] = self._states(pieces).astype("float16")
        return self._kept[key]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def altered(questions: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Each question that names something, with a name or figure of another article in its place."""
    chooser = random.Random(7)
    parts = [(row, understand(row["text"])) for row in questions]
    names = [(row["article"], name) for row, question in parts for name in question.names]
    numbers = [(row["article"], number) for row, question in parts for number in question.numbers]
    result = {}
    for row, question in parts:
        pool, terms = (numbers, question.numbers) if question.numbers else (names, question.names)
        others = [text for article, text in pool if article != row["article"] and text not in row["text"]]
        if not terms or not others:
            continue
        old = terms[0]
        if question.numbers and old.isdigit() and len(old) == 4:
            others = [text for text in others if text.isdigit() and len(text) == 4] or others
        result[row["_id"]] = row["text"].replace(old, chooser.choice(others), 1)
    return result


def tried(folder: Path, *, distractors: bool) -> list[Case]:
    """Search every question in a case of the paragraphs and shortlist its sentences."""
    texts = {row["_id"]: row for row in rows(folder / "retrieval" / "xquad" / "en_corpus.jsonl")}
    questions = rows(folder / "retrieval" / "xquad" / "en_questions.jsonl")
    for row in questions:
        row["article"] = texts[row["para"]]["title"]
    changed = altered(questions)
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        (work / "in").mkdir()
        for number, row in texts.items():
            (work / "in" / f"{number}.txt").write_text(row["text"], "utf-8")
        if distractors:
            for file in sorted((folder / "analyst" / "vast2011_vastopolis").rglob("*.txt")):
                (work / "in" / f"vast-{file.stem}.txt").write_bytes(file.read_bytes())
        engines = replace(launch.build_engines(settings.load()), embedder=Remembering())
        with Workbench.create(work / "c.disconfirm", engines, title="ask") as bench:
            bench.documents.add([work / "in"])
            bench.index.finish()
            names = {document.id: document.name.removesuffix(".txt") for document in bench.documents.all()}
            print(f"{len(names)} documents, {bench.store.counts()['chunks']} passages", file=sys.stderr)
            queries = [(row["_id"], "", row["text"]) for row in questions]
            queries += [(row["_id"], "altered", changed[row["_id"]]) for row in questions if row["_id"] in changed]
            by_id = {row["_id"]: row for row in questions}
            cases = []
            began = time.monotonic()
            for batch_start in range(0, len(queries), 100):
                batch = queries[batch_start : batch_start + 100]
                results = bench.search.search_many([text for _, _, text in batch], k=PASSAGES + 5)
                for (id_, kind, text), result in zip(batch, results, strict=True):
                    row, question = by_id[id_], understand(text)
                    rarity = Rarity(
                        bench.store.counts()["chunks"], bench.store.words.document_frequency(question.words)
                    )
                    hits = [(names[p.document], p) for p in result.passages]
                    gold, start = row["answers"][0]["text"], row["answers"][0]["answer_start"]
                    for kind_now in [kind] if kind else ["answerable", "paragraph removed", "sentence removed"]:
                        passages, spans_of_passages = [], []
                        for name, p in hits:
                            is_own = name == row["para"]
                            if is_own and kind_now == "paragraph removed":
                                continue
                            body, offset = p.text, start - p.start
                            spans = sentences.sentences(body)
                            span = next((s for s in spans if is_own and s.start <= offset < s.end), None)
                            if span and kind_now == "sentence removed":
                                body = (body[: span.start] + body[span.end :]).strip()
                                span = None
                            if body:
                                passages.append(SearchedPassage(body, p.similarity if p.trusted else None))
                                spans_of_passages.append((span, name))
                        passages, spans_of_passages = passages[:PASSAGES], spans_of_passages[:PASSAGES]
                        short = sentences.shortlist(question.words, passages, rarity, names=question.names)
                        short = [
                            sentence
                            for sentence in short
                            if not evidence.only_asks(sentence.text) and not evidence.denies_it(question, sentence.text)
                        ]
                        documents = [
                            texts[spans_of_passages[sentence.passage][1]]["text"]
                            if spans_of_passages[sentence.passage][1] in texts and kind_now != "sentence removed"
                            else passages[sentence.passage].text
                            for sentence in short
                        ]
                        tokens = engines.embedder.token_matches(question.text, [sentence.read for sentence in short])
                        cases.append(
                            Case(
                                *(id_, row["article"], kind_now, question, gold, short, tokens),
                                [sentence.span == spans_of_passages[sentence.passage][0] for sentence in short],
                                documents,
                                rarity,
                                engines.embedder.pieces(judgement.words_of(question)),
                                [
                                    Context(
                                        passages[sentence.passage].text, spans_of_passages[sentence.passage][1], text
                                    )
                                    for sentence, text in zip(short, documents, strict=True)
                                ],
                            )
                        )
                print(f"{batch_start + len(batch)}/{len(queries)} {time.monotonic() - began:.0f} s", file=sys.stderr)
    return cases


def ordered(case: Case) -> judgement.Order | None:
    """Order the sentences of a case as the program does; None where nothing was found."""
    ranking = sentences.rank(case.shortlist, case.tokens)
    if not ranking:
        return None
    places = [case.shortlist.index(entry.sentence) for entry in ranking]
    return judgement.order(
        case.question,
        case.rarity,
        ranking,
        [case.contexts[place] for place in places],
        answer_model.load(),
        pieces=case.pieces,
    )


def chance(case: Case) -> float:
    """How likely the program finds it that the first sentence of a case answers."""
    order, (signs, _) = ordered(case), signs_of(case)
    if order is None or signs is None:
        return 0.0
    about = answerability.WITH_MEANING.probability(signs)
    return answer_model.load().answers.probability(judgement.signs(case.question, order, about))


def report(cases: Sequence[Case]) -> None:
    """Print how often the answer stands in the first sentence and in the first three."""
    answerable = [case for case in cases if case.kind == "answerable"]
    first = in_three = 0
    for case in answerable:
        order = ordered(case)
        texts = [entry.sentence.text.casefold() for entry in order.ranking[:3]] if order else []
        first += any(case.gold.casefold() in text for text in texts[:1])
        in_three += any(case.gold.casefold() in text for text in texts)
    print(
        f"{len(answerable)} questions: answer string in the first sentence {first / len(answerable):.3f}, "
        f"in three {in_three / len(answerable):.3f}"
    )


def fold_of(cases: Sequence[Case]) -> dict[str, int]:
    return {article: index % FOLDS for index, article in enumerate(sorted({case.article for case in cases}))}


def fit_ranking(cases: Sequence[Case], names: Sequence[str]) -> dict[str, float]:
    """Fit the weights of the columns so that the sentence with the answer comes first (listwise softmax)."""
    import numpy

    tables, targets = [], []
    for case in cases:
        if case.kind == "answerable" and any(case.places[: sentences.RANKED]):
            columns = sentences.columns(case.shortlist, case.tokens)
            tables.append(numpy.array([columns[name] for name in names]).T)
            right = numpy.array(case.places[: len(tables[-1])], dtype=float)
            targets.append(right / right.sum())
    weights = numpy.zeros(len(names))
    mean, spread = numpy.zeros_like(weights), numpy.zeros_like(weights)
    for step in range(1, 400):
        slope = 1e-3 * weights
        for table, right in zip(tables, targets, strict=True):
            scores = table @ weights
            share = numpy.exp(scores - scores.max())
            slope += (share / share.sum() - right) @ table / len(tables)
        mean, spread = 0.9 * mean + 0.1 * slope, 0.999 * spread + 0.001 * slope * slope
        weights = weights - 0.05 * (mean / (1 - 0.9**step)) / (numpy.sqrt(spread / (1 - 0.999**step)) + 1e-9)
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}


def signs_of(case: Case) -> tuple[answerability.Signs | None, bool]:
    """The signs of a case, and whether its first three sentences hold the answer; None where nothing was found."""
    ranked = sentences.rank(case.shortlist, case.tokens)
    if not ranked:
        return None, False
    document = case.documents[case.shortlist.index(ranked[0].sentence)]
    holds = any(case.gold.casefold() in entry.sentence.text.casefold() for entry in ranked[:3])
    return answerability.signs(case.question, ranked, document), holds and case.kind == "answerable"


def fit_answerable(rows_: Sequence[tuple[answerability.Signs, int, float]], names: Sequence[str]) -> answerability.Fit:
    """Fit a logistic regression by Newton's method; a row is (signs, 1 answerable or 0, its weight)."""
    import numpy

    table = numpy.array([[1.0, *(getattr(signs, name) for name in names)] for signs, _, _ in rows_])
    right = numpy.array([float(label) for _, label, _ in rows_])
    share = numpy.array([weight for _, _, weight in rows_])
    weights = numpy.zeros(table.shape[1])
    for _ in range(30):
        chance = 1 / (1 + numpy.exp(-(table @ weights)))
        slope = table.T @ (share * (chance - right)) + 1e-2 * weights
        curve = (table * (share * chance * (1 - chance))[:, None]).T @ table + 1e-2 * numpy.eye(len(weights))
        weights = weights - numpy.linalg.solve(curve, slope)
    named = {name: round(float(weight), 4) for name, weight in zip(names, weights[1:], strict=True)}
    return answerability.Fit(round(float(weights[0]), 4), named)


def labelled(cases: Sequence[Case]) -> list[tuple[str, str, answerability.Signs, int]]:
    """Article, kind, signs and label of each case with a sentence to show; where none is, the question is refused."""
    result = []
    for case in cases:
        signs, _ = signs_of(case)
        if signs is not None:
            result.append((case.article, case.kind, signs, int(case.kind == "answerable")))
    return result


def weighted(
    units: Sequence[tuple[str, str, answerability.Signs, int]],
) -> list[tuple[answerability.Signs, int, float]]:
    """All kinds of unanswerable questions together count as much as the answerable, one by one by SHARES."""
    counts = {kind: max(1, sum(row[1] == kind for row in units)) for kind in KINDS}
    size = len(units)
    return [(signs, label, size / 2 / counts[kind] * SHARES[kind]) for _, kind, signs, label in units]


def curves(scored: Sequence[tuple[str, float]], title: str) -> None:
    """Print what is refused of each kind where a share of the answerable is answered."""
    right = sorted((p for kind, p in scored if kind == "answerable"), reverse=True)
    for answered in (0.95, 0.90, 0.85, 0.80):
        threshold = right[min(len(right) - 1, int(answered * len(right)))]
        refused = {
            kind: sum(p <= threshold for label, p in scored if label == kind)
            / max(1, sum(label == kind for label, _ in scored))
            for kind in KINDS[1:]
        }
        print(
            f"{title}, {answered:.2f} answered (from {threshold:.3f}): "
            + ", ".join(f"{k} {v:.3f}" for k, v in refused.items())
        )


def cross_fitted(
    units: Sequence[tuple[str, str, answerability.Signs, int]], names: Sequence[str]
) -> list[tuple[str, float]]:
    """Kind and probability of each, from a fit to the articles of the other folds."""
    folds = {article: index % FOLDS for index, article in enumerate(sorted({row[0] for row in units}))}
    scored = []
    for fold in range(FOLDS):
        fit = fit_answerable(weighted([row for row in units if folds[row[0]] != fold]), names)
        scored += [(kind, fit.probability(signs)) for article, kind, signs, _ in units if folds[article] == fold]
    return scored


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--distractors", action="store_true")
    parser.add_argument("--fit", action="store_true")
    args = parser.parse_args()
    cases = tried(args.folder, distractors=args.distractors)
    report(cases)
    curves([(case.kind, chance(case)) for case in cases], "answer model")
    units = labelled(cases)
    for title, names, fit in (
        ("all signs", answerability.SIGNS, answerability.WITH_MEANING),
        ("words alone", answerability.OF_WORDS, answerability.WORDS_ALONE),
    ):
        if args.fit:
            curves(cross_fitted(units, names), f"{title}, held out")
            print(fit_answerable(weighted(units), names))
        else:
            curves([(kind, fit.probability(signs)) for _, kind, signs, _ in units], title)
    if args.fit:
        names = tuple(sentences.WEIGHTS)
        print(fit_ranking(cases, names))


if __name__ == "__main__":
    main()
