"""What is to be decided, with the commands that decide it and a note below."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from gui_app.session import CaseSession
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.header import decisions
from gui_app.shared.labels import line
from gui_app.shared.layout import hbox, vbox


class DecisionPanel(QWidget):
    """A view above a note and buttons for ``actions`` (command, text). ``note_written(str)`` on Enter in the note."""

    note_written = Signal(str)

    def __init__(self, session: CaseSession, view: QWidget, actions: Iterable[tuple[QAction, str]]) -> None:
        super().__init__()
        column = vbox(self, spacing=0)
        column.addWidget(view, 1)
        column.addWidget(line())
        bar = hbox(margins=(24, 8, 24, 8), spacing=8)
        self.note_field = QLineEdit()
        self.note_field.setPlaceholderText("Reason (N)")
        self.note_field.setAccessibleName("Note on the decision")
        self.note_field.setMaxLength(1_000)
        self.note_field.returnPressed.connect(lambda: self.note_written.emit(self.note()))
        bar.addWidget(self.note_field, 1)
        self.buttons: list[QPushButton] = list(decisions((action, text, "") for action, text in actions))
        for widget in self.buttons:
            bar.addWidget(widget)
        column.addLayout(bar)
        self.draft = FieldDraft(session, self.note_field)

    def note(self) -> str:
        """Return the note on the decision."""
        return self.note_field.text().strip()

    def show_note(self, place: str, note: str) -> None:
        """Show the note on a decision; what is being typed at the same place stays."""
        if place != self.draft.place or not self.note_field.isModified():
            self.note_field.setText(note)
        self.draft.begin(place)

    def write_note(self) -> None:
        """Put the cursor into the note."""
        self.note_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.note_field.selectAll()
