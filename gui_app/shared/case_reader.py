"""What a view reads of the case beside the work: one reading at a time, one more where the case changed meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from core.errors import AppError
from gui_app.shared.case_view import CaseView

if TYPE_CHECKING:
    from core.workbench import Workbench

T = TypeVar("T")


class CaseReader(Generic[T]):
    """Reads for ``view``, which is to be read again where it asks while a reading is under way.

    A job that reports faster than the case is read would otherwise replace every reading before it is delivered.
    ``on_error`` comes after the session has told the error.
    """

    def __init__(
        self, view: CaseView, on_result: Callable[[T], object], on_error: Callable[[], object] | None = None
    ) -> None:
        self._view = view
        self._on_result = on_result
        self._on_error = on_error
        self._current: object | None = None  # the reading under way
        self._is_outdated = False

    def read(self, verb: Callable[[Workbench], T]) -> None:
        """Read now, or have the view read again when what it reads now has arrived."""
        if self._view.session.workbench is None:
            return
        if self._current is not None:
            self._is_outdated = True
            return
        current = self._current = object()
        self._is_outdated = False

        def work(bench: Workbench) -> T:
            try:
                return verb(bench)
            finally:  # here, whatever becomes of it: a fault of the program is delivered to nobody
                if self._current is current:
                    self._current = None

        self._view.read(work, self._arrived, key=self, on_error=self._failed)

    def is_busy(self) -> bool:
        """Return whether it reads, or is to read once more."""
        return self._current is not None or self._is_outdated

    def forget(self) -> None:
        """Wait for nothing more: the case is another, and what was read of the one before is not delivered."""
        self._current, self._is_outdated = None, False

    def _arrived(self, result: T) -> None:
        self._on_result(result)
        self._go_on()

    def _failed(self, error: AppError) -> None:
        self._view.session.report(error, self)
        if self._on_error is not None:
            self._on_error()
        self._go_on()

    def _go_on(self) -> None:
        if self._is_outdated:
            self._is_outdated = False
            self._view.reload()
