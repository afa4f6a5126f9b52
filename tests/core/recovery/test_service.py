"""Recovery with a reader: lost texts come back out of the originals, and the damaged file is left."""

from __future__ import annotations

from core.progress import silent
from core.recovery.service import free_name, recover
from core.store import CaseFile
from core.workbench import Workbench
from tests.core.store.damage import damaged, pages_of


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
        assert case.words.lexical("valve", 3)
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
