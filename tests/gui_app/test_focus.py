"""The keys never go astray when what had them disappears: they go to what the screen on show is for."""

from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget
from shiboken6 import delete

from gui_app.focus import able
from gui_app.shell.navigation import PLACES
from tests.fakes import FakeOcr
from tests.gui_app.ocr.test_screen import FIRST, SECOND

Key = Qt.Key
SCREENS = [place.name for place in PLACES]


def hide(part) -> None:
    part.hide()


def disable(part) -> None:
    part.setEnabled(False)


def delete_later(part) -> None:
    part.hide()
    part.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def delete_now(part) -> None:
    delete(part)


def take_out(part) -> None:
    part.setParent(None)


@pytest.mark.parametrize("how", [hide, disable, delete_later, delete_now, take_out])
def test_on_every_screen_the_keys_stay_when_what_had_them_goes(with_case, session, qtbot, how):
    session.do(lambda bench: bench.evidence.add("The badge reader shows one entry."))
    for name in SCREENS:
        with_case.go(name)
        QApplication.processEvents()
        screen = with_case.current()
        for kind in (QLineEdit, QPushButton):
            part = kind(screen)
            part.show()
            part.setFocus()
            assert QApplication.focusWidget() is part, name
            how(part)
            now = QApplication.focusWidget()
            assert now is not None, name
            assert screen.isAncestorOf(now), (name, now)
            main = screen.main_widget()
            assert now in (main, main.focusProxy()) or not able(main), (name, now)
    qtbot.waitUntil(lambda: not session.tasks._newest)


@pytest.mark.parametrize("how", [hide, disable])
def test_what_has_the_keys_on_a_screen_may_itself_go(with_case, session, qtbot, how):
    for name in SCREENS:
        with_case.go(name)
        QApplication.processEvents()
        screen, part = with_case.current(), QApplication.focusWidget()
        assert screen.isAncestorOf(part), name
        how(part)
        now = QApplication.focusWidget()
        assert now is not part, name
        if any(item.focusPolicy() & Qt.FocusPolicy.TabFocus and able(item) for item in screen.findChildren(QWidget)):
            assert screen.isAncestorOf(now), (name, now)
        else:
            assert name in ("Audit", "Review", "OCR", "Recovery"), name  # a single button: there is nothing yet
        part.setEnabled(True)
        part.show()
    qtbot.waitUntil(lambda: not session.tasks._newest)


def test_after_a_removal_in_the_details_the_grid_has_the_keys(with_case, session, qtbot):
    for text in ("The badge reader shows one entry.", "The lock was not forced."):
        session.do(lambda bench, text=text: bench.evidence.add(text))
    qtbot.keyClick(with_case, Key.Key_6, Qt.KeyboardModifier.ControlModifier)
    grid = with_case.current().grid
    qtbot.waitUntil(lambda: any(button.text() == "Remove" for button in with_case.panels.detail._action_buttons))
    remove = next(button for button in with_case.panels.detail._action_buttons if button.text() == "Remove")
    remove.setFocus()
    qtbot.keyClick(remove, Key.Key_Space)
    assert len(session.workbench.evidence.all()) == 1
    qtbot.waitUntil(lambda: QApplication.focusWidget() is grid)
    qtbot.waitUntil(lambda: grid.current_row() is not None)
    assert QApplication.focusWidget() is grid


@pytest.fixture
def scans(window, case, tmp_path, qtbot):
    (tmp_path / "scan.txt").write_text("Words of its own.\f  \f ", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "scan.txt"]))
    case.engines = case.workbench.engines = dataclasses.replace(case.engines, ocr=FakeOcr(FIRST, SECOND))
    case.do(lambda bench: bench.ocr.read())
    window.go("OCR")
    qtbot.waitUntil(lambda: window.current().current() is not None)
    yield window
    qtbot.waitUntil(lambda: not case.tasks._newest and not case.tasks.busy())


@pytest.mark.parametrize("decide", [Key.Key_A, Key.Key_I])
def test_after_words_alike_the_next_word_has_the_keys(scans, qtbot, decide):
    ocr = scans.current()
    for key in (Key.Key_J, Key.Key_J, Key.Key_G):
        qtbot.keyClick(QApplication.focusWidget(), key)
    assert ocr._group is not None
    qtbot.keyClick(QApplication.focusWidget(), decide)
    assert QApplication.focusWidget() is ocr.field
    qtbot.waitUntil(lambda: not ocr.session.tasks.busy() and len(ocr.queue.rows) == 2)
    assert QApplication.focusWidget() is ocr.field
    first = ocr.current()
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_S)
    assert ocr.current() is not first
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_T)
    assert ocr._overlay
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_A)
    qtbot.waitUntil(lambda: len(ocr.queue.rows) == 1)


def test_a_dialog_gives_the_keys_back_to_what_had_them(with_case, qtbot):
    """A window in front is none of this."""
    with_case.go("Documents")
    field = with_case.current().filter
    field.setFocus()
    qtbot.keyClick(field, Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    sheet = next(w for w in QApplication.topLevelWidgets() if w.windowTitle() == "Shortcuts")
    qtbot.waitUntil(sheet.isVisible)
    sheet.close()
    with_case.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is field)


def test_tab_reaches_what_stands_above_the_list_of_documents(with_case, qtbot):
    with_case.go("Documents")
    QApplication.processEvents()
    screen, first = with_case.current(), with_case.strip.jobs_button
    first.setFocus()
    for part in (screen.filter, screen.table.narrow_button, screen.table.view_button, screen.add_folder):
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Tab)
        assert QApplication.focusWidget() is part
