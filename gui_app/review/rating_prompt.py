"""One line that takes a rating by its letters, as the matrix does: asked right where a quote is accepted."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from core.domain import Rating
from gui_app.shared.announce import announce
from gui_app.shared.formatting import RATING_WORDS
from gui_app.shared.labels import plain
from gui_app.shared.rating_keys import DIGITS, FIRST, SECOND, TYPING_MS


class RatingPrompt(QFrame):
    """The question for a rating, hidden until it is asked.

    ``answered(rating)`` with what was typed, or '' where Enter took what was suggested; ``left()`` when nothing is
    wanted after all, by Escape or by going elsewhere.
    """

    answered = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "note")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Rating of what is accepted")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(12)
        self.rating = plain("", "heading")
        self.rating.setMinimumWidth(40)
        row.addWidget(self.rating)
        self.text = plain("", wrap=True)
        row.addWidget(self.text, 1)
        self._has_suggestion = False
        self._entry: Rating | None = None
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._typing.timeout.connect(self._take)
        self.hide()

    def ask(
        self, what: str, suggestion: Rating | None, *, by_itself: bool = False, verb: str = "Add with ratings"
    ) -> None:
        """Ask for the rating of ``what``.

        Enter takes ``suggestion``; or, ``by_itself``, what is suggested for each of several.
        """
        self._entry, self._has_suggestion = None, suggestion is not None or by_itself
        self.rating.setText(suggestion or "")
        enter = ""
        if by_itself:
            enter = " Enter takes what the model suggests for each."
        elif suggestion is not None:
            enter = f" Enter takes {suggestion}, the model's suggestion."
        sentence = "{verb} {what}: type C, CC, N, I, II or NA.{enter} Esc: not now."
        sentence = sentence.format(verb=verb, what=what, enter=enter)
        self.text.setText(sentence)
        self.setAccessibleName(sentence)
        self.show()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        announce(self, sentence)

    def event(self, event: QEvent) -> bool:
        """Take letters as ratings, not as commands of the screen; Ctrl+Z takes back the question."""
        foreign = ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and (not event.modifiers() & foreign or event.matches(QKeySequence.StandardKey.Undo))
        ):
            event.accept()  # letters are ratings here, not commands of the screen; Ctrl+Z takes back the question
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Type a rating, take what is suggested, or leave."""
        letter = event.text().lower()
        longer = SECOND.get((self._entry, letter)) if self._entry is not None else None
        if event.key() == Qt.Key.Key_Escape or event.matches(QKeySequence.StandardKey.Undo):
            self._leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._entry is not None or self._has_suggestion:
                self._take()
        elif longer is not None or letter in DIGITS:
            self._entry = longer or DIGITS[letter]
            self._take()
        elif letter in FIRST:
            self._entry = FIRST[letter]
            self.rating.setText(self._entry)
            announce(self, RATING_WORDS[self._entry])
            self._typing.start()  # C, N and I may grow into CC, NA and II
        elif event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take what is typed when the person goes elsewhere; nothing typed is no answer."""
        super().focusOutEvent(event)
        if self.isVisible() and event.reason() not in (
            Qt.FocusReason.ActiveWindowFocusReason,
            Qt.FocusReason.PopupFocusReason,
        ):
            self._take() if self._typing.isActive() else self._leave()

    def _take(self) -> None:
        self._typing.stop()
        rating, self._entry = self._entry or "", None
        self.hide()
        self.answered.emit(rating)

    def _leave(self) -> None:
        self._typing.stop()
        self._entry = None
        self.hide()
        self.left.emit()
