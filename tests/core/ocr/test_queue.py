"""The queue of doubtful words over a whole case, before and after decisions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.workbench import Workbench
from tests.fakes import FakeOcr

FIRST = "The gaurd~guard heard the door.\nNobody came in."
SECOND = "A van left at 02:l4~02:14 that night."


@pytest.fixture
def bench(tmp_path, engines):
    (tmp_path / "scan.txt").write_text("Words of its own, 1994.\f  \f ", "utf-8")
    with Workbench.create(
        tmp_path / "case.disconfirm", replace(engines, ocr=FakeOcr(FIRST, SECOND)), who="Ann"
    ) as bench:
        bench.documents.add([tmp_path / "scan.txt"])
        bench.ocr.read()
        yield bench


def test_the_queue_goes_by_consequence_over_all_pages(bench):
    assert [(doubt.page, doubt.text) for doubt in bench.ocr.queue()] == [(3, "02:l4"), (2, "gaurd")]
    assert [doubt.text for doubt in bench.ocr.queue(limit=1)] == ["02:l4"]
    page = bench.documents.page("D1", 2)
    row = bench.evidence.add_quote("D1", 2, 0, page.text.index("\n")).id
    first = bench.ocr.queue()[0]
    assert (first.text, first.other, first.cited) == ("gaurd", "guard", (row,))
    assert page.text[first.start : first.end] == "gaurd"
    assert first.reasons == ("the engines differ", "45% sure")


def test_a_decided_word_leaves_and_undo_brings_it_back(bench):
    doubt = next(doubt for doubt in bench.ocr.queue() if doubt.text == "gaurd")
    original_queue = bench.ocr.queue()
    bench.ocr.decide([(doubt.page_id, doubt.word, "corrected", "guardsman")])
    assert [left.text for left in bench.ocr.queue()] == ["02:l4"]
    bench.case.undo()
    assert bench.ocr.queue() == original_queue


def test_a_longer_word_moves_those_behind_it_on_its_page(bench):
    bench.ocr.decide([(bench.documents.page("D1", 3).id, 1, "corrected", "lorry")])
    page = bench.documents.page("D1", 3)
    moved = bench.ocr.queue()[0]
    assert (moved.text, page.text[moved.start : moved.end]) == ("02:l4", "02:l4")
    assert page.text.startswith("A lorry left")


def test_a_case_without_scans_has_no_queue(tmp_path, engines):
    (tmp_path / "plain.txt").write_text("Nothing was scanned in 1994.", "utf-8")
    with Workbench.create(tmp_path / "plain.disconfirm", engines) as bench:
        bench.documents.add([tmp_path / "plain.txt"])
        assert bench.ocr.queue() == []
