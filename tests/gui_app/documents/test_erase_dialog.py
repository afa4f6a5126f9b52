"""Erasing for good from the window: what is asked, and what is so afterwards."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from gui_app.documents import decisions
from gui_app.documents.erase_dialog import EraseDialog, EraseQuestion
from tests.gui_app.documents.test_screen import inbox, listed, screen, select  # noqa: F401


def words_in(widget):
    return " ".join(label.text() for label in widget.findChildren(QWidget) if hasattr(label, "text"))


QUESTION = EraseQuestion(
    ("a.pdf",), ("D2  b.txt",), ("E1  The vendor",), 3, ("A1",), ("Ann Bolt",), ("D7  c.txt",), ("out.pdf",),
    ("s 2026-01-01 000000.disconfirm",), ("/x/copy.disconfirm",),
)  # fmt: skip


def test_the_question_names_everything_and_waits_for_a_clear_yes(styled, qtbot):
    dialog = EraseDialog(QUESTION)
    qtbot.addWidget(dialog)
    dialog.show()
    words = words_in(dialog)
    for part in (
        *("Erase a.pdf for good?", "D2  b.txt", "1 row, 3 ratings", "E1  The vendor", "A1", "Ann Bolt", "D7  c.txt"),
        *("out.pdf", "/x/copy.disconfirm", "cannot be undone", "SHA-256", "the backup that still contains it"),
    ):
        assert part in words
    assert dialog.keep.isDefault()
    assert not dialog.go.isEnabled()
    dialog.sure.setChecked(True)
    assert dialog.with_backups
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    assert dialog.result() == QDialog.DialogCode.Accepted


@pytest.mark.parametrize("button", ["keep", "go"])
def test_enter_presses_the_button_that_has_the_focus(styled, qtbot, button):
    dialog = EraseDialog(QUESTION)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.sure.setChecked(True)
    part = getattr(dialog, button)
    part.setFocus()
    qtbot.keyClick(part, Qt.Key.Key_Return)
    wanted = QDialog.DialogCode.Accepted if button == "go" else QDialog.DialogCode.Rejected
    assert not dialog.isVisible()
    assert dialog.result() == wanted


def test_enter_elsewhere_keeps_everything(styled, qtbot):
    dialog = EraseDialog(QUESTION)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.sure.setFocus()
    dialog.sure.setChecked(True)
    qtbot.keyClick(dialog.sure, Qt.Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Rejected
    assert not dialog.isVisible()


def test_several_documents_are_named_and_spoken_of_as_several(styled, qtbot):
    dialog = EraseDialog(EraseQuestion(("a.pdf", "b.pdf"), rows=("E1  The vendor",), backups=("1", "2")))
    qtbot.addWidget(dialog)
    words = words_in(dialog)
    for part in ("a.pdf", "b.pdf", "their words", "copied from them", "Rows that quoted them", "still contain them"):
        assert part in words


def test_own_texts_that_lose_words_are_listed_ten_at_most(styled, qtbot):
    texts = tuple(f"Note of H{number}: “the relay let go again”" for number in range(1, 13))
    dialog = EraseDialog(EraseQuestion(("a.pdf",), cut_texts=texts))
    qtbot.addWidget(dialog)
    words = words_in(dialog)
    assert "WORDS CUT OUT OF YOUR OWN TEXTS" in words
    assert texts[9] in words
    assert texts[10] not in words
    assert "… (+2)" in words


def test_a_row_that_is_cut_shows_that_it_goes_on():
    assert decisions._line_of("one\n two") == "one two"
    assert decisions._line_of("word " * 40) == f"{'word ' * 28}"[:139] + "…"


def test_without_backups_nothing_is_said_of_them(styled, qtbot):
    dialog = EraseDialog(EraseQuestion(("a.pdf", "b.pdf")))
    qtbot.addWidget(dialog)
    dialog.show()
    assert "Erase 2 documents for good?" in words_in(dialog)
    assert not dialog.backups.isVisible()
    assert not dialog.with_backups
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.result() == QDialog.DialogCode.Rejected


def test_a_document_is_erased_after_the_question(screen, monkeypatch, qtbot):  # noqa: F811
    bench = screen.session.workbench
    bench.hypotheses.add("The vendor did it.")
    bench.hypotheses.add("Nobody says that the vendor opened the valve.")
    inner = next(d.id for d in bench.documents.all() if d.name == "d.zip/inner.txt")
    bench.evidence.add_quote(inner, 1, 0, 10)
    bench.evidence.rate_many([("E1", "H1", "C"), ("E1", "H2", "I")])
    backup = bench.backups.make()
    questions, answers = [], [None, True]
    monkeypatch.setattr(
        decisions, "ask_erasure", lambda _parent, question: questions.append(question) or answers.pop(0)
    )
    select(screen, "d.zip")
    assert screen.erase_action.isEnabled()
    screen.erase_action.trigger()
    qtbot.waitUntil(lambda: len(questions) == 1, timeout=5000)
    question = questions[0]
    assert (question.documents, question.rows, question.cells) == (("d.zip",), ("E1  The vendor",), 2)
    assert question.children == (f"{inner}  d.zip/inner.txt",)
    assert question.backups == (backup.name,)
    assert question.cut_texts == ("Text of H2: “the vendor opened the valve”",)
    assert "d.zip" in listed(screen)  # thought better of it
    screen.erase_action.trigger()
    qtbot.waitUntil(lambda: "d.zip" not in listed(screen), timeout=10000)
    qtbot.waitUntil(lambda: not screen.session.tasks.busy(), timeout=10000)
    assert [row.kind for row in bench.evidence.all()] == ["withdrawn"]
    assert bench.matrix.compute().rows == ()
    (newer,) = bench.backups.all()
    assert newer.is_sound
    assert newer.head[0] > backup.head[0]  # it is not the one that held the document
    assert bench.case.verify().ok
    assert bench.hypotheses.all()[1].text == "Nobody says that [erased]."
    messages = []
    screen.session.told.connect(lambda text, undo: messages.append((text, undo)))
    screen.session.undo()
    ((text, undo),) = messages
    assert text.startswith("Erasing documents cannot be undone")
    assert not undo


def test_what_was_removed_and_what_failed_can_be_erased_too(screen, monkeypatch, qtbot):  # noqa: F811
    monkeypatch.setattr(decisions, "ask_erasure", lambda *_: False)
    select(screen, "b.txt")
    screen.remove_action.trigger()
    screen.tabs.setCurrentIndex(3)
    assert screen.removed_list.chosen()
    assert screen.erase_action.isEnabled()
    screen.erase_action.trigger()
    qtbot.waitUntil(lambda: not screen.session.workbench.documents.removed(), timeout=10000)
    qtbot.waitUntil(lambda: not screen.session.tasks.busy(), timeout=10000)


@pytest.mark.parametrize("answer", [True, False])
def test_passwords_are_forgotten_after_a_question(screen, monkeypatch, qtbot, answer):  # noqa: F811
    monkeypatch.setattr(decisions.files, "confirm_forgetting", lambda *_: answer)
    bench = screen.session.workbench
    document = next(d.id for d in bench.documents.all() if d.name == "b.txt")
    select(screen, "b.txt")
    assert not screen.passwords_action.isEnabled()
    bench.store.imports.put_password(document, "sesame")
    screen.refresh()
    screen.passwords_action.trigger()
    qtbot.waitUntil(lambda: not screen.session.tasks.busy(), timeout=10000)
    assert bench.documents.with_password() == ([] if answer else [document])
    assert screen.unlock_action.isEnabled() is answer
    assert screen.passwords_action.isEnabled() is not answer
