"""Recovery with a reader: lost texts come back out of the originals, and the damaged file is left."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from core.progress import silent
from core.recovery.service import free_name, recover
from core.store import CaseFile
from core.workbench import Workbench
from tests.core.store.damage import damaged, pages_of
from tests.core.store.material import tamper


def test_lost_texts_come_back_out_of_the_originals(tmp_path, engines):
    path = tmp_path / "a.disconfirm"
    file = tmp_path / "memo.txt"
    file.write_text("The pump stood still at noon. Nobody saw it.\fThe second page tells of a valve.", "utf-8")
    with Workbench.create(path, engines, title="Pump") as bench:
        bench.documents.add([file])
        texts = [page.text for page in bench.documents.pages("D1")]
    data = damaged(path.read_bytes(), pages_of(path)["page"], "zero")
    path.write_bytes(data)
    recovery = recover(path, free_name(path), reader=engines.reader)
    assert recovery.case == tmp_path / "a recovered.disconfirm"
    assert recovery.check == ()
    with CaseFile.open(recovery.case) as case:
        assert [page.text for page in case.pages.of("D1")] == texts
        assert case.words.matching("valve")
        assert case.verify(silent()).ok
    assert path.read_bytes() == data
    assert free_name(path) == tmp_path / "a recovered 2.disconfirm"


def test_without_a_reader_they_stay_lost(tmp_path, engines):
    path = tmp_path / "a.disconfirm"
    file = tmp_path / "memo.txt"
    file.write_text("The pump stood still at noon. Nobody saw it.", "utf-8")
    with Workbench.create(path, engines) as bench:
        bench.documents.add([file])
    path.write_bytes(damaged(path.read_bytes(), pages_of(path)["page"], "garble"))
    recovery = recover(path, free_name(path))
    assert recovery.counts["page"] == (0, 1)
    assert recovery.counts["original"] == (1, 1)
    with Workbench.open(recovery.case, engines) as bench:
        matrix, report = bench.matrix.compute(), bench.reports.data()
    assert matrix.caveats == (matrix.warnings[0],)
    assert "from a damaged file, a.disconfirm. Lost: 1 of 1 page text." in matrix.caveats[0]
    assert report.matrix.caveats == matrix.caveats


def test_what_was_lost_is_told_of_a_case_that_a_recovered_one_was_merged_into(tmp_path, engines):
    path = tmp_path / "a.disconfirm"
    for name, text in (("memo.txt", "The pump stood still at noon. Nobody saw it."), ("log.txt", "A valve was open.")):
        (tmp_path / name).write_text(text, "utf-8")
    with Workbench.create(path, engines) as bench:
        bench.documents.add([tmp_path / "memo.txt"])
    path.write_bytes(damaged(path.read_bytes(), pages_of(path)["page"], "garble"))
    recovery = recover(path, free_name(path))
    with Workbench.create(tmp_path / "b.disconfirm", engines) as bench:
        bench.documents.add([tmp_path / "log.txt"])
        assert bench.matrix.compute().caveats == ()
        result = bench.case.merge(recovery.case)
        assert (result.documents, result.evidence) == (1, 0)
        (words,) = bench.matrix.compute().caveats
        assert " recovered a recovered.disconfirm, which was merged into this case, on " in words
        assert "from a damaged file, a.disconfirm. Lost: 1 of 1 page text." in words
        assert bench.reports.data().matrix.caveats == (words,)
        check = bench.case.verify()
        assert check.ok
        assert words in check.notes
        bench.case.merge(recovery.case)
        assert bench.matrix.compute().caveats == (words,)
        bench.case.undo()
        assert bench.matrix.compute().caveats == (words,)
        assert bench.case.verify().ok
    with Workbench.create(tmp_path / "c.disconfirm", engines) as third:
        third.case.merge(tmp_path / "b.disconfirm")
        assert third.matrix.compute().caveats == (words,)


@pytest.fixture
def forged(tmp_path, engines):
    """A function that makes a case whose page says what its file does not, with other changes."""

    def make(*statements: str) -> Path:
        path = tmp_path / "a.disconfirm"
        file = tmp_path / "memo.txt"
        file.write_text("The operator did not touch the pump.\fThe second page tells of a valve.", "utf-8")
        with Workbench.create(path, engines) as bench:
            bench.documents.add([file])
            bench.evidence.add_quote("D1", 1, 0, 36)
        text = "The operator did touch the pump."
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        tamper(path, f"UPDATE page SET text = '{text}', sha256 = '{sha256}' WHERE number = 1")
        quote = f"quote = '{text}', text = '{text}', page_sha256 = '{sha256}', \"end\" = {len(text)}"
        tamper(path, f"UPDATE evidence SET {quote}")
        for statement in statements:
            tamper(path, statement)
        return path

    return make


@pytest.mark.parametrize("cut", ["DELETE FROM log", "UPDATE log SET who = 'x' WHERE seq = (SELECT max(seq) FROM log)"])
def test_a_text_that_the_log_proves_no_more_is_that_of_the_original(forged, engines, cut):
    path = forged(cut)
    recovery = recover(path, free_name(path), reader=engines.reader)
    assert recovery.check == ()
    assert any("The text in the damaged file was another one" in loss.what for loss in recovery.losses)
    with Workbench.open(recovery.case, engines) as bench:
        assert [page.text for page in bench.documents.pages("D1")] == [
            "The operator did not touch the pump.",
            "The second page tells of a valve.",
        ]
        (row,) = bench.evidence.all()
        assert row.quote is None or "did not touch" in row.quote
        assert "proves the text" not in bench.matrix.compute().caveats[0]


@pytest.mark.parametrize(("change", "has_reader"), [("UPDATE page SET source = source", False), (
    "UPDATE original SET data = x'00'", True
)])  # fmt: skip
def test_a_text_that_nothing_proves_is_told_wherever_the_case_is_scored(forged, engines, change, has_reader):
    path = forged("DELETE FROM log", change)
    recovery = recover(path, free_name(path), reader=engines.reader if has_reader else None)
    assert sum("neither the log nor its original proves it" in loss.what for loss in recovery.losses) == 2
    with Workbench.open(recovery.case, engines) as bench:
        (words,) = bench.matrix.compute().caveats
    assert "Neither the log nor an original proves the text of 2 pages: compare what you quote from there." in words


@pytest.mark.parametrize(
    "change", ["hidden = '[[0, 10, \"unseen\"]]'", "source = 'ocr', confidence = 0.4", "label = 'xiv'"]
)
def test_what_goes_with_a_text_and_is_not_what_the_log_says_is_told(tmp_path, engines, change):
    path = tmp_path / "a.disconfirm"
    (tmp_path / "memo.txt").write_text("The operator did not touch the pump.", "utf-8")
    with Workbench.create(path, engines) as bench:
        bench.documents.add([tmp_path / "memo.txt"])
    tamper(path, f"UPDATE page SET {change}")
    recovery = recover(path, free_name(path), reader=engines.reader)
    assert [loss.where for loss in recovery.losses] == ["D1, page 1"]
    with Workbench.open(recovery.case, engines) as bench:
        (words,) = bench.matrix.compute().caveats
    assert "Nothing was lost" not in words
    assert "What goes with the text of 1 page (what is hidden, how it was read) is not what the log says." in words
