"""File dialogs beside the open case: Qt's own dialog opens what lies in a folder to guess its kind; ours must not."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QFileInfo, QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QAbstractFileIconProvider, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QFileIconProvider, QLineEdit, QMessageBox, QWidget

from core.progress import silent
from core.store import CaseFile
from gui_app.report.screen import with_ending
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs
from tests.gui_app.conftest import complaints

pytestmark = pytest.mark.usefixtures("answered")


def target_html(parent, target):
    """The dialog for a web page."""
    return file_dialogs.ask_target(
        parent, "Write", target, "Web page (*.html)", lambda path: with_ending(path, ".html")
    )


KINDS = {
    "documents": lambda parent, folder: file_dialogs.ask_documents(parent, folder),
    "folder": lambda parent, folder: file_dialogs.ask_folder(parent, "A folder", folder),
    "case": lambda parent, folder: file_dialogs.ask_case(parent, folder),
    "models": lambda parent, folder: file_dialogs.ask_models(parent, folder),
    "matrix": lambda parent, folder: file_dialogs.ask_matrix(parent, folder),
    "target": lambda parent, folder: target_html(parent, folder / "out.html"),
}


@contextlib.contextmanager
def opens_of(path):
    """Which opening of a file the kernel tells of meanwhile; nothing where it does not tell."""
    notify = _inotify()
    events: list[str] = []
    if notify is None:
        yield events
        return
    handle = notify.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        notify.inotify_add_watch(handle, os.fsencode(path), 0x20)  # IN_OPEN
        yield events
        with contextlib.suppress(BlockingIOError):
            while data := os.read(handle, 4096):
                events.extend(["opened"] * (len(data) // 16))
    finally:
        os.close(handle)


def _inotify():
    if sys.platform != "linux":
        return None
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def answer_when_listed(qtbot, act):
    """Do something with the dialog once it shows the folder's files."""

    def look():
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QFileDialog) and dialog.isVisible():
            timer.stop()
            # Icons and kinds are asked for in a thread of Qt; they come some time after the names.
            QTimer.singleShot(700, dialog, lambda: act(dialog))

    timer = QTimer()
    timer.setInterval(20)
    timer.timeout.connect(look)
    timer.start()
    return timer


def other_process_adds(path: Path) -> int:
    command = [sys.executable, "-m", "core", "hypothesis", str(path), "add", "from another program"]
    return subprocess.run(command, capture_output=True, timeout=120, check=False).returncode


@pytest.fixture
def plain_dialogs(styled):
    """Qt's own dialogs, as where the desktop has none."""
    was_plain = QApplication.testAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, True)
    yield
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, was_plain)


