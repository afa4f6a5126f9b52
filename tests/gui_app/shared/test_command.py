"""Commands and their keys: an open list or menu goes before them, and the sheet of keys leaves the names their room."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QLabel, QMenu, QVBoxLayout, QWidget

from gui_app.shared import file_dialogs
from gui_app.shared.case_view import CaseView
from gui_app.shell.shortcut_sheet import ShortcutSheet
from tests.gui_app.small_case import put_on_show

Key = Qt.Key


def page_with_keys(qtbot, session) -> tuple[CaseView, QComboBox, list[str]]:
    page, letters = CaseView(session), []
    choice = QComboBox()
    choice.addItems(["access log", "memo", "press release", "scan"])
    QVBoxLayout(page).addWidget(choice)
    for letter in "PRS":
        page.command(letter, letter, lambda letter=letter: letters.append(letter))
    put_on_show(qtbot, page, 300, 200)
    choice.setFocus()
    return page, choice, letters


def test_a_letter_in_an_open_list_finds_an_entry_and_runs_no_command(qtbot, styled, session):
    page, choice, letters = page_with_keys(qtbot, session)
    choice.showPopup()
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    for letter in "pr":
        qtbot.keyClick(choice.view(), letter)
    assert choice.view().currentIndex().data() == "press release"
    qtbot.keyClick(choice.view(), Key.Key_Return)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    assert (choice.currentText(), letters) == ("press release", [])
    qtbot.keyClick(choice, "p")
    assert letters == ["P"]
    page.close()


def test_a_letter_behind_an_open_menu_runs_no_command(qtbot, styled, session):
    page, choice, letters = page_with_keys(qtbot, session)
    menu = QMenu(page)
    switch = page.command("Dim", "D", lambda: letters.append("D"))
    switch.setCheckable(True)
    menu.addActions([switch, menu.addAction("Other")])
    menu.popup(page.mapToGlobal(page.rect().center()))
    qtbot.waitUntil(menu.isVisible)
    qtbot.keyClick(choice, "s")
    qtbot.keyClick(choice, "d")
    assert (letters, switch.isChecked()) == ([], False)
    qtbot.keyClick(menu, Key.Key_Down)
    qtbot.keyClick(menu, Key.Key_Return)  # chosen in the menu it does run
    assert (letters, switch.isChecked()) == (["D"], True)
    page.close()


def test_the_dialog_for_documents_shows_what_can_be_read(monkeypatch, qapp):
    """A scan, a workbook, a mailbox: what the dialog hides cannot be added by somebody who does not know better."""
    filters = []
    monkeypatch.setattr(QFileDialog, "exec", lambda dialog: filters.extend(dialog.nameFilters()) or 0)
    assert file_dialogs.ask_documents(QWidget(), Path()) == []
    documents = filters[0]
    for ending in (".pdf", ".tif", ".jpg", ".xlsx", ".ods", ".pptx", ".odt", ".epub", ".msg", ".mbox", ".zip"):
        assert f"*{ending} " in f"{documents} "
    assert "*.PDF " in documents


def test_many_keys_of_one_command_leave_the_other_names_their_room(qtbot, styled):
    names = ("Previous page", "Fit the width, or the whole page", "Continue on next page")
    actions = [QAction(name) for name in names]
    for action, keys in zip(actions, (["Ctrl+PgUp"], ["F"], ["Shift+PgDown", "Ctrl+Shift+PgDown"]), strict=True):
        action.setShortcuts(keys)
    host = QComboBox()
    qtbot.addWidget(host)
    sheet = ShortcutSheet("Viewer", actions, actions, host)
    sheet.show()
    qtbot.waitExposed(sheet)
    labels = [label for label in sheet.findChildren(QLabel) if label.text() in names[:2]]
    assert len(labels) == 4
    for label in labels:
        assert label.width() >= label.fontMetrics().horizontalAdvance(label.text())
    sheet.close()
