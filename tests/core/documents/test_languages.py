"""The languages of documents: recognised when a file is read, in scans and in older cases; a person's word counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.cli.documents import document_json
from core.domain import Attribution
from core.engines.readers.dispatch import FileReader
from core.ports import Engines, Outline
from core.progress import Cancelled, Progress
from core.workbench import Workbench
from tests.fakes import FakeOcr, HashEmbedder, ScriptedJudge, png

GERMAN = "Die Pumpe im Keller stand still, obwohl niemand sie abgeschaltet hatte."
LOCK = "Ein Schaden am Schloss der Pumpe wurde bei der ersten Prüfung nicht festgestellt."
RUSSIAN = "Насос в подвале не работал, хотя никто его не выключал."
NAMES = "Krzysztof Wiśniewski, Małgorzata Wójcik, Stanisław Dąbrowski"
TEXT, NONE, HAND = (
    Attribution("language", "text", "H"),
    Attribution("language", "text", "L"),
    Attribution("language", "analyst", "H"),
)


@pytest.fixture
def bench(tmp_path):
    engines = Engines(FileReader(), HashEmbedder(), ScriptedJudge())
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="ann") as bench:
        for number, text in enumerate((GERMAN, RUSSIAN, NAMES, f"<html lang=en><body><p>{LOCK}")):
            place = tmp_path / f"{number}.{'html' if text[0] == '<' else 'txt'}"
            place.write_text(text, "utf-8")
            bench.documents.add([place])
        yield bench
        assert bench.case.verify().ok


def languages_of(bench):
    documents = bench.documents.all()
    return [
        (document.language, next((item for item in document.attributions if item.field == "language"), None))
        for document in documents
    ]


def without_languages(bench):
    """Leave the documents as an older program did, which did not recognise the language of a sentence."""
    with bench.store.db.transaction() as db:
        for document in bench.documents.all():
            row = bench.store.documents.stored_row(document.id)
            old = {**row, "language": "", "attributions": "[]"}
            db.execute("UPDATE document SET language = '', attributions = '[]' WHERE id = ?", (document.id,))
            rows = ({"document": {document.id: row}}, {"document": {document.id: old}})
            bench.store.log.append("describe documents", *rows)


def test_a_sentence_is_enough_and_names_have_no_language_whatever_a_file_says_of_itself(bench):
    assert languages_of(bench) == [("de", TEXT), ("ru", TEXT), ("", NONE), ("de", TEXT)]
    assert document_json(bench.documents.get("D1"))["language"] == "de"
    assert document_json(bench.documents.get("D1"))["attributions"]["language"] == {"where": "text", "certainty": "H"}
    assert [p.document for p in bench.search.find("Pumpe language:de").passages] == ["D1", "D4"]
    assert bench.documents.without_language() == []


def test_the_word_of_a_person_stays_and_undo_takes_it_back(bench):
    bench.documents.describe(["D1", "D3"], language="pl")
    bench.documents.describe(["D2"], language="")
    by_hand = [("pl", HAND), ("", HAND), ("pl", HAND), ("de", TEXT)]
    assert languages_of(bench) == by_hand
    assert bench.documents.recognise_languages() == []
    bench.documents.read_descriptions()
    assert languages_of(bench) == by_hand
    bench.case.undo()
    bench.case.undo()
    assert languages_of(bench) == [("de", TEXT), ("ru", TEXT), ("", NONE), ("de", TEXT)]
    bench.case.redo()
    assert languages_of(bench)[0] == ("pl", HAND)


def test_an_older_case_has_them_once_it_is_asked_and_undo_passes_over_that(bench):
    bench.documents.describe(["D1"], tags=["pump"])
    without_languages(bench)
    bench.documents.describe(["D2"], language="uk")
    assert bench.documents.without_language() == ["D1", "D3", "D4"]
    assert bench.documents.recognise_languages() == ["D1", "D4"]
    assert languages_of(bench) == [("de", TEXT), ("uk", HAND), ("", NONE), ("de", TEXT)]
    entries = len(bench.store.log.entries())
    assert bench.documents.recognise_languages() == []
    assert len(bench.store.log.entries()) == entries
    bench.case.undo()
    assert languages_of(bench)[:2] == [("de", TEXT), ("", None)]


def test_undo_of_what_a_person_said_leaves_a_language_that_was_recognised_since(bench):
    without_languages(bench)
    bench.documents.describe(["D1"], tags=["pump"])
    bench.documents.recognise_languages()
    bench.case.undo()
    assert bench.documents.get("D1").tags == ()
    assert languages_of(bench)[0] == ("de", TEXT)


def test_an_import_recognises_those_that_are_there_and_one_that_is_stopped_changes_nothing(bench, tmp_path):
    without_languages(bench)
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        bench.documents.recognise_languages(progress)
    assert {item for _, item in languages_of(bench)} == {None}
    (tmp_path / "more.txt").write_text("More.", "utf-8")
    bench.documents.add([tmp_path / "more.txt"])
    assert [language for language, _ in languages_of(bench)] == ["de", "ru", "", "de", ""]


def test_titles_are_read_again_without_a_loss_and_the_case_is_sound(bench):
    languages = languages_of(bench)
    bench.store.descriptions.restate({"D1": Outline("text", 1, attributions=(TEXT,))})
    bench.documents.read_descriptions()
    assert languages_of(bench) == languages  # and the case is verified at the end


@pytest.mark.parametrize(("doubt", "language"), [("", ("de", TEXT)), ("~x", ("", NONE))])
def test_the_language_of_a_scan_is_that_of_what_ocr_read_unless_it_was_in_doubt(bench, tmp_path, doubt, language):
    words = " ".join(f"{word}{doubt}" for word in GERMAN.split())
    bench.engines = replace(bench.engines, ocr=FakeOcr(always=words))
    (tmp_path / "scan.png").write_bytes(png(200, 100))
    bench.documents.add([tmp_path / "scan.png"])
    assert languages_of(bench)[-1] == ("", None)
    bench.ocr.read(["D5"])
    assert languages_of(bench)[-1] == language
