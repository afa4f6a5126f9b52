"""The self-test in the window: a table that fills while every part of the program is tried on something small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QProgressBar, QPushButton, QWidget
from shiboken6 import isValid

from core.errors import AppError
from core.progress import Progress
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.formatting import counted
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.table import Table
from gui_app.shared.table_models import Index, Rows
from gui_app.tasks import Task, raise_on_window

if TYPE_CHECKING:
    from core.selftest.parts import Outcome, Part

_PART, _RESULT, _TIME, _NOTE = range(4)


class PartRows(Rows):
    """The parts that were tried so far, in their order."""

    COLUMNS = ("Part", "Result", "Time", "Details")
    NUMBERS = (_TIME,)
    rows: list[Part]

    def cell_data(self, part: Part, index: Index, role: int) -> Any:
        """Return what a role is of a cell."""
        column = index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                note = f"{part.note} {part.remedy}".strip()
                return (part.name, part.state, f"{part.seconds:.2f} s", note)[column]
            case Qt.ItemDataRole.FontRole if not part.ok:
                return theme.sans(bold=True)
            case Qt.ItemDataRole.ForegroundRole if column != _PART:
                tokens = theme.tokens()
                if not part.ok:
                    return QColor(tokens.contradicts)
                return QColor(tokens.text if part.state == "ok" and column == _RESULT else tokens.muted)
        return None


class SelfTestDialog(QDialog):
    """A self-test that begins when the dialog opens, can be cancelled, begun again, and copied as a table."""

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._task: Task | None = None
        self._parts: list[Part] = []  # filled by the working thread
        self.setWindowTitle("Self-test")
        column = vbox(self, margins=(24, 20, 24, 16), spacing=8)
        column.addWidget(plain("Self-test", "title"))
        explanation = (
            "Tries every part of the program on small files of its own: every reader, both OCR engines, the "
            "models, a search, a quote, a matrix, every form of the report, and what each process is barred from. "
            "Your cases are not touched."
        )
        column.addWidget(plain(explanation, "muted", wrap=True))
        column.addSpacing(4)
        self.rows = PartRows(self)
        self.table = Table(self.rows, "Parts of the program, and whether each works")
        self.table.widths([240, 104, 72, 0], stretch=_NOTE)
        self.table.wrap()
        column.addWidget(line())
        column.addWidget(self.table, 1)
        column.addWidget(line())
        self.sentence = plain("", "strong", wrap=True)
        column.addWidget(self.sentence)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Parts tried")
        column.addWidget(self.bar)
        column.addSpacing(4)
        column.addLayout(self._buttons())
        room = parent.window().height() - 32 if parent is not None else theme.px(720)
        wide = parent.window().width() - 64 if parent is not None else theme.px(900)
        self.resize(min(theme.px(900), wide), min(theme.px(720), room))
        self.begin()

    def _buttons(self) -> QHBoxLayout:
        row = hbox(spacing=8)
        self.copy_button = QPushButton("Copy")
        self.copy_button.setAccessibleName("Copy the table")
        self.copy_button.setToolTip("Copy the table as text, to report it")
        self.copy_button.setShortcut("Ctrl+Shift+C")
        self.copy_button.clicked.connect(self.copy)
        self.again_button = QPushButton("Test again")
        self.again_button.clicked.connect(self.begin)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setAccessibleName("Cancel the self-test")
        self.cancel_button.clicked.connect(self.cancel)
        self.close_button = QPushButton("Close")
        self.close_button.clicked.connect(self.reject)
        for button in (self.copy_button, self.again_button):
            row.addWidget(button)
        row.addStretch(1)
        for button in (self.cancel_button, self.close_button):
            row.addWidget(button)
        self.close_button.setDefault(True)
        return row

    def begin(self) -> None:
        """Try every part, after what else is running."""
        if self._task is not None:
            return
        self._parts = []
        parts = self._parts
        self.rows.show([])
        engines = self.session.engines

        def work(progress: Progress) -> Outcome:
            from core.selftest import service  # loaded with the first self-test

            return service.run(engines, progress, parts.append)

        self._task = task = self.session.tasks.start("Self-test", work, self._over)
        task.progressed.connect(self._show)
        self._enable()
        self._show()

    def _show(self) -> None:
        """Show the parts that are over, and which is under way."""
        task = self._task
        if task is None or not isValid(self):
            return
        if len(self._parts) != len(self.rows.rows):
            self._show_parts()
        self.bar.setRange(0, task.total)
        self.bar.setValue(min(task.count, task.total))
        words = "Waiting for what is running" if task.state == "waiting" else task.what
        self.sentence.setText("Stopping…" if task.stopping else f"{words}…")

    def _show_parts(self) -> None:
        """Show the parts that are over, the last of them whole."""
        self.rows.show(list(self._parts))
        self.table.fit_rows()
        self.table.scrollToBottom()

    def _over(self, task: Task) -> None:
        if not isValid(self):
            return
        self._task = None
        self._show_parts()
        failures = [index for index, part in enumerate(self._parts) if not part.ok]
        if failures:
            self.table.selectRow(failures[0])
            self.table.scrollTo(self.rows.index(failures[0], 0))
        if task.state == "done":
            outcome: Outcome = task.result
            self.sentence.setText(outcome.sentence())
        elif task.state == "cancelled":
            self.sentence.setText(f"Cancelled after {counted(len(self._parts), 'part')}.")
        elif isinstance(task.error, AppError):
            self.sentence.setText(f"{task.error.sentence} {task.error.hint}")
        self._enable()
        self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)
        if task.error is not None and not isinstance(task.error, AppError):
            raise_on_window(task.error)

    def _enable(self) -> None:
        is_running = self._task is not None
        self.bar.setVisible(is_running)
        self.cancel_button.setVisible(is_running)
        self.again_button.setEnabled(not is_running)

    def cancel(self) -> None:
        """Stop at the next part, or inside one that takes its time."""
        if self._task is not None:
            self.session.tasks.cancel(self._task)
            self._show()

    def copy(self) -> None:
        """Put the table and how it ended on the clipboard."""
        lines = [text for part in self._parts for text in part.lines()]
        QGuiApplication.clipboard().setText("\n".join([*lines, self.sentence.text()]))
        self.session.tell("Copied")

    def done(self, result: int) -> None:
        """Close; what is still running is cancelled."""
        self.cancel()
        super().done(result)
