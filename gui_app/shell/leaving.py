"""The question before the window closes while jobs are under way that somebody waits for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from gui_app.session import REST_OF_JOB, CaseSession
from gui_app.shared import theme
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox, vbox
from gui_app.tasks import Task


class LeavingDialog(QDialog):
    """The jobs under way, how far they are, and three answers: ``finish``, ``stop``, ``stay``."""

    def __init__(self, jobs: Sequence[Task], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Quit")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        column = vbox(self, margins=(24, 20, 24, 16), spacing=12)
        self._title = plain("", "title", wrap=True)
        column.addWidget(self._title)
        self._jobs: list[Task] = []
        self.state = plain("", wrap=True)
        column.addWidget(self.state)
        self._rest = plain("", "muted", wrap=True)
        column.addWidget(self._rest)
        row = hbox(spacing=8)
        self.finish = QPushButton("Finish first")
        self.finish.setToolTip("Disconfirm closes by itself when this is done")
        self.finish.setProperty("kind", "primary")
        self.finish.setDefault(True)
        self.stop = QPushButton("Stop and continue next time")
        self.stay = QPushButton("Cancel")
        self.stay.clicked.connect(self.reject)
        for button in (self.finish, self.stop):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.stay)
        column.addLayout(row)
        self.show_jobs(jobs)
        self.resize(theme.px(480), self.sizeHint().height())

    def show_jobs(self, jobs: Sequence[Task]) -> None:
        """Show the jobs that are left: one may end, or begin another, while the question stands."""
        for job in jobs:
            if job not in self._jobs:
                job.progressed.connect(self._show_progress)
        self._jobs = list(jobs)
        is_only = len(jobs) == 1
        self._title.setText(f"{jobs[0].title} is not finished" if is_only else f"{len(jobs)} jobs are not finished")
        resumes = not any(job.rest == REST_OF_JOB for job in jobs)
        self.stop.setText("Stop and continue next time" if resumes else "Stop and quit")
        self._rest.setText("\n".join(dict.fromkeys(job.rest for job in jobs)))
        self._show_progress()

    def _show_progress(self) -> None:
        self.state.setText("\n".join(_how_far(job, is_only=len(self._jobs) == 1) for job in self._jobs))


def _how_far(job: Task, *, is_only: bool) -> str:
    """Word how far a job is, with its title where it is not the only one."""
    if is_only:
        return f"{job.count:,} of {job.total:,} done." if job.total else "It has not begun."
    return f"{job.title}: {job.count:,} of {job.total:,} done." if job.total else f"{job.title}: not begun."


class Leaving(QObject):
    """Holds the closing of a window up while somebody has not said what becomes of the jobs under way."""

    def __init__(self, session: CaseSession, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._is_stopping = False
        self._jobs: list[Task] = []  # whose end is followed
        self.waits = False  # for the jobs to end, and then closes the window
        self.dialog: LeavingDialog | None = None

    def may_close(self) -> bool:
        """Return whether the window may close now; otherwise ask."""
        jobs = self._session.tasks.resumable()
        if self._is_stopping or not jobs:
            return True
        if self.dialog is None:
            self.dialog = LeavingDialog(jobs, self._window)
            self.dialog.finish.clicked.connect(self._finish)
            self.dialog.stop.clicked.connect(self._stop)
            self.dialog.rejected.connect(self._stay)
            self.dialog.finished.connect(self._answered)
            self._follow_jobs()
            self.dialog.open()
        return False

    def _follow_jobs(self) -> None:
        """Follow the jobs to be asked about, also those that one of them began at its end."""
        for job in self._session.tasks.resumable():
            if job not in self._jobs:
                self._jobs.append(job)
                job.ended.connect(self._follow)

    def close(self) -> None:
        """Close the window without a question: who ends the program from outside cannot answer one."""
        self._stop()

    def _finish(self) -> None:
        self.waits = True
        self._dismiss()
        self._session.status.emit("Disconfirm closes when this is finished.")

    def _stop(self) -> None:
        self._is_stopping = True
        self._dismiss()
        self._window.close()

    def _stay(self) -> None:
        self.waits = False

    def _dismiss(self) -> None:
        if self.dialog is not None:
            self.dialog.accept()

    def _answered(self) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            dialog.deleteLater()

    def _follow(self) -> None:
        """Close the window once the last job is done; one that failed has something to say."""
        job = self.sender()
        if isinstance(job, Task) and job in self._jobs:
            self._jobs.remove(job)
        if not self.waits and self.dialog is None:
            return
        self._follow_jobs()
        if jobs := self._session.tasks.resumable():
            if self.dialog is not None:
                self.dialog.show_jobs(jobs)
            return
        self._dismiss()
        self.waits = False
        if isinstance(job, Task) and job.state == "done":
            self._window.close()
