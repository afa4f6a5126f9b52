"""What came in with a matrix made elsewhere and what did not: a bar above the screen. Never modal.

Where a file holds several matrices, the same bar asks which.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QPushButton, QScrollArea, QSizePolicy, QToolButton, QWidget

from core.errors import Problem, SeveralMatrices
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.formatting import counted
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox, vbox

if TYPE_CHECKING:
    from core.matrix.service import MatrixImport

VERB = "import matrix"  # what the log calls it
_HIGHEST = 224  # pixels of the list at the default text size


class _Lines(QScrollArea):
    """Text that scrolls where it is long, and takes no more room than it needs where it is short."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._inside = inside = QWidget()
        inside.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self.column = vbox(inside, margins=(0, 0, 8, 0), spacing=4)
        self.setWidget(inside)

    def fit(self) -> None:
        inside = self._inside
        width = max(200, self.viewport().width())
        height = inside.heightForWidth(width) if inside.hasHeightForWidth() else inside.sizeHint().height()
        self.setFixedHeight(min(theme.px(_HIGHEST), height))

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.fit()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())


class MatrixReport(QFrame):
    """``chosen(path, name)`` when one of several matrices was picked; ``undo`` when all of it shall go again."""

    chosen = Signal(object, str)
    undo = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "note")
        # What is free below it belongs to the screen.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("Import of a matrix")
        self.path = Path()
        column = vbox(self, margins=(16, 8, 8, 8), spacing=4)
        top = hbox(spacing=8)
        self.sentence = plain("", "strong", wrap=True, selectable=True)
        top.addWidget(self.sentence, 1)
        self.undo_button = QPushButton("Undo import")
        self.undo_button.setAccessibleName("Undo the whole import")
        self.undo_button.clicked.connect(self._undone)
        top.addWidget(self.undo_button, 0, Qt.AlignmentFlag.AlignTop)
        self.close_button = QToolButton()
        theme.set_icon(self.close_button, "cross")
        self.close_button.setAccessibleName("Dismiss this report")
        self.close_button.setToolTip("Dismiss (Esc)")
        self.close_button.clicked.connect(self.hide)
        top.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(top)
        self._question = QWidget()
        ask = hbox(self._question, spacing=8)
        self.matrices = QComboBox()
        self.matrices.setAccessibleName("Which matrix of the file")
        self.matrices.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.matrices.setMinimumContentsLength(40)
        ask.addWidget(self.matrices, 0)
        self.take_button = QPushButton("Import this one")
        self.take_button.clicked.connect(self._picked)
        ask.addWidget(self.take_button)
        ask.addStretch(1)
        column.addWidget(self._question)
        self.lines = _Lines()
        self.problems_title = plain("", "section")
        self.problems = plain("", "", wrap=True, selectable=True)
        self.left_out_title = plain("Left out", "section")
        self.left_out = plain("", "", wrap=True, selectable=True)
        for label in (self.problems_title, self.problems, self.left_out_title, self.left_out):
            self.lines.column.addWidget(label)
        self.lines.column.addStretch(1)
        column.addWidget(self.lines)
        self.hide()

    def begin(self, path: Path) -> None:
        """Another file is being read: what the bar says is about an older one."""
        self.path = path
        self.hide()

    def tell(self, came: MatrixImport) -> None:
        """Show what was read, then what was not."""
        matches = f" ({came.matches} of them already in the case)" if came.matches and came.hypotheses else ""
        gaps = ", {} left unrated".format(counted(came.open_cells, "cell")) if came.open_cells else ""
        self.sentence.setText(
            "“{title}” was imported from {file} ({format}): "
            "{hypotheses}{matched}, {evidence}, {ratings}{unrated}.".format(
                title=came.title,
                file=came.file,
                format=came.format,
                hypotheses=counted(came.hypotheses, "hypothesis", "hypotheses"),
                matched=matches,
                evidence=counted(came.evidence, "piece of evidence", "pieces of evidence"),
                ratings=counted(came.ratings, "rating"),
                unrated=gaps,
            )
        )
        self._list(self.problems_title, self.problems, [_line(problem) for problem in came.problems])
        self.problems_title.setText(f"Different from the file ({len(came.problems)})")
        self._list(self.left_out_title, self.left_out, came.left_out)
        self.lines.setVisible(bool(came.problems or came.left_out))
        self._question.hide()
        self.undo_button.show()
        self._appear()

    def follow(self, undo: str, redo: str) -> None:
        """Follow the last decision and the one taken back: the button undoes this import and nothing else."""
        if self._question.isHidden():
            self.undo_button.setVisible(undo == VERB)
            if redo == VERB:  # it is gone
                self.hide()

    def offer(self, error: SeveralMatrices) -> None:
        """Ask which of several matrices is meant; nothing has come in yet."""
        self.matrices.clear()
        for choice in str(error.details.get("choices", "")).splitlines():
            name, _, title = choice.partition("\t")
            self.matrices.addItem(f"{name}: {title}" if title and title != name else name, name)
        self.sentence.setText(
            "{file} contains {count} matrices. Which one should be imported?".format(
                file=self.path.name, count=error.details.get("count", self.matrices.count())
            )
        )
        self.lines.hide()
        self.undo_button.hide()
        self._question.show()
        self._appear()
        self.matrices.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.isVisible():
            self.lines.fit()

    def _appear(self) -> None:
        self.show()
        self.lines.fit()
        announce(self, self.sentence.text())

    @staticmethod
    def _list(title: QLabel, label: QLabel, lines: list[str] | tuple[str, ...]) -> None:
        label.setText("\n".join(lines))
        for part in (title, label):
            part.setVisible(bool(lines))

    def _picked(self) -> None:
        self.chosen.emit(self.path, str(self.matrices.currentData() or ""))

    def _undone(self) -> None:
        self.hide()
        self.undo.emit()


def _line(problem: Problem) -> str:
    return f"{problem.where}: {problem.what} {problem.hint}"