@pytest.mark.parametrize("kind", KINDS)
def test_no_dialog_opens_the_files_that_it_shows(kind, plain_dialogs, case: CaseSession, tmp_path, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    (tmp_path / "of no kind").write_text("text")
    providers = []

    def turn_down(dialog):
        providers.append(type(dialog.iconProvider()))
        dialog.reject()

    timer = answer_when_listed(qtbot, turn_down)
    with opens_of(case.workbench.path) as events, opens_of(tmp_path / "of no kind") as others:
        assert not KINDS[kind](parent, tmp_path)
    timer.stop()
    assert providers == [file_dialogs._PlainIcons]
    assert events == others == []


def test_the_watch_sees_what_a_dialog_of_qt_does(plain_dialogs, case: CaseSession, tmp_path, qtbot):
    """Otherwise the test above would prove nothing; and even so nobody else gets in, and the case stays sound."""
    if sys.platform != "linux":
        pytest.skip("the kernel tells of opened files in this way on Linux only")
    parent = QWidget()
    qtbot.addWidget(parent)
    timer = answer_when_listed(qtbot, lambda dialog: dialog.reject())
    with opens_of(case.workbench.path) as events:
        QFileDialog.getOpenFileNames(parent, "Add files", str(tmp_path))
        QFileIconProvider().type(QFileInfo(str(case.workbench.path)))
    timer.stop()
    assert events
    path = case.workbench.path
    assert other_process_adds(path) == 3
    case.do(lambda bench: bench.hypotheses.add("from the window"))
    case.close_case()
    with CaseFile.open(path) as case_file:
        assert [hypothesis.text for hypothesis in case_file.hypotheses.all()] == ["from the window"]
        assert case_file.verify(silent()).ok


def test_a_file_is_chosen_by_its_name(plain_dialogs, case, tmp_path, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    (tmp_path / "a.txt").write_text("text")

    def choose(dialog):
        field = dialog.findChild(QLineEdit)
        field.setFocus()
        field.setText(names[0])
        qtbot.keyClick(field, Qt.Key.Key_Return)

    names = ["a.txt"]
    timer = answer_when_listed(qtbot, choose)
    assert file_dialogs.ask_documents(parent, tmp_path) == [tmp_path / "a.txt"]
    timer.stop()
    names = ["out.html"]
    timer = answer_when_listed(qtbot, choose)
    assert target_html(parent, tmp_path / "new.html") == tmp_path / "out.html"
    timer.stop()


def test_the_question_before_a_file_is_replaced_names_the_file_that_is_written(plain_dialogs, case, tmp_path, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    for name in ("out", "report.html"):  # one of the name as typed, and one of the name as written
        (tmp_path / name).write_text("older")
    names, questions, proposals = ["report", "report", "out"], [], []
    answers = ["Another name", "Replace"]

    def answer():
        """Type the next name into the dialog, or press the next answer to the question."""
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QFileDialog) and dialog.isVisible():
            field = dialog.findChild(QLineEdit)
            proposals.append(Path(dialog.selectedFiles()[0]).name)
            field.setFocus()
            field.setText(names.pop(0))
            qtbot.keyClick(field, Qt.Key.Key_Return)
        elif isinstance(dialog, QMessageBox):
            questions.append(dialog.text())
            button = next(button for button in dialog.buttons() if button.text() == answers[0])
            answers.pop(0)
            button.setFocus()
            qtbot.keyClick(button, Qt.Key.Key_Space)

    timer = QTimer()
    timer.timeout.connect(answer)
    timer.start(50)
    assert target_html(parent, tmp_path / "case.html") == tmp_path / "report.html"
    assert questions == ["report.html already exists. Replace it?"] * 2
    assert proposals == ["case.html", "report.html"]
    assert target_html(parent, tmp_path / "case.html") == tmp_path / "out.html"  # not the file "out": nothing to ask
    timer.stop()
    assert len(questions) == 2
    assert names == answers == []


def test_pictures_and_kinds_go_by_the_name(styled, tmp_path):
    icons = file_dialogs._PlainIcons()
    file = QFileInfo(str(tmp_path / "a.disconfirm"))
    assert (icons.type(file), icons.type(QFileInfo(str(tmp_path)))) == ("disconfirm file", "Folder")
    assert not icons.icon(file).isNull()
    assert not icons.icon(QAbstractFileIconProvider.IconType.Folder).isNull()


def dropped(window, paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    action, buttons, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(9, 9), action, data, buttons, keys))


def test_the_open_case_dropped_on_its_window_is_not_taken_in(with_case, session, qtbot):
    path = session.workbench.path
    count = len(session.workbench.documents.all())
    failures = complaints(session)
    with opens_of(path) as events:
        dropped(with_case, [path])
        qtbot.wait(50)
        wal = path.with_name(path.name + "-wal")
        dropped(with_case, [wal])
        screen = with_case.screen_named("Documents")
        qtbot.waitUntil(screen.sheet.isVisible, timeout=10_000)
    assert events == []
    assert failures == []
    assert session.workbench.path == path
    assert len(session.workbench.documents.all()) == count
    assert other_process_adds(path) == 3


def test_two_windows_do_not_open_one_case(case, engines, tmp_path):
    path = case.workbench.path
    path.read_bytes()
    second = CaseSession(engines, who="Other")
    failures = complaints(second)
    assert not second.open(path)
    assert len(failures) == 1
    second.shutdown()
    assert other_process_adds(path) == 3
