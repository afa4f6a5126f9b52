"""The strip at the bottom: what runs, how far it is, a way to stop it, and when the case was last saved."""

from __future__ import annotations

import time
from datetime import datetime

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton, QSizePolicy, QWidget
from shiboken6 import isValid

from core.domain import Changes
from core.errors import AppError, CaseMoved, DiskFailed, DiskFull, ErasureUnfinished
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import ElidedLabel, plain
from gui_app.shared.layout import hbox
from gui_app.shell.time_left import TimeLeft
from gui_app.tasks import Task

HEIGHT = 36
SHOWN_MS = 8000
NOT_SAVED = (CaseMoved, DiskFailed, DiskFull)  # of the case that is open: it is at hand here, and not safe there


class _TaskRow(QWidget):
    """One job: stage, count, bar, cancel."""

    def __init__(self, task: Task, session: CaseSession) -> None:
        super().__init__()
        self.task = task
        self._session = session
        self._pace = TimeLeft()
        self.setAccessibleName(task.title)
        row = hbox(self, spacing=10)
        self.stage = ElidedLabel(task.title, mode=Qt.TextElideMode.ElideMiddle)
        self.stage.setMinimumWidth(150)
        self.stage.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row.addWidget(self.stage, 1)
        self.count = plain("", "muted")
        row.addWidget(self.count)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(120)
        self.bar.setAccessibleName(f"Progress of {task.title}")
        row.addWidget(self.bar)
        self.cancel = QPushButton("Cancel")
        self.cancel.setProperty("kind", "quiet")
        self.cancel.setAccessibleName(f"Cancel {task.title}")
        self.cancel.clicked.connect(lambda: self._session.tasks.cancel(self.task))
        row.addWidget(self.cancel)
        task.progressed.connect(self.show_progress)
        self.show_progress()

    def show_progress(self) -> None:
        task = self.task
        if task.stopping:
            self.stage.setText(f"{task.title}: stopping")
            self.cancel.setEnabled(False)
            return
        if task.state == "waiting":
            self.stage.setText(f"{task.title}: {self._session.tasks.waits_for(task)}")
            self.bar.setRange(0, 1)
            self.bar.setValue(0)
            return
        self.stage.setText(task.what or task.title)
        left = self._pace.take(task.count, task.total, time.monotonic())
        count = f"{task.count:,}/{task.total:,}" if task.total else ""
        self.count.setText(" · ".join(filter(None, (count, left))))
        self.bar.setRange(0, task.total)
        self.bar.setValue(task.count)


class TaskStrip(QFrame):
    """Shows the first job under way, and how many there are."""

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setProperty("kind", "bar")
        self._size()
        theme.changed.connect(self._size)
        self.setAccessibleName("Jobs and messages")
        row = hbox(self, margins=(16, 0, 16, 0), spacing=16)
        self._jobs = hbox(spacing=24)
        row.addLayout(self._jobs, 3)
        self.jobs_button = QPushButton("Jobs")
        self.jobs_button.setProperty("kind", "quiet")
        self.jobs_button.setToolTip("What runs, what waits, what ended (Ctrl+Shift+F12)")
        self.message = ElidedLabel("", "muted")
        row.addWidget(self.message, 2)
        self.save_label = plain("", "muted")
        row.addWidget(self.save_label)
        row.addWidget(self.jobs_button)
        self._rows: list[_TaskRow] = []
        session.tasks.added.connect(self._added)
        self._decision = 0  # what the message says can be taken back
        self._fading = QTimer(self)
        self._fading.setSingleShot(True)
        self._fading.setInterval(SHOWN_MS)
        self._fading.timeout.connect(lambda: self.say(""))
        session.status.connect(self.say)
        session.decided.connect(lambda text: self.say(text, session.undoable()))
        session.changed.connect(self._changed)
        session.failed.connect(self._failed)
        session.opened.connect(self._opened)

    def _size(self) -> None:
        self.setFixedHeight(theme.px(HEIGHT))

    def say(self, text: str, decision: int = 0) -> None:
        """Show a sentence for some seconds."""
        self._decision = decision
        self.message.setText(text)
        if text:
            self._fading.start()
        else:
            self._fading.stop()

    def rows(self) -> list[_TaskRow]:
        """List the rows of the jobs on show."""
        return list(self._rows)

    def _added(self, task: Task) -> None:
        row = _TaskRow(task, self._session)
        self._rows.append(row)
        self._jobs.addWidget(row, 1)
        task.ended.connect(lambda: self._ended(row))
        self._arrange()

    def _ended(self, row: _TaskRow) -> None:
        if not isValid(row):  # the window is gone, and the job ends behind it
            return
        task = row.task
        self._rows.remove(row)
        self._jobs.removeWidget(row)
        row.hide()
        row.deleteLater()
        if task.state == "done":
            announce(self, f"{task.title}: done")
        self._arrange()

    def _arrange(self) -> None:
        first = next((task for task in self._session.tasks.tasks if task.for_person), None)
        for index, row in enumerate(self._rows):
            row.setVisible(row.task is first if first is not None else index == 0)
        count = len(self._rows)
        self.jobs_button.setText(f"Jobs {count}" if count else "Jobs")
        self.jobs_button.setAccessibleName(f"Jobs, {count} under way" if count else "Jobs")

    def _changed(self, _changes: Changes, initiator: object) -> None:
        if self._decision and self._decision != self._session.undoable():
            self.say("")
        if initiator is not self._session and self._session.workbench is not None:
            self.save_label.setText(f"Saved {datetime.now().astimezone():%H:%M:%S}")

    def _failed(self, error: AppError) -> None:
        bench = self._session.workbench
        is_unsaved = isinstance(error, NOT_SAVED) and not isinstance(error, ErasureUnfinished)
        if is_unsaved and bench is not None and error.details.get("path") == bench.path:
            self.save_label.setText("Last step not saved")

    def _opened(self) -> None:
        self.say("")
        if self._session.workbench is None:
            self.save_label.setText("")
        else:
            self.save_label.setText("Open for viewing only" if self._session.read_only else "All saved")
