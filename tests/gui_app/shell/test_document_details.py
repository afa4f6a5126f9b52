"""A document in the details begins with its first words, as a reader of it sees them, and follows the selection."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.domain import ANALYST, Attribution, Changes, LeftOut
from gui_app.documents.documents_model import Chosen
from gui_app.shell.document_details import SHOWN, beginning
from gui_app.shell.document_form import DocumentFields


def preview(window) -> str:
    labels = window.panels.detail.findChildren(QLabel)
    return next((label.text() for label in labels if label.accessibleName() == "The document begins"), "")


def test_the_beginning_follows_the_selection(qtbot, with_case, session):
    with_case.go("Documents")
    for document in session.workbench.documents.all():
        with_case.panels.select(document)
        first = session.workbench.documents.page(document.id, 1).text.split()[:4]
        qtbot.waitUntil(lambda first=first: preview(with_case).split()[:4] == first)


def test_the_next_row_is_shown_by_a_key(qtbot, with_case, session):
    with_case.go("Documents")
    table = with_case.current().table
    table.selectRow(0)
    qtbot.waitUntil(lambda: bool(preview(with_case)))
    former = preview(with_case)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: preview(with_case) not in ("", former))


def test_the_first_lines_are_shortened_and_without_hidden_text(session, with_case):
    page = session.workbench.documents.page("D1", 1)
    text = "The Paper\n\n  A   headline\nSECRET words\n" + "and so on " * 100
    start = text.index("SECRET")
    lines = beginning(replace(page, text=text, hidden_spans=((start, start + 6),)))
    assert lines.startswith("The Paper\nA headline\nwords\nand so on")
    assert len(lines) <= SHOWN + 1
    assert lines.endswith("…")
    assert beginning(replace(page, text=" \n ")) == ""


def test_what_was_left_out_of_a_document_stands_below_its_name(session, with_case):
    with_case.go("Documents")
    document = session.workbench.documents.all()[0]
    with_case.panels.select(replace(document, left_out=(LeftOut("chart", 2, "word/charts"),), file_date="2026-11-28"))
    words = [label.text() for label in with_case.panels.detail.findChildren(QLabel)]
    assert "Left out: 2 charts (word/charts)" in words
    assert {"File made", "2026-11-28"} <= set(words)


def fields_of(window) -> DocumentFields:
    return window.panels.detail.findChildren(DocumentFields)[-1]


def choose_language(window, name) -> None:
    box = fields_of(window).language
    box.setCurrentIndex(box.findText(name))
    box.activated.emit(box.currentIndex())


@pytest.mark.parametrize(("where", "origin"), [("text", "recognised"), (ANALYST, "set by hand")])
def test_a_language_says_whether_a_person_set_it(session, with_case, where, origin):
    with_case.go("Documents")
    document = session.workbench.documents.all()[0]
    with_case.panels.select(replace(document, language="de", attributions=(Attribution("language", where, "H"),)))
    fields = fields_of(with_case)
    assert (fields.language.currentText(), fields.language_origin.text()) == ("German", origin)
    words = [label.text() for label in with_case.panels.detail.findChildren(QLabel)]
    assert not any(text.startswith("Read in the document") for text in words)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("06:03 LPT-4 zu\n06:10 QX-2 zu", "too little text"),
        ("Gizona goizeko bederatzietan iritsi zen eta atea itxita zegoen gau osoan zehar.", "not recognised"),
    ],
)
def test_a_language_that_is_not_known_says_why(session, with_case, tmp_path, text, why):
    (tmp_path / "added.txt").write_text(text, "utf-8")
    session.do(lambda bench: bench.documents.add([tmp_path / "added.txt"]))
    with_case.go("Documents")
    with_case.panels.select(next(d for d in session.workbench.documents.all() if d.name == "added.txt"))
    assert fields_of(with_case).language_origin.text() == why


def test_the_language_is_set_by_hand_and_taken_back(session, with_case):
    with_case.go("Documents")
    document = session.workbench.documents.all()[0]
    with_case.panels.select(document)
    announcements = []
    session.changed.connect(lambda changes, _initiator: announcements.append(changes))
    choose_language(with_case, "German")
    changed = session.workbench.documents.get(document.id)
    assert changed.language == "de"
    assert fields_of(with_case).language_origin.text() == "set by hand"
    assert announcements == [Changes(documents=True, proposals=True, matrix=True)]
    choose_language(with_case, "German")  # nothing new
    assert len(announcements) == 1
    session.undo()
    assert announcements[-1] == announcements[0]
    assert session.workbench.documents.get(document.id).language == document.language
    assert fields_of(with_case).language_origin.text() != "set by hand"


def test_the_language_of_several_documents_is_set_at_once(session, with_case):
    with_case.go("Documents")
    documents = session.workbench.documents.all()
    session.workbench.documents.describe([documents[0].id], language="ru")
    with_case.panels.select(Chosen(tuple(session.workbench.documents.all())))
    fields = fields_of(with_case)
    assert (fields.language.currentIndex(), fields.language.placeholderText()) == (-1, "different")
    assert fields.language_origin.text() == ""
    choose_language(with_case, "Chinese")
    assert {document.language for document in session.workbench.documents.all()} == {"zh"}
    assert fields_of(with_case).language_origin.text() == "set by hand"
    session.undo()
    assert session.workbench.documents.all()[0].language == "ru"
    assert session.workbench.documents.all()[1].language == documents[1].language
