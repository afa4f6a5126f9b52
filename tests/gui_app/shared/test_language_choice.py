"""The choice of the languages that scans are read in: one by the list, several by a menu that stays open."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from core import paths
from gui_app.shared.language_choice import LanguageChoice


@pytest.fixture
def choice(qtbot, monkeypatch):
    monkeypatch.setattr(paths, "ocr_languages", lambda: ("deu", "eng", "fra"))
    choice = LanguageChoice("Language")
    qtbot.addWidget(choice)
    choice.show_languages(())
    choice.show()
    return choice


def entries(choice):
    return [choice.itemData(index) for index in range(choice.count())]


def take(choice, index):
    choice.setCurrentIndex(index)
    choice.activated.emit(index)


def test_one_language_is_taken_from_the_list(choice):
    choices = []
    choice.chosen.connect(choices.append)
    take(choice, 1)
    assert choices == [("deu",)]
    assert choice.languages() == ("deu",)


def test_several_are_marked_by_space_and_taken_by_enter(choice, qtbot):
    choices = []
    choice.chosen.connect(choices.append)
    take(choice, choice.count() - 1)
    assert choices == []
    assert choice.languages() == ()  # until they are taken
    menu = choice.menu
    assert not menu.isVisible()  # until the key that chose this row is done with
    qtbot.waitUntil(menu.isVisible, timeout=5000)
    qtbot.keyClick(menu, Qt.Key.Key_Space)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Space)
    assert menu.isVisible()
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert choices == [("deu", "eng")]
    assert choice.currentText() == "German (deu) + English (eng)"


def test_a_menu_that_is_left_changes_nothing(choice, qtbot):
    choices = []
    choice.chosen.connect(choices.append)
    take(choice, 1)
    take(choice, choice.count() - 1)
    qtbot.waitUntil(choice.menu.isVisible, timeout=5000)
    qtbot.keyClick(choice.menu, Qt.Key.Key_Space)
    qtbot.keyClick(choice.menu, Qt.Key.Key_Escape)
    assert choices == [("deu",)]
    assert choice.languages() == ("deu",)


def test_what_is_usual_stands_first_and_once(choice):
    choice.show_languages((), usual=("deu", "eng"))
    assert choice.itemText(0) == "German (deu) + English (eng)"
    choice.show_languages(("deu",), usual=("deu",))
    assert entries(choice) == [(), ("eng",), ("fra",), None]
    assert choice.languages() == ()
