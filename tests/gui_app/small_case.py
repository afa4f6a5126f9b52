"""A small case for the tests of the working screens: three invented documents, two hypotheses, proposals on request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication, QLabel, QWidget

from core.domain import Changes
from core.ports import Engines
from gui_app.session import CaseSession
from gui_app.shared import theme

LOG = (
    "The vendor account logged in at night from the office.\n"
    "Nobody else was in the building. The badge reader shows no entry after ten.\n"
    "\f"
    "The vendor account was never used that night, said the engineer.\n"
    "He had locked the console himself.\n"
)
MEMO = (
    "The pump failed because of a worn bearing.\n\n"
    "The vendor account was not used at night by anybody from the office.\n"
)
SCAN = "The first page has words, and 𝔘nusual ones.\n\f   \f Third page: the pump bearing was replaced in May.\n"
HYPOTHESES = (
    "The vendor account was used at night from the office",
    "The pump failed because of a worn bearing",
)


@contextmanager
def open_session(engines: Engines, folder: Path, *, proposed: bool = True) -> Iterator[CaseSession]:
    """A session on a new case in ``folder``; with ``proposed`` the judge has already made its proposals."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, "light")
    documents = folder / "documents"
    documents.mkdir()
    for name, text in (("access_log.txt", LOG), ("memo.txt", MEMO), ("scan.txt", SCAN)):
        (documents / name).write_text(text, "utf-8")
    session = CaseSession(engines, who="Ada")
    failures: list[object] = []
    session.failed.connect(failures.append)
    assert session.create(folder / "small.disconfirm", title="The pump"), failures
    bench = session.workbench
    assert bench is not None
    assert not bench.documents.add([documents]).problems
    for text in HYPOTHESES:
        bench.hypotheses.add(text)
    if proposed and engines.judge is not None:
        bench.review.propose(passages=10)
    session.changed.emit(Changes(True, True, True, True, True), None)
    yield session
    session.shutdown()
    assert not failures, [str(failure) for failure in failures]


def put_on_show(qtbot, widget: QWidget, width: int = 1000, height: int = 700) -> None:  # type: ignore[no-untyped-def]
    """Show a screen as the active window, so that keys reach it."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    widget.activateWindow()
    qtbot.waitExposed(widget)
    qtbot.waitUntil(widget.isActiveWindow)


def settle(qtbot, session: CaseSession) -> None:  # type: ignore[no-untyped-def]
    """Wait until everything that is read beside the window has arrived."""
    qtbot.waitUntil(lambda: not session.tasks._newest)


def words(screen: Any) -> str:
    """What the sources of a screen say, a line a label."""
    return "\n".join(label.text() for label in screen.view.area.widget().findChildren(QLabel) if not label.isHidden())
