"""The question before documents are erased for good: what goes, what stays, and which copies still hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDialog, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gui_app.shared import theme
from gui_app.shared.formatting import counted
from gui_app.shared.labels import line, plain

_MAX_LINES = 100  # of one part
_MAX_CUT_TEXTS = 10


@dataclass(frozen=True, slots=True)
class EraseQuestion:
    """The things that would go for good and those that would stay, in words.

    ``rows`` are withdrawn with their ``cells``; ``holders`` and ``reports`` stay and may hold the same words.
    ``backups`` and ``copies`` are names of files. ``cut_texts`` are texts of people that lose words copied from them.
    """

    documents: tuple[str, ...]
    children: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    cells: int = 0
    results: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    cut_texts: tuple[str, ...] = ()


class EraseDialog(QDialog):
    """Accepted when it is all to go; ``with_backups`` says whether the backups go too."""

    def __init__(self, question: EraseQuestion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Erase for good")
        is_single = len(question.documents) == 1
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        subject = question.documents[0] if is_single else counted(len(question.documents), "document")
        column.addWidget(plain(f"Erase {subject} for good?", "title", wrap=True))
        column.addWidget(plain("This cannot be undone, not even from this program’s history.", "strong", wrap=True))
        content = QWidget()
        self._body = QVBoxLayout(content)
        self._body.setContentsMargins(0, 0, 12, 0)
        self._body.setSpacing(6)
        self._part("WHICH", () if is_single else question.documents)
        self._part("WHAT GOES", self._going(question, is_single=is_single))
        self._part("ALSO ERASED: FOUND INSIDE", question.children)
        cells = f", {counted(question.cells, 'rating')}" if question.cells else ""
        self._part(f"WITHDRAWN, AND NO LONGER COUNTED: {counted(len(question.rows), 'row')}{cells}", question.rows)
        self._part("WORDS CUT OUT OF YOUR OWN TEXTS", question.cut_texts, _MAX_CUT_TEXTS)
        self._part("WHAT STAYS", self._staying(question, is_single=is_single))
        self._part("KEPT, BUT MAY CONTAIN THE SAME WORDS", (*question.holders, *question.reports, *question.copies))
        self._body.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setAccessibleName("What goes and what stays")
        scroll.setWidget(content)
        column.addWidget(scroll, 1)
        column.addWidget(line())
        has_several = len(question.backups) != 1
        them = "it" if is_single else "them"
        holding = (
            f"the {len(question.backups)} backups that still contain {them}"
            if has_several
            else f"the backup that still contains {them}"
        )
        self.backups = QCheckBox(f"Delete {holding}, and make a new one")
        self.backups.setToolTip("\n".join(question.backups[:20]))
        self.backups.setChecked(True)
        self.backups.setVisible(bool(question.backups))
        column.addWidget(self.backups)
        self.sure = QCheckBox("I want this gone and know that it cannot be brought back")
        column.addWidget(self.sure)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        self.keep = QPushButton("Keep everything")
        self.keep.clicked.connect(self.reject)
        self.keep.setDefault(True)
        self.go = QPushButton("Erase for good")
        self.go.setProperty("kind", "primary")
        self.go.setEnabled(False)
        self.go.clicked.connect(self.accept)
        self.sure.toggled.connect(self.go.setEnabled)
        row.addWidget(self.keep)
        row.addWidget(self.go)
        column.addLayout(row)
        self.resize(theme.px(600), theme.px(560))

    @property
    def with_backups(self) -> bool:
        """Return whether the backups that hold it go too."""
        return self.backups.isVisibleTo(self) and self.backups.isChecked()

    @staticmethod
    def _going(question: EraseQuestion, *, is_single: bool) -> list[str]:
        lines = [
            f"The {'file' if is_single else 'files'}, all text, what OCR read, passages, the search index, tags and "
            "notes, proposals and stored passwords."
        ]
        if question.results:
            lines.append(f"Answers, conflicts and audits that use it: {', '.join(question.results)}")
        if question.names:
            lines.append(f"Names that occur in no other document: {', '.join(question.names)}")
        return lines

    @staticmethod
    def _staying(question: EraseQuestion, *, is_single: bool) -> list[str]:
        it, them = ("it", "it") if is_single else ("they", "them")
        lines = [
            f"The log still says that {it} {'was' if is_single else 'were'} in the case, with the SHA-256 of each "
            f"file, and who erased {them} when; {'its' if is_single else 'their'} words are blanked there.",
            f"Your own notes and hypotheses stay; stretches of five or more words copied from {them} are blanked.",
        ]
        if question.rows:
            lines.append(f"Rows that quoted {them} stay in the matrix as withdrawn, without the quote.")
        return lines

    def _part(self, head: str, lines: Sequence[str], limit: int = _MAX_LINES) -> None:
        if lines:
            self._body.addWidget(plain(head, "section"))
            more = [f"… (+{len(lines) - limit:,})"] if len(lines) > limit else []
            for text in [*lines[:limit], *more]:
                self._body.addWidget(plain(text, "", wrap=True, selectable=True))
            self._body.addSpacing(8)


def ask_erasure(parent: QWidget, question: EraseQuestion) -> bool | None:
    """Ask whether it is all to go: whether with the backups; None for no."""
    dialog = EraseDialog(question, parent)
    return dialog.with_backups if dialog.exec() == QDialog.DialogCode.Accepted else None
