"""The jobs of the window: what runs, what waits and for what, what ended and how; a list over the work."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QPushButton, QWidget
from shiboken6 import isValid

from core.errors import AppError
from gui_app import ended_jobs
from gui_app.ended_jobs import MOST, EndedJob, problems_of
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.formatting import counted
from gui_app.shared.table_models import ListRows
from gui_app.shell.corner_list import CornerList
from gui_app.shell.time_left import TimeLeft
from gui_app.tasks import Task

_MIME = "application/x-disconfirm-job"


class Jobs(QObject):
    """The jobs under way and those of the case that ended. ``changed()`` when there is more to show.

    Of an encrypted case nothing is kept: the list lies outside it, and its titles name documents.
    """

    changed = Signal()

    def __init__(self, session: CaseSession, parent: QObject) -> None:
        super().__init__(parent)
        self.session = session
        self.ended: list[EndedJob] = []
        self._case: Path | None = None
        self._is_kept = False
        self._noted_at_end: set[Task] = set()
        self._left: dict[Task, str] = {}  # time that a job takes still, in words
        self._sentence = ""  # what was said last since a job ended
        session.status.connect(self._listen)
        session.told.connect(lambda text, _undo: self._listen(text))
        session.opened.connect(self._load)
        session.tasks.added.connect(self._added)
        session.tasks.reordered.connect(self.changed)

    def under_way(self) -> list[Task]:
        """List the jobs that run, then those that wait, in their order."""
        return sorted(self.session.tasks.tasks, key=lambda task: (task.state == "waiting", not task.for_person))

    def clear(self) -> None:
        """Forget the jobs that ended."""
        self.ended.clear()
        self._save()
        self.changed.emit()

    def stop(self) -> None:
        """Note the jobs under way as stopped, with what becomes of the rest: their case is closing."""
        for task in reversed(self.under_way()):
            if task in self._noted_at_end:
                self._noted_at_end.remove(task)
                self._note(task, "stopped", f"Stopped when the case was closed. {task.rest}".strip())
        self._save()

    def _load(self) -> None:
        self.stop()
        bench = self.session.workbench
        self._case = bench.path if bench is not None else None
        self._is_kept = bench is not None and bench.case.key is None
        self.ended = ended_jobs.open_list(self._case, keep=self._is_kept) if self._case is not None else []
        self.changed.emit()

    def _save(self) -> None:
        bench = self.session.workbench
        if bench is not None and bench.path == self._case:
            self._is_kept = bench.case.key is None
        if self._case is not None:
            ended_jobs.save(self._case, self.ended if self._is_kept else [])

    def _note(self, task: Task, state: str, result: str, problems: tuple[str, ...] = ()) -> None:
        at = f"{datetime.now().astimezone():%Y-%m-%d %H:%M}"
        self.ended.insert(0, EndedJob(task.title, at, state, result, problems, task.again))
        del self.ended[MOST:]

    def state_of(self, task: Task) -> str:
        """Return how far a job is, or what it waits for."""
        if task.stopping:
            return "Stopping"
        if task.state == "waiting":
            words = self.session.tasks.waits_for(task)
            return words[:1].upper() + words[1:]
        left = self._left.get(task, "")
        count = f"{task.count:,} of {task.total:,}" if task.total else ""
        what = task.what if task.what != task.title else ""
        if task.gives_way:
            left = "held up for what you asked"
        return " · ".join(filter(None, (count, left, what))) or "Running"

    def _added(self, task: Task) -> None:
        pace = TimeLeft()
        self._noted_at_end.add(task)

        def measure() -> None:
            if not isValid(self):
                return
            self._left[task] = pace.take(task.count, task.total, time.monotonic())
            self.changed.emit()

        task.progressed.connect(measure)
        task.ended.connect(lambda: self._ended(task))
        self._sentence = ""
        self.changed.emit()

    def _listen(self, text: str) -> None:
        self._sentence = text or self._sentence

    def _ended(self, task: Task) -> None:
        if not isValid(self):
            return
        self._left.pop(task, None)
        if task not in self._noted_at_end:
            return  # it was noted when its case was closed
        self._noted_at_end.remove(task)
        sentence, self._sentence = self._sentence, ""
        if task.state == "failed":
            sentence = task.error.sentence if isinstance(task.error, AppError) else "Ended by a fault of the program."
        elif task.state == "cancelled":
            sentence = "Cancelled; finished work is kept."
        problems = problems_of(task.result)
        if isinstance(task.error, AppError):
            problems = (f"{task.error.sentence} {task.error.hint}".strip(),)
        self._note(task, task.state, sentence or "Done.", problems)
        self._save()
        self.changed.emit()


def _time_of(job: EndedJob) -> str:
    """Return when a job ended, without the date of today."""
    return job.at.removeprefix(f"{datetime.now().astimezone():%Y-%m-%d} ")


class _Rows(ListRows):
    """Two lines a job, a row each problem below the job whose problems are open; jobs that wait can be dragged."""

    def __init__(self, jobs: Jobs) -> None:
        super().__init__(jobs)
        self._jobs = jobs

    def role_data(self, job: Task | EndedJob | str, index: int, role: int) -> Any:
        if role not in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.ToolTipRole,
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.ForegroundRole,
        ):
            return None
        if role == Qt.ItemDataRole.ForegroundRole:
            if isinstance(job, EndedJob):
                return theme.tone("contradicts") if job.state == "failed" else QColor(theme.tokens().muted)
            return None
        if isinstance(job, str):
            return f"    {job}"
        if isinstance(job, Task):
            return f"{job.title}\n{self._jobs.state_of(job)}"
        problems = [counted(len(job.problems), "problem")] * bool(job.problems)
        return f"{job.title}\n{' · '.join((_time_of(job), job.result, *problems))}"

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        """Return what can be done with a row: what waits can be dragged, and dropped between rows."""
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        job = self.rows[index.row()]
        waits = isinstance(job, Task) and job.state == "waiting"
        return super().flags(index) | (Qt.ItemFlag.ItemIsDragEnabled if waits else Qt.ItemFlag.NoItemFlags)

    def supportedDropActions(self) -> Qt.DropAction:
        """Return that rows are moved."""
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        """Return the kind of what is dragged."""
        return [_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the number of the row that is dragged."""
        data = QMimeData()
        data.setData(_MIME, str(indexes[0].row()).encode())
        return data

    def dropMimeData(
        self, data: QMimeData, _action: Qt.DropAction, row: int, _column: int, _parent: object = None
    ) -> bool:
        """Have the job that was dragged begin before the one that it was dropped at; return that no row is removed."""
        moved = self.rows[int(bytes(data.data(_MIME).data()))]
        target = self.rows[row] if 0 <= row < len(self.rows) else None
        if isinstance(moved, Task) and moved.state == "waiting" and target is not moved:
            self._jobs.session.tasks.move(moved, target if isinstance(target, Task) else None)
        return False


