"""What the documents screen shows, as values: nothing here needs a window."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from core.documents.importing import ImportReport, ImportResult
from core.domain import LeftOut, NearDuplicate
from core.store import ImportedRow
from core.workbench import Workbench
from gui_app.documents.documents_model import DocumentsModel, imported_files, stored_files
from gui_app.documents.facets import in_state
from gui_app.documents.state import (
    DocumentsState,
    first_poor_page,
    last_import_words,
    load,
    report_summary,
    scan_summary,
    stored_summary,
    whole_import,
)
from tests.fakes import FakeOcr
from tests.gui_app.conftest import TEXTS


@dataclass
class Row:
    document: str
    status: str = "added"
    run: int = 1
    at: str = "2024-03-05T10:00:00Z"
    parent: str = ""


@pytest.fixture
def bench(tmp_path, engines):
    bench = Workbench.create(tmp_path / "test.disconfirm", engines, title="Who was it?", who="Tester")
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 4)
    bench.documents.add([*(tmp_path / name for name in TEXTS), tmp_path / "noise.bin"])
    yield bench
    bench.close()


def test_the_state_is_read_from_the_case(bench):
    state = load(bench)
    assert sorted(document.name for document in state.documents) == sorted(TEXTS)
    assert [document.name for document in state.failures] == ["noise.bin"]
    assert (state.removals, state.locked_ids, state.poor_pages) == ([], frozenset(), 0)
    assert first_poor_page(bench) is None
    assert state.count() == "3 documents · 5 pages · 1 not read"
    bench.documents.set_included(["D1"], False)
    assert "1 out of scope" in load(bench).count()
    assert DocumentsState().count() == ""


def test_pages_that_wait_for_ocr_are_counted(bench):
    file = bench.documents.all()[0]
    state = DocumentsState([replace(file, pages_without_text=1)])
    assert state.scans(missing_engine=False) == "1 page has no text, so search can’t find it."
    both = replace(state, documents=[replace(file, pages_without_text=2)], poor_pages=3)
    assert both.scans(missing_engine=True) == (
        "2 pages have no text, so search can’t find them. 3 pages have text that looks garbled or doesn’t match the "
        "page image. No OCR engine is on this computer."
    )
    assert replace(state, documents=[replace(file, pages_without_text=1, status="failed")]).pages_without_text() == 0


def test_a_page_that_ocr_found_blank_is_called_so_and_not_offered_again(bench, tmp_path):
    (tmp_path / "minutes.txt").write_text("The gate was open.\f ", "utf-8")
    (tmp_path / "cover.txt").write_text(" ", "utf-8")
    bench.documents.add([tmp_path / "minutes.txt", tmp_path / "cover.txt"])
    assert load(bench).pages_without_text() == 2
    assert load(bench).count().endswith(" · 1 without text · 1 not read")
    bench.engines = replace(bench.engines, ocr=FakeOcr(always=""))
    report = bench.ocr.read()
    assert scan_summary(report) == "2 pages read, blank."
    state = load(bench)
    assert (state.pages_without_text(), state.scans(missing_engine=False)) == (0, "")
    assert "without text" not in state.count()
    model = DocumentsModel()
    model.blank_pages = dict(state.blank_pages)
    by_name = {document.name: document for document in state.documents}
    assert model._status(by_name["minutes.txt"]) == "ready; 1 blank"
    assert model._status(by_name["cover.txt"]) == "blank"
    assert not in_state(by_name["minutes.txt"], "without text", model)


def test_the_pair_to_compare_has_the_older_one_first(bench):
    state = load(bench)
    first, second, third = state.documents
    assert state.pair({"D1", "D2"}, first) == ("D1", "D2")
    assert state.pair(set(), None) is None
    assert state.pair({"D1"}, first) is None  # it is like no other
    newer = replace(state, documents=[first, replace(second, superseded_by="D1"), third])
    assert newer.pair({"D1", "D2"}, first) == ("D2", "D1")
    assert newer.pair({"D2"}, newer.documents[1]) == ("D2", "D1")
    alike = replace(state, likenesses={"D3": NearDuplicate("D3", "D1", "near", 0.9)})
    assert alike.pair({"D3"}, third) == alike.pair({"D1"}, first) == ("D1", "D3")


def test_what_was_only_read_again_belongs_to_the_import_before():
    runs = {1: [Row("D1"), Row("D2", "failed")]}
    second_reading = Row("D2", "added", run=2, at="2024-03-06T10:00:00Z")
    rows, moment = whole_import([second_reading], runs.__getitem__)
    assert ([(row.document, row.status) for row in rows], moment) == ([("D1", "added"), ("D2", "added")], runs[1][0].at)
    third = Row("D3", run=2, at="2024-03-06T10:00:00Z")
    assert whole_import([third], runs.__getitem__) == ([third], third.at)  # a file of its own: an import of its own


def test_a_stored_import_is_summed_up():
    rows = [Row("D1"), Row("D2", "near_duplicate"), Row("D3", "new_version"), Row("", "failed"), Row("D1", "duplicate")]
    assert ": 3 added, 1 duplicate, 1 failed." in stored_summary(rows, rows[0].at)


def test_a_page_that_ocr_could_not_read_is_named():
    problem = SimpleNamespace(where="scan.pdf, page 2", what="It is blank.", hint="Scan it again.")
    report = SimpleNamespace(pages=1, words=20, problems=[problem])
    assert scan_summary(report) == ("1 page read, 20 words; 1 page not: scan.pdf, page 2: It is blank. Scan it again..")


def test_what_was_left_out_is_said_in_the_report_of_an_import():
    ledger = (LeftOut("chart", 2, "word/charts"), LeftOut("calendar part", 1, ""))
    memo = ImportResult("D1", "memo.docx", "", 1, 1, "added", left_out=ledger)
    copy = replace(memo, name="copy.docx", status="duplicate", of="D1")
    report = ImportReport((memo, copy, replace(memo, id="D2", name="log.txt", left_out=())), (), 1.0)
    assert report_summary(report).endswith("Left out of 1 file: 1 calendar part, 2 charts.")
    rows = {row.name: row.why for row in imported_files(report, {})}
    words = "Left out: 2 charts (word/charts), 1 calendar part"
    assert (rows["memo.docx"], rows["log.txt"]) == (words, "")
    stored_row = ImportedRow(1, "", "memo.docx", "", "added", "D1")
    assert [row.why for row in stored_files([stored_row], {}, {"D1": words})] == [words]
    assert [row.why for row in stored_files([stored_row], {})] == [""]


def test_a_file_inside_another_that_failed_stands_beside_the_files_that_were_added() -> None:
    """The line does not say that all was added where a part of a file was not."""
    rows = [
        ImportedRow(1, "2026-01-01T10:00:00Z", "web.warc", "", "added", "D1"),
        ImportedRow(1, "2026-01-01T10:00:00Z", "page", "web.warc", "failed", None),
    ]
    assert last_import_words(rows, []) == "Last import: 1 of 1 added, 1 file inside failed"
