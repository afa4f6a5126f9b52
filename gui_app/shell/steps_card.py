"""What a long job of several steps is at, in the middle of the window, with a way to cancel it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QProgressBar, QPushButton, QWidget

from gui_app.shared import theme
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox, vbox
from gui_app.tasks import Task

WIDTH = 500


class StepsCard(QFrame):
    """Floats over the middle of its parent while a job runs; the rest of the window can be used meanwhile."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._around = parent
        self._task: Task | None = None
        self._step: Callable[[], int] = lambda: 0
        self.setProperty("kind", "popup")
        column = vbox(self, margins=(24, 20, 24, 20), spacing=12)
        self.title = plain("", "heading")
        column.addWidget(self.title)
        self.sentence = plain("", "muted", wrap=True)
        column.addWidget(self.sentence)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnMinimumWidth(2, self.fontMetrics().horizontalAdvance("000 of 000"))  # steps keep their room
        column.addLayout(self._grid)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        column.addWidget(self.bar)
        row = hbox()
        row.addStretch(1)
        self.instead = QPushButton()
        row.addWidget(self.instead)
        self.cancel = QPushButton("Cancel")
        row.addWidget(self.cancel)
        column.addLayout(row)
        self.steps: list[tuple[QLabel, QLabel, QLabel]] = []  # mark, words, count
        parent.installEventFilter(self)
        theme.changed.connect(self._restyled)
        self.hide()

    def follow(
        self,
        task: Task,
        steps: Sequence[str],
        step: Callable[[], int],
        sentence: str,
        cancel: Callable[[Task], object],
        *,
        stop: str = "Cancel",
        instead: tuple[str, Callable[[], object]] | None = None,
    ) -> None:
        """Show this job until it ends; ``step()`` is the number of the step under way.

        ``stop`` names the button that cancels it, ``instead`` another one and what it does.
        """
        for labels in self.steps:
            for label in labels:
                label.deleteLater()
        self.steps = []
        for row, words in enumerate(steps):
            labels = plain("", "muted"), plain(words, wrap=True), plain("", "muted")
            for place, label in enumerate(labels):
                self._grid.addWidget(label, row, place, Qt.AlignmentFlag.AlignTop)
            self.steps.append(labels)
        self._task, self._step = task, step
        self.title.setText(task.title)
        self.sentence.setText(sentence)
        self.setAccessibleName(task.title)
        self.cancel.setText(stop)
        self.cancel.setAccessibleName(f"{stop}: {task.title}")
        self.cancel.setEnabled(True)
        self.instead.setVisible(instead is not None)
        if instead is not None:
            self.instead.setText(instead[0])
            self.instead.clicked.connect(instead[1])
        self.cancel.clicked.connect(lambda: cancel(task))
        task.progressed.connect(self._show)
        task.ended.connect(self._ended)
        self._show()
        self.show()
        self._place()
        self.raise_()
        self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(self) -> None:
        task = self._task
        if task is None:
            return
        under_way = self._step()
        for step, (mark, words, count) in enumerate(self.steps):
            mark.setText("\u2713" if step < under_way else "\u2022" if step == under_way else "")
            words.setProperty("role", "strong" if step == under_way else "muted" if step > under_way else "")
            words.style().polish(words)
            progress = f"{task.count} of {task.total}" if step == under_way and task.total else ""
            count.setText(progress)
        self.bar.setRange(0, task.total)
        self.bar.setValue(min(task.count, task.total))
        if task.stopping:
            self.title.setText(f"{task.title}: stopping")
            self.cancel.setEnabled(False)

    def _ended(self) -> None:
        self._task = None
        self.cancel.clicked.disconnect()
        if self.instead.isVisibleTo(self):
            self.instead.clicked.disconnect()
        self.hide()

    def eventFilter(self, _object: QObject, event: QEvent) -> bool:
        """Keep the card in the middle when the window gets another size."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _restyled(self) -> None:
        if self.isVisible():
            self._place()

    def _place(self) -> None:
        self.setFixedWidth(min(theme.px(WIDTH), self._around.width() - 48))
        self.adjustSize()
        self.move((self._around.width() - self.width()) // 2, max(0, (self._around.height() - self.height()) // 2))
