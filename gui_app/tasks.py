"""The only threads of the window: one for long verbs, one for slow reads. Nothing here knows a case or a widget.

The working threads never touch a QObject but to emit one signal; what a job reports is pulled by a timer, so a job that
reports ten thousand times a second costs the window thirty updates.
"""

from __future__ import annotations

import logging
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.errors import AppError
from core.progress import Cancelled, Progress

log = logging.getLogger(__name__)

UPDATE_MS = 50
GRACE_MS = 500
State = Literal["waiting", "running", "done", "failed", "cancelled"]


class Task(QObject):
    """A long verb under way: its title, how far it is, and how it ended. Lives on the window's thread.

    ``rest`` says what becomes of what is left when it is stopped, where somebody who leaves should be asked; else ''.
    """

    progressed = Signal()
    ended = Signal()

    def __init__(self, title: str, work: Callable[[Progress], Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self.rest = ""
        self.state: State = "waiting"
        self.count = 0
        self.total = 0
        self.what = ""
        self.result: Any = None
        self.error: BaseException | None = None
        self.progress = Progress(self._report)
        self.work = work
        self.stopping = False
        self._latest: tuple[int, int, str] | None = None

    def cancel(self) -> None:
        """Ask the job to stop; if it sits inside an engine after half a second, the engine is stopped."""
        self.stopping = True
        self.progress.cancel()
        self.progressed.emit()

    def is_over(self) -> bool:
        """Tell whether it ended, however."""
        return self.state in ("done", "failed", "cancelled")

    def pull(self) -> bool:
        """Take over the newest report of the working thread; whether there was one."""
        latest, self._latest = self._latest, None
        if latest is None:
            return False
        self.count, self.total, self.what = latest
        self.progressed.emit()
        return True

    def _report(self, count: int, total: int, what: str) -> None:
        self._latest = (count, total, what)  # one assignment: atomic


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


class Tasks(QObject):
    """Runs long verbs one after another and slow reads beside them; results arrive on the window's thread.

    ``interrupt`` kills whatever engine is busy; it is called from a timer on the window's thread.
    """

    added = Signal(object)
    _delivered = Signal(object)

    def __init__(self, interrupt: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tasks: list[Task] = []
        self._interrupt = interrupt
        self._interrupted_at = 0.0
        self._newest: dict[object, _Read] = {}
        self._long: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._reads: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._is_closed = False
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
    ) -> Task:
        """Queue a long verb; ``rest`` as in ``Task``.

        ``on_end(task)`` is called on the window's thread, whatever the outcome; after the closing nothing is queued,
        and the task stays one that waits.
        """
        task = Task(title, work, self)
        task.rest = rest
        if self._is_closed:
            return task
        self.tasks.append(task)
        self._start_threads()
        self._timer.start()
        self.added.emit(task)

        def over() -> None:
            self.tasks.remove(task)
            if not self.tasks:
                self._timer.stop()
            if on_end is not None:
                on_end(task)
            task.ended.emit()
            task.deleteLater()

        def run() -> None:
            state: State = "done"
            result: Any = None
            error: BaseException | None = None
            try:
                task.progress.check()
                task.state = "running"
                task._report(0, 0, title)  # until the work says how far it is: it no longer waits
                result = task.work(task.progress)
            except Cancelled:
                state = "cancelled"
            except BaseException as problem:  # handed over to the window's thread, where it is told or raised
                # An engine stopped because the person cancelled is a cancellation, not a failure.
                state = "cancelled" if task.progress.cancelled and isinstance(problem, AppError) else "failed"
                error = problem

            def settle() -> None:
                task.pull()
                task.result, task.error, task.state = result, error, state
                over()

            self._hand_over(settle)

        self._long.put(run)
        return task

    def cancel(self, task: Task) -> None:
        """Cancel politely; kill the engine at work if the job has not ended half a second later."""
        task.cancel()
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
                    if isinstance(problem, AppError) and self._interrupted_at > began and not self._is_closed:
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
        """Tell whether a job runs or waits."""
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
        idle = [threading.Event(), threading.Event()]
        for line, event in zip((self._long, self._reads), idle, strict=True):
            line.put(event.set)
        self._newest.clear()
        until = time.monotonic() + seconds
        polite = time.monotonic() + (0.2 if self.tasks else 0.0)
        for event in idle:
            event.wait(max(0.0, polite - time.monotonic()))
        while not all(event.is_set() for event in idle) and time.monotonic() < until:
            self._kill()
            idle[0].wait(0.1)
            idle[1].wait(0.1)
        return all(event.is_set() for event in idle)

    def close(self) -> None:
        """Stop everything and end both threads; what is asked for later is never begun. The window calls it last."""
        self._is_closed = True
        self._timer.stop()
        if not self.stop_all():
            log.warning("a job did not end in time")
        for line in (self._long, self._reads):
            line.put(None)
        for thread in self._threads:
            thread.join(1.0)
        self._threads.clear()

    def _kill(self) -> None:
        self._interrupted_at = time.monotonic()
        self._interrupt()

    def _interrupt_stopping(self) -> None:
        if any(task.stopping and task.state == "running" for task in self.tasks):
            self._kill()

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
        for name, line in (("long verbs", self._long), ("reads", self._reads)):
            thread = threading.Thread(target=_serve, args=(line,), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)


def _serve(line: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while (job := line.get()) is not None:
        job()
        del job


def raise_on_window(error: BaseException) -> None:
    """Raise a bug of a working thread as one of the window: through the excepthook."""
    sys.excepthook(type(error), error, error.__traceback__)
