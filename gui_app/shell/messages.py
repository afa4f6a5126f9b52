"""Everything that the window has said, with its time: a list behind the bell, where what can be undone still can."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

from core.errors import AppError
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.table_models import ListRows
from gui_app.shell.corner_list import CornerList

MOST = 200  # messages kept


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
        session.told.connect(
            lambda text, undo: self.add(text, decision=session.undoable() if undo else 0, is_news=not undo)
        )
        session.taken_back.connect(lambda text: self.add(text, is_news=False))
        session.told_at_length.connect(lambda sentence, hint: self.add(f"{sentence} {hint}".strip(), is_news=False))
        session.decided.connect(lambda text: self.add(text, decision=session.undoable(), is_news=False))
        session.status.connect(lambda text: self.add(text, is_news=False))
        session.failed.connect(self._failed)
        session.opened.connect(self._forget_decisions)

    def add(self, text: str, *, decision: int = 0, is_error: bool = False, is_news: bool = True) -> None:
        """Keep a message; one that only says again what was said last is no other.

        One that is no news is not counted as unread: it says what the person just did, or answers a key.
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
        """Return whether what a message is about is the last decision still."""
        return bool(message.decision) and message.decision == self._session.undoable()

    def _failed(self, error: AppError) -> None:
        self.add(error.sentence, is_error=True)

    def _forget_decisions(self) -> None:
        """Offer no Undo for decisions of another case."""
        self.all = [Message(message.at, message.text, 0, message.is_error) for message in self.all]
        self.changed.emit()


class _Rows(ListRows):
    def role_data(self, message: Message, index: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{message.at}   {message.text}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return message.text
        if role == Qt.ItemDataRole.ForegroundRole and message.is_error:
            return theme.tone("contradicts")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{message.at}: {'Error. ' * message.is_error}{message.text}"
        return None


class MessageList(QObject):
    """The messages, in a list below the bell."""

    def __init__(self, messages: Messages, session: CaseSession, parent: QWidget) -> None:
        super().__init__(parent)
        self.corner = CornerList(
            "Messages", "Messages, newest first", _Rows(), parent, fill=self.fill, press=self._press, top=52
        )
        self._messages = messages
        self._session = session
        self.corner.view.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.corner.view.setSpacing(2)
        self.corner.view.selectionModel().currentChanged.connect(lambda *_: self._show_undo())
        self.undo_button = QPushButton("Undo")
        self.undo_button.setAccessibleName("Undo what this message is about")
        self.undo_button.clicked.connect(self._undo)
        self.clear_button = QPushButton("Clear")
        self.clear_button.clicked.connect(messages.clear)
        self.corner.add_buttons([self.undo_button], [self.clear_button])
        messages.changed.connect(self._refresh)
        session.changed.connect(lambda *_: self._show_undo())

    def fill(self) -> None:
        """Show all messages, which counts them as read."""
        self.corner.model.show(self._messages.all)
        self.corner.show_head("Messages" if self._messages.all else "No messages yet")
        self.clear_button.setEnabled(bool(self._messages.all))
        self._show_undo()
        self._messages.look()

    def _refresh(self) -> None:
        if self.corner.isVisible() and self.corner.model.rows != self._messages.all:
            self.fill()
            self.corner.view.setCurrentIndex(self.corner.model.index(0, 0))

    def _show_undo(self) -> None:
        message: Message | None = self.corner.current()
        self.undo_button.setVisible(message is not None and self._messages.can_undo(message))

    def _undo(self) -> None:
        message: Message | None = self.corner.current()
        if message is not None and self._messages.can_undo(message):
            self._session.undo()

    def _press(self, event: QKeyEvent) -> bool:
        """Undo by Enter."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return False
        self._undo()
        return True
