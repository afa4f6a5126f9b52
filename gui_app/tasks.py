"""The only threads of the window: for batches, for what a person asks, for slow reads. No case, no widget here.

A batch never keeps a person waiting: it waits itself, at its next step, where the processor has no room for both. The
working threads never touch a QObject but to emit one signal; what a job reports is pulled by a timer, so a job that
reports ten thousand times a second costs the window thirty updates.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.errors import AppError
from core.progress import Cancelled, Progress
from core.turn import for_person

log = logging.getLogger(__name__)

UPDATE_MS = 50
GRACE_MS = 500
ROOM_CORES = 4  # processors with which a batch goes on beside a question
GIVE_WAY_S = 2.0  # longest that a batch waits at one step: a question of many minutes does not bring it to a stop
State = Literal["waiting", "running", "done", "failed", "cancelled"]


class Task(QObject):
    """A long verb under way: its title, how far it is, and how it ended. Lives on the window's thread.

    ``rest`` says what becomes of what is left when it is stopped, where somebody who leaves should be asked; else ''.
    ``for_person`` is one that a person waits for, and no batch. ``gives_way`` while it waits for such a one. ``again``
    begins the same job again, where it can be repeated.
    """

    progressed = Signal()
    ended = Signal()

    def __init__(
        self,
        title: str,
        work: Callable[[Progress], Any],
        parent: QObject | None = None,
        *,
        rest: str = "",
        for_person: bool = False,
    ) -> None:
        super().__init__(parent)
        self.title = title
        self.rest = rest
        self.for_person = for_person
        self.gives_way = False
        self.worker = 0  # the thread that works at it
        self.state: State = "waiting"
        self.count = 0
        self.total = 0
        self.what = ""
        self.result: Any = None
        self.error: BaseException | None = None
        self.progress = Progress(self.report)
        self.work = work
        self.stopping = False
        self.on_end: Callable[[Task], object] | None = None
        self.again: Callable[[], object] | None = None
        self.between_steps: Callable[[Task], object] | None = None  # called on the working thread
        self._latest: tuple[int, int, str] | None = None

    def cancel(self) -> None:
        """Ask the job to stop; if it sits inside an engine after half a second, the engine is stopped."""
        self.stopping = True
        self.progress.cancel()
        self.progressed.emit()

    def is_over(self) -> bool:
        """Return whether it ended, however."""
        return self.state in ("done", "failed", "cancelled")

    def pull(self) -> bool:
        """Take over the newest report of the working thread; whether there was one."""
        latest, self._latest = self._latest, None
        if latest is None:
            return False
        self.count, self.total, self.what = latest
        self.progressed.emit()
        return True

    def report(self, count: int, total: int, what: str) -> None:
        """Take in how far the job is, on the working thread; a batch gives way here to what a person waits for."""
        self._latest = (count, total, what)  # one assignment: atomic
        if self.between_steps is not None:
            self.between_steps(self)
            self.progress.check()


class _Read:
    """A slow read: superseded by a newer one of the same key."""

    def __init__(
        self,
        work: Callable[[], Any],
        on_result: Callable[[Any], object],
        on_error: Callable[[BaseException], object],
        key: object,
    ) -> None:
        self.work = work
        self.on_result = on_result
        self.on_error = on_error
        self.key = key


class _Line:
    """A queue of the jobs of one thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: list[tuple[Task | None, Callable[[], None] | None]] = []

    def put(self, job: Callable[[], None] | None, task: Task | None = None) -> None:
        """Add a job at the end; None ends the thread."""
        with self._changed:
            self._jobs.append((task, job))
            self._changed.notify()

    def take(self) -> Callable[[], None] | None:
        """Wait for a job and take it."""
        with self._changed:
            while not self._jobs:
                self._changed.wait()
            return self._jobs.pop(0)[1]

    def remove(self, task: Task) -> bool:
        """Take the job of a task out; return whether it still waited."""
        with self._changed:
            count = len(self._jobs)
            self._jobs = [row for row in self._jobs if row[0] is not task]
            return len(self._jobs) < count

    def drop_reads(self) -> None:
        """Take out what belongs to no task."""
        with self._changed:
            self._jobs = [row for row in self._jobs if row[0] is not None or row[1] is None]

    def sort(self, order: Sequence[Task]) -> None:
        """Put the jobs of tasks into this order; jobs of none stay behind them."""
        with self._changed:
            self._jobs.sort(key=lambda row: order.index(row[0]) if row[0] in order else len(order))

    def serve(self) -> None:
        """Do one job after another."""
        while (job := self.take()) is not None:
            job()
            del job

    def serve_person(self) -> None:
        """Do one job after another, each of them before the batches."""
        with for_person():
            self.serve()


