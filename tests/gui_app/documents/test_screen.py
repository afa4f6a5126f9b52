"""The Documents screen: groups, filters, fields of the analyst, what failed, what was removed, what is to come."""

from __future__ import annotations

import dataclasses
import os

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QFileSystemModel,
    QListView,
    QStyleOptionViewItem,
    QWidget,
)

from core.domain import Changes
from core.ports import Engines
from core.progress import Cancelled, Progress
from core.store import CaseFile
from gui_app import window_state
from gui_app.documents import decisions
from gui_app.documents.documents_model import Chosen, DocumentsModel, groups, language_name
from gui_app.documents.facets import STATES
from gui_app.documents.removal_dialog import Removal, RemoveDialog
from gui_app.documents.screen import DocumentsScreen
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs
from gui_app.shell.detail_panel import DetailPanel
from tests.contracts import zipped
from tests.core.documents.conftest import LockReader
from tests.core.documents.test_service import SECRET
from tests.fakes import HashEmbedder
from tests.gui_app.small_case import put_on_show

WORDS = " ".join(f"word{n} says thing{n}" for n in range(120))


@pytest.fixture
def engines():
    return Engines(LockReader(), HashEmbedder())


@pytest.fixture
def inbox(tmp_path):
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def put(folder, name, text, *, age=0):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (1_700_000_000 + age, 1_700_000_000 + age))
    return path


def stop_at(number):
    """A progress that is cancelled when so many files are done."""
    progress = Progress(lambda count, *_: progress.cancel() if count == number else None)
    return progress


def add(case, *paths, **options):
    report = case.do(lambda bench: bench.documents.add(list(paths), **options))
    case.imported.emit(report)
    return report


@pytest.fixture
def screen(case, inbox, qtbot):
    put(inbox, "a.txt", WORDS)
    put(inbox, "b.txt", "Something about the pump.")
    put(inbox, "c.txt", WORDS + " And one more sentence.")
    put(inbox, "d.zip", zipped({"inner.txt": b"The vendor opened the valve."}))
    put(inbox, "noise.bin", b"\xff\xfe")
    put(inbox, "vault.txt", SECRET)
    put(inbox, "vault2.txt", SECRET + " Again.")
    add(case, inbox)
    screen = DocumentsScreen(case)
    put_on_show(qtbot, screen, 1300, 700)
    return screen


@pytest.fixture
def panel(screen, qtbot):
    panel = DetailPanel(screen.session)
    screen.selected.connect(panel.show_value)
    put_on_show(qtbot, panel, 340, 700)
    screen.activateWindow()
    return panel


def listed(screen):
    return [screen.proxy.index(row, 0).data() for row in range(screen.proxy.rowCount())]


def select(screen, *names):
    screen.table.select_all({row.id for row in screen.model.rows if row.name in names})


def test_documents_of_one_group_stand_together(screen):
    assert listed(screen) == ["a.txt", "c.txt", "b.txt", "d.zip", "d.zip/inner.txt"]
    assert screen.proxy.index(1, DocumentsModel.STATUS).data() == "nearly the same as D1, 99%"
    screen.table.sortByColumn(DocumentsModel.NAME, Qt.SortOrder.DescendingOrder)
    assert listed(screen)[-3:] == ["c.txt", "b.txt", "a.txt"]
    assert not screen.proxy.grouped()


def test_groups_are_named_by_their_first():
    class Doc:
        def __init__(self, id, by=""):
            self.id, self.superseded_by = id, by

    class Like:
        def __init__(self, document, of):
            self.document, self.of = document, of

    group_of = groups([Doc("D2"), Doc("D9", "D10"), Doc("D10"), Doc("D11")], {"D11": Like("D11", "D9")})
    assert group_of == {"D2": "D2", "D9": "D9", "D10": "D9", "D11": "D9"}
    assert (language_name("de"), language_name("zz")) == ("German", "zz")


def test_the_list_is_narrowed_by_words_state_and_tag(screen, qtbot):
    screen.filter.setText("TXT a.t")
    qtbot.waitUntil(lambda: listed(screen) == ["a.txt"])
    screen.filter.clear()
    screen.session.do(lambda bench: bench.documents.describe(["D2"], tags=["night"], origin="Police"))
    screen.table.narrow("tag", "night")
    assert listed(screen) == ["b.txt"]
    screen.table.clear_filters()
    screen.table.narrow("state", "alike")
    assert listed(screen) == ["a.txt", "c.txt"]
    screen.table.narrow("state", "inside")
    assert listed(screen) == ["d.zip/inner.txt"]
    screen.table.narrow("state", "undescribed")
    assert "b.txt" not in listed(screen)
    screen.session.do(lambda bench: bench.documents.set_included(["D1"], False))
    screen.table.narrow("state", "left out")
    assert listed(screen) == ["a.txt"]
    screen.table.clear_filters()
    assert len(listed(screen)) == 5


