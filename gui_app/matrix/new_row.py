"""The line below the grid in which evidence is added in the person's own words."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from gui_app.shared.layout import hbox


class NewRow(QWidget):
    """A text and its source. ``add_wanted(text, source)`` by Enter or by its button."""

    add_wanted = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QLineEdit()
        self.text.setPlaceholderText("Add evidence in your own words")
        self.text.setAccessibleName("Evidence in your own words")
        self.source = QLineEdit()
        self.source.setPlaceholderText("Source")
        self.source.setAccessibleName("Source of the evidence")
        self.source.setMaximumWidth(220)
        self.button = QPushButton("Add")
        self.button.clicked.connect(lambda _on=False: self._add())
        for line in (self.text, self.source):
            line.returnPressed.connect(self._add)
        row = hbox(self, margins=(16, 8, 16, 8), spacing=8)
        row.addWidget(self.text, 3)
        row.addWidget(self.source, 1)
        row.addWidget(self.button)

    def allow(self, writable: bool) -> None:
        """Take new evidence, or none in a case that is open for viewing only."""
        for widget in (self.text, self.source, self.button):
            widget.setEnabled(writable)

    def clear(self) -> None:
        """Empty the fields for the next row."""
        for line in (self.text, self.source):
            line.setText("")  # unlike clear(), leaves Ctrl+Z to the case: it takes back the evidence

    def _add(self) -> None:
        text = self.text.text().strip()
        if text:
            self.add_wanted.emit(text, self.source.text().strip())
        else:
            self.text.setFocus()
