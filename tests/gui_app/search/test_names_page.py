"""The view of names: suggestions decided by keys, names edited in place, where they stand."""

from __future__ import annotations

import types
from dataclasses import replace

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from core import settings
from core.runtime import launch
from core.workers.engines import NamesClient
from gui_app.search.names_model import fitting
from gui_app.search.names_page import NamesPage
from gui_app.shared import file_dialogs
from gui_app.shared.excerpt_list import around
from gui_app.shared.row_in_hand import take_row
from tests.core.engines.tiny_pipeline import bare
from tests.fakes import ListedNames

TEXTS = {
    "log.txt": "On Monday Ruben Aske was on duty at Weir Lane. Nobody saw R. Aske leave the works that night.",
    "mail.txt": "Klara Bost wrote to Ruben Aske. The works at Weir Lane stood still, said Klara Bost to Ruben Aske.",
    "memo.txt": "The vendor sent Klara Bost an invoice from Brennick Components. It came from Brennick Components.",
}


@pytest.fixture
def page(qtbot, case, tmp_path):
    folder = tmp_path / "named"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    case.do(lambda bench: bench.documents.add([folder]))
    page = NamesPage(case)
    qtbot.addWidget(page)
    page.resize(1000, 640)
    page.show()
    return page


def suggested(qtbot, page):
    if page.detail.empty.button.isVisible():
        page.detail.empty.button.click()
    else:
        page.suggest_action.trigger()
    qtbot.waitUntil(lambda: page._task is None and bool(page.lists.suggestions.rows), timeout=5000)
    return [row.name for row in page.lists.suggestions.rows]


def choose(page, name):
    names = [row.name for row in page.lists.suggestions.rows]
    take_row(page.lists.suggestion_list, names.index(name))
    page.lists.suggestion_list.setFocus()


def press(page, key):
    QTest.keyClick(page.lists.suggestion_list, key)


def names(page):
    return {entity.name: entity for entity in page.session.workbench.entities.all()}


def test_before_anybody_looked_for_names_a_button_does(qtbot, page):
    qtbot.waitUntil(page.detail.empty.button.isVisible)
    assert suggested(qtbot, page)
    assert not page.detail.empty.button.isVisible()


def test_suggestions_are_decided_by_keys(qtbot, page):
    assert {"Ruben Aske", "Klara Bost", "Weir Lane", "Brennick Components"} <= set(suggested(qtbot, page))
    choose(page, "Ruben Aske")
    press(page, Qt.Key.Key_P)
    choose(page, "Weir Lane")
    press(page, Qt.Key.Key_Return)
    choose(page, "Brennick Components")
    press(page, Qt.Key.Key_Delete)
    name_of = names(page)
    assert (name_of["Ruben Aske"].kind, name_of["Ruben Aske"].status) == ("person", "confirmed")
    assert name_of["Weir Lane"].status == "confirmed"
    assert name_of["Brennick Components"].status == "rejected"
    left = [row.name for row in page.lists.suggestions.rows]
    assert not {"Ruben Aske", "Weir Lane", "Brennick Components"} & set(left)
    assert [row.name for row in page.lists.names.rows] == ["Ruben Aske", "Weir Lane"]


SPELLED = {
    "brief.txt": "Das Auto von Sokolow stand am Hafen. Sokolow kam um zwei. Sokolows Auto war rot. Er sah Karin Faber.",
    "zapiska.txt": "Машина Соколова стояла у склада. Соколов ушёл ночью.\n\nПисьмо Соколову написала Карин Фабер.",
}


@pytest.fixture
def spelled(qtbot, page, tmp_path):
    folder = tmp_path / "spelled"
    folder.mkdir()
    for name, text in SPELLED.items():
        (folder / name).write_text(text, "utf-8")
    page.session.do(lambda bench: bench.documents.add([folder]))
    page._do(lambda bench: bench.entities.add("Соколов", kind="person"), "")
    page.refresh()
    suggested(qtbot, page)
    return page


def rows(page):
    return {row.name: (row.below, row.figure) for row in page.lists.suggestions.rows if row.below.strip()}


def test_other_spellings_of_a_name_are_suggested_with_the_count_of_their_passages(spelled):
    suggestions = rows(spelled)
    assert suggestions["Соколова"] == ("another form of Соколов", "1 in 1")
    assert suggestions["Sokolow"] == ("Соколов in another script", "1 in 1")
    on_list = [row.name for row in spelled.lists.suggestions.rows]
    assert len(on_list) == len(set(on_list))


