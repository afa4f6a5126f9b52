"""A judge that cannot take everything: the rest is judged, and what was left out is named."""

from __future__ import annotations

from collections import Counter

import pytest

from core.errors import BadInput, EngineStopped, ModelUnreadable
from core.ports import Engines
from core.review import judging
from core.workbench import Workbench
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge

TIMES = [f"02:{minute:02}" for minute in range(12)]
NOT_A_NUMBER = ModelUnreadable(path="m", reason="it gave an answer that is not a number", effect="there is no verdict")
ENDED = EngineStopped(engine="language model", item="a passage", reason="killed by SIGSEGV")


class Failing(ScriptedJudge):
    """Fails at passages that hold one of ``times``."""

    def __init__(self, error, *times):
        super().__init__()
        self.error, self.times = error, times
        self.asked = Counter()

    def judge(self, passage, hypotheses):
        self.asked[passage] += 1
        if any(time in passage for time in self.times):
            raise self.error
        return super().judge(passage, hypotheses)


class Short(ScriptedJudge):
    """Takes hypotheses of 60 characters at most, and passages of 200."""

    def __init__(self):
        super().__init__()
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def judge(self, passage, hypotheses):
        self.asked.append((passage, tuple(hypotheses)))
        if len(passage) > 200:
            raise BadInput(reason="A passage is too long.", remedy="Cut it.")
        if any(len(text) > 60 for text in hypotheses):
            raise BadInput(reason="A hypothesis is too long.", remedy="Put it in one sentence.")
        return super().judge(passage, hypotheses)


@pytest.fixture
def case(tmp_path):
    benches = []

    def make(judge, *hypotheses, texts=None):
        bench = Workbench.create(tmp_path / "c.disconfirm", Engines(PlainReader(), HashEmbedder(), judge), title="T")
        benches.append(bench)
        for number, text in enumerate(texts or [f"The dosing pump stopped at {time} in the night." for time in TIMES]):
            file = tmp_path / f"{number}.txt"
            file.write_text(text, "utf-8")
            bench.documents.add([file])
        for text in hypotheses or ["The operator stopped the dosing pump at 02:03."]:
            bench.hypotheses.add(text)
        return bench

    yield make
    for bench in benches:
        bench.close()


@pytest.mark.parametrize("error", [NOT_A_NUMBER, ENDED], ids=["no number", "process ended"])
def test_a_passage_at_which_the_model_fails_costs_that_passage_alone(case, error):
    bench = case(Failing(error, "02:03", "02:07"))
    report = bench.review.propose()
    assert len(report.proposals) == 10
    named = [note for note in report.notes if error.sentence in note]
    assert sorted(note.partition(",")[0] for note in named) == ["3.txt", "7.txt"]


@pytest.mark.parametrize("error", [NOT_A_NUMBER, ENDED], ids=["no number", "process ended"])
def test_a_model_that_fails_at_one_passage_after_the_other_ends_the_run(case, error):
    judge = Failing(error, "02:")
    bench = case(judge)
    with pytest.raises(type(error)):
        bench.review.propose()
    assert len(judge.asked) == judging.GIVE_UP
    assert bench.verdicts.proposals() == []


def test_a_model_that_fails_at_all_of_two_passages_is_told_as_an_error(case):
    bench = case(Failing(ENDED, "02:"), texts=["The dosing pump stopped at 02:01.", "The dosing pump ran at 02:02."])
    with pytest.raises(EngineStopped):
        bench.review.propose()


def test_a_hypothesis_too_long_for_the_model_takes_no_verdict_from_the_others(case):
    long = "The operator stopped the dosing pump because the vendor had asked for it in a letter of the week before."
    judge = Short()
    bench = case(judge, "The operator stopped the dosing pump.", long, "The dosing pump stopped at night.")
    report = bench.review.propose()
    assert {proposal.hypothesis for proposal in report.proposals} == {"H1", "H3"}
    (note,) = [note for note in report.notes if "too long" in note]
    assert note == "H2: A hypothesis is too long. Put it in one sentence."
    calls = [hypotheses for _, hypotheses in judge.asked if long in hypotheses]
    assert len(calls) == 2  # once with the others, once by itself, and never again
    passage_report = bench.review.judge_passage(bench.store.pages.chunk_ids("D1")[0])
    assert {proposal.hypothesis for proposal in passage_report.proposals} == {"H1", "H3"}
    assert any(note.startswith("H2: ") for note in passage_report.notes)


