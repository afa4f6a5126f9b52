"""The frame: going about, commands, errors, undo, drops, and what the window remembers."""

from __future__ import annotations

import os
import threading

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from core import settings
from core.case import guide
from core.errors import CaseInUse
from gui_app import window_state
from gui_app.matrix.analysis_panel import GROUP
from gui_app.shared import file_dialogs, theme
from gui_app.shell.navigation import PLACES


def test_without_a_case_only_the_start_page_is_there(window):
    assert window.current().name == "Start"
    for name, button in window.rail.buttons.items():
        assert button.isEnabled() == (name == "Start")
    window.go("Documents")
    assert window.current().name == "Start"
    assert not window.panels.ranking.isVisible()


def test_a_new_case_shows_its_documents(with_case):
    assert with_case.current().name == "Documents"
    assert with_case.windowTitle() == "Who was it? - Disconfirm"
    assert with_case.panels.ranking.isVisible()
    assert with_case.rail.buttons["Documents"].isChecked()


def test_every_screen_opens_by_its_keys(with_case, qtbot):
    rail = [place.name for place in PLACES if place.in_rail and not place.keys]
    assert len(rail) == 9
    for number, name in enumerate(rail, start=1):
        qtbot.keyClick(with_case, Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.ControlModifier)
        assert with_case.current().name == name


