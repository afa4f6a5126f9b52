"""The question before documents go that something rests on: exactly which rows, cells, documents and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gui_app.shared import theme
from gui_app.shared.formatting import counted
from gui_app.shared.labels import plain

_MOST = 200  # lines of one part


@dataclass(frozen=True, slots=True)
class Removal:
    """What would go, in words: documents asked for, documents found in them, rows with their ratings, and what is said
    because of them.
    """

    documents: tuple[str, ...]
    children: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    cells: int = 0
    proposals: int = 0
    judged: int = 0
    sentences: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()


class RemoveDialog(QDialog):
    """Accepted when all of it is to go."""

    def __init__(self, going: Removal, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Remove documents")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        if len(going.documents) == 1:
            title = f"Remove {going.documents[0]} and what rests on it?"
        else:
            title = "Remove {} and what rests on them?".format(counted(len(going.documents), "document"))
        column.addWidget(plain(title, "title", wrap=True))
        inside = QWidget()
        body = QVBoxLayout(inside)
        body.setContentsMargins(0, 0, 12, 0)
        body.setSpacing(6)
        cells = f", {counted(going.cells, 'rated cell')}" if going.cells else ""
        self._part(body, "FOUND INSIDE, AND REMOVED TOO", going.children)
        self._part(body, f"ROWS OF THE MATRIX: {len(going.rows)}{cells}", going.rows)
        beside = []
        if going.proposals:
            beside.append(counted(going.proposals, "proposal"))
        if going.judged:
            beside.append(counted(going.judged, "passage") + " judged for the search")
        self._part(body, "ALSO", beside)
        self._part(body, "WHAT THESE ROWS DECIDE", going.sentences)
        self._part(body, "REPORTS ALREADY WRITTEN WITH THESE ROWS", going.reports)
        body.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        column.addWidget(scroll, 1)
        told = "One Undo restores all of it. The files themselves stay in the case, so this is not a way to erase them."
        column.addWidget(plain(told, "muted", wrap=True))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        self.keep = QPushButton("Keep everything")
        self.keep.clicked.connect(self.reject)
        self.go = QPushButton("Remove all of it")
        self.go.setProperty("kind", "primary")
        self.go.clicked.connect(self.accept)
        self.keep.setDefault(True)
        self.go.setAutoDefault(False)
        row.addWidget(self.keep)
        row.addWidget(self.go)
        column.addLayout(row)
        self.resize(theme.px(560), theme.px(440))

    @staticmethod
    def _part(body: QVBoxLayout, head: str, lines: Sequence[str]) -> None:
        if lines:
            body.addWidget(plain(head, "section"))
            shown = [*lines[:_MOST], *([f"… (+{len(lines) - _MOST:,})"] if len(lines) > _MOST else [])]
            for text in shown:
                body.addWidget(plain(text, "", wrap=True, selectable=True))
            body.addSpacing(8)


def ask_removal(parent: QWidget, going: Removal) -> bool:
    """Whether all of it is to go."""
    return RemoveDialog(going, parent).exec() == QDialog.DialogCode.Accepted
