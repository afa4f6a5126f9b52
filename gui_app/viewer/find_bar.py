"""The bar for finding words in a document while they are typed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget

from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox

PAUSE_MS = 120  # between the last key and the search


class FindBar(QWidget):
    """A field with the count of hits and buttons to step among them.

    ``wanted(text)`` while typing; ``step(1 or -1)`` for Enter and Shift+Enter; ``closed()`` for Escape.
    """

    wanted = Signal(str)
    step = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setAccessibleName("Find in this document")
        self.field.setPlaceholderText("Find in this document")
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        self.count = plain("", "muted")
        self.count.setMinimumWidth(72)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(PAUSE_MS)
        self._soon.timeout.connect(lambda: self.wanted.emit(self.field.text()))
        self.field.textChanged.connect(lambda _text: self._soon.start())
        row = hbox(self, margins=(16, 8, 16, 8))
        row.addWidget(self.field, 1)
        row.addWidget(self.count)
        for picture, name, slot in (
            ("up", "Previous hit", lambda: self.step.emit(-1)),
            ("down", "Next hit", lambda: self.step.emit(1)),
            ("cross", "Close the search", self.closed.emit),
        ):
            row.addWidget(_button(picture, name, slot))
        self.hide()

    def open(self) -> None:
        """Show the bar, and search for what is in it."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        if self.field.text().strip():
            self._soon.start()

    def again(self) -> None:
        """Search again soon: another document is on show."""
        self._soon.start()

    def rest(self) -> None:
        """Search no more for now: a hit was gone to."""
        self._soon.stop()

    def tell(self, text: str) -> None:
        """Show the count of hits, and read it out where it is new."""
        if text != self.count.text():
            self.count.setText(text)
            announce(self, text)

    def eventFilter(self, source: QObject, event: QEvent) -> bool:
        """Take Enter as a step and Escape as the end."""
        if source is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.step.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
        return super().eventFilter(source, event)


def _button(picture: str, name: str, slot: object) -> QToolButton:
    button = QToolButton()
    theme.set_icon(button, picture)
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setAutoRaise(True)
    button.clicked.connect(slot)
    return button