def test_another_spelling_is_accepted_by_key_and_by_click(qtbot, spelled):
    choose(spelled, "Sokolow")
    press(spelled, Qt.Key.Key_Return)
    choose(spelled, "Соколова")
    qtbot.mouseClick(spelled.lists.confirm_button, Qt.MouseButton.LeftButton)
    name = names(spelled)["Соколов"]
    assert (name.aliases, name.kind) == (("Sokolow", "Соколова"), "person")
    assert not {"Sokolow", "Соколова"} & rows(spelled).keys()
    spelled.session.undo()
    spelled.refresh()
    assert names(spelled)["Соколов"].aliases == ("Sokolow",)
    assert "Соколова" in rows(spelled)


def test_short_forms_of_a_person_are_one_row_and_one_press_joins_them(qtbot, page, tmp_path):
    page._do(lambda bench: bench.entities.add("Ruben Aske", kind="person"), "")
    (tmp_path / "more.txt").write_text("Then Aske left. Mr Aske was tired.", "utf-8")
    page.session.do(lambda bench: bench.documents.add([tmp_path / "more.txt"]))
    page.refresh()
    suggested(qtbot, page)
    assert rows(page)["Aske"][0] == "short for Ruben Aske: Mr Aske; R. Aske"
    assert not {"Mr Aske", "R. Aske"} & {row.name for row in page.lists.suggestions.rows}
    choose(page, "Aske")
    press(page, Qt.Key.Key_Return)
    assert names(page)["Ruben Aske"].aliases == ("Aske", "Mr Aske", "R. Aske")
    assert "Aske" not in rows(page)
    hits = page.session.workbench.search.passages_for('name:"Ruben Aske" tired').passages
    assert "Then Aske left. Mr Aske was tired." in {hit.text for hit in hits}


def test_several_other_spellings_are_one_decision(spelled):
    everything = [row.name for row in spelled.lists.suggestions.rows]
    choose(spelled, everything[0])
    for _ in range(2):
        QTest.keyClick(spelled.lists.suggestion_list, Qt.Key.Key_Down, SHIFT)
    press(spelled, Qt.Key.Key_Return)
    assert set(names(spelled)["Соколов"].aliases) == set(everything[:3])
    spelled.session.undo()
    assert names(spelled)["Соколов"].aliases == ()


def test_another_spelling_that_is_rejected_is_suggested_no_more(qtbot, spelled):
    choose(spelled, "Sokolow")
    press(spelled, Qt.Key.Key_Delete)
    assert names(spelled)["Соколов"].aliases == ()
    assert "Sokolow" not in suggested(qtbot, spelled)


def test_another_spelling_with_a_kind_of_its_own_is_a_name_of_its_own(spelled):
    choose(spelled, "Соколова")
    press(spelled, Qt.Key.Key_P)
    assert names(spelled)["Соколов"].aliases == ()
    assert names(spelled)["Соколова"].kind == "person"


def test_names_that_were_added_since_are_said_to_have_other_spellings(qtbot, spelled):
    choose(spelled, "Karin Faber")
    press(spelled, Qt.Key.Key_Return)
    assert "other spellings" in spelled.lists.nothing.text()
    assert "Карин Фабер" in suggested(qtbot, spelled)
    assert rows(spelled)["Карин Фабер"] == ("Karin Faber in another script", "1 in 1")


def suggest_others(page, *gone):
    """Have the list read anew, without some names, as when documents have gone while it was on show."""
    page._candidates = [candidate for candidate in page._candidates if candidate.name not in gone]
    page._show_lists()


def test_a_key_that_was_meant_for_a_name_that_has_gone_decides_nothing(qtbot, page):
    suggested(qtbot, page)
    choose(page, "Weir Lane")
    suggest_others(page, "Weir Lane")
    for key in (Qt.Key.Key_Return, Qt.Key.Key_P, Qt.Key.Key_Delete, Qt.Key.Key_M):
        press(page, key)
    assert names(page) == {}
    press(page, Qt.Key.Key_Down)
    first = page.suggestion().name
    press(page, Qt.Key.Key_Return)
    assert list(names(page)) == [first]


def test_the_names_in_hand_survive_a_list_that_is_read_anew(qtbot, page):
    everything = suggested(qtbot, page)
    choose(page, everything[1])
    QTest.keyClick(page.lists.suggestion_list, Qt.Key.Key_Down, SHIFT)
    suggest_others(page, everything[0])
    press(page, Qt.Key.Key_Return)
    assert set(names(page)) == set(everything[1:3])


