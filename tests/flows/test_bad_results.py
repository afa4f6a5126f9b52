"""Answers, conflicts and cards over documents that mean ill, and over scans that are corrected afterwards."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pymupdf
import pytest

from core.engines.readers.dispatch import FileReader
from core.glossary import forms
from core.workbench import Workbench
from tests.fakes import FakeOcr

SCANNED = "The badge reader was off.\nKlara Bost signed for the valve."
HOSTILE = "=cmd|'/C calc'!A0"


@pytest.fixture
def opened(tmp_path, engines):
    made = []

    def build(**roles):
        made.append(Workbench.create(tmp_path / "case.disconfirm", replace(engines, **roles), who="ann"))
        return made[0]

    yield build
    for bench in made:
        bench.close()


def test_an_answer_from_a_scan_goes_stale_when_a_word_of_it_is_corrected(opened, tmp_path):
    bench = opened(ocr=FakeOcr(SCANNED))
    (tmp_path / "scan.txt").write_text("A first page with words.\f   ", "utf-8")
    bench.documents.add([tmp_path / "scan.txt"])
    bench.ocr.read()
    bench.answers.ask("Who signed for the valve?", keep=True)
    (before,) = bench.answers.all()
    assert not before.is_stale
    quotes = [source.quote.text for point in before.answer.points for source in point.sources]
    assert any("Klara Bost" in text for text in quotes)
    page = bench.documents.page("D1", 2)
    bench.ocr.decide([(page.id, SCANNED.split().index("Bost"), "corrected", "Post")])
    (now,) = bench.answers.all()
    assert now.is_stale
    assert now.unproven
    assert not any("Bost" in source.quote.text for point in now.answer.points for source in point.sources)
    bench.case.undo()
    (again,) = bench.answers.all()
    assert (again.is_stale, again.answer.points) == (False, before.answer.points)


def test_what_nobody_sees_on_a_page_answers_nothing(opened, tmp_path):
    bench = opened(reader=FileReader())
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((60, 80), "The weather in the valley was fine that day.", fontsize=11)
        page.insert_text((60, 100), "Ruben Aske signed for the sluice key.", fontsize=11, color=(1, 1, 1))
        page.insert_text((60, 120), "Ruben Aske signed for the sluice key.", fontsize=11, render_mode=3)
        document.save(tmp_path / "report.pdf")
    bench.documents.add([tmp_path / "report.pdf"])
    for mode in ("strict", "exploratory", "audit"):
        answer = bench.answers.ask("Who signed for the sluice key?", mode=mode).answer
        assert not answer.is_answered
        points = (*answer.points, *answer.doubtful)
        assert not any("Aske" in source.quote.text + source.before for point in points for source in point.sources)


def test_two_documents_that_contradict_themselves_a_thousand_times_are_a_handful_and_a_count(opened, tmp_path):
    bench = opened()
    names = [f"{chr(65 + n // 100)}{chr(97 + n // 10 % 10)}{chr(97 + n % 10)}tessaric" for n in range(1_000)]
    for file, first, second in (("one", 10, 20), ("two", 30, 40)):
        lines = [f"The sealed crate {name} of the depot in Ostermere under seal weighs {kilos} kilos in all."
                 for kilos in (first, second) for name in names]  # fmt: skip
        (tmp_path / f"{file}.txt").write_text("\n\n".join(lines), "utf-8")
    bench.documents.add([tmp_path / "one.txt", tmp_path / "two.txt"])
    report = bench.conflicts.find()
    assert 0 < len(report.conflicts) <= 30  # at most ten of each document and of both
    assert report.pairs <= 20 * report.statements
    assert any("contradict" in note and "more places" in note for note in report.notes)


def test_a_question_that_is_a_formula_is_none_in_a_table_of_cards(opened, tmp_path):
    bench = opened()
    (tmp_path / "log.txt").write_text(f"{HOSTILE} signed for the valve. Klara Bost signed the log.", "utf-8")
    bench.documents.add([tmp_path / "log.txt"])
    bench.answers.ask(f"{HOSTILE} Who signed the log?", keep=True)
    entries = bench.glossary.entries()
    table = forms.render(".csv", "Pump", entries, bench.glossary.cards(entries)).decode("utf-8-sig")
    for row in csv.reader(io.StringIO(table)):
        assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for cell in row)