def entry(screen, facet, words):
    """Return the entry of a menu of filters that begins with these words."""
    screen.table.narrow_button.menu().aboutToShow.emit()
    screen.table.facet_menus[facet].aboutToShow.emit()
    return next(action for action in screen.table.facet_menus[facet].actions() if action.text().startswith(words))


def test_filters_are_chosen_with_their_counts_combine_and_are_removed(screen, qtbot):
    assert entry(screen, "type", "Text").text() == "Text\t4"
    entry(screen, "type", "Text").trigger()
    assert entry(screen, "state", STATES["inside"]).text().endswith("\t1")  # of texts
    assert not screen.table.facet_menus["language"].menuAction().isEnabled()  # all are of one
    entry(screen, "state", STATES["inside"]).trigger()
    assert listed(screen) == ["d.zip/inner.txt"]
    assert screen._tab_row.last.text() == "1 of 5 documents"
    chips = [screen.table.chips.layout().itemAt(index).widget() for index in range(3)]
    assert [chip.text() for chip in chips] == ["Type: Text", "State: Found in another file", "Clear filters"]
    qtbot.keyClick(chips[1], Qt.Key.Key_Space)
    assert len(listed(screen)) == 4
    screen.filter.setText("nothing like this")
    qtbot.waitUntil(lambda: screen.table.no_match.isVisible())
    qtbot.keyClick(screen.table.no_match.button, Qt.Key.Key_Return)
    assert (len(listed(screen)), screen.filter.text()) == (5, "")
    assert not screen.table.no_match.isVisible()
    assert not screen.table.chips.isVisible()