@pytest.mark.parametrize("held", [Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier])
def test_keys_that_are_held_while_a_list_is_read_anew_take_no_other_name_in_hand(qtbot, page, held):
    everything = suggested(qtbot, page)
    choose(page, everything[2])
    field = QWidget()
    qtbot.addWidget(field)
    QTest.keyPress(field, Qt.Key.Key_Z, held)  # as for Undo, which has lists read anew
    suggest_others(page, everything[0])
    choose(page, everything[3])
    QTest.keyRelease(field, Qt.Key.Key_Z)
    press(page, Qt.Key.Key_Return)
    assert list(names(page)) == [everything[3]]


def test_codes_are_shown_only_when_they_are_wanted(qtbot, page, tmp_path):
    (tmp_path / "list.txt").write_text("The vendor sent PRN-3 to Weir Lane, and PRN-3 again to klara@works.example.")
    page.session.do(lambda bench: bench.documents.add([tmp_path / "list.txt"]))
    assert not {"PRN-3", "klara@works.example"} & set(suggested(qtbot, page))
    assert page.lists.codes_button.text() == "Codes 2"
    page.lists.codes_button.click()
    assert {row.name for row in page.lists.suggestions.rows} == {"PRN-3", "klara@works.example"}
    page.lists.codes_button.click()
    assert "Weir Lane" in [row.name for row in page.lists.suggestions.rows]


def test_the_figure_of_a_suggestion_is_that_of_its_passages(qtbot, page, tmp_path):
    (tmp_path / "works.txt").write_text("WEIR LANE WATER WORKS\n\nThe Weir Lane Water Works had a visitor.", "utf-8")
    page.session.do(lambda bench: bench.documents.add([tmp_path / "works.txt"]))
    suggested(qtbot, page)
    choose(page, "Weir Lane")
    row = next(row for row in page.lists.suggestions.rows if row.name == "Weir Lane")
    qtbot.waitUntil(lambda: page.detail.passages_title.text() != "")
    passages, documents = row.figure.split(" in ")
    figure = f"{passages} passages in {documents} documents"
    qtbot.waitUntil(lambda: page.detail.passages_title.text() == figure)
    assert figure in row.description


def test_a_suggestion_becomes_another_name_of_the_one_selected_and_undo_takes_it_back(qtbot, page):
    suggested(qtbot, page)
    choose(page, "Ruben Aske")
    press(page, Qt.Key.Key_Return)
    page.select(names(page)["Ruben Aske"].id)
    choose(page, "R. Aske")
    press(page, Qt.Key.Key_M)
    assert names(page)["Ruben Aske"].aliases == ("R. Aske",)
    assert "R. Aske" not in [row.name for row in page.lists.suggestions.rows]
    page.session.undo()
    assert names(page)["Ruben Aske"].aliases == ()
    assert "R. Aske" in [row.name for row in page.lists.suggestions.rows]
    page.session.undo()
    assert page.lists.names.rows == []
    assert "Ruben Aske" in [row.name for row in page.lists.suggestions.rows]


def test_letters_decide_even_where_commands_around_have_the_same(qtbot, page):
    around = QWidget()
    qtbot.addWidget(around)
    command = QAction("More passages", around)
    command.setShortcut("M")
    command.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    pressed = []
    command.triggered.connect(lambda: pressed.append("M"))
    around.addAction(command)
    page.setParent(around)
    around.show()
    page.show()
    with qtbot.waitActive(around):
        around.activateWindow()
    suggested(qtbot, page)
    choose(page, "Ruben Aske")
    press(page, Qt.Key.Key_Return)
    page.select(names(page)["Ruben Aske"].id)
    choose(page, "R. Aske")
    press(page, Qt.Key.Key_M)
    assert names(page)["Ruben Aske"].aliases == ("R. Aske",)
    assert pressed == []
    page.setParent(None)


def test_where_a_name_stands_and_with_whom(qtbot, page):
    for name in ("Ruben Aske", "Klara Bost"):
        page.session.do(lambda bench, name=name: bench.entities.add(name))
    page.refresh()
    aske, bost = names(page)["Ruben Aske"], names(page)["Klara Bost"]
    page.select(aske.id)
    qtbot.waitUntil(
        lambda: len(page.detail.passages.rows.rows) == 2 and bool(page.detail.with_whom.bars()), timeout=5000
    )
    assert [bar.target for bar in page.detail.with_whom.bars()] == [bost.id]
    assert {bar.name for bar in page.detail.by_document.bars()} == {"log.txt", "mail.txt"}
    assert [row.figure for row in page.lists.names.rows] == ["2", "2"]
    places = []
    page.show_source.connect(lambda *place: places.append(place))
    page.detail.passages.setCurrentIndex(page.detail.passages.rows.index(0, 0))
    QTest.keyClick(page.detail.passages, Qt.Key.Key_Return)
    document, number, start, end = places[0]
    assert page.session.workbench.documents.page(document, number).text[start:end] == "Ruben Aske"
    page.detail.with_whom.chosen.emit(bost.id)
    assert page.detail.title.text() == "Klara Bost"


