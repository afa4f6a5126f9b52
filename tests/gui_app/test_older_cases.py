"""A case of an older format is opened beside the window: its steps are seen, and cancelling leaves it as it was."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from core.store import opening
from gui_app.session import CaseSession
from gui_app.shell.window import MainWindow

OLD_CASE = Path(__file__).resolve().parents[1] / "old_cases" / "version_15.disconfirm"


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "old.disconfirm"
    path.write_bytes(OLD_CASE.read_bytes())
    return path


class Indexing:
    """The making of the word index, held up until it may go on."""

    def __init__(self) -> None:
        self.begun, self.may = threading.Event(), threading.Event()
        self._index_pages = opening.index_pages

    def __call__(self, db, progress, *, is_new_format=False):
        assert threading.current_thread() is not threading.main_thread()
        progress.step(2, 5, "Making the word index again")
        self.begun.set()
        while not self.may.wait(0.01):
            progress.check()
        self._index_pages(db, progress, is_new_format=is_new_format)


@pytest.fixture
def indexing(monkeypatch) -> Indexing:
    indexing = Indexing()
    monkeypatch.setattr(opening, "index_pages", indexing)
    return indexing


def files(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir())


def test_its_steps_are_seen_and_it_opens(window: MainWindow, session: CaseSession, path, indexing, qtbot):
    order = []
    assert not session.open(path, then=lambda: order.append(session.workbench.path))
    assert not session.open(path)  # asked for twice, opened once
    card = window.commands.opening_card
    assert card.isVisible()
    qtbot.waitUntil(indexing.begun.is_set)
    qtbot.waitUntil(lambda: card.bar.value() == 2)
    assert [mark.text() for mark, _, _ in card.steps] == ["\u2713", "\u2022"]
    assert card.bar.maximum() == 5
    assert len(session.tasks.tasks) == 1
    assert session.workbench is None
    indexing.may.set()
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert order == [path]
    assert not card.isVisible()
    assert session.workbench.search.find("pump", mode="lexical")


def test_cancelling_leaves_it_and_the_case_that_is_open(window: MainWindow, case: CaseSession, path, indexing, qtbot):
    former, content = case.workbench, path.read_bytes()
    case.open(path)
    qtbot.waitUntil(indexing.begun.is_set)
    qtbot.mouseClick(window.commands.opening_card.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not case.tasks.busy())
    assert case.workbench is former
    assert path.read_bytes() == content
    assert "old backups" not in files(path)
    assert "as it was" in window.strip.message.text()
    indexing.may.set()
    case.open(path)
    qtbot.waitUntil(lambda: case.workbench.path == path)


def test_another_case_that_is_opened_meanwhile_stays_open(session: CaseSession, path, indexing, qtbot):
    session.open(path)
    qtbot.waitUntil(indexing.begun.is_set)
    session.create(path.with_name("new.disconfirm"))
    indexing.may.set()
    qtbot.waitUntil(lambda: not session.tasks.busy())
    assert session.workbench.path.stem == "new"
    assert session.open(path)  # nobody holds it, and it is up to date


def test_closing_the_window_leaves_it_as_it_was(session: CaseSession, path, indexing, qtbot):
    content = path.read_bytes()
    session.open(path)
    qtbot.waitUntil(indexing.begun.is_set)
    session.shutdown()
    assert path.read_bytes() == content
    assert files(path) == ["old.disconfirm"]


def test_one_that_was_opened_while_the_window_closed_is_closed(session: CaseSession, path, indexing, qtbot):
    indexing.may.set()
    session.open(path)
    qtbot.waitUntil(lambda: bool(session._arrivals) or session.workbench is not None)
    session.shutdown()
    assert files(path)[-1] == "old.disconfirm"
    assert not path.with_name("old.disconfirm-wal").exists()


def test_what_goes_wrong_is_told_and_the_window_stays(session: CaseSession, path, qtbot):
    (path.parent / "old backups").write_text("a file where the folder of copies should be")
    errors = []
    session.failed.connect(errors.append)
    session.open(path)
    qtbot.waitUntil(lambda: bool(errors))
    assert type(errors[0]).__name__ == "CannotWrite"
    assert session.workbench is None
