"""Reading every passage of a case: the searches order it, nothing is asked twice, and what was read is counted."""

from __future__ import annotations

import pytest

from core.ports import Engines
from core.progress import Cancelled, Progress
from core.review import service
from core.workbench import Workbench
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge

HYPOTHESES = ("The dosing pump stopped at night.", "The valve was open.")
TEXTS = [f"Report {number}: the weather was dry and the road was clear." for number in range(8)] + [
    "The dosing pump stopped at night.",
    "The valve was not open.",
]


class Asked(ScriptedJudge):
    """Keeps what it was asked."""

    def __init__(self):
        super().__init__()
        self.calls: list[tuple[str, tuple[str, ...]]] = []

    def judge(self, passage, hypotheses):
        self.calls.append((passage, tuple(hypotheses)))
        return super().judge(passage, hypotheses)


@pytest.fixture
def judge():
    return Asked()


@pytest.fixture
def bench(tmp_path, judge, monkeypatch):
    monkeypatch.setattr(service, "PLANNED", 1)
    with Workbench.create(tmp_path / "c.disconfirm", Engines(PlainReader(), HashEmbedder(), judge), title="T") as bench:
        for number, text in enumerate(TEXTS):
            file = tmp_path / f"{number}.txt"
            file.write_text(text, "utf-8")
            bench.documents.add([file])
        for text in HYPOTHESES:
            bench.hypotheses.add(text)
        yield bench


def test_every_passage_is_read_for_every_hypothesis(bench, judge):
    report = bench.review.propose()
    assert (report.passages_read, report.passages_total) == (len(TEXTS), len(TEXTS))
    assert {passage for passage, _ in judge.calls} == set(TEXTS)
    assert report.effort.startswith(f"All {len(TEXTS)} passages read for 2 hypotheses")
    assert {effort.passages for effort in bench.plans.effort()} == {len(TEXTS)}


def test_of_what_no_search_brought_only_what_speaks_is_kept(bench):
    labels = {(p.name, p.hypothesis): p.verdict.label for p in bench.review.propose().proposals}
    assert labels["8.txt", "H1"] == "supports"
    assert labels["9.txt", "H2"] == "contradicts"
    assert len({name for name, _ in labels}) < len(TEXTS)


def test_a_number_bounds_the_reading(bench, judge):
    report = bench.review.propose(passages=1)
    assert report.passages_read < report.passages_total == len(TEXTS)
    assert len({passage for passage, _ in judge.calls}) == report.passages_read


def test_a_large_case_is_not_read_whole_unless_it_is_asked_for(bench, monkeypatch):
    monkeypatch.setattr(service, "MOST_READ", 3)
    report = bench.review.propose()
    assert report.passages_read < len(TEXTS)
    assert any("more than the 3 that are read whole" in note for note in report.notes)
    assert bench.review.propose(everything=True).passages_read == len(TEXTS)


def test_a_second_run_asks_nothing_twice(bench, judge):
    bench.review.propose()
    judge.calls.clear()
    bench.review.propose()
    assert judge.calls == []


def test_a_cancelled_reading_goes_on_where_it_was(bench, judge):
    def stop(count, _total, label):
        if label.startswith("Reading") and count >= 10:
            raise Cancelled

    with pytest.raises(Cancelled):
        bench.review.propose(progress=Progress(stop))
    read = {passage for passage, _ in judge.calls}
    assert 0 < len(read) < len(TEXTS)
    judge.calls.clear()
    assert bench.review.propose().passages_read == len(TEXTS)
    assert not read & {passage for passage, _ in judge.calls}


def test_a_hypothesis_that_is_added_is_read_beside_the_others_against_everything(bench, judge):
    verdicts = {p.id: p.verdict for p in bench.review.propose().proposals}
    judge.calls.clear()
    bench.hypotheses.add("The road was not clear.")
    report = bench.review.propose()
    assert {passage for passage, _ in judge.calls} == set(TEXTS)
    assert {texts for _, texts in judge.calls} == {(*HYPOTHESES, "The road was not clear.")}
    assert {p.id: p.verdict for p in report.proposals if p.id in verdicts} == verdicts


def test_a_reworded_hypothesis_counts_as_unread(bench):
    bench.review.propose()
    bench.hypotheses.edit("H1", text="The dosing pump did not stop at night.")
    assert {effort.hypothesis: effort.passages for effort in bench.plans.effort()}["H1"] < len(TEXTS)


def test_passages_verdicts_and_quotes_are_the_same_numbers_everywhere(bench, tmp_path):
    stops = "The dosing pump stopped at night and nobody of the shift went down to look at it before the morning came."
    opens = "The valve was open at night and nobody of the shift went down to look at it before the morning came."
    texts = (
        f"{stops}\n\n{stops.replace('night', 'dawn')} {opens}",
        "Die Pumpe wurde in der Nacht nicht von ihm gestoppt.",
    )
    for number, text in enumerate(texts):
        file = tmp_path / f"more {number}.txt"
        file.write_text(text, "utf-8")
        bench.documents.add([file])
    report = bench.review.propose()
    read = len(TEXTS) + 1
    assert report.effort.startswith(f"{read} of {read + 1} passages read for 2 hypotheses")
    assert report.passages_judged == 2 * read
    assert {effort.passages for effort in bench.plans.effort()} == {read}
    pairs = {(p.hypothesis, p.chunk) for p in bench.verdicts.proposals() if not p.unmeasured_language}
    assert len(report.proposals) > len(pairs)
    assert [judge.verdicts for judge in bench.reports.data().judges] == [len(pairs)]


def test_a_document_in_a_language_that_was_not_measured_is_not_called_english(bench, tmp_path):
    file = tmp_path / "vakt.txt"
    file.write_text(
        "Ventil 2 var åpen.\n\nVakten låste ikke porten, og ble sittende med den til det ble lyst.", "utf-8"
    )
    bench.documents.add([file])
    notes = bench.review.propose(passages=20).notes
    assert any("1 Norwegian" in note for note in notes)
    assert not any("vakt.txt" in note and "read as English" in note for note in notes)


def test_only_running_text_of_no_known_language_is_said_to_be_read_as_english(bench, tmp_path):
    (tmp_path / "log.txt").write_text("06:03 LPT-4 zu\n06:10 QX-2 zu\n", "utf-8")
    (tmp_path / "oharra.txt").write_text(
        "Gizona goizeko bederatzietan iritsi zen eta atea itxita zegoen gau osoan zehar.", "utf-8"
    )
    bench.documents.add([tmp_path / "log.txt", tmp_path / "oharra.txt"])
    notes = bench.review.propose(passages=20).notes
    assert "No language was recognised in oharra.txt: it was read as English." in notes