def test_names_are_edited_in_place(qtbot, page):
    page.session.do(lambda bench: bench.entities.add("Ruben Aske"))
    page.refresh()
    page.select(names(page)["Ruben Aske"].id)
    page.detail.alias_field.setText("R. Aske; Mr Aske")
    page.detail.alias_field.editingFinished.emit()
    page.detail.kind_field.setCurrentIndex(page.detail.kind_field.findData("person"))
    page.detail.kind_field.activated.emit(page.detail.kind_field.currentIndex())
    page.detail.note_field.setText("on duty")
    page.detail.note_field.editingFinished.emit()
    name = names(page)["Ruben Aske"]
    assert (name.aliases, name.kind, name.note) == (("R. Aske", "Mr Aske"), "person", "on duty")
    page.detail.name_field.setText("")
    page.detail.name_field.editingFinished.emit()  # refused, and the field says again what is kept
    assert names(page)["Ruben Aske"].name == "Ruben Aske"
    assert page.detail.name_field.text() == "Ruben Aske"


def test_rejected_names_can_be_brought_back_and_the_filter_adds_a_name(qtbot, page):
    page.session.do(lambda bench: bench.entities.add("Meridian", status="rejected"))
    page.refresh()
    assert page.lists.names.rows == []
    page.lists.rejected_button.setChecked(True)
    assert [row.name for row in page.lists.names.rows] == ["Meridian"]
    page.lists.name_list.setCurrentIndex(page.lists.names.index(0, 0))
    QTest.keyClick(page.lists.name_list, Qt.Key.Key_Return)
    assert names(page)["Meridian"].status == "confirmed"
    page.lists.rejected_button.setChecked(False)
    page.lists.filter.setText("Hatch End")
    page.add_action.trigger()
    assert "Hatch End" in names(page)
    assert page.chosen().name == "Hatch End"
    page.lists.filter.setText("merid")
    assert [row.name for row in page.lists.names.rows] == ["Meridian"]


def test_a_case_that_can_only_be_read_offers_no_decisions(qtbot, page, monkeypatch):
    suggested(qtbot, page)
    monkeypatch.setattr(type(page.session), "read_only", property(lambda self: True))
    choose(page, "Ruben Aske")
    press(page, Qt.Key.Key_Return)
    page._name_actions()
    assert names(page) == {}
    assert not page.confirm_action.isEnabled()


@pytest.mark.parametrize(
    ("text", "mark", "marked"),
    [
        ("short text", (6, 10), "text"),
        ("word " * 60 + "Ruben\n  Aske left", (300, 312), "Ruben Aske"),
        ("𝔘𝔫 " * 70 + "Aske", (210, 214), "Aske"),
        ("x" * 400 + "Aske", (400, 404), "Aske"),
    ],
)
def test_an_excerpt_begins_shortly_before_its_mark(text, mark, marked):
    flat, places = around(text, [mark])
    assert [flat[start:end] for start, end in places] == [marked]
    assert places[0][0] < 110


def test_what_a_model_suggests_is_marked_and_has_its_kind(qtbot, page):
    names_of = ListedNames({"Ruben Aske": "person", "vendor sent": "thing"})
    page.session.engines = replace(page.session.engines, names=names_of)
    page.session.workbench.engines = page.session.engines
    page.refresh()
    suggested(qtbot, page)
    rows = {row.name: row for row in page.lists.suggestions.rows}
    assert (rows["Ruben Aske"].kind, rows["Ruben Aske"].by) == ("person", "by the model")
    assert (rows["vendor sent"].kind, rows["vendor sent"].by) == ("thing", "only by the model")
    assert rows["Klara Bost"].by == ""
    assert "perhaps person" in rows["Ruben Aske"].description
    assert rows["vendor sent"].description.endswith("suggested only by the model")
    assert [row.name for row in fitting(page.lists.suggestions.rows, "only model")] == ["vendor sent"]
    choose(page, "Ruben Aske")
    press(page, Qt.Key.Key_Return)
    assert names(page)["Ruben Aske"].kind == "person"


