"""The list of jobs: what runs, what waits and for what, what ended."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.errors import EngineStopped, Problem
from gui_app.ended_jobs import problems_of


@pytest.fixture
def gate():
    return threading.Event()


@pytest.fixture
def busy(with_case, session, gate, qtbot):
    """A window in which one job runs and two wait, with the list on show."""

    def work(_bench, progress):
        while not gate.wait(0.01):
            progress.step(3, 9, "note 3.txt")

    session.run("Reading 9 files", work)
    for title in ("Indexing", "Judging"):
        session.run(title, lambda _bench, _progress, title=title: title, done=lambda title: session.tell(f"{title} ok"))
    with_case.show()
    with_case.commands.jobs.trigger()
    qtbot.waitUntil(lambda: session.tasks.tasks[0].total == 9)
    return with_case


def texts(window):
    model = window.job_list.corner.model
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_the_list_says_what_runs_and_what_waits_for_it(busy):
    rows = texts(busy)
    assert rows[0] == "Reading 9 files\n3 of 9 · note 3.txt"
    assert rows[1:] == [f"{title}\nWaiting for “Reading 9 files”" for title in ("Indexing", "Judging")]
    assert busy.strip.jobs_button.text() == "Jobs 3"


def test_keys_order_and_cancel_what_waits(busy, gate, session, qtbot):
    view = busy.job_list.corner.view
    view.setCurrentIndex(busy.job_list.corner.model.index(2, 0))
    QTest.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert [task.title for task in session.tasks.tasks] == ["Reading 9 files", "Judging", "Indexing"]
    assert view.currentIndex().row() == 1
    QTest.keyClick(view, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: len(session.tasks.tasks) == 2)
    gate.set()
    qtbot.waitUntil(lambda: not session.tasks.busy())
    assert [(job.title, job.state, job.result) for job in busy.jobs.ended] == [
        ("Indexing", "done", "Indexing ok"),
        ("Reading 9 files", "done", "Done."),
        ("Judging", "cancelled", "Cancelled; finished work is kept."),
    ]
    assert busy.strip.jobs_button.text() == "Jobs"


def test_a_job_dragged_to_another_place_begins_there(busy, session):
    model = busy.job_list.corner.model
    data = model.mimeData([model.index(2, 0)])
    model.dropMimeData(data, Qt.DropAction.MoveAction, 1, 0)
    assert [task.title for task in session.tasks.tasks] == ["Reading 9 files", "Judging", "Indexing"]
    assert not model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemIsDragEnabled


def test_an_empty_list_is_one_line_until_there_is_a_job(with_case, session, gate, qtbot):
    jobs, corner = with_case.job_list, with_case.job_list.corner
    with_case.commands.jobs.trigger()
    assert corner.head.text() == "NO JOBS YET"
    assert corner.height() < 4 * corner.head.sizeHint().height()
    assert not corner.view.isVisible()
    session.run("Indexing", lambda _bench, _progress: gate.wait(10))
    qtbot.waitUntil(corner.view.isVisible)
    assert corner.height() > 8 * corner.head.sizeHint().height()
    assert with_case.rect().contains(corner.geometry())
    gate.set()
    qtbot.waitUntil(lambda: not session.tasks.busy())
    jobs.clear_button.setFocus()
    qtbot.keyClick(jobs.clear_button, Qt.Key.Key_Space)
    assert corner.close_button.hasFocus()
    assert corner.height() < 4 * corner.head.sizeHint().height()
    qtbot.keyClick(corner.close_button, Qt.Key.Key_Escape)
    assert not corner.isVisible()


def test_a_failed_job_stays_with_its_reason(with_case, session, qtbot):
    error = EngineStopped(engine="search model", item="a passage", reason="killed")

    def fail(_bench, _progress):
        raise error

    session.run("Indexing", fail)
    qtbot.waitUntil(lambda: not session.tasks.busy())
    (job,) = with_case.jobs.ended
    assert (job.state, job.result) == ("failed", error.sentence)


def test_a_job_that_can_be_repeated_is_run_again_by_its_button(with_case, session, qtbot):
    runs = []

    def begin() -> None:
        session.run("Indexing", lambda _bench, _progress: runs.append(1), again=begin)

    with_case.show()
    begin()
    qtbot.waitUntil(lambda: len(with_case.jobs.ended) == 1)
    session.run("Erasing", lambda _bench, _progress: None)
    qtbot.waitUntil(lambda: len(with_case.jobs.ended) == 2)
    with_case.commands.jobs.trigger()
    jobs = with_case.job_list
    assert not jobs.again_button.isVisible()  # what was erased is not erased again
    QTest.keyClick(jobs.corner.view, Qt.Key.Key_Down)
    assert jobs.again_button.isVisible()
    assert not jobs.cancel_button.isVisible()
    QTest.mouseClick(jobs.again_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: runs == [1, 1])


def test_a_job_that_ends_while_it_is_selected_can_be_run_again_at_once(with_case, session, gate, qtbot):
    def begin() -> None:
        session.run("Indexing", lambda _bench, _progress: gate.wait(10), again=begin)

    with_case.show()
    begin()
    with_case.commands.jobs.trigger()
    assert with_case.job_list.cancel_button.isVisible()
    gate.set()
    qtbot.waitUntil(lambda: not session.tasks.busy())
    qtbot.waitUntil(with_case.job_list.again_button.isVisible)


def test_the_problems_of_a_job_open_below_it_and_are_there_after_a_restart(with_case, session, qtbot):
    report = SimpleNamespace(problems=(Problem("scan.pdf, page 2", "It is blank.", "Scan it again."),))
    with_case.show()
    session.run("Reading scans", lambda _bench, _progress: report)
    qtbot.waitUntil(lambda: len(with_case.jobs.ended) == 1)
    with_case.commands.jobs.trigger()
    jobs = with_case.job_list
    assert texts(with_case)[0].endswith("Done. · 1 problem")
    assert jobs.problems_button.text() == "Problems (1)"
    QTest.mouseClick(jobs.problems_button, Qt.MouseButton.LeftButton)
    assert texts(with_case)[1].strip() == "scan.pdf, page 2: It is blank. Scan it again."
    QTest.keyClick(jobs.corner.view, Qt.Key.Key_Return)
    assert len(texts(with_case)) == 1
    case = session.workbench.path
    session.close_case()
    session.open(case)
    assert with_case.jobs.ended[0].problems == ("scan.pdf, page 2: It is blank. Scan it again.",)


def test_what_is_no_report_has_no_problems(session):
    assert problems_of(session.workbench) == problems_of(None) == problems_of("done") == ()
    failure = SimpleNamespace(name="a.pdf", status="failed", reason="It is damaged.", remedy="Save it again.")
    report = SimpleNamespace(problems=(), documents=(failure, SimpleNamespace(name="b.pdf", status="added")))
    assert problems_of(report) == ("a.pdf: It is damaged. Save it again.",)
