"""Fields for a passphrase: not shown while it is typed unless the person wants it; a new one is typed twice."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from core.errors import BadInput
from core.passphrase import LONGEST, Passphrase, strength
from gui_app.shared import theme
from gui_app.shared.labels import note, plain
from gui_app.shared.layout import vbox

LOST = "Nobody can open the case without its passphrase, and nobody can recover it: keep a copy of it in a safe place."


CAPS_LOCK = "Caps Lock is on."


class PassphraseField(QLineEdit):
    """One field, with a button in it that shows and hides what is typed.

    ``caps_lock(is_on)`` when the letters that are typed tell that Caps Lock was turned on or off.
    """

    caps_lock = Signal(bool)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(name)
        self.setAccessibleName(name)
        self.setMaxLength(LONGEST)
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.has_caps_lock = False
        self.shown_action = QAction("Show", self)
        self.shown_action.setCheckable(True)
        self.shown_action.toggled.connect(self._show)
        theme.set_icon(self.shown_action, "eye")
        self.addAction(self.shown_action, QLineEdit.ActionPosition.TrailingPosition)
        self._show(False)

    def _show(self, is_visible: bool) -> None:
        self.setEchoMode(QLineEdit.EchoMode.Normal if is_visible else QLineEdit.EchoMode.Password)
        self.shown_action.setToolTip("Hide the passphrase" if is_visible else "Show the passphrase")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take a key, and what its letter tells of Caps Lock: no system tells that to Qt."""
        letter, shift = event.text(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_CapsLock:
            self._set_caps_lock(False)  # or it was just turned on, which the next letter tells
        elif len(letter) == 1 and letter.isupper() != letter.islower() and not (letter.isupper() and shift):
            self._set_caps_lock(letter.isupper() or shift)  # with both a Mac writes a capital, so that tells nothing
        super().keyPressEvent(event)

    def _set_caps_lock(self, is_on: bool) -> None:
        if is_on != self.has_caps_lock:
            self.has_caps_lock = is_on
            self.caps_lock.emit(is_on)

    def passphrase(self) -> Passphrase:
        """Return what was typed. Raises BadInput."""
        return Passphrase(self.text())

    def forget(self) -> None:
        """Empty the field, with what could be undone in it."""
        self.clear()
        self._set_caps_lock(False)
        self.shown_action.setChecked(False)


class NewPassphrase(QWidget):
    """A new passphrase, typed twice, with how strong it looks and what a loss means; ``changed`` at each key.

    ``entered`` when Enter was pressed in it and it can be a passphrase.
    """

    changed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        column = vbox(self, spacing=8)
        self.first = PassphraseField("New passphrase")
        self.second = PassphraseField("Repeat passphrase")
        self.state = plain("", "muted", wrap=True)
        for widget in (self.first, self.second, self.state, note(plain(LOST, wrap=True))):
            column.addWidget(widget)
        for field in (self.first, self.second):
            field.textChanged.connect(self._tell)
            field.caps_lock.connect(self._tell)
            field.returnPressed.connect(self._enter)
        self.first.shown_action.toggled.connect(self.second.shown_action.setChecked)
        self.second.shown_action.toggled.connect(self.first.shown_action.setChecked)
        self._tell()

    def _tell(self) -> None:
        caps_lock = f"{CAPS_LOCK} " if self.first.has_caps_lock or self.second.has_caps_lock else ""
        self.state.setText(f"{caps_lock}{self.problem() or strength(self.first.text()).hint}")
        self.changed.emit()

    def _enter(self) -> None:
        if not self.problem():
            self.entered.emit()
        elif self.first.text() and not self.second.text():
            self.second.setFocus(Qt.FocusReason.OtherFocusReason)

    def problem(self) -> str:
        """Return why what was typed cannot be a passphrase yet; '' where it can."""
        if not self.first.text():
            return "Four or more unrelated words are easy to remember and hard to guess."
        try:
            self.first.passphrase().forget()
        except BadInput as error:
            return f"{error.sentence.removesuffix('; nothing was changed.')}. {error.hint}"
        if not self.first.text().startswith(self.second.text()):
            return "The two are not the same. Show them to compare, or type both again."
        if self.first.text() != self.second.text():
            return f"{strength(self.first.text()).hint} Now type the same again."
        return ""

    def passphrase(self) -> Passphrase:
        """Return it, where there is no ``problem``. Raises BadInput."""
        return self.first.passphrase()

    def forget(self) -> None:
        """Empty the fields."""
        for field in (self.first, self.second):
            field.forget()