def test_the_model_for_names_is_chosen_beside_them_and_taken_back(qtbot, page, tmp_path, monkeypatch):
    monkeypatch.setattr(launch, "find_spec", lambda name: types.SimpleNamespace(name=name))
    monkeypatch.setattr(launch, "load_model", lambda client: client)
    folder = bare(tmp_path / "en_tiny" / "en_tiny-1.0")
    monkeypatch.setattr(file_dialogs, "ask_folder", lambda *_: folder.parent)
    failures, messages = [], []
    page.session.failed.connect(failures.append)
    page.session.told.connect(lambda text, _undo: messages.append(text))
    assert page.lists.by.text.text() == "By form alone"
    suggested(qtbot, page)
    qtbot.mouseClick(page.lists.by.choose_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: settings.load().names_model == str(folder))
    assert isinstance(page.session.workbench.engines.names, NamesClient)
    page.refresh()
    assert page.lists.by.text.text() == "Also by en_tiny-1.0"
    assert not page.lists.by.choose_button.isVisible()
    assert page.lists.nothing.text() == "The model has changed since."
    qtbot.mouseClick(page.lists.by.drop_button, Qt.MouseButton.LeftButton)
    page.refresh()
    assert page.session.workbench.engines.names is None
    assert page.lists.by.text.text() == "By form alone"
    assert messages == ["en_tiny now suggests names too.", "Names are now suggested by their form alone."]
    monkeypatch.setattr(file_dialogs, "ask_folder", lambda *_: tmp_path)
    (tmp_path / "config.cfg").write_text("[nlp]", "utf-8")
    qtbot.mouseClick(page.lists.by.choose_button, Qt.MouseButton.LeftButton)
    assert "meta.json" in failures[0].sentence
    assert page.session.engines.names is None


def test_a_model_that_cannot_be_asked_is_told_beside_the_names_by_form(qtbot, page, tmp_path):
    gone = NamesClient(tmp_path / "gone")
    page.session.engines = replace(page.session.engines, names=gone)
    page.session.workbench.engines = page.session.engines
    page.refresh()
    failures = []
    page.session.failed.connect(failures.append)
    assert "Ruben Aske" in suggested(qtbot, page)
    (error,) = failures
    assert "there is no such folder" in error.sentence
    assert page.lists.nothing.text() == "By form alone: the model cannot be used."
    assert page.lists.nothing.isVisible()
    gone.close()


def test_the_window_has_commands_for_the_model(window, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(launch, "find_spec", lambda name: types.SimpleNamespace(name=name))
    monkeypatch.setattr(launch, "load_model", lambda client: client)
    folder = bare(tmp_path / "en_tiny-1.0")
    monkeypatch.setattr(file_dialogs, "ask_folder", lambda *_: folder)
    window.commands.names_model.trigger()
    qtbot.waitUntil(lambda: window.session.names_model == "en_tiny-1.0")
    assert settings.load().names_model == str(folder)
    monkeypatch.setattr(file_dialogs, "ask_folder", lambda *_: None)
    window.commands.names_model.trigger()
    assert window.session.names_model == "en_tiny-1.0"
    window.commands.no_names_model.trigger()
    assert window.session.names_model == settings.load().names_model == ""


# --- several at once -------------------------------------------------------------------------------------------------

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def test_all_that_pass_the_filter_are_confirmed_as_one_decision(qtbot, page):
    everything = suggested(qtbot, page)
    page.lists.filter.setText("lane")
    page.lists.filter.clear()
    choose(page, everything[0])
    QTest.keyClick(page.lists.suggestion_list, Qt.Key.Key_A, CONTROL)
    assert page.lists.confirm_button.text() == f"Confirm {len(everything)}"
    press(page, Qt.Key.Key_Return)
    assert set(names(page)) == set(everything)
    assert page.lists.suggestions.rows == []
    page.session.undo()
    assert names(page) == {}


def test_a_stretch_of_the_list_is_rejected_at_once(qtbot, page):
    everything = suggested(qtbot, page)
    choose(page, everything[0])
    QTest.keyClick(page.lists.suggestion_list, Qt.Key.Key_Down, SHIFT)
    press(page, Qt.Key.Key_Delete)
    assert {name for name, entity in names(page).items() if entity.status == "rejected"} == set(everything[:2])


def test_several_suggestions_become_one_name(qtbot, page):
    everything = suggested(qtbot, page)
    choose(page, "R. Aske")
    model, view = page.lists.suggestions, page.lists.suggestion_list
    view.selectionModel().select(
        model.index(everything.index("Ruben Aske"), 0), QItemSelectionModel.SelectionFlag.Select
    )
    assert page.lists.merge_button.text() == "One name"
    press(page, Qt.Key.Key_M)
    assert {name: entity.aliases for name, entity in names(page).items()} == {"Ruben Aske": ("R. Aske",)}
    assert page.session.workbench.case.verify().ok
