"""Two versions side by side on the Documents screen, by keys as a person would press them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QTextCharFormat

from core.workbench import Workbench
from gui_app.documents.screen import DocumentsScreen
from gui_app.documents.version_compare import VersionText
from tests.gui_app.small_case import put_on_show

SENTENCES = [f"Sentence number {n} of the report tells what was seen at gate {n % 7}." for n in range(120)]
OLD = (
    " ".join(SENTENCES[:60])
    + " The pump stopped on 3 May 2021.\f"
    + " ".join(SENTENCES[60:])
    + " Karl did not go home."
)
NEW = OLD.replace("3 May", "4 May").replace("did not go", "did go").replace("tells", "said", 1)


@pytest.fixture
def versions(case, tmp_path):
    for name, text in (("old.txt", OLD), ("new.txt", NEW), ("note.txt", "A note about 😀 something else.")):
        (tmp_path / name).write_text(text, "utf-8")
        case.do(lambda bench, name=name: bench.documents.add([tmp_path / name]))
    return case


@pytest.fixture
def screen(versions, qtbot):
    screen = DocumentsScreen(versions)
    put_on_show(qtbot, screen, 1100, 700)
    screen.table.setFocus()
    return screen


def compare(screen, qtbot, *rows):
    flags = QItemSelectionModel.SelectionFlag
    selection = screen.table.selectionModel()
    selection.clear()
    for row in rows:
        selection.setCurrentIndex(screen.proxy.index(row, 0), flags.Select | flags.Rows)
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(screen.table, Qt.Key.Key_K, keys)


def comparing(screen):
    return screen.pages.currentWidget() is screen.comparison.view and screen.comparison.view.versions is not None


@pytest.mark.parametrize("row", [0, 1])
def test_a_document_and_the_one_it_is_like_facts_first(screen, qtbot, row):
    compare(screen, qtbot, row)
    qtbot.waitUntil(lambda: comparing(screen))
    view = screen.comparison.view
    assert (view.versions.older.name, view.versions.newer.name) == ("old.txt", "new.txt")
    listed = [view.list.item(entry).data(Qt.ItemDataRole.AccessibleTextRole) for entry in range(view.list.count())]
    assert listed[0] == "Date changed · p. 1. stopped on [3 → 4] May 2021."
    assert listed[1] == "Negation removed · p. 2. Karl did [not] go home."
    assert all(words.startswith("Changed") for words in listed[2:])
    assert view.old.hasFocus() or view.list.hasFocus()


def test_keys_go_through_the_differences_open_the_page_and_return(screen, qtbot):
    places = []
    screen.show_source.connect(lambda *place: places.append(place))
    compare(screen, qtbot, 1)
    qtbot.waitUntil(lambda: comparing(screen))
    view = screen.comparison.view
    qtbot.keyClick(view.list, Qt.Key.Key_O)
    start = NEW.index("4 May")
    assert places == [("D2", 1, start, start + 1)]
    qtbot.keyClick(view.list, Qt.Key.Key_N)
    assert view.list.currentRow() == 1
    qtbot.keyClick(view.list, Qt.Key.Key_O)
    start = OLD.split("\f")[1].index("not go")
    assert places[1:] == [("D1", 2, start, start + 3)]  # what is gone is shown where it stood
    for key, modifier, row in (
        (Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier, 0),
        (Qt.Key.Key_P, Qt.KeyboardModifier.NoModifier, view.list.count() - 1),
        (Qt.Key.Key_F3, Qt.KeyboardModifier.NoModifier, 0),
    ):
        qtbot.keyClick(view.old, key, modifier)
        assert view.list.currentRow() == row
    qtbot.keyClick(view.old, Qt.Key.Key_Escape)
    assert screen.pages.currentWidget() is screen.table
    assert screen.table.hasFocus()
    assert not screen.comparison.next.isEnabled()  # the letters belong to the table again


def test_what_changed_is_marked_and_both_texts_show_the_same_place(screen, qtbot):
    compare(screen, qtbot, 1)
    qtbot.waitUntil(lambda: comparing(screen))
    view = screen.comparison.view
    view.step(1)
    qtbot.waitUntil(lambda: any(s.cursor.selectedText() == "not" for s in view.old.extraSelections()))
    mark = next(s for s in view.old.extraSelections() if s.cursor.selectedText() == "not")
    assert mark.format.fontStrikeOut()
    first, last = view.new.visible()
    assert first <= NEW.index("did go") < last
    view.step(-1)
    qtbot.waitUntil(lambda: any(s.cursor.selectedText() == "4" for s in view.new.extraSelections()))
    mark = next(s for s in view.new.extraSelections() if s.cursor.selectedText() == "4")
    assert mark.format.underlineStyle() == QTextCharFormat.UnderlineStyle.DashUnderline
    bar = view.old.verticalScrollBar()
    bar.setValue(bar.maximum())
    first, last = view.new.visible()
    assert first <= NEW.index("Sentence number 115") < last


def test_two_selected_documents_are_compared_and_one_alone_says_what_to_do(screen, qtbot):
    messages = []
    screen.session.status.connect(messages.append)
    compare(screen, qtbot, 2)
    assert messages == ["Select a second document to compare with (Ctrl+click)."]
    compare(screen, qtbot, 2, 0)
    qtbot.waitUntil(lambda: comparing(screen))
    assert (screen.comparison.view.versions.older.id, screen.comparison.view.versions.newer.id) == ("D1", "D3")


def test_texts_that_are_the_same_say_so(case, tmp_path, qtbot):
    (tmp_path / "a.txt").write_text(OLD, "utf-8")
    (tmp_path / "b.txt").write_text(OLD.replace(" The pump", "\nThe pump"), "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "a.txt", tmp_path / "b.txt"]))
    screen = DocumentsScreen(case)
    qtbot.addWidget(screen)
    screen.show()
    with qtbot.waitActive(screen):
        screen.activateWindow()
    compare(screen, qtbot, 0, 1)
    qtbot.waitUntil(lambda: comparing(screen))
    assert screen.comparison.view.summary.text() == "The texts are the same"
    assert not screen.comparison.view.list.isVisible()
    qtbot.keyClick(screen.comparison.view.old, Qt.Key.Key_N)  # nothing to go to
    assert screen.comparison.view.place() is None


def test_back_and_forward_bring_the_comparison_again(screen, qtbot):
    compare(screen, qtbot, 1)
    qtbot.waitUntil(lambda: comparing(screen))
    state = screen.state()
    screen.comparison.leave_action.trigger()
    screen.restore(state)
    qtbot.waitUntil(lambda: comparing(screen))


def test_a_case_that_cannot_be_written_is_compared_too(screen, qtbot):
    screen.session.workbench.store.db.read_only = True
    screen.refresh()
    assert not screen.scope.isEnabled()
    compare(screen, qtbot, 1)
    qtbot.waitUntil(lambda: comparing(screen))
    screen.session.workbench.store.db.read_only = False


def test_a_difference_knows_its_page(versions):
    bench = versions.workbench
    assert isinstance(bench, Workbench)
    comparison = bench.documents.compare_versions("D1", "D2")
    for difference in comparison.differences:
        number, start = comparison.old_place(difference.old_start)
        page = bench.documents.page("D1", number)
        length = min(difference.old_end - difference.old_start, len(page.text) - start)
        assert page.text[start : start + length] == comparison.old[difference.old_start : difference.old_start + length]


def test_the_difference_in_hand_stays_in_the_middle_in_any_width(screen, qtbot):
    compare(screen, qtbot, 1)
    qtbot.waitUntil(lambda: comparing(screen))
    view = screen.comparison.view
    view.step(1)
    for width in (1500, 700, 1100):
        screen.resize(width, 700)
        qtbot.wait(60)
        for text, words in ((view.old, "did not go"), (view.new, "did go")):
            first, last = text.visible()
            assert first <= text._text.text.index(words) < last, width


def test_a_newer_version_that_is_nearly_the_same_says_both(versions, tmp_path, screen):
    (tmp_path / "new.txt").write_text(NEW.replace("4 May", "5 May"), "utf-8")
    versions.do(lambda bench: bench.documents.add([tmp_path / "new.txt"]))
    screen.refresh()
    rows = {row.id: screen.model._status(row) for row in screen.model.rows}
    assert rows["D2"] == "superseded by D4"
    assert rows["D4"].startswith("newer version of D2")


def test_lines_that_the_width_of_a_page_broke_flow_and_offsets_stay(qtbot):
    text = VersionText("Older", older=True)
    qtbot.addWidget(text)
    broken = "A dosing pump stopped at about a quarter to three and\nwas out of action.\nAll\nboil it.\n02:14 off"
    text.show_version(broken, ())
    assert text.toPlainText() == broken.replace("three and\nwas", "three and was")


def test_two_texts_beside_each_other_get_the_room_of_the_panels(screen, qtbot):
    with qtbot.waitSignal(screen.room_changed):
        compare(screen, qtbot, 0, 1)
    assert screen.wants_room()
    with qtbot.waitSignal(screen.room_changed):
        screen.comparison.leave_action.trigger()
    assert not screen.wants_room()
