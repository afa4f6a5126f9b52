"""Everything that the window has said, with its time: a list behind the bell, where what can be undone still can."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListView, QPushButton, QWidget

from core.errors import AppError
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.table_models import ListRows

MOST = 200  # messages kept
WIDTH, HEIGHT = 440, 360  # pixels of the list at the usual text size


@dataclass(frozen=True, slots=True)
class Message:
    """Something that was said. ``decision``: the number of the decision that its Undo takes back; 0: none."""

    at: str
    text: str
    decision: int = 0
    is_error: bool = False


class Messages(QObject):
    """The messages since the program began, newest first. ``changed()`` when there is more; ``unread`` counts."""

    changed = Signal()

    def __init__(self, session: CaseSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.all: list[Message] = []
        self.unread = 0
        session.told.connect(lambda text, undo: self.add(text, decision=session.undoable() if undo else 0))
        session.taken_back.connect(lambda text: self.add(text, is_news=False))
        session.told_at_length.connect(lambda sentence, rest: self.add(f"{sentence} {rest}".strip(), is_news=False))
        session.decided.connect(lambda text: self.add(text, decision=session.undoable()))
        session.status.connect(lambda text: self.add(text, is_news=False))
        session.failed.connect(self._failed)
        session.opened.connect(self._forget_decisions)

    def add(self, text: str, *, decision: int = 0, is_error: bool = False, is_news: bool = True) -> None:
        """Keep a message; one that only says again what was said last is no other.

        One that is no news is not counted as unread: it answers a key that was just pressed.
        """
        if not text or (self.all and self.all[0].text == text and self.all[0].decision == decision):
            return
        self.all.insert(0, Message(f"{datetime.now().astimezone():%H:%M}", text, decision, is_error))
        del self.all[MOST:]
        self.unread += is_news
        self.changed.emit()

    def look(self) -> None:
        """Count every message as read."""
        self.unread = 0
        self.changed.emit()

    def clear(self) -> None:
        """Forget every message."""
        self.all.clear()
        self.look()

    def can_undo(self, message: Message) -> bool:
        """Tell whether what a message is about is the last decision still."""
        return bool(message.decision) and message.decision == self._session.undoable()

    def _failed(self, error: AppError) -> None:
        self.add(error.sentence, is_error=True)

    def _forget_decisions(self) -> None:
        """Offer no Undo for decisions of another case."""
        self.all = [Message(one.at, one.text, 0, one.is_error) for one in self.all]
        self.changed.emit()


class _Rows(ListRows):
    def role_data(self, message: Message, at: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{message.at}   {message.text}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return message.text
        if role == Qt.ItemDataRole.ForegroundRole and message.is_error:
            return theme.tone("contradicts")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{message.at}: {'Error. ' * message.is_error}{message.text}"
        return None


class MessageList(QFrame):
    """The list, over the work below the bell; Escape closes it."""

    def __init__(self, messages: Messages, session: CaseSession, parent: QWidget) -> None:
        super().__init__(parent)
        self._messages = messages
        self._session = session
        self._before: QWidget | None = None
        self.setProperty("kind", "popup")
        self.setAccessibleName("Messages")
        column = vbox(self, margins=(0, 12, 0, 8), spacing=8)
        self._head = plain("MESSAGES", "section")
        self._head.setContentsMargins(16, 0, 16, 0)
        column.addWidget(self._head)
        column.addWidget(line())
        self.model = _Rows(self)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setWordWrap(True)
        self.view.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.view.setResizeMode(QListView.ResizeMode.Adjust)  # or rows have the height of another width
        self.view.setSpacing(2)
        self.view.setAccessibleName("Messages, newest first")
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.selectionModel().currentChanged.connect(lambda *_: self._show_undo())
        self.view.installEventFilter(self)
        around = hbox(margins=(12, 0, 8, 0))
        around.addWidget(self.view)
        column.addLayout(around, 1)
        column.addWidget(line())
        foot = hbox(margins=(16, 0, 16, 0))
        self.undo_button = QPushButton("Undo")
        self.undo_button.setAccessibleName("Undo what this message is about")
        self.undo_button.clicked.connect(self._undo)
        self.clear_button = QPushButton("Clear")
        self.clear_button.clicked.connect(self._clear)
        self.close_button = QPushButton("Close")
        self.close_button.clicked.connect(self.dismiss)
        foot.addWidget(self.undo_button)
        foot.addStretch(1)
        foot.addWidget(self.clear_button)
        foot.addWidget(self.close_button)
        column.addLayout(foot)
        messages.changed.connect(self._refresh)
        session.changed.connect(lambda *_: self._show_undo())
        parent.installEventFilter(self)
        self.hide()

    def turn(self) -> None:
        """Show the list, or put it away."""
        if self.isVisible():
            self.dismiss()
            return
        self._before = self.window().focusWidget()
        self._fill()
        self.show()
        self._place()
        self.raise_()
        self.view.setCurrentIndex(self.model.index(0, 0))
        self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._messages.look()

    def dismiss(self) -> None:
        """Put the list away and give the keys back."""
        if self.isVisible():
            self.hide()
            if self._before is not None and self._before.isVisible():
                self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self._before = None

    def _fill(self) -> None:
        self.model.show(list(self._messages.all))
        self._head.setText("MESSAGES" if self._messages.all else "NO MESSAGES YET")
        self.clear_button.setEnabled(bool(self._messages.all))
        self._show_undo()

    def _refresh(self) -> None:
        if self.isVisible() and self.model.rows != self._messages.all:
            self._fill()
            self.view.setCurrentIndex(self.model.index(0, 0))
            self._messages.look()

    def _current(self) -> Message | None:
        row = self.view.currentIndex().row()
        return self.model.rows[row] if 0 <= row < len(self.model.rows) else None

    def _show_undo(self) -> None:
        message = self._current()
        self.undo_button.setVisible(message is not None and self._messages.can_undo(message))

    def _undo(self) -> None:
        message = self._current()
        if message is not None and self._messages.can_undo(message):
            self._session.undo()

    def _clear(self) -> None:
        self._messages.clear()
        self._fill()

    def _place(self) -> None:
        around = self.parentWidget()
        if around is not None:
            width, height = min(theme.px(WIDTH), around.width() - 32), min(theme.px(HEIGHT), around.height() - 120)
            self.setGeometry(around.width() - width - 16, 52, width, height)

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Close by Escape, undo by Enter, and keep to the corner of the window."""
        if event.type() == QEvent.Type.Resize and target is self.parentWidget() and self.isVisible():
            self._place()
        if target is self.view and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.dismiss()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._undo()
                return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close by Escape from the buttons, too."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)
