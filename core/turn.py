"""Whose turn it is: a thread that works for a person who waits goes before one that works through a batch."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

_of_thread = threading.local()


@contextlib.contextmanager
def for_person() -> Iterator[None]:
    """Have this thread go first wherever threads take turns."""
    previous = is_for_person()
    _of_thread.person = True
    try:
        yield
    finally:
        _of_thread.person = previous


def is_for_person() -> bool:
    """Return whether this thread works for a person who waits."""
    return bool(getattr(_of_thread, "person", False))


class Turn:
    """A lock that threads which work for a person get before all others that wait for it, or come meanwhile."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_taken = False
        self._people = 0  # threads for a person that wait

    def acquire(self, *, blocking: bool = True) -> bool:
        """Take the turn; return whether it was taken, which without ``blocking`` it may not be."""
        person = is_for_person()
        with self._changed:
            if not blocking and self._is_taken:
                return False
            self._people += person
            try:
                while self._is_taken or (self._people and not person and blocking):
                    self._changed.wait()
                self._is_taken = True
            finally:
                self._people -= person
        return True

    def release(self) -> None:
        """Release the turn."""
        with self._changed:
            self._is_taken = False
            self._changed.notify_all()

    def locked(self) -> bool:
        """Return whether the turn is taken."""
        return self._is_taken

    def is_open(self) -> bool:
        """Return whether this thread would get the turn at once."""
        return not self._is_taken and (not self._people or is_for_person())