def test_a_passage_too_long_for_the_model_is_named_and_the_hypothesis_goes_on(case):
    bench = case(
        Short(), texts=["The dosing pump stopped at night. " * 3, "The dosing pump, " * 14 + "the dosing pump stopped."]
    )
    report = bench.review.propose()
    assert len(report.proposals) == 1
    assert [note for note in report.notes if "too long" in note] == ["1.txt, page 1: A passage is too long. Cut it."]


def test_a_second_reader_that_fails_at_one_passage_reads_the_others(case):
    bench = case(ScriptedJudge())
    proposals = bench.review.propose().proposals
    reader = Failing(NOT_A_NUMBER, "02:03")
    reader.fingerprint = "another judge"
    bench.engines = Engines(PlainReader(), HashEmbedder(), ScriptedJudge(), second_reader=reader)
    report = bench.review.read_again([proposal.id for proposal in proposals])
    assert len(report.proposals) == len(proposals) - 1
    assert any(NOT_A_NUMBER.sentence in note for note in report.notes)


def test_each_part_of_a_passage_is_asked_about_once_for_all_hypotheses(case):
    class Counting(ScriptedJudge):
        asked: list[tuple[str, int]] = []  # noqa: RUF012

        def judge(self, passage, hypotheses):
            self.asked.append((passage, len(hypotheses)))
            return super().judge(passage, hypotheses)

    text = (
        "The dosing pump stopped at night, which the log of the control room shows with the minute and the hour, and "
        "which nobody in the building noticed before the early shift came to work. "
        "The valve of the dosing pump was open the whole time, so that the water ran off into the ditch behind the "
        "hall, as the marks on the wall and the wet ground showed in the morning."
    )
    bench = case(Counting(), "The dosing pump stopped at night.", "The dosing pump stopped.", texts=[text])
    assert bench.review.propose().proposals
    parts = Counter(passage for passage, _ in Counting.asked if passage in text and passage != text)
    assert len(parts) == 2
    assert set(parts.values()) == {1}


def test_a_hypothesis_in_another_language_is_not_judged(case):
    bench = case(ScriptedJudge(), "Die Pumpe wurde von dem Wärter nicht abgestellt.")
    reports = [bench.review.propose(), bench.review.judge_passage(bench.store.pages.chunk_ids("D1")[0])]
    for report in reports:
        assert "H1 is not judged: it is in German, and the judge was measured on English only." in report.notes
    assert {proposal.hidden_reason for proposal in bench.verdicts.proposals()} == {"language"}


def test_a_passage_in_another_language_shows_no_verdict_and_suggests_nothing(case):
    texts = [
        "The night guard stopped the pump at the gate.",
        "Die Pumpe wurde von dem Wärter pump guard stopped.",
        "Насос стоял: pump guard stopped, сказал сторож ночью.",
    ]
    bench = case(ScriptedJudge(), "The guard stopped the pump.", texts=texts)
    report = bench.review.propose()
    assert "Not judged: 2 passages (1 German, 1 Russian). The judge was measured on English only." in report.notes
    assert (report.passages_read, report.passages_total) == (1, 3)
    by_document = {proposal.quote.document: proposal for proposal in bench.verdicts.proposals()}
    languages = {document: proposal.unmeasured_language for document, proposal in by_document.items()}
    assert languages == {"D1": "", "D2": "German", "D3": "Russian"}
    hidden = [proposal.id for proposal in by_document.values() if proposal.is_hidden]
    bench.review.accept(hidden, rate=True)
    assert bench.evidence.suggestions() == []


def test_the_language_of_a_document_is_set_by_hand(case):
    bench = case(ScriptedJudge(), "The guard stopped the pump.", texts=["Pump guard stopped 02:14."])
    bench.review.propose()
    assert [proposal.unmeasured_language for proposal in bench.verdicts.proposals()] == [""]
    bench.documents.describe(["D1"], language="German")
    assert [proposal.unmeasured_language for proposal in bench.verdicts.proposals()] == ["German"]
    assert [passage.document for passage in bench.search.find("pump language:de").passages] == ["D1"]
    assert bench.search.find("pump -language:de").passages == ()
    with pytest.raises(BadInput):
        bench.documents.describe(["D1"], language="Martian")
    bench.documents.describe(["D1"], language="en")
    assert [proposal.unmeasured_language for proposal in bench.verdicts.proposals()] == [""]
    assert bench.case.verify().ok


def test_a_verdict_is_on_what_states_something(case):
    title, saying = "Statement of the dosing pump operator, 4 May 2021", "The pump was stopped at 02:03."
    judge = Short()
    report = case(judge, texts=[f"{title}\n\n{saying}"]).review.propose()
    assert [proposal.quote.text for proposal in report.proposals] == [saying]
    assert [passage for passage, _ in judge.asked] == [saying]
