"""A large case is opened beside the window: what is on show stays, and each end of it is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.domain import Changes
from core.passphrase import Passphrase
from core.workbench import Workbench
from gui_app import session as sessions
from gui_app.session import CaseSession
from gui_app.shared.case_view import CaseView
from gui_app.shell.window import MainWindow
from tests.gui_app.conftest import complaints

OLD_CASE = Path(__file__).resolve().parents[1] / "old_cases" / "version_15.disconfirm"


@pytest.fixture
def path(tmp_path, engines, monkeypatch) -> Path:
    with Workbench.create(tmp_path / "large.disconfirm", engines, title="Large", who="ann") as bench:
        bench.hypotheses.add("The guard slept.")
    monkeypatch.setattr(sessions, "AT_ONCE_BYTES", 0)
    return tmp_path / "large.disconfirm"


def test_it_is_named_until_it_is_open(window: MainWindow, session: CaseSession, path, qtbot):
    start, order = window.screen_named("Start"), []
    assert not session.open(path, then=lambda: order.append(session.workbench.path))
    assert not session.open(path)  # asked for twice, opened once
    assert start.opening.text() == "Opening large …"
    assert not start.opening.isHidden()
    assert [task.title for task in session.tasks.tasks] == ["Opening large"]
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert order == [path]
    assert start.opening.isHidden()
    assert window.navigation.current_name == "Documents"


def test_one_that_is_damaged_is_told(window: MainWindow, session: CaseSession, path, qtbot):
    path.write_bytes(path.read_bytes()[:2_000])
    told, start = complaints(session), window.screen_named("Start")
    assert not session.open(path)
    qtbot.waitUntil(lambda: bool(told))
    assert session.workbench is None
    assert start.opening.isHidden()
    qtbot.waitUntil(lambda: not session.tasks.busy())
    assert len(told) == 1


def test_a_passphrase_is_asked_for(session: CaseSession, engines, path, tmp_path, qtbot):
    assert session.create(tmp_path / "secret.disconfirm", passphrase=Passphrase("correct horse battery staple"))
    key = session.workbench.case.key
    session.close_case()
    asked = []
    session.passphrase_asked.connect(lambda case, then, is_backup: asked.append((case, then)))
    assert not session.open(tmp_path / "secret.disconfirm")
    qtbot.waitUntil(lambda: bool(asked))
    assert session.workbench is None
    asked[0][1](key)
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert session.workbench.path == tmp_path / "secret.disconfirm"


def test_one_of_an_older_format_is_brought_up_to_date(session: CaseSession, path, tmp_path, qtbot):
    shutil.copy(OLD_CASE, tmp_path / "old.disconfirm")
    updates = []
    session.updating.connect(updates.append)
    assert not session.open(tmp_path / "old.disconfirm")
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert len(updates) == 1


def test_another_that_was_opened_meanwhile_stays(session: CaseSession, engines, path, tmp_path, qtbot):
    assert not session.open(path)
    assert session.create(tmp_path / "small.disconfirm")
    qtbot.waitUntil(lambda: not session.tasks.busy())
    assert session.workbench.path == tmp_path / "small.disconfirm"
    session.close_case()
    Workbench.open(path, engines, who="ann").close()  # nobody has it open


class Counter(CaseView):
    """A view that counts its readings."""

    concerns = Changes(documents=True)
    count = 0

    def refresh(self) -> None:
        self.count += 1


def test_a_view_on_show_reads_a_case_once_that_is_opened(session: CaseSession, path, qtbot):
    view = Counter(session)
    qtbot.addWidget(view)
    session.cleared.connect(view.refresh_if_dirty)
    view.show()
    session.open(path)
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert view.count == 1
    session.changed.emit(Changes(documents=True), None)
    assert view.count == 2
