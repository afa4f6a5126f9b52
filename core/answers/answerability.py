"""Whether what was found answers a question, and what it lacks if not.

Pure. A logistic regression over figures that do not depend on how large a case is. It was fitted on English XQuAD with
three kinds of questions that cannot be answered: their paragraph taken out, only their sentence taken out, a name or a
figure in the question altered (tests/eval/ask.py). That search is sure of a passage says that it is about the question,
which is less than that it answers it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

from core.answers.question import EXPECTED, Question
from core.answers.sentences import WORST, RankedSentence
from core.answers.short_answers import short_answer
from core.stats import Fit

_BEST = 3  # sentences that are looked at beside the first
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Signs:
    """Signs that the best sentence answers the question; each between 0 and 1, or nearly.

    ``near`` is the largest share of the question's words that one of the first few sentences holds with the one before
    it, ``around`` the share in the passage of the first, ``lacks`` the weight of the rarest word that the first lacks.
    ``met_worst`` and ``met_least``: how well the three tokens of the question that are met worst, and the worst of all,
    are met in the first; ``together`` and ``together_worst`` in all ranked sentences of its passage: all tokens, the
    three worst. ``cosine`` that of its passage. ``names`` and ``numbers``: the share of those in the question that
    stand in its document. ``typed``: whether it holds what the question asks for. ``length``: its words / 10.
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
ANSWERED = 0.58  # from this chance on a question is answered: .85 of those that can be
SURE = 0.8

SIGNS = tuple(field.name for field in fields(Signs))
OF_WORDS = ("near", "around", "lacks", "names", "numbers", "typed", "length")  # known without a search model


def signs(question: Question, ranking: Sequence[RankedSentence], document: str) -> Signs:
    """Read the signs off ranked sentences (at least one) and the text of the document that the first stands in."""
    first = ranking[0]
    mates = [one.tokens for one in ranking if one.sentence.passage == first.sentence.passage and one.tokens]
    together = sorted(max(values) for values in zip(*mates, strict=True)) or [0.0]
    worst = together[:WORST]
    there = {word.casefold() for word in _WORD.findall(document)}
    wants = EXPECTED[question.kind]
    return Signs(
        near=max(one.sentence.near for one in ranking[:_BEST]),
        around=first.sentence.around,
        lacks=first.sentence.lacks,
        met_worst=first.met_worst,
        met_least=min(first.tokens, default=0.0),
        together=sum(together) / len(together),
        together_worst=sum(worst) / len(worst),
        cosine=first.sentence.cosine or 0.0,
        names=_share_there(question.names, there),
        numbers=_share_there(question.numbers, there),
        typed=0.0 if wants and short_answer(question, first.sentence.text) is None else 1.0,
        length=len(question.words) / 10,
    )


def absent(names: Sequence[str], document: str) -> list[str]:
    """List those names or figures of which a word does not stand in a document."""
    there = {word.casefold() for word in _WORD.findall(document)}
    return [name for name in names if not _stands(name, there)]


def _stands(name: str, there: set[str]) -> bool:
    words = [word.casefold() for word in _WORD.findall(name)]
    return all(word in there or _bare(word) in there or f"{word}s" in there for word in words if word != "s")


def _bare(word: str) -> str:
    return word.removesuffix("s")


def _share_there(names: Sequence[str], there: set[str]) -> float:
    return sum(_stands(name, there) for name in names) / len(names) if names else 1.0