def test_ctrl_p_says_of_a_screen_that_it_cannot_be_printed(with_case, qtbot):
    qtbot.keyClick(with_case.current().main_widget(), Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert with_case.strip.message.text() == "Documents cannot be printed; Report can."
    with_case.go("Report")
    qtbot.keyClick(with_case.current().main_widget(), Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert with_case.strip.message.text() == "There is no report to print yet."


def test_ctrl_p_prints_the_report(with_case, session, qtbot, monkeypatch):
    titles = []
    monkeypatch.setattr(QPrintDialog, "exec", lambda dialog: titles.append(dialog.printer().docName()) or 0)
    with_case.go("Report")
    qtbot.waitUntil(lambda: with_case.current().preview.toPlainText() != "")
    qtbot.keyClick(with_case.current().preview, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert titles == [with_case.current()._story.title]


def test_buttons_for_one_step_have_one_name(with_case):
    with_case.go("Report")
    buttons = (with_case.current().empty.button, with_case.panels.ranking._add)
    names = {button.accessibleName() for button in buttons} | {guide.steps(guide.Facts())[0].button}
    assert names == {"Write hypotheses"}


class WindowsShown(QObject):
    """Notes every widget that is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(repr(watched))
        return False


def test_no_part_of_a_screen_is_shown_as_a_window(window, session, tmp_path, qapp):
    """A widget that is shown before it has a parent flashes up as a window and takes the focus away."""
    notes = WindowsShown()
    qapp.installEventFilter(notes)
    session.create(tmp_path / "test.disconfirm")
    for place in PLACES:
        window.go(place.name)
    session.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    window.panels.select(session.workbench.hypotheses.all()[0])
    session.tell("Done", undo=True)
    qapp.removeEventFilter(notes)
    assert notes.shown == []


def stops(window, qtbot) -> list[QWidget]:
    """Where Tab leads from here, until it comes back."""
    met: list[QWidget] = []
    while (part := QApplication.focusWidget()) not in met:
        met.append(part)
        qtbot.keyClick(part, Qt.Key.Key_Tab)
    return met


@pytest.mark.parametrize("filled", [pytest.param(False, marks=pytest.mark.slow), True])
def test_tab_leaves_every_screen_and_comes_back(window, session, tmp_path, texts, filled, qtbot):
    session.create(tmp_path / "test.disconfirm")
    if filled:
        session.do(lambda bench: bench.documents.add([texts]))
        session.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    for place in PLACES:
        window.go(place.name)
        QApplication.processEvents()
        start = QApplication.focusWidget()
        assert window.current().isAncestorOf(start), place.name
        met = stops(window, qtbot)
        assert any(not window.current().isAncestorOf(part) for part in met), place.name
        assert QApplication.focusWidget() is start or window.current().isAncestorOf(QApplication.focusWidget())


def test_enter_presses_the_button_that_has_the_focus(with_case, qtbot):
    with_case.go("Review")
    screen = with_case.current()
    qtbot.waitUntil(screen.empty.button.isVisible)
    screen.empty.button.setFocus()
    qtbot.keyClick(screen.empty.button, Qt.Key.Key_Return)
    assert screen.finder.task is not None
    with_case.rail.buttons["Matrix"].setFocus()
    qtbot.keyClick(with_case.rail.buttons["Matrix"], Qt.Key.Key_Enter)
    assert with_case.current().name == "Matrix"
    with_case.current().grid.setFocus()
    qtbot.keyClick(with_case, Qt.Key.Key_Return)  # no button: nothing is pressed
    assert with_case.current().name == "Matrix"


def test_a_way_to_documents_reaches_the_page_on_show(with_case, session, texts, qtbot):
    """Also where the table of all documents is hidden behind what could not be read."""
    (texts / "empty.txt").touch()
    session.do(lambda bench: bench.documents.add([texts]))
    screen = with_case.screen_named("Documents")
    screen.tabs.setCurrentIndex(2)
    with_case.go("Matrix")
    with_case.go("Documents")
    assert QApplication.focusWidget() is screen.failed_list.table
    with_case.panels.ranking.setFocus()
    assert screen.failed_list.table in stops(with_case, qtbot)


def test_back_and_forward(with_case):
    for name in ("Hypotheses", "Search", "Documents"):
        with_case.go(name)
    with_case.navigation.back()
    assert with_case.current().name == "Search"
    with_case.navigation.back()
    assert with_case.current().name == "Hypotheses"
    with_case.navigation.forward()
    assert with_case.current().name == "Search"
    with_case.go("Matrix")  # a new way cuts off the old one
    assert not with_case.commands.forward.isEnabled()
    with_case.navigation.back()
    assert with_case.current().name == "Search"


def test_back_restores_what_was_selected(with_case):
    screen = with_case.screen_named("Documents")
    screen.table.select(screen.proxy.index(2, 0))
    chosen = screen.chosen()[0].id
    with_case.go("Hypotheses")
    screen.table.clearSelection()
    with_case.navigation.back()
    assert [document.id for document in screen.chosen()] == [chosen]


def test_show_source_opens_the_viewer_and_comes_back(with_case):
    with_case.open_source("D1", 1, 0, 10)
    assert with_case.current().name == "Viewer"
    with_case.navigation.back()
    assert with_case.current().name == "Documents"


def test_the_viewer_beside_a_screen_has_its_half_of_a_small_window(with_case):
    """However much room a screen that is not on show asks for."""
    with_case.resize(1100, 700)
    for name in ("Search", "Documents", "Matrix"):
        with_case.go(name)
    assert with_case.screen_named("Search").minimumSizeHint().width() > 600
    with_case.panels.toggle_viewer()
    QApplication.processEvents()
    assert with_case.navigation.beside.width() >= 400


def test_the_viewer_stands_beside_the_screen(with_case, session, qtbot):
    with_case.panels.toggle_viewer()
    assert with_case.current().name == "Documents"
    with_case.open_source("D1", 1, 0, 10)
    assert with_case.current().name == "Documents"  # the page came up beside it
    with_case.panels.toggle_viewer()
    with_case.open_source("D1", 1, 0, 10)
    assert with_case.current().name == "Viewer"
    qtbot.waitUntil(lambda: not session.tasks._newest)


def test_undo_is_one_key_everywhere(with_case, session, qtbot):
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in."))
    for name in ("Matrix", "Review"):
        with_case.go(name)
        qtbot.keyClick(with_case, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert len(session.workbench.hypotheses.all()) == 2
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        qtbot.keyClick(with_case, Qt.Key.Key_Z, both)
        assert len(session.workbench.hypotheses.all()) == 3
    assert with_case.commands.undo.isEnabled()


def test_a_toast_offers_undo(with_case, session):
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in."))
    session.tell("H3 added", undo=True)
    assert with_case.toast.isVisible()
    with_case.toast._undo.click()
    assert len(session.workbench.hypotheses.all()) == 2
    assert with_case.toast.text() == "Undone: H3 is removed again"
    assert not with_case.toast._undo.isVisible()


def test_an_error_is_told_in_place_and_can_be_copied(with_case, session, qapp):
    session.failed.emit(CaseInUse(path="/cases/a.disconfirm", holder="another window"))
    notice = with_case.notice
    assert notice.isVisible()
    assert "/cases/a.disconfirm" in notice.sentence.text()
    assert notice.hint.text() == CaseInUse.hint
    notice._copy.click()
    assert "CaseInUse" in qapp.clipboard().text()


@pytest.mark.skipif(os.name != "posix", reason="an open file can be renamed on POSIX systems only")
def test_that_nothing_can_be_saved_is_not_said_any_more_when_it_can(with_case, session):
    path = session.workbench.path
    away = path.rename(path.with_name("away.disconfirm"))
    assert session.do(lambda bench: bench.hypotheses.add("Not saved.")) is None
    assert "nothing can be saved until" in with_case.notice.sentence.text()
    assert not with_case.notice.isHidden()
    assert with_case.strip.save_label.text() == "Last step not saved"
    away.rename(path)
    assert session.do(lambda bench: bench.hypotheses.add("Saved.")) is not None
    assert with_case.notice.isHidden()
    assert with_case.strip.save_label.text().startswith("Saved ")


def test_palette_finds_commands_documents_and_hypotheses(with_case, session, qtbot):
    with_case.commands.open_palette()
    popup = with_case.palette_popup
    popup.field.setText("night tech")
    assert popup.model.rows[0].title.startswith("H1 ")
    popup.field.setText("access")
    assert popup.model.rows[0].title == "access_log.txt"
    popup.field.setText("go matr")
    qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    assert with_case.current().name == "Matrix"
    assert not popup.isVisible()


def test_palette_searches_the_documents(with_case, session, qtbot):
    with_case.commands.open_palette()
    popup = with_case.palette_popup
    popup.field.setText("eleven minutes")
    assert popup.model.rows[-1].kind == "search"
    qtbot.keyClick(popup.field, Qt.Key.Key_Up)  # round to the last entry
    qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    screen = with_case.screen_named("Search")
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    assert screen.views.passages.model.rows[0].name == "access_log.txt"


def test_what_is_typed_in_the_palette_while_a_case_opens_stays_there(with_case, session, qtbot, tmp_path):
    with_case.commands.open_palette()
    popup = with_case.palette_popup
    qtbot.keyClicks(popup.field, "night")
    assert session.create(tmp_path / "another.disconfirm", title="Another")
    assert popup.isVisible()
    assert popup.field.hasFocus()
    assert popup.field.text() == "night"
    qtbot.keyClicks(popup.field, " shift")
    assert popup.field.text() == "night shift"
    qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    assert with_case.current().name == "Search"


def test_escape_closes_the_palette_and_gives_the_focus_back(with_case, qtbot):
    with_case.go("Hypotheses")
    focus = with_case.focusWidget()
    with_case.commands.open_palette()
    assert with_case.palette_popup.isVisible()
    qtbot.keyClick(with_case.palette_popup.field, Qt.Key.Key_Escape)
    assert not with_case.palette_popup.isVisible()
    assert with_case.focusWidget() is focus


def test_shortcut_sheet_lists_the_screens_and_the_windows_keys(with_case):
    with_case.go("Review")
    with_case.commands.show_shortcuts()
    from gui_app.shell.shortcut_sheet import ShortcutSheet

    sheet = with_case.findChild(ShortcutSheet)
    texts = {label.text() for label in sheet.findChildren(QLabel)}
    assert {"REVIEW", "EVERYWHERE", "Undo", "Ctrl+K"} <= {text.split(":")[0] for text in texts}
    sheet.close()


def test_dropped_documents_are_added(with_case, session, tmp_path, qtbot):
    extra = tmp_path / "extra.txt"
    extra.write_text("The badge reader shows one entry at 01:58.", "utf-8")
    with qtbot.waitSignal(session.imported, timeout=10_000):
        with_case.intake.take([extra])
    assert "extra.txt" in {document.name for document in session.workbench.documents.all()}


def test_documents_dropped_on_the_start_page_begin_a_case(window, session, texts, tmp_path, qtbot):
    window.intake.take([texts])
    start = window.current()
    assert start.form.isVisible()
    start._folder = tmp_path
    start.title_field.setText("Dropped: what/now?")
    with qtbot.waitSignal(session.imported, timeout=10_000):
        qtbot.keyClick(start.title_field, Qt.Key.Key_Return)
    assert session.workbench.path == tmp_path / "Dropped what now.disconfirm"
    assert len(session.workbench.documents.all()) == 3


def test_a_dropped_case_is_opened(with_case, session, tmp_path):
    first = session.workbench.path
    session.create(tmp_path / "second.disconfirm")
    with_case.intake.take([first])
    assert session.workbench.path == first


def test_add_files_asks_once_and_remembers_the_folder(with_case, session, texts, monkeypatch, qtbot):
    folders = []

    def answer(parent, start):
        folders.append(start)
        return [texts / "mail.txt"]

    monkeypatch.setattr(file_dialogs, "ask_documents", answer)
    for _ in range(2):
        with qtbot.waitSignal(session.imported, timeout=10_000):
            with_case.commands.add_files.trigger()
    assert folders[1] == texts


def test_the_last_screen_of_a_case_comes_back(with_case, session, tmp_path):
    with_case.go("Search")
    path = session.workbench.path
    session.close_case()
    assert with_case.current().name == "Start"
    session.open(path)
    assert with_case.current().name == "Search"


def test_themes_change_colours_and_icons(with_case, session):
    with_case.commands.set_theme("dark")
    assert theme.tokens() is theme.DARK
    dark = with_case.rail.buttons["Matrix"].icon().pixmap(20, 20).toImage()
    with_case.commands.set_theme("light")
    assert theme.tokens() is theme.LIGHT
    assert with_case.rail.buttons["Matrix"].icon().pixmap(20, 20).toImage() != dark
    assert settings.load().theme == "light"


def test_the_documents_words_stay_in_serif_and_grow_with_the_text(with_case, qtbot):
    with_case.open_source("D1", 1, 0, 10)
    viewer = with_case.current()
    viewer.toggle_text()
    view = viewer.text_view
    size = view.font().pixelSize()
    with_case.commands.set_theme("dark")
    assert view.font().family() == theme.SERIF
    assert view.font().pixelSize() == size
    for _ in range(4):
        with_case.commands.larger.trigger()
    assert view.font().family() == theme.SERIF
    assert view.font().pixelSize() > size
    qtbot.waitUntil(lambda: not with_case.session.tasks._newest)


def test_a_passage_of_the_sample_is_set_in_the_documents_own_letters(with_case, qtbot):
    with_case.go("Hypotheses", "searches")
    sample = with_case.current().searches.sample
    with_case.current().searches.show_missed()
    qtbot.waitUntil(sample.isVisible)
    assert sample.passage.font().family() == theme.SERIF


def test_beside_folded_ranking_and_details_the_screen_has_two_thirds_and_does_not_move(with_case, session):
    for name in ("Documents", "Search", "Viewer"):
        with_case.go(name)
        with_case.resize(1440, 900)
        QApplication.processEvents()
        screen = with_case.current()
        left = screen.mapTo(with_case, QPoint())
        with_case.panels.select(session.workbench.documents.all()[0])
        QApplication.processEvents()
        assert with_case.panels.detail.isVisible()
        page = screen.pane if name == "Viewer" else screen
        assert page.width() >= 1440 * 2 / 3
        assert screen.mapTo(with_case, QPoint()) == left
        with_case.panels.select(None)


def test_the_ranking_folds_in_a_narrow_window_and_stays_as_chosen(with_case, session, qtbot):
    session.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    qtbot.waitUntil(lambda: bool(with_case.panels.ranking.model.rows))
    with_case.resize(1700, 900)
    assert not with_case.panels.ranking.narrow
    with_case.resize(1440, 900)
    assert with_case.panels.ranking.narrow
    row = with_case.panels.ranking.model.index(0, 0)
    assert "H1" in row.data(Qt.ItemDataRole.ToolTipRole)  # what the letters stand for
    with_case.panels.toggle_ranking()
    assert not with_case.panels.ranking.narrow
    with_case.resize(1050, 700)
    assert not with_case.panels.ranking.narrow


def test_size_is_kept_when_the_window_closes(with_case):
    assert window_state.geometry() is None
    geometry = with_case.saveGeometry()
    with_case.commands.detail.trigger()  # a panel that is hidden has no width worth keeping
    with_case.close()
    assert window_state.geometry() == geometry
    assert window_state.sizes() == [] or 0 not in window_state.sizes()[2:]


# Parts that Qt makes inside its own controls; the control around them has the name.
_INSIDE = ("QLineEditIconButton", "QHeaderView", "QComboBoxListView", "QTableCornerButton")


def test_every_control_has_a_name(with_case, qtbot):
    """What a screen reader says of a control: its accessible name, or its text."""
    nameless = []
    checked = 0
    for place in PLACES:
        with_case.go(place.name)
        for kind in (QAbstractButton, QLineEdit, QAbstractItemView, QComboBox, QAbstractSpinBox):
            for control in with_case.current().findChildren(kind):
                made_by = control.metaObject().className()
                inside = isinstance(control.parent(), (QComboBox, QAbstractSpinBox))
                if inside or made_by in _INSIDE or control.objectName().startswith("qt_"):
                    continue
                checked += 1
                text = control.text() if isinstance(control, QAbstractButton) else ""
                if not control.accessibleName() and not text:
                    nameless.append(f"{place.name}: {made_by}")
    assert nameless == []
    assert checked > 40
    qtbot.waitUntil(lambda: not with_case.session.tasks._newest)


def test_labels_never_read_data_as_markup(with_case, session, tmp_path, qtbot):
    odd = tmp_path / "<b>bold & co.txt"
    odd.write_text("Nothing.", "utf-8")
    session.do(lambda bench: bench.documents.add([odd]))
    for place in PLACES:
        with_case.go(place.name)
    with_case.panels.select(session.workbench.documents.all()[-1])
    rich = [
        f"{label.objectName()} {label.text()[:40]}"
        for label in with_case.findChildren(QLabel)
        if label.text() and label.textFormat() != Qt.TextFormat.PlainText
    ]
    assert rich == []
    qtbot.waitUntil(lambda: not session.tasks._newest)


def test_the_ranking_follows_the_ratings(with_case, session, qtbot):
    evidence = session.do(lambda bench: bench.evidence.add("The badge reader shows one entry."))
    session.do(lambda bench: bench.evidence.rate(evidence.id, "H1", "II"))
    session.do(lambda bench: bench.evidence.rate(evidence.id, "H2", "C"))
    model = with_case.panels.ranking.model
    qtbot.waitUntil(lambda: [row.hypothesis.id for row in model.rows] == ["H2", "H1"])
    assert [row.score for row in model.rows] == [0.0, 2.0]
    assert model.index(0, 0).data(Qt.ItemDataRole.UserRole).leads
    session.do(lambda bench: bench.evidence.rate(evidence.id, "H2", "II"))
    qtbot.waitUntil(lambda: [row.rank for row in model.rows] == ["1=", "1="])
    qtbot.waitUntil(lambda: with_case.panels.ranking._tie.text() == "Tie: H1, H2")


def test_details_follow_what_is_selected(with_case, session, qtbot):
    document = session.workbench.documents.all()[0]
    with_case.panels.select(document)
    session.do(lambda bench: bench.documents.set_included([document.id], False))
    assert with_case.panels.detail.shown().included is False
    row = session.do(lambda bench: bench.evidence.add_quote(document.id, 1, 0, 20))
    with_case.panels.select(session.workbench.evidence.all()[0])
    assert with_case.panels.detail.shown().id == row.id
    session.do(lambda bench: bench.evidence.grade(row.id, credibility="H"))
    assert with_case.panels.detail.shown().credibility == "H"
    session.undo()
    session.undo()
    assert with_case.panels.detail.shown() is None
    qtbot.waitUntil(lambda: not session.tasks._newest)


def test_a_job_is_shown_with_its_count_and_can_be_cancelled(with_case, session, qtbot):
    running = threading.Event()

    def work(bench, progress):
        while True:
            progress.step(3, 7, "Reading report.pdf")
            running.set()

    session.run("Adding", work)
    assert running.wait(5)
    [row] = with_case.strip.rows()
    qtbot.waitUntil(lambda: row.count.text() == "3/7")
    assert row.stage.text() == "Reading report.pdf"
    row.cancel.click()
    qtbot.waitUntil(lambda: with_case.strip.rows() == [])
    assert "cancelled" in with_case.strip.message.text()


def test_the_name_that_signs_is_asked_for_and_remembered(with_case, session, monkeypatch):
    monkeypatch.setattr(file_dialogs, "ask_name", lambda _parent, _current: "Ann Lee")
    with_case.commands.name.trigger()
    session.do(lambda bench: bench.hypotheses.add("The guard slept."))
    assert session.workbench.store.log.entries()[-1].who == "Ann Lee"
    assert settings.load().who == "Ann Lee"
    monkeypatch.setattr(file_dialogs, "ask_name", lambda _parent, _current: None)
    with_case.commands.name.trigger()
    assert settings.load().who == "Ann Lee"


def test_back_from_a_search_leads_to_where_it_was_asked_for(with_case):
    with_case.go("Viewer")
    with_case.screen_named("Viewer").search_wanted.emit("the guard said")
    assert with_case.current().name == "Search"
    assert "guard" in with_case.current().field.text()
    with_case.navigation.back()
    assert with_case.current().name == "Viewer"
    with_case.navigation.forward()
    assert "guard" in with_case.current().field.text()


def test_names_of_a_document_lead_to_a_search_for_them_in_it(with_case, session, qtbot):
    log = next(d for d in session.workbench.documents.all() if d.name == "access_log.txt")
    session.do(lambda bench: bench.entities.add("the vendor"))
    with_case.go("Documents")
    with_case.panels.detail.show_value(log)

    def chips():
        return [b for b in with_case.panels.detail.findChildren(QPushButton) if b.property("kind") == "chip"]

    qtbot.waitUntil(lambda: [b.text() for b in chips()] == ["the vendor  1"], timeout=5000)
    searched = []
    with_case.panels.detail.searched.connect(searched.append)
    chips()[0].click()
    assert searched == [f'name:"the vendor" document:{log.id}']
    assert with_case.current().name == "Search"


def test_the_fields_of_a_document_are_reached_from_its_screen_though_the_details_are_hidden(with_case):
    with_case.resize(900, 700)
    with_case.go("Documents")
    screen = with_case.current()
    screen.table.select(screen.proxy.index(0, 0))
    assert not with_case.panels.detail.isVisible()
    screen.describe_action.trigger()
    assert with_case.panels.detail.isVisible()
    assert with_case.panels.detail.isAncestorOf(QApplication.focusWidget())


def test_the_start_page_asks_the_window_for_a_case(window, monkeypatch, qtbot):
    questions: list[str] = []
    monkeypatch.setattr(file_dialogs, "ask_case", lambda _parent, _folder, title="": questions.append(title))
    qtbot.mouseClick(window.current().open_button, Qt.MouseButton.LeftButton)
    assert questions == [""]


def test_merging_is_asked_for_from_anywhere_and_told_beside_the_matrix(with_case, qtbot, monkeypatch):
    questions = []
    monkeypatch.setattr(file_dialogs, "ask_case", lambda _parent, _folder, title="": questions.append(title))
    with_case.go("Documents")
    with_case.commands.merge.trigger()
    qtbot.waitUntil(lambda: questions == ["Merge which copy?"])
    matrix = with_case.screen_named("Matrix")
    assert matrix.isVisible()
    assert matrix.analysis.tabs.currentIndex() == GROUP
    assert with_case.commands.merge in [item for top in with_case.menuBar().actions() for item in top.menu().actions()]


def test_the_menus_have_the_usual_names_and_the_commands_of_the_palette(window):
    menus = {top.text().replace("&", ""): top.menu().actions() for top in window.menuBar().actions()}
    assert list(menus) == ["File", "Edit", "View", "Case", "Tools", "Help"]
    commands = set(window.actions())
    assert all(action.isSeparator() or action in commands for actions in menus.values() for action in actions)
    assert {window.commands.quit, window.commands.new_case} <= set(menus["File"])
    window.commands.menu.trigger()
    file = window.menuBar().actions()[0].menu()
    assert file.isVisible()
    file.close()


def test_details_with_nothing_in_them_are_closed_and_stay_closed_by_hand(with_case):
    panels = with_case.panels
    with_case.resize(1440, 900)
    with_case.go("Documents")
    panels.select(None)
    assert not panels.detail.isVisible()
    document = with_case.session.workbench.documents.all()[0]
    panels.select(document)
    assert panels.detail.isVisible()
    panels.toggle_detail()
    assert not panels.detail.isVisible()
    panels.select(None)
    panels.select(document)
    assert not panels.detail.isVisible()
    assert window_state.pane("details") == "hidden"
