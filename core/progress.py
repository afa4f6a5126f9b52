"""Reporting and listening in one call. The core calls ``Progress.step`` at item borders and nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from core.errors import EngineStopped


class Cancelled(BaseException):
    """The person's wish to stop. Not an error: shown nowhere.

    A BaseException, so that loops that skip a bad item cannot swallow it.
    """


class Progress:
    """A report of how far a job is, and the way to stop it.

    ``report(done, total, what)`` is called from the working thread; ``total`` is 0 while it is not known.
    """

    def __init__(self, report: Callable[[int, int, str], None] | None = None) -> None:
        self._report = report
        self._stop = threading.Event()

    def step(self, count: int, total: int, what: str) -> None:
        """Report ``count`` of ``total`` items done, now at ``what``. Raises Cancelled after ``cancel``."""
        self.check()
        if self._report is not None:
            self._report(count, total, what)

    def check(self) -> None:
        """Raise Cancelled if ``cancel`` was called."""
        if self._stop.is_set():
            raise Cancelled

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Surround what an engine does: where it was stopped because the person cancelled, that is no error of it."""
        try:
            yield
        except EngineStopped:
            self.check()
            raise

    def cancel(self) -> None:
        """Ask the job to stop at its next item border. Safe from any thread."""
        self._stop.set()

    @property
    def cancelled(self) -> bool:
        """Return whether the job was asked to stop."""
        return self._stop.is_set()


def silent() -> Progress:
    """Return a progress that tells nobody."""
    return Progress()
