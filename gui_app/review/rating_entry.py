"""Ratings typed straight into a list: the letters of the matrix, without a question first."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from core.domain import Rating
from gui_app.shared.rating_keys import FIRST, SECOND, TYPING_MS

_SHIFTED: dict[str, Rating] = {"c": "CC", "i": "II", "n": "NA"}
_CLEARING = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
# Keys that take back what is typed, or only begin a combination.
_OF_ENTRY = (
    *(Qt.Key.Key_Escape, *_CLEARING),
    *(Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta),
)


class RatingEntry(QObject):
    """The keys C CC N I II of a list, and Shift+N for NA, taken before its commands are.

    N A would be NA in the matrix; here A accepts, so N is N at once.

    ``typed(rating)`` when a rating is complete, ``begun(letters)`` while it may still grow, '' when it was given up;
    ``confirmed()`` on Enter, ``cleared()`` on Delete, ``moved(way)`` on Left (-1) and Right (1).
    """

    typed = Signal(str)
    begun = Signal(str)
    confirmed = Signal()
    cleared = Signal()
    moved = Signal(int)

    def __init__(self, *lists: QWidget) -> None:
        super().__init__(lists[0])
        self._entry: Rating | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TYPING_MS)
        self._timer.timeout.connect(self.finish)
        for view in lists:
            view.installEventFilter(self)
            if isinstance(view, QAbstractScrollArea):
                view.viewport().installEventFilter(self)

    def finish(self) -> None:
        """Take what is typed as it is."""
        self._timer.stop()
        entry, self._entry = self._entry, None
        if entry is not None:
            self.typed.emit(entry)

    def eventFilter(self, _target: QObject, event: QEvent) -> bool:
        """Take the letters of a rating, and the keys that move between cells; all others go on to the list."""
        if isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and self._is_mine(event):
                event.accept()  # a letter of a rating is no command
                return True
            if event.type() == QEvent.Type.ShortcutOverride and event.key() not in _OF_ENTRY:
                self.finish()  # before the command of this key does its own work
            if event.type() == QEvent.Type.KeyPress:
                return self._press(event)
        elif event.type() == QEvent.Type.MouseButtonPress:
            self.finish()  # it is of the card that was on show
        return False

    def _is_mine(self, event: QKeyEvent) -> bool:
        allowed = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
        return not event.modifiers() & ~allowed and event.text().lower() in FIRST

    def _press(self, event: QKeyEvent) -> bool:
        if self._is_mine(event):
            self._type(event.text().lower(), is_shifted=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            return True
        if self._entry is not None and event.key() == Qt.Key.Key_Escape:
            self._timer.stop()
            self._entry = None
            self.begun.emit("")
            return True
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finish()
            self.confirmed.emit()
            return True
        if event.key() in _CLEARING:
            self.cleared.emit()
            return True
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.finish()
            self.moved.emit(-1 if event.key() == Qt.Key.Key_Left else 1)
            return True
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.finish()  # it is of this card
        return False

    def _type(self, letter: str, *, is_shifted: bool) -> None:
        if is_shifted:
            self.finish()
            longer: Rating | None = _SHIFTED[letter]
        else:
            longer = SECOND.get((self._entry, letter)) if self._entry is not None else None
        if longer is None:
            self.finish()
        self._entry = longer or FIRST[letter]
        if longer is not None or letter == "n":
            self.finish()
        else:
            self.begun.emit(self._entry)
            self._timer.start()