class Tasks(QObject):
    """Runs batches one after another, and beside them what a person asks for and slow reads.

    Results arrive on the window's thread. ``interrupt(thread)`` kills the engine that is busy for a thread, None: all
    that are; it is called from a timer on the window's thread. ``cores`` are the processors that there are.
    """

    added = Signal(object)
    reordered = Signal()
    _delivered = Signal(object)

    def __init__(
        self, interrupt: Callable[[int | None], object], parent: QObject | None = None, *, cores: int | None = None
    ) -> None:
        super().__init__(parent)
        self.tasks: list[Task] = []
        self._interrupt = interrupt
        self._interrupted_at = 0.0
        self._newest: dict[object, _Read] = {}
        self._batches, self._questions, self._reads = _Line(), _Line(), _Line()
        self._lines = {"batches": self._batches, "questions": self._questions, "reads": self._reads}
        self._has_room = (cores or os.cpu_count() or 1) >= ROOM_CORES
        self._no_question = threading.Event()
        self._no_question.set()
        self._threads: list[threading.Thread] = []
        self._is_closed = False
        self._is_stopping = False  # a read that was interrupted is not begun again
        self._delivered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self)
        self._timer.setInterval(UPDATE_MS)
        self._timer.timeout.connect(self._pull)

    def start(
        self,
        title: str,
        work: Callable[[Progress], Any],
        on_end: Callable[[Task], object] | None = None,
        *,
        rest: str = "",
        for_person: bool = False,
    ) -> Task:
        """Queue a long verb; ``rest`` and ``for_person`` as in ``Task``.

        ``on_end(task)`` is called on the window's thread, whatever the outcome; after the closing nothing is queued,
        and the task stays one that waits.
        """
        task = Task(title, work, self, rest=rest, for_person=for_person)
        if self._is_closed:
            return task
        if not for_person and not self._has_room:
            task.between_steps = self._give_way
        self.tasks.append(task)
        self._start_threads()
        self._timer.start()
        self.added.emit(task)

        def run() -> None:
            state: State = "done"
            result: Any = None
            error: BaseException | None = None
            try:
                task.progress.check()
                task.worker = threading.get_ident()
                task.state = "running"
                task.report(0, 0, title)  # until the work says how far it is: it no longer waits
                if for_person:
                    self._no_question.clear()
                result = task.work(task.progress)
            except Cancelled:
                state = "cancelled"
            except BaseException as problem:  # handed over to the window's thread, where it is told or raised
                # An engine stopped because the person cancelled is a cancellation, not a failure.
                state = "cancelled" if task.progress.cancelled and isinstance(problem, AppError) else "failed"
                error = problem
            finally:
                if for_person:
                    self._no_question.set()

            def settle() -> None:
                task.pull()
                task.result, task.error = result, error
                self._end(task, state, on_end)

            self._hand_over(settle)

        task.on_end = on_end
        self._line_of(task).put(run, task)
        return task

    def _end(self, task: Task, state: State, on_end: Callable[[Task], object] | None) -> None:
        task.state = state
        self.tasks.remove(task)
        if not self.tasks:
            self._timer.stop()
        if on_end is not None:
            on_end(task)
        task.ended.emit()
        task.deleteLater()

    def _line_of(self, task: Task) -> _Line:
        return self._questions if task.for_person else self._batches

    def _give_way(self, task: Task) -> None:
        """Hold a batch up between two of its steps while there is something that a person waits for."""
        until = time.monotonic() + GIVE_WAY_S
        while not self._no_question.is_set() and not task.progress.cancelled and time.monotonic() < until:
            task.gives_way = True
            self._no_question.wait(0.05)
        task.gives_way = False

    def waits_for(self, task: Task) -> str:
        """Name what a job that has not begun waits for; '' for one that has, or ended."""
        if task.state != "waiting":
            return ""
        ahead = [peer for peer in self.tasks if peer.for_person == task.for_person and peer.state == "running"]
        return f"waiting for “{ahead[0].title}”" if ahead else "waiting"

    def move(self, task: Task, next_task: Task | None) -> None:
        """Have a job that waits begin before another one that waits; None: after all."""
        order = [peer for peer in self.tasks if peer is not task]
        index = order.index(next_task) if next_task in order else len(order)
        self.tasks = [*order[:index], task, *order[index:]]
        for line in (self._batches, self._questions):
            line.sort(self.tasks)
        self.reordered.emit()

    def cancel(self, task: Task) -> None:
        """Cancel politely; kill the engine at work if the job has not ended half a second later."""
        task.cancel()
        if task.state == "waiting" and self._line_of(task).remove(task):
            QTimer.singleShot(0, self, lambda: self._end(task, "cancelled", task.on_end))
        else:
            QTimer.singleShot(GRACE_MS, self, self._interrupt_stopping)

    def read(
        self,
        work: Callable[[], Any],
        on_result: Callable[[Any], object],
        on_error: Callable[[BaseException], object],
        *,
        key: object = None,
    ) -> None:
        """Queue a slow read. With a ``key``, a newer read of that key replaces one that has not been delivered."""
        if self._is_closed:
            return
        read = _Read(work, on_result, on_error, key)
        if key is not None:
            self._newest[key] = read
        self._start_threads()

        def is_newest() -> bool:
            return key is None or self._newest.get(key) is read

        def run() -> None:
            if not is_newest():
                return
            began = time.monotonic()
            while True:
                result: Any = None
                error: BaseException | None = None
                try:
                    result = read.work()
                except BaseException as problem:
                    error = problem
                    # A read caught by the kill that ended another job is simply done again.
                    if isinstance(problem, AppError) and self._interrupted_at > began and not self._is_stopping:
                        began = time.monotonic()
                        continue
                break

            def settle() -> None:
                if not is_newest():
                    return
                if key is not None:
                    del self._newest[key]
                if error is None:
                    read.on_result(result)
                else:
                    read.on_error(error)

            self._hand_over(settle)

        self._reads.put(run)

    def busy(self) -> bool:
        """Return whether a job runs or waits."""
        return bool(self.tasks)

    def resumable(self) -> list[Task]:
        """List the jobs under way that somebody who leaves should be asked about."""
        return [task for task in self.tasks if task.rest and not task.stopping]

    def forget_reads(self) -> None:
        """Deliver nothing of what was asked so far: the case it belongs to is closing."""
        self._newest.clear()

    def stop_all(self, seconds: float = 3.0) -> bool:
        """Cancel everything, kill busy engines and wait; whether all jobs ended in time. Results are not delivered."""
        for task in self.tasks:
            task.cancel()
        if not self._threads:
            return True
        self._is_stopping = True
        try:
            return self._stop_threads(seconds)
        finally:
            self._is_stopping = self._is_closed

    def _stop_threads(self, seconds: float) -> bool:
        """Have each thread reach the end of its line, and kill what holds it up; return whether all did in time."""
        self._reads.drop_reads()
        idle = []
        for line in self._lines.values():
            event = threading.Event()
            line.put(event.set)
            idle.append(event)
        self._newest.clear()
        until = time.monotonic() + seconds
        polite = time.monotonic() + (0.2 if self.tasks else 0.0)
        for event in idle:
            event.wait(max(0.0, polite - time.monotonic()))
        while not all(event.is_set() for event in idle) and time.monotonic() < until:
            self._kill(None)
            for event in idle:
                event.wait(0.1)
        return all(event.is_set() for event in idle)

    def close(self) -> None:
        """Stop everything and end the threads; what is asked for later is never begun. The window calls it last."""
        self._is_closed = True
        self._timer.stop()
        if not self.stop_all():
            log.warning("a job did not end in time")
        for line in self._lines.values():
            line.put(None)
        for thread in self._threads:
            thread.join(1.0)
        self._threads.clear()

    def _kill(self, thread: int | None) -> None:
        self._interrupted_at = time.monotonic()
        self._interrupt(thread)

    def _interrupt_stopping(self) -> None:
        for task in self.tasks:
            if task.stopping and task.state == "running":
                self._kill(task.worker)

    def _pull(self) -> None:
        for task in self.tasks:
            task.pull()

    def _hand_over(self, settle: Callable[[], None]) -> None:
        """Have ``settle`` called on the window's thread. A job that outlived the closing has nobody to tell."""
        if not self._is_closed:
            self._delivered.emit(settle)

    def _deliver(self, settle: Callable[[], None]) -> None:
        settle()

    def _start_threads(self) -> None:
        if self._threads:
            return
        for name, line in self._lines.items():
            serve = line.serve if line is self._batches else line.serve_person
            thread = threading.Thread(target=serve, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)


def raise_on_window(error: BaseException) -> None:
    """Raise a bug of a working thread as one of the window: through the excepthook."""
    sys.excepthook(type(error), error, error.__traceback__)
