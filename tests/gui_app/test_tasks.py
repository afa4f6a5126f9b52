"""Long verbs and slow reads: order, coalescing, cancelling, and a clean end."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from core.errors import EngineStopped
from gui_app.tasks import Tasks


class Stopper:
    """An engine that hangs until it is interrupted, as a child process does that is killed."""

    def __init__(self) -> None:
        self.interrupted = threading.Event()
        self.calls = 0

    def interrupt(self, _thread=None) -> None:
        self.calls += 1
        self.interrupted.set()

    def work(self) -> None:
        assert self.interrupted.wait(10)
        self.interrupted.clear()
        raise EngineStopped(engine="test", item="a page", reason="killed")


@pytest.fixture
def stopper():
    return Stopper()


@pytest.fixture
def tasks(qapp, stopper):
    tasks = Tasks(stopper.interrupt)
    yield tasks
    tasks.close()


def test_result_arrives_on_the_windows_thread(tasks, qtbot):
    results = []
    task = tasks.start("Adding", lambda progress: (threading.current_thread(), 42), lambda t: results.append(t.result))
    with qtbot.waitSignal(task.ended):
        pass
    thread, value = results[0]
    assert value == 42
    assert thread is not threading.current_thread()
    assert not tasks.busy()


def test_ten_thousand_reports_cost_a_few_updates(tasks, qtbot):
    beats = []
    tasks._timer.timeout.connect(lambda: beats.append(None))

    def work(progress):
        for count in range(10_000):
            progress.step(count, 10_000, f"item {count}")

    updates = []
    task = tasks.start("Counting", work)
    task.progressed.connect(lambda: updates.append(task.count))
    with qtbot.waitSignal(task.ended):
        pass
    # One for each beat of the timer, and one at the end.
    assert len(updates) <= len(beats) + 1
    assert task.count == 9_999


def test_long_verbs_run_one_after_another(tasks, qtbot):
    order = []
    gate = threading.Event()

    def first(progress):
        assert gate.wait(5)
        order.append("first")

    task = tasks.start("One", first)
    second_task = tasks.start("Two", lambda progress: order.append("second"))
    assert second_task.state == "waiting"
    gate.set()
    with qtbot.waitSignals([task.ended, second_task.ended]):
        pass
    assert order == ["first", "second"]


def test_a_job_that_runs_says_so_before_it_says_how_far_it_is(tasks, qtbot):
    gate = threading.Event()
    task = tasks.start("Finding evidence", lambda progress: gate.wait(5))
    with qtbot.waitSignal(task.progressed):
        pass
    assert (task.state, task.what, task.total) == ("running", "Finding evidence", 0)
    gate.set()
    with qtbot.waitSignal(task.ended):
        pass


def test_cancel_stops_at_the_next_item(tasks, qtbot):
    running = threading.Event()

    def work(progress):
        while True:
            progress.step(1, 0, "still going")
            running.set()

    task = tasks.start("Forever", work)
    assert running.wait(5)
    with qtbot.waitSignal(task.ended, timeout=1000):
        tasks.cancel(task)
    assert task.state == "cancelled"
    assert task.error is None


def test_a_job_inside_an_engine_is_stopped_with_the_engine(tasks, stopper, qtbot):
    running = threading.Event()

    def work(progress):
        running.set()
        stopper.work()

    task = tasks.start("Hanging", work)
    assert running.wait(5)
    with qtbot.waitSignal(task.ended):
        tasks.cancel(task)
    assert task.state == "cancelled"
    assert stopper.calls == 1


def test_a_cancelled_waiting_job_never_starts(tasks, qtbot):
    gate = threading.Event()
    started = []
    task = tasks.start("One", lambda progress: gate.wait(5))
    second_task = tasks.start("Two", lambda progress: started.append(True))
    tasks.cancel(second_task)
    gate.set()
    with qtbot.waitSignals([task.ended, second_task.ended]):
        pass
    assert second_task.state == "cancelled"
    assert started == []


def test_the_newest_read_of_a_key_wins(tasks, qtbot):
    gate = threading.Event()
    running = threading.Event()
    got = []

    def slow():
        running.set()
        assert gate.wait(5)
        return "old"

    tasks.read(slow, got.append, got.append, key="picture")
    assert running.wait(5)
    tasks.read(lambda: "skipped", got.append, got.append, key="picture")
    tasks.read(lambda: "new", got.append, got.append, key="picture")
    tasks.read(lambda: "other", got.append, got.append, key="words")
    gate.set()
    qtbot.waitUntil(lambda: "other" in got)
    assert got == ["new", "other"]


def test_a_read_caught_by_a_kill_is_done_again(tasks, stopper, qtbot):
    attempts = []
    reading = threading.Event()

    def read():
        attempts.append(True)
        if len(attempts) == 1:
            reading.set()
            stopper.work()
        return "page"

    hold = threading.Event()
    task = tasks.start("Busy", lambda progress: hold.wait(5))
    qtbot.waitUntil(lambda: task.state == "running")
    got = []
    tasks.read(read, got.append, got.append)
    assert reading.wait(5)
    tasks.cancel(task)  # half a second later the engine is killed, and the read with it
    qtbot.waitUntil(lambda: got == ["page"], timeout=3000)
    assert len(attempts) == 2
    hold.set()
    qtbot.waitUntil(lambda: not tasks.busy())


def test_close_ends_a_hanging_job_and_both_threads(qapp, stopper):
    tasks = Tasks(stopper.interrupt)
    running = threading.Event()

    def work(progress):
        running.set()
        stopper.work()

    ended = []
    tasks.start("Hanging", work, ended.append)
    assert running.wait(5)
    tasks.close()
    assert not [thread for thread in threading.enumerate() if thread.name in ("batches", "questions", "reads")]


def test_nothing_is_begun_after_closing(qapp, qtbot, stopper):
    """A timer of the window may still fire once it is closed, at exactly the moment its objects go away."""
    tasks = Tasks(stopper.interrupt)
    began = []
    tasks.read(lambda: None, began.append, began.append)
    qtbot.waitUntil(lambda: began == [None])
    began.clear()
    tasks.close()
    tasks.read(lambda: began.append("read"), began.append, began.append)
    late = tasks.start("Late", lambda progress: began.append("job"))
    assert late.state == "waiting"
    assert not tasks.busy()
    assert not tasks._timer.isActive()  # one that ran on in an object nobody holds ended the process
    assert not [thread for thread in threading.enumerate() if thread.name in ("batches", "questions", "reads")]
    assert began == []


@pytest.mark.parametrize("kind", ["job", "read"])
def test_what_outlives_the_closing_tells_nobody(qapp, qtbot, stopper, monkeypatch, kind):
    tasks = Tasks(stopper.interrupt)
    monkeypatch.setattr(tasks, "stop_all", lambda: False)  # it would wait three seconds for the job below
    running, hold = threading.Event(), threading.Event()

    def work(*_progress):
        running.set()
        assert hold.wait(10)

    results = []
    if kind == "job":
        tasks.start("Deaf", work, results.append)
    else:
        tasks.read(work, results.append, results.append)
    assert running.wait(5)
    busy = [thread for thread in threading.enumerate() if thread.name in ("batches", "questions", "reads")]
    tasks.close()
    hold.set()
    for thread in busy:
        thread.join(5)
        assert not thread.is_alive()
    qtbot.wait(50)
    assert results == []


def test_a_failed_job_keeps_its_error(tasks, qtbot):
    def work(progress):
        raise EngineStopped(engine="reader", item="a.pdf", reason="crashed")

    task = tasks.start("Failing", work)
    with qtbot.waitSignal(task.ended):
        pass
    assert task.state == "failed"
    assert isinstance(task.error, EngineStopped)


def test_a_bug_in_a_job_reaches_the_excepthook(session, case, qtbot, monkeypatch):
    kinds = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: kinds.append(kind))
    task = case.run("Broken", lambda bench, progress: 1 // 0)
    with qtbot.waitSignal(task.ended):
        pass
    assert kinds == [ZeroDivisionError]


def test_a_question_goes_beside_a_batch_which_waits_between_two_steps(qapp, stopper, qtbot):
    tasks = Tasks(stopper.interrupt, cores=2)
    steps, stepping, hold = [], threading.Event(), threading.Event()

    def batch(progress):
        for count in range(10_000):
            progress.step(count, 10_000, "Indexing")
            steps.append(count)
            stepping.set()
            time.sleep(0.002)

    during = []

    def question(progress):
        time.sleep(0.1)  # the step in hand is finished
        during.append(len(steps))
        assert hold.wait(5)
        during.append(len(steps))

    try:
        index = tasks.start("Indexing", batch)
        assert stepping.wait(5)
        answering = tasks.start("Answering", question, for_person=True)
        qtbot.waitUntil(lambda: index.gives_way)
        hold.set()
        with qtbot.waitSignal(answering.ended):
            pass
        assert during[0] == during[1]
        assert index.state == "running"
        count = len(steps)
        qtbot.waitUntil(lambda: len(steps) > count)  # it goes on
    finally:
        tasks.close()


def test_a_batch_goes_on_beside_a_question_where_there_is_room(qapp, stopper, qtbot):
    tasks = Tasks(stopper.interrupt, cores=8)
    steps = []

    def batch(progress):
        for count in range(10_000):
            progress.step(count, 10_000, "Indexing")
            steps.append(count)
            time.sleep(0.002)

    def question(progress):
        count = len(steps)
        qtbot.waitUntil(lambda: len(steps) > count + 5)

    try:
        tasks.start("Indexing", batch)
        answering = tasks.start("Answering", question, for_person=True)
        with qtbot.waitSignal(answering.ended):
            pass
        assert answering.state == "done"
    finally:
        tasks.close()


def test_what_waits_says_for_what_and_can_be_put_in_another_order(tasks, qtbot):
    order, gate = [], threading.Event()
    first = tasks.start("Reading 900 files", lambda progress: gate.wait(5))
    qtbot.waitUntil(lambda: first.state == "running")
    later = [
        tasks.start(name, lambda progress, name=name: order.append(name)) for name in ("Indexing", "OCR", "Judging")
    ]
    assert tasks.waits_for(first) == ""
    assert {tasks.waits_for(task) for task in later} == {"waiting for “Reading 900 files”"}
    tasks.move(later[2], later[0])
    tasks.move(later[0], None)
    assert [task.title for task in tasks.tasks] == ["Reading 900 files", "Judging", "OCR", "Indexing"]
    tasks.cancel(later[1])  # at once, not when its turn would come
    with qtbot.waitSignal(later[1].ended, timeout=1000):
        pass
    assert first.state == "running"
    gate.set()
    qtbot.waitUntil(lambda: not tasks.busy())
    assert order == ["Judging", "Indexing"]


def test_cancelling_a_batch_stops_the_engine_of_its_own_thread_alone(qapp, qtbot):
    killed = []
    tasks = Tasks(killed.append)
    gate, running = threading.Event(), []

    def hang(progress):
        running.append(threading.get_ident())
        assert gate.wait(5)

    try:
        task = tasks.start("Hanging", hang)
        qtbot.waitUntil(lambda: bool(running))
        tasks.cancel(task)
        qtbot.waitUntil(lambda: bool(killed))
        assert killed == running
    finally:
        gate.set()
        tasks.close()
