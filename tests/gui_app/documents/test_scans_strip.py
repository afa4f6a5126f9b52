"""The line about scans: one batch of them is read in another language than the case says."""

from __future__ import annotations

from core import paths
from core.ocr.service import ScanReport


def test_one_batch_of_scans_is_read_in_another_language(qtbot, with_case, session, monkeypatch):
    monkeypatch.setattr(paths, "ocr_languages", lambda: ("deu", "eng"))
    batches = []

    def read(_self, _documents, _progress, *, languages=(), again=False):
        batches.append(languages)
        return ScanReport(0, 0, (), 0.0, ())

    monkeypatch.setattr(type(session.workbench.ocr), "read", read)
    with_case.go("Documents")
    strip = with_case.current().scans
    strip._offer_languages(can=True)
    assert not strip.language.isHidden()
    assert [strip.language.itemData(index) for index in range(strip.language.count())] == [(), ("deu",), ("eng",), None]
    strip.language.setCurrentIndex(1)
    strip.read()
    qtbot.waitUntil(lambda: batches == [("deu",)] and not strip._running())
    session.do(lambda bench: bench.case.change_settings(ocr_languages=["deu"]))
    strip._offer_languages(can=True)
    assert [strip.language.itemData(index) for index in range(strip.language.count())] == [(), ("eng",), None]
    assert strip.language.itemText(0) == "German (deu)"  # what the case says
    monkeypatch.setattr(paths, "ocr_languages", lambda: ("eng",))
    strip._offer_languages(can=True)
    assert strip.language.isHidden()  # there is nothing to choose
