"""The question before documents go that something rests on: exactly which rows, cells, documents and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gui_app.shared import theme
from gui_app.shared.formatting import counted
from gui_app.shared.labels import plain

_MAX_LINES = 200  # of one part


@dataclass(frozen=True, slots=True)
class Removal:
    """The things that would go, in words.

    That is documents asked for, documents found in them, rows with their ratings, and what is said because of them.
    """

    documents: tuple[str, ...]
    children: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    cells: int = 0
    proposals: int = 0
    judgements: int = 0
    sentences: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()


class RemoveDialog(QDialog):
    """Accepted when all of it is to go."""

    def __init__(self, removal: Removal, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Remove documents")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        if len(removal.documents) == 1:
            title = f"Remove {removal.documents[0]} and what rests on it?"
        else:
            title = "Remove {} and what rests on them?".format(counted(len(removal.documents), "document"))
        column.addWidget(plain(title, "title", wrap=True))
        content = QWidget()
        body = QVBoxLayout(content)
        body.setContentsMargins(0, 0, 12, 0)
        body.setSpacing(6)
        cells = f", {counted(removal.cells, 'rated cell')}" if removal.cells else ""
        self._part(body, "FOUND INSIDE, AND REMOVED TOO", removal.children)
        self._part(body, f"ROWS OF THE MATRIX: {len(removal.rows)}{cells}", removal.rows)
        lines_beside = []
        if removal.proposals:
            lines_beside.append(counted(removal.proposals, "proposal"))
        if removal.judgements:
            lines_beside.append(counted(removal.judgements, "passage") + " judged for the search")
        self._part(body, "ALSO", lines_beside)
        self._part(body, "WHAT THESE ROWS DECIDE", removal.sentences)
        self._part(body, "REPORTS ALREADY WRITTEN WITH THESE ROWS", removal.reports)
        body.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        column.addWidget(scroll, 1)
        note = "One Undo restores all of it. The files stay in the case; to take them out of it, erase them for good."
        column.addWidget(plain(note, "muted", wrap=True))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        self.keep = QPushButton("Keep everything")
        self.keep.clicked.connect(self.reject)
        self.go = QPushButton("Remove all of it")
        self.go.setProperty("kind", "primary")
        self.go.clicked.connect(self.accept)
        self.keep.setDefault(True)
        row.addWidget(self.keep)
        row.addWidget(self.go)
        column.addLayout(row)
        self.resize(theme.px(560), theme.px(440))

    @staticmethod
    def _part(body: QVBoxLayout, head: str, lines: Sequence[str]) -> None:
        if lines:
            body.addWidget(plain(head, "section"))
            texts = [*lines[:_MAX_LINES], *([f"… (+{len(lines) - _MAX_LINES:,})"] if len(lines) > _MAX_LINES else [])]
            for text in texts:
                body.addWidget(plain(text, "", wrap=True, selectable=True))
            body.addSpacing(8)


def ask_removal(parent: QWidget, removal: Removal) -> bool:
    """Ask whether all of it is to go."""
    return RemoveDialog(removal, parent).exec() == QDialog.DialogCode.Accepted
