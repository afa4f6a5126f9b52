"""A question for yes or no and its denial: never a yes to both, whatever the judge leans to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.answers.question import understand
from core.domain import Probabilities
from core.stats import Fit
from core.verdicts import exam_results
from core.verdicts.labels import ShowThreshold
from tests.fakes import ScriptedJudge

PAIRS = [
    ("Did Klara Bost lock the door of the hall?", "Did Klara Bost not lock the door of the hall?"),
    ("Was the relay of pump two out of order?", "Was the relay of pump two not out of order?"),
    ("Was the relay of pump two out of order?", "Wasn't the relay of pump two out of order?"),
    ("Is it true that the guard saw the sealed crate?", "Is it true that the guard did not see the sealed crate?"),
    ("Has Ruben Aske signed the night log?", "Has Ruben Aske not signed the night log?"),
    ("Can the valve be opened by hand?", "Can the valve not be opened by hand?"),
]
TEXTS = {
    "log.txt": "Klara Bost did lock the door of the hall. The relay of pump two was out of order. The valve can be "
    "opened by hand.",
    "denial.txt": "Klara Bost did not lock the door of the hall. The relay of pump two was not out of order. The valve "
    "cannot be opened by hand.",
    "guard.txt": "The guard saw the sealed crate at the gate. Ruben Aske has signed the night log of the plant.",
}


class YesSayer(ScriptedJudge):
    """A judge that finds everything supported."""

    def judge(self, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        return [Probabilities(0.9, 0.05, 0.05)] * len(hypotheses)


class FirstIsTrue(ScriptedJudge):
    """A judge that supports what it is asked first and contradicts the rest, so that it says yes to any question."""

    def judge(self, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        return [Probabilities(0.9, 0.05, 0.05), *[Probabilities(0.05, 0.9, 0.05)] * (len(hypotheses) - 1)]


class SentenceReader(ScriptedJudge):
    """A judge that reads a sentence on the same thing by its negation: contradictory documents draw it both ways."""

    def judge(self, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        return [self._read(passage, text) for text in hypotheses]

    @staticmethod
    def _read(passage: str, text: str) -> Probabilities:
        if len(set(passage.casefold().split()) & set(text.casefold().split())) < 4:
            return Probabilities(0.05, 0.05, 0.9)
        is_denial = " not " in passage or "cannot" in passage
        return Probabilities(0.9, 0.05, 0.05) if (" not " in text) == is_denial else Probabilities(0.05, 0.9, 0.05)


@pytest.fixture(params=[ScriptedJudge, YesSayer, FirstIsTrue, SentenceReader])
def bench(request, case_of, engines, monkeypatch):
    judge = request.param()
    monkeypatch.setattr(exam_results, "require_judge", lambda *_: judge)
    monkeypatch.setattr(
        exam_results,
        "show_thresholds",
        lambda _: tuple(ShowThreshold(label, 0.8) for label in ("supports", "contradicts")),
    )
    monkeypatch.setattr(Fit, "probability", lambda *_: 0.9)  # the words of every question are met here
    return case_of(TEXTS, engines=replace(engines, judge=judge))


def short(bench, question, mode):
    answer = bench.answers.ask(question, mode=mode).answer
    return {point.short for point in answer.points if point.short in ("yes", "no")} if answer.is_answered else set()


@pytest.mark.parametrize("mode", ["exploratory", "strict"])
@pytest.mark.parametrize(("question", "denial"), PAIRS)
def test_a_question_and_its_denial_never_both_get_a_yes(bench, question, denial, mode):
    first, second = short(bench, question, mode), short(bench, denial, mode)
    assert not ("yes" in first and "yes" in second)
    assert not ("no" in first and "no" in second)


@pytest.mark.parametrize("bench", [SentenceReader], indirect=True)  # the other judges are not to be believed
def test_a_sure_judge_says_yes_to_the_one_and_no_to_the_other(bench):
    question, denial = "Has Ruben Aske signed the night log?", "Has Ruben Aske not signed the night log?"
    for mode in ("exploratory", "strict"):
        assert short(bench, question, mode) == {"yes"}
        assert short(bench, denial, mode) == {"no"}


@pytest.mark.parametrize(("question", "denial"), PAIRS)
def test_the_denial_of_a_question_is_the_statement_of_its_denial(question, denial):
    first, second = understand(question), understand(denial)
    if not question.startswith("Is it true that the guard"):  # 'saw' and 'did not see' are no words of each other
        assert (first.statement, first.denial) == (second.denial, second.statement)
    assert first.statement != first.denial