class JobList(QObject):
    """The jobs, in a list above the status line."""

    def __init__(self, jobs: Jobs, parent: QWidget) -> None:
        super().__init__(parent)
        self.corner = CornerList(
            *("Jobs", "Jobs: what runs, what waits, what ended", _Rows(jobs), parent),
            fill=self.fill,
            press=self._press,
            size=(560, 380),
            below=44,
        )
        self._jobs = jobs
        self._open: EndedJob | None = None  # whose problems are listed below it
        self.corner.view.setSpacing(3)
        self.corner.view.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.corner.view.setDragDropOverwriteMode(False)
        self.corner.view.selectionModel().currentChanged.connect(lambda *_: self._allow())
        self.cancel_button = QPushButton("Cancel job")
        self.cancel_button.setToolTip("Stop this job; finished work is kept (Del)")
        self.cancel_button.clicked.connect(self.cancel)
        self.up_button = QPushButton("Move up")
        self.up_button.setToolTip("Begin this job before the one above it (Alt+Up, or drag)")
        self.up_button.clicked.connect(lambda: self.shift(-1))
        self.down_button = QPushButton("Move down")
        self.down_button.setToolTip("Begin this job after the one below it (Alt+Down, or drag)")
        self.down_button.clicked.connect(lambda: self.shift(1))
        self.again_button = QPushButton("Run again")
        self.again_button.setToolTip("Begin this job again (R); what it finished before is not done twice")
        self.again_button.clicked.connect(self.repeat)
        self.problems_button = QPushButton("Problems")
        self.problems_button.setToolTip("Show what this job could not do, and why (Enter)")
        self.problems_button.clicked.connect(self.turn_problems)
        self.clear_button = QPushButton("Clear finished")
        self.clear_button.clicked.connect(jobs.clear)
        for_waiting = [self.cancel_button, self.up_button, self.down_button]
        self.corner.add_buttons([*for_waiting, self.again_button, self.problems_button], [self.clear_button])
        self.corner.view.doubleClicked.connect(lambda _index: self.turn_problems())
        jobs.changed.connect(self.fill)

    def cancel(self) -> None:
        """Cancel the current job."""
        job: Task | EndedJob | None = self.corner.current()
        if isinstance(job, Task) and not job.stopping:
            self._jobs.session.tasks.cancel(job)

    def repeat(self) -> None:
        """Begin the current job again, where it can be repeated."""
        job = self._ended_job()
        if job is not None and job.again is not None:
            job.again()

    def turn_problems(self) -> None:
        """List the problems of the current job below it, or put them away."""
        job = self._ended_job()
        if job is not None and job.problems:
            self._open = None if self._open is job else job
            self.fill()

    def _ended_job(self) -> EndedJob | None:
        """Return the current job if it ended; of a problem that of its job."""
        job = self.corner.current()
        return self._open if isinstance(job, str) else job if isinstance(job, EndedJob) else None

    def shift(self, step: int) -> None:
        """Have the current job begin one place earlier (-1) or later (1) among those that wait."""
        job: Task | EndedJob | None = self.corner.current()
        waits = [task for task in self._jobs.under_way() if task.state == "waiting"]
        if not isinstance(job, Task) or job not in waits:
            return
        index = waits.index(job) + step
        if 0 <= index < len(waits):
            next_task = waits[index] if step < 0 else (waits[index + 1] if index + 1 < len(waits) else None)
            self._jobs.session.tasks.move(job, next_task)

    def fill(self) -> None:
        """Show the jobs, with the same one selected."""
        if not self.corner.isVisible():
            return
        job: Task | EndedJob | str | None = self.corner.current()
        rows: list[Task | EndedJob | str] = [*self._jobs.under_way()]
        for ended in self._jobs.ended:
            rows += [ended, *(ended.problems if ended is self._open else ())]
        if rows != self.corner.model.rows:
            row = max(0, self.corner.view.currentIndex().row())
            self.corner.model.show(rows)
            row = rows.index(job) if job in rows else min(row, len(rows) - 1)  # else what came into its place
            self.corner.view.setCurrentIndex(self.corner.model.index(row, 0))
        elif rows:
            self.corner.model.dataChanged.emit(self.corner.model.index(0, 0), self.corner.model.index(len(rows) - 1, 0))
        self.corner.show_head("Jobs" if rows else "No jobs yet")
        self.clear_button.setEnabled(bool(self._jobs.ended))
        self._allow()

    def _allow(self) -> None:
        job: Task | EndedJob | str | None = self.corner.current()
        waits, ended = isinstance(job, Task) and job.state == "waiting", self._ended_job()
        self.cancel_button.setEnabled(isinstance(job, Task) and not job.stopping)
        self.up_button.setEnabled(waits)
        self.down_button.setEnabled(waits)
        # What cannot be done with a job that ended gives its room to what can.
        for button in (self.cancel_button, self.up_button, self.down_button):
            button.setVisible(ended is None)
        self.again_button.setVisible(ended is not None and ended.again is not None)
        self.problems_button.setVisible(ended is not None and bool(ended.problems))
        if ended is not None:
            self.problems_button.setText(f"Problems ({len(ended.problems)})")

    def _press(self, event: QKeyEvent) -> bool:
        """Cancel by Delete, order by Alt and arrows; run again by R, show problems by Enter."""
        is_alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if event.key() == Qt.Key.Key_Delete:
            self.cancel()
        elif is_alt and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.shift(-1 if event.key() == Qt.Key.Key_Up else 1)
        elif event.key() == Qt.Key.Key_R and not event.modifiers():
            self.repeat()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.turn_problems()
        else:
            return False
        return True
