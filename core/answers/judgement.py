"""Sentences in the order of the answer model: how likely the first answers, and which two differ. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from core.answers.answer_model import AnswerModel, LinearModel
from core.answers.features import Context, Row
from core.answers.features import table as rows_of
from core.answers.points import exclude, value
from core.answers.question import EXPECTED, Question
from core.answers.results import Confidence
from core.answers.sentences import RankedSentence, Rarity, beginnings
from core.answers.short_answers import short_answer
from core.language import lexicon
from core.language.denial import denies
from core.search.ranking import STOP_WORDS
from core.text import FULL_WORD, WORD

_PRESENT = 0.5  # of a feature that is 0.5 if a question does not ask for it
_COPY = 0.7  # of the words of two sentences from which they are copies
_HEDGES = frozenset[str]().union(*(lexicon.words_of("en", kind) for kind in ("reservation", "strong_hedge", "opinion")))
_RIVAL = 0.4  # of the chance of the first sentence
RIVALS = 6  # sentences among which two may differ
_OF_THE_FIRST = (
    *("own", "near", "around", "document", "with_head", "lacks", "met", "met_worst", "met_least", "mate", "mate_worst"),
    *("met_words", "met_lowest", "met_asked", "met_previous", "met_following", "mate_words", "mate_lowest"),
    *("names_here", "names_near", "names_document", "numbers_here", "numbers_near", "numbers_document", "cosine"),
    *("fits", "typed"),
    *("asked_here", "asked_near", "row", "pairs", "length", "tiny", "nothing_new", "question", "judged"),
    *("day_here", "other_day"),
)
_OF_THE_BEST = (
    *("own", "near", "met_words", "met_lowest", "met_asked", "asked_near", "pairs", "fits", "typed", "judged"),
)
_BEST = 3  # sentences that are compared besides the first


@dataclass(frozen=True, slots=True)
class Order:
    """Sentences in the order of the answer model, each with its figures and its share of the chance to answer."""

    ranking: list[RankedSentence]
    rows: list[Row]
    shares: list[float]
    contexts: list[Context]
    values: list[str]  # of the first few: the value of the kind that is asked for, '' for none


def words_of(question: Question) -> list[str]:
    """List the words of a question, of each of which the tokens are to be counted."""
    return WORD.findall(question.text)


def order(
    question: Question,
    rarity: Rarity,
    ranking: Sequence[RankedSentence],
    contexts: Sequence[Context],
    model: AnswerModel,
    *,
    pieces: Sequence[int] = (),
) -> Order:
    """Order ranked sentences by the model; ``contexts`` has one for each.

    ``pieces`` counts the tokens of each word of the question.
    """
    rows = rows_of(question, rarity, ranking, contexts, pieces=pieces)
    return arranged(question, ranking, rows, contexts, model.rank)


def arranged(
    question: Question,
    ranking: Sequence[RankedSentence],
    rows: Sequence[Row],
    contexts: Sequence[Context],
    rank: LinearModel,
) -> Order:
    """Order sentences by their scores; ties keep their order."""
    scores = [round(rank.value(row), 9) for row in rows]
    places = sorted(range(len(rows)), key=lambda index: (-scores[index], index))
    top = max(scores, default=0.0)
    powers = [math.exp(scores[index] - top) for index in places]
    total = sum(powers) or 1.0
    return Order(
        [replace(ranking[index], score=scores[index]) for index in places],
        [rows[index] for index in places],
        [power / total for power in powers],
        [contexts[index] for index in places],
        [value_of(question, ranking[index].sentence.text) for index in places[:RIVALS]],
    )


def reordered(question: Question, order: Order, verdicts: Sequence[float], model: AnswerModel) -> Order:
    """Order sentences again by the reader's figures, from 0 to 1, of how well each answers the question."""
    rows = [row | {"judged": verdict} for row, verdict in zip(order.rows, verdicts, strict=True)]
    return arranged(question, order.ranking, rows, order.contexts, model.rank)


def with_rows_first(question: Question, order: Order) -> Order:
    """Return an order with the rows that the question names by their keys before all others."""
    places = sorted(range(len(order.ranking)), key=lambda index: not order.ranking[index].sentence.has_keys)
    if places == list(range(len(places))):
        return order
    ranking = [order.ranking[index] for index in places]
    return Order(
        ranking,
        [order.rows[index] for index in places],
        [order.shares[index] for index in places],
        [order.contexts[index] for index in places],
        [value_of(question, row.sentence.text) for row in ranking[:RIVALS]],
    )


