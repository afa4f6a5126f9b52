"""Settings and About under real keys: what is chosen holds at once, is kept, and belongs to person or case."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton

from core import __version__, settings
from gui_app.shared import file_dialogs, theme
from gui_app.shell.about import AboutDialog
from gui_app.shell.settings_dialog import SettingsDialog

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def page(qtbot, with_case):
    qtbot.keyClick(with_case, Key.Key_Comma, Modifier.ControlModifier)
    page = with_case.findChild(SettingsDialog)
    with qtbot.waitActive(page):
        page.activateWindow()
    yield page
    theme.set_density("compact")
    theme.apply(QGuiApplication.instance(), "light")


def pick(qtbot, choice, data) -> None:
    """Choose by the arrow keys."""
    to = choice.findData(data)
    key = Key.Key_Down if to > choice.currentIndex() else Key.Key_Up
    choice.setFocus()
    for _ in range(abs(to - choice.currentIndex())):
        qtbot.keyClick(choice, key)
    assert choice.currentData() == data


def test_colours_size_and_density_hold_at_once_and_are_kept(qtbot, page):
    assert page.colours.hasFocus()
    pick(qtbot, page.colours, "dark")
    assert theme.tokens() is theme.DARK
    pick(qtbot, page.text_size, 15)
    assert theme.px(13) == 15
    pick(qtbot, page.density, "comfortable")
    assert theme.density() == "comfortable"
    preferences = settings.load()
    assert (preferences.theme, preferences.text_size, preferences.density) == ("dark", 15, "comfortable")


def test_a_name_signs_and_the_matrix_follows(qtbot, page, session):
    page.name.setFocus()
    qtbot.keyClicks(page.name, "Bo")
    page.advance.setFocus()
    assert settings.load().analyst == "Bo"
    assert session.workbench.case.who == "Bo"
    qtbot.keyClick(page.advance, Key.Key_Space)
    assert settings.load().advance is False
    page.parent().go("Matrix")
    assert page.parent().current().grid.advances is False


def test_the_case_gets_another_title_which_undo_takes_back(qtbot, page, session):
    page.case_title.setFocus()
    page.case_title.selectAll()
    qtbot.keyClicks(page.case_title, "The vendor")
    qtbot.keyClick(page.case_title, Key.Key_Return)
    assert session.workbench.case.title() == "The vendor"
    assert page.isVisible()  # Enter in a field closes nothing
    assert page.parent().windowTitle() == "The vendor - Disconfirm"
    session.undo()
    assert session.workbench.case.title() == "Who was it?"
    page.case_title.setFocus()
    page.case_title.selectAll()
    qtbot.keyClick(page.case_title, Key.Key_Delete)
    page.name.setFocus()
    assert page.case_title.text() == "Who was it?"  # a case has a title


def test_scans_of_new_cases_have_their_language(qtbot, page, session, monkeypatch, tmp_path):
    settings.save(settings.Settings(ocr_language="deu"))
    assert session.create(tmp_path / "other.disconfirm", title="Other")
    assert session.workbench.case.settings().ocr_languages == ("deu",)
    qtbot.waitUntil(lambda: not page.isVisible())  # another case has other settings


def test_without_a_case_there_is_nothing_of_one(qtbot, window):
    qtbot.keyClick(window, Key.Key_Comma, Modifier.ControlModifier)
    page = window.findChild(SettingsDialog)
    assert not hasattr(page, "case_title")
    qtbot.keyClick(page, Key.Key_Escape)
    assert not page.isVisible()


def test_rename_asks_and_changes_the_title(with_case, session, monkeypatch):
    monkeypatch.setattr(file_dialogs, "ask_title", lambda _parent, current: f"{current} Again")
    with_case.commands.rename.trigger()
    assert session.workbench.case.title() == "Who was it? Again"


def test_about_says_the_version_the_licence_and_what_it_never_does(qtbot, window):
    window.commands.about.trigger()
    about = window.findChild(AboutDialog)
    words = " ".join(label.text() for label in about.findChildren(QLabel))
    assert __version__ in words
    assert "GNU Affero General Public License" in words
    assert "never uses a network" in words
    qtbot.keyClick(about, Key.Key_Return)
    assert not about.isVisible()


def test_enter_presses_the_button_that_has_the_focus_and_in_a_field_keeps_it_open(qtbot, page):
    page.name.setFocus()
    qtbot.keyClicks(page.name, "Bo")
    qtbot.keyClick(page.name, Key.Key_Return)
    assert page.isVisible()
    (close,) = [button for button in page.findChildren(QPushButton) if button.text() == "Close"]
    close.setFocus()
    qtbot.keyClick(close, Key.Key_Return)
    assert not page.isVisible()
