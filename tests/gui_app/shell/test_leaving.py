"""Quitting while files are read: one question, and what is left is read the next time."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

from core.domain import Changes
from core.ports import Engines
from gui_app.session import REST_OF_IMPORT, CaseSession
from gui_app.shell.window import MainWindow
from tests.fakes import HashEmbedder, PlainReader

FILES, FOLDERS = 300, 3


class SlowReader(PlainReader):
    """A reader that takes its time, so that there is a middle of an import."""

    def read(self, data, name, *, password=""):
        time.sleep(0.003)
        yield from super().read(data, name, password=password)


@pytest.fixture
def engines():
    return Engines(SlowReader(), HashEmbedder())


@pytest.fixture
def inbox(tmp_path):
    folder = tmp_path / "inbox"
    for number in range(FILES):
        path = folder / f"box{number % FOLDERS}" / f"note{number:03d}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Note {number}: the guard of gate {number * 7} saw truck {number * 13}.")
    return folder


@pytest.fixture
def reading(window, session, tmp_path, inbox, qtbot):
    """The window in the middle of an import, after it was asked to close."""
    assert session.create(tmp_path / "case.disconfirm", title="Gate")
    window.navigation.consider([inbox])
    screen = window.screen_named("Documents")
    qtbot.waitUntil(screen.sheet.waits)
    assert screen.sheet.title.text() == f"{FILES} files in inbox, all new"
    assert (screen.sheet.add.text(), screen.sheet.no.text()) == (f"Add {FILES} files", "Cancel")
    screen.sheet.add.click()
    qtbot.waitUntil(lambda: bool(session.tasks.resumable()) and session.tasks.tasks[0].count > 5)
    window.close()
    assert window.isVisible()
    assert window.leaving.dialog is not None
    return window


def test_what_is_left_when_the_window_closes_is_read_next_time(reading, session, tmp_path, engines, qtbot):
    reading.leaving.dialog.stop.click()
    qtbot.waitUntil(lambda: not reading.isVisible())
    assert session.workbench is None
    next_session = CaseSession(engines, who="Tester")
    next_window = MainWindow(next_session)
    qtbot.addWidget(next_window)
    next_window.show()
    try:
        assert next_session.open(tmp_path / "case.disconfirm")
        next_window.go("Documents")
        screen = next_window.screen_named("Documents")
        bench = next_session.workbench
        (count,) = bench.documents.import_counts()
        assert (count.files, count.read + count.pending) == (FILES, FILES)
        assert count.pending
        assert screen.rest_bar.isVisible()
        assert screen.rest_bar.text.text() == f"Import stopped at {count.read} of {FILES}."
        last = f"Last import: {count.read} of {FILES} added, {count.pending} still to be read"
        assert screen._tab_row.last.text() == last
        with qtbot.waitSignal(next_session.imported):
            screen.resume_button.click()
        assert not screen.rest_bar.isVisible()
        assert screen._tab_row.last.text() == f"Last import: {FILES} of {FILES} added"
        documents = bench.documents.all()
        assert Counter(document.name for document in documents) == {f"note{n:03d}.txt": 1 for n in range(FILES)}
        assert {document.folder for document in documents} == {f"inbox/box{n}" for n in range(FOLDERS)}
        assert Counter(row.status for row in bench.documents.imports()) == {"added": FILES}
    finally:
        next_window.close()
        next_session.shutdown()


def test_who_stays_goes_on_and_who_finishes_first_leaves_when_it_is_done(reading, session, qtbot):
    reading.leaving.dialog.stay.click()
    assert reading.leaving.dialog is None
    assert session.tasks.resumable()
    reading.close()
    with qtbot.waitSignal(session.imported):
        reading.leaving.dialog.finish.click()
        assert reading.isVisible()
    qtbot.waitUntil(lambda: not reading.isVisible())


def test_a_window_without_an_import_closes_at_once(window, session, tmp_path):
    assert session.create(tmp_path / "case.disconfirm", title="Gate")
    assert window.leaving.may_close()
    window.close()
    assert not window.isVisible()


def test_a_question_nobody_answers_ends_with_the_last_job(reading, session, qtbot):
    """The indexing that the import begins at its end holds the window open too, and no longer than it lasts."""
    titles = []
    session.tasks.added.connect(lambda task: titles.append(task.title))
    qtbot.waitUntil(lambda: not reading.isVisible(), timeout=40_000)
    assert titles == ["Indexing for search by meaning"]
    assert session.workbench is None


def test_a_signal_from_outside_asks_nothing(reading):
    reading.leaving.close()
    assert not reading.isVisible()


def test_what_closing_stopped_is_in_the_list_the_next_time(reading, session, tmp_path, engines, qtbot):
    reading.leaving.dialog.stop.click()
    qtbot.waitUntil(lambda: not reading.isVisible())
    next_session = CaseSession(engines, who="Tester")
    next_window = MainWindow(next_session)
    qtbot.addWidget(next_window)
    try:
        assert next_session.open(tmp_path / "case.disconfirm")
        (job,) = (job for job in next_window.jobs.ended if job.title.startswith("Reading"))
        assert (job.title, job.state) == (f"Reading {FILES} files", "stopped")
        assert job.result == f"Stopped when the case was closed. {REST_OF_IMPORT}"
        next_window.jobs.clear()
        next_session.close_case()
        assert next_session.open(tmp_path / "case.disconfirm")
        assert next_window.jobs.ended == []
    finally:
        next_window.close()
        next_session.shutdown()


@pytest.mark.parametrize(("partial", "stop"), [(None, "quit"), (Changes(proposals=True), "continue next time")])
def test_any_job_that_a_person_started_is_asked_about(window, session, tmp_path, qtbot, partial, stop):
    assert session.create(tmp_path / "case.disconfirm", title="Gate")
    going = threading.Event()

    def work(_bench, progress):
        while not going.wait(0.01):
            progress.step(1, 3, "letter")

    session.run("Auditing letter.txt", work, partial=partial, for_person=partial is None)
    qtbot.waitUntil(lambda: session.tasks.tasks[0].total == 3)
    window.close()
    assert window.isVisible()
    dialog = window.leaving.dialog
    assert dialog._title.text() == "Auditing letter.txt is not finished"
    assert dialog.stop.text() == f"Stop and {stop}"
    dialog.stay.click()
    window.close()
    window.leaving.dialog.finish.click()
    going.set()
    qtbot.waitUntil(lambda: not window.isVisible())


def test_what_the_program_does_by_itself_holds_nobody_up(window, session, tmp_path, qtbot):
    assert session.create(tmp_path / "case.disconfirm", title="Gate")

    def work(_bench, progress):
        while True:
            time.sleep(0.01)
            progress.step(1, 3, "letter")

    session.run("Recognising languages", work, rest="")
    window.close()
    assert not window.isVisible()
