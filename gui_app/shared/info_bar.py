"""A quiet line above what it speaks of: a sentence, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from gui_app.shared.announce import announce
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox


class InfoBar(QWidget):
    """A line with a sentence and buttons, hidden until it has something to say; ``above`` is the room over it."""

    def __init__(self, parent: QWidget | None = None, *, above: int = 0) -> None:
        super().__init__(parent)
        outer = hbox(self, margins=(16, above, 16, 8))
        frame = QFrame()
        frame.setProperty("kind", "note")
        self._row = hbox(frame, margins=(12, 4, 8, 4), spacing=8)
        self.text = plain(wrap=True)
        self._row.addWidget(self.text, 1)
        outer.addWidget(frame)
        self.hide()

    def add_button(self, text: str, slot: Callable[[], object]) -> QPushButton:
        """Add a button at the right."""
        button = QPushButton(text)
        button.setAutoDefault(True)  # Enter presses it as well as Space
        button.clicked.connect(lambda *_: slot())
        self._row.addWidget(button)
        return button

    def say(self, text: str) -> None:
        """Show a sentence, and read it out where it is new."""
        if text != self.text.text() or not self.isVisible():
            announce(self, text)
        self.text.setText(text)
        self.show()
