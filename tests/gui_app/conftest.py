"""A session, a case and a window for the tests of the window; each is closed, and no thread may outlive it."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from core.ports import Engines
from gui_app import window_state
from gui_app.review.screen import ReviewScreen
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shell.window import MainWindow
from tests.gui_app import rated_case
from tests.gui_app.small_case import put_on_show, settle

# Said by the offscreen platform when a bare window changes its smallest size or a list drops down; no other says it.
_HARMLESS = (
    "This plugin does not support propagateSizeHints()",
    "This plugin does not support raise()",
    "This plugin does not support grabbing the keyboard",
)

TEXTS = {
    "access_log.txt": "The vendor's account logged in at 02:14 from the building's own network. "
    "The session lasted eleven minutes.\fNo other account was active between 02:00 and 03:00.",
    "report.txt": "The vendor denied that anybody used the account that night. "
    "The vendor's account was used by a night technician, the guard said.\fThe camera was not recording.",
    "mail.txt": "I saw the technician leave at about half past two. He did not carry anything.",
}


@pytest.fixture(autouse=True)
def review_by_proposal(own_user_folder: None) -> None:
    """The review as a person left it who decides on one proposal at a time; its first showing is by passage."""
    window_state.keep_review_by_passage(False)


@pytest.fixture(autouse=True)
def no_warning_of_qt(qtlog) -> Iterator[None]:
    yield
    messages = [record.message for record in qtlog.records if record.type_name in ("QtWarningMsg", "QtCriticalMsg")]
    assert [text for text in messages if text not in _HARMLESS] == []


@pytest.fixture(autouse=True)
def no_dialog_unanswered(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dialog that holds the program up until a person answers fails the test, which else would wait for ever.

    ``answered`` leaves them as they are.
    """
    if "answered" in request.fixturenames:
        return

    def refuse(dialog: QDialog) -> int:
        raise AssertionError(f"nobody answers the dialog {dialog.windowTitle()!r}")

    for dialog in (QDialog, QFileDialog, QMessageBox, QPrintDialog):
        monkeypatch.setattr(dialog, "exec", refuse)


@pytest.fixture
def answered() -> None:
    """Dialogs that the test itself answers."""


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    former = set(threading.enumerate())
    yield
    left = [thread.name for thread in threading.enumerate() if thread not in former and thread.is_alive()]
    assert left == []


@pytest.fixture(autouse=True)
def no_widget_left(qapp: QApplication) -> Iterator[None]:
    """What was to be deleted is deleted, which no event loop does here: widgets that are left make each test slower."""
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture(autouse=True)
def patience(monkeypatch) -> None:
    """Every wait for what must come lasts at least a minute: on a busy computer it comes late, but it comes.

    Where nothing is to come (``assertNotEmitted``), the wait is as long as the test says.
    """
    for name in ("waitUntil", "waitSignal", "waitSignals"):
        wait = getattr(QtBot, name)

        def patient(self: QtBot, *arguments: Any, wait: Any = wait, timeout: int = 0, **options: Any) -> Any:
            least = 60_000 if options.get("raising", True) else 0
            return wait(self, *arguments, timeout=max(least, timeout), **options)

        monkeypatch.setattr(QtBot, name, patient)


def look(app: QApplication) -> tuple[object, ...]:
    """What a theme puts in force on the whole program."""
    return theme.theme(), theme.tokens(), theme.px(100), app.styleSheet(), app.palette(), app.font()


@pytest.fixture(scope="session")
def light(qapp: QApplication) -> tuple[object, ...]:
    """The look of the program in the light theme."""
    theme.apply(qapp, "light")
    return look(qapp)


@pytest.fixture
def styled(qapp: QApplication, light: tuple[object, ...]) -> QApplication:
    """The program with its fonts, palette and style sheet: put in force again where an earlier test changed them."""
    if look(qapp) != light:
        theme.apply(qapp, "light")
    return qapp


@pytest.fixture
def session(styled: QApplication, engines: Engines) -> Iterator[CaseSession]:
    """A session without a case, on the small engines."""
    session = CaseSession(engines, who="Tester")
    yield session
    session.shutdown()


@pytest.fixture
def case(session: CaseSession, tmp_path: Path) -> CaseSession:
    """The session with a new, empty case open."""
    assert session.create(tmp_path / "test.disconfirm", title="Who was it?")
    return session


@pytest.fixture
def rated(session: CaseSession, engines: Engines, tmp_path: Path) -> CaseSession:
    """The session of Ada on the case that she and Ben rated."""
    rated_case.make(tmp_path / "attack.disconfirm", engines)
    session.sign_as("Ada")
    assert session.open(tmp_path / "attack.disconfirm")
    return session


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder of three short documents."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def filled(case: CaseSession, texts: Path) -> CaseSession:
    """The case with three documents and two hypotheses."""
    case.do(lambda bench: bench.documents.add([texts]))
    case.do(lambda bench: bench.hypotheses.add("The vendor's account was used by the night technician."))
    case.do(lambda bench: bench.hypotheses.add("An outsider used the vendor's account from the network."))
    return case


@pytest.fixture
def window(session: CaseSession, qtbot: Any) -> Iterator[MainWindow]:
    window = MainWindow(session)
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitActive(window):
        window.activateWindow()
    yield window
    window.leaving.close()  # nobody is there to answer what becomes of a job under way


@pytest.fixture
def with_case(window: MainWindow, session: CaseSession, tmp_path: Path, texts: Path) -> MainWindow:
    """The window with a new case of three documents and two hypotheses."""
    assert session.create(tmp_path / "test.disconfirm", title="Who was it?")
    session.do(lambda bench: bench.documents.add([texts]))
    session.do(lambda bench: bench.hypotheses.add("The vendor's account was used by the night technician."))
    session.do(lambda bench: bench.hypotheses.add("An outsider used the vendor's account."))
    return window


@pytest.fixture
def review(qtbot: Any, session: CaseSession) -> ReviewScreen:
    """The review screen of the session, on show, with the keys in its queue."""
    screen = ReviewScreen(session)
    put_on_show(qtbot, screen)
    settle(qtbot, session)
    screen.list.setFocus()
    return screen


def complaints(session: CaseSession) -> list[object]:
    """What the session complains of from now on."""
    errors: list[object] = []
    session.failed.connect(errors.append)
    return errors


@pytest.fixture(scope="module", autouse=True)
def collected_here():
    """Collect what is left in cycles on the window's thread alone.

    Python's collector runs on whichever thread it is due, and a widget of an earlier test that ends on another thread
    ends the process.
    """
    gc.disable()
    yield
    gc.collect()
    gc.enable()