def test_a_document_taken_out_by_space_is_out_of_scope_wherever_it_is_said(screen, panel, qtbot):
    messages: list[str] = []
    screen.session.told.connect(lambda text, _undo: messages.append(text))
    select(screen, "b.txt")
    qtbot.keyClick(screen.table, Qt.Key.Key_Space)
    assert messages == ["1 document taken out of scope"]
    assert "1 out of scope" in screen.header.count.text()
    assert STATES["left out"] == "Out of scope"
    (index,) = (index for index, row in enumerate(screen.model.rows) if row.name == "b.txt")
    assert screen.model.index(index, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "Name: b.txt, out of scope"
    qtbot.keyClick(screen.table, Qt.Key.Key_Space)
    assert messages[1:] == ["1 document put in scope"]
    assert "scope" not in screen.header.count.text()


def test_fields_of_one_document_are_kept_when_they_are_left(screen, panel, qtbot):
    select(screen, "b.txt")
    fields = panel._fields
    fields.origin.setText("County police")
    fields.origin.editingFinished.emit()
    fields.tags.setText("night,  pump , night")
    fields.tags.editingFinished.emit()
    fields.reliability.setCurrentIndex(fields.reliability.findData("B"))
    fields.reliability.activated.emit(2)
    fields.note.setPlainText("Seen twice.")
    fields.note.left.emit()
    document = screen.session.workbench.documents.get("D2")
    assert (document.origin, document.tags, document.reliability, document.note) == (
        "County police", ("night", "pump"), "B", "Seen twice.",
    )  # fmt: skip
    assert panel._fields is fields  # the person goes on writing in the same fields
    screen.session.undo()
    assert panel._fields.note.toPlainText() == ""
    entries = len(screen.session.workbench.store.log.entries())
    panel._fields.origin.editingFinished.emit()
    assert len(screen.session.workbench.store.log.entries()) == entries  # nothing new was said


def test_a_date_that_is_none_is_refused_and_put_back(screen, panel, qtbot):
    select(screen, "b.txt")
    errors = []
    screen.session.failed.connect(errors.append)
    panel._fields.dated.setText("yesterday")
    panel._fields.dated.editingFinished.emit()
    assert "yesterday" in errors[0].sentence
    assert panel._fields.dated.text() == ""


def test_several_documents_are_described_at_once(screen, panel, qtbot):
    bench = screen.session.workbench
    bench.documents.describe(["D1"], tags=["old", "shared"], origin="Press", note="one")
    bench.documents.describe(["D2"], tags=["shared"])
    screen.session.changed.emit(Changes(documents=True), None)
    select(screen, "a.txt", "b.txt")
    assert isinstance(panel.shown(), Chosen)
    fields = panel._fields
    assert (fields.tags.text(), fields.origin.text(), fields.origin.placeholderText()) == ("shared", "", "different")
    fields.origin.editingFinished.emit()
    fields.note.left.emit()
    assert bench.documents.get("D1").origin == "Press"  # an empty field above different values was left as it was
    fields.tags.setText("new")
    fields.tags.editingFinished.emit()
    assert [bench.documents.get(document).tags for document in ("D1", "D2")] == [("old", "new"), ("new",)]
    fields.dated.setText("2021-05")
    fields.dated.editingFinished.emit()
    assert [bench.documents.get(document).dated for document in ("D1", "D2")] == ["2021-05", "2021-05"]
    screen.session.undo()
    assert bench.documents.get("D1").dated == ""
    assert isinstance(panel.shown(), Chosen)


def test_tags_are_added_to_a_selection(screen, monkeypatch):
    monkeypatch.setattr(file_dialogs, "ask_tags", lambda _parent, count: ["seen"] if count == 2 else [])
    select(screen, "a.txt", "c.txt")
    screen.tag_action.trigger()
    assert [d.name for d in screen.session.workbench.documents.all() if "seen" in d.tags] == ["a.txt", "c.txt"]
    assert len(screen.chosen()) == 2


def test_failed_files_stand_apart_with_the_reason(screen, panel):
    assert screen.tabs.tabText(2) == "Unreadable (3)"
    assert "3 not read" in screen.header.count.text()
    screen.tabs.setCurrentIndex(2)
    rows = screen.failed_list.model
    assert [rows.index(row, 0).data() for row in range(3)] == ["noise.bin", "vault.txt", "vault2.txt"]
    assert rows.index(0, 1).data() == "noise.bin is not UTF-8 text."
    screen.failed_list.select({screen.failed_list.model.rows[0].id})
    assert (screen.retry_action.isEnabled(), screen.unlock_action.isEnabled()) == (True, False)
    assert panel.shown().id == screen.failed_list.chosen()[0].id
    assert panel._fields is None
    screen.failed_list.select({screen.failed_list.model.rows[1].id})
    assert screen.unlock_action.isEnabled()


def test_one_password_opens_several_files(screen, monkeypatch, qtbot):
    requests = []
    monkeypatch.setattr(file_dialogs, "ask_password", lambda _parent, names: requests.append(names) or "swordfish")
    screen.tabs.setCurrentIndex(2)
    with qtbot.waitSignal(screen.session.imported, timeout=5000):
        screen.unlock_action.trigger()
    assert requests == [["vault.txt", "vault2.txt"]]
    assert screen.tabs.tabText(2) == "Unreadable (1)"
    assert {"vault.txt", "vault2.txt"} <= set(listed(screen))
    assert screen.tabs.currentIndex() == 0


def test_the_next_protected_file_is_at_hand_once_one_is_read(screen, monkeypatch, qtbot):
    monkeypatch.setattr(file_dialogs, "ask_password", lambda _parent, _names: "swordfish")
    screen.tabs.setCurrentIndex(2)
    for left, tab in ((2, 2), (1, 0)):
        locked = next(row for row in screen.failed_list.model.rows if row.name.startswith("vault"))
        screen.failed_list.select({locked.id})
        screen.unlock_action.trigger()
        qtbot.waitUntil(lambda: not screen.session.tasks.busy(), timeout=5000)
        assert (len(screen.failed_list.model.rows), screen.tabs.currentIndex()) == (left, tab)


def test_a_wrong_password_is_told_and_nothing_is_lost(screen, monkeypatch, qtbot):
    monkeypatch.setattr(file_dialogs, "ask_password", lambda _parent, _names: "wrong")
    messages = []
    screen.session.told.connect(lambda text, _undo: messages.append(text))
    screen.tabs.setCurrentIndex(2)
    with qtbot.waitSignal(screen.session.imported, timeout=5000):
        screen.unlock_action.trigger()
    qtbot.waitUntil(lambda: bool(messages), timeout=2000)
    assert messages == ["Wrong password for 2 files"]
    assert (screen.tabs.currentIndex(), len(screen.failed_list.model.rows)) == (2, 3)


def test_a_password_that_was_forgotten_can_be_given_again(screen, monkeypatch, qtbot):
    words = iter(["swordfish", "wrong", "swordfish"])
    monkeypatch.setattr(file_dialogs, "ask_password", lambda _parent, _names: next(words))
    monkeypatch.setattr(file_dialogs, "confirm_forgetting", lambda _parent, count: count == 2)
    messages = []
    screen.session.told.connect(lambda text, _undo: messages.append(text))
    screen.tabs.setCurrentIndex(2)
    with qtbot.waitSignal(screen.session.imported, timeout=5000):
        screen.unlock_action.trigger()
    qtbot.waitUntil(lambda: not screen.session.tasks.busy(), timeout=5000)
    select(screen, "a.txt", "vault.txt", "vault2.txt")
    assert not screen.unlock_action.isEnabled()
    screen.passwords_action.trigger()
    qtbot.waitUntil(screen.unlock_action.isEnabled, timeout=5000)
    messages.clear()
    for message in ("Wrong password for 2 files", "2 passwords stored"):
        screen.unlock_action.trigger()
        qtbot.waitUntil(lambda: bool(messages), timeout=5000)
        assert messages == [message]
        messages.clear()
    assert not screen.unlock_action.isEnabled()
    assert len(screen.session.workbench.documents.with_password()) == 2


def test_a_failed_file_of_an_import_opens_where_it_can_be_read_again(screen, monkeypatch):
    places = []
    screen.show_source.connect(lambda *place: places.append(place))
    screen.tabs.setCurrentIndex(1)
    rows = screen.report.model.rows
    index = next(index for index, row in enumerate(rows) if row.name == "vault.txt")
    screen.report.table.setCurrentIndex(screen.report.model.index(index, 0))
    screen.report._open()
    assert (places, screen.tabs.currentIndex()) == ([], 2)
    assert [document.name for document in screen.failed_list.chosen()] == ["vault.txt"]


def test_a_password_that_opens_some_of_the_files_says_how_many(screen, monkeypatch, qtbot):
    monkeypatch.setattr(file_dialogs, "ask_password", lambda _parent, _names: "swordfish")
    real = screen.session.engines.reader.read

    def read(data, name, *, password=""):
        return real(data, name, password="wrong" if name == "vault2.txt" else password)

    monkeypatch.setattr(screen.session.engines.reader, "read", read)
    messages = []
    screen.session.told.connect(lambda text, _undo: messages.append(text))
    screen.tabs.setCurrentIndex(2)
    screen.unlock_action.trigger()
    qtbot.waitUntil(lambda: bool(messages), timeout=5000)
    assert messages == ["1 file read; wrong password for 1 file"]


def test_trying_again_reads_what_can_be_read_now(screen, qtbot):
    reader = screen.session.engines.reader
    screen.tabs.setCurrentIndex(2)
    real = reader.read
    reader.read = lambda data, name, *, password="": real(b"now it is text", name, password=password)
    screen.failed_list.select({screen.failed_list.model.rows[0].id})
    with qtbot.waitSignal(screen.session.imported, timeout=5000):
        qtbot.keyClick(screen.failed_list.table, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert "noise.bin" in listed(screen)


def test_removing_without_dependents_asks_nothing_and_can_be_undone(screen, monkeypatch, qtbot):
    monkeypatch.setattr(decisions, "ask_removal", lambda *_: pytest.fail("nothing rests on it"))
    select(screen, "b.txt")
    qtbot.keyClick(screen.table, Qt.Key.Key_Delete)
    assert "b.txt" not in listed(screen)
    assert screen.tabs.tabText(3) == "Removed (1)"
    screen.tabs.setCurrentIndex(3)
    screen.restore_action.trigger()
    assert "b.txt" in listed(screen)
    assert not screen.tabs.isTabVisible(3)
    screen.session.undo()
    assert "b.txt" not in listed(screen)


def test_removing_says_exactly_what_goes_with_it(screen, monkeypatch, qtbot):
    bench = screen.session.workbench
    bench.hypotheses.add("The vendor did it.")
    bench.hypotheses.add("Nobody did it.")
    inner = next(d.id for d in bench.documents.all() if d.name == "d.zip/inner.txt")
    bench.evidence.add_quote(inner, 1, 0, 10)
    bench.evidence.rate_many([("E1", "H1", "C"), ("E1", "H2", "I")])
    losses = []
    monkeypatch.setattr(decisions, "ask_removal", lambda _parent, going: losses.append(going) or len(losses) > 1)
    select(screen, "d.zip")
    screen.remove_action.trigger()
    going = losses[0]
    assert (going.documents, going.rows, going.cells) == (("d.zip",), ("E1  The vendor",), 2)
    assert going.children == (f"{inner}  d.zip/inner.txt",)
    assert going.sentences
    assert "d.zip" in listed(screen)  # thought better of it
    screen.remove_action.trigger()
    assert not {"d.zip", "d.zip/inner.txt"} & set(listed(screen))
    assert bench.evidence.all() == []
    screen.session.undo()
    assert len(bench.evidence.all()) == 1


def test_the_question_names_everything_and_keeps_by_default(styled, qtbot):
    dialog = RemoveDialog(
        Removal(("a.pdf",), ("D2  b.txt",), ("E1  The vendor",), 3, 2, 1, ("H1 leads.",), ("out.pdf",))
    )
    qtbot.addWidget(dialog)
    dialog.show()
    words = " ".join(label.text() for label in dialog.findChildren(QWidget) if hasattr(label, "text"))
    for part in ("a.pdf", "D2  b.txt", "1, 3 rated cells", "2 proposals", "1 passage", "H1 leads.", "out.pdf"):
        assert part in words
    assert dialog.keep.isDefault()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.result() == QDialog.DialogCode.Rejected


def test_a_look_before_files_are_added(screen, inbox, qtbot):
    sent = []
    screen.session.dropped.connect(lambda paths, _roots: sent.append(paths))
    new = put(inbox, "new.txt", "A new statement.")
    put(inbox, "film.mp4", b"0" * 999)
    screen.consider([inbox])
    qtbot.waitUntil(screen.sheet.waits, timeout=5000)
    text = " ".join(label.text() for label in screen.sheet.findChildren(QWidget) if hasattr(label, "text"))
    assert "9 files to be added" in text
    assert "4 already in the case" in text
    assert "1 of a type without text" in text
    assert sent == []
    assert screen.sheet.add.text() == "Add 4 files"  # the new one, and three that failed before
    qtbot.keyClick(screen.sheet.add, Qt.Key.Key_Escape)
    assert not screen.sheet.waits()
    screen.consider([inbox])
    qtbot.waitUntil(screen.sheet.waits, timeout=5000)
    screen.sheet.add.click()
    assert new in sent[0]
    assert len(sent[0]) == 4


def test_what_is_left_out_is_not_counted_as_added(screen, tmp_path, qtbot):
    folder = tmp_path / "only a case"
    folder.mkdir()
    CaseFile.create(folder / "other.disconfirm").close()
    screen.consider([folder])
    qtbot.waitUntil(screen.sheet.waits, timeout=5000)
    text = " ".join(label.text() for label in screen.sheet.findChildren(QWidget) if hasattr(label, "text"))
    assert "0 files to be added" in text
    assert "1 left out" in text


def test_enter_answers_and_the_keys_are_in_the_list_again(screen, inbox, qtbot):
    sent = []
    screen.session.dropped.connect(lambda paths, _roots: sent.append(paths))
    put(inbox, "new.txt", "A new statement.")
    put(inbox, "film.mp4", b"0" * 999)
    screen.consider([inbox])
    qtbot.waitUntil(screen.sheet.waits, timeout=5000)
    assert screen.sheet.add.hasFocus()
    qtbot.keyClick(screen.sheet.add, Qt.Key.Key_Return)
    assert len(sent) == 1
    assert screen.table.hasFocus()


def test_enter_in_the_filter_goes_to_what_it_found(screen, qtbot):
    screen.filter_action.trigger()
    qtbot.keyClicks(screen.filter, "b.txt")
    qtbot.keyClick(screen.filter, Qt.Key.Key_Return)
    assert screen.table.hasFocus()
    assert [document.name for document in screen.chosen()] == ["b.txt"]


def test_escape_in_the_filter_clears_it_and_goes_back_to_the_list(screen, qtbot):
    screen.filter_action.trigger()
    qtbot.keyClicks(screen.filter, "b.txt")
    qtbot.waitUntil(lambda: listed(screen) == ["b.txt"])
    qtbot.keyClick(screen.filter, Qt.Key.Key_Escape)
    assert screen.filter.text() == ""
    assert screen.table.hasFocus()
    qtbot.waitUntil(lambda: len(listed(screen)) == 5)


def test_typing_in_the_filter_reads_nothing_again(screen, qtbot, monkeypatch):
    """However many documents there are: what a filter looks in is made when they are listed."""
    screen.filter_action.trigger()
    readings = []
    monkeypatch.setattr(DocumentsModel, "_filter_text", lambda self, row: readings.append(row))
    monkeypatch.setattr(type(screen.session), "do", lambda *_args, **_kwargs: readings.append("read"))
    qtbot.keyClicks(screen.filter, "c.txt")
    assert len(listed(screen)) == 5  # not at every key
    qtbot.waitUntil(lambda: listed(screen) == ["c.txt"])
    assert readings == []


def test_what_the_filter_hides_is_not_selected(screen, panel, qtbot):
    select(screen, "b.txt")
    assert panel.shown().name == "b.txt"
    screen.filter_action.trigger()
    qtbot.keyClicks(screen.filter, "c.txt")
    qtbot.waitUntil(lambda: listed(screen) == ["c.txt"])
    assert screen.chosen() == []
    assert panel.shown() is None


def test_new_documents_that_the_filter_hides_are_counted(screen, case, inbox):
    messages = []
    case.told.connect(lambda text, _undo: messages.append(text))
    screen.table.narrow("type", "Archive")
    put(inbox, "late.txt", "The pump was painted in May.")
    put(inbox, "late.zip", zipped({"note.txt": b"The valve was painted in June."}))
    add(case, inbox / "late.txt", inbox / "late.zip")
    assert listed(screen) == ["d.zip", "late.zip"]
    assert messages == ["The filter hides 2 new documents"]


def test_names_are_sorted_as_a_person_counts_and_what_is_in_an_archive_stands_below_it(screen, case, inbox):
    for name in ("10.txt", "2.txt", "0.txt", "100.txt", "1.txt"):
        put(inbox, name, f"The words of number {name} are not like others: {name * 3}.")
    put(inbox, "z.zip", zipped({"deep/3.txt": b"Number three stands alone here."}))
    add(case, inbox)
    case.changed.emit(Changes(documents=True), None)
    screen.table.sortByColumn(DocumentsModel.NAME, Qt.SortOrder.AscendingOrder)
    numbers = [name for name in listed(screen) if name[0].isdigit() or "deep" in name]
    assert numbers == ["0.txt", "1.txt", "2.txt", "10.txt", "100.txt", "z.zip/deep/3.txt"]
    assert listed(screen)[:5] == numbers[:5]
    assert listed(screen)[-2:] == ["z.zip", "z.zip/deep/3.txt"]


def test_documents_without_a_date_stand_last_either_way(screen, qtbot):
    screen.session.do(lambda bench: bench.documents.describe(["D1"], dated="2021-05-03"))
    screen.session.do(lambda bench: bench.documents.describe(["D2"], dated="2019-01-01"))
    for order, first in ((Qt.SortOrder.AscendingOrder, "D2"), (Qt.SortOrder.DescendingOrder, "D1")):
        screen.table.sortByColumn(DocumentsModel.DATE, order)
        rows = [screen.proxy.index(index, 0).data(Qt.ItemDataRole.UserRole) for index in range(screen.proxy.rowCount())]
        assert rows[0].id == first
        assert [row.dated for row in rows[2:]] == [""] * (len(rows) - 2)


def test_a_column_in_which_nothing_is_said_leaves_its_room_to_the_names(screen):
    assert screen.table.isColumnHidden(DocumentsModel.TAGS)
    assert not screen.table.isColumnHidden(DocumentsModel.PAGES)
    screen.session.do(lambda bench: bench.documents.describe(["D1"], add_tags=["police"]))
    assert not screen.table.isColumnHidden(DocumentsModel.TAGS)


def test_a_stopped_import_is_told_with_what_came_of_it(screen, inbox, qtbot):
    put(inbox, "x.txt", "What came before the stop.")
    put(inbox, "y.txt", "What did not come any more.")
    with pytest.raises(Cancelled):
        screen.session.workbench.documents.add([inbox / "x.txt", inbox / "y.txt"], stop_at(1))
    screen.session.changed.emit(Changes(documents=True), None)
    assert [row.name for row in screen.report.model.rows] == ["x.txt"]
    assert "1 added, 0 duplicates, 0 failed" in screen.report.summary.text()


def test_nothing_is_asked_where_there_is_nothing_to_say(screen, inbox, qtbot):
    sent = []
    screen.session.dropped.connect(lambda paths, _roots: sent.append(paths))
    new = put(inbox, "new.txt", "A new statement.")
    screen.consider([new])
    qtbot.waitUntil(lambda: bool(sent), timeout=5000)
    assert sent == [[new]]
    assert not screen.sheet.waits()


def test_a_watched_folder_offers_what_is_new_and_adds_nothing_itself(screen, inbox, monkeypatch, qtbot):
    monkeypatch.setattr(file_dialogs, "ask_folder", lambda *_: inbox)
    count = len(screen.session.workbench.documents.all())
    screen.watch_action.trigger()
    assert window_state.watched(screen.session.workbench.path) == [inbox]
    put(inbox, "half.part", "not yet")
    put(inbox, "late.txt", "A late statement.")
    screen.intake.watch.look()
    qtbot.waitUntil(screen.sheet.waits, timeout=5000)
    assert screen.sheet.title.text() == "1 file new or changed in inbox"
    assert len(screen.session.workbench.documents.all()) == count
    screen.sheet.dismiss()
    screen.intake.watch.look()
    qtbot.wait(150)
    assert not screen.sheet.waits()  # told once, and declined
    put(inbox, "late.txt", "A late statement, changed.", age=50)
    screen.intake.watch.look()
    qtbot.waitUntil(screen.sheet.waits, timeout=5000)
    sent = []
    screen.session.dropped.connect(lambda paths, _roots: sent.append(paths))
    screen.sheet.add.click()
    assert sent == [[inbox / "late.txt"]]
    screen.unwatch_action.trigger()
    assert screen.intake.watch.folders() == []


def test_a_newer_version_is_told_with_the_rows_that_quote_the_older_one(screen, inbox):
    screen.session.workbench.evidence.add_quote("D2", 1, 0, 9)
    messages = []
    screen.session.told.connect(lambda text, _undo: messages.append(text))
    add(screen.session, put(inbox, "b.txt", "Something else about the pump.", age=9))
    screen.session.changed.emit(Changes(documents=True), None)
    assert messages == ["1 document superseded; 1 piece of evidence quotes an older version"]
    place = listed(screen).index("b.txt")
    assert listed(screen)[place + 1] == "b.txt"
    states = [screen.proxy.index(row, DocumentsModel.STATUS).data() for row in (place, place + 1)]
    assert states == ["superseded by D9", "newer version of D2"]


def test_the_last_import_is_still_there_when_the_case_is_opened_again(screen, inbox, engines, tmp_path, qtbot):
    screen.session.close_case()
    session = CaseSession(engines, who="Ada")
    assert session.open(tmp_path / "test.disconfirm")
    next_screen = DocumentsScreen(session)
    put_on_show(qtbot, next_screen, 1300, 700)
    assert next_screen.tabs.isTabVisible(1)
    rows = next_screen.report.model.rows
    assert [row.status for row in rows].count("failed") == 3
    near = next(row for row in rows if row.name == "c.txt")
    assert near.why == "nearly the same as a.txt (D1): 99% of the wording"
    session.shutdown()


def test_every_command_of_the_screen_has_a_name_and_the_new_ones_keys(screen):
    actions = {action.text(): action for action in screen.actions() if isinstance(action, QAction)}
    for name in ("Remove the documents", "Describe the documents", "Add tags", "Try again", "Give a password",
                 "Restore", "Watch a folder", "Filter the list"):  # fmt: skip
        assert not actions[name].shortcut().isEmpty()
    keys = [a.shortcut().toString() for a in screen.actions() if not a.shortcut().isEmpty()]
    assert len(keys) == len(set(keys))


def test_reading_again_leaves_the_report_of_the_import(screen, inbox, qtbot):
    """What happened to the files of the last import, with those that were read since; also when the case is "
    "reopened."""
    session = screen.session
    count = len(screen.report.model.rows)
    failed = [row for row in screen.report.model.rows if row.status == "failed"]
    assert len(failed) > 1
    assert count > len(failed)
    screen.tabs.setCurrentIndex(2)
    noise = next(row.id for row in screen.failed_list.model.rows if row.name == "noise.bin")
    screen.failed_list.table.selectRow([row.id for row in screen.failed_list.model.rows].index(noise))
    qtbot.keyClick(screen.failed_list.table, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(session.workbench.documents.imports(0)) == 1 and not session.tasks.busy())
    assert len(screen.report.model.rows) == count
    assert screen.tabs.tabText(1) == f"Last import ({len(failed)} failed)"
    fresh = DocumentsScreen(session)
    put_on_show(qtbot, fresh, 1300, 700)
    assert len(fresh.report.model.rows) == count
    assert fresh.tabs.tabText(1) == f"Last import ({len(failed)} failed)"


def test_the_dialog_shows_the_kinds_that_are_refused_with_a_remedy(screen, tmp_path, qtbot, answered):
    """A letter in the old format of Word is there to be chosen, so that what to do about it can be told."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    names = {"letter.doc", "TALK.PPT", "notes.pages", "old.wpd", "call.mp3", "scene.mp4", "report.pdf"}
    for name in (*names, "library.so"):
        (folder / name).write_bytes(b"x")
    files: set[str] = set()

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QFileDialog):
            QTimer.singleShot(50, look)
            return
        model, view = dialog.findChild(QFileSystemModel), dialog.findChild(QListView, "listView")
        try:
            for _ in range(100):
                root = view.rootIndex()
                rows = range(view.model().rowCount(root))
                files.update(view.model().index(row, 0, root).data() for row in rows)
                if len(files) >= len(names) or model is None:
                    break
                QTest.qWait(50)
        finally:
            dialog.reject()

    QTimer.singleShot(50, look)
    assert file_dialogs.ask_documents(screen, folder) == []
    assert files == names


def rows_in_list(screen):
    """The names as they are painted."""
    delegate = screen.table.itemDelegateForColumn(DocumentsModel.NAME)
    options = [QStyleOptionViewItem() for _ in range(screen.proxy.rowCount())]
    for row, option in enumerate(options):
        delegate.initStyleOption(option, screen.proxy.index(row, DocumentsModel.NAME))
    return [option.text.replace("\u2003", "").replace("\u2002", "·") for option in options]


def test_what_is_in_an_archive_stands_below_it_and_is_folded_by_keys_and_by_its_arrow(screen, case, inbox, qtbot):
    deep = zipped({"inner.txt": b"The guard went home.", "deep.zip": zipped({"x.txt": b"The gate was open."})})
    add(case, put(inbox, "e.zip", deep))
    case.changed.emit(Changes(documents=True), None)
    below = ["▾·e.zip", "·inner.txt", "·▾·deep.zip", "··x.txt"]
    assert rows_in_list(screen)[3:] == ["▾·d.zip", "·inner.txt", *below]
    screen.table.sortByColumn(DocumentsModel.NAME, Qt.SortOrder.DescendingOrder)
    assert rows_in_list(screen)[:4] == [below[0], below[1], below[2], below[3]]
    screen.table.select(screen.proxy.index(3, DocumentsModel.NAME))
    qtbot.keyClick(screen.table, Qt.Key.Key_Left)  # to what it is in
    assert screen.table.in_hand().name == "e.zip/deep.zip"
    qtbot.keyClick(screen.table, Qt.Key.Key_Left)
    assert rows_in_list(screen)[:4] == ["▾·e.zip", "·inner.txt", "·▸·deep.zip", "▾·d.zip"]
    spoken = screen.proxy.index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "level 2, 1 document inside, folded" in spoken
    assert screen.proxy.passing() == len(screen.model.rows)  # what is folded is still counted
    qtbot.keyClick(screen.table, Qt.Key.Key_Right)
    qtbot.keyClick(screen.table, Qt.Key.Key_Right)
    assert screen.table.in_hand().name == "e.zip/deep.zip/x.txt"
    box = screen.table.visualRect(screen.proxy.index(0, DocumentsModel.NAME))
    arrow = next(x for x in range(box.left(), box.right()) if _folds(screen, qtbot, QPoint(x, box.center().y())))
    assert arrow < box.left() + 60
    assert rows_in_list(screen)[0] == "▸·e.zip"
    screen.table.proxy.fold_documents(False)
    screen.filter.setText("x.txt")
    screen.table.apply_filter()
    assert rows_in_list(screen) == ["e.zip/deep.zip/x.txt"]  # alone it says where it is


def _folds(screen, qtbot, point):
    count = screen.proxy.rowCount()
    qtbot.mouseClick(screen.table.viewport(), Qt.MouseButton.LeftButton, pos=point)
    return screen.proxy.rowCount() != count


def test_documents_that_each_lie_in_the_other_are_both_listed(screen):
    rows = [dataclasses.replace(row, parent={"D1": "D2", "D2": "D1"}.get(row.id, "")) for row in screen.model.rows]
    screen.model.show(rows)
    screen.proxy.arrange()
    assert sorted(listed(screen)) == sorted(row.name for row in rows)


def test_folders_are_kept_where_files_are_asked_about(screen, inbox, qtbot, tmp_path):
    sent = []
    screen.session.dropped.connect(lambda paths, roots: sent.append((paths, list(roots))))
    folder = tmp_path / "Incoming"
    for number in range(60):
        (folder / f"box{number % 2}").mkdir(parents=True, exist_ok=True)
        put(folder / f"box{number % 2}", f"n{number}.txt", f"Number {number * 31} and {number * 17}.")
    screen.consider([folder])
    qtbot.waitUntil(screen.sheet.waits, timeout=5000)
    screen.sheet.add.click()
    ((paths, roots),) = sent
    assert (len(paths), roots) == (60, [folder])
    screen.session.do(lambda bench: bench.documents.add(paths, roots=roots))
    folders = {document.folder for document in screen.session.workbench.documents.all()}
    assert {"Incoming/box0", "Incoming/box1"} <= folders


def test_the_rest_of_a_stopped_import_is_discarded_without_a_question(screen, inbox):
    names = [put(inbox, f"s{number}.txt", f"Statement {number * 71}.") for number in range(4)]
    with pytest.raises(Cancelled):
        screen.session.workbench.documents.add(names, stop_at(2))
    screen.session.changed.emit(Changes(documents=True), None)
    assert screen.rest_bar.isVisible()
    assert screen.rest_bar.text.text() == "Import stopped at 2 of 4."
    messages = []
    screen.session.told.connect(lambda text, _undo: messages.append(text))
    screen.discard_button.click()
    assert messages == ["2 files will not be read"]
    assert not screen.rest_bar.isVisible()
    assert screen._tab_row.last.text() == "Last import: 2 of 4 added, 2 not read"
    assert screen.session.workbench.store.log.entries()[-1].verb == "discard import"
