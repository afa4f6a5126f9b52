"""The small bar beside a selection, and the line for a note on it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QToolButton, QWidget

from gui_app.shared.layout import hbox, vbox


class SelectionBar(QFrame):
    """The actions on the selected text; ``noted(text)`` when a note was typed."""

    noted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self._box = QRect()
        self.setProperty("kind", "popup")
        self.setAccessibleName("What to do with the selected text")
        column = vbox(self, margins=(4, 4, 4, 4), spacing=4)
        self._row = hbox(spacing=4)
        column.addLayout(self._row)
        self.note = QLineEdit()
        self.note.setAccessibleName("Note on the quote")
        self.note.setPlaceholderText("Note on the quote; Enter saves both")
        self.note.installEventFilter(self)
        self.note.hide()
        column.addWidget(self.note)
        self.hide()

    def offer(self, action: QAction) -> None:
        """Add a button for a command."""
        button = QToolButton(self)
        button.setDefaultAction(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setAutoRaise(True)
        button.setAccessibleName(action.text())
        keys = action.shortcut().toString()
        button.setToolTip(f"{action.toolTip()}  {keys}".rstrip())
        action.changed.connect(lambda: button.setVisible(action.isVisible()))
        button.setVisible(action.isVisible())
        self._row.addWidget(button)

    def stand_by(self, box: QRect) -> None:
        """Stand below the selection, or above it where there is no room, inside the view."""
        self._box = box
        self.note.hide()
        self.note.clear()
        self._place()

    def ask_note(self, note: str = "") -> None:
        """Show the line for the note, with what is noted already."""
        self.note.setText(note)
        self.note.show()
        self._place()
        self.note.setFocus()
        self.note.selectAll()

    def _place(self) -> None:
        self.adjustSize()
        box, room = self._box, self._over.rect()
        left = min(max(8, box.center().x() - self.width() // 2), max(8, room.width() - self.width() - 8))
        top = box.bottom() + 8
        if top + self.height() > room.height() - 8:
            top = max(8, box.top() - self.height() - 8)
        self.move(left, top)
        self.show()
        self.raise_()

    def eventFilter(self, source: QObject, event: QEvent) -> bool:
        """Take Enter as the end of the note, and Escape as no note."""
        if source is self.note and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.noted.emit(self.note.text())
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.note.hide()
                self._over.setFocus()
                self._place()
                return True
        return super().eventFilter(source, event)