def signs(question: Question, order: Order, chance: float) -> Row:
    """Return the features of whether the first sentence answers; ``chance`` is the probability by the signs alone."""
    first, shares = order.rows[0], [*order.shares, 0.0, 0.0]
    row = {f"first_{name}": first[name] for name in _OF_THE_FIRST}
    row |= {f"best_{name}": max(rival_row[name] for rival_row in order.rows[:_BEST]) for name in _OF_THE_BEST}
    row |= {
        "share": shares[0],
        "three": sum(shares[:3]),
        "gap": shares[0] - shares[1],
        "score": order.ranking[0].score / 10,
        "chance": chance,
        "logit": math.log(max(1e-4, chance) / max(1e-4, 1 - chance)) / 4,
        "words": len(question.words) / 10,
        "names": min(1.0, len(question.names) / 3),
    }
    return row | {f"kind_{kind}": float(question.kind == kind) for kind in EXPECTED}


def pair_signs(question: Question, order: Order, left: int, right: int, chance: float) -> Row:
    """Return the features of whether two sentences give different answers to a question."""
    left_row, right_row = order.rows[left], order.rows[right]
    texts = order.ranking[left].sentence.text, order.ranking[right].sentence.text
    values = order.values[left], order.values[right]
    words = [{b for b in beginnings(text) if b not in STOP_WORDS and not b[:1].isdigit()} for text in texts]
    lesser = min(order.shares[left], order.shares[right])
    all_words = words[0] | words[1]
    return {
        "share": order.shares[left] + order.shares[right],
        "lesser": lesser,
        "balance": lesser / max(order.shares[left], order.shares[right], 1e-9),
        "chance": chance,
        "own": min(left_row["own"], right_row["own"]),
        "near": min(left_row["near"], right_row["near"]),
        "met": min(left_row["met"], right_row["met"]),
        "around": min(left_row["around"], right_row["around"]),
        "fits": min(left_row["fits"], right_row["fits"]),
        "typed": min(left_row["typed"], right_row["typed"]),
        "judged": min(left_row["judged"], right_row["judged"]),
        "differ": float(all(values) and values[0] != values[1]),
        "same": float(all(values) and values[0] == values[1]),
        "denial": float(denies(texts[0]) != denies(texts[1])),
        "overlap": len(words[0] & words[1]) / len(all_words) if all_words else 0.0,
        "documents": float(order.contexts[left].title != order.contexts[right].title),
        "passages": float(order.contexts[left].passage != order.contexts[right].passage),
        "rows": float(left_row["row"] and right_row["row"]),
        "row": float(bool(left_row["row"]) != bool(right_row["row"])),
        "first": float(left == 0),
        "second": float(left == 0 and right == 1),
    } | {f"kind_{kind}": float(question.kind == kind) for kind in EXPECTED}


def is_clear(order: Order) -> bool:
    """Return whether the first sentence has the value and the names of the question, and no rival another value.

    Half of the weight of the question's words must be in it and the sentence before: 'locked' is not 'opened'.
    A rival is one of the first few sentences with nearly the first one's share of the probability.
    """
    first = order.rows[0]
    names = ("fits", "typed", "names_near", "numbers_near", "near")
    if min(*(first[name] for name in names), first["own"] * 2) < _PRESENT:
        return False
    answer = order.values[0]
    return all(
        share < _RIVAL * order.shares[0] or (answer and rival == answer)
        for rival, share in zip(order.values[1:], order.shares[1:], strict=False)
    )


def is_hedged(text: str) -> bool:
    """Return whether a sentence says what it says as a condition, a doubt or a guess: it answers nothing for sure."""
    words = (word for word in FULL_WORD.findall(text) if word != "May")
    return any(word.casefold() in _HEDGES for word in words)


def level_behind(order: Order, index: int) -> Confidence:
    """Return the highest confidence of a sentence after the first: none answers as surely as the first."""
    return "medium" if order.shares[index] >= _RIVAL * order.shares[0] else "low"


def value_of(question: Question, text: str) -> str:
    """Return the short answer in a sentence, normalised; '' for none."""
    return value(text, short_answer(question, text))


def disputed(question: Question, order: Order, chance: float, model: AnswerModel) -> tuple[int, int] | None:
    """Return the two sentences that most probably give different answers; None if none probably do."""
    best, pair = model.differ_from, None
    for left, right in combinations(range(min(RIVALS, len(order.ranking))), 2):
        figures = pair_signs(question, order, left, right, chance)
        if not _may_differ(question, figures, (order.values[left], order.values[right])):
            continue
        probability = model.differ.probability(figures)
        if probability >= best + (1e-9 if pair else 0.0):
            best, pair = probability, (left, right)
    return pair


def _may_differ(question: Question, figures: Row, values: tuple[str, str]) -> bool:
    """Return whether two sentences give two values, or, without a kind of value, are no copies."""
    if EXPECTED[question.kind]:
        return all(values) and exclude(*values)
    is_copy = figures["overlap"] >= _COPY and not figures["differ"] and not figures["denial"]
    return not figures["same"] and not is_copy
