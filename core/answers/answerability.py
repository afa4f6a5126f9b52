"""Whether the ranked sentences answer a question, and what is missing otherwise.

Pure. A logistic regression over figures that do not depend on the size of a case. It was fitted on English XQuAD with
three kinds of unanswerable questions: without their paragraph, without their sentence, with an altered name or figure
(tests/eval/ask.py). A confident search only shows that a passage is about the question, which is less than an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from core.answers.question import EXPECTED, Question
from core.answers.sentences import WORST, RankedSentence
from core.answers.short_answers import short_answer
from core.language.dates import dates_in
from core.stats import Fit
from core.text import WORD

_BEST = 3  # sentences that are compared besides the first


@dataclass(frozen=True, slots=True)
class Signs:
    """Signs that the best sentence answers the question; each between 0 and 1, or nearly.

    ``near`` is the largest share of the question's words that one of the first sentences has together with the
    previous sentence, ``around`` the share in the passage of the first, ``lacks`` the weight of the rarest word
    that the first lacks. ``met_worst`` and ``met_least``: the matches of the question's three worst tokens, and of
    the worst, in the first sentence; ``together`` and ``together_worst``: of all tokens and of the three worst in
    all ranked sentences of its passage. ``cosine`` is its passage's. ``names`` and ``numbers``: the share of the
    question's that its document has. ``typed``: whether it has a value of the kind that is asked for. ``length``:
    the question's words / 10.
    """

    near: float
    around: float
    lacks: float
    met_worst: float
    met_least: float
    together: float
    together_worst: float
    cosine: float
    names: float
    numbers: float
    typed: float
    length: float


# Fitted by tests/eval/ask.py --fit. Held out by article, where .85 of the answerable questions are answered, .943 of
# those whose paragraph, .782 of those whose sentence was taken out and .800 of the altered ones are refused.
WITH_MEANING = Fit(
    -15.4448,
    {
        "near": 3.1116,
        "around": 2.0638,
        "lacks": 2.4371,
        "met_worst": -1.8487,
        "met_least": 3.251,
        "together": 10.3616,
        "together_worst": 4.11,
        "cosine": -2.8856,
        "names": 1.0952,
        "numbers": 1.6476,
        "typed": 0.8386,
        "length": 1.2336,
    },
)
# By words alone: .902, .706 and .649.
WORDS_ALONE = Fit(
    -12.2785,
    {
        "near": 4.3987,
        "around": 5.5762,
        "lacks": 3.0197,
        "names": 1.609,
        "numbers": 1.7158,
        "typed": 1.0635,
        "length": 1.1698,
    },
)
ANSWERED = 0.58  # least probability of an answer: .85 of the answerable questions reach it
SURE = 0.8

SIGNS = tuple(field.name for field in fields(Signs))
OF_WORDS = ("near", "around", "lacks", "names", "numbers", "typed", "length")  # known without a search model


def signs(question: Question, ranking: Sequence[RankedSentence], document: str) -> Signs:
    """Read the signs off ranked sentences (at least one) and the text of the document that the first is in."""
    first = ranking[0]
    token_rows = [row.tokens for row in ranking if row.sentence.passage == first.sentence.passage and row.tokens]
    best_tokens = sorted(max(values) for values in zip(*token_rows, strict=True)) or [0.0]
    worst_tokens = best_tokens[:WORST]
    vocabulary = {word.casefold() for word in WORD.findall(document)}
    wants = EXPECTED[question.kind]
    return Signs(
        near=max(row.sentence.near for row in ranking[:_BEST]),
        around=first.sentence.around,
        lacks=first.sentence.lacks,
        met_worst=first.met_worst,
        met_least=min(first.tokens, default=0.0),
        together=sum(best_tokens) / len(best_tokens),
        together_worst=sum(worst_tokens) / len(worst_tokens),
        cosine=first.sentence.cosine or 0.0,
        names=_share_present(question.names, vocabulary),
        numbers=_share_present(question.numbers, vocabulary),
        typed=0.0 if wants and short_answer(question, first.sentence.text) is None else 1.0,
        length=len(question.words) / 10,
    )


def absent(names: Sequence[str], document: str, question: str = "") -> list[str]:
    """List those names or figures of which a word is not in a document.

    Those of a date of the question are there if the document has that date in any form.
    """
    vocabulary = {word.casefold() for word in WORD.findall(document)}
    missing = [name for name in names if not _occurs(name, vocabulary)]
    question_dates = dates_in(question) if missing else []
    days = [(date.earliest[:10], date.latest[:10]) for date in dates_in(document)] if question_dates else []
    dated = {
        word
        for date in question_dates
        if any(first <= date.latest[:10] and date.earliest[:10] <= last for first, last in days)
        for word in WORD.findall(question[date.start : date.end])
    }
    return [name for name in missing if not dated.issuperset(WORD.findall(name))]


def _occurs(name: str, vocabulary: set[str]) -> bool:
    words = [word.casefold() for word in WORD.findall(name)]
    return all({word, word.removesuffix("s"), f"{word}s"} & vocabulary for word in words if word != "s")


def _share_present(names: Sequence[str], vocabulary: set[str]) -> float:
    return sum(_occurs(name, vocabulary) for name in names) / len(names) if names else 1.0
