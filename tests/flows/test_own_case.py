"""A case is no document, matrix or target of a report: neither the one that is open nor another."""

from __future__ import annotations

import os

import pytest

from core.__main__ import main
from core.errors import AppError, BadInput
from core.ports import Engines
from core.progress import silent
from core.store import CaseFile
from core.workbench import Workbench
from tests.contracts import zipped
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge

TEXT = "The dosing pump stopped at 02:14. The operator did not touch it."


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "cases"
    made.mkdir()
    (made / "a.txt").write_text(TEXT)
    return made


@pytest.fixture
def bench(folder):
    engines = Engines(PlainReader(), HashEmbedder(), ScriptedJudge())
    with Workbench.create(folder / "case.disconfirm", engines, title="Pump", who="ann") as opened:
        yield opened
        assert opened.case.verify().ok


def other_case(path):
    engines = Engines(PlainReader(), HashEmbedder(), ScriptedJudge())
    with Workbench.create(path, engines, title="Other"):
        pass
    return path


def test_the_folder_of_the_case_can_be_added_again_and_again(bench, folder):
    sizes = []
    for _ in range(5):
        report = bench.documents.add([folder])
        names = {item.name for item in report.documents if item.status == "failed"}
        assert names == {"case.disconfirm", "case.disconfirm.lock", "case.disconfirm-wal"}
        assert all("case that is open" in problem.what for problem in report.problems)
        assert len(report.problems) == 3
        sizes.append(sum(bench.store.documents.sizes()))
    assert sizes == [len(TEXT)] * 5
    assert [document.name for document in bench.documents.all()] == ["a.txt"]
    assert bench.documents.failed() == []
    assert (folder / "case.disconfirm").stat().st_size < 1_000_000


def test_other_cases_are_named_and_not_kept(bench, folder):
    other_case(folder / "other.disconfirm")
    (folder / "other.disconfirm").rename(folder / "renamed.bin")
    other_case(folder / "left.disconfirm")
    (folder / "left.disconfirm-wal").write_bytes(b"what a kill left")
    packed = zipped({"in/old.disconfirm": (folder / "renamed.bin").read_bytes()})
    (folder / "packed.zip").write_bytes(packed)
    report = bench.documents.add([folder])
    left_out = {item.name for item in report.documents if "not a document" in item.reason}
    assert {"renamed.bin", "left.disconfirm", "left.disconfirm-wal", "packed.zip/in/old.disconfirm"} < left_out
    assert set(bench.store.documents.sizes()) == {len(TEXT), len(packed)}
    assert bench.documents.failed() == []


def test_a_preview_and_a_watched_folder_leave_cases_out(bench, folder):
    other_case(folder / "other.bin")
    found = bench.documents.preview([folder])
    names = [path.name for path in found.cases]
    assert names == ["case.disconfirm", "case.disconfirm-wal", "case.disconfirm.lock", "other.bin"]
    assert [path.name for path in found.new] == ["a.txt"]
    assert found.files == 5
    assert [path.name for path in bench.documents.new_in(folder)] == ["a.txt"]
    bench.documents.add([folder])
    assert bench.documents.new_in(folder) == []


def test_a_case_is_no_matrix(bench, folder):
    os.link(bench.path, folder / "second.achz")
    for path in (bench.path, folder / "second.achz"):
        with pytest.raises(AppError, match="case that is open"):
            bench.matrix.import_file(path)


@pytest.mark.parametrize("name", ["case.html", "other.html", "case.html-wal", "x"])
def test_a_report_does_not_replace_a_case(folder, name):
    engines = Engines(PlainReader(), HashEmbedder(), ScriptedJudge())
    other = other_case(folder / "other.html")
    unfinished = other_case(folder / "x.html.part")
    before = other.read_bytes(), unfinished.read_bytes()
    with Workbench.create(folder / "case.html", engines, title="Pump", who="ann") as bench:
        target = folder / (name if name.endswith("l") else "x.html")
        if name == "case.html-wal":
            target = folder / "open.html"
            target.symlink_to(folder / "case.html-wal")
        with pytest.raises(BadInput, match="left as it is"):
            bench.reports.write(target)
        assert (other.read_bytes(), unfinished.read_bytes()) == before
        bench.reports.write(folder / "report.html")
        assert bench.case.verify().ok


def test_results_are_not_written_over_a_case(folder, capsys):
    case, other = other_case(folder / "case.disconfirm"), other_case(folder / "other.disconfirm")
    lines = folder / "queries.jsonl"
    lines.write_text('{"id": "1", "text": "pump"}\n')
    before = other.read_bytes()
    for target in (case, other):
        assert main(["quote", str(case), "--jsonl", str(lines), "--out", str(target)]) == 3
        assert "left as it is" in capsys.readouterr().err
    assert other.read_bytes() == before
    with CaseFile.open(case) as again:
        assert again.verify(silent()).ok
