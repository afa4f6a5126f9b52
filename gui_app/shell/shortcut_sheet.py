"""Ctrl+/: the keys of the screen on show and of the whole window, on one sheet."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget

from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox, scrolled, vbox


def keys_of(action: QAction) -> str:
    """Return the shortcuts of a command as a person reads them."""
    keys = [sequence.toString() for sequence in action.shortcuts()]
    key_texts = [key.strip() for key in (action.property("shown_keys") or "").split(", ")]
    return ", ".join(dict.fromkeys(filter(None, [*keys, *key_texts])))


class ShortcutSheet(QDialog):
    """Two columns: this screen, everywhere."""

    def __init__(
        self, screen: str, of_screen: Sequence[QAction], everywhere: Sequence[QAction], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Shortcuts")
        column = vbox(self, margins=(24, 20, 24, 16), spacing=16)
        column.addWidget(plain("Shortcuts", "title"))
        inside = QWidget()
        both = hbox(inside, margins=(0, 0, 16, 0), spacing=32)
        both.addLayout(_list(screen, of_screen), 1)
        both.addWidget(line(vertical=True))
        both.addLayout(_list("Everywhere", everywhere), 1)
        column.addWidget(scrolled(inside, "List of shortcuts"), 1)
        foot = hbox()
        foot.addWidget(plain("Every command is also in Ctrl+K. F1 opens the handbook.", "muted"), 1)
        close = QPushButton("Close")
        close.clicked.connect(self.accept)
        close.setDefault(True)
        foot.addWidget(close)
        column.addLayout(foot)
        self.resize(760, 640)


def _list(title: str, actions: Sequence[QAction]) -> QVBoxLayout:
    column = vbox(spacing=10)
    column.addWidget(plain(title.upper(), "section"))
    rows = vbox(spacing=7)
    for action in actions:
        if keys_of(action):
            # A row of its own each: in a grid one command with many keys would take the room of all the names.
            row = hbox(spacing=16)
            row.addWidget(plain(action.text(), "", wrap=True), 1)
            row.addWidget(plain(keys_of(action), "muted"), 0, Qt.AlignmentFlag.AlignTop)
            rows.addLayout(row)
    if rows.count() == 0:
        rows.addWidget(plain("No shortcuts of its own.", "muted"))
    column.addLayout(rows)
    column.addStretch(1)
    return column
