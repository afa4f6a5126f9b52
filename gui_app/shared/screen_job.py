"""The one task that a screen has running beside the work."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton

from gui_app.shared.case_view import CaseView
from gui_app.tasks import Task


class ScreenJob(QObject):
    """A task of a screen; ``changed`` is called when it begins and when it ends."""

    def __init__(self, screen: CaseView, changed: Callable[[], None]) -> None:
        super().__init__(screen)
        self._session = screen.session
        self._changed = changed
        self.task: Task | None = None

    def begin(self, task: Task | None) -> bool:
        """Have a task until it ends. Return False if it could not be started."""
        if task is None:
            return False
        self.task = task
        task.ended.connect(self.finish)
        self._changed()
        return True

    def stop(self) -> None:
        """Stop the task."""
        if self.task is not None:
            self._session.tasks.cancel(self.task)

    def finish(self) -> None:
        """Be free for another task."""
        self.task = None
        self._changed()

    def offer_stop(self, action: QAction, button: QPushButton) -> None:
        """Offer the command that stops the task while there is one."""
        action.setEnabled(self.task is not None)
        button.setVisible(self.task is not None)
