"""Fields for a passphrase: not shown while it is typed unless the person wants it; a new one is typed twice."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from core.errors import BadInput
from core.passphrase import LONGEST, Passphrase, strength
from gui_app.shared import theme
from gui_app.shared.labels import note, plain

LOST = "Nobody can open the case without its passphrase, and nobody can recover it: keep a copy of it in a safe place."


class PassphraseField(QLineEdit):
    """One field, with a button in it that shows and hides what is typed."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(name)
        self.setAccessibleName(name)
        self.setMaxLength(LONGEST)
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.shown_action = QAction("Show", self)
        self.shown_action.setCheckable(True)
        self.shown_action.toggled.connect(self._show)
        theme.set_icon(self.shown_action, "eye")
        self.addAction(self.shown_action, QLineEdit.ActionPosition.TrailingPosition)
        self._show(False)

    def _show(self, is_visible: bool) -> None:
        self.setEchoMode(QLineEdit.EchoMode.Normal if is_visible else QLineEdit.EchoMode.Password)
        self.shown_action.setToolTip("Hide the passphrase" if is_visible else "Show the passphrase")

    def passphrase(self) -> Passphrase:
        """Return what was typed. Raises BadInput."""
        return Passphrase(self.text())

    def forget(self) -> None:
        """Empty the field, with what could be undone in it."""
        self.clear()
        self.shown_action.setChecked(False)


class NewPassphrase(QWidget):
    """A new passphrase, typed twice, with how strong it looks and what a loss means; ``changed`` at each key."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.first = PassphraseField("New passphrase")
        self.second = PassphraseField("The same again")
        self.state = plain("", "muted", wrap=True)
        for widget in (self.first, self.second, self.state, note(plain(LOST, wrap=True))):
            column.addWidget(widget)
        for field in (self.first, self.second):
            field.textChanged.connect(self._tell)
        self.first.shown_action.toggled.connect(self.second.shown_action.setChecked)
        self.second.shown_action.toggled.connect(self.first.shown_action.setChecked)
        self._tell()

    def _tell(self) -> None:
        self.state.setText(self.problem() or strength(self.first.text()).hint)
        self.changed.emit()

    def problem(self) -> str:
        """Say why what was typed cannot be a passphrase yet; '' where it can."""
        if not self.first.text():
            return "Four or more words that do not belong together are easy to remember and hard to guess."
        try:
            self.first.passphrase().forget()
        except BadInput as error:
            return f"{error.sentence.removesuffix('; nothing was changed.')}. {error.hint}"
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
